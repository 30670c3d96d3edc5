//! Damage: from the attack to lost points, in the order of the book.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{CheckOutcome, Grade, SIDES, SUCCESS_NUMBER, check, dice, hold};
use super::conditions::{ConditionKind, STUN_SUCCESSES};
use super::creature::{Creature, Defense, HOTTEST};
use super::dying::thresholds;
use super::events::cries;
use super::stats::{Pool, Stat};
use super::tables::{Column, stat_hit};
use super::{CoyoteAndCrow, Event, Options};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::{Ask, By, Stop};
use crate::ruleset::{Action, Done, Example, Outcome, Parts};
use crate::tray::Tray;

/// The height of a fall is divided by this (R6).
const HEIGHT_TO_A_POINT: i32 = 5;

/// Carries out one attack, or one fall, poison or extreme environment.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Damage)]
pub struct Damage {
    /// What hits the creature.
    pub attack: Attack,
}

/// What hits a creature. An attack has either a `pool`, and the check is rolled here, or the
/// `successes` that the table rolled; falls, poisons and environments have neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Attack)]
pub struct Attack {
    /// What kind of damage.
    pub kind: Kind,
    /// The dice of the attack's check.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub pool: Option<i32>,
    /// The total of the attack's check, if the table rolled it.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false)]
    pub successes: Option<i32>,
    /// With `pool`: the success number in place of the creature's defense. For `environmental`: that
    /// of the survival check, 8 unless said. Refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false)]
    pub success_number: Option<i32>,
    /// With `successes`: whether they are a critical success. Refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, default = false)]
    pub critical: Option<bool>,
    /// With `successes` of `non_lethal` damage: whether the check was a critical failure, which a
    /// total below 0 is anyway. Refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, default = false)]
    pub critical_failure: Option<bool>,
    /// For `fire`: its rank, required. Refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 5, nullable = false)]
    pub rank: Option<i32>,
    /// For `falling`: the height. Required there, refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub height: Option<i32>,
    /// For `poison` and `environmental`: the points of damage. Required there, refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub amount: Option<i32>,
    /// For `poison` and `environmental`: the pool that the damage comes off. Refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, default = "body")]
    pub to: Option<Pool>,
    /// The dice of the creature's own check: against burning for `fire`, against the stun for
    /// `electrical`, athletics for `falling`, survival for `environmental`. Required there, refused
    /// otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub reaction_pool: Option<i32>,
    /// For `electrical`: how many successes it takes not to be stunned (R22). Refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false, default = 3)]
    pub reaction_needed: Option<i32>,
    /// How many points of damage to body are taken from soul instead, at most. Refused where the
    /// damage is not to body.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false, default = 0)]
    pub fortitude: Option<i32>,
    /// If the attack also deals stat damage: by which column of the table.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stat_damage: Option<Column>,
}

/// The kinds of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::Kind)]
pub enum Kind {
    /// To body.
    Physical,
    /// To body, and may set the creature on fire.
    Fire,
    /// To body, and a critical hit makes stats vulnerable.
    Cold,
    /// To body, and may stun.
    Electrical,
    /// To body, by the height of a fall; no attack is rolled.
    Falling,
    /// To body, but not below 0.
    NonLethal,
    /// To mind.
    Mental,
    /// To soul.
    Spiritual,
    /// As the poison lists it; no attack is rolled.
    Poison,
    /// As the Story Guide says, if a survival check fails; no attack is rolled.
    Environmental,
}

