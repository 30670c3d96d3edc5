//! The check: a pool of d12 against a success number, with critical dice.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CoyoteAndCrow, CriticalSuccessBy, Event, Options};
use crate::check::{Check, Faults, LIST, RATING, given};
use crate::dice::{Ask, Stop, Worth};
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;
use crate::words::count;

/// The sides of every die in this game.
pub const SIDES: u32 = 12;

/// The success number unless a rule names another (W).
pub const SUCCESS_NUMBER: i32 = 8;

/// The longest chain of critical dice (R21).
const GENERATIONS: u32 = 10;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::Grade)]
pub enum Grade {
    /// A total below 0.
    CriticalFailure,
    /// A total of 0.
    Failure,
    /// A total of 1 or more.
    Success,
    /// A success, with a 12 on a standard die (R1).
    CriticalSuccess,
}

impl Grade {
    /// Whether it is a success of either sort.
    pub fn succeeds(self) -> bool {
        self >= Self::Success
    }

    /// The grade, in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::CriticalFailure => "critical failure",
            Self::Failure => "failure",
            Self::Success => "success",
            Self::CriticalSuccess => "critical success",
        }
    }
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::CheckOutcome)]
pub struct CheckOutcome {
    /// Successes, less one for each 1 on a standard die.
    pub total: i32,
    /// How that is called.
    pub grade: Grade,
}

impl CheckOutcome {
    /// What a sum comes to: points are the total, marks the dice that make a success critical. The
    /// total decides (R2).
    fn of(sum: Worth) -> Self {
        let grade = match sum.points {
            ..=-1 => Grade::CriticalFailure,
            0 => Grade::Failure,
            1.. if sum.marks > 0 => Grade::CriticalSuccess,
            1.. => Grade::Success,
        };
        Self { total: sum.points, grade }
    }
}

impl Outcome for CheckOutcome {}

/// `check` (W): a success number below 2 acts as 2 and one above 12 as 12.
pub fn hold(success_number: i32, tray: &mut Tray<'_, Event>) -> i32 {
    let mut held = success_number;
    tray.step("success_number", &mut held, success_number.clamp(2, 12), "check");
    held
}

/// What one die is worth against a success number from 2 to 12. A standard die (generation 0) that
/// shows it or more is a success, a 1 takes one away. A critical die is a success whatever it shows,
/// and two from the success number on. A 12 calls for a critical die.
fn worth(face: u32, generation: u32, success_number: i32, options: &Options) -> Worth {
    let reached = face >= success_number.unsigned_abs();
    let points = match (generation, face) {
        (0, 1) => -1,
        (0, _) => i32::from(reached),
        (1.., _) => 1 + i32::from(reached),
    };
    let critical = match options.critical_success_by {
        CriticalSuccessBy::StandardDie => generation == 0 && face == SIDES,
        CriticalSuccessBy::CriticalDie => generation > 0 && reached,
    };
    Worth { points, marks: u32::from(critical), again: face == SIDES }
}

/// The total, and whether it is a critical success: no rule looks closer.
fn total_and_grade(sum: Worth) -> Worth {
    Worth { marks: u32::from(sum.points >= 1 && sum.marks > 0), ..sum }
}

/// A throw of `pool` standard dice.
pub fn dice(pool: i32, why: &'static str) -> Ask {
    Ask { generations: GENERATIONS, ..Ask::new(why, pool.unsigned_abs(), SIDES) }
}

/// A check, seen through `view`.
fn throw(
    dice: Ask,
    success_number: i32,
    options: &Options,
    tray: &mut Tray<'_, Event>,
    view: impl Fn(Worth) -> Worth,
) -> Result<Worth, Stop> {
    tray.total(dice, |face, generation| worth(face, generation, success_number, options), view)
}

/// `check` (W): the total and its grade. The success number is from 2 to 12.
pub fn check(
    dice: Ask,
    success_number: i32,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<CheckOutcome, Stop> {
    Ok(CheckOutcome::of(throw(dice, success_number, options, tray, total_and_grade)?))
}

/// `check` (W) at SN 8 where only the grade matters.
pub fn grade(dice: Ask, options: &Options, tray: &mut Tray<'_, Event>) -> Result<Grade, Stop> {
    let view = |sum| {
        let seen = total_and_grade(sum);
        Worth { points: seen.points.signum(), ..seen }
    };
    Ok(CheckOutcome::of(throw(dice, SUCCESS_NUMBER, options, tray, view)?).grade)
}

/// `check` (W) at SN 8 where only a critical success matters.
pub fn is_critical(dice: Ask, options: &Options, tray: &mut Tray<'_, Event>) -> Result<bool, Stop> {
    let view = |sum| Worth { points: 0, ..total_and_grade(sum) };
    Ok(throw(dice, SUCCESS_NUMBER, options, tray, view)?.marks > 0)
}

/// `check` (W) at SN 8 where only the successes matter, and no more than `most` of them.
pub fn successes(dice: Ask, most: i32, options: &Options, tray: &mut Tray<'_, Event>) -> Result<i32, Stop> {
    let view = |sum: Worth| Worth::points(sum.points.clamp(0, most.max(0)));
    Ok(throw(dice, SUCCESS_NUMBER, options, tray, view)?.points)
}

/// Makes a check by itself.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Roll)]
pub struct Roll {
    /// How many standard dice. With none the total is 0.
    #[schema(minimum = 0, maximum = 1000)]
    pub pool: i32,
    /// What a die must show for a success; held to 2 to 12.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false, default = 8)]
    pub success_number: Option<i32>,
    /// Standard dice that are raised by focus, each at most once. Only for dice that are sent in
    /// `dice`, where they stay as they fell. Every point costs a point of mind, which is the caller's
    /// to take.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub focus: Vec<Focus>,
}

/// A standard die that is raised by focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Focus)]
pub struct Focus {
    /// Which standard die, counted from 0. It must not show a 1.
    #[schema(minimum = 0, maximum = 999)]
    pub die: i32,
    /// By how much, not above 12. Raised to 12 it calls for a critical die.
    #[schema(minimum = 1, maximum = 10)]
    pub by: i32,
}

impl Check for Focus {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/die", self.die, 0..=999);
        faults.bounds("/by", self.by, 1..=10);
    }
}

