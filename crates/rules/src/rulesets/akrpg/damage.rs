//! Damage: from the damage roll to lost HP, in the order of the book.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{dice, is_rolled, test};
use super::creature::Creature;
use super::shield::{shield, shield_die};
use super::{Akrpg, Event, Options};
use crate::check::{Check, DICE, Faults, LIST, POINTS, RATING, given};
use crate::dice::{By, Stop};
use crate::ruleset::{Action, Done, Example, Outcome, Parts, Refusal};
use crate::tray::Tray;
use crate::words::count;

/// Several instances of damage, each through the whole chain on the state that the one before left.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = akrpg::Damage)]
pub struct Damage {
    /// The instances, in order.
    #[schema(min_items = 1, max_items = 100)]
    pub hits: Vec<Hit>,
}

/// One instance of damage, or dice for the Damage Over Time tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = akrpg::Hit)]
pub struct Hit {
    /// What kind of damage.
    pub kind: Kind,
    /// How much: dice of the damage roll for physical and arts damage, points for true and elemental.
    /// Required for all of these, refused for `dot`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub amount: Option<i32>,
    /// Lowers a positive DEF for this hit, not below 1. Without effect on other kinds than physical,
    /// refused for `dot`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false, default = 0)]
    pub armor_piercing: Option<i32>,
    /// For `dot`: how many dice join the tracker. Refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100, nullable = false, default = 1)]
    pub dice: Option<i32>,
    /// For `dot`: what the new dice show, 6 (full) or 3 (half). Refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, default = "full")]
    pub size: Option<DotSize>,
}

/// The kinds of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = akrpg::Kind)]
pub enum Kind {
    /// Rolled against DEF.
    Physical,
    /// Rolled against RES.
    Arts,
    /// Not rolled; ignores defences, sanctuary and fragility.
    True,
    /// Not rolled; ignores defences; only under elemental injury.
    Elemental,
    /// Dice for the Damage Over Time tracker.
    Dot,
}

/// The two sizes of damage over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = akrpg::DotSize)]
pub enum DotSize {
    /// Dice showing 6.
    #[default]
    Full,
    /// Dice showing 3.
    Half,
}

impl DotSize {
    fn face(self) -> i32 {
        match self {
            Self::Full => 6,
            Self::Half => 3,
        }
    }
}

impl Hit {
    fn dot_dice(&self) -> i32 {
        self.dice.unwrap_or(1)
    }
}

impl Check for Hit {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/amount", self.amount, 0..=RATING);
        faults.bounds_if("/armor_piercing", self.armor_piercing, 0..=RATING);
        faults.bounds_if("/dice", self.dice, 0..=100);
        if self.kind == Kind::Dot {
            faults.stray("/amount", self.amount.as_ref(), "a dot has `dice`, no amount");
            faults.stray("/armor_piercing", self.armor_piercing.as_ref(), "a dot pierces nothing");
        } else {
            faults.missing("/amount", self.amount.as_ref(), "is required for every kind but dot");
            faults.stray("/dice", self.dice.as_ref(), "belongs to kind dot");
            faults.stray("/size", self.size.as_ref(), "belongs to kind dot");
        }
    }
}

impl Check for Damage {
    fn check(&self, faults: &mut Faults) {
        faults.length("/hits", &self.hits, 1..=LIST);
        faults.each("/hits", &self.hits);
        let rolled = self.hits.iter().filter(|hit| matches!(hit.kind, Kind::Physical | Kind::Arts));
        // An amount that is out of bounds is told by itself.
        let amounts = rolled.filter_map(|hit| hit.amount).filter(|amount| (0..=RATING).contains(amount));
        let dice: i64 = amounts.map(i64::from).sum();
        if dice > DICE {
            faults.add("/hits", format!("call for {dice} dice together, but at most {DICE} may be thrown at once"));
        }
    }
}

/// What all instances did together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = akrpg::DamageOutcome)]
pub struct DamageOutcome {
    /// What each instance did, in order. Left out of odds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<HitOutcome>,
    /// Barrier points lost.
    pub barrier_lost: i32,
    /// Hit points lost.
    pub hp_lost: i32,
    /// Shield dice spent.
    pub shield_dice_lost: i32,
}

/// What one instance did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = akrpg::HitOutcome)]
pub enum HitOutcome {
    /// An instance of damage.
    Damage(DamageDealt),
    /// Dice for the tracker.
    Dot(DotAdded),
}

/// What one instance of damage did, step by step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = akrpg::DamageDealt)]
pub struct DamageDealt {
    /// The kind of damage.
    pub kind: Kind,
    /// How many damage dice were thrown.
    pub rolled: i32,
    /// The damage that pierced the defences.
    pub pierced: i32,
    /// The damage after fragility and sanctuary.
    pub modified: i32,
    /// The points that the shield took off.
    pub shielded: i32,
    /// Barrier points lost.
    pub barrier_lost: i32,
    /// Hit points lost.
    pub hp_lost: i32,
}