impl Kind {
    /// The kind, as a sentence begins with it.
    fn title(self) -> &'static str {
        match self {
            Self::Physical => "Physical",
            Self::Fire => "Fire",
            Self::Cold => "Cold",
            Self::Electrical => "Electrical",
            Self::Falling => "Falling",
            Self::NonLethal => "Non-lethal",
            Self::Mental => "Mental",
            Self::Spiritual => "Spiritual",
            Self::Poison => "Poison",
            Self::Environmental => "Environmental",
        }
    }

    /// Whether an attack's check decides.
    fn is_attack(self) -> bool {
        !matches!(self, Self::Falling | Self::Poison | Self::Environmental)
    }

    /// Whether the creature makes a check of its own.
    fn has_reaction(self) -> bool {
        matches!(self, Self::Fire | Self::Electrical | Self::Falling | Self::Environmental)
    }

    /// Whether the damage is so many points.
    fn has_amount(self) -> bool {
        matches!(self, Self::Poison | Self::Environmental)
    }
}

impl Attack {
    /// An attack of this kind with nothing else said.
    fn of(kind: Kind) -> Self {
        Self {
            kind,
            pool: None,
            successes: None,
            success_number: None,
            critical: None,
            critical_failure: None,
            rank: None,
            height: None,
            amount: None,
            to: None,
            reaction_pool: None,
            reaction_needed: None,
            fortitude: None,
            stat_damage: None,
        }
    }

    /// The pool that the damage comes off.
    fn hits(&self) -> Pool {
        match self.kind {
            Kind::Physical | Kind::Fire | Kind::Cold | Kind::Electrical | Kind::Falling | Kind::NonLethal => Pool::Body,
            Kind::Mental => Pool::Mind,
            Kind::Spiritual => Pool::Soul,
            Kind::Poison | Kind::Environmental => self.to.unwrap_or(Pool::Body),
        }
    }

    /// The dice of the creature's own check.
    fn reaction(&self, why: &'static str) -> Ask {
        dice(self.reaction_pool.unwrap_or(0), why).by(By::Target)
    }

    /// Adds the faults of members that do not go with the kind, or are missing from it.
    fn check_kind(&self, faults: &mut Faults) {
        let kind = self.kind;
        if kind == Kind::Fire {
            faults.missing("/rank", self.rank.as_ref(), "is required for kind fire");
        } else {
            faults.stray("/rank", self.rank.as_ref(), "belongs to kind fire");
        }
        if kind == Kind::Falling {
            faults.missing("/height", self.height.as_ref(), "is required for kind falling");
        } else {
            faults.stray("/height", self.height.as_ref(), "belongs to kind falling");
        }
        if kind.has_amount() {
            faults.missing("/amount", self.amount.as_ref(), "is required for kinds poison and environmental");
        } else {
            faults.stray("/amount", self.amount.as_ref(), "belongs to kinds poison and environmental");
            faults.stray("/to", self.to.as_ref(), "belongs to kinds poison and environmental");
        }
        let with_reaction = "kinds fire, electrical, falling and environmental";
        if kind.has_reaction() {
            let detail = format!("is required for {with_reaction}");
            faults.missing("/reaction_pool", self.reaction_pool.as_ref(), &detail);
        } else {
            faults.stray("/reaction_pool", self.reaction_pool.as_ref(), &format!("belongs to {with_reaction}"));
        }
        if kind != Kind::Electrical {
            faults.stray("/reaction_needed", self.reaction_needed.as_ref(), "belongs to kind electrical");
        }
        if self.hits() != Pool::Body {
            faults.stray("/fortitude", self.fortitude.as_ref(), "only takes the place of damage to body");
        }
    }

