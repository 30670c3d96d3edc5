//! Dying: death saving throws, and stabilizing.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{CheckKind, D20Test, Test, d20_test_fields, rolled};
use super::creature::{Creature, DEATH_SAVES, Dying, Life};
use super::{Event, Options, Srd5e};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::{Stop, Worth};
use crate::dice_text::DiceText;
use crate::ruleset::{Action, Done, Example, NOT_DYING, Outcome, Refusal};
use crate::tray::Tray;

/// `death_save`, and `stabilize` unless the request names another: what the total must reach.
const DC: i32 = 10;

/// Refuses one who is not dying.
fn not_dying(creature: &Creature) -> Option<Refusal> {
    let refusal = || Refusal::because(&NOT_DYING, "The creature is not dying; this is only for one who is.");
    creature.dying().is_none().then(refusal)
}

d20_test_fields! {
    /// Rolls a death saving throw, at the start of a dying creature's turn.
    #[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    #[schema(as = srd_5e::DyingTick)]
    pub struct DyingTick {
        /// The lowest die that brings back 1 HP.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 2, maximum = 20, nullable = false, default = 20)]
        pub revives_on: Option<i32>,
    }
}

impl Check for DyingTick {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/revives_on", self.revives_on, 2..=20);
        self.circumstances().check(faults);
    }
}

/// What a death saving throw came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::DeathSave)]
pub enum DeathSave {
    /// 1 HP, and up.
    Revived,
    /// A success.
    Success,
    /// A failure.
    Failure,
    /// Two failures: the die shows 1.
    TwoFailures,
}

/// What the death saving throw did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::DyingTickOutcome)]
pub struct DyingTickOutcome {
    /// What it came to.
    pub result: DeathSave,
    /// Successes with this one, up to 3.
    pub successes: i32,
    /// Failures with this one, up to 3.
    pub failures: i32,
}

impl Outcome for DyingTickOutcome {}

impl DyingTick {
    /// `death_save`: the die alone revives and fails twice (R18); else the total decides.
    fn roll(&self, creature: &Creature, options: &Options, tray: &mut Tray<'_, Event>) -> Result<DeathSave, Stop> {
        let circumstances = self.circumstances();
        let revives_on = self.revives_on.unwrap_or(20);
        let test = D20Test {
            why: "death_save",
            kind: CheckKind::Save,
            roller: Some(creature),
            bonus: 0,
            by: None,
            circumstances,
        };
        // Points: failures below 0, else successes; 2 revives.
        let grade = |natural, total| {
            Worth::points(match natural {
                1 => -2,
                _ if natural >= revives_on => 2,
                _ if total >= DC => 1,
                _ => -1,
            })
        };
        Ok(match test.throw(options, tray, grade)?.points {
            2 => DeathSave::Revived,
            1 => DeathSave::Success,
            -1 => DeathSave::Failure,
            _ => DeathSave::TwoFailures,
        })
    }
}

impl Action for DyingTick {
    type Rules = Srd5e;
    type Target = Creature;
    type Outcome = DyingTickOutcome;
    const NAME: &'static str = "dying-tick";
    const TITLE: &'static str = "Roll a death saving throw";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        not_dying(creature)
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<DyingTickOutcome, Stop> {
        let result = self.roll(creature, options, tray)?;
        let Dying { mut successes, mut failures } = creature.dying().unwrap_or_default();
        match result {
            DeathSave::Revived => {
                creature.regain(1, "death_save", options, tray);
            }
            DeathSave::Success => successes += 1,
            DeathSave::Failure => failures += 1,
            DeathSave::TwoFailures => failures = (failures + 2).min(DEATH_SAVES),
        }
        if failures == DEATH_SAVES {
            creature.die("death_save", tray);
        } else if successes == DEATH_SAVES {
            stabilize(creature, "death_save", tray);
        } else if result != DeathSave::Revived {
            let saves = Life::Dying(Dying { successes, failures });
            tray.change("/life", &mut creature.life, Some(saves), "death_save");
        }
        Ok(DyingTickOutcome { result, successes, failures })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let DyingTickOutcome { result, successes, failures } = done.outcome;
        let what = match result {
            DeathSave::Revived => "1 HP",
            DeathSave::Success => "success",
            DeathSave::Failure => "failure",
            DeathSave::TwoFailures => "two failures",
        };
        let end = match done.after.life {
            Some(Life::Dead) => "Dead.".to_owned(),
            Some(Life::Stable) => "Stable.".to_owned(),
            Some(Life::Dying(_)) => format!("{successes} passed, {failures} failed so far."),
            Some(Life::Up | Life::KnockedOut) | None => "Up again.".to_owned(),
        };
        format!("Death saving throw: {}, {what}. {end}", rolled(&done.log))
    }

