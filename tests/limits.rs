//! What callers may not spend, and what those who run the service see of it.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use http_body_util::StreamBody;
use hyper::body::Frame;
use scathe_server::{Routes, Scathe, Service, metrics_router, router};
use serde_json::{Value, json};

use crate::support::{APP, Answer, Answers, config, send_to, service};

const JSON: (&str, &str) = ("content-type", "application/json");

fn hit() -> Value {
    json!({ "ruleset": "akrpg", "target": { "hd": 4, "hp": 20, "def": 3 }, "hits": [{ "kind": "physical", "amount": 3 }] })
}

/// Odds that take longer than any test waits.
fn endless() -> Value {
    let hits: Vec<Value> = (0..100).map(|_| json!({ "kind": "physical", "amount": 50 })).collect();
    json!({ "ruleset": "akrpg", "target": { "hd": 100, "hp": 600, "shield": 1000, "barrier": 1000, "def": 3 }, "hits": hits })
}

fn damage(router: &impl Answers, headers: &[(&str, &str)]) -> Answer {
    let headers: Vec<_> = [JSON].into_iter().chain(headers.iter().copied()).collect();
    send_to(router, "POST", "/damage", &headers, hit().to_string())
}

fn read(router: &impl Answers, path: &str, headers: &[(&str, &str)]) -> Answer {
    send_to(router, "GET", path, headers, "")
}

#[track_caller]
fn fails(answer: &Answer, status: u16, problem: &str) {
    assert_eq!((answer.status, answer.problem().as_deref()), (status, Some(problem)), "{}", answer.text());
    assert_eq!(answer.headers["access-control-allow-origin"], "*", "CORS is on errors too");
}

#[test]
fn bodies_and_depth_have_the_limits_that_are_set() {
    let small = service(&["--body-limit", "200", "--batch-body-limit", "300", "--json-depth", "2"]);
    assert_eq!(damage(&small, &[]).status, 400, "a hit stands at depth 3");
    let flat = r#"{"ruleset":"akrpg","pool":1}"#;
    let check = |path: &str, body: String| send_to(&small, "POST", path, &[JSON], body);
    assert_eq!(check("/check", flat.to_owned()).status, 200);
    let padded = |length: usize| format!("{flat}{}", " ".repeat(length - flat.len()));
    fails(&check("/check", padded(201)), 413, "too-large");
    assert!(check("/check", padded(201)).text().contains("200 bytes"));
    fails(&check("/batch", padded(301)), 413, "too-large");
    fails(&check("/check", "[[[]]]".to_owned()), 400, "too-deep");
}

#[test]
fn depth_is_counted_outside_strings_alone() {
    let router = service(&[]);
    let sent = |body: String| send_to(&router, "POST", "/check", &[JSON], body);
    let at = |depth: usize| {
        format!("{{\"ruleset\":\"akrpg\",\"pool\":{}1{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1))
    };
    assert_eq!(sent(at(128)).pointers(), ["#/pool"]);
    fails(&sent(at(129)), 400, "too-deep");
    let text = format!("{{\"ruleset\":\"akrpg\",\"pool\":1,\"seed\":\"\\\"{}\"}}", "[".repeat(300));
    assert_eq!(sent(text).pointers(), ["#/seed"]);
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let router = service(&["--timeout", "20ms"]);
    let begun =
        futures_util::stream::once(async { Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"{\"ruleset\":"))) });
    let never = futures_util::StreamExt::chain(begun, futures_util::stream::pending());
    let answer = send_to(&router, "POST", "/damage", &[JSON], Body::new(StreamBody::new(never)));
    fails(&answer, 503, "timed-out");
    assert!(answer.text().contains("20ms"));
}

/// Sends a long batch until it has the only worker: a shorter request may have been first.
fn walk(router: Scathe, batch: String) -> std::thread::JoinHandle<Answer> {
    std::thread::spawn(move || {
        let mut answers = std::iter::repeat_with(|| send_to(&router, "POST", "/batch", &[JSON], batch.clone()));
        answers.find(|answer| answer.status == 200).unwrap()
    })
}

#[test]
fn odds_that_take_too_long_are_given_up() {
    let router = service(&["--odds-timeout", "20ms"]);
    let answer = send_to(&router, "POST", "/damage/odds", &[JSON], endless().to_string());
    fails(&answer, 422, "too-many-branches");
}