    /// Adds the faults of members about the attack's check.
    fn check_attack(&self, faults: &mut Faults) {
        if self.kind.is_attack() {
            match (self.pool, self.successes) {
                (None, None) => faults.add("/pool", "is required unless `successes` are given"),
                (Some(_), Some(_)) => faults.add("/successes", "does not go with `pool`"),
                (Some(_), None) | (None, Some(_)) => {}
            }
        } else {
            faults.stray("/pool", self.pool.as_ref(), "does not go with this kind: no attack is rolled");
            faults.stray("/successes", self.successes.as_ref(), "does not go with this kind: no attack is rolled");
        }
        if self.pool.is_none() && self.kind != Kind::Environmental {
            faults.stray("/success_number", self.success_number.as_ref(), "goes with `pool` or kind environmental");
        }
        match self.successes {
            None => faults.stray("/critical", self.critical.as_ref(), "goes with `successes`"),
            Some(..=0) if self.critical == Some(true) => {
                faults.add("/critical", "cannot be: a critical success has at least 1 success")
            }
            Some(_) => {}
        }
        if self.successes.is_none() || self.kind != Kind::NonLethal {
            let detail = "goes with `successes` of kind non_lethal";
            faults.stray("/critical_failure", self.critical_failure.as_ref(), detail);
        } else if self.critical == Some(true) && self.critical_failure == Some(true) {
            faults.add("/critical_failure", "cannot be: the check is a critical success");
        }
    }
}

impl Check for Attack {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/pool", self.pool, 0..=RATING);
        faults.bounds_if("/successes", self.successes, -RATING..=RATING);
        faults.bounds_if("/success_number", self.success_number, -RATING..=RATING);
        faults.bounds_if("/rank", self.rank, 1..=HOTTEST);
        faults.bounds_if("/height", self.height, 0..=RATING);
        faults.bounds_if("/amount", self.amount, 0..=RATING);
        faults.bounds_if("/reaction_pool", self.reaction_pool, 0..=RATING);
        faults.bounds_if("/reaction_needed", self.reaction_needed, 0..=RATING);
        faults.bounds_if("/fortitude", self.fortitude, 0..=RATING);
        self.check_kind(faults);
        self.check_attack(faults);
    }
}

impl Check for Damage {
    fn check(&self, faults: &mut Faults) {
        faults.within("/attack", |faults| self.attack.check(faults));
    }
}

/// What the attack did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::DamageOutcome)]
pub struct DamageOutcome {
    /// The attack's check; `null` if the table rolled it or none was called for.
    pub check: Option<CheckOutcome>,
    /// The damage, before fortitude and before what non-lethal damage leaves.
    pub damage: i32,
    /// Points that body lost.
    pub body_lost: i32,
    /// Points that mind lost.
    pub mind_lost: i32,
    /// Points that soul lost.
    pub soul_lost: i32,
    /// The creature's own check; `null` if none was called for.
    pub reaction: Option<Reaction>,
    /// The stat damage, in order: for cold damage, then for the attack's own. Left out of odds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stat_damage: Option<Vec<StatDamage>>,
    /// The checks that the creature must now make, by `kind` of `POST /condition-check`.
    pub checks_due: Vec<ConditionKind>,
    /// The pools that are now at or below their negative stat.
    pub death_threshold: Vec<Pool>,
}

/// The creature's own check against what hits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::Reaction)]
pub struct Reaction {
    /// Successes, less one for each 1 on a standard die. Left out of odds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub total: Option<i32>,
    /// How that is called.
    pub grade: Grade,
    /// Whether that was enough: not to burn, not to be stunned, to bear the environment. Of a fall:
    /// whether no damage is left.
    pub enough: bool,
}

impl Reaction {
    fn of(check: CheckOutcome, enough: bool) -> Self {
        Self { total: Some(check.total), grade: check.grade, enough }
    }
}

/// One die on the table of stat damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::StatDamage)]
pub struct StatDamage {
    /// What it showed.
    pub face: i32,
    /// The stat that this hits. It lost a point unless it was 0.
    pub stat: Stat,
}

impl Outcome for DamageOutcome {
    fn totals(self) -> Self {
        let reaction = self.reaction.map(|reaction| Reaction { total: None, ..reaction });
        Self { reaction, stat_damage: None, ..self }
    }
}

/// An attack, before it takes anything.
struct Strike {
    check: Option<CheckOutcome>,
    reaction: Option<Reaction>,
    damage: i32,
    /// Whether there is more to come; else nothing happens.
    lands: bool,
    /// Whether it is a critical success.
    critical: bool,
}

