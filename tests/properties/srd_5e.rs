//! The 5th-edition SRD, whatever the numbers.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ask, number};

const TYPES: [&str; 5] = ["acid", "cold", "fire", "piercing", "slashing"];

fn types() -> impl Strategy<Value = Vec<&'static str>> {
    prop::sample::subsequence(TYPES.to_vec(), 0..=3)
}

fn target() -> impl Strategy<Value = Value> {
    let defenses = (types(), types(), types());
    (1..=40i64, 0..=12i64, defenses, 0..=6i64, 0..=8i64, any::<bool>()).prop_map(
        |(hp, temp_hp, (resistances, vulnerabilities, immunities), reduction, threshold, monster)| {
            json!({ "kind": if monster { "monster" } else { "character" }, "max_hp": 40, "hp": hp, "temp_hp": temp_hp,
                "resistances": resistances, "vulnerabilities": vulnerabilities, "immunities": immunities,
                "damage_reduction": [{ "value": reduction }], "damage_threshold": threshold })
        },
    )
}

fn component() -> impl Strategy<Value = Value> {
    (prop::sample::select(&TYPES[..]), 0..=30i64).prop_map(|(kind, amount)| json!({ "type": kind, "amount": amount }))
}

fn hit() -> impl Strategy<Value = Value> {
    (prop::collection::vec(component(), 1..=4), prop::option::of(any::<bool>()), any::<bool>()).prop_map(
        |(components, saved, halved)| {
            let mut hit = json!({ "components": components, "halved": halved });
            if let Some(saved) = saved {
                hit["saved"] = json!(saved);
            }
            hit
        },
    )
}

fn damage(target: &Value, hit: &Value) -> Value {
    ask("srd_5e", "damage", target, &json!({ "hits": [hit], "dice": [] }))
}

fn taken(target: &Value, hit: &Value) -> i64 {
    number(&damage(target, hit)["outcome"]["damage"])
}

/// The target without its damage threshold, which makes small damage nothing.
fn without_threshold(target: &Value) -> Value {
    let mut target = target.clone();
    target["damage_threshold"] = json!(0);
    target
}

proptest! {
    #[test]
    fn every_point_of_damage_is_lost_somewhere_or_left_over(target in target(), hit in hit()) {
        let reply = damage(&target, &hit);
        let lost = |what: &str| number(&reply["outcome"][what]);
        let left_over = lost("damage") - lost("temp_hp_lost") - lost("hp_lost");
        prop_assert!(left_over == 0 || (left_over > 0 && number(&reply["target"]["hp"]) == 0));
        prop_assert_eq!(number(&reply["target"]["hp"]), number(&target["hp"]) - lost("hp_lost"));
        prop_assert_eq!(number(&reply["target"]["temp_hp"]), number(&target["temp_hp"]) - lost("temp_hp_lost"));
    }

    #[test]
    fn resistance_never_adds_and_vulnerability_never_takes_off(
        target in target(), hit in hit(), kind in prop::sample::select(&TYPES[..]),
    ) {
        let with = |list: &str| {
            let mut other = target.clone();
            let mut entries: Vec<Value> = target[list].as_array().unwrap().clone();
            if !entries.contains(&json!(kind)) {
                entries.push(json!(kind));
            }
            other[list] = json!(entries);
            other
        };
        prop_assert!(taken(&with("resistances"), &hit) <= taken(&target, &hit));
        prop_assert!(taken(&with("immunities"), &hit) <= taken(&target, &hit));
        prop_assert!(taken(&with("vulnerabilities"), &hit) >= taken(&target, &hit));
    }

    #[test]
    fn a_save_and_halving_never_cost(target in target(), hit in hit()) {
        let with = |key: &str, value: bool| {
            let mut other = hit.clone();
            other[key] = json!(value);
            other
        };
        prop_assert!(taken(&target, &with("saved", true)) <= taken(&target, &with("saved", false)));
        prop_assert!(taken(&target, &with("halved", true)) <= taken(&target, &with("halved", false)));
    }

    #[test]
    fn components_of_one_type_are_one_amount(target in target(), kind in prop::sample::select(&TYPES[..]), one in 0..=30i64, other in 0..=30i64) {
        let apart = json!({ "components": [{ "type": kind, "amount": one }, { "type": kind, "amount": other }] });
        let together = json!({ "components": [{ "type": kind, "amount": one + other }] });
        prop_assert_eq!(damage(&target, &apart)["outcome"].clone(), damage(&target, &together)["outcome"].clone());
    }

    #[test]
    fn types_meet_all_but_flat_reductions_and_the_threshold_by_themselves(target in target(), components in prop::collection::vec(component(), 1..=4)) {
        let mut target = without_threshold(&target);
        target["damage_reduction"] = json!([]);
        // One component of each type, so that none are added up.
        let mut distinct: Vec<Value> = Vec::new();
        for component in components {
            if distinct.iter().all(|known| known["type"] != component["type"]) {
                distinct.push(component);
            }
        }
        let alone: i64 = distinct.iter().map(|component| taken(&target, &json!({ "components": [component] }))).sum();
        prop_assert_eq!(taken(&target, &json!({ "components": distinct })), alone);
    }

    #[test]
    fn healing_stops_at_the_maximum_and_wakes_whom_it_heals(hp in 0..=40i64, healed in 0..=100i64) {
        let target = json!({ "max_hp": 40, "hp": hp });
        let reply = ask("srd_5e", "heal", &target, &json!({ "hp": healed, "dice": [] }));
        prop_assert_eq!(number(&reply["target"]["hp"]), (hp + healed).min(40));
        prop_assert_eq!(number(&reply["outcome"]["restored"]) + number(&reply["outcome"]["wasted"]), healed);
        prop_assert_eq!(reply["target"]["life"] == "up", hp + healed > 0);
    }

    #[test]
    fn advantage_is_never_worse_and_disadvantage_never_better(one in 1..=20i64, other in 1..=20i64, modifier in -5..=10i64) {
        let total = |own: Value| number(&ask("srd_5e", "check", &Value::Null, &own)["outcome"]["total"]);
        let plain = total(json!({ "modifiers": [modifier], "dice": [one] }));
        let advantage = total(json!({ "modifiers": [modifier], "advantage": true, "dice": [one, other] }));
        let disadvantage = total(json!({ "modifiers": [modifier], "disadvantage": true, "dice": [one, other] }));
        prop_assert!(disadvantage <= plain && plain <= advantage);
        prop_assert_eq!(advantage + disadvantage, one + other + 2 * modifier);
    }
}
