//! How long odds take in process. `compare.py` beside this file sets them against icepool.
#![allow(missing_docs, reason = "a benchmark is named for what it asks")]

use divan::{Bencher, black_box};
use scathe_rules::odds::{explore, repeat};
use scathe_rules::ruleset::Action;
use scathe_rules::rulesets::akrpg::Options;
use scathe_rules::rulesets::akrpg::check::{Roll, RollKind};
use scathe_rules::rulesets::akrpg::creature::{Creature, Downed, Life};
use scathe_rules::rulesets::akrpg::damage::{Damage, Hit, Kind};
use scathe_rules::rulesets::akrpg::dying::DyingTick;

fn main() {
    divan::main();
}

/// Physical hits of so many dice each.
fn hits(hits: usize, dice: i32) -> Damage {
    let hit = Hit { kind: Kind::Physical, amount: Some(dice), armor_piercing: None, dice: None, size: None };
    Damage { hits: vec![hit; hits] }
}

/// Someone with DEF 4 and so many shield dice.
fn guarded(shield: i32) -> Creature {
    Creature { hd: 10, hp: 60, shield, def: 4, ..Creature::example() }
}

fn all_ways<A: Action>(bencher: Bencher<'_, '_>, action: &A, target: &A::Target)
where
    A::Rules: scathe_rules::ruleset::Ruleset<Options = Options>,
{
    bencher.bench(|| explore(black_box(action), black_box(target).clone(), &Options::default(), &|| true));
}

#[divan::bench]
fn hit_of_8_dice(bencher: Bencher<'_, '_>) {
    all_ways(bencher, &hits(1, 8), &guarded(1));
}

#[divan::bench]
fn hit_of_20_dice(bencher: Bencher<'_, '_>) {
    all_ways(bencher, &hits(1, 20), &guarded(1));
}

#[divan::bench]
fn twenty_hits_of_8_dice(bencher: Bencher<'_, '_>) {
    all_ways(bencher, &hits(20, 8), &guarded(3));
}

#[divan::bench]
fn pool_of_500_dice(bencher: Bencher<'_, '_>) {
    all_ways(bencher, &Roll { kind: RollKind::Test, pool: 500, difficulty: Some(4) }, &());
}

#[divan::bench]
fn check_of_100_dice(bencher: Bencher<'_, '_>) {
    all_ways(bencher, &Roll { kind: RollKind::Check, pool: 100, difficulty: Some(50) }, &());
}

#[divan::bench]
fn six_rounds_of_dying(bencher: Bencher<'_, '_>) {
    let target = Creature { hp: -3, life: Some(Life::Downed(Downed { reserve: 4 })), ..Creature::example() };
    bencher.bench(|| repeat(&DyingTick {}, black_box(&target).clone(), &Options::default(), 6, &|| true, |_| {}));
}