impl Check for Roll {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/pool", self.pool, 0..=RATING);
        faults.bounds_if("/success_number", self.success_number, -RATING..=RATING);
        faults.length("/focus", &self.focus, 0..=LIST);
        faults.each("/focus", &self.focus);
        for (index, focus) in self.focus.iter().enumerate() {
            let path = format!("/focus/{index}/die");
            if focus.die >= self.pool && (0..=999).contains(&focus.die) {
                faults.add(&path, format!("is no die of a pool of {}, counted from 0", self.pool));
            }
            if self.focus[..index].iter().any(|other| other.die == focus.die) {
                faults.add(&path, "is raised twice; say it once, with all points together");
            }
        }
    }
}

impl Roll {
    /// `focus` (W): the standard dice fall one by one, so that each can be raised before it counts.
    fn focused(&self, success_number: i32, options: &Options, tray: &mut Tray<'_, Event>) -> Result<Worth, Stop> {
        let mut sum = Worth::default();
        let mut called = 0;
        for die in 0..self.pool {
            let missing = |ask| Ask { count: (self.pool - die).unsigned_abs(), ..ask };
            let mut face = tray.shown(Ask::new("check", 1, SIDES)).map_err(|stop| match stop {
                Stop::Needs(ask) => Stop::Needs(missing(ask)),
                Stop::BadFace { index, ask } => Stop::BadFace { index, ask: missing(ask) },
                Stop::Unfit { .. } | Stop::TooMany => stop,
            })?;
            if let Some((index, focus)) = self.focus.iter().enumerate().find(|(_, focus)| focus.die == die) {
                let raised = face + focus.by;
                let unfit = |detail| Err(Stop::Unfit { list: "/focus", index, detail });
                match (face, raised) {
                    (1, _) => return unfit("raises a die that shows a 1"),
                    (_, 13..) => return unfit("raises a die above 12"),
                    (_, _) => tray.step("face", &mut face, raised, "focus"),
                }
            }
            let standard = worth(face.unsigned_abs(), 0, success_number, options);
            sum += standard;
            called += u32::from(standard.again);
        }
        let ask = Ask { generations: GENERATIONS - 1, ..Ask::new("check", called, SIDES) };
        let critical = |face, generation| worth(face, generation + 1, success_number, options);
        sum += tray.total(ask, critical, |critical| critical)?;
        Ok(sum)
    }
}

impl Action for Roll {
    type Rules = CoyoteAndCrow;
    type Target = ();
    type Outcome = CheckOutcome;
    const NAME: &'static str = "check";
    const TITLE: &'static str = "Make a check";

    fn needs_dice(&self) -> Option<&'static str> {
        (!self.focus.is_empty()).then_some("/focus")
    }

    fn apply(&self, _: &mut (), options: &Options, tray: &mut Tray<'_, Event>) -> Result<CheckOutcome, Stop> {
        let success_number = hold(self.success_number.unwrap_or(SUCCESS_NUMBER), tray);
        if self.focus.is_empty() {
            check(dice(self.pool, "check"), success_number, options, tray)
        } else {
            Ok(CheckOutcome::of(self.focused(success_number, options, tray)?))
        }
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let CheckOutcome { total, grade } = done.outcome;
        let pool = count(self.pool, "die", "dice");
        let number = self.success_number.unwrap_or(SUCCESS_NUMBER).clamp(2, 12);
        let raised: i32 = self.focus.iter().map(|focus| focus.by).sum();
        let focus = if raised > 0 { format!(", {raised} focus") } else { String::new() };
        format!("Check of {pool} at SN {number}{focus}: {}, total {total}.", grade.name())
    }

    fn example() -> Example<Self> {
        let action = Self { pool: 4, success_number: Some(8), focus: Vec::new() };
        Example { action, target: None, dice: vec![12, 10, 5, 1, 12, 3] }
    }
}
