//! Connections: what a stranger may do with one, and how it ends.

use super::*;

/// Sends bytes, and reads whatever comes until the connection ends.
fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    // It may be refused, and closed, before all is sent.
    let _ = stream.write_all(bytes);
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn is_well(address: SocketAddr) {
    let (head, _) = get(address, "/health");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
}

fn head(address: SocketAddr, more: &str) -> String {
    format!("POST /damage HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n{more}\r\n")
}

const HIT: &str = r#"{"ruleset":"akrpg","target":{"hd":2,"hp":12},"hits":[{"kind":"true","amount":3}],"dice":[]}"#;

/// A service with these flags beside a free port.
fn serving_with(arguments: &[&str]) -> (Scathe, SocketAddr) {
    let mut scathe = Scathe::start(&[&["--listen", FREE], arguments].concat(), &[]);
    let address = scathe.address();
    (scathe, address)
}

/// A service with these flags, and the address of its metrics.
fn watched(arguments: &[&str]) -> (Scathe, SocketAddr, SocketAddr) {
    let (scathe, address) = serving_with(&[&["--metrics-listen", FREE], arguments].concat());
    let line = scathe.out.recv_timeout(PATIENCE).unwrap();
    let metrics = line.trim_end().strip_prefix("Metrics are on http://").unwrap().strip_suffix("/metrics").unwrap();
    let metrics = metrics.parse().unwrap();
    (scathe, address, metrics)
}