    fn example() -> Example<Self> {
        let life = Some(Life::Dying(Dying { successes: 1, failures: 1 }));
        let target = Creature { hp: 0, life, ..Creature::example() };
        let action = Self {
            revives_on: None,
            modifiers: Vec::new(),
            advantage: false,
            disadvantage: false,
            bonus_roll: None,
            penalty_roll: None,
        };
        Example { action, target: Some(target), dice: vec![8] }
    }
}

/// One who was dying is stable: no more death saves.
fn stabilize(creature: &mut Creature, rule: &'static str, tray: &mut Tray<'_, Event>) {
    tray.change("/life", &mut creature.life, Some(Life::Stable), rule);
    tray.event(Event::Stabilized);
}

d20_test_fields! {
    /// A helper stabilizes a dying creature: a Wisdom (Medicine) check, or something that needs none.
    #[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    #[schema(as = srd_5e::Stabilize)]
    pub struct Stabilize {
        /// A Healer's Kit, the spell Spare the Dying: no check. Every other field is refused beside it.
        #[serde(default)]
        #[schema(default = false)]
        pub automatic: bool,
        /// What the total must reach.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        #[schema(minimum = -1000, maximum = 1000, nullable = false, default = 10)]
        pub dc: Option<i32>,
    }
}

impl Check for Stabilize {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/dc", self.dc, -RATING..=RATING);
        self.circumstances().check(faults);
        if self.automatic {
            let detail = "does not go with `automatic`";
            faults.stray("/dc", self.dc.as_ref(), detail);
            self.circumstances().stray(detail, faults);
        }
    }
}

/// What the help did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::StabilizeOutcome)]
pub struct StabilizeOutcome {
    /// The helper's check; `null` if it was automatic.
    pub test: Option<Test>,
    /// Whether the creature is stable.
    pub stable: bool,
}

impl Outcome for StabilizeOutcome {}

impl Action for Stabilize {
    type Rules = Srd5e;
    type Target = Creature;
    type Outcome = StabilizeOutcome;
    const NAME: &'static str = "stabilize";
    const TITLE: &'static str = "Stabilize a dying creature";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        not_dying(creature)
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<StabilizeOutcome, Stop> {
        let circumstances = self.circumstances();
        let check =
            D20Test { why: "stabilize", kind: CheckKind::Ability, roller: None, bonus: 0, by: None, circumstances };
        let test = if self.automatic { None } else { Some(check.against(self.dc.unwrap_or(DC), options, tray)?) };
        let stable = test.is_none_or(|test| test.passed);
        if stable {
            stabilize(creature, "stabilize", tray);
        }
        Ok(StabilizeOutcome { test, stable })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        match done.outcome {
            StabilizeOutcome { test: None, .. } => "Stabilized without a check.".to_owned(),
            StabilizeOutcome { test: Some(Test { dc, passed }), .. } => {
                let result = if passed { "stabilized" } else { "still dying" };
                format!("Medicine check: {} against DC {dc}, {result}.", rolled(&done.log))
            }
        }
    }

    fn example() -> Example<Self> {
        let life = Some(Life::Dying(Dying { successes: 0, failures: 2 }));
        let target = Creature { hp: 0, life, ..Creature::example() };
        let action = Self {
            automatic: false,
            dc: None,
            modifiers: vec![4],
            advantage: false,
            disadvantage: false,
            bonus_roll: None,
            penalty_roll: None,
        };
        Example { action, target: Some(target), dice: vec![6] }
    }
}
