//! Gift and Skill: two dice, each with its rating, and what two totals make of each other.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::numbers::SIX_IS_WORTH;
use super::{Event, GiftAndSkill, Options};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::{Ask, By, Stop, Worth};
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;
use crate::words::count;

/// The sides of every die in this game.
pub const SIDES: u32 = 6;

/// The two ratings that somebody rolls on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = gift_and_skill::Ratings)]
pub struct Ratings {
    /// Dots of the Gift (Wits, Body and the like).
    #[schema(minimum = 0, maximum = 1000)]
    pub gift: i32,
    /// Dots of the Skill (Melee, Defending, Medicine and the like).
    #[schema(minimum = 0, maximum = 1000)]
    pub skill: i32,
}

impl Check for Ratings {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/gift", self.gift, 0..=RATING);
        faults.bounds("/skill", self.skill, 0..=RATING);
    }
}

/// What the two dice came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = gift_and_skill::Rolled)]
pub struct Rolled {
    /// The successes of both dice, before any flip; -2 at the lowest.
    pub total: i32,
    /// Whether a die showed a 6.
    pub fumble: bool,
}

/// `gift_die`, then `skill_die`: each is worth its rating − face + 1, never below 0 (R1), and a 6 is
/// always −1 (R2). `by` is one of two who roll against each other, if two do.
pub fn roll(ratings: Ratings, by: Option<By>, tray: &mut Tray<'_, Event>) -> Result<Rolled, Stop> {
    let what = match by {
        Some(By::Attacker) => "attacker_total",
        Some(By::Target) => "defender_total",
        None => "total",
    };
    let mut rolled = Rolled { total: 0, fumble: false };
    for (rating, die) in [(ratings.gift, "gift_die"), (ratings.skill, "skill_die")] {
        let worth = |face, _| {
            if face == SIDES {
                Worth { points: SIX_IS_WORTH, marks: 1, again: false }
            } else {
                Worth::points((rating + 1).saturating_sub_unsigned(face).max(0))
            }
        };
        let thrown = tray.total(Ask { by, ..Ask::new(die, 1, SIDES) }, worth, |sum| sum)?;
        let total = rolled.total + thrown.points;
        tray.step(what, &mut rolled.total, total, die);
        rolled.fumble |= thrown.marks > 0;
    }
    Ok(rolled)
}

/// Two totals against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = gift_and_skill::Margin)]
pub struct Margin {
    /// The attacker's successes, after the flip.
    pub attacker_total: i32,
    /// The defender's successes, after the flip.
    pub defender_total: i32,
    /// The degree of success: by how much the attacker is ahead. 0 or less is a miss.
    pub degree: i32,
}

/// Both roll, the attacker first, and their totals go against each other.
pub fn opposed(attacker: Ratings, defender: Ratings, tray: &mut Tray<'_, Event>) -> Result<Margin, Stop> {
    let attacker = roll(attacker, Some(By::Attacker), tray)?.total;
    let defender = roll(defender, Some(By::Target), tray)?.total;
    Ok(margin(attacker, defender, tray))
}

/// `flip`, then `degree_of_success`, for two totals as rolled.
pub fn margin(mut attacker: i32, mut defender: i32, tray: &mut Tray<'_, Event>) -> Margin {
    flip(&mut attacker, &mut defender, tray);
    let mut degree = attacker;
    tray.step("degree", &mut degree, attacker - defender, "degree_of_success");
    Margin { attacker_total: attacker, defender_total: defender, degree }
}

/// `flip`: a negative total counts as 0 and its size is added to the other side's. Two negative
/// totals both flip (R4).
fn flip(attacker: &mut i32, defender: &mut i32, tray: &mut Tray<'_, Event>) {
    if *attacker < 0 || *defender < 0 {
        let flipped = |own: i32, other: i32| own.max(0) + (-other).max(0);
        let (for_attacker, for_defender) = (flipped(*attacker, *defender), flipped(*defender, *attacker));
        tray.step("attacker_total", attacker, for_attacker, "flip");
        tray.step("defender_total", defender, for_defender, "flip");
    }
}

/// Rolls Gift and Skill: for one alone, or for two against each other.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = gift_and_skill::Roll)]
pub struct Roll {
    /// Dots of the Gift. Required unless `opposed` is given.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub gift: Option<i32>,
    /// Dots of the Skill. Required unless `opposed` is given.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub skill: Option<i32>,
    /// Two who roll against each other, instead of `gift` and `skill`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub opposed: Option<Opposed>,
}

/// Two who roll against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = gift_and_skill::Opposed)]
pub struct Opposed {
    /// Who acts. Rolls first.
    pub attacker: Ratings,
    /// Who resists.
    pub defender: Ratings,
}

impl Check for Roll {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/gift", self.gift, 0..=RATING);
        faults.bounds_if("/skill", self.skill, 0..=RATING);
        if let Some(Opposed { attacker, defender }) = self.opposed {
            faults.within("/opposed/attacker", |faults| attacker.check(faults));
            faults.within("/opposed/defender", |faults| defender.check(faults));
            faults.stray("/gift", self.gift.as_ref(), "does not go with `opposed`");
            faults.stray("/skill", self.skill.as_ref(), "does not go with `opposed`");
        } else {
            faults.missing("/gift", self.gift.as_ref(), "is required unless `opposed` is given");
            faults.missing("/skill", self.skill.as_ref(), "is required unless `opposed` is given");
        }
    }
}

/// What was rolled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = gift_and_skill::RollOutcome)]
pub enum RollOutcome {
    /// By one alone.
    Alone(Rolled),
    /// By two against each other.
    Opposed(Margin),
}

impl Outcome for RollOutcome {}

impl Action for Roll {
    type Rules = GiftAndSkill;
    type Target = ();
    type Outcome = RollOutcome;
    const NAME: &'static str = "check";
    const TITLE: &'static str = "Roll Gift and Skill";

    fn apply(&self, _: &mut (), _: &Options, tray: &mut Tray<'_, Event>) -> Result<RollOutcome, Stop> {
        if let Some(Opposed { attacker, defender }) = self.opposed {
            Ok(RollOutcome::Opposed(opposed(attacker, defender, tray)?))
        } else {
            let ratings = Ratings { gift: self.gift.unwrap_or(0), skill: self.skill.unwrap_or(0) };
            Ok(RollOutcome::Alone(roll(ratings, None, tray)?))
        }
    }

    fn summary(&self, done: &Done<Self>) -> String {
        match done.outcome {
            RollOutcome::Alone(Rolled { total, fumble }) => {
                let fumble = if fumble { ", a fumble" } else { "" };
                format!("Check: {}{fumble}.", count(total, "success", "successes"))
            }
            RollOutcome::Opposed(Margin { attacker_total, defender_total, degree }) => {
                format!("Opposed check: {attacker_total} against {defender_total}, degree of success {degree}.")
            }
        }
    }

    fn example() -> Example<Self> {
        let action = Self { gift: Some(3), skill: Some(2), opposed: None };
        Example { action, target: None, dice: vec![2, 1] }
    }
}