#[test]
fn odds_whose_reply_would_be_huge_are_refused() {
    let wound = json!({ "location": "right_arm", "damage": 1_000_000, "type": "physical", "regained": 999_999, "treated": true, "first_aid": true });
    let target = json!({ "hp": 1_000_000, "max_hp": 1_000_000, "strength": 41, "endurance": 38, "agility": 35, "willpower": 29, "wounds": vec![wound; 99] });
    let attack = json!({ "location": "body", "components": [{ "type": "physical", "roll": "20d100" }] });
    let odds = json!({ "ruleset": "uesrpg", "target": target, "attack": attack });
    let router = service(&[]);
    let answer = send_to(&router, "POST", "/damage/odds", &[JSON], odds.to_string());
    fails(&answer, 422, "too-many-branches");
    let mut few = odds;
    few["top"] = json!(5);
    assert_eq!(
        send_to(&router, "POST", "/damage/odds", &[JSON], few.to_string()).json()["outcomes"].as_array().unwrap().len(),
        5
    );
}

#[test]
fn a_batch_that_hides_what_it_asks_is_heavy_work_too() {
    let router = service(&["--workers", "1", "--queue", "0", "--odds-timeout", "2s"]);
    let long = router.clone();
    let operation = json!({ "verb": "damage/odds", "request": endless() }).to_string().replace("/odds", "/\\u006fdds");
    let hidden = format!("{{\"operations\":[{}]}}", [operation.as_str(); 2].join(","));
    let small = r#"{"operations":[{"verb":"check/\u006fdds","request":{"ruleset":"akrpg","pool":2}}]}"#;
    let walking = walk(long, hidden);
    let busy = std::iter::repeat_with(|| send_to(&router, "POST", "/batch", &[JSON], small));
    let busy = busy.take_while(|_| !walking.is_finished()).find(|answer| answer.status != 200);
    fails(&busy.expect("the walk is long enough to be in the way"), 503, "busy");
    walking.join().unwrap();
}

#[test]
fn heavy_work_waits_in_a_bounded_queue() {
    let router = service(&["--workers", "1", "--queue", "0", "--odds-timeout", "2s"]);
    let long = router.clone();
    let operations = vec![json!({ "verb": "damage/odds", "request": endless() }); 256];
    let batch = json!({ "operations": operations }).to_string();
    let walking = walk(long, batch);
    // While it walks there is no room for another; light requests are not held up.
    let busy = std::iter::repeat_with(|| {
        let mut odds = hit();
        odds["top"] = json!(1);
        send_to(&router, "POST", "/damage/odds", &[JSON], odds.to_string())
    });
    let busy = busy.take_while(|_| !walking.is_finished()).find(|answer| answer.status != 200);
    let busy = busy.expect("the walk is long enough to be in the way");
    fails(&busy, 503, "busy");
    assert_eq!(busy.headers["retry-after"], "1");
    assert_eq!(damage(&router, &[]).status, 200);
    let results = walking.join().unwrap().json()["results"].clone();
    assert_eq!(results[255]["problem"]["type"], "/problems/too-many-branches");
}

#[test]
fn a_caller_who_hangs_up_ends_the_walk() {
    let service = Service::new(APP.clone(), config(&["--workers", "1", "--odds-timeout", "60s"]), None).unwrap();
    let router = router(service);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let ask = |path: &str, body: Value| {
        let request = axum::http::Request::post(path).header(JSON.0, JSON.1).body(Body::from(body.to_string()));
        tower::ServiceExt::oneshot(router.clone(), request.unwrap())
    };
    runtime.block_on(async {
        // Polled until the walk has begun, then dropped.
        let operation = json!({ "verb": "damage/odds", "request": endless() });
        let mut walk = Box::pin(ask("/batch", json!({ "operations": vec![operation; 256] })));
        let begun = std::future::poll_fn(|context| {
            let _ = walk.as_mut().poll(context);
            std::task::Poll::Ready(())
        });
        begun.await;
        drop(walk);
        // The only worker is free again long before the walk would have ended.
        let next = tokio::time::timeout(std::time::Duration::from_secs(30), ask("/damage/odds", hit())).await;
        assert_eq!(next.unwrap().unwrap().status(), 200);
    });
}

#[test]
fn a_client_may_call_so_often_and_no_more() {
    let router = service(&["--rate-limit", "1/3"]);
    for left in ["2", "1", "0"] {
        let answer = damage(&router, &[]);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.headers["ratelimit-policy"], "\"default\";q=3;w=3");
        assert!(answer.headers["ratelimit"].contains(&format!("r={left};")), "{:?}", answer.headers);
    }
    let answer = damage(&router, &[]);
    fails(&answer, 429, "rate-limited");
    let wait: u64 = answer.headers["retry-after"].parse().unwrap();
    assert!((1..=2).contains(&wait));
    let exposed = &answer.headers["access-control-expose-headers"];
    assert!(
        ["retry-after", "ratelimit", "ratelimit-policy", "x-request-id"].iter().all(|name| exposed.contains(name)),
        "{exposed}"
    );
    // Who asks whether the service is well, or whether a page may call, is never refused.
    assert_eq!(read(&router, "/health", &[]).status, 200);
    let preflight = [("origin", "https://vtt.example"), ("access-control-request-method", "POST")];
    assert_eq!(send_to(&router, "OPTIONS", "/damage", &preflight, "").status, 200);
}

