//! What only the real process shows: its flags and variables, what it prints, how it ends.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on must fail")]

mod connections;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use clap::{Arg, CommandFactory};
use rustix::process::{Pid, Signal, kill_process};
use scathe_server::config::Cli;

/// How long anything may take before a test fails.
const PATIENCE: Duration = Duration::from_secs(30);
/// Any free port.
const FREE: &str = "127.0.0.1:0";

/// A process of ours, which ends with the test whatever happens.
struct Scathe {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

impl Drop for Scathe {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a process said, and how it ended.
struct Ended {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Ended {
    /// Asserts that it failed without a panic, and said all of this.
    #[track_caller]
    fn failed_saying(&self, words: &[&str]) {
        assert!(!self.status.success(), "{}", self.out);
        assert!(self.status.code().is_some(), "ended by a signal: {}", self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "no {word:?} in {:?}", self.err);
        }
    }
}

/// The lines that come out of a pipe, until it is closed.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = String::new();
        while pipe.read_line(&mut line).is_ok_and(|read| read > 0) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Scathe {
    fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut scathe = Self::start_unread(arguments, variables);
        scathe.err = lines(scathe.child.stderr.take().unwrap());
        scathe
    }

    /// One whose log nobody reads.
    fn start_unread(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scathe"));
        for variable in Cli::command().get_arguments().filter_map(Arg::get_env) {
            command.env_remove(variable);
        }
        command.args(arguments).envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, (_, err)) = (lines(child.stdout.take().unwrap()), channel());
        Self { child, out, err }
    }

    /// A service that runs on a free port.
    fn serving() -> (Self, SocketAddr) {
        let mut scathe = Self::start(&["--listen", FREE], &[]);
        let address = scathe.address();
        (scathe, address)
    }

    /// The address that it prints.
    #[track_caller]
    fn address(&mut self) -> SocketAddr {
        let line = self.out.recv_timeout(PATIENCE).expect("prints its address");
        let address = line.trim_end().strip_prefix("Scathe listens on http://");
        address.unwrap_or_else(|| panic!("{line:?}")).parse().unwrap()
    }

