//! Help against wounds, fire and bleeding: first aid, treatment, putting out flames, staunching.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::check::{GradedTest, Test, die, graded_test, own_target_number, test, told};
use super::conditions::{Condition, leave};
use super::creature::{Creature, moved};
use super::wound::Wound;
use super::{Event, NO_ACTION_POINTS, NO_SUPPLIES, NOTHING_TO_CHECK, Options, Uesrpg};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome, Refusal};
use crate::tray::Tray;

/// `extinguish`: what makes it easier at Burning (1) (W).
const PUTTING_OUT: i32 = 20;

/// `extinguish`: what each point of Burning above that takes off (W).
const A_POINT_OF_FIRE: i32 = 10;

/// Rolls a test that may end a condition of the target.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::ConditionCheck)]
pub struct ConditionCheck {
    /// What the test is for.
    pub kind: ConditionCheckKind,
    /// `first_aid` and `treat`: the index of the wound in `target.wounds`, from 0. Required for them,
    /// refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 99, nullable = false)]
    pub wound: Option<i32>,
    /// The helper's target number, all modifiers in it. Required for all but `extinguish`, refused for
    /// that, which is the creature's own test.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false)]
    pub target_number: Option<i32>,
    /// The helper has a healer's kit or other supplies. `first_aid` and `staunch` are refused without
    /// it, and `treat` where the table says so (R28).
    #[serde(default)]
    #[schema(default = false)]
    pub kit: bool,
    /// `extinguish`: the characteristic to test. Absent: the higher one. Refused otherwise.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub with: Option<Characteristic>,
}

/// What a test can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::ConditionCheckKind)]
pub enum ConditionCheckKind {
    /// Ends the passive effects and the clock of a wound. Takes the helper's turn.
    FirstAid,
    /// Treats a wound in about an hour, so that HP regained count towards its cure (W). Its passive
    /// effects and its clock stay until first aid (R28).
    Treat,
    /// Puts out the flames, for an action point of the creature's own (W).
    Extinguish,
    /// Lowers Bleeding by the degrees of success (W).
    Staunch,
}

/// The characteristics that can put out flames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::Characteristic)]
pub enum Characteristic {
    /// Strength.
    Strength,
    /// Agility.
    Agility,
}

impl Check for ConditionCheck {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/wound", self.wound, 0..=99);
        faults.bounds_if("/target_number", self.target_number, -RATING..=RATING);
        match self.kind {
            ConditionCheckKind::FirstAid | ConditionCheckKind::Treat => {
                faults.missing("/wound", self.wound.as_ref(), "is required: which of the target's wounds");
            }
            ConditionCheckKind::Extinguish | ConditionCheckKind::Staunch => {
                faults.stray("/wound", self.wound.as_ref(), "belongs to kinds first_aid and treat");
            }
        }
        if self.kind == ConditionCheckKind::Extinguish {
            let own = "belongs to kinds with a helper; putting out flames is the creature's own test";
            faults.stray("/target_number", self.target_number.as_ref(), own);
            if self.kit {
                faults.add("/kit", own);
            }
        } else {
            faults.missing("/target_number", self.target_number.as_ref(), "is required for all kinds but extinguish");
            faults.stray("/with", self.with.as_ref(), "belongs to kind extinguish");
        }
    }
}

/// What the test did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::ConditionCheckOutcome)]
pub struct ConditionCheckOutcome {
    /// The test.
    pub test: ConditionTest,
    /// `first_aid` and `treat`: the wound after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub wound: Option<Wound>,
    /// `extinguish`: Burning after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub burning: Option<i32>,
    /// `staunch`: Bleeding after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub bleeding: Option<i32>,
}

/// The test, with degrees where they matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum ConditionTest {
    /// `staunch`.
    Graded(GradedTest),
    /// All others.
    Plain(Test),
}

impl PartialSchema for ConditionTest {
    fn schema() -> RefOr<Schema> {
        // A test with degrees is a test as well, so a derived `oneOf` would refuse it.
        let forms = AnyOfBuilder::new().item(GradedTest::schema()).item(Test::schema());
        forms.description(Some("The test; `degrees` and `critical` only for `staunch`.")).into()
    }
}

