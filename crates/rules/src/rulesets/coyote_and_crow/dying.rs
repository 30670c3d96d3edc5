//! Dying: what happens at 0 and below, the roll each round, and first aid for the dying.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{CheckOutcome, Grade, SUCCESS_NUMBER, check, dice, grade, hold};
use super::conditions::ConditionKind;
use super::creature::{Creature, Stabilized, WillOrEndurance};
use super::events::cries;
use super::stats::Pool;
use super::{CoyoteAndCrow, Event, Options};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, NOT_DYING, Outcome, Refusal};
use crate::tray::Tray;

/// `dying` and `unconsciousness`: what has become of a creature that was as `before` when something
/// took points from it. A pool that lost some is no longer stable; below 0 it is dying, and the
/// creature unconscious; at exactly 0 one who is still awake must check. Answers the checks due. None
/// of this is news of the dead.
pub(super) fn thresholds(before: &Creature, creature: &mut Creature, tray: &mut Tray<'_, Event>) -> Vec<ConditionKind> {
    let mut due = Vec::new();
    if creature.dead {
        return due;
    }
    let lost = |creature: &Creature, pool| creature.points(pool) < before.points(pool);
    for pool in Pool::ALL {
        if lost(creature, pool) {
            creature.set_stabilized(pool, false, "dying", tray);
        }
        if creature.dies_of(pool) && !before.dies_of(pool) {
            tray.event(Event::Dying { pool });
        }
    }
    if creature.is_dying() {
        creature.faint("dying", tray);
    }
    let reached_zero = |pool| lost(creature, pool) && creature.points(pool) == 0;
    if !creature.unconscious && Pool::ALL.into_iter().any(reached_zero) {
        due.push(ConditionKind::StayConscious);
        tray.event(Event::CheckDue { check: ConditionKind::StayConscious });
    }
    for pool in Pool::ALL {
        if creature.at_death_threshold(pool) && !before.at_death_threshold(pool) {
            tray.event(Event::DeathThreshold { pool });
        }
    }
    due
}

/// Rolls for every pool that is dying, in the creature's turn.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::DyingTick)]
pub struct DyingTick {
    /// The stat to roll for each pool. Absent: the higher one.
    #[serde(default)]
    pub with: DyingWith,
}

/// The stat to roll for each pool that is dying. Absent: the higher one (R24). A pool that is not
/// dying is not rolled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::DyingWith)]
pub struct DyingWith {
    /// For body.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub body: Option<WillOrEndurance>,
    /// For mind.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub mind: Option<WillOrEndurance>,
    /// For soul.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub soul: Option<WillOrEndurance>,
}

impl Check for DyingTick {
    fn check(&self, _: &mut Faults) {}
}

/// What the rolls did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::DyingTickOutcome)]
pub struct DyingTickOutcome {
    /// The roll for each pool that was dying.
    pub pools: DyingRolls,
    /// The pools that are now at or below their negative stat.
    pub death_threshold: Vec<Pool>,
}

/// The roll for each pool that was dying; the others are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::DyingRolls)]
pub struct DyingRolls {
    /// For body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub body: Option<DyingRoll>,
    /// For mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub mind: Option<DyingRoll>,
    /// For soul.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub soul: Option<DyingRoll>,
}

/// The roll for one pool that was dying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::DyingRoll)]
pub struct DyingRoll {
    /// How it came out.
    pub grade: Grade,
    /// Points that the pool lost.
    pub lost: i32,
}

impl Outcome for DyingTickOutcome {}

impl Action for DyingTick {
    type Rules = CoyoteAndCrow;
    type Target = Creature;
    type Outcome = DyingTickOutcome;
    const NAME: &'static str = "dying-tick";
    const TITLE: &'static str = "Roll for dying";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        let refusal = || Refusal::because(&NOT_DYING, "No pool is below 0 and not stabilized.");
        (!creature.is_dying()).then(refusal)
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<DyingTickOutcome, Stop> {
        creature.lie_down(tray);
        let before = creature.clone();
        let DyingWith { body, mind, soul } = self.with;
        let pools = DyingRolls {
            body: dying_roll(Pool::Body, body, creature, options, tray)?,
            mind: dying_roll(Pool::Mind, mind, creature, options, tray)?,
            soul: dying_roll(Pool::Soul, soul, creature, options, tray)?,
        };
        thresholds(&before, creature, tray);
        Ok(DyingTickOutcome { pools, death_threshold: creature.death_thresholds() })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let DyingRolls { body, mind, soul } = done.outcome.pools;
        let rolls = [(Pool::Body, body), (Pool::Mind, mind), (Pool::Soul, soul)];
        let said: Vec<String> = rolls
            .into_iter()
            .filter_map(|(pool, roll)| {
                let DyingRoll { grade, lost } = roll?;
                let what = match (grade, lost) {
                    (Grade::CriticalSuccess, _) => "stabilized".to_owned(),
                    (_, 0) => "no change".to_owned(),
                    (_, lost) => format!("{lost} lost"),
                };
                Some(format!("{} {}, {what} ({})", pool.name(), grade.name(), done.after.points(pool)))
            })
            .collect();
        format!("Dying: {}.{}", said.join("; "), cries(&done.events))
    }