    /// Reads what it logs up to the line that has this in it.
    #[track_caller]
    fn logs(&self, words: &str) {
        while !self.err.recv_timeout(PATIENCE).expect(words).contains(words) {}
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end.
    #[track_caller]
    fn ended(mut self) -> Ended {
        let rest = |pipe: &Receiver<String>| {
            let (mut text, until) = (String::new(), Instant::now() + PATIENCE);
            loop {
                match pipe.recv_timeout(until.saturating_duration_since(Instant::now())) {
                    Ok(line) => text.push_str(&line),
                    Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return text,
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("does not end; said {text:?}"),
                }
            }
        };
        let (out, err) = (rest(&self.out), rest(&self.err));
        Ended { status: self.child.wait().unwrap(), out, err }
    }
}

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
    Scathe::start(arguments, variables).ended()
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// The head and the body of a reply that ends with its connection.
fn reply(mut stream: TcpStream) -> (String, String) {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

fn get(address: SocketAddr, path: &str) -> (String, String) {
    let mut stream = connect(address);
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    reply(stream)
}

#[test]
fn port_0_takes_a_free_port_and_prints_it() {
    let (_scathe, address) = Scathe::serving();
    assert!(address.ip().is_loopback());
    assert_ne!(address.port(), 0);
    let (head, body) = get(address, "/health");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(body.contains("\"ok\""), "{body}");
}

#[test]
fn the_address_comes_from_the_variable_unless_a_flag_says_otherwise() {
    let mut scathe = Scathe::start(&[], &[("SCATHE_LISTEN", "0.0.0.0:0")]);
    assert_eq!(scathe.address().ip(), Ipv4Addr::UNSPECIFIED);
    let mut scathe = Scathe::start(&["--listen", FREE], &[("SCATHE_LISTEN", "0.0.0.0:0")]);
    assert_eq!(scathe.address().ip(), Ipv4Addr::LOCALHOST);
}

#[test]
fn the_log_level_comes_from_the_variable_unless_a_flag_says_otherwise() {
    let stopped = |arguments: &[&str]| {
        let mut scathe = Scathe::start(&[&["--listen", FREE], arguments].concat(), &[("SCATHE_LOG", "error")]);
        scathe.address();
        // At once: whoever knows the address may ask it to stop.
        scathe.signal(Signal::TERM);
        let ended = scathe.ended();
        assert!(ended.status.success(), "{:?}", ended.status);
        ended.err
    };
    assert_eq!(stopped(&[]), "");
    assert!(stopped(&["--log", "info"]).contains("stopping"));
}

#[test]
fn what_fails_is_logged_and_what_goes_well_only_where_asked_for() {
    for (arguments, all) in [(&[][..], false), (&["--log", "info"], true)] {
        let mut scathe = Scathe::start(&[&["--listen", FREE], arguments].concat(), &[]);
        let address = scathe.address();
        get(address, "/health");
        get(address, "/nothing");
        scathe.signal(Signal::TERM);
        let log = scathe.ended().err;
        assert!(log.contains("path=\"/nothing\" status=404"), "{log}");
        assert!(log.contains("stopping"), "{log}");
        assert_eq!(log.contains("path=\"/health\" status=200"), all, "{log}");
    }
}

#[test]
fn a_log_that_nobody_reads_holds_nobody_up() {
    // Each is logged, in more lines than the pipe and those that wait for it hold.
    const REQUESTS: usize = 3000;
    let mut scathe = Scathe::start_unread(&["--listen", FREE, "--metrics-listen", FREE], &[]);
    let address = scathe.address();
    let metrics = scathe.out.recv_timeout(PATIENCE).unwrap();
    let metrics = metrics.trim_start_matches("Metrics are on http://").split('/').next().unwrap().parse().unwrap();

    let stream = connect(address);
    let mut sending = stream.try_clone().unwrap();
    let sender = std::thread::spawn(move || {
        let path = "nothing/".repeat(30);
        let request =
            |connection| format!("GET /{path} HTTP/1.1\r\nhost: {address}\r\nconnection: {connection}\r\n\r\n");
        sending.write_all((request("keep-alive").repeat(REQUESTS - 1) + &request("close")).as_bytes()).unwrap();
    });
    let mut text = String::new();
    (&stream).read_to_string(&mut text).unwrap();
    sender.join().unwrap();
    assert_eq!(text.matches("HTTP/1.1 404 ").count(), REQUESTS);

    let (_, text) = get(metrics, "/metrics");
    let lost = text.lines().find_map(|line| line.strip_prefix("scathe_log_lines_lost_total ")).expect("is counted");
    assert!(lost.parse::<usize>().unwrap() > 0, "{text}");
    scathe.signal(Signal::TERM);
    let ended = scathe.ended();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.out);
}

#[test]
fn the_printed_document_is_the_one_served_and_the_one_pinned() {
    let printed = run(&["openapi"], &[]);
    assert!(printed.status.success(), "{}", printed.err);
    let (_scathe, address) = Scathe::serving();
    let (_, served) = get(address, "/openapi.json");
    assert!(printed.out == served, "`scathe openapi` and GET /openapi.json differ");
    let pinned = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/openapi.json");
    let pinned = std::fs::read_to_string(pinned).unwrap();
    assert!(printed.out == pinned, "`scathe openapi` and openapi/openapi.json differ");
}

#[test]
fn health_says_that_a_running_service_is_well() {
    let (_scathe, address) = Scathe::serving();
    let address = address.to_string();
    let mut everywhere = Scathe::start(&["--listen", "0.0.0.0:0"], &[]);
    let unspecified = everywhere.address().to_string();
    for asked in [
        run(&["health", "--listen", &address], &[]),
        run(&["--listen", &address, "health"], &[]),
        run(&["health"], &[("SCATHE_LISTEN", &address)]),
        run(&["health"], &[("SCATHE_LISTEN", &unspecified)]),
    ] {
        assert!(asked.status.success(), "{}", asked.err);
        assert!(asked.out.contains("\"ok\""), "{}", asked.out);
    }
}

#[test]
fn health_fails_where_nothing_listens_or_something_else_does() {
    // A connection's own end: the port is taken, but nobody listens there.
    let listener = TcpListener::bind(FREE).unwrap();
    let held = connect(listener.local_addr().unwrap());
    let nothing = held.local_addr().unwrap().to_string();
    run(&["health", "--listen", &nothing], &[]).failed_saying(&[&nothing, "refused"]);

    let other = listener.local_addr().unwrap().to_string();
    let asking = Scathe::start(&["health", "--listen", &other], &[]);
    drop(listener.accept().unwrap());
    let (mut stream, _) = listener.accept().unwrap();
    let mut head = BufReader::new(stream.try_clone().unwrap()).lines();
    while head.next().is_some_and(|line| !line.unwrap().is_empty()) {}
    stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n").unwrap();
    asking.ended().failed_saying(&[&other, "503"]);
}

#[test]
fn what_is_set_wrong_is_said_plainly() {
    run(&["--listen", "nowhere"], &[]).failed_saying(&["--listen", "nowhere"]);
    run(&[], &[("SCATHE_LISTEN", "127.0.0.1")]).failed_saying(&["--listen", "127.0.0.1"]);
    run(&["--listen", FREE, "--log", "info,scathe=loud"], &[]).failed_saying(&["SCATHE_LOG", "loud"]);
    run(&["--listen", FREE], &[("SCATHE_LOG", "loud=loud")]).failed_saying(&["SCATHE_LOG", "loud"]);
    run(&["--listen", FREE, "--cors-origins", "a\nb"], &[]).failed_saying(&["--cors-origins"]);
    run(&["--listne", FREE], &[]).failed_saying(&["--listne", "--listen"]);
    run(&["serve"], &[]).failed_saying(&["serve"]);
}

#[test]
fn an_address_in_use_is_said_plainly() {
    let (_scathe, address) = Scathe::serving();
    let address = address.to_string();
    run(&["--listen", &address], &[]).failed_saying(&[&address, "in use"]);
}

#[test]
fn help_explains_every_variable_and_command() {
    let help = run(&["--help"], &[]);
    assert!(help.status.success(), "{}", help.err);
    // However its lines are broken.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let help = words(&help.out);
    let cli = Cli::command();
    let mut variables = 0;
    for argument in cli.get_arguments().filter(|argument| !matches!(argument.get_id().as_str(), "help" | "version")) {
        let variable = argument.get_env().expect("every flag has a variable").to_str().unwrap();
        assert!(variable.starts_with("SCATHE_"), "{variable}");
        let explained = words(&argument.get_help().expect(variable).to_string());
        assert!(help.contains(variable) && help.contains(&explained), "{variable}: {help}");
        variables += 1;
    }
    assert!(variables > 0);
    for command in cli.get_subcommands() {
        let explained = words(&command.get_about().expect("every command is explained").to_string());
        assert!(help.contains(&format!("{} {}", command.get_name(), explained.trim_end_matches('.'))), "{help}");
    }
    let version = run(&["--version"], &[]);
    assert!(version.status.success());
    assert_eq!(version.out, concat!("scathe ", env!("CARGO_PKG_VERSION"), "\n"));
}

/// Asks the service to stop while a request is half sent, and another connection is idle.
fn stops_gracefully(signal: Signal) {
    let (scathe, address) = Scathe::serving();

    let mut idle = connect(address);
    write!(idle, "GET /health HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
    let mut idle = BufReader::new(idle);
    let mut line = String::new();
    idle.read_line(&mut line).unwrap();
    assert!(line.starts_with("HTTP/1.1 200 "), "{line}");

    let body = r#"{"ruleset":"akrpg","target":{"hd":2,"hp":12},"hits":[{"kind":"true","amount":3}],"dice":[]}"#;
    let (half, rest) = body.split_at(body.len() / 2);
    let mut stream = connect(address);
    let head = format!(
        "POST /damage HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // The service says that it is reading the body: the request is in flight.
    let mut go_on = [0; b"HTTP/1.1 100 Continue\r\n\r\n".len()];
    stream.read_exact(&mut go_on).unwrap();
    assert!(go_on.starts_with(b"HTTP/1.1 100 "));
    stream.write_all(half.as_bytes()).unwrap();

    scathe.signal(signal);
    scathe.logs("stopping");
    // Now or in a moment nobody can connect.
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(address).is_ok() {
        assert!(Instant::now() < until, "still takes connections");
        std::thread::yield_now();
    }

    stream.write_all(rest.as_bytes()).unwrap();
    let (head, body) = reply(stream);
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let reply: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(reply["target"]["hp"], 9);
    let ended = scathe.ended();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.err);
}

#[test]
fn sigterm_lets_requests_in_flight_finish() {
    stops_gracefully(Signal::TERM);
}

#[test]
fn sigint_lets_requests_in_flight_finish() {
    stops_gracefully(Signal::INT);
}