impl ToSchema for ConditionTest {
    fn name() -> Cow<'static, str> {
        "uesrpg.ConditionTest".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        GradedTest::schemas(schemas);
    }
}

impl Outcome for ConditionCheckOutcome {}

impl ConditionCheck {
    /// The wound that is meant, if the creature has it.
    fn wound<'a>(&self, creature: &'a Creature) -> Option<&'a Wound> {
        creature.wounds.get(usize::try_from(self.wound?).ok()?)
    }

    /// The test in words: "First aid".
    fn name(&self) -> &'static str {
        match self.kind {
            ConditionCheckKind::FirstAid => "First aid",
            ConditionCheckKind::Treat => "Treatment",
            ConditionCheckKind::Extinguish => "Putting out flames",
            ConditionCheckKind::Staunch => "Staunching",
        }
    }

    /// The rule that calls for the test.
    fn rule(&self) -> &'static str {
        match self.kind {
            ConditionCheckKind::FirstAid => "first_aid",
            ConditionCheckKind::Treat => "treat",
            ConditionCheckKind::Extinguish => "extinguish",
            ConditionCheckKind::Staunch => "staunch",
        }
    }

    /// Whether the helper needs a healer's kit or other supplies.
    fn needs_kit(&self, options: &Options) -> bool {
        match self.kind {
            ConditionCheckKind::FirstAid | ConditionCheckKind::Staunch => true,
            ConditionCheckKind::Treat => options.treatment_needs_kit,
            ConditionCheckKind::Extinguish => false,
        }
    }
}

impl Action for ConditionCheck {
    type Rules = Uesrpg;
    type Target = Creature;
    type Outcome = ConditionCheckOutcome;
    const NAME: &'static str = "condition-check";
    const TITLE: &'static str = "Try to end a condition";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, options: &Options) -> Option<Refusal> {
        let nothing = |detail: &str| Some(Refusal::because(&NOTHING_TO_CHECK, detail));
        let wound = self.wound(creature);
        match self.kind {
            ConditionCheckKind::FirstAid if wound.is_none_or(|wound| wound.first_aid) => {
                nothing("The creature has no such wound without first aid.")
            }
            ConditionCheckKind::Treat if wound.is_none_or(|wound| wound.treated) => {
                nothing("The creature has no such untreated wound.")
            }
            ConditionCheckKind::Extinguish if creature.conditions.burning == 0 => {
                nothing("The creature is not burning.")
            }
            ConditionCheckKind::Staunch if creature.conditions.bleeding == 0 => {
                nothing("The creature is not bleeding.")
            }
            ConditionCheckKind::Extinguish if creature.unconscious().is_some() => Some(Refusal::because(
                &NO_ACTION_POINTS,
                "Putting out flames takes an action point, and an unconscious creature spends none (R24).",
            )),
            ConditionCheckKind::Extinguish if creature.action_points == 0 => {
                Some(Refusal::because(&NO_ACTION_POINTS, "Putting out flames takes an action point, and none is left."))
            }
            _ if self.needs_kit(options) && !self.kit => {
                let detail = "This takes a healer's kit or other supplies: send `kit` as true.";
                Some(Refusal::because(&NO_SUPPLIES, detail))
            }
            _ => None,
        }
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<ConditionCheckOutcome, Stop> {
        let target_number = self.target_number.unwrap_or_default();
        let (mut burning, mut bleeding) = (None, None);
        let test = match self.kind {
            ConditionCheckKind::FirstAid => {
                let test = test(target_number, None, die("first_aid"), tray)?;
                if test.passed {
                    self.mend(creature, |wound| wound.first_aid = true, "first_aid", tray);
                }
                ConditionTest::Plain(test)
            }
            ConditionCheckKind::Treat => {
                let test = test(target_number, None, die("treat"), tray)?;
                if test.passed {
                    let treat = |wound: &mut Wound| {
                        wound.treated = true;
                        wound.first_aid |= options.treatment_ends_effects;
                    };
                    self.mend(creature, treat, "treat", tray);
                }
                ConditionTest::Plain(test)
            }
            ConditionCheckKind::Extinguish => {
                let test = extinguish(self.with, creature, options, tray)?;
                burning = Some(creature.conditions.burning);
                ConditionTest::Plain(test)
            }
            ConditionCheckKind::Staunch => {
                let test = staunch(target_number, creature, tray)?;
                bleeding = Some(creature.conditions.bleeding);
                ConditionTest::Graded(test)
            }
        };
        Ok(ConditionCheckOutcome { test, wound: self.wound(creature).copied(), burning, bleeding })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let test = match done.outcome.test {
            ConditionTest::Graded(GradedTest { target_number, passed, .. }) => Test { target_number, passed },
            ConditionTest::Plain(test) => test,
        };
        let mut said = vec![format!("{} {}.", self.name(), told(test, self.rule(), &done.log))];
        let (before, after) = (&done.before, &done.after);
        if let (Some(was), Some(is)) = (self.wound(before), self.wound(after)) {
            let location = is.location.name();
            if is.treated && !was.treated {
                said.push(format!("HP regained from now on count towards the cure of the wound in the {location}."));
            }
            if is.first_aid && !was.first_aid {
                said.push(format!("The wound in the {location} has no more passive effects, and its clock stops."));
            } else if is.treated && !was.treated && !is.first_aid {
                said.push("Its passive effects and its clock stay until first aid.".to_owned());
            }
        }
        let numbers = [
            moved("Burning", before.conditions.burning, after.conditions.burning),
            moved("Bleeding", before.conditions.bleeding, after.conditions.bleeding),
            moved("action points", before.action_points, after.action_points),
        ];
        let numbers: Vec<String> = numbers.into_iter().flatten().collect();
        if !numbers.is_empty() {
            said.push(format!("It changes {}.", numbers.join(", ")));
        }
        said.join(" ")
    }