/// Dice that joined the Damage Over Time tracker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = akrpg::DotAdded)]
pub struct DotAdded {
    /// Always `dot`.
    pub kind: Kind,
    /// How many.
    pub dice_added: i32,
}

impl Outcome for DamageOutcome {
    fn then(&mut self, next: Self) {
        self.hits.extend(next.hits);
        self.barrier_lost += next.barrier_lost;
        self.hp_lost += next.hp_lost;
        self.shield_dice_lost += next.shield_dice_lost;
    }

    fn totals(mut self) -> Self {
        self.hits.clear();
        self
    }
}

impl Action for Damage {
    type Rules = Akrpg;
    type Target = Creature;
    type Outcome = DamageOutcome;
    const NAME: &'static str = "damage";
    const TITLE: &'static str = "Deal damage";
    const ON_THE_DEAD: bool = true;

    fn parts(&self) -> Vec<Self> {
        self.hits.iter().map(|&hit| Self { hits: vec![hit] }).collect()
    }

    fn read_parts(parts: &mut impl Parts) {
        parts.part::<Hit>("/hits");
    }

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        let mut faults = Faults::default();
        let mut length = creature.dot.len();
        for (index, hit) in self.hits.iter().enumerate().filter(|(_, hit)| hit.kind == Kind::Dot) {
            length = length.saturating_add_signed(hit.dot_dice() as isize);
            if length > LIST {
                faults.add(
                    &format!("/hits/{index}/dice"),
                    format!("would bring the tracker to {length} dice, but it holds {LIST}"),
                );
            }
        }
        (!faults.is_empty()).then_some(Refusal::Invalid(faults))
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<DamageOutcome, Stop> {
        let mut outcome = DamageOutcome { hits: Vec::new(), barrier_lost: 0, hp_lost: 0, shield_dice_lost: 0 };
        for hit in &self.hits {
            let shield_dice = creature.shield;
            let dealt = match hit.kind {
                Kind::Dot => HitOutcome::Dot(dot_add(hit, creature, tray)),
                _ => HitOutcome::Damage(deal(hit, creature, options, tray)?),
            };
            if let HitOutcome::Damage(dealt) = &dealt {
                outcome.barrier_lost += dealt.barrier_lost;
                outcome.hp_lost += dealt.hp_lost;
            }
            outcome.shield_dice_lost += shield_dice - creature.shield;
            outcome.hits.push(dealt);
        }
        Ok(outcome)
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let mut hp = done.before.hp;
        let mut sentences: Vec<String> = Vec::new();
        for (hit, dealt) in self.hits.iter().zip(&done.outcome.hits) {
            match dealt {
                HitOutcome::Dot(added) => {
                    sentences.push(format!("{} to the tracker.", count(added.dice_added, "die", "dice")))
                }
                HitOutcome::Damage(dealt) => {
                    let after = (hp - dealt.hp_lost).max(-POINTS);
                    sentences.push(sentence(hit, dealt, hp, after));
                    hp = after;
                }
            }
        }
        if done.events.contains(&Event::Downed) {
            sentences.push("Downed!".to_owned());
        }
        sentences.join(" ")
    }

    fn example() -> Example<Self> {
        let hit = Hit { kind: Kind::Physical, amount: Some(3), armor_piercing: None, dice: None, size: None };
        let target = Creature { hd: 2, hp: 12, shield: 1, def: 3, ..Creature::example() };
        Example { action: Self { hits: vec![hit] }, target: Some(target), dice: vec![6, 5, 1, 1] }
    }
}

/// What one instance did, in words.
fn sentence(hit: &Hit, dealt: &DamageDealt, before: i32, after: i32) -> String {
    let amount = hit.amount.unwrap_or(0);
    let pierce = if dealt.pierced == 1 { "pierces" } else { "pierce" };
    let mut said = Vec::new();
    let kind = match dealt.kind {
        Kind::Physical => "physical",
        Kind::Arts => "arts",
        Kind::Elemental => "elemental",
        Kind::True | Kind::Dot => "true",
    };
    if matches!(dealt.kind, Kind::Physical | Kind::Arts) {
        said.push(format!("{} {pierce}", dealt.pierced));
    }
    if dealt.kind == Kind::Elemental && dealt.pierced < amount {
        said.push("no elemental injury".to_owned());
    }
    if dealt.modified != dealt.pierced {
        said.push(format!("{} after fragility and sanctuary", dealt.modified));
    }
    if dealt.shielded > 0 {
        said.push(format!("the shield takes {}", dealt.shielded));
    }
    if dealt.barrier_lost > 0 {
        said.push(format!("the barrier takes {}", dealt.barrier_lost));
    }
    if dealt.hp_lost > 0 {
        said.push(format!("{} HP lost ({before} → {after})", dealt.hp_lost));
    } else {
        said.push("no HP lost".to_owned());
    }
    format!("{amount} {kind} damage: {}.", said.join(", "))
}