#[test]
fn idle_connections_never_keep_a_new_one_out() {
    let (_scathe, address) = serving_with(&["--connections", "4"]);
    // Some never say a word, some break off in the middle of a head, some were of use once.
    let mut held = Vec::new();
    for index in 0..24 {
        let mut stream = connect(address);
        match index % 3 {
            0 => {}
            1 => stream.write_all(b"GET /health HTTP/1.1\r\nhost").unwrap(),
            _ => {
                write!(stream, "GET /health HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
                let mut first = [0; 12];
                stream.read_exact(&mut first).unwrap();
                assert_eq!(&first, b"HTTP/1.1 200");
            }
        }
        held.push(stream);
    }
    is_well(address);
}

#[test]
fn an_answer_without_the_body_leaves_the_connection_of_use() {
    let (_scathe, address) = serving_with(&["--rate-limit", "1/1", "--header-timeout", "10s"]);
    let mut stream = connect(address);
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    for status in ["200", "429", "429"] {
        // Head and body come one after the other.
        stream.write_all(head(address, &format!("content-length: {}\r\n", HIT.len())).as_bytes()).unwrap();
        stream.flush().unwrap();
        stream.write_all(HIT.as_bytes()).unwrap();
        let (mut line, mut length) = (String::new(), 0);
        answers.read_line(&mut line).unwrap();
        assert_eq!(&line[9..12], status);
        loop {
            line.clear();
            answers.read_line(&mut line).unwrap();
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        answers.read_exact(&mut vec![0; length]).unwrap();
    }
}

#[test]
fn what_says_that_it_is_too_large_is_not_asked_for() {
    let (_scathe, address) = Scathe::serving();
    let text = exchange(
        address,
        head(address, "content-length: 99999999999\r\nexpect: 100-continue\r\nconnection: close\r\n").as_bytes(),
    );
    assert!(text.starts_with("HTTP/1.1 413 "), "{text}");
}

#[test]
fn an_answer_on_its_way_is_sent_whole_when_the_service_stops() {
    let (scathe, address) = Scathe::serving();
    let body = r#"{"ruleset":"akrpg","pool":120}"#;
    let mut stream = connect(address);
    let head = head(address, &format!("connection: close\r\ncontent-length: {}\r\n", body.len()))
        .replace("/damage", "/check/odds");
    stream.write_all((head + body).as_bytes()).unwrap();
    let mut first = [0; 4096];
    stream.read_exact(&mut first).unwrap();
    scathe.signal(Signal::TERM);
    scathe.logs("stopping");
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    let text = String::from_utf8([first.to_vec(), rest].concat()).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
    assert_eq!(scathe.ended().status.code(), Some(0));
}

#[test]
fn a_head_that_does_not_come_is_not_waited_for() {
    let (_scathe, address) = serving_with(&["--header-timeout", "100ms"]);
    for begun in [&b""[..], b"P", b"PRI * HTTP/2.0\r\n", b"GET /health HTTP/1.1\r\nhost: slow"] {
        let mut stream = connect(address);
        stream.write_all(begun).unwrap();
        let mut rest = Vec::new();
        // It ends, without an answer.
        let _ = stream.read_to_end(&mut rest);
        assert!(!rest.starts_with(b"HTTP/1.1 200"));
    }
    is_well(address);
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let (_scathe, address) = Scathe::serving();
    let one = head(address, &format!("content-length: {}\r\n", HIT.len())) + HIT;
    let last = format!("GET /health HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    let text = exchange(address, (one.repeat(3) + &last).as_bytes());
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 4, "{text}");
    assert_eq!(text.matches("\"hp\":9").count(), 3);
    assert!(text.rfind("\"hp\":9") < text.rfind("\"ok\""));
}

#[test]
fn who_closes_has_hung_up_even_by_half_and_that_ends_a_walk() {
    // One worker, which would walk for a minute.
    let (_scathe, address) = serving_with(&["--workers", "1", "--odds-timeout", "60s"]);
    let hits = vec![r#"{"kind":"physical","amount":50}"#; 100].join(",");
    let long = format!(
        r#"{{"ruleset":"akrpg","target":{{"hd":100,"hp":600,"shield":1000,"barrier":1000,"def":3}},"hits":[{hits}]}}"#
    );
    let operations = vec![format!(r#"{{"verb":"damage/odds","request":{long}}}"#); 256].join(",");
    let ask = |path: &str, body: &str, more: &str| {
        let mut stream = connect(address);
        let head = head(address, &format!("{more}content-length: {}\r\n", body.len())).replace("/damage", path);
        stream.write_all((head + body).as_bytes()).unwrap();
        stream
    };
    let walking = ask("/batch", &format!(r#"{{"operations":[{operations}]}}"#), "");
    walking.shutdown(std::net::Shutdown::Write).unwrap();
    let (head, _) = reply(ask("/damage/odds", &HIT.replace(r#","dice":[]"#, ""), "connection: close\r\n"));
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
}

#[test]
fn broken_http_is_refused_and_the_service_goes_on() {
    let (_scathe, address) = Scathe::serving();
    let chunked = head(address, "transfer-encoding: chunked\r\n");
    let huge = head(address, &format!("x-huge: {}\r\n", "a".repeat(1_000_000)));
    let many: String = (0..2000).map(|number| format!("x-{number}: a\r\n")).collect();
    let broken: [(&str, Vec<u8>, &[&str]); 7] = [
        ("two lengths", (head(address, "content-length: 5\r\ncontent-length: 6\r\n") + "hello!").into(), &["400"]),
        (
            "a length and chunks",
            (head(address, "content-length: 5\r\ntransfer-encoding: chunked\r\n") + "zz").into(),
            &["400"],
        ),
        ("chunks that are none", (chunked + "zz\r\nnothing\r\n").into(), &["400"]),
        ("a head of a megabyte", huge.into(), &["431", ""]),
        ("two thousand headers", head(address, &many).into(), &["431", "400"]),
        ("no HTTP", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(), &["400", ""]),
        ("a path that is none", b"GET \xff\xfe HTTP/1.1\r\nhost: a\r\n\r\n".to_vec(), &["400"]),
    ];
    for (what, bytes, statuses) in broken {
        let text = exchange(address, &bytes);
        let status = text.strip_prefix("HTTP/1.1 ").map_or("", |rest| &rest[..3]);
        assert!(statuses.contains(&status), "{what}: {text}");
        is_well(address);
    }
}

#[test]
fn who_hangs_up_in_the_middle_leaves_nothing_behind() {
    let (_scathe, address, metrics) = watched(&[]);
    for _ in 0..8 {
        let mut stream = connect(address);
        let request = head(address, "content-length: 500\r\nexpect: 100-continue\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut go_on = [0; 12];
        stream.read_exact(&mut go_on).unwrap();
        stream.write_all(b"{\"ruleset\":").unwrap();
    }
    let until = Instant::now() + PATIENCE;
    // The one that reads the metrics is itself in flight.
    while !get(metrics, "/metrics").1.contains("scathe_requests_in_flight 1\n") {
        assert!(Instant::now() < until, "{}", get(metrics, "/metrics").1);
        std::thread::yield_now();
    }
    is_well(address);
}

#[test]
fn http_2_is_spoken_by_prior_knowledge() {
    let (_scathe, address) = Scathe::serving();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let client = reqwest::Client::builder().http2_prior_knowledge().no_proxy().build().unwrap();
        let request =
            client.post(format!("http://{address}/damage")).header("content-type", "application/json").body(HIT);
        let response = request.send().await.unwrap();
        assert_eq!((response.version(), response.status().as_u16()), (reqwest::Version::HTTP_2, 200));
        assert!(response.text().await.unwrap().contains("\"hp\":9"));
    });
}

#[test]
fn what_does_not_end_is_cut_off_and_readiness_tells_of_the_end() {
    let (scathe, address, metrics) = watched(&["--drain-timeout", "700ms", "--timeout", "10m"]);
    let ready = || get(metrics, "/health/ready").0;
    assert!(ready().starts_with("HTTP/1.1 200 "));
    let mut stuck = connect(address);
    stuck.write_all(head(address, "content-length: 500\r\nexpect: 100-continue\r\n").as_bytes()).unwrap();
    let mut go_on = [0; 12];
    stuck.read_exact(&mut go_on).unwrap();
    scathe.signal(Signal::TERM);
    scathe.logs("stopping");
    assert!(ready().starts_with("HTTP/1.1 503 "), "not ready while draining");
    assert!(get(metrics, "/health/live").0.starts_with("HTTP/1.1 200 "));
    let ended = scathe.ended();
    assert_eq!(ended.status.code(), Some(0));
    assert!(ended.err.contains("cut off"), "{}", ended.err);
}

#[test]
fn logs_may_be_json_and_hold_no_body() {
    let (scathe, address) = serving_with(&["--log-format", "json"]);
    let hit = HIT.replace("\"hd\"", "\"secret\"");
    let request =
        head(address, &format!("connection: close\r\nx-request-id: table-7\r\ncontent-length: {}\r\n", hit.len()))
            + &hit;
    assert!(exchange(address, request.as_bytes()).starts_with("HTTP/1.1 422 "));
    scathe.signal(Signal::TERM);
    let ended = scathe.ended();
    let lines: Vec<serde_json::Value> = ended.err.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answered = lines.iter().find(|line| line["message"] == "answered").unwrap();
    assert_eq!(
        (&answered["id"], &answered["status"], &answered["path"]),
        (&"table-7".into(), &422.into(), &"/damage".into())
    );
    assert_eq!(answered["problem"], "invalid");
    assert!(!ended.err.contains("secret"));
}

#[test]
fn wrong_settings_are_said_plainly() {
    run(&["--rate-limit", "5"], &[]).failed_saying(&["--rate-limit", "5/10"]);
    run(&["--listen", FREE, "--api-keys-file", "nowhere.txt"], &[]).failed_saying(&["nowhere.txt"]);
    run(&["--listen", FREE], &[("SCATHE_METRICS_LISTEN", "here")]).failed_saying(&["--metrics-listen"]);
}
