//! Whole exchanges, pinned: what is sent and every byte that comes back.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{files, pin, send};

fn exchanges() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (
            "akrpg_damage_through_shield_and_barrier",
            "/damage",
            json!({ "ruleset": "akrpg", "target": { "hd": 4, "hp": 10, "barrier": 3, "shield": 1, "def": 3 },
                    "hits": [{ "kind": "physical", "amount": 8 }], "dice": [4, 5, 6, 6, 4, 5, 1, 2, 2] }),
        ),
        (
            "akrpg_damage_of_every_kind_in_order",
            "/damage",
            json!({ "ruleset": "akrpg",
                    "target": { "hd": 4, "hp": 6, "def": 4, "res": 2, "fragility": 1, "elemental_injury": true, "shield": 2 },
                    "hits": [{ "kind": "physical", "amount": 2, "armor_piercing": 2 }, { "kind": "arts", "amount": 1 },
                             { "kind": "elemental", "amount": 1 }, { "kind": "dot", "dice": 2, "size": "half" }, { "kind": "true", "amount": 4 }],
                    "dice": [3, 2, 6, 5, 1, 1] }),
        ),
        (
            "akrpg_damage_needs_dice",
            "/damage",
            json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": 12, "shield": 1, "def": 3 },
                    "hits": [{ "kind": "physical", "amount": 3 }], "dice": [6] }),
        ),
        (
            "akrpg_damage_with_four_faults",
            "/damage",
            json!({ "ruleset": "akrpg", "target": { "hp": "16", "sheild": 1, "hd": 2 }, "hits": [{ "kind": "physical", "amount": -1 }], "dice": [0] }),
        ),
        (
            "akrpg_damage_from_a_seed",
            "/damage",
            json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": 12, "shield": 1, "def": 3 },
                    "hits": [{ "kind": "physical", "amount": 3 }], "seed": "round 3" }),
        ),
        (
            "akrpg_shield_roll",
            "/shield-roll",
            json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": 12, "shield": 2 }, "damage": 3, "dice": [6] }),
        ),
        (
            "akrpg_turn_start_downs",
            "/turn-tick",
            json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": 1, "dot": [1, 3], "sanctuary": 1, "decaying": ["sanctuary"] }, "dice": [] }),
        ),
        (
            "akrpg_dying_roll_kills",
            "/dying-tick",
            json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": -4 }, "dice": [1] }),
        ),
        ("akrpg_dying_roll_refused", "/dying-tick", json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": 4 } })),
        (
            "akrpg_stabilize",
            "/stabilize",
            json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": -4, "wounded": 1 }, "pool": 3, "dice": [6, 6, 1] }),
        ),
        (
            "akrpg_heal_and_end_downed",
            "/heal",
            json!({ "ruleset": "akrpg", "target": { "hd": 2, "hp": -4 }, "hp": 20, "barrier_dice": 1, "shield_dice": 2, "end_downed": true, "dice": [] }),
        ),
        ("akrpg_check", "/check", json!({ "ruleset": "akrpg", "pool": 3, "difficulty": 2, "dice": [6, 4, 1] })),
        (
            "gift_and_skill_the_dagger_of_the_book",
            "/damage",
            json!({ "ruleset": "gift_and_skill", "target": { "health": 100 }, "weapon": "dagger",
                    "attack": { "attacker": { "gift": 3, "skill": 2 }, "defender": { "gift": 2, "skill": 1 } }, "dice": [2, 1, 5, 6] }),
        ),
        (
            "coyote_and_crow_fire_with_fortitude",
            "/damage",
            json!({ "ruleset": "coyote_and_crow",
                    "target": { "stats": { "strength": 2, "agility": 2, "endurance": 4, "intelligence": 2, "perception": 2, "wisdom": 3, "spirit": 2, "charisma": 2, "will": 3 },
                                "body": 2, "mind": 7, "soul": 7 },
                    "attack": { "kind": "fire", "successes": 3, "rank": 3, "reaction_pool": 3, "fortitude": 1 }, "dice": [8, 9, 2] }),
        ),
        (
            "uesrpg_the_zombie_of_the_book",
            "/damage",
            json!({ "ruleset": "uesrpg",
                    "target": { "hp": 20, "max_hp": 20, "strength": 40, "endurance": 30, "agility": 20, "willpower": 10,
                                "traits": [{ "trait": "resistance", "type": "magic", "value": 1 }, { "trait": "weakness", "type": "fire", "value": 3 }] },
                    "attack": { "attack_roll": 43, "components": [{ "type": "fire", "amount": 5 }] }, "dice": [] }),
        ),
        (
            "srd_5e_cold_breath_and_concentration",
            "/damage",
            json!({ "ruleset": "srd_5e",
                    "target": { "max_hp": 40, "hp": 40, "resistances": ["cold"], "concentration": true, "con_save": 4 },
                    "hits": [{ "components": [{ "type": "cold", "roll": "6d8" }],
                               "save": { "dc": 14, "ability": "constitution", "modifiers": [4] } }],
                    "concentration_save": {}, "dice": [7, 6, 5, 4, 4, 2, 12, 5] }),
        ),
        (
            "srd_5e_two_blows_bring_down_and_fail_death_saves",
            "/damage",
            json!({ "ruleset": "srd_5e", "target": { "max_hp": 22, "hp": 9, "temp_hp": 3 },
                    "hits": [{ "attack": "melee", "components": [{ "type": "slashing", "roll": "1d8+4" }, { "type": "fire", "amount": 3 }] },
                             { "attack": "melee", "components": [{ "type": "slashing", "roll": "1d8+4" }] }],
                    "dice": [6, 3, 5] }),
        ),
        (
            "srd_5e_death_save_with_bless",
            "/dying-tick",
            json!({ "ruleset": "srd_5e", "target": { "max_hp": 22, "hp": 0, "life": { "dying": { "successes": 2, "failures": 1 } } },
                    "bonus_roll": "1d4", "dice": [7, 3] }),
        ),
        (
            "srd_5e_short_rest",
            "/rest",
            json!({ "ruleset": "srd_5e",
                    "target": { "max_hp": 61, "hp": 20, "con_modifier": 2, "hit_dice": [{ "sides": 10, "total": 5 }, { "sides": 6, "total": 3, "left": 1 }] },
                    "kind": "short", "spend": [{ "sides": 10, "dice": 2 }, { "sides": 6, "dice": 1 }], "dice": [7, 4, 5] }),
        ),
        (
            "batch_hit_turn_and_dying",
            "/batch",
            json!({ "seed": "round 3", "operations": [
                { "verb": "damage", "request": { "ruleset": "akrpg", "target": { "hd": 2, "hp": 4, "def": 2 }, "hits": [{ "kind": "physical", "amount": 4 }, { "kind": "dot", "dice": 2 }] } },
                { "verb": "turn-tick", "target_from": 0, "request": { "ruleset": "akrpg" } },
                { "verb": "dying-tick", "target_from": 1, "request": { "ruleset": "akrpg" } },
                { "verb": "damge", "request": {} }] }),
        ),
        ("unknown_ruleset", "/damage", json!({ "ruleset": "akrgp", "target": {} })),
    ]
}

#[test]
fn whole_exchanges_are_as_pinned() {
    for (name, path, request) in exchanges() {
        let answer = send(
            "POST",
            path,
            &[("content-type", "application/json"), ("x-request-id", "golden")],
            request.to_string(),
        );
        let exchange =
            json!({ "request": { "path": path, "body": request }, "status": answer.status, "answer": answer.json() });
        pin(&format!("tests/golden/{name}.json"), &format!("{exchange:#}\n"));
    }
}

#[test]
fn no_pinned_exchange_is_forgotten() {
    let known: BTreeSet<_> = exchanges().into_iter().map(|(name, ..)| format!("{name}.json")).collect();
    let found =
        files("tests/golden", ".json").into_iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    assert_eq!(found.collect::<BTreeSet<_>>(), known);
}
