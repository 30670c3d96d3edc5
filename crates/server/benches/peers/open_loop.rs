//! A client for `compare.py` that calls at a fixed rate, whether or not the service keeps up: each call
//! has its moment, and its latency counts from there, also when the call before it was late.
//!
//! Arguments: address, path, file of the body, calls a second, seconds. Prints the median and the 99th
//! percentile in microseconds. The calls of one connection come at random, exponential gaps.
#![allow(clippy::expect_used, reason = "a measuring tool that cannot go on must stop")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

const CONNECTIONS: u32 = 64;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, path, body, rate, seconds] = arguments.as_slice() else { panic!("five arguments") };
    let body = std::fs::read_to_string(body).expect("the body");
    let gap: f64 = f64::from(CONNECTIONS) / rate.parse::<f64>().expect("calls a second");
    let end = Instant::now() + Duration::from_secs_f64(seconds.parse().expect("seconds"));
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    let mut latencies = thread::scope(|scope| {
        let connections: Vec<_> =
            (0..CONNECTIONS).map(|_| scope.spawn(|| calls(address, &request, gap, end))).collect();
        connections.into_iter().flat_map(|calls| calls.join().expect("calls")).collect::<Vec<_>>()
    });
    latencies.sort_unstable();
    let percentile = |part: usize| latencies[(latencies.len() - 1) * part / 100].as_micros();
    println!("{} {}", percentile(50), percentile(99));
}

/// Calls on one connection until `end`, some `gap` seconds apart.
fn calls(address: &str, request: &str, gap: f64, end: Instant) -> Vec<Duration> {
    let mut stream = TcpStream::connect(address).expect("connects");
    stream.set_nodelay(true).expect("sends at once");
    let (mut latencies, mut moment, mut reply) = (Vec::new(), Instant::now(), vec![0; 64 * 1024]);
    loop {
        moment += Duration::from_secs_f64(-gap * (1.0 - rand::random::<f64>()).ln());
        if moment >= end {
            return latencies;
        }
        thread::sleep(moment.saturating_duration_since(Instant::now()));
        stream.write_all(request.as_bytes()).expect("sends");
        let mut read = 0;
        while !is_whole(&reply[..read]) {
            let more = stream.read(&mut reply[read..]).expect("reads");
            assert!(more > 0, "the service hung up");
            read += more;
        }
        latencies.push(moment.elapsed());
    }
}

/// Whether this is a whole reply, which must be a good one.
fn is_whole(reply: &[u8]) -> bool {
    let Some(head) = reply.windows(4).position(|end| end == b"\r\n\r\n") else { return false };
    let text = str::from_utf8(&reply[..head]).expect("a head is text").to_ascii_lowercase();
    assert!(text.starts_with("http/1.1 200 "), "{text}");
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    reply.len() >= head + 4 + length.parse::<usize>().expect("a number")
}
