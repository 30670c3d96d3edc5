//! The creature's own turn: bleeding at its start, burning at its end.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{CheckOutcome, check, dice, hold};
use super::conditions::ConditionKind;
use super::creature::Creature;
use super::damage::fortitude;
use super::dying::thresholds;
use super::events::cries;
use super::stats::Pool;
use super::{CoyoteAndCrow, Event, Options};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;

/// The success number against one instance of bleeding.
const BLEEDING: i32 = 7;

/// Does what is due at the start or the end of the creature's own turn.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::TurnTick)]
pub struct TurnTick {
    /// Which moment of the turn.
    #[serde(default)]
    #[schema(default = "start")]
    pub phase: Phase,
    /// How many points of the damage to body are taken from soul instead, at most.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false, default = 0)]
    pub fortitude: Option<i32>,
}

/// A moment of the turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::Phase)]
pub enum Phase {
    /// Bleeding; with `consciousness_every_round` also the check to stay conscious.
    #[default]
    Start,
    /// Burning.
    End,
}

impl Check for TurnTick {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/fortitude", self.fortitude, 0..=RATING);
    }
}

/// What the turn did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::TurnTickOutcome)]
pub struct TurnTickOutcome {
    /// The reaction roll against bleeding; `null` if none was called for.
    pub check: Option<CheckOutcome>,
    /// Points that body lost.
    pub body_lost: i32,
    /// Points that soul lost, by fortitude.
    pub soul_lost: i32,
    /// The checks that the creature must now make, by `kind` of `POST /condition-check`.
    pub checks_due: Vec<ConditionKind>,
    /// The pools that are now at or below their negative stat.
    pub death_threshold: Vec<Pool>,
}

impl Outcome for TurnTickOutcome {}

impl Action for TurnTick {
    type Rules = CoyoteAndCrow;
    type Target = Creature;
    type Outcome = TurnTickOutcome;
    const NAME: &'static str = "turn-tick";
    const TITLE: &'static str = "Start or end a turn";
    const ROUNDS: bool = true;

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<TurnTickOutcome, Stop> {
        creature.lie_down(tray);
        let before = creature.clone();
        let check = match self.phase {
            Phase::Start => self.bleeding(creature, options, tray)?,
            Phase::End => {
                self.burning(creature, tray);
                None
            }
        };
        let mut checks_due = thresholds(&before, creature, tray);
        let again = options.consciousness_every_round && self.phase == Phase::Start && creature.may_faint();
        if again && checks_due.is_empty() {
            checks_due.push(ConditionKind::StayConscious);
            tray.event(Event::CheckDue { check: ConditionKind::StayConscious });
        }
        Ok(TurnTickOutcome {
            check,
            body_lost: before.body - creature.body,
            soul_lost: before.soul - creature.soul,
            checks_due,
            death_threshold: creature.death_thresholds(),
        })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let mut said = Vec::new();
        if let Some(check) = done.outcome.check {
            said.push(format!("bleeding, {}", check.grade.name()));
        }
        said.extend(done.after.moved(&done.before));
        if said.is_empty() {
            said.push("nothing lost".to_owned());
        }
        let phase = match self.phase {
            Phase::Start => "Turn start",
            Phase::End => "Turn end",
        };
        format!("{phase}: {}.{}", said.join(", "), cries(&done.events))
    }

    fn example() -> Example<Self> {
        let target = Creature { body: 1, bleeding: 2, ..Creature::example() };
        let action = Self { phase: Phase::Start, fortitude: None };
        Example { action, target: Some(target), dice: vec![7, 4, 1] }
    }
}

impl TurnTick {
    /// `bleeding`: a point of body unless an endurance reaction roll succeeds. Every instance beyond
    /// the first makes the roll harder, not the loss greater (R7).
    fn bleeding(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<Option<CheckOutcome>, Stop> {
        if creature.bleeding == 0 {
            return Ok(None);
        }
        let mut success_number = BLEEDING;
        tray.step("success_number", &mut success_number, BLEEDING + creature.bleeding - 1, "bleeding");
        let success_number = hold(success_number, tray);
        let rolled = check(dice(creature.stats.endurance, "bleeding"), success_number, options, tray)?;
        let damage = if rolled.grade.succeeds() { 0 } else { 1 };
        self.body_damage(damage, "bleeding", creature, tray);
        Ok(Some(rolled))
    }

    /// `burning`: the rank of the fire, without a roll.
    fn burning(&self, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
        if creature.burning > 0 {
            self.body_damage(creature.burning, "burning", creature, tray);
        }
    }

    fn body_damage(&self, dealt: i32, rule: &'static str, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
        let mut damage = 0;
        tray.step("damage", &mut damage, dealt, rule);
        fortitude(&mut damage, self.fortitude, creature, tray);
        creature.set_points(Pool::Body, creature.body - damage, rule, tray);
    }
}
