//! Dying: five health a round, and Medicine against it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{Ratings, Rolled, roll};
use super::creature::{Creature, Life};
use super::numbers::{BLEEDING, FUMBLE_DAMAGE, MEDICINE};
use super::{Event, GiftAndSkill, NEEDS_MEDICINE, Options};
use crate::check::{Check, Faults};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, NOT_DYING, Outcome, Refusal};
use crate::tray::Tray;
use crate::words::count;

/// Refuses whoever is not dying.
fn not_dying(creature: &Creature) -> Option<Refusal> {
    let refusal = || Refusal::because(&NOT_DYING, "The creature is not dying; this is only for one who is.");
    (creature.life() != Life::Dying).then(refusal)
}

/// One round of bleeding for a dying creature.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = gift_and_skill::DyingTick)]
pub struct DyingTick {}

impl Check for DyingTick {
    fn check(&self, _: &mut Faults) {}
}

/// What the round did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = gift_and_skill::DyingTickOutcome)]
pub struct DyingTickOutcome {
    /// Health lost.
    pub health_lost: i32,
    /// Whether the creature died.
    pub dead: bool,
}

impl Outcome for DyingTickOutcome {}

impl Action for DyingTick {
    type Rules = GiftAndSkill;
    type Target = Creature;
    type Outcome = DyingTickOutcome;
    const NAME: &'static str = "dying-tick";
    const TITLE: &'static str = "Bleed for a round";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        not_dying(creature)
    }

    /// `dying_tick`: 5 health are lost, and at -100 the creature is dead.
    fn apply(
        &self,
        creature: &mut Creature,
        _: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<DyingTickOutcome, Stop> {
        let before = creature.health;
        creature.set_health(before - BLEEDING, "dying_tick", tray);
        Ok(DyingTickOutcome { health_lost: before - creature.health, dead: creature.life() == Life::Dead })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let DyingTickOutcome { health_lost, dead } = done.outcome;
        let dead = if dead { " Dead." } else { "" };
        format!("Bleeding: {health_lost} health lost ({} → {}).{dead}", done.before.health, done.after.health)
    }

    fn example() -> Example<Self> {
        let target = Creature { health: -30, life: Some(Life::Dying), ..Creature::example() };
        Example { action: Self {}, target: Some(target), dice: Vec::new() }
    }
}

/// A Medicine check to stabilize a dying creature.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = gift_and_skill::Stabilize)]
pub struct Stabilize {
    /// What the healer rolls on: Wits, or another Gift that the game master allows, and Medicine, of
    /// which they need at least one dot.
    pub healer: Ratings,
}

impl Check for Stabilize {
    fn check(&self, faults: &mut Faults) {
        faults.within("/healer", |faults| self.healer.check(faults));
    }
}

/// How a Medicine check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = gift_and_skill::Grade)]
pub enum Grade {
    /// The patient is stable at 0 health.
    Success,
    /// Nothing changes; another try may follow next round.
    Failure,
    /// A die showed a 6: the patient takes 25 damage, whatever the total (R10).
    Fumble,
}

/// What the Medicine check did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = gift_and_skill::StabilizeOutcome)]
pub struct StabilizeOutcome {
    /// Successes rolled.
    pub total: i32,
    /// Successes needed, by the patient's health.
    pub needed: i32,
    /// How it came out.
    pub grade: Grade,
}

impl Outcome for StabilizeOutcome {}

impl Action for Stabilize {
    type Rules = GiftAndSkill;
    type Target = Creature;
    type Outcome = StabilizeOutcome;
    const NAME: &'static str = "stabilize";
    const TITLE: &'static str = "Stabilize a dying creature";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        let refusal = || Refusal::because(&NEEDS_MEDICINE, "The healer has no dot of Medicine.");
        not_dying(creature).or_else(|| (self.healer.skill < 1).then(refusal))
    }

    /// `stabilize`: with the successes needed the patient is stable at 0 health. A 6 on any die is a
    /// fumble before all else (R10).
    fn apply(
        &self,
        creature: &mut Creature,
        _: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<StabilizeOutcome, Stop> {
        let needed = successes_needed(creature, tray);
        let Rolled { total, fumble: fumbled } = roll(self.healer, None, tray)?;
        let grade = if fumbled {
            fumble(creature, tray);
            Grade::Fumble
        } else if total >= needed {
            creature.come_to(0, Life::Stable, "stabilize", tray);
            Grade::Success
        } else {
            Grade::Failure
        };
        Ok(StabilizeOutcome { total, needed, grade })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let StabilizeOutcome { total, needed, grade } = done.outcome;
        let (before, after) = (done.before.health, done.after.health);
        let rolled = format!("{}, {needed} needed", count(total, "success", "successes"));
        match (grade, done.after.life()) {
            (Grade::Success, _) => format!("Medicine, {rolled}: stable at 0 health."),
            (Grade::Failure, _) => format!("Medicine, {rolled}: no change."),
            (Grade::Fumble, Life::Dead) => {
                format!("Medicine fumbled: {FUMBLE_DAMAGE} damage ({before} → {after}). Dead.")
            }
            (Grade::Fumble, _) => format!("Medicine fumbled: {FUMBLE_DAMAGE} damage ({before} → {after})."),
        }
    }

    fn example() -> Example<Self> {
        let target = Creature { health: -30, life: Some(Life::Dying), ..Creature::example() };
        Example { action: Self { healer: Ratings { gift: 3, skill: 3 } }, target: Some(target), dice: vec![2, 3] }
    }
}

/// `stabilize`: the successes needed at the patient's health; one at exactly 0 (R7).
fn successes_needed(creature: &Creature, tray: &mut Tray<'_, Event>) -> i32 {
    let mut needed = 0;
    let entered = MEDICINE.iter().rfind(|row| creature.health <= row.highest);
    tray.step("needed", &mut needed, entered.map_or(0, |row| row.successes), "stabilize");
    needed
}

/// `fumble`: 25 damage straight to health, once, whatever the dice and the armor (R16).
fn fumble(creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    tray.event(Event::Fumble);
    creature.set_health(creature.health - FUMBLE_DAMAGE, "fumble", tray);
}