#[test]
fn forwarded_addresses_count_only_from_trusted_proxies() {
    let alone = service(&["--rate-limit", "1/1"]);
    assert_eq!(damage(&alone, &[("x-forwarded-for", "198.51.100.1")]).status, 200);
    assert_eq!(damage(&alone, &[("x-forwarded-for", "198.51.100.2")]).status, 429, "anyone can write the header");
    let proxied = service(&["--rate-limit", "1/1", "--trust-proxy", "1"]);
    assert_eq!(damage(&proxied, &[("x-forwarded-for", "198.51.100.1")]).status, 200);
    assert_eq!(damage(&proxied, &[("x-forwarded-for", "198.51.100.2")]).status, 200);
    assert_eq!(
        damage(&proxied, &[("x-forwarded-for", "203.0.113.9, 198.51.100.2")]).status,
        429,
        "what stands before is not looked at"
    );
}

#[test]
fn calls_need_a_key_where_keys_are_given_out() {
    let router = service(&["--api-keys", "alpha,beta"]);
    for bad in [
        &[][..],
        &[("authorization", "Bearer gamma")],
        &[("authorization", "Basic alpha")],
        &[("authorization", "alpha")],
        &[("authorization", "Bearer ")],
    ] {
        let answer = damage(&router, bad);
        fails(&answer, 401, "unauthorized");
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
    }
    for good in ["Bearer alpha", "bearer beta"] {
        assert_eq!(damage(&router, &[("authorization", good)]).status, 200);
    }
    for open in ["/docs/", "/openapi.json", "/rulesets", "/problems/unauthorized", "/health", "/health/ready"] {
        assert_eq!(read(&router, open, &[]).status, 200, "{open}");
    }
    let preflight = [
        ("origin", "https://vtt.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization"),
    ];
    let answer = send_to(&router, "OPTIONS", "/damage", &preflight, "");
    assert_eq!((answer.status, answer.headers["access-control-allow-headers"].as_str()), (200, "authorization"));
}

#[test]
fn keys_may_come_from_a_file() {
    let path = std::env::temp_dir().join(format!("scathe-keys-{}", std::process::id()));
    std::fs::write(&path, "\n  alpha \nbeta\n").unwrap();
    let router = service(&["--api-keys-file", path.to_str().unwrap()]);
    assert_eq!(damage(&router, &[("authorization", "Bearer alpha")]).status, 200);
    assert_eq!(damage(&router, &[]).status, 401);
    std::fs::write(&path, "\n").unwrap();
    let empty = Service::new(APP.clone(), config(&["--api-keys-file", path.to_str().unwrap()]), None);
    assert!(empty.err().unwrap().contains("no key"));
    std::fs::remove_file(&path).unwrap();
    let blank = Service::new(APP.clone(), config(&["--api-keys", " , "]), None);
    assert!(blank.err().unwrap().contains("holds no key"), "whoever sets keys means to lock the door");
    let gone = Service::new(APP.clone(), config(&["--api-keys-file", path.to_str().unwrap()]), None);
    assert!(gone.err().unwrap().contains("cannot read"));
}

#[test]
fn every_request_has_an_id() {
    let router = service(&[]);
    let answer = damage(&router, &[("x-request-id", "table-7.round_3")]);
    assert_eq!(answer.headers["x-request-id"], "table-7.round_3");
    let made = damage(&router, &[]).headers["x-request-id"].clone();
    assert_eq!(made.len(), 32);
    for odd in ["", "two words", "x\"y", &"a".repeat(65)] {
        let id = damage(&router, &[("x-request-id", odd)]).headers["x-request-id"].clone();
        assert!(id.len() == 32 && id != odd);
    }
    let problem = read(&router, "/nothing", &[("x-request-id", "abc")]);
    assert_eq!(problem.json()["instance"], "/requests/abc");
}