    fn example() -> Example<Self> {
        let target = Creature { wounds: vec![Wound::example()], ..Creature::example() };
        let (kind, wound, target_number) = (ConditionCheckKind::FirstAid, Some(0), Some(45));
        let action = Self { kind, wound, target_number, kit: true, with: None };
        Example { action, target: Some(target), dice: vec![38] }
    }
}

impl ConditionCheck {
    /// `first_aid`, `treat` (W): what a success does to the wound.
    fn mend(&self, creature: &mut Creature, mend: impl Fn(&mut Wound), rule: &'static str, tray: &mut Tray<'_, Event>) {
        let mut wounds = creature.wounds.clone();
        let index = self.wound.and_then(|wound| usize::try_from(wound).ok());
        let mut ended = false;
        if let Some(wound) = index.and_then(|index| wounds.get_mut(index)) {
            let counted = !wound.first_aid && !creature.is_undead();
            mend(wound);
            ended = counted && wound.first_aid;
        }
        tray.change("/wounds", &mut creature.wounds, wounds, rule);
        if ended {
            tray.event(Event::ConditionEnded { condition: Condition::PassiveEffects });
        }
    }
}

/// `staunch` (W): the helper's degrees of success come off Bleeding.
fn staunch(target_number: i32, creature: &mut Creature, tray: &mut Tray<'_, Event>) -> Result<GradedTest, Stop> {
    let test = graded_test(target_number, None, die("staunch"), tray)?;
    if test.passed {
        let left = (creature.conditions.bleeding - test.degrees).max(0);
        leave(Condition::Bleeding, "/conditions/bleeding", &mut creature.conditions.bleeding, left, "staunch", tray);
    }
    Ok(test)
}

/// `extinguish` (W): for an action point, the creature's own Strength or Agility test, 20 easier and
/// 10 harder for each point of Burning above 1. A success ends Burning.
fn extinguish(
    with: Option<Characteristic>,
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Test, Stop> {
    let left = creature.action_points - 1;
    tray.change("/action_points", &mut creature.action_points, left, "extinguish");
    let score = match with {
        Some(Characteristic::Strength) => creature.strength,
        Some(Characteristic::Agility) => creature.agility,
        None => creature.strength.max(creature.agility),
    };
    let mut target_number = own_target_number(score, creature.test_modifier(options), tray);
    let modified = target_number + PUTTING_OUT - A_POINT_OF_FIRE * (creature.conditions.burning - 1);
    tray.step("target_number", &mut target_number, modified, "extinguish");
    let test = test(target_number, Some(creature), die("extinguish"), tray)?;
    if test.passed {
        leave(Condition::Burning, "/conditions/burning", &mut creature.conditions.burning, 0, "extinguish", tray);
    }
    Ok(test)
}
