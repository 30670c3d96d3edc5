//! Odds are exact: they sum to 1, hold whatever is thrown, and are what every face counted one by
//! one comes to.

use std::collections::{BTreeMap, BTreeSet};

use dashu_ratio::RBig;
use scathe_api::seed::Thrown;
use scathe_rules::odds::explore;
use scathe_rules::ruleset::{Action, resolve};
use scathe_rules::rulesets::akrpg::creature::Creature;
use scathe_rules::rulesets::akrpg::damage::Damage;
use serde_json::{Value, json};

use crate::cases;
use crate::support::{Asked, contains, examples, post, send};

/// The most answers that counting every face of one request may take.
const COUNTED: usize = 800;
/// How many requests of each verb of each game are counted.
const REQUESTS: usize = 3;

/// Every request that odds can be asked of, without dice.
fn asked() -> Vec<Asked> {
    let cases = cases::all().into_iter().map(|case| case.ask());
    let all = examples().into_iter().chain(cases).filter(|asked| !asked.verb.contains('/'));
    all.map(|mut asked| {
        let body = asked.body.as_object_mut().unwrap();
        for key in ["dice", "seed", "throw_rest"] {
            body.shift_remove(key);
        }
        asked
    })
    .collect()
}

fn odds(asked: &Asked) -> Option<Value> {
    let answer = post(&format!("/{}/odds", asked.verb), &asked.body);
    (answer.status == 200).then(|| answer.json())
}

fn exact(told: &Value) -> RBig {
    told["exact"].as_str().unwrap().parse().unwrap()
}

fn sum(told: &Value) -> RBig {
    told.as_array().unwrap().iter().map(exact).fold(RBig::ZERO, |sum, chance| sum + chance)
}

/// The distinct events of a reply, each as text.
fn events(reply: &Value) -> BTreeSet<String> {
    reply["events"].as_array().into_iter().flatten().map(Value::to_string).collect()
}

/// What odds tell apart, as text: the target, the events, and the outcome without per-part lists.
fn key(told: &Value, outcome: &Value) -> String {
    format!("{} {:?} {outcome}", told["target"], events(told))
}