#[test]
fn documents_may_be_kept_and_replies_may_not() {
    let router = service(&[]);
    for path in ["/openapi.json", "/rulesets", "/rulesets/akrpg", "/problems/dead", "/docs/", "/docs/swagger-ui.css"] {
        let first = read(&router, path, &[]);
        let tag = first.headers["etag"].clone();
        assert_eq!(first.headers["cache-control"], "public, no-cache", "{path}");
        let again = read(&router, path, &[("if-none-match", &format!("\"other\", {tag}"))]);
        assert_eq!((again.status, again.body.len(), &again.headers["etag"]), (304, 0, &tag), "{path}");
        assert_eq!(read(&router, path, &[("if-none-match", "\"other\"")]).status, 200);
        assert!(first.headers["content-security-policy"].contains("default-src 'none'"));
    }
    assert_eq!(damage(&router, &[]).headers["cache-control"], "no-store");
    assert_eq!(read(&router, "/nothing", &[]).headers["cache-control"], "no-store");
    for answer in [damage(&router, &[]), read(&router, "/nothing", &[]), read(&router, "/docs/", &[])] {
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
}

#[test]
fn documents_and_large_odds_are_compressed_and_nothing_else() {
    let router = service(&[]);
    let gzip = ("accept-encoding", "gzip");
    let coded = |answer: &Answer| answer.headers.get("content-encoding").cloned();
    assert_eq!(coded(&read(&router, "/openapi.json", &[gzip])).as_deref(), Some("gzip"));
    assert_eq!(coded(&read(&router, "/openapi.json", &[])), None);
    assert_eq!(coded(&damage(&router, &[gzip])), None);
    let odds = |amount: i32| {
        let mut odds = hit();
        odds["hits"][0]["amount"] = json!(amount);
        send_to(&router, "POST", "/damage/odds", &[JSON, gzip], odds.to_string())
    };
    assert_eq!(coded(&odds(1)), None);
    assert_eq!(coded(&odds(100)).as_deref(), Some("gzip"));
}

#[test]
fn what_happens_is_counted() {
    let service = Service::new(APP.clone(), config(&[]), None).unwrap();
    let (router, metrics) = (router(service.clone()), metrics_router(service));
    damage(&router, &[]);
    read(&router, "/nothing", &[]);
    send_to(&router, "POST", "/damage/odds", &[JSON], hit().to_string());
    let text = read(&metrics, "/metrics", &[]).text();
    let lines = [
        "scathe_requests_total{route=\"/damage\",ruleset=\"akrpg\",status=\"200\"} 1",
        "scathe_requests_total{route=\"/damage/odds\",ruleset=\"akrpg\",status=\"200\"} 1",
        "scathe_requests_total{route=\"none\",ruleset=\"\",status=\"404\"} 1",
        "scathe_request_seconds_count{route=\"/damage\"} 1",
        // Three dice have four different sums.
        "scathe_odds_branches_total{ruleset=\"akrpg\"} 4",
    ];
    for line in lines {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    // The one that reads them is in flight itself.
    assert!(text.contains("scathe_requests_in_flight 1"), "{text}");
    assert_eq!(read(&router, "/metrics", &[]).status, 404, "they are on a listener of their own");
}

#[test]
fn a_service_that_drains_is_not_ready() {
    let service = Service::new(APP.clone(), config(&[]), None).unwrap();
    let (router, metrics) = (router(service.clone()), metrics_router(service.clone()));
    assert_eq!(read(&router, "/health/ready", &[]).status, 200);
    service.drain();
    for answer in [read(&router, "/health/ready", &[]), read(&metrics, "/health/ready", &[])] {
        assert_eq!((answer.status, answer.json()["status"].as_str().unwrap().to_owned()), (503, "draining".to_owned()));
    }
    for answer in [read(&router, "/health/live", &[]), read(&metrics, "/health/live", &[])] {
        assert_eq!(answer.status, 200);
    }
    assert_eq!(damage(&router, &[]).status, 200, "what is in flight is still answered");
}

#[test]
fn a_panic_is_a_problem_and_the_service_goes_on() {
    let service: Arc<Service> = Service::new(APP.clone(), config(&[]), None).unwrap();
    let broken = Routes::default().route(
        "/broken",
        axum::routing::get(|| async {
            if true {
                panic!("on purpose")
            }
        }),
    );
    let router = scathe_server::layered(broken, service);
    fails(&read(&router, "/broken", &[]), 500, "internal");
    assert_eq!(read(&router, "/broken", &[]).status, 500);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    use clap::Parser;
    let bad = [
        ["--rate-limit", "5"],
        ["--rate-limit", "0/5"],
        ["--rate-limit", "a/b"],
        ["--json-depth", "129"],
        ["--json-depth", "0"],
        ["--timeout", "soon"],
        ["--connections", "0"],
        ["--workers", "0"],
        ["--log-format", "xml"],
        ["--cors-origins", "vtt.example"],
        ["--cors-origins", "https://vtt.example/"],
        ["--header-timeout", "2days"],
    ];
    for arguments in bad {
        let line = ["scathe"].iter().chain(&arguments);
        assert!(scathe_server::config::Cli::try_parse_from(line).is_err(), "{arguments:?}");
    }
}
