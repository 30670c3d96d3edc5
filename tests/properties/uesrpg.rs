//! UESRPG, whatever the numbers.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ask, number};

const TYPES: [&str; 7] = ["physical", "magic", "fire", "frost", "shock", "poison", "shadow"];

fn target() -> impl Strategy<Value = Value> {
    let scores = (10..=80i64, 10..=80i64, 10..=80i64, 10..=80i64);
    let armor = prop::collection::vec(0..=8i64, 6);
    let a_trait = (any::<bool>(), prop::sample::select(&TYPES[..]), 0..=6i64)
        .prop_map(|(resists, kind, value)| json!({ "trait": if resists { "resistance" } else { "weakness" }, "type": kind, "value": value }));
    (scores, armor, prop::collection::vec(a_trait, 0..=3), 1..=40i64).prop_map(
        |((strength, endurance, agility, willpower), armor, traits, hp)| {
            let ratings: serde_json::Map<String, Value> = ["physical", "magic", "fire", "frost", "shock", "poison"]
                .into_iter()
                .map(str::to_owned)
                .zip(armor.into_iter().map(Value::from))
                .collect();
            json!({ "strength": strength, "endurance": endurance, "agility": agility, "willpower": willpower,
                "max_hp": 40, "hp": hp, "armor": { "body": ratings }, "traits": traits })
        },
    )
}

fn component() -> impl Strategy<Value = Value> {
    (prop::sample::select(&TYPES[..]), 0..=20i64).prop_map(|(kind, amount)| json!({ "type": kind, "amount": amount }))
}

fn hit(target: &Value, components: &[Value]) -> Value {
    ask(
        "uesrpg",
        "damage",
        target,
        &json!({ "attack": { "location": "body", "components": components }, "seed": "hit" }),
    )
}

proptest! {
    #[test]
    fn no_component_lowers_another(target in target(), components in prop::collection::vec(component(), 1..=4)) {
        let together = hit(&target, &components);
        let mut sum = 0;
        for (index, component) in components.iter().enumerate() {
            let alone = hit(&target, std::slice::from_ref(component));
            prop_assert_eq!(&together["outcome"]["components"][index], &alone["outcome"]["components"][0]);
            sum += number(&alone["outcome"]["damage"]);
        }
        prop_assert_eq!(number(&together["outcome"]["damage"]), sum);
    }

    #[test]
    fn more_armor_is_never_more_damage(target in target(), component in component(), rating in 0..6usize) {
        let rating = ["physical", "magic", "fire", "frost", "shock", "poison"][rating];
        let mut better = target.clone();
        better["armor"]["body"][rating] = json!(number(&target["armor"]["body"][rating]) + 1);
        let damage = |target: &Value| number(&hit(target, std::slice::from_ref(&component))["outcome"]["damage"]);
        prop_assert!(damage(&better) <= damage(&target) && damage(&target) >= 0);
    }

    #[test]
    fn a_wound_is_damage_above_the_threshold_and_hp_stay_between_0_and_the_maximum(
        target in target(), components in prop::collection::vec(component(), 1..=3),
    ) {
        let reply = hit(&target, &components);
        let bonus = |score: &str| number(&target[score]) / 10;
        let threshold = bonus("strength") + bonus("endurance") + bonus("willpower");
        let damage = number(&reply["outcome"]["damage"]);
        prop_assert_eq!(!reply["outcome"]["wound"].is_null(), damage > threshold);
        let hp = number(&reply["target"]["hp"]);
        prop_assert_eq!(hp, (number(&target["hp"]) - damage).max(0));
        prop_assert_eq!(number(&reply["outcome"]["hp_lost"]), number(&target["hp"]) - hp);
        if damage == 0 {
            let changes = reply["log"].as_array().unwrap().iter().filter(|line| line["kind"] == "change").count();
            prop_assert_eq!(changes, 0, "a blow that is wholly stopped changes nothing");
        }
    }

    #[test]
    fn healing_stops_at_the_maximum(target in target(), healed in 0..=100i64) {
        let reply = ask("uesrpg", "heal", &target, &json!({ "hp": healed, "dice": [] }));
        let before = number(&target["hp"]);
        prop_assert_eq!(number(&reply["target"]["hp"]), (before + healed).min(40));
        prop_assert_eq!(number(&reply["outcome"]["restored"]) + number(&reply["outcome"]["wasted"]), healed);
    }
}
