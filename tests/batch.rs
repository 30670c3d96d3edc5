//! Many operations in one call: each for itself, in order, with dice of its own.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{Answer, Asked, examples, post, send};

fn batch(seed: &str, operations: &[Value]) -> Value {
    let answer = post("/batch", &json!({ "seed": seed, "operations": operations }));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn operation(verb: &str, request: Value) -> Value {
    json!({ "verb": verb, "request": request })
}

/// The seed of an operation, as the document describes it.
fn derived(seed: &str, index: usize) -> String {
    Sha256::digest(format!("{seed}\n{index}")).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A fire that burns everyone, each behind their own shield.
fn fireball(hp: i32) -> Value {
    operation(
        "damage",
        json!({ "ruleset": "akrpg", "target": { "hd": 4, "hp": hp, "res": 2, "shield": 1 }, "hits": [{ "kind": "arts", "amount": 6 }] }),
    )
}

#[test]
fn adding_a_target_never_shifts_the_dice_of_another() {
    let few = batch("fireball", &[fireball(20), fireball(12)]);
    let more = batch("fireball", &[fireball(20), fireball(12), fireball(3)]);
    assert_eq!(few["results"].as_array().unwrap()[..], more["results"].as_array().unwrap()[..2]);
    // Nor does changing one.
    let other = batch("fireball", &[fireball(1), fireball(12)]);
    assert_eq!(few["results"][1], other["results"][1]);
    assert_ne!(few["results"][0]["reply"]["dice"], few["results"][1]["reply"]["dice"], "each has dice of its own");
}

#[test]
fn any_operation_alone_gives_the_same_reply() {
    let results = batch("fireball", &[fireball(20), fireball(12)])["results"].clone();
    for (index, hp) in [(0, 20), (1, 12)] {
        let reply = &results[index]["reply"];
        assert_eq!(reply["seed"], derived("fireball", index));
        let mut request = fireball(hp)["request"].clone();
        request["seed"] = reply["seed"].clone();
        assert_eq!(post("/damage", &request).text(), reply.to_string());
    }
}

#[test]
fn a_batch_without_a_seed_has_a_fresh_one_and_tells_it() {
    let ask = || post("/batch", &json!({ "operations": [fireball(20)] })).json();
    let (one, two) = (ask(), ask());
    assert_ne!(one["seed"], two["seed"]);
    assert_eq!(batch(one["seed"].as_str().unwrap(), &[fireball(20)]), one);
}

#[test]
fn an_operation_may_bring_its_own_seed_or_dice() {
    let with = |key: &str, value: Value| {
        let mut hit = fireball(20);
        hit["request"][key] = value;
        hit
    };
    let mut mixed = with("dice", json!([6]));
    mixed["request"]["throw_rest"] = json!(true);
    let results =
        batch("s", &[with("seed", json!("mine")), with("dice", json!([1, 1, 1, 1, 1, 1])), mixed])["results"].clone();
    assert_eq!(results[0]["reply"]["seed"], "mine");
    assert!(results[1]["reply"]["seed"].is_null());
    assert_eq!(results[2]["reply"]["seed"], derived("s", 2));
}

#[test]
fn one_bad_operation_spoils_no_other() {
    let mut bad = fireball(20);
    bad["request"]["target"]["hp"] = json!("many");
    let mut needs = fireball(20);
    needs["request"]["dice"] = json!([4]);
    let operations = [
        fireball(20),
        bad,
        operation("dmg", json!({})),
        operation("shield-roll", json!({ "ruleset": "gift_and_skill" })),
        needs,
        operation("damage", json!([1])),
        operation("damage/odds", fireball(5)["request"].clone()),
        fireball(12),
    ];
    let results = batch("spoil", &operations)["results"].clone();
    let statuses: Vec<_> =
        results.as_array().unwrap().iter().map(|result| result["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [200, 422, 404, 422, 422, 422, 200, 200]);
    let problem =
        |index: usize| results[index]["problem"]["type"].as_str().unwrap().trim_start_matches("/problems/").to_owned();
    let pointer = |index: usize| results[index]["problem"]["errors"][0]["pointer"].clone();
    assert_eq!(pointer(1), "#/target/hp", "pointers are the request's own");
    assert_eq!(problem(2), "not-found");
    assert_eq!(pointer(3), "#/ruleset");
    assert_eq!((problem(4).as_str(), &results[4]["problem"]["next"]["count"]), ("needs-dice", &json!(5)));
    assert_eq!(pointer(5), "#");
    assert!(results[6]["reply"]["outcomes"].is_array());
    // The last is as if the others were not there: only its place counts.
    let mut alone = fireball(12)["request"].clone();
    alone["seed"] = json!(derived("spoil", 7));
    assert_eq!(post("/damage", &alone).json(), results[7]["reply"]);
}

#[test]
fn a_target_goes_from_operation_to_operation() {
    let hit = |amount: i32| json!({ "ruleset": "akrpg", "hits": [{ "kind": "true", "amount": amount }], "dice": [] });
    let mut first = hit(3);
    first["target"] = json!({ "hd": 2, "hp": 10 });
    let operations = [
        operation("damage", first),
        json!({ "verb": "damage", "target_from": 0, "request": hit(4) }),
        // What is sent beside it is replaced.
        json!({ "verb": "damage", "target_from": 1, "request": { "ruleset": "akrpg", "target": { "hd": 9, "hp": 9 }, "hits": [{ "kind": "true", "amount": 5 }] } }),
        json!({ "verb": "dying-tick", "target_from": 2, "request": { "ruleset": "akrpg", "dice": [1] } }),
    ];
    let results = batch("chain", &operations)["results"].clone();
    let hp: Vec<_> = (0..4).map(|index| results[index]["reply"]["target"]["hp"].as_i64().unwrap()).collect();
    assert_eq!(hp, [7, 3, -2, -2]);
    assert_eq!(results[3]["reply"]["target"]["life"], "dead");
}

/// A game, whom its verbs happen to, and the verbs in order with their own fields.
type Round = (&'static str, Value, Vec<(&'static str, Value)>);

/// A whole round of each game: a hit that fells, the turn where the game has one, the dying roll, help, healing.
fn rounds() -> Vec<Round> {
    let nothing = || json!({ "dice": [] });
    vec![
        (
            "akrpg",
            json!({ "hd": 2, "hp": 3 }),
            vec![
                ("damage", json!({ "hits": [{ "kind": "true", "amount": 5 }], "dice": [] })),
                ("turn-tick", nothing()),
                ("dying-tick", json!({ "dice": [6] })),
                ("stabilize", json!({ "automatic": true, "dice": [] })),
                ("heal", json!({ "hp": 3, "dice": [] })),
            ],
        ),
        (
            "gift_and_skill",
            json!({ "health": 20 }),
            vec![
                ("damage", json!({ "attack": { "degree": 1 }, "factor": 50, "dice": [] })),
                ("dying-tick", nothing()),
                ("stabilize", json!({ "healer": { "gift": 3, "skill": 3 }, "dice": [2, 3] })),
                ("heal", json!({ "health": 10, "dice": [] })),
            ],
        ),
        (
            "coyote_and_crow",
            json!({ "stats": { "strength": 3, "agility": 3, "endurance": 3, "intelligence": 3, "perception": 3, "wisdom": 3, "spirit": 3, "charisma": 3, "will": 3 },
                    "body": 1, "mind": 9, "soul": 9 }),
            vec![
                ("damage", json!({ "attack": { "kind": "physical", "successes": 3 }, "dice": [] })),
                ("turn-tick", nothing()),
                ("dying-tick", json!({ "dice": [8, 8, 2] })),
                ("stabilize", json!({ "pool": 2, "dice": [12, 8, 8] })),
                ("heal", json!({ "body": 5, "dice": [] })),
            ],
        ),
        (
            "uesrpg",
            json!({ "hp": 5, "strength": 40, "endurance": 40, "agility": 40, "willpower": 40 }),
            vec![
                (
                    "damage",
                    json!({ "attack": { "location": "body", "components": [{ "type": "physical", "amount": 6 }] }, "dice": [] }),
                ),
                ("turn-tick", json!({ "phase": "end", "dice": [] })),
                ("dying-tick", json!({ "dice": [10] })),
                ("stabilize", json!({ "target_number": 50, "kit": true, "dice": [20] })),
                ("heal", json!({ "hp": 3, "dice": [] })),
            ],
        ),
    ]
}

#[test]
fn a_whole_round_of_each_game_is_one_call() {
    let mut operations = Vec::new();
    for (ruleset, target, verbs) in rounds() {
        for (index, (verb, mut request)) in verbs.into_iter().enumerate() {
            request["ruleset"] = json!(ruleset);
            let mut operation = json!({ "verb": verb });
            if index == 0 {
                request["target"] = target.clone();
            } else {
                operation["target_from"] = json!(operations.len() - 1);
            }
            operation["request"] = request;
            operations.push(operation);
        }
    }
    let results = batch("rounds", &operations)["results"].clone();
    // The same, call by call, each on what the one before left.
    let mut at = 0;
    for (ruleset, mut target, verbs) in rounds() {
        for (verb, mut request) in verbs {
            request["ruleset"] = json!(ruleset);
            request["target"] = target;
            let single = post(&format!("/{verb}"), &request);
            assert_eq!(single.status, 200, "{ruleset} {verb} {}", single.text());
            assert_eq!(results[at]["reply"].to_string(), single.text(), "{ruleset} {verb}");
            target = single.json()["target"].clone();
            at += 1;
        }
    }
}

#[test]
fn a_target_from_nowhere_is_a_fault() {
    let hit = |from: i64| json!({ "verb": "damage", "target_from": from, "request": { "ruleset": "akrpg", "hits": [{ "kind": "true", "amount": 1 }] } });
    let check = operation("check", json!({ "ruleset": "akrpg", "pool": 1 }));
    let odds = operation("damage/odds", fireball(5)["request"].clone());
    let other = operation("heal", json!({ "ruleset": "gift_and_skill", "target": { "health": 50 }, "health": 1 }));
    let failed = operation("dying-tick", fireball(5)["request"].clone());
    let operations = [check, odds, other, failed, hit(0), hit(1), hit(2), hit(3), hit(8), hit(9), hit(7)];
    let results = batch("nowhere", &operations)["results"].clone();
    let told = |index: usize| {
        let problem = &results[index]["problem"];
        (problem["type"].as_str().unwrap().to_owned(), problem["errors"][0]["pointer"].as_str().map(str::to_owned))
    };
    let invalid = ("/problems/invalid".to_owned(), Some("#/target_from".to_owned()));
    let source_failed = ("/problems/source-failed".to_owned(), None);
    assert_eq!(told(4), invalid, "a check leaves no target");
    assert_eq!(told(5), invalid, "odds leave no target");
    assert_eq!(told(6), invalid, "another ruleset");
    assert_eq!(told(7), source_failed);
    assert_eq!(told(8), invalid, "itself");
    assert_eq!(told(9), invalid, "itself again");
    assert_eq!(told(10), source_failed, "what failed fails those that go on from it");
    assert_eq!(send("GET", "/problems/source-failed", &[], "").status, 200);
    let ahead = batch("ahead", &[hit(1), fireball(3)]);
    assert_eq!(ahead["results"][0]["problem"]["errors"][0]["pointer"], "#/target_from");
}

#[track_caller]
fn faults(body: &Value, pointers: &[&str]) -> Answer {
    let answer = post("/batch", body);
    assert_eq!(
        (answer.status, answer.pointers()),
        (422, pointers.iter().map(|pointer| (*pointer).to_owned()).collect()),
        "{}",
        answer.text()
    );
    answer
}

#[test]
fn a_batch_has_bounds_and_faults_of_its_own() {
    faults(&json!({}), &["#/operations"]);
    faults(&json!({ "operations": [] }), &["#/operations"]);
    faults(&json!([]), &["#"]);
    faults(
        &json!({ "operations": [{ "verb": 3, "target_from": -1, "request": {} }, { "verb": "check" }] }),
        &["#/operations/0/verb", "#/operations/0/target_from", "#/operations/1/request"],
    );
    faults(&json!({ "operations": [fireball(1)], "seed": "" }), &["#/seed"]);
    faults(&json!({ "operations": [fireball(1)], "sed": "a" }), &["#/sed"]);
    let small = operation("check", json!({ "ruleset": "akrpg", "pool": 1 }));
    assert_eq!(batch("many", &vec![small.clone(); 256])["results"].as_array().unwrap().len(), 256);
    faults(&json!({ "operations": vec![small; 257] }), &["#/operations"]);
    let twice =
        send("POST", "/batch", &[("content-type", "application/json")], r#"{"seed":"a","seed":"b","operations":[]}"#);
    assert!(twice.pointers().contains(&"#/seed".to_owned()), "{}", twice.text());
}

#[test]
fn a_list_does_not_stand_for_an_object_in_a_batch_either() {
    faults(&json!(["s", [{ "verb": "check", "request": {} }]]), &["#"]);
    faults(&json!({ "operations": [["check", 0, {}]] }), &["#/operations/0"]);
}

#[test]
fn a_fault_inside_a_request_is_its_own_operation_s() {
    let body = r#"{"operations":[{"verb":"damage","request":{"ruleset":"akrpg","target":{"hd":1,"hp":3.5,"hp":1},"hits":[{"kind":"true","amount":1}]}},
                   {"verb":"check","request":{"ruleset":"akrpg","pool":1.0}}]}"#;
    let results = send("POST", "/batch", &[("content-type", "application/json")], body).json()["results"].clone();
    let pointers: Vec<_> =
        results[0]["problem"]["errors"].as_array().unwrap().iter().map(|error| error["pointer"].clone()).collect();
    assert_eq!((pointers, &results[1]["status"]), (vec![json!("#/target/hp")], &json!(200)));
    // A target that is replaced is not looked at, but a second one is.
    let body = r#"{"operations":[{"verb":"heal","request":{"ruleset":"akrpg","target":{"hd":2,"hp":3},"hp":1}},
                   {"verb":"heal","target_from":0,"request":{"ruleset":"akrpg","target":{"hp":1.5,"hp":{}},"hp":1}},
                   {"verb":"heal","target_from":0,"request":{"ruleset":"akrpg","target":1,"target":2,"hp":1}}]}"#;
    let results = send("POST", "/batch", &[("content-type", "application/json")], body).json()["results"].clone();
    assert_eq!(results[1]["reply"]["target"]["hp"], 5);
    assert_eq!(results[2]["problem"]["errors"][0]["pointer"], "#/target");
}

