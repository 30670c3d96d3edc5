//! What holds for every action of every game, at every example, every case, and requests made up
//! from the published schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::strategy::{Union, ValueTree};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::cases;
use crate::support::{Asked, DOCUMENT, examples, get, post, schema, schema_names};

/// How many requests are made up for each action.
const MADE_UP: usize = 60;

/// The examples and the cases, without dice: what is asked, however it comes out.
fn asked() -> Vec<Asked> {
    let cases = cases::all().into_iter().map(|case| case.ask()).filter(|asked| !asked.verb.contains('/'));
    examples().into_iter().filter(|asked| !asked.verb.contains('/')).chain(cases).map(without_dice).collect()
}

fn without_dice(mut asked: Asked) -> Asked {
    let body = asked.body.as_object_mut().unwrap();
    for key in ["dice", "seed", "throw_rest"] {
        body.shift_remove(key);
    }
    asked
}

fn with(body: &Value, key: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[key] = value;
    body
}

/// Every law, for one request. A request that is refused must be refused as it should.
fn hold(asked: &Asked) -> Result<(), String> {
    let path = format!("/{}", asked.verb);
    let said = |what: &str| format!("{path} {}\n  {what}", asked.body);
    let thrown = post(&path, &with(&asked.body, "seed", json!("law")));
    if thrown.status != 200 {
        let problem = thrown.problem().ok_or_else(|| said("a failure that is no problem"))?;
        return if thrown.status == 500 { Err(said(&format!("{problem}: {}", thrown.text()))) } else { Ok(()) };
    }
    let reply = thrown.json();
    let dice = reply["dice"].as_array().unwrap().clone();

    // Replay: the dice of an answer give the same answer, byte for byte but for the seed.
    let given = post(&path, &with(&asked.body, "dice", json!(dice)));
    let mut unseeded = reply.clone();
    unseeded.as_object_mut().unwrap().shift_remove("seed");
    let unseeded = unseeded.to_string();
    if given.text() != unseeded {
        return Err(said(&format!("replayed: {}\n  thrown:   {unseeded}", given.text())));
    }

    // Asking: whoever is asked for die after die ends where the given dice end.
    let steps = dice.len().min(40);
    for given in (0..steps).chain((steps < dice.len()).then(|| dice.len() - 1)) {
        let answer = post(&path, &with(&asked.body, "dice", json!(dice[..given])));
        let next = answer.json()["next"].clone();
        let fits =
            next["count"].as_u64().is_some_and(|count| count >= 1) && next["sides"].as_u64() >= dice[given].as_u64();
        if answer.problem().as_deref() != Some("needs-dice") || !fits {
            return Err(said(&format!("after {given} dice: {}", answer.text())));
        }
    }

    // Exhaustion: one die more is one too many.
    let mut more = dice.clone();
    more.push(json!(1));
    let answer = post(&path, &with(&asked.body, "dice", json!(more)));
    if dice.len() < 10_000 && answer.pointers() != [format!("#/dice/{}", dice.len())] {
        return Err(said(&format!("with a die too many: {}", answer.text())));
    }

    cited(asked, &reply).map_err(|what| said(&what))?;
    thrown_by(&reply).map_err(|what| said(&what))?;
    ledger(asked, &reply).map_err(|what| said(&what))?;
    shape(asked, &reply).map_err(|what| said(&what))
}

/// The rules that each game publishes.
static PUBLISHED: LazyLock<BTreeMap<String, Vec<Value>>> = LazyLock::new(|| {
    let games = get("/rulesets").json();
    let ids = games["rulesets"].as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap());
    let rules = |id: &str| get(&format!("/rulesets/{id}")).json()["rules"].as_array().unwrap().clone();
    ids.map(|id| (id.to_owned(), rules(id))).collect()
});

/// Every rule that the log cites is published.
fn cited(asked: &Asked, reply: &Value) -> Result<(), String> {
    let known = |id: &Value| PUBLISHED[asked.body["ruleset"].as_str().unwrap()].iter().any(|rule| rule["id"] == *id);
    for line in reply["log"].as_array().unwrap() {
        let id = line.get("rule").or(line.get("for")).unwrap();
        if !known(id) {
            return Err(format!("the log cites {id}, which is not published"));
        }
    }
    Ok(())
}

/// Who threw: where one throw says whose it is, every throw does.
fn thrown_by(reply: &Value) -> Result<(), String> {
    let throws: Vec<&Value> = reply["log"].as_array().unwrap().iter().filter(|line| line["kind"] == "roll").collect();
    let said = throws.iter().filter(|line| !line["by"].is_null()).count();
    if said == 0 || said == throws.len() {
        Ok(())
    } else {
        Err("some throws say whose they are, others do not".to_owned())
    }
}

