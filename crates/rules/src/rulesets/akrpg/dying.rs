//! Down and dying: the dying reserve, and the Stabilize action.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{check, dice};
use super::creature::{Creature, Downed, Life};
use super::{Akrpg, Event, Options};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, NOT_DYING, Outcome, Refusal};
use crate::tray::Tray;
use crate::words::count;

/// Refuses whoever is not downed.
pub(super) fn not_downed(creature: &Creature) -> Option<Refusal> {
    let refusal = || Refusal::because(&NOT_DYING, "The creature is not downed; this is only for one who is.");
    creature.downed().is_none().then(refusal)
}

/// Rolls one die of the dying reserve, at the start of a downed creature's turn.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = akrpg::DyingTick)]
pub struct DyingTick {}

impl Check for DyingTick {
    fn check(&self, _: &mut Faults) {}
}

/// What the reserve die did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = akrpg::DyingTickOutcome)]
pub struct DyingTickOutcome {
    /// What the die showed.
    pub face: i32,
    /// Dice left in the reserve.
    pub reserve: i32,
    /// Whether the creature died.
    pub dead: bool,
}

impl Outcome for DyingTickOutcome {}

impl Action for DyingTick {
    type Rules = Akrpg;
    type Target = Creature;
    type Outcome = DyingTickOutcome;
    const NAME: &'static str = "dying-tick";
    const TITLE: &'static str = "Roll for dying";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        not_downed(creature)
    }

    /// `dying_tick`: a 6 stays, 2 to 5 is lost, and a 1 takes one more die with it, unrolled. At 0
    /// dice the creature dies.
    fn apply(
        &self,
        creature: &mut Creature,
        _: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<DyingTickOutcome, Stop> {
        let face = tray.shown(dice(1, "dying_tick"))?;
        let lost = match face {
            6 => 0,
            1 => 2,
            _ => 1,
        };
        let mut reserve = creature.downed().map_or(0, |downed| downed.reserve);
        let left = (reserve - lost).max(0);
        tray.step("reserve", &mut reserve, left, "dying_tick");
        if reserve == 0 {
            creature.die(tray, "dying_tick");
        } else {
            tray.change("/life", &mut creature.life, Some(Life::Downed(Downed { reserve })), "dying_tick");
        }
        Ok(DyingTickOutcome { face, reserve, dead: reserve == 0 })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        match done.outcome {
            DyingTickOutcome { face, dead: true, .. } => format!("Dying roll {face}: no dice left. Dead."),
            DyingTickOutcome { face, reserve, .. } => {
                format!("Dying roll {face}: {} left.", count(reserve, "reserve die", "reserve dice"))
            }
        }
    }

    fn example() -> Example<Self> {
        let target = Creature { hp: -3, life: Some(Life::Downed(Downed { reserve: 3 })), ..Creature::example() };
        Example { action: Self {}, target: Some(target), dice: vec![1] }
    }
}

/// The Stabilize action: brings a downed creature back to its feet.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = akrpg::Stabilize)]
pub struct Stabilize {
    /// How many dice the helper rolls. Required unless `automatic`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub pool: Option<i32>,
    /// How many successes pass.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false, default = 1)]
    pub difficulty: Option<i32>,
    /// An ability that just works: no roll, no Perfects.
    #[serde(default)]
    #[schema(default = false)]
    pub automatic: bool,
}

impl Check for Stabilize {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/pool", self.pool, 0..=RATING);
        faults.bounds_if("/difficulty", self.difficulty, -RATING..=RATING);
        if self.automatic {
            faults.stray("/pool", self.pool.as_ref(), "does not go with `automatic`");
            faults.stray("/difficulty", self.difficulty.as_ref(), "does not go with `automatic`");
        } else {
            faults.missing("/pool", self.pool.as_ref(), "is required unless `automatic` is true");
        }
    }
}

/// What the Stabilize action did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = akrpg::StabilizeOutcome)]
pub struct StabilizeOutcome {
    /// Whether it passed.
    pub passed: bool,
    /// Successes rolled.
    pub successes: i32,
    /// Perfects rolled.
    pub perfects: i32,
}

impl Outcome for StabilizeOutcome {}

impl Action for Stabilize {
    type Rules = Akrpg;
    type Target = Creature;
    type Outcome = StabilizeOutcome;
    const NAME: &'static str = "stabilize";
    const TITLE: &'static str = "Stabilize a dying creature";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        not_downed(creature)
    }

    /// `stabilize` (W): a passed check ends downed, and HP come to health dice plus Perfects.
    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<StabilizeOutcome, Stop> {
        let outcome = if self.automatic {
            StabilizeOutcome { passed: true, successes: 0, perfects: 0 }
        } else {
            let rolled = check(dice(self.pool.unwrap_or(0), "stabilize"), tray)?;
            // A pool is at most 1000 dice.
            let perfects = i32::try_from(rolled.marks).unwrap_or(i32::MAX);
            let passed = rolled.points >= self.difficulty.unwrap_or(1);
            StabilizeOutcome { passed, successes: rolled.points, perfects }
        };
        if outcome.passed {
            tray.event(Event::Stabilized);
            creature.rise("stabilize", options, tray);
            if creature.life == Some(Life::Up) {
                let restored = (creature.hd(options) + outcome.perfects).min(creature.max_hp(options));
                let hp = creature.hp.max(restored);
                tray.change("/hp", &mut creature.hp, hp, "stabilize");
            }
        }
        Ok(outcome)
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let StabilizeOutcome { passed, successes, perfects } = done.outcome;
        let rolled =
            if self.automatic { String::new() } else { format!(" ({successes} successes, {perfects} Perfect)") };
        match (passed, &done.after.life) {
            (true, Some(Life::Dead)) => format!("Stabilized{rolled}, but wounds left no health dice. Dead."),
            (true, _) => format!("Stabilized{rolled}: up with {} HP, wounded {}.", done.after.hp, done.after.wounded),
            (false, _) => format!("Not stabilized{rolled}."),
        }
    }

    fn example() -> Example<Self> {
        let target = Creature { hp: -3, life: Some(Life::Downed(Downed { reserve: 3 })), ..Creature::example() };
        let action = Self { pool: Some(3), difficulty: Some(1), automatic: false };
        Example { action, target: Some(target), dice: vec![6, 4, 2] }
    }
}
