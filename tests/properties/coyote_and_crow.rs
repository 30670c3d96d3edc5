//! Coyote & Crow, whatever the numbers.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ask, number};

fn target(stats: [i64; 9], body: i64, soul: i64) -> Value {
    let names =
        ["strength", "agility", "endurance", "intelligence", "perception", "wisdom", "spirit", "charisma", "will"];
    let named: serde_json::Map<String, Value> =
        names.into_iter().zip(stats).map(|(name, stat)| (name.to_owned(), json!(stat))).collect();
    let mind: i64 = stats[3..6].iter().sum();
    json!({ "stats": named, "body": body, "mind": mind, "soul": soul })
}

/// The total of a check, counted anew from its faces: standard dice first, then the critical dice that
/// each 12 calls for, generation by generation.
fn count(dice: &[i64], pool: usize, success_number: i64) -> (i64, bool) {
    let success_number = success_number.clamp(2, 12);
    let (standard, mut critical) = dice.split_at(pool);
    let mut total: i64 =
        standard.iter().map(|&face| if face == 1 { -1 } else { i64::from(face >= success_number) }).sum();
    let mut called = standard.iter().filter(|&&face| face == 12).count();
    let twelve = called > 0;
    for _ in 0..10 {
        let (generation, rest) = critical.split_at(called);
        total += generation.iter().map(|&face| if face >= success_number { 2 } else { 1 }).sum::<i64>();
        called = generation.iter().filter(|&&face| face == 12).count();
        critical = rest;
    }
    assert!(critical.is_empty(), "every die is counted");
    (total, twelve)
}

proptest! {
    #[test]
    fn a_check_is_what_counting_its_faces_comes_to(pool in 0..=40usize, success_number in -3..=15i64, seed in "[a-z]{1,12}") {
        let own = json!({ "pool": pool, "success_number": success_number, "seed": seed });
        let reply = ask("coyote_and_crow", "check", &Value::Null, &own);
        let dice: Vec<i64> = reply["dice"].as_array().unwrap().iter().map(number).collect();
        let (total, twelve) = count(&dice, pool, success_number);
        let grade = match total {
            1.. if twelve => "critical_success",
            1.. => "success",
            0 => "failure",
            _ => "critical_failure",
        };
        prop_assert_eq!(&reply["outcome"], &json!({ "total": total, "grade": grade }));
    }

    #[test]
    fn damage_goes_to_body_or_soul_and_thresholds_are_where_the_book_has_them(
        stats in prop::array::uniform9(1..=6i64), lost in 0..=12i64, successes in -2..=15i64, fortitude in 0..=8i64,
    ) {
        let (full, soul): (i64, i64) = (stats[..3].iter().sum(), stats[6..].iter().sum());
        let before = target(stats, full - lost, soul);
        let attack = json!({ "kind": "physical", "successes": successes, "fortitude": fortitude });
        let reply = ask("coyote_and_crow", "damage", &before, &json!({ "attack": attack, "dice": [] }));
        let dealt = successes.max(0);
        let (body_lost, soul_lost) = (number(&reply["outcome"]["body_lost"]), number(&reply["outcome"]["soul_lost"]));
        prop_assert_eq!(body_lost + soul_lost, dealt);
        prop_assert_eq!(soul_lost, dealt.min(fortitude));
        let (body, soul_left) = (number(&reply["target"]["body"]), number(&reply["target"]["soul"]));
        prop_assert_eq!((body, soul_left), (full - lost - body_lost, soul - soul_lost));
        let beyond = |pool: &str| reply["outcome"]["death_threshold"].as_array().unwrap().contains(&json!(pool));
        prop_assert_eq!(beyond("body"), body <= -stats[2]);
        prop_assert_eq!(beyond("soul"), soul_left <= -stats[8]);
        if body < 0 || soul_left < 0 {
            prop_assert_eq!(&reply["target"]["unconscious"], &json!(true));
        }
    }

    #[test]
    fn healing_never_brings_body_above_its_maximum(stats in prop::array::uniform9(1..=6i64), lost in 0..=20i64, healed in 0..=100i64) {
        let full: i64 = stats[..3].iter().sum();
        let soul: i64 = stats[6..].iter().sum();
        let reply = ask("coyote_and_crow", "heal", &target(stats, full - lost, soul), &json!({ "body": healed, "dice": [] }));
        prop_assert_eq!(number(&reply["target"]["body"]), (full - lost + healed).min(full));
        prop_assert_eq!(number(&reply["outcome"]["body"]) + number(&reply["outcome"]["wasted"]), healed);
    }

    #[test]
    fn non_lethal_damage_never_brings_body_below_0(stats in prop::array::uniform9(1..=6i64), lost in 0..=12i64, successes in 0..=15i64) {
        let full: i64 = stats[..3].iter().sum();
        let soul: i64 = stats[6..].iter().sum();
        let before = full - lost;
        let own = json!({ "attack": { "kind": "non_lethal", "successes": successes }, "dice": [] });
        let reply = ask("coyote_and_crow", "damage", &target(stats, before, soul), &own);
        prop_assert_eq!(number(&reply["target"]["body"]), (before - successes).max(before.min(0)));
    }
}