/// Undo: put back change by change, the log leads to the target sent; forward again, to the target
/// received.
fn ledger(asked: &Asked, reply: &Value) -> Result<(), String> {
    let Some(after) = reply.get("target") else { return Ok(()) };
    let changes: Vec<&Value> =
        reply["log"].as_array().unwrap().iter().filter(|line| line["kind"] == "change").collect();
    let mut target = after.clone();
    for change in changes.iter().rev() {
        assign(&mut target, change, "to", "from")?;
    }
    let sent = &asked.body["target"];
    for (key, value) in sent.as_object().into_iter().flatten() {
        if !fills(&target[key], value) {
            return Err(format!("undone, {key} is {} and not {value}", target[key]));
        }
    }
    let before = target.clone();
    for change in &changes {
        assign(&mut target, change, "from", "to")?;
    }
    if target != *after {
        return Err("done again, the log does not lead to the target received".to_owned());
    }
    let mut again = with(&asked.body, "target", before);
    again["dice"] = reply["dice"].clone();
    let again = post(&format!("/{}", asked.verb), &again).json();
    if again["target"] != *after || again["log"] != reply["log"] {
        return Err(format!("from the target undone: {again}"));
    }
    Ok(())
}

fn assign(target: &mut Value, change: &Value, from: &str, to: &str) -> Result<(), String> {
    let field = change["field"].as_str().unwrap();
    let place = target.pointer_mut(field).ok_or_else(|| format!("{field} is no field of the target"))?;
    if *place != change[from] || change[from] == change[to] {
        return Err(format!("{change} does not fit {place}"));
    }
    *place = change[to].clone();
    Ok(())
}

/// Whether `found` is `sent` with its defaults filled in.
fn fills(found: &Value, sent: &Value) -> bool {
    match (found, sent) {
        (Value::Object(found), Value::Object(sent)) => {
            sent.iter().all(|(key, sent)| found.get(key).is_some_and(|found| fills(found, sent)))
        }
        (Value::Array(found), Value::Array(sent)) => {
            found.len() == sent.len() && found.iter().zip(sent).all(|(found, sent)| fills(found, sent))
        }
        // An optional that is filled in from the others.
        (_, Value::Null) => true,
        (found, sent) => found == sent,
    }
}

/// Closure: the reply fits its schema, and the target received is a valid target.
fn shape(asked: &Asked, reply: &Value) -> Result<(), String> {
    let (_, name) = schema_names(&asked.verb, asked.body["ruleset"].as_str().unwrap());
    if let Some(error) = schema(&name).iter_errors(reply).next() {
        return Err(format!("{name}: {} {error}", error.instance_path()));
    }
    let Some(target) = reply.get("target") else { return Ok(()) };
    let again = post(&format!("/{}", asked.verb), &with(&asked.body, "target", target.clone()));
    // A list that is full is a fault of doing it again, not of the target.
    let full = |error: &&Value| !error["detail"].as_str().unwrap().contains("holds");
    let body = again.json();
    let errors = body["errors"].as_array().into_iter().flatten().filter(full);
    let bad: Vec<_> = errors.filter(|error| error["pointer"].as_str().unwrap().starts_with("#/target")).collect();
    if !bad.is_empty() || again.status == 500 {
        return Err(format!("the target received is refused: {}\n  {target}", again.text()));
    }
    Ok(())
}

fn all(faults: Vec<String>) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_laws_hold_at_every_example_and_every_case() {
    let asked = asked();
    assert!(asked.len() >= 7);
    all(asked.iter().filter_map(|asked| hold(asked).err()).collect());
}

#[test]
fn the_laws_hold_for_requests_made_up_from_the_schemas() {
    let mut faults = Vec::new();
    for example in examples().into_iter().filter(|example| !example.verb.contains('/')) {
        let (name, _) = schema_names(&example.verb, example.body["ruleset"].as_str().unwrap());
        let strategy = value(&json!({ "$ref": format!("#/components/schemas/{name}") }));
        let mut runner = TestRunner::new_with_rng(
            Config::default(),
            proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
        );
        let mut answered = 0;
        for tried in 0..MADE_UP * 200 {
            let body = strategy.new_tree(&mut runner).unwrap().current();
            let asked = without_dice(Asked { verb: example.verb.clone(), body });
            let status = post(&format!("/{}", asked.verb), &asked.body).status;
            answered += usize::from(status == 200);
            faults.extend(hold(&asked).err());
            if answered >= MADE_UP || (answered > 0 && tried >= MADE_UP * 20) || faults.len() > 5 {
                break;
            }
        }
        if answered == 0 {
            faults.push(format!("no request made up for {} {name} was answered", example.verb));
        }
    }
    all(faults);
}

