//! Gift & Skill, whatever the numbers.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ask, number};

fn damage(target: &Value, hit: &Value) -> Value {
    ask("gift_and_skill", "damage", target, hit)
}

fn hit() -> impl Strategy<Value = Value> {
    let weapon = prop::sample::select(vec![json!("dagger"), json!("sword"), json!("greatsword")]);
    (-3..=8i64, weapon, 0..=60i64).prop_map(
        |(degree, weapon, piercing)| json!({ "attack": { "degree": degree }, "weapon": weapon, "armor_piercing": piercing, "dice": [] }),
    )
}

proptest! {
    #[test]
    fn more_toughness_armor_or_shield_is_never_more_damage(
        health in 1..=100i64, toughness in 0..=20i64, armor in 0..=60i64, shield in 0..=60i64, hit in hit(), more in 0..3usize,
    ) {
        let target = json!({ "health": health, "physical_toughness": toughness, "armor": armor, "shield": shield });
        let less = damage(&target, &hit);
        let mut better = target.clone();
        let field = ["physical_toughness", "armor", "shield"][more];
        better[field] = json!(number(&target[field]) + 1);
        let dealt = number(&less["outcome"]["damage"]);
        prop_assert!(dealt >= 0, "no number of damage is negative");
        prop_assert!(number(&damage(&better, &hit)["outcome"]["damage"]) <= dealt);
        prop_assert_eq!(number(&less["target"]["health"]), health - number(&less["outcome"]["health_lost"]));
        // The five steps, as the book has them.
        let degree = number(&hit["attack"]["degree"]).max(0);
        let factor = match hit["weapon"].as_str() { Some("dagger") => 10, Some("sword") => 25, _ => 50 };
        let absorbed = (armor + shield - number(&hit["armor_piercing"])).max(0);
        prop_assert_eq!(dealt, ((degree * factor - 5 * toughness).max(0) - absorbed).max(0));
    }

    #[test]
    fn healing_stops_at_a_hundred(health in -99..=100i64, healed in 0..=1000i64) {
        let reply = ask("gift_and_skill", "heal", &json!({ "health": health }), &json!({ "health": healed, "dice": [] }));
        let (restored, wasted) = (number(&reply["outcome"]["restored"]), number(&reply["outcome"]["wasted"]));
        prop_assert_eq!(restored + wasted, healed);
        prop_assert_eq!(number(&reply["target"]["health"]), (health + healed).min(100));
        prop_assert_eq!(restored, (health + healed).min(100) - health);
    }
}

#[test]
fn bands_part_the_numbers_from_1_to_100() {
    let miss = json!({ "attack": { "degree": 0 }, "factor": 1, "dice": [] });
    for health in 1..=100 {
        let outcome = damage(&json!({ "health": health }), &miss)["outcome"].clone();
        let (band, action_points, free_movement) = match health {
            75.. => ("uninjured", 3, 0),
            50..=74 => ("wounded", 3, 0),
            25..=49 => ("badly_hurt", 2, -1),
            _ => ("crippled", 1, -2),
        };
        assert_eq!(outcome["band"], band, "{health}");
        assert_eq!(
            (&outcome["action_points"], &outcome["free_movement"]),
            (&json!(action_points), &json!(free_movement)),
            "{health}"
        );
    }
}
