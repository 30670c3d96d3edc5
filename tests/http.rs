//! The wire: every failure is a problem, and every answer can be read by a browser.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Answer, get, over_http, post, send, send_to, service};

const JSON: (&str, &str) = ("content-type", "application/json");

fn hit() -> Value {
    json!({ "ruleset": "akrpg", "target": { "hd": 4, "hp": 20, "shield": 1, "def": 3 }, "hits": [{ "kind": "physical", "amount": 3 }] })
}

fn sent(body: impl Into<reqwest::Body>) -> Answer {
    over_http("POST", "/damage", &[JSON], body)
}

#[track_caller]
fn fails(answer: &Answer, status: u16, problem: &str) {
    assert_eq!((answer.status, answer.problem().as_deref()), (status, Some(problem)), "{}", answer.text());
    assert_eq!(answer.json()["status"], status);
    assert_eq!(
        answer.headers.get("access-control-allow-origin").map(String::as_str),
        Some("*"),
        "CORS is on errors too"
    );
    let page = get(&format!("/problems/{problem}"));
    assert_eq!((page.status, page.headers["content-type"].as_str()), (200, "text/html; charset=utf-8"));
}

#[track_caller]
fn faults(body: impl Into<reqwest::Body>, pointers: &[&str]) -> Answer {
    let answer = sent(body);
    fails(&answer, 422, "invalid");
    let found: BTreeSet<_> = answer.pointers().into_iter().collect();
    assert_eq!(found, pointers.iter().map(|pointer| (*pointer).to_owned()).collect(), "{}", answer.text());
    answer
}

/// The hit with one place of its JSON text replaced.
fn with(place: &str, other: &str) -> String {
    let text = hit().to_string();
    assert!(text.contains(place));
    text.replace(place, other)
}

#[test]
fn a_path_that_is_none_is_a_problem() {
    fails(&over_http("GET", "/nothing", &[], ""), 404, "not-found");
    fails(&over_http("POST", "/nothing", &[JSON], "{}"), 404, "not-found");
    fails(&over_http("GET", "/rulesets/none", &[], ""), 404, "not-found");
    fails(&over_http("GET", "/rulesets/%FF", &[], ""), 404, "not-found");
    fails(&over_http("GET", "/problems/none", &[], ""), 404, "not-found");
    fails(&over_http("GET", "/docs/none.js", &[], ""), 404, "not-found");
}

#[test]
fn a_wrong_method_is_a_problem_that_names_the_right_one() {
    let answer = over_http("GET", "/damage", &[], "");
    fails(&answer, 405, "method-not-allowed");
    assert_eq!(answer.headers["allow"], "POST");
    fails(&over_http("DELETE", "/rulesets", &[], ""), 405, "method-not-allowed");
}

#[test]
fn a_body_that_is_not_declared_as_json_is_a_problem() {
    fails(&over_http("POST", "/damage", &[], hit().to_string()), 415, "not-json-type");
    fails(&over_http("POST", "/damage", &[("content-type", "text/plain")], hit().to_string()), 415, "not-json-type");
    let with_charset =
        over_http("POST", "/damage", &[("content-type", "Application/JSON; charset=utf-8")], hit().to_string());
    assert_eq!(with_charset.status, 200);
}

#[test]
fn a_body_that_is_too_large_is_a_problem_even_at_ten_megabytes() {
    let at_the_limit = format!("{}{}", hit(), " ".repeat(64 * 1024 - hit().to_string().len()));
    assert_eq!(sent(at_the_limit.clone()).status, 200);
    fails(&sent(format!("{at_the_limit} ")), 413, "too-large");
    fails(&sent("x".repeat(10_000_000)), 413, "too-large");
}

#[test]
fn a_body_that_is_no_json_is_a_problem_that_says_where() {
    let broken: [(&[u8], &str); 7] = [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"{ \"ruleset\": \"akrpg\",\n  \"target\": }", "line 2, column 13"),
        (b"{ \"ruleset\": \"akrpg\"", "line 1, column 20"),
        (b"{} {}", "line 1, column 4"),
        (b"{\"ruleset\": \"\xff\"}", "UTF-8"),
        (b"NaN", "line 1"),
    ];
    for (body, says) in broken {
        let answer = sent(body.to_vec());
        fails(&answer, 400, "not-json");
        assert!(answer.json()["detail"].as_str().unwrap().contains(says), "{}", answer.text());
    }
}