#[test]
fn chances_sum_to_one_and_hold_what_is_thrown() {
    let mut checked = 0;
    for asked in asked() {
        let Some(odds) = odds(&asked) else { continue };
        let outcomes = odds["outcomes"].as_array().unwrap();
        if outcomes[0]["exact"].is_string() {
            assert_eq!(sum(&odds["outcomes"]), RBig::ONE, "{} {}", asked.verb, asked.body);
        }
        let certain = outcomes.len() == 1;
        for told in outcomes {
            let chance = told["chance"].as_f64().unwrap();
            assert!(chance > 0.0 && (chance < 1.0 || certain), "{told}");
        }
        for seed in ["one", "two", "three"] {
            let mut body = asked.body.clone();
            body["seed"] = json!(seed);
            let reply = post(&format!("/{}", asked.verb), &body).json();
            let fits = |told: &&Value| {
                contains(&reply["outcome"], &told["outcome"])
                    && told["target"] == reply["target"]
                    && events(told) == events(&reply)
            };
            assert_eq!(outcomes.iter().filter(fits).count(), 1, "{} {}\n{reply}\n{odds:#}", asked.verb, asked.body);
        }
        for (name, number) in odds["numbers"].as_object().unwrap() {
            let distribution = number["distribution"].as_array().unwrap();
            assert_eq!(distribution[0]["at_least"], 1.0, "{name}");
            assert_eq!(
                (&distribution[0]["value"], &distribution.last().unwrap()["value"]),
                (&number["min"], &number["max"])
            );
        }
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}

/// Every way the dice can fall, counted face by face by asking what to throw next.
fn count(
    asked: &Asked,
    dice: &mut Vec<u32>,
    chance: RBig,
    left: &mut usize,
    found: &mut Vec<(Value, RBig)>,
) -> Option<()> {
    *left = left.checked_sub(1)?;
    let mut body = asked.body.clone();
    body["dice"] = json!(dice);
    let answer = post(&format!("/{}", asked.verb), &body);
    if answer.status == 200 {
        found.push((answer.json(), chance));
        return Some(());
    }
    let sides = u32::try_from(answer.json()["next"]["sides"].as_u64()?).unwrap();
    for face in 1..=sides {
        dice.push(face);
        count(asked, dice, &chance / RBig::from(sides), left, found)?;
        dice.pop();
    }
    Some(())
}

#[test]
fn odds_are_what_counting_every_face_comes_to_for_every_verb() {
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for asked in asked() {
        let name = format!("{} {}", asked.body["ruleset"].as_str().unwrap(), asked.verb);
        let done = counted.entry(name).or_default();
        if *done >= REQUESTS {
            continue;
        }
        let Some(odds) = odds(&asked) else { continue };
        // What no die decides is soon counted, and shows little.
        if odds["outcomes"].as_array().unwrap().len() == 1 && *done > 0 {
            continue;
        }
        let (mut found, mut left) = (Vec::new(), COUNTED);
        if count(&asked, &mut Vec::new(), RBig::ONE, &mut left, &mut found).is_none() {
            continue;
        }
        let mut told: BTreeMap<String, RBig> = BTreeMap::new();
        for told_one in odds["outcomes"].as_array().unwrap() {
            *told.entry(key(told_one, &told_one["outcome"])).or_insert(RBig::ZERO) += exact(told_one);
        }
        let shape = &odds["outcomes"][0]["outcome"];
        let mut by_hand: BTreeMap<String, RBig> = BTreeMap::new();
        for (reply, chance) in found {
            let mut outcome = reply["outcome"].clone();
            if let (Some(outcome), Some(shape)) = (outcome.as_object_mut(), shape.as_object()) {
                outcome.retain(|key, _| shape.contains_key(key));
            }
            *by_hand.entry(key(&reply, &outcome)).or_insert(RBig::ZERO) += chance;
        }
        assert_eq!(told, by_hand, "{} {}", asked.verb, asked.body);
        *done += 1;
    }
    let missing: Vec<_> = counted.iter().filter(|(_, done)| **done == 0).collect();
    assert!(missing.is_empty(), "never counted: {missing:?}");
}

#[test]
fn two_hundred_thousand_throws_fall_as_the_odds_say() {
    let hits = json!([{ "kind": "physical", "amount": 8 }, { "kind": "true", "amount": 2 }]);
    let action: Damage = serde_json::from_value(json!({ "hits": hits })).unwrap();
    let target = Creature { hp: 4, shield: 2, def: 3, barrier: 1, ..Damage::example().target.unwrap() };
    let options = Default::default();
    let odds = explore(&action, target.clone(), &options, &|| true).unwrap().found;
    let (count, mut seen) = (200_000u32, BTreeMap::<String, u32>::new());
    let mut dice = Thrown::new(Vec::new(), Some("two hundred thousand"));
    for _ in 0..count {
        let done = resolve(&action, target.clone(), &options, &mut dice).unwrap();
        *seen.entry(format!("{:?}", done.after)).or_default() += 1;
    }
    let mut expected: BTreeMap<String, RBig> = BTreeMap::new();
    for (branch, ways) in &odds.ways {
        let chance = RBig::from_parts(ways.clone().into(), odds.whole.clone());
        *expected.entry(format!("{:?}", branch.target)).or_insert(RBig::ZERO) += chance;
    }
    assert!(seen.keys().all(|after| expected.contains_key(after)));
    for (after, chance) in expected {
        let chance = chance.to_f64().value();
        let n = f64::from(count);
        let sigma = (n * chance * (1.0 - chance)).sqrt();
        let found = f64::from(seen.get(&after).copied().unwrap_or_default());
        assert!((found - n * chance).abs() <= 5.0 * sigma + 1.0, "{after}: {found} of {}", n * chance);
    }
}

#[test]
fn odds_refuse_dice_and_rounds_where_there_are_none() {
    let hit = json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": 4 }, "hits": [{ "kind": "true", "amount": 1 }] });
    for (key, value) in [("dice", json!([])), ("seed", json!("a")), ("throw_rest", json!(true)), ("rounds", json!(2))] {
        let mut body = hit.clone();
        body[key] = value;
        assert_eq!(post("/damage/odds", &body).pointers(), [format!("#/{key}")]);
    }
    let dying = |key: &str, value: Value| {
        let mut body = json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": -4 } });
        body[key] = value;
        post("/dying-tick/odds", &body)
    };
    for (key, value) in [("rounds", 0), ("rounds", 201), ("top", 0), ("top", 10_001)] {
        assert_eq!(dying(key, json!(value)).pointers(), [format!("#/{key}")]);
    }
    assert_eq!(
        dying("rounds", json!(200)).json()["rounds"].as_array().unwrap().len(),
        200,
        "always as many rounds as asked for"
    );
    assert_eq!(
        post("/dying-tick/odds", &json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": 4 }, "rounds": 3 }))
            .problem()
            .unwrap(),
        "not-dying"
    );
}

#[test]
fn top_lists_the_likeliest_and_sums_up_the_rest() {
    let mut body = json!({ "ruleset": "akrpg", "target": { "hd": 4, "hp": 20, "def": 3 }, "hits": [{ "kind": "physical", "amount": 4 }], "top": 2 });
    let reply = post("/damage/odds", &body).json();
    // Of 16 ways, 2 successes have 6, 1 and 3 have 4 each, 0 and 4 have 1 each.
    assert_eq!(reply["outcomes"][0]["exact"], "3/8");
    assert_eq!(reply["outcomes"][1]["exact"], "1/4");
    assert_eq!(reply["left_out"], json!({ "outcomes": 3, "chance": 0.375, "exact": "3/8" }));
    body["top"] = json!(5);
    assert_eq!(post("/damage/odds", &body).json()["left_out"], json!({ "outcomes": 0, "chance": 0.0, "exact": "0/1" }));
    body.as_object_mut().unwrap().shift_remove("top");
    assert!(post("/damage/odds", &body).json()["left_out"].is_null());
}

#[test]
fn chances_that_are_long_are_told_rounded_only() {
    let body = json!({ "ruleset": "akrpg", "target": { "hd": 100, "hp": 600, "def": 2 }, "hits": [{ "kind": "physical", "amount": 500 }] });
    let reply = post("/damage/odds", &body).json();
    let outcomes = reply["outcomes"].as_array().unwrap();
    assert!(outcomes.iter().all(|told| told["exact"].is_null()));
    // (1/3)^500 is far too small to be told from 0 otherwise.
    assert!(outcomes.iter().all(|told| told["chance"].as_f64().unwrap() > 0.0));
    assert_eq!(outcomes.len(), 501);
}

#[test]
fn too_many_branches_are_refused_with_the_limit() {
    let hits: Vec<Value> = (0..100).map(|_| json!({ "kind": "physical", "amount": 50 })).collect();
    let body = json!({ "ruleset": "akrpg", "target": { "hd": 100, "hp": 600, "barrier": 1_000_000, "shield": 1000, "def": 3 }, "hits": hits });
    let answer = post("/damage/odds", &body);
    assert_eq!(answer.problem().unwrap(), "too-many-branches");
    assert!(answer.text().contains("1000000 branches"), "{}", answer.text());
    let page = send("GET", "/problems/too-many-branches", &[], "");
    assert_eq!(page.status, 200);
}