#[test]
fn an_action_of_several_parties_says_whose_each_throw_is() {
    let mut throwers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for asked in asked() {
        let reply = post(&format!("/{}", asked.verb), &with(&asked.body, "seed", json!("by")));
        if reply.status == 200 {
            let reply = reply.json();
            let by = reply["log"].as_array().unwrap().iter().filter_map(|line| line["by"].as_str().map(str::to_owned));
            throwers.entry(format!("{} {}", asked.body["ruleset"], asked.verb)).or_default().extend(by);
        }
    }
    // Nobody says whose a throw is where only one party throws.
    let alone: Vec<_> = throwers.iter().filter(|(_, by)| by.len() == 1).collect();
    assert!(alone.is_empty(), "{alone:?}");
    assert!(throwers.values().any(|by| by.len() > 1));
    let body = json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": 9, "shield": 1, "def": 3 },
                       "hits": [{ "kind": "physical", "amount": 1 }], "dice": [6] });
    let problem = post("/damage", &body).json();
    assert_eq!(problem["next"], json!({ "for": "shield", "by": "target", "sides": 6, "count": 1 }));
    assert!(problem["detail"].as_str().unwrap().contains("(thrown by the target)"), "{problem}");
}

/// A value that a schema allows: its corners, and a little between them.
fn value(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(name) = schema["$ref"].as_str() {
        return value(DOCUMENT.pointer(name.trim_start_matches('#')).unwrap());
    }
    if let Some(options) = schema["enum"].as_array() {
        return proptest::sample::select(options.clone()).boxed();
    }
    if let Some(forms) = schema["oneOf"].as_array() {
        return Union::new(forms.iter().map(value)).boxed();
    }
    let types = &schema["type"];
    let kind = types.as_str().or_else(|| types[0].as_str()).unwrap_or_else(|| panic!("no type: {schema}"));
    match kind {
        "null" => Just(Value::Null).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "integer" => {
            let (low, high) = (schema["minimum"].as_i64().unwrap(), schema["maximum"].as_i64().unwrap());
            let near = |around: i64| (around.clamp(low, high)..=(around + 12).clamp(low, high)).prop_map(Value::from);
            prop_oneof![
                1 => Just(Value::from(low)), 1 => Just(Value::from(high)),
                6 => near(0), 2 => near(-12), 1 => (low..=high).prop_map(Value::from)
            ]
            .boxed()
        }
        "string" => {
            let texts = schema["examples"].as_array().cloned();
            proptest::sample::select(texts.unwrap_or_else(|| vec![json!("a"), json!("round 3")])).boxed()
        }
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
            let most = schema["maxItems"].as_u64().unwrap_or(3).min(least as u64 + 3) as usize;
            let unique = schema["uniqueItems"] == true;
            let list = move |mut list: Vec<Value>| {
                let all = list.clone();
                let mut index = 0;
                list.retain(|entry| {
                    index += 1;
                    !unique || !all[..index - 1].contains(entry)
                });
                Value::from(list)
            };
            proptest::collection::vec(value(&schema["items"]), least..=most).prop_map(list).boxed()
        }
        "object" => {
            let required =
                |key: &str| schema["required"].as_array().is_some_and(|keys| keys.iter().any(|name| name == key));
            let mut object = Just(Map::new()).boxed();
            for (key, property) in schema["properties"].as_object().into_iter().flatten() {
                let member = if required(key) {
                    value(property).prop_map(Some).boxed()
                } else {
                    proptest::option::weighted(0.35, value(property)).boxed()
                };
                let key = key.clone();
                object = (object, member)
                    .prop_map(move |(mut object, member)| {
                        object.extend(member.map(|member| (key.clone(), member)));
                        object
                    })
                    .boxed();
            }
            object.prop_map(Value::from).boxed()
        }
        other => panic!("no values for {other}"),
    }
}

