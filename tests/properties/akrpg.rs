//! AKRPG, whatever the numbers.

use proptest::prelude::*;
use scathe_rules::dice::Given;
use scathe_rules::ruleset::{Action, Done, OptionsOf, Ruleset, resolve};
use scathe_rules::rulesets::akrpg::creature::{Condition, Creature, Downed, Life};
use scathe_rules::rulesets::akrpg::damage::{Damage, DotSize, Hit, HitOutcome, Kind};
use scathe_rules::rulesets::akrpg::healing::Heal;
use scathe_rules::rulesets::akrpg::turn::{Phase, TurnTick};
use scathe_rules::rulesets::akrpg::{Akrpg, Options};

fn creature() -> impl Strategy<Value = Creature> {
    let numbers = (1..=20i32, -30..=120i32, 0..=20i32, 0..=4i32, -2..=8i32, -2..=8i32);
    let more = (prop::collection::vec(1..=6i32, 0..=5), 0..=6i32, 0..=6i32, any::<bool>(), 0..=3i32, 1..=20i32);
    (numbers, more).prop_map(
        |((hd, hp, barrier, shield, def, res), (dot, sanctuary, fragility, elemental_injury, wounded, reserve))| {
            let hp = hp.min(6 * hd);
            let life = if hp > 0 { Life::Up } else { Life::Downed(Downed { reserve }) };
            let decaying = if fragility > 0 { vec![Condition::Fragility] } else { Vec::new() };
            Creature {
                hd,
                hp,
                barrier,
                shield,
                def,
                res,
                dot,
                sanctuary,
                fragility,
                decaying,
                elemental_injury,
                wounded,
                life: Some(life),
            }
        },
    )
}

fn hit() -> impl Strategy<Value = Hit> {
    let kind = prop::sample::select(vec![Kind::Physical, Kind::Arts, Kind::True, Kind::Elemental]);
    (kind, 0..=12i32, 0..=4i32).prop_map(|(kind, amount, piercing)| Hit {
        kind,
        amount: Some(amount),
        armor_piercing: Some(piercing),
        dice: None,
        size: None,
    })
}

/// Carries an action out with enough faces of a d6.
fn done<A>(action: &A, creature: &Creature, faces: &[u32]) -> Done<A>
where
    A: Action<Rules = Akrpg, Target = Creature>,
{
    let mut dice = Given::new(faces.to_vec());
    resolve(action, creature.clone(), &OptionsOf::<A>::default(), &mut dice).unwrap()
}

fn faces() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(1..=6u32, 120)
}

proptest! {
    #[test]
    fn barrier_and_hp_lost_are_the_damage_that_got_through(creature in creature(), hits in prop::collection::vec(hit(), 1..=4), faces in faces()) {
        let done = done(&Damage { hits }, &creature, &faces);
        let mut through = 0;
        for hit in &done.outcome.hits {
            let HitOutcome::Damage(dealt) = hit else { continue };
            prop_assert!(dealt.pierced >= 0 && dealt.modified >= 0 && dealt.shielded >= 0, "no number of damage is negative");
            prop_assert_eq!(dealt.barrier_lost + dealt.hp_lost, dealt.modified - dealt.shielded);
            through += dealt.barrier_lost + dealt.hp_lost;
        }
        prop_assert_eq!(creature.barrier - done.after.barrier, done.outcome.barrier_lost);
        prop_assert_eq!(creature.hp - done.after.hp, done.outcome.hp_lost);
        prop_assert_eq!(creature.shield - done.after.shield, done.outcome.shield_dice_lost);
        prop_assert_eq!(through, done.outcome.barrier_lost + done.outcome.hp_lost);
    }

    #[test]
    fn more_def_is_never_more_damage(creature in creature(), amount in 0..=12i32, faces in faces()) {
        let hit = Hit { kind: Kind::Physical, amount: Some(amount), armor_piercing: None, dice: None, size: None };
        // Without shield, whose die would be another one.
        let less = Creature { shield: 0, ..creature };
        let more = Creature { def: less.def + 1, ..less.clone() };
        let lost = |creature: &Creature| {
            let outcome = done(&Damage { hits: vec![hit] }, creature, &faces).outcome;
            outcome.barrier_lost + outcome.hp_lost
        };
        prop_assert!(lost(&more) <= lost(&less));
    }

    #[test]
    fn healing_stops_at_the_maximum_and_leaves_barrier_alone(creature in creature(), hp in 0..=200i32) {
        let done = done(&Heal { hp, barrier_dice: 0, shield_dice: 0, end_downed: false }, &creature, &[]);
        prop_assert!(done.after.hp <= 6 * creature.hd && done.after.hp >= creature.hp);
        prop_assert_eq!(done.after.barrier, creature.barrier);
        prop_assert_eq!(done.outcome.restored + done.outcome.wasted, hp);
        prop_assert_eq!(done.after.life, creature.life);
    }

    #[test]
    fn damage_over_time_is_the_sum_of_the_faces(creature in creature(), dice in 0..=20i32, half in any::<bool>()) {
        let size = if half { DotSize::Half } else { DotSize::Full };
        let hit = Hit { kind: Kind::Dot, amount: None, armor_piercing: None, dice: Some(dice), size: Some(size) };
        let mut creature = done(&Damage { hits: vec![hit] }, &creature, &[]).after;
        let sum: i32 = creature.dot.iter().sum();
        let mut lost = 0;
        while !creature.dot.is_empty() {
            let tick = done(&TurnTick { phase: Phase::Start }, &creature, &[]);
            lost += tick.outcome.hp_lost + tick.outcome.barrier_lost;
            creature = tick.after;
        }
        prop_assert_eq!(lost, sum);
    }

    #[test]
    fn a_creature_stays_valid(creature in creature(), hits in prop::collection::vec(hit(), 1..=4), faces in faces()) {
        let valid = |creature: &Creature| {
            let mut faults = scathe_rules::check::Faults::default();
            Akrpg::check(creature, &Options::default(), &mut faults);
            faults.is_empty()
        };
        prop_assert!(valid(&creature));
        let after = done(&Damage { hits }, &creature, &faces).after;
        prop_assert!(valid(&after));
    }
}