#[test]
fn a_target_for_a_verb_without_one_is_a_fault_at_target_from() {
    let check = json!({ "verb": "check", "target_from": 0, "request": { "ruleset": "akrpg", "pool": 1 } });
    let results = batch("none", &[fireball(3), check])["results"].clone();
    assert_eq!(results[1]["problem"]["errors"][0]["pointer"], "#/target_from");
}

#[test]
fn a_batch_of_nothing_many_times_is_refused_while_it_is_read() {
    let body = format!("{{\"operations\":[{}{{}}]}}", "{},".repeat(340_000));
    let answer = send("POST", "/batch", &[("content-type", "application/json")], body);
    assert_eq!((answer.status, answer.pointers()), (422, vec!["#/operations".to_owned()]), "{}", answer.text());
    let values = format!("{{\"operations\":[{}[]]}}", format!("[{}[]],", "[0,0],".repeat(200)).repeat(250));
    let answer = send("POST", "/batch", &[("content-type", "application/json")], values);
    assert!(answer.text().contains("131072 values"), "{}", answer.text());
}

#[test]
fn each_operation_is_held_to_the_size_of_a_request() {
    let mut large = fireball(1);
    large["request"]["seed"] = json!("x".repeat(70_000));
    let results = batch("large", &[large, fireball(3)])["results"].clone();
    assert_eq!((&results[0]["status"], &results[1]["status"]), (&json!(413), &json!(200)));
}