impl Action for Damage {
    type Rules = CoyoteAndCrow;
    type Target = Creature;
    type Outcome = DamageOutcome;
    const NAME: &'static str = "damage";
    const TITLE: &'static str = "Deal damage";
    const ON_THE_DEAD: bool = true;

    fn read_parts(parts: &mut impl Parts) {
        parts.part::<Attack>("/attack");
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<DamageOutcome, Stop> {
        creature.lie_down(tray);
        let before = creature.clone();
        let attack = &self.attack;
        let mut strike = match attack.kind {
            Kind::Falling => falling(attack, options, tray)?,
            Kind::Environmental => environmental(attack, options, tray)?,
            Kind::Poison => poison(attack, tray),
            _ => damage_check(attack, creature, options, tray)?,
        };
        let mut stat_damage = Vec::new();
        if strike.lands {
            match attack.kind {
                Kind::Fire => strike.reaction = Some(fire(attack, creature, options, tray)?),
                Kind::Cold => cold(&strike, creature, tray),
                Kind::Electrical => strike.reaction = Some(electrical(attack, &strike, creature, options, tray)?),
                _ => {}
            }
            match attack.hits() {
                Pool::Body => body_damage(strike.damage, attack, creature, tray),
                Pool::Mind => creature.set_points(Pool::Mind, before.mind - strike.damage, "mental", tray),
                Pool::Soul => creature.set_points(Pool::Soul, before.soul - strike.damage, "spiritual", tray),
            }
            if before.cold_damage && strike.critical {
                stat_damage.push(lose_stat(Column::of(attack.hits()), "cold", creature, tray)?);
            }
            if let Some(column) = attack.stat_damage {
                stat_damage.push(lose_stat(column, "stat_damage", creature, tray)?);
            }
        }
        let checks_due = thresholds(&before, creature, tray);
        Ok(DamageOutcome {
            check: strike.check,
            damage: strike.damage,
            body_lost: before.body - creature.body,
            mind_lost: before.mind - creature.mind,
            soul_lost: before.soul - creature.soul,
            reaction: strike.reaction,
            stat_damage: Some(stat_damage),
            checks_due,
            death_threshold: creature.death_thresholds(),
        })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let outcome = &done.outcome;
        let mut said = Vec::new();
        if let Some(check) = outcome.check {
            said.push(check.grade.name().to_owned());
        }
        if let Some(reaction) = outcome.reaction {
            said.push(reaction_words(&self.attack, reaction, &done.before).to_owned());
        }
        let moved = done.after.moved(&done.before);
        if moved.is_empty() && done.before.stats == done.after.stats {
            said.push("nothing lost".to_owned());
        }
        said.extend(moved);
        let mut stats = done.before.stats;
        for hit in outcome.stat_damage.iter().flatten() {
            let (stat, points) = (hit.stat.name(), stats.of_mut(hit.stat));
            if *points == 0 {
                said.push(format!("{stat} is already 0"));
            } else {
                said.push(format!("{stat} {points} → {}", *points - 1));
                *points -= 1;
            }
        }
        format!("{}, {} damage: {}.{}", self.attack.kind.title(), outcome.damage, said.join(", "), cries(&done.events))
    }

    fn example() -> Example<Self> {
        let attack = Attack {
            pool: Some(3),
            rank: Some(2),
            reaction_pool: Some(2),
            fortitude: Some(1),
            ..Attack::of(Kind::Fire)
        };
        let target = Creature {
            body: 4,
            defense: Some(Defense { physical: 3, mental: 0, spiritual: 0 }),
            ..Creature::example()
        };
        Example { action: Self { attack }, target: Some(target), dice: vec![12, 9, 1, 10, 8, 3] }
    }
}

/// What the creature's own check means for one who was as `before`.
fn reaction_words(attack: &Attack, reaction: Reaction, before: &Creature) -> &'static str {
    let rank = attack.rank.unwrap_or(1);
    match (attack.kind, reaction.enough) {
        (Kind::Fire, true) if before.burning == 0 => "keeps from catching fire",
        (Kind::Fire, false) if before.burning == 0 => "set on fire",
        (Kind::Fire, false) if before.burning < rank => "burns higher",
        (Kind::Fire, _) => "burns already",
        (Kind::Electrical, _) if before.stunned => "stunned already",
        (Kind::Electrical, true) => "resists the stun",
        (Kind::Electrical, false) => "stunned",
        (Kind::Environmental, true) => "survival succeeds",
        (Kind::Environmental, false) => "survival fails",
        (_, true) => "no damage is left",
        (_, false) => "athletics does not prevent all of it",
    }
}