/// Every place of a request that its schema knows, with the schema there.
fn places(schema: &Value, body: &Value, at: &str, found: &mut Vec<(String, Value)>) {
    if let Some(name) = schema["$ref"].as_str() {
        return places(DOCUMENT.pointer(name.trim_start_matches('#')).unwrap(), body, at, found);
    }
    for form in schema["oneOf"].as_array().into_iter().flatten() {
        let fits = body.as_object().is_some_and(|body| body.keys().any(|key| form["properties"].get(key).is_some()));
        if fits || form["$ref"].is_string() && body.is_object() {
            places(form, body, at, found);
        }
    }
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{at}/{key}");
        found.push((place.clone(), property.clone()));
        if let Some(member) = body.get(key) {
            places(property, member, &place, found);
        }
    }
    for (index, entry) in body.as_array().into_iter().flatten().enumerate() {
        let place = format!("{at}/{index}");
        found.push((place.clone(), schema["items"].clone()));
        places(&schema["items"], entry, &place, found);
    }
}

fn set(body: &Value, at: &str, value: Value) -> Value {
    let mut body = body.clone();
    let (parent, key) = at.rsplit_once('/').unwrap();
    match body.pointer_mut(parent).unwrap() {
        Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
        parent => parent[key] = value,
    }
    body
}

fn resolved(schema: &Value) -> Value {
    match schema["$ref"].as_str() {
        Some(name) => DOCUMENT.pointer(name.trim_start_matches('#')).unwrap().clone(),
        None => schema.clone(),
    }
}

fn nullable(schema: &Value) -> bool {
    let schema = resolved(schema);
    let null = |kind: &Value| kind == "null";
    let types = schema["type"].as_array().is_some_and(|types| types.iter().any(null));
    types || null(&schema["type"]) || schema["oneOf"].as_array().is_some_and(|forms| forms.iter().any(nullable))
}

#[test]
fn every_bound_holds_at_the_door_and_null_and_strangers_stay_out() {
    let mut faults = Vec::new();
    let mut probed = BTreeSet::new();
    for asked in asked() {
        let path = format!("/{}", asked.verb);
        let ruleset = asked.body["ruleset"].as_str().unwrap();
        let (name, _) = schema_names(&asked.verb, ruleset);
        let mut found = Vec::new();
        places(&json!({ "$ref": format!("#/components/schemas/{name}") }), &asked.body, "", &mut found);
        // What is wrong anyway says nothing of the probe.
        let before = post(&path, &asked.body).pointers();
        for (at, schema) in found {
            // Each kind of place once: list entries are alike.
            let kind: String = at
                .split('/')
                .map(|token| if token.parse::<usize>().is_ok() { "0" } else { token })
                .collect::<Vec<_>>()
                .join("/");
            if at == "/ruleset"
                || before.iter().any(|pointer| *pointer == format!("#{at}"))
                || !probed.insert((name.clone(), kind))
            {
                continue;
            }
            let pointer = format!("#{at}");
            let mut probe = |value: Value, refused: bool, what: &str| {
                let answer = post(&path, &set(&asked.body, &at, value.clone()));
                let hit = answer.pointers().contains(&pointer);
                let range = answer.text().contains("must be from") && hit && !refused && value.is_i64();
                if answer.status == 500
                    || (refused && !hit)
                    || (range
                        && answer.json()["errors"].as_array().unwrap().iter().any(|error| {
                            error["pointer"] == pointer && error["detail"].as_str().unwrap().contains("must be from")
                        }))
                {
                    faults.push(format!("{path} {name} {pointer} {what} {value}: {}", answer.text()));
                }
            };
            if !nullable(&schema) {
                probe(Value::Null, true, "null");
            } else {
                probe(Value::Null, false, "null");
            }
            let bounded = resolved(&schema);
            if let (Some(low), Some(high)) = (bounded["minimum"].as_i64(), bounded["maximum"].as_i64()) {
                probe(json!(low), false, "at the lower bound");
                probe(json!(high), false, "at the upper bound");
                probe(json!(low - 1), true, "below");
                probe(json!(high + 1), true, "above");
                probe(json!(i64::MAX), true, "far above");
                probe(json!(i64::MIN), true, "far below");
            }
            if let Some(most) = bounded["maxItems"].as_u64() {
                let entry = asked.body.pointer(&format!("{at}/0")).cloned().unwrap_or(Value::Null);
                if !entry.is_null() {
                    probe(json!(vec![entry; most as usize + 1]), true, "one entry too many");
                }
            }
            if bounded["additionalProperties"] == false && asked.body.pointer(&at).is_some_and(Value::is_object) {
                let stranger = format!("{at}/zzz_stranger");
                let answer = post(&path, &set(&asked.body, &stranger, json!(1)));
                if !answer.pointers().contains(&format!("#{stranger}")) {
                    faults.push(format!("{path} {name} {stranger}: {}", answer.text()));
                }
            }
        }
    }
    assert!(probed.len() > 40);
    all(faults);
}