    fn example() -> Example<Self> {
        let target = Creature { body: -2, soul: -1, unconscious: true, ..Creature::example() };
        let with = DyingWith { body: Some(WillOrEndurance::Endurance), ..DyingWith::default() };
        Example { action: Self { with }, target: Some(target), dice: vec![1, 3, 6, 12, 8, 2, 5] }
    }
}

/// `dying`: one roll for one pool, if it is dying.
fn dying_roll(
    pool: Pool,
    with: Option<WillOrEndurance>,
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Option<DyingRoll>, Stop> {
    if !creature.dies_of(pool) {
        return Ok(None);
    }
    let before = creature.points(pool);
    let grade = grade(dice(WillOrEndurance::dice(with, creature), "dying"), options, tray)?;
    match grade {
        Grade::CriticalFailure => creature.set_points(pool, before - 2, "dying", tray),
        Grade::Failure => creature.set_points(pool, before - 1, "dying", tray),
        Grade::Success => {}
        Grade::CriticalSuccess => stable(pool, "dying", creature, tray),
    }
    Ok(Some(DyingRoll { grade, lost: before - creature.points(pool) }))
}

/// `dying`: a pool below 0 is stable from now on.
fn stable(pool: Pool, rule: &'static str, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    if creature.set_stabilized(pool, true, rule, tray) {
        tray.event(Event::Stabilized { pool });
    }
}

/// First aid by another on someone whose body is dying (W).
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Stabilize)]
pub struct Stabilize {
    /// How many dice the helper rolls.
    #[schema(minimum = 0, maximum = 1000)]
    pub pool: i32,
    /// Against which number; held to 2 to 12.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false, default = 8)]
    pub success_number: Option<i32>,
}

impl Check for Stabilize {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/pool", self.pool, 0..=RATING);
        faults.bounds_if("/success_number", self.success_number, -RATING..=RATING);
    }
}

/// What the first aid did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::StabilizeOutcome)]
pub struct StabilizeOutcome {
    /// The helper's check.
    pub check: CheckOutcome,
    /// Whether body is stable.
    pub stabilized: bool,
    /// Points that body lost.
    pub body_lost: i32,
}

impl Outcome for StabilizeOutcome {}

impl Action for Stabilize {
    type Rules = CoyoteAndCrow;
    type Target = Creature;
    type Outcome = StabilizeOutcome;
    const NAME: &'static str = "stabilize";
    const TITLE: &'static str = "Stabilize a dying creature";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        let refusal =
            || Refusal::because(&NOT_DYING, "Body is not below 0, or it is stabilized; first aid helps body only.");
        (!creature.dies_of(Pool::Body)).then(refusal)
    }

    /// `stabilize` (W): a success spares body this round's loss, a critical one makes it stable, a
    /// critical failure costs it a point.
    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<StabilizeOutcome, Stop> {
        creature.lie_down(tray);
        let before = creature.clone();
        let success_number = hold(self.success_number.unwrap_or(SUCCESS_NUMBER), tray);
        let check = check(dice(self.pool, "stabilize"), success_number, options, tray)?;
        match check.grade {
            Grade::CriticalFailure => creature.set_points(Pool::Body, before.body - 1, "stabilize", tray),
            Grade::Failure => {}
            Grade::Success => tray.event(Event::NoLossThisRound),
            Grade::CriticalSuccess => stable(Pool::Body, "stabilize", creature, tray),
        }
        thresholds(&before, creature, tray);
        Ok(StabilizeOutcome { check, stabilized: creature.stabilized.body, body_lost: before.body - creature.body })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let what = match done.outcome.check.grade {
            Grade::CriticalFailure => format!("body {} → {}", done.before.body, done.after.body),
            Grade::Failure => "no help".to_owned(),
            Grade::Success => "no loss this round".to_owned(),
            Grade::CriticalSuccess => "stabilized".to_owned(),
        };
        format!("First aid, {}: {what}.{}", done.outcome.check.grade.name(), cries(&done.events))
    }

    fn example() -> Example<Self> {
        let stabilized = Stabilized { soul: true, ..Stabilized::default() };
        let target = Creature { body: -2, soul: -1, stabilized, unconscious: true, ..Creature::example() };
        let action = Self { pool: 3, success_number: Some(9) };
        Example { action, target: Some(target), dice: vec![12, 4, 1, 9] }
    }
}