#[test]
fn deep_nesting_is_refused_and_costs_nothing() {
    let deep = format!("{{\"ruleset\":\"akrpg\",\"target\":{}{}}}", "[".repeat(30_000), "]".repeat(30_000));
    fails(&sent(deep), 400, "too-deep");
    // Over the size limit it is too large first.
    fails(&sent("[".repeat(100_000)), 413, "too-large");
    faults("[".repeat(100) + &"]".repeat(100), &["#"]);
}

#[test]
fn a_body_that_is_no_object_is_a_fault_at_the_whole() {
    for body in ["[]", "3", "\"text\"", "null", "true"] {
        faults(body, &["#"]);
    }
}

#[test]
fn the_ruleset_must_be_one_that_is_known_and_has_the_verb() {
    faults("{}", &["#/ruleset"]);
    faults(with("\"akrpg\"", "3"), &["#/ruleset"]);
    let near = faults(with("akrpg", "akrgp"), &["#/ruleset"]);
    assert!(near.text().contains("did you mean `akrpg`?"));
}

#[test]
fn numbers_of_the_wrong_kind_or_size_are_faults_where_they_stand() {
    for hp in [
        "\"16\"",
        "null",
        "3.5",
        "3.0",
        "1e309",
        "1e2",
        "[]",
        "{}",
        "true",
        "99999999999",
        "99999999999999999999999",
        "601",
    ] {
        faults(with("\"hp\":20", &format!("\"hp\":{hp}")), &["#/target/hp"]);
    }
    faults(with("\"hp\":20,", ""), &["#/target/hp"]);
    for amount in ["-1", "1001", "2147483647", "2147483648", "-2147483649"] {
        faults(with("\"amount\":3", &format!("\"amount\":{amount}")), &["#/hits/0/amount"]);
    }
}

#[test]
fn unknown_keys_get_the_near_name() {
    let answer = faults(with("\"shield\"", "\"sheild\""), &["#/target/sheild"]);
    assert!(answer.text().contains("did you mean `shield`?"));
    let answer = faults(with("\"hits\"", "\"hist\""), &["#/hist", "#/hits"]);
    assert!(answer.text().contains("did you mean `hits`?"));
    // A key with signs that a pointer and a fragment must escape.
    faults(with("\"shield\"", "\"a/b~c d\""), &["#/target/a~1b~0c%20d"]);
}

#[test]
fn a_key_twice_is_a_fault_at_that_key() {
    faults(with("\"hp\":20", "\"hp\":20,\"hp\":20"), &["#/target/hp"]);
    faults(with("\"ruleset\":\"akrpg\"", "\"ruleset\":\"akrpg\",\"ruleset\":\"akrpg\""), &["#/ruleset"]);
    faults(with("\"amount\":3", "\"amount\":3,\"amount\":3"), &["#/hits/0/amount"]);
    faults(with("\"hits\":", "\"hits\":[],\"hits\":"), &["#/hits"]);
}

#[test]
fn all_faults_are_told_at_once() {
    let body = json!({ "ruleset": "akrpg", "target": { "hd": 0, "hp": "16", "sheild": 1 },
        "hits": [{ "kind": "physical", "amount": 5000 }, { "kind": "dot", "amount": 1 }, { "kind": "true" }], "dice": [6, 0] });
    faults(
        body.to_string(),
        &[
            "#/target/hd",
            "#/target/hp",
            "#/target/sheild",
            "#/hits/0/amount",
            "#/hits/1/amount",
            "#/hits/2/amount",
            "#/dice/1",
        ],
    );
}