/// One instance of damage through the whole chain.
fn deal(
    hit: &Hit,
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<DamageDealt, Stop> {
    let amount = hit.amount.unwrap_or(0);
    let (mut damage, mut rolled) = (amount, 0);
    if matches!(hit.kind, Kind::Physical | Kind::Arts) {
        rolled = damage_roll(hit, creature, &mut damage, tray)?;
    } else if hit.kind == Kind::Elemental {
        elemental_damage(creature, &mut damage, tray);
    } else {
        tray.step("damage", &mut damage, amount, "true_damage");
    }
    let mut dealt = DamageDealt { rolled, pierced: damage, ..DamageDealt::nothing(hit.kind) };
    if hit.kind == Kind::Elemental && !creature.elemental_injury {
        return Ok(dealt);
    }
    if hit.kind != Kind::True {
        damage_modifiers(creature, &mut damage, tray);
    }
    dealt.modified = damage;
    dealt.shielded = shield(shield_die().by(By::Target), creature, &mut damage, tray)?;
    dealt.barrier_lost = barrier(creature, &mut damage, tray);
    dealt.hp_lost = health(creature, damage, options, tray);
    Ok(dealt)
}

impl DamageDealt {
    fn nothing(kind: Kind) -> Self {
        Self { kind, rolled: 0, pierced: 0, modified: 0, shielded: 0, barrier_lost: 0, hp_lost: 0 }
    }
}

/// `damage_roll`: a test of as many dice as the damage against DEF or RES; each success is a point
/// of damage. Answers how many dice were thrown.
fn damage_roll(hit: &Hit, creature: &Creature, damage: &mut i32, tray: &mut Tray<'_, Event>) -> Result<i32, Stop> {
    let difficulty = match hit.kind {
        Kind::Physical => armor_piercing(creature.def, hit.armor_piercing.unwrap_or(0), tray),
        _ => creature.res,
    };
    let rolled = if is_rolled(difficulty) { *damage } else { 0 };
    let successes = test(dice(*damage, "damage_roll").by(By::Attacker), difficulty, tray)?;
    tray.step("damage", damage, successes, "damage_roll");
    Ok(rolled)
}

/// `armor_piercing` (W): lowers a positive DEF, not below 1.
fn armor_piercing(def: i32, piercing: i32, tray: &mut Tray<'_, Event>) -> i32 {
    let mut effective = def;
    if piercing > 0 {
        let lowered = if def <= 0 { def } else { (def - piercing).max(1) };
        tray.step("def", &mut effective, lowered, "armor_piercing");
    }
    effective
}

/// `elemental_damage`: only under elemental injury.
fn elemental_damage(creature: &Creature, damage: &mut i32, tray: &mut Tray<'_, Event>) {
    let dealt = if creature.elemental_injury { *damage } else { 0 };
    tray.step("damage", damage, dealt, "elemental_damage");
    if !creature.elemental_injury {
        tray.event(Event::NoElementalInjury);
    }
}

/// `damage_modifiers`: + fragility − sanctuary, not below 0, and 0 stays 0 (R5).
fn damage_modifiers(creature: &Creature, damage: &mut i32, tray: &mut Tray<'_, Event>) {
    if creature.fragility > 0 || creature.sanctuary > 0 {
        let modified = if *damage == 0 { 0 } else { (*damage + creature.fragility - creature.sanctuary).max(0) };
        tray.step("damage", damage, modified, "damage_modifiers");
    }
}

/// `barrier`: takes as much of the damage as it has points. Answers the points lost.
pub(super) fn barrier(creature: &mut Creature, damage: &mut i32, tray: &mut Tray<'_, Event>) -> i32 {
    if creature.barrier == 0 {
        return 0;
    }
    let lost = creature.barrier.min(*damage);
    let left = creature.barrier - lost;
    tray.step("damage", damage, *damage - lost, "barrier");
    if tray.change("/barrier", &mut creature.barrier, left, "barrier") && left == 0 {
        tray.event(Event::BarrierBroken);
    }
    lost
}

/// `health`: what is left comes off HP, and at 0 or lower the creature is downed. Answers the HP lost.
pub(super) fn health(creature: &mut Creature, damage: i32, options: &Options, tray: &mut Tray<'_, Event>) -> i32 {
    let (before, after) = (creature.hp, (creature.hp - damage).max(-POINTS));
    tray.change("/hp", &mut creature.hp, after, "health");
    creature.fall(options, tray);
    before - after
}

/// `dot_add`: dice showing 6 (full) or 3 (half) join the tracker. They deal nothing by themselves.
fn dot_add(hit: &Hit, creature: &mut Creature, tray: &mut Tray<'_, Event>) -> DotAdded {
    let mut dot = creature.dot.clone();
    dot.extend((0..hit.dot_dice()).map(|_| hit.size.unwrap_or_default().face()));
    tray.change("/dot", &mut creature.dot, dot, "dot_add");
    DotAdded { kind: Kind::Dot, dice_added: hit.dot_dice() }
}
