//! How long damage of the 5th-edition SRD takes in process, beside a hit of another game.
#![allow(missing_docs, reason = "a benchmark is named for what it asks")]

use divan::{Bencher, black_box};
use scathe_rules::dice::Given;
use scathe_rules::dice_text::DiceText;
use scathe_rules::odds::explore;
use scathe_rules::ruleset::{Action, OptionsOf, resolve};
use scathe_rules::rulesets::akrpg;
use scathe_rules::rulesets::srd_5e::creature::Creature;
use scathe_rules::rulesets::srd_5e::damage::{AttackKind, Component, Damage, Hit};
use scathe_rules::rulesets::srd_5e::damage_types::{DamageType, Defense};

fn main() {
    divan::main();
}

fn component(kind: DamageType, roll: DiceText) -> Component {
    Component { kind, amount: None, roll: Some(roll), magical: false, lowers_max_hp: false }
}

/// One hit of an attack with these components.
fn attack(critical: bool, components: Vec<Component>) -> Hit {
    Hit { components, attack: Some(AttackKind::Melee), critical, ..Hit::default() }
}

/// What the example of an action comes to with the dice that it shows.
fn example<A: Action>(bencher: Bencher<'_, '_>) {
    let example = A::example();
    let subject = || <A::Target as scathe_rules::ruleset::Subject<_>>::new(example.target.clone());
    bencher.bench(|| {
        let mut dice = Given::new(example.dice.clone());
        subject().map(|target| resolve(black_box(&example.action), target, &OptionsOf::<A>::default(), &mut dice))
    });
}

fn odds(bencher: Bencher<'_, '_>, hits: Vec<Hit>, target: &Creature) {
    let action = Damage { hits, concentration_save: None };
    bencher.bench(|| explore(black_box(&action), black_box(target).clone(), &Default::default(), &|| true));
}

#[divan::bench]
fn damage_of_akrpg(bencher: Bencher<'_, '_>) {
    example::<akrpg::damage::Damage>(bencher);
}

#[divan::bench]
fn damage_of_srd_5e(bencher: Bencher<'_, '_>) {
    example::<Damage>(bencher);
}

#[divan::bench]
fn odds_of_8d6_fire_with_resistance_and_20_temporary_hp(bencher: Bencher<'_, '_>) {
    let fireball = Hit { components: vec![component(DamageType::Fire, DiceText::new(8, 6, 0))], ..Hit::default() };
    let target = Creature { resistances: vec![Defense::Fire], temp_hp: 20, ..Creature::example() };
    odds(bencher, vec![fireball], &target);
}

#[divan::bench]
fn odds_of_three_attacks_one_of_them_critical(bencher: Bencher<'_, '_>) {
    let blow = |critical| {
        attack(
            critical,
            vec![
                component(DamageType::Slashing, DiceText::new(2, 6, 4)),
                component(DamageType::Fire, DiceText::new(1, 6, 0)),
            ],
        )
    };
    let target = Creature { max_hp: 60, hp: 60, temp_hp: 10, ..Creature::example() };
    odds(bencher, vec![blow(false), blow(true), blow(false)], &target);
}
