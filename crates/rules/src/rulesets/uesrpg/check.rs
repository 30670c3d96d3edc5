//! The test: a d100 against a target number.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::creature::{Creature, TestModifier, numbers_schema};
use super::{Event, Options, Uesrpg};
use crate::check::{Check, Faults, LIST, RATING};
use crate::dice::{Ask, Stop, Worth};
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::{Line, Tray};
use crate::words::count;

/// The sides of the die that tests are rolled with.
const SIDES: u32 = 100;

/// What a test came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::Test)]
pub struct Test {
    /// The target number with everything that counted.
    pub target_number: i32,
    /// Whether the roll was no higher, or lucky.
    pub passed: bool,
}

/// What a test came to, and by how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::GradedTest)]
pub struct GradedTest {
    /// The target number with everything that counted.
    pub target_number: i32,
    /// Whether the roll was no higher, or lucky.
    pub passed: bool,
    /// Degrees of success, or of failure.
    pub degrees: i32,
    /// Whether the roll was a lucky or an unlucky number of the creature that rolled.
    pub critical: Option<Critical>,
}

/// A roll that counts whatever the target number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::Critical)]
pub enum Critical {
    /// A lucky number.
    Success,
    /// An unlucky number.
    Failure,
}

/// Whether a roll is one of the lucky or unlucky numbers of the creature that rolls, if it is known (W).
fn critical(roll: i32, roller: Option<&Creature>) -> Option<Critical> {
    let roller = roller?;
    if roller.lucky_numbers.contains(&roll) {
        Some(Critical::Success)
    } else if roller.unlucky_numbers.contains(&roll) {
        Some(Critical::Failure)
    } else {
        None
    }
}

/// Whether a roll passes: lucky or unlucky, else no higher than the target number.
fn passes(roll: i32, target_number: i32, roller: Option<&Creature>) -> bool {
    match critical(roll, roller) {
        Some(Critical::Success) => true,
        Some(Critical::Failure) => false,
        None => roll <= target_number,
    }
}

/// Degrees (W): of success, a tenth of the roll, at least 1, and a tenth of what the target number
/// has above 100; of failure, 1 and a tenth of what the roll is too high. All rounded down.
fn degrees(roll: i32, target_number: i32, passed: bool) -> i32 {
    if passed { (roll / 10).max(1) + (target_number - 100).max(0) / 10 } else { 1 + (roll - target_number).max(0) / 10 }
}

/// The roll that a face of the die stands for.
fn rolled(face: u32) -> i32 {
    i32::try_from(face).unwrap_or(i32::MAX)
}

/// The one die of a test.
pub fn die(why: &'static str) -> Ask {
    Ask::new(why, 1, SIDES)
}

/// `test` (W) where only passing matters: that is all the rule sees of the die. `roller` is the
/// creature whose own test it is.
pub fn test(target_number: i32, roller: Option<&Creature>, die: Ask, tray: &mut Tray<'_, Event>) -> Result<Test, Stop> {
    let worth = |face, _| Worth::points(i32::from(passes(rolled(face), target_number, roller)));
    let passed = tray.total(die, worth, |sum| sum)?.points > 0;
    Ok(Test { target_number, passed })
}

/// `test` (W) where degrees matter: the rule sees them and whether the roll was critical.
pub fn graded_test(
    target_number: i32,
    roller: Option<&Creature>,
    die: Ask,
    tray: &mut Tray<'_, Event>,
) -> Result<GradedTest, Stop> {
    // Points: degrees, negative for a failure. Marks: 1 for a critical roll.
    let worth = |face, _| {
        let passed = passes(rolled(face), target_number, roller);
        let degrees = degrees(rolled(face), target_number, passed);
        let marks = u32::from(critical(rolled(face), roller).is_some());
        Worth { points: if passed { degrees } else { -degrees }, marks, again: false }
    };
    let die = tray.total(die, worth, |sum| sum)?;
    let passed = die.points > 0;
    let critical = (die.marks > 0).then_some(if passed { Critical::Success } else { Critical::Failure });
    Ok(GradedTest { target_number, passed, degrees: die.points.abs(), critical })
}