#[test]
fn a_ruleset_is_the_same_however_it_is_written() {
    let body = r#"{"operations":[{"verb":"damage","request":{"ruleset":"akrpg","target":{"hd":1,"hp":3},"hits":[{"kind":"true","amount":1}]}},
                   {"verb":"damage","target_from":0,"request":{"ruleset":"\u0061krpg","hits":[{"kind":"true","amount":1}]}},
                   {"verb":"damage","target_from":0,"request":{"hits":[{"kind":"true","amount":1}]}}]}"#;
    let results = send("POST", "/batch", &[("content-type", "application/json")], body).json()["results"].clone();
    assert_eq!(results[1]["reply"]["target"]["hp"], 1);
    assert_eq!(results[2]["problem"]["errors"][0]["pointer"], "#/ruleset", "a request that names none is told so");
}

#[test]
fn a_batch_may_be_a_megabyte_and_no_more() {
    let body = json!({ "operations": [fireball(1)] }).to_string();
    let padded = |length: usize| format!("{body}{}", " ".repeat(length - body.len()));
    let sent = |body: String| send("POST", "/batch", &[("content-type", "application/json")], body);
    assert_eq!(sent(padded(1024 * 1024)).status, 200);
    assert_eq!(sent(padded(1024 * 1024 + 1)).problem().unwrap(), "too-large");
}

#[test]
fn for_every_verb_a_batch_of_several_is_as_many_single_calls_with_the_derived_seeds() {
    let examples: Vec<Asked> = examples().into_iter().filter(|asked| !asked.verb.contains('/')).collect();
    for asked in &examples {
        let mut request = asked.body.clone();
        request.as_object_mut().unwrap().shift_remove("dice");
        let operations = vec![operation(&asked.verb, request.clone()); 5];
        let results = batch("property", &operations)["results"].clone();
        for index in 0..5 {
            let mut single = request.clone();
            single["seed"] = json!(derived("property", index));
            let single = post(&format!("/{}", asked.verb), &single);
            assert_eq!(results[index]["reply"].to_string(), single.text(), "{} {request}", asked.verb);
        }
    }
}
