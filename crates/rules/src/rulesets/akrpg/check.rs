//! The two ways to roll dice: the check and the test.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Akrpg, Event, Options};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::{Ask, Stop, Worth};
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;
use crate::words::count;

/// The sides of every die in this game.
pub const SIDES: u32 = 6;

/// A throw of `pool` dice.
pub fn dice(pool: i32, why: &'static str) -> Ask {
    Ask::new(why, pool.unsigned_abs(), SIDES)
}

/// `check` (W): 4, 5 and 6 are a success each, and each 6 is a Perfect too. Points of the sum are
/// successes, marks are Perfects.
pub fn check(dice: Ask, tray: &mut Tray<'_, Event>) -> Result<Worth, Stop> {
    let worth = |face, _| Worth { points: i32::from(face >= 4), marks: u32::from(face == 6), again: false };
    tray.total(dice, worth, |sum| sum)
}

/// Whether a `test` against this difficulty is rolled. Any other difficulty settles it.
pub fn is_rolled(difficulty: i32) -> bool {
    (1..6).contains(&difficulty)
}

/// `test` (W): a die succeeds when it shows more than the difficulty. At 0 or less every die
/// succeeds, at 6 or more none does, and none is rolled. Returns the successes.
pub fn test(dice: Ask, difficulty: i32, tray: &mut Tray<'_, Event>) -> Result<i32, Stop> {
    if !is_rolled(difficulty) {
        return Ok(if difficulty <= 0 { i32::try_from(dice.count).unwrap_or(i32::MAX) } else { 0 });
    }
    let worth = |face, _| Worth::points(i32::from(face > difficulty.unsigned_abs()));
    Ok(tray.total(dice, worth, |sum| sum)?.points)
}

/// Which of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = akrpg::RollKind)]
pub enum RollKind {
    /// 4, 5 and 6 are successes, 6 is a Perfect too.
    #[default]
    Check,
    /// Faces above the difficulty are successes.
    Test,
}

/// Rolls a check or a test by itself.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = akrpg::Roll)]
pub struct Roll {
    /// A check or a test.
    #[serde(default)]
    #[schema(default = "check")]
    pub kind: RollKind,
    /// How many dice.
    #[schema(minimum = 0, maximum = 1000)]
    pub pool: i32,
    /// Check: how many successes pass; absent for an open check, where only the count matters. Test:
    /// what a die must exceed; required.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false)]
    pub difficulty: Option<i32>,
}

impl Check for Roll {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/pool", self.pool, 0..=RATING);
        faults.bounds_if("/difficulty", self.difficulty, -RATING..=RATING);
        if self.kind == RollKind::Test {
            faults.missing("/difficulty", self.difficulty.as_ref(), "a test needs a difficulty");
        }
    }
}

/// What was rolled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = akrpg::RollOutcome)]
pub struct RollOutcome {
    /// How many dice succeeded.
    pub successes: i32,
    /// How many of them were Perfects; `null` for a test.
    pub perfects: Option<u32>,
    /// Whether the check passed; `null` for a test and for an open check.
    pub passed: Option<bool>,
}

impl Outcome for RollOutcome {}

impl Action for Roll {
    type Rules = Akrpg;
    type Target = ();
    type Outcome = RollOutcome;
    const NAME: &'static str = "check";
    const TITLE: &'static str = "Roll a check or a test";

    fn apply(&self, _: &mut (), _: &Options, tray: &mut Tray<'_, Event>) -> Result<RollOutcome, Stop> {
        match self.kind {
            RollKind::Check => {
                let rolled = check(dice(self.pool, "check"), tray)?;
                let passed = self.difficulty.map(|difficulty| rolled.points >= difficulty);
                Ok(RollOutcome { successes: rolled.points, perfects: Some(rolled.marks), passed })
            }
            RollKind::Test => {
                let successes = test(dice(self.pool, "test"), self.difficulty.unwrap_or_default(), tray)?;
                Ok(RollOutcome { successes, perfects: None, passed: None })
            }
        }
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let RollOutcome { successes, perfects, passed } = done.outcome;
        let what = match self.kind {
            RollKind::Check => "Check",
            RollKind::Test => "Test",
        };
        let dice = count(self.pool, "die", "dice");
        let successes = count(successes, "success", "successes");
        let perfects =
            perfects.map(|perfects| format!(", {}", count(perfects, "Perfect", "Perfects"))).unwrap_or_default();
        let passed = match passed {
            Some(true) => ": passed",
            Some(false) => ": failed",
            None => "",
        };
        format!("{what} of {dice}{passed}, {successes}{perfects}.")
    }

    fn example() -> Example<Self> {
        let action = Self { kind: RollKind::Check, pool: 4, difficulty: Some(2) };
        Example { action, target: None, dice: vec![6, 4, 3, 1] }
    }
}