/// A test in words, with the roll that the log has for it: "rolled 73 against 50: failed".
pub fn told(test: Test, why: &str, log: &[Line]) -> String {
    let Test { target_number, passed } = test;
    let roll = roll(why, log);
    let said = match (passed, roll <= target_number) {
        (true, true) => "passed",
        (true, false) => "passed, as a lucky number",
        (false, true) => "failed, as an unlucky number",
        (false, false) => "failed",
    };
    format!("rolled {roll} against {target_number}: {said}")
}

/// The first roll of a rule in the log; 0 if it rolled nothing.
fn roll(why: &str, log: &[Line]) -> i32 {
    faces(why, log).next().map_or(0, rolled)
}

/// The faces of every throw of a rule in the log.
pub fn faces(why: &str, log: &[Line]) -> impl Iterator<Item = u32> {
    let thrown = log.iter().filter_map(move |line| match line {
        Line::Roll { why: called, faces, .. } => (*called == why).then_some(faces),
        Line::Step { .. } | Line::Change { .. } => None,
    });
    thrown.flatten().copied()
}

/// The target number of a creature's own test: the score, and what wounds take off (R5).
pub fn own_target_number(score: i32, wounds: TestModifier, tray: &mut Tray<'_, Event>) -> i32 {
    let mut target_number = score;
    let parts = [("passive_effects", wounds.passive_effects), ("alternate_wound", wounds.crippled_body)];
    for (rule, part) in parts {
        if part != 0 {
            let modified = target_number + part;
            tray.step("target_number", &mut target_number, modified, rule);
        }
    }
    target_number
}

/// Rolls a test by itself. With `target`, it is that creature's own test: its wounds and its lucky
/// and unlucky numbers count.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Roll)]
pub struct Roll {
    /// What the roll must not exceed: the score of a characteristic or a skill.
    #[schema(minimum = -1000, maximum = 1000)]
    pub target_number: i32,
    /// What makes this test easier (above 0) or harder (below 0). Wounds of `target` are not among it.
    #[serde(default)]
    #[schema(schema_with = modifiers_schema)]
    pub modifiers: Vec<i32>,
}

fn modifiers_schema() -> utoipa::openapi::schema::Array {
    let description = "What makes this test easier (above 0) or harder (below 0). Wounds of `target` are not among it.";
    numbers_schema(description, -RATING, RATING)
}

impl Check for Roll {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/target_number", self.target_number, -RATING..=RATING);
        faults.length("/modifiers", &self.modifiers, 0..=LIST);
        for (index, &modifier) in self.modifiers.iter().enumerate() {
            faults.bounds(&format!("/modifiers/{index}"), modifier, -RATING..=RATING);
        }
    }
}

impl Outcome for GradedTest {}

impl Action for Roll {
    type Rules = Uesrpg;
    type Target = Option<Creature>;
    type Outcome = GradedTest;
    const NAME: &'static str = "check";
    const TITLE: &'static str = "Roll a test";
    const ON_THE_DEAD: bool = true;

    fn apply(
        &self,
        creature: &mut Option<Creature>,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<GradedTest, Stop> {
        let mut target_number = self.target_number;
        for modifier in &self.modifiers {
            let modified = target_number + modifier;
            tray.step("target_number", &mut target_number, modified, "test");
        }
        let wounds = creature.as_ref().map(|creature| creature.test_modifier(options)).unwrap_or_default();
        let target_number = own_target_number(target_number, wounds, tray);
        graded_test(target_number, creature.as_ref(), die("test"), tray)
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let GradedTest { target_number, passed, degrees, critical } = done.outcome;
        let degrees = count(degrees, "degree", "degrees");
        let said = match (passed, critical.is_some()) {
            (true, false) => format!("passed with {degrees} of success"),
            (true, true) => format!("critical success with {degrees} of success"),
            (false, false) => format!("failed with {degrees} of failure"),
            (false, true) => format!("critical failure with {degrees} of failure"),
        };
        format!("The test rolled {} against {target_number}: {said}.", roll("test", &done.log))
    }

    fn example() -> Example<Self> {
        let action = Self { target_number: 47, modifiers: vec![-10] };
        Example { action, target: Some(Creature::example()), dice: vec![32] }
    }
}
