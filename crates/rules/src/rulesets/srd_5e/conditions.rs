//! Exhaustion and concentration, and the checks that end conditions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{CheckKind, Circumstances, D20Test, Test, d20_test_fields, rolled};
use super::creature::{Creature, DEADLY_EXHAUSTION, Life};
use super::{Event, NOTHING_TO_CHECK, Options, Srd5e};
use crate::check::{Check, Faults, POINTS, RATING, given};
use crate::dice::{By, Stop};
use crate::dice_text::DiceText;
use crate::ruleset::{Action, Done, Example, Outcome, Refusal};
use crate::tray::Tray;

/// `concentration`: the lowest DC.
const LOWEST_DC: i32 = 10;

/// `concentration`: the highest DC (R29).
const HIGHEST_DC: i32 = 30;

/// `first_aid`: the DC unless the request names another.
const FIRST_AID_DC: i32 = 10;

/// `exhaustion`: so many levels more, at most 6, which is death. By the rule of 5.1 level 4 halves the hit
/// point maximum, and HP above it drop (R32).
pub fn exhaust(levels: i32, creature: &mut Creature, options: &Options, tray: &mut Tray<'_, Event>) {
    let level = (creature.exhaustion + levels).min(DEADLY_EXHAUSTION);
    if tray.change("/exhaustion", &mut creature.exhaustion, level, "exhaustion") {
        tray.event(Event::Exhausted { level });
        creature.hold_to_maximum("exhaustion", options, tray);
        if level == DEADLY_EXHAUSTION || creature.max_hp(options) == 0 {
            creature.die("exhaustion", tray);
        }
    }
}

/// `concentration`: the DC of the save against losing it, the higher of 10 and half the damage, at most 30
/// (R29).
pub fn concentration_dc(damage: i32, options: &Options, tray: &mut Tray<'_, Event>) -> i32 {
    let highest = if options.concentration_dc_uncapped { POINTS } else { HIGHEST_DC };
    let mut dc = LOWEST_DC;
    tray.step("dc", &mut dc, (damage / 2).clamp(LOWEST_DC, highest), "concentration");
    dc
}

/// `concentration`: the creature's Constitution save. A failure ends concentration.
pub fn concentration_save(
    dc: i32,
    by: Option<By>,
    circumstances: Circumstances<'_>,
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Test, Stop> {
    let bonus = creature.con_save();
    let roller = Some(&*creature);
    let test = D20Test { why: "concentration", kind: CheckKind::Save, roller, bonus, by, circumstances };
    let test = test.against(dc, options, tray)?;
    if !test.passed {
        lose_concentration("concentration", creature, tray);
    }
    Ok(test)
}

/// The creature no longer concentrates.
pub fn lose_concentration(rule: &'static str, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    if tray.change("/concentration", &mut creature.concentration, false, rule) {
        tray.event(Event::ConcentrationLost);
    }
}

d20_test_fields! {
    /// Rolls a test that may end concentration, or a knock-out.
    #[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    #[schema(as = srd_5e::ConditionCheck)]
    pub struct ConditionCheck {
        /// What is tried.
        pub kind: ConditionCheckKind,
        /// What the total must reach. For `concentration`, this or `damage` is required. For `wake`, 10 if
        /// absent.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 1000, nullable = false)]
        pub dc: Option<i32>,
        /// For `concentration`: the damage taken, which makes the DC. Refused beside `dc` and for `wake`.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 1_000_000, nullable = false)]
        pub damage: Option<i32>,
    }
}

/// What can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::ConditionCheckKind)]
pub enum ConditionCheckKind {
    /// The creature's own Constitution save; failing ends concentration. The service adds `con_save`.
    Concentration,
    /// A helper's Wisdom (Medicine) check; passing wakes one who is knocked out.
    Wake,
}

impl Check for ConditionCheck {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/dc", self.dc, 1..=RATING);
        faults.bounds_if("/damage", self.damage, 1..=POINTS);
        match (self.kind, self.dc, self.damage) {
            (ConditionCheckKind::Concentration, None, None) => faults.add("", "must have `dc` or `damage`"),
            (ConditionCheckKind::Concentration, Some(_), Some(_)) => faults.add("/damage", "does not go with `dc`"),
            (ConditionCheckKind::Wake, _, Some(_)) => faults.add("/damage", "belongs to kind concentration"),
            _ => {}
        }
        self.circumstances().check(faults);
    }
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::ConditionCheckOutcome)]
pub struct ConditionCheckOutcome {
    /// The test.
    pub test: Test,
    /// For `concentration`: whether the creature still concentrates.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub concentration: Option<bool>,
    /// For `wake`: whether it woke.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub awake: Option<bool>,
}

impl Outcome for ConditionCheckOutcome {}

impl Action for ConditionCheck {
    type Rules = Srd5e;
    type Target = Creature;
    type Outcome = ConditionCheckOutcome;
    const NAME: &'static str = "condition-check";
    const TITLE: &'static str = "Roll for concentration, or to wake someone";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        let (there, detail) = match self.kind {
            ConditionCheckKind::Concentration => (creature.concentration, "The creature is not concentrating."),
            ConditionCheckKind::Wake => (creature.life == Some(Life::KnockedOut), "The creature is not knocked out."),
        };
        (!there).then(|| Refusal::because(&NOTHING_TO_CHECK, detail))
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<ConditionCheckOutcome, Stop> {
        match self.kind {
            ConditionCheckKind::Concentration => {
                let dc = match self.damage {
                    Some(damage) => concentration_dc(damage, options, tray),
                    None => self.dc.unwrap_or(LOWEST_DC),
                };
                let test = concentration_save(dc, None, self.circumstances(), creature, options, tray)?;
                Ok(ConditionCheckOutcome { test, concentration: Some(test.passed), awake: None })
            }
            ConditionCheckKind::Wake => {
                let test = first_aid(self.dc.unwrap_or(FIRST_AID_DC), self.circumstances(), creature, options, tray)?;
                Ok(ConditionCheckOutcome { test, concentration: None, awake: Some(test.passed) })
            }
        }
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let Test { dc, passed } = done.outcome.test;
        let result = match (self.kind, passed) {
            (ConditionCheckKind::Concentration, true) => "concentration kept",
            (ConditionCheckKind::Concentration, false) => "concentration lost",
            (ConditionCheckKind::Wake, true) => "awake",
            (ConditionCheckKind::Wake, false) => "still unconscious",
        };
        let what = match self.kind {
            ConditionCheckKind::Concentration => "Constitution save",
            ConditionCheckKind::Wake => "First aid",
        };
        format!("{what}: {} against DC {dc}, {result}.", rolled(&done.log))
    }

    fn example() -> Example<Self> {
        let target = Creature { concentration: true, con_save: Some(4), ..Creature::example() };
        let action = Self {
            kind: ConditionCheckKind::Concentration,
            dc: None,
            damage: Some(23),
            modifiers: Vec::new(),
            advantage: true,
            disadvantage: false,
            bonus_roll: None,
            penalty_roll: None,
        };
        Example { action, target: Some(target), dice: vec![3, 12] }
    }
}

/// `first_aid`: a helper's check. One who was knocked out wakes, with the HP that it has.
fn first_aid(
    dc: i32,
    circumstances: Circumstances<'_>,
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Test, Stop> {
    let test = D20Test { why: "first_aid", kind: CheckKind::Ability, roller: None, bonus: 0, by: None, circumstances };
    let test = test.against(dc, options, tray)?;
    if test.passed {
        creature.wake("first_aid", tray);
    }
    Ok(test)
}