#[test]
fn a_fault_in_a_variant_is_told_inside_it() {
    let life = |life: &str| with("\"hp\":20", &format!("\"hp\":20,\"life\":{life}"));
    faults(life(r#"{"downed":{"reserve":0}}"#), &["#/target/life/downed/reserve"]);
    faults(life(r#"{"downed":{"reserve":1,"dice":2}}"#), &["#/target/life/downed/dice"]);
    faults(life(r#"{"downed":{}}"#), &["#/target/life/downed/reserve"]);
    faults(life(r#"{"downed":{"reserve":1},"up":null}"#), &["#/target/life/up"]);
    faults(life(r#"{"down":{"reserve":1}}"#), &["#/target/life"]);
    faults(life(r#"{"up":null}"#), &["#/target/life"]);
    faults(life("\"down\""), &["#/target/life"]);
    faults(life("null"), &["#/target/life"]);
    faults(life("{}"), &["#/target/life"]);
    assert_eq!(sent(life(r#"{"downed":{"reserve":1}}"#)).status, 200);
}

#[test]
fn states_that_cannot_be_are_faults() {
    faults(with("\"hp\":20", "\"hp\":0,\"life\":\"up\""), &["#/target/life"]);
    faults(with("\"hp\":20", "\"hp\":25"), &["#/target/hp"]);
}

#[test]
fn dice_are_taken_exactly() {
    let dice = |dice: &str| with("\"hits\"", &format!("\"dice\":{dice},\"hits\""));
    let answer = sent(dice("[]"));
    fails(&answer, 422, "needs-dice");
    assert_eq!(answer.json()["next"], json!({ "for": "damage_roll", "by": "attacker", "sides": 6, "count": 3 }));
    let answer = sent(dice("[6,5,1]"));
    assert_eq!(answer.json()["next"], json!({ "for": "shield", "by": "target", "sides": 6, "count": 1 }));
    faults(dice("[6,5,1,1,4]"), &["#/dice/4"]);
    faults(dice("[6,7,9,1]"), &["#/dice/1", "#/dice/2"]);
    faults(dice("[6,5,1,1001]"), &["#/dice/3"]);
    faults(dice("[0]"), &["#/dice/0"]);
    faults(dice("null"), &["#/dice"]);
    faults(dice(&format!("[{}1]", "1,".repeat(10_000))), &["#/dice"]);
    faults(dice("[6],\"seed\":\"a\""), &["#/seed"]);
    faults(with("\"hits\"", "\"throw_rest\":true,\"hits\""), &["#/throw_rest"]);
    faults(with("\"hits\"", "\"seed\":\"\",\"hits\""), &["#/seed"]);
    assert_eq!(sent(with("\"hits\"", &format!("\"seed\":\"{}\",\"hits\"", "ü".repeat(64)))).status, 200);
    faults(with("\"hits\"", &format!("\"seed\":\"{}\",\"hits\"", "ü".repeat(65))), &["#/seed"]);
}

#[test]
fn the_rest_is_thrown_from_the_beginning_of_the_stream() {
    let mut body = hit();
    body["seed"] = json!("round 3");
    let thrown = post("/damage", &body).json();
    body["dice"] = json!([6, 6]);
    body["throw_rest"] = json!(true);
    let mixed = post("/damage", &body).json();
    assert_eq!(mixed["seed"], "round 3");
    let faces = |reply: &Value| reply["dice"].as_array().unwrap().clone();
    assert_eq!(faces(&mixed)[..2], [6, 6]);
    assert_eq!(faces(&mixed)[2..], faces(&thrown)[..faces(&mixed).len() - 2]);
    body.as_object_mut().unwrap().remove("seed");
    assert!(post("/damage", &body).json()["seed"].is_string());
}

#[test]
fn a_thousand_calls_have_a_thousand_seeds() {
    let seeds: BTreeSet<String> =
        (0..1000).map(|_| post("/damage", &hit()).json()["seed"].as_str().unwrap().to_owned()).collect();
    assert_eq!(seeds.len(), 1000);
    // A seed is told even when no die fell.
    let still =
        json!({ "ruleset": "akrpg", "target": { "hd": 1, "hp": 1 }, "hits": [{ "kind": "true", "amount": 0 }] });
    assert!(post("/damage", &still).json()["seed"].is_string());
}

#[test]
fn ruleset_may_stand_anywhere() {
    let text = r#"{"hits":[{"kind":"true","amount":1}],"dice":[],"target":{"hp":2,"hd":1},"ruleset":"akrpg"}"#;
    assert_eq!(sent(text).json()["target"]["hp"], 1);
}

#[test]
fn browsers_may_call_from_anywhere_unless_told_otherwise() {
    let asks = [
        ("origin", "https://vtt.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type,authorization"),
    ];
    let answer = over_http("OPTIONS", "/damage", &asks, "");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["access-control-allow-origin"], "*");
    assert_eq!(answer.headers["access-control-allow-headers"], "content-type,authorization");
    assert_eq!(answer.headers["access-control-max-age"], "86400");
    assert!(answer.headers["access-control-allow-methods"].contains("POST"));

    let narrow = service(&["--cors-origins", "https://vtt.example,https://other.example"]);
    let from = |origin: &str| send_to(&narrow, "GET", "/nothing", &[("origin", origin)], "");
    assert_eq!(from("https://vtt.example").headers["access-control-allow-origin"], "https://vtt.example");
    assert_eq!(from("https://else.example").headers.get("access-control-allow-origin"), None);
}

#[test]
fn the_documentation_comes_from_within() {
    for path in ["/", "/docs"] {
        let answer = over_http("GET", path, &[], "");
        assert_eq!((answer.status, answer.headers["location"].as_str()), (307, "/docs/"));
    }
    let page = get("/docs/");
    assert!(page.text().contains("swagger-ui-bundle.js"));
    assert!(!page.text().contains("https://"), "nothing is loaded from elsewhere");
    assert_eq!(get("/docs/swagger-ui-bundle.js").status, 200);
    assert!(get("/docs/swagger-initializer.js").text().contains("/openapi.json"));
}

#[test]
fn games_tell_their_rules() {
    let games = get("/rulesets").json();
    for game in games["rulesets"].as_array().unwrap() {
        let page = get(&format!("/rulesets/{}", game["id"].as_str().unwrap())).json();
        assert_eq!(page["verbs"], game["verbs"]);
        assert!(!page["rules"].as_array().unwrap().is_empty());
        assert!(!page["readings"].as_array().unwrap().is_empty());
    }
    assert_eq!(get("/health").json()["status"], "ok");
}

#[test]
fn head_is_answered_like_get_without_a_body() {
    let answer = send("HEAD", "/rulesets", &[], "");
    assert_eq!((answer.status, answer.body.len()), (200, 0));
}

#[test]
fn a_list_does_not_stand_for_an_object() {
    faults(with("{\"hd\":4,\"hp\":20,\"shield\":1,\"def\":3}", "[4,20]"), &["#/target"]);
    faults(with("{\"kind\":\"physical\",\"amount\":3}", "[\"physical\",3]"), &["#/hits/0"]);
    faults(with("\"hits\"", "\"options\":[],\"hits\""), &["#/options"]);
    faults(with("\"hp\":20", "\"hp\":20,\"life\":{\"downed\":[2]}"), &["#/target/life/downed"]);
    let uesrpg = json!({ "ruleset": "uesrpg", "target": { "hp": 9, "strength": 40, "endurance": 40, "agility": 40, "willpower": 40, "armor": [], "conditions": [] },
                         "attack": { "location": "body", "components": [["physical", 3]] } });
    faults(uesrpg.to_string(), &["#/target/armor", "#/target/conditions", "#/attack/components/0"]);
}

#[test]
fn a_fault_list_has_an_end() {
    let dice = vec![json!(0); 5000];
    let mut body = hit();
    body["dice"] = json!(dice);
    let answer = sent(body.to_string());
    fails(&answer, 422, "invalid");
    assert_eq!(answer.pointers().len(), 1000);
    assert!(answer.text().contains("lists the first 1000"));
}

#[test]
fn whatever_encodings_a_caller_wishes_an_answer_is_acceptable() {
    for wish in ["identity;q=0", "*;q=0", "br", "gzip;q=0", "nonsense, ,;"] {
        let answer = over_http("GET", "/openapi.json", &[("accept-encoding", wish)], "");
        assert_eq!((answer.status, answer.headers.get("content-encoding")), (200, None), "{wish}");
        fails(&over_http("POST", "/damage/odds", &[JSON, ("accept-encoding", wish)], "{}"), 422, "invalid");
    }
}

#[test]
fn minus_zero_is_told_plainly() {
    let answer = faults(with("\"hp\":20", "\"hp\":-0"), &["#/target/hp"]);
    assert!(answer.text().contains("write 0"));
}

#[test]
fn a_page_ends_where_it_ends() {
    assert!(get("/problems/dead").text().ends_with("</html>"));
}
