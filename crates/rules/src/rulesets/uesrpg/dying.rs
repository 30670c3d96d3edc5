//! Death: the tests of an unconscious creature at 0 HP, and what ends them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{Test, die, own_target_number, test, told};
use super::creature::{Creature, Life, Unconscious};
use super::{Event, NO_SUPPLIES, Options, Uesrpg};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, NOT_DYING, Outcome, Refusal};
use crate::tray::Tray;
use crate::words::count;

/// A creature that is not unconscious, or stable already, does not test.
fn not_dying(creature: &Creature) -> Option<Refusal> {
    match creature.unconscious() {
        None => {
            Some(Refusal::because(&NOT_DYING, "The creature is not unconscious; only an unconscious one is dying."))
        }
        Some(state) if state.stable => {
            Some(Refusal::because(&NOT_DYING, "The creature is stable: it does not test until it takes damage."))
        }
        Some(_) => None,
    }
}

/// Rolls the Endurance test of an unconscious creature at 0 HP, on its turn.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::DyingTick)]
pub struct DyingTick {}

impl Check for DyingTick {
    fn check(&self, _: &mut Faults) {}
}

/// What the dying test came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::DyingTickOutcome)]
pub struct DyingTickOutcome {
    /// The test; `null` when it failed by itself.
    pub test: Option<Test>,
    /// Damage taken since the last test made this one fail without a roll.
    pub automatic: bool,
    /// Dying tests failed so far.
    pub failures: i32,
    /// Whether the creature died.
    pub dead: bool,
}

impl Outcome for DyingTickOutcome {}

impl Action for DyingTick {
    type Rules = Uesrpg;
    type Target = Creature;
    type Outcome = DyingTickOutcome;
    const NAME: &'static str = "dying-tick";
    const TITLE: &'static str = "Roll for dying";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        not_dying(creature)
    }

    /// `dying_tick`: an Endurance test, or a failure without one after damage. A failure that brings
    /// them above the luck bonus kills (R29).
    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<DyingTickOutcome, Stop> {
        let state = creature.unconscious().unwrap_or_default();
        let test = if state.next_test_fails {
            None
        } else {
            let wounds = creature.test_modifier(options);
            let target_number = own_target_number(creature.endurance, wounds, tray);
            Some(test(target_number, Some(creature), die("dying_tick"), tray)?)
        };
        let mut failures = state.failures;
        let failed = test.is_none_or(|test| !test.passed);
        if failed {
            tray.step("failures", &mut failures, state.failures + 1, "dying_tick");
        }
        let dead = failed && failures > creature.luck_bonus();
        let life = if dead {
            Life::Dead
        } else {
            Life::Unconscious(Unconscious { failures, next_test_fails: false, ..state })
        };
        tray.change("/life", &mut creature.life, Some(life), "dying_tick");
        if dead {
            tray.event(Event::Died);
        }
        Ok(DyingTickOutcome { test, automatic: state.next_test_fails, failures, dead })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let DyingTickOutcome { test, failures, dead, .. } = &done.outcome;
        let said = match test {
            Some(test) => format!("The dying test {}", told(*test, "dying_tick", &done.log)),
            None => "The dying test fails without a roll, because damage was taken".to_owned(),
        };
        if *dead {
            return format!(
                "{said}. It was failure {failures}, above the luck bonus of {}: the creature is dead.",
                done.before.luck_bonus()
            );
        }
        let failures = count(*failures, "failure", "failures");
        format!("{said}. {failures} so far; more than {} kill.", done.before.luck_bonus())
    }

    fn example() -> Example<Self> {
        let life = Life::Unconscious(Unconscious { failures: 1, ..Unconscious::default() });
        let target = Creature { hp: 0, life: Some(life), ..Creature::example() };
        Example { action: Self {}, target: Some(target), dice: vec![72] }
    }
}

/// Stabilizes a dying creature: with a Survival or Profession (Medicine) test and a healer's kit, or
/// by an effect that says so.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Stabilize)]
pub struct Stabilize {
    /// The helper's target number, all modifiers in it. Required unless `automatic`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false)]
    pub target_number: Option<i32>,
    /// The helper has a healer's kit. Without, only an automatic effect works.
    #[serde(default)]
    #[schema(default = false)]
    pub kit: bool,
    /// An effect that stabilizes by itself: no test, no kit.
    #[serde(default)]
    #[schema(default = false)]
    pub automatic: bool,
}

impl Check for Stabilize {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/target_number", self.target_number, -RATING..=RATING);
        if self.automatic {
            faults.stray("/target_number", self.target_number.as_ref(), "does not go with `automatic`");
            if self.kit {
                faults.add("/kit", "does not go with `automatic`");
            }
        } else {
            faults.missing("/target_number", self.target_number.as_ref(), "is required unless `automatic` is true");
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::StabilizeOutcome)]
pub struct StabilizeOutcome {
    /// The helper's test; `null` for an automatic effect.
    pub test: Option<Test>,
    /// Whether the creature is stable now.
    pub stable: bool,
}

impl Outcome for StabilizeOutcome {}

impl Action for Stabilize {
    type Rules = Uesrpg;
    type Target = Creature;
    type Outcome = StabilizeOutcome;
    const NAME: &'static str = "stabilize";
    const TITLE: &'static str = "Stabilize a dying creature";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        let no_kit = || Refusal::because(&NO_SUPPLIES, "The test takes a healer's kit: send `kit` as true.");
        not_dying(creature).or_else(|| (!self.kit && !self.automatic).then(no_kit))
    }

    /// `stabilize`: a stable creature stops testing.
    fn apply(
        &self,
        creature: &mut Creature,
        _: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<StabilizeOutcome, Stop> {
        let test = match self.target_number {
            Some(target_number) => Some(test(target_number, None, die("stabilize"), tray)?),
            None => None,
        };
        let stable = test.is_none_or(|test| test.passed);
        if stable {
            let state = creature.unconscious().unwrap_or_default();
            let life = Life::Unconscious(Unconscious { stable, ..state });
            tray.change("/life", &mut creature.life, Some(life), "stabilize");
            tray.event(Event::Stabilized);
        }
        Ok(StabilizeOutcome { test, stable })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let test = done.outcome.test.map(|test| format!("The helper's test {}. ", told(test, "stabilize", &done.log)));
        let said = if done.outcome.stable { "The creature is stable." } else { "The creature is not stable." };
        format!("{}{said}", test.unwrap_or_default())
    }

    fn example() -> Example<Self> {
        let life = Life::Unconscious(Unconscious { failures: 1, ..Unconscious::default() });
        let target = Creature { hp: 0, life: Some(life), ..Creature::example() };
        let action = Self { target_number: Some(45), kit: true, automatic: false };
        Example { action, target: Some(target), dice: vec![38] }
    }
}