/// `defense` (W): two stats and gear, held to what a success number can be. The stats of the
/// unconscious and of the dead add nothing; of the stunned's defense nothing is left, gear included
/// (R17).
fn defense(pool: Pool, creature: &Creature, options: &Options, tray: &mut Tray<'_, Event>) -> i32 {
    let mut number = 0;
    tray.step("success_number", &mut number, creature.stats.sum(&pool.defense_stats()), "defense");
    if creature.unconscious || creature.dead {
        tray.step("success_number", &mut number, 0, "unconsciousness");
    }
    if creature.stunned && options.stun_keeps_gear {
        tray.step("success_number", &mut number, 0, "stun");
    }
    if let Some(gear) = creature.gear(pool) {
        let with_gear = number + gear;
        tray.step("success_number", &mut number, with_gear, "defense");
    }
    if creature.stunned && !options.stun_keeps_gear {
        tray.step("success_number", &mut number, 0, "stun");
    }
    hold(number, tray)
}

/// `damage_check`: each success is a point of damage; without one nothing else happens.
fn damage_check(
    attack: &Attack,
    creature: &Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Strike, Stop> {
    let (check, total, critical) = match attack.pool {
        Some(pool) => {
            let success_number = match attack.success_number {
                Some(number) => hold(number, tray),
                None => defense(attack.hits(), creature, options, tray),
            };
            let rolled = check(dice(pool, "damage_check").by(By::Attacker), success_number, options, tray)?;
            (Some(rolled), rolled.total, rolled.grade == Grade::CriticalSuccess)
        }
        None => (None, attack.successes.unwrap_or(0), attack.critical == Some(true)),
    };
    let mut damage = 0;
    tray.step("damage", &mut damage, total.max(0), "damage_check");
    if attack.kind == Kind::NonLethal && (total < 0 || attack.critical_failure == Some(true)) {
        tray.event(Event::MayBeLethal);
    }
    Ok(Strike { check, reaction: None, damage, lands: damage > 0, critical })
}

/// `fire`: with fewer successes than its rank the creature burns.
fn fire(
    attack: &Attack,
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Reaction, Stop> {
    let rank = attack.rank.unwrap_or(1);
    let rolled = check(attack.reaction("fire"), SUCCESS_NUMBER, options, tray)?;
    let reaction = Reaction::of(rolled, rolled.total >= rank);
    let burning = creature.burning.max(rank);
    if !reaction.enough && tray.change("/burning", &mut creature.burning, burning, "fire") {
        tray.event(Event::Burning);
    }
    Ok(reaction)
}

/// `cold`: a critical hit leaves cold damage. It costs no stat itself (R20).
fn cold(strike: &Strike, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    if strike.critical {
        tray.change("/cold_damage", &mut creature.cold_damage, true, "cold");
    }
}

/// `electrical`: with too few successes the creature is stunned (R22). Whether a critical success
/// kills is for the table to say.
fn electrical(
    attack: &Attack,
    strike: &Strike,
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Reaction, Stop> {
    if strike.critical {
        tray.event(Event::InstantDeathPossible);
    }
    let rolled = check(attack.reaction("electrical"), SUCCESS_NUMBER, options, tray)?;
    let reaction = Reaction::of(rolled, rolled.total >= attack.reaction_needed.unwrap_or(STUN_SUCCESSES));
    if !reaction.enough && tray.change("/stunned", &mut creature.stunned, true, "electrical") {
        tray.event(Event::Stunned);
    }
    Ok(reaction)
}

/// `falling`: a fifth of the height without its fraction (R6), less one for each success.
fn falling(attack: &Attack, options: &Options, tray: &mut Tray<'_, Event>) -> Result<Strike, Stop> {
    let mut damage = 0;
    tray.step("damage", &mut damage, attack.height.unwrap_or(0) / HEIGHT_TO_A_POINT, "falling");
    let rolled = check(attack.reaction("falling"), SUCCESS_NUMBER, options, tray)?;
    let left = (damage - rolled.total.max(0)).max(0);
    tray.step("damage", &mut damage, left, "falling");
    let reaction = Some(Reaction::of(rolled, left == 0));
    Ok(Strike { check: None, reaction, damage, lands: damage > 0, critical: false })
}

/// `poison`: as much damage as it lists.
fn poison(attack: &Attack, tray: &mut Tray<'_, Event>) -> Strike {
    let mut damage = 0;
    tray.step("damage", &mut damage, attack.amount.unwrap_or(0), "poison");
    Strike { check: None, reaction: None, damage, lands: true, critical: false }
}

/// `environmental`: a survival check, and damage only if it fails.
fn environmental(attack: &Attack, options: &Options, tray: &mut Tray<'_, Event>) -> Result<Strike, Stop> {
    let success_number = hold(attack.success_number.unwrap_or(SUCCESS_NUMBER), tray);
    let rolled = check(attack.reaction("environmental"), success_number, options, tray)?;
    let reaction = Reaction::of(rolled, rolled.grade.succeeds());
    let mut damage = 0;
    let dealt = if reaction.enough { 0 } else { attack.amount.unwrap_or(0) };
    tray.step("damage", &mut damage, dealt, "environmental");
    Ok(Strike { check: None, reaction: Some(reaction), damage, lands: !reaction.enough, critical: false })
}

/// Damage to body: fortitude first, then what non-lethal damage leaves.
fn body_damage(mut damage: i32, attack: &Attack, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    fortitude(&mut damage, attack.fortitude, creature, tray);
    if attack.kind == Kind::NonLethal {
        let most = damage.min(creature.body.max(0));
        tray.step("damage", &mut damage, most, "non_lethal");
    }
    creature.set_points(Pool::Body, creature.body - damage, "physical", tray);
}

/// `fortitude`: takes up to so many points of damage from soul instead, one for one (R12).
pub(super) fn fortitude(damage: &mut i32, fortitude: Option<i32>, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    if let Some(most) = fortitude {
        let taken = most.min(*damage);
        tray.step("damage", damage, *damage - taken, "fortitude");
        creature.set_points(Pool::Soul, creature.soul - taken, "fortitude", tray);
    }
}

/// `stat_damage`: the table picks a stat, which loses a point unless it is 0 (R19). A pool above its
/// new maximum drops to it, with any excess that it had (R28).
fn lose_stat(
    column: Column,
    rule: &'static str,
    creature: &mut Creature,
    tray: &mut Tray<'_, Event>,
) -> Result<StatDamage, Stop> {
    let face = tray.shown(Ask::new(rule, 1, SIDES).by(By::Target))?;
    let stat = stat_hit(face, column);
    if creature.stats.of(stat) > 0 {
        creature.move_stat(stat, -1, rule, tray);
        let pool = stat.pool();
        if creature.points(pool) > creature.max(pool) {
            creature.set_points(pool, creature.max(pool), rule, tray);
        }
        if creature.stats.of(stat) == 0 {
            tray.event(Event::StatAtZero { stat });
        }
    }
    Ok(StatDamage { face, stat })
}
