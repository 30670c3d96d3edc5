//! Shield: a reserve of dice, one of which is rolled against each instance of damage.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::SIDES;
use super::creature::Creature;
use super::{Akrpg, Event, Options};
use crate::check::{Check, Faults, RATING};
use crate::dice::{Ask, Stop, Worth};
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;
use crate::words::count;

/// What a shield die takes off when it shows a 6.
const SIX_TAKES_OFF: i32 = 5;

/// The die that is rolled against an instance of damage.
pub fn shield_die() -> Ask {
    Ask::new("shield", 1, SIDES)
}

/// `shield`: takes one die out and rolls it. A 6 takes 5 off and the die goes back; any other face
/// takes itself off and the die is spent. One die at most, and none against no damage (R2). Answers
/// the points taken off.
pub fn shield(die: Ask, creature: &mut Creature, damage: &mut i32, tray: &mut Tray<'_, Event>) -> Result<i32, Stop> {
    if *damage <= 0 || creature.shield <= 0 {
        return Ok(0);
    }
    // Below 6 only the points taken off matter, and they are no more than the damage.
    let points = |face| i32::try_from(face).unwrap_or(i32::MAX);
    let worth =
        |face, _| Worth { points: points(face).min(SIX_TAKES_OFF), marks: u32::from(face == SIDES), again: false };
    let most = *damage;
    let view = |die: Worth| Worth { points: die.points.min(most), ..die };
    let die = tray.total(die, worth, view)?;
    tray.step("damage", damage, most - die.points, "shield");
    if die.marks > 0 {
        tray.event(Event::ShieldKept);
    } else {
        let left = creature.shield - 1;
        tray.change("/shield", &mut creature.shield, left, "shield");
        tray.event(Event::ShieldSpent);
    }
    Ok(die.points)
}

/// Rolls shield against damage that the table rolled itself. HP are not touched.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = akrpg::ShieldRoll)]
pub struct ShieldRoll {
    /// The damage that got through everything before the shield.
    #[schema(minimum = 0, maximum = 1000)]
    pub damage: i32,
}

impl Check for ShieldRoll {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/damage", self.damage, 0..=RATING);
    }
}

/// What the shield did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = akrpg::ShieldRollOutcome)]
pub struct ShieldRollOutcome {
    /// The damage that is left.
    pub damage: i32,
    /// The damage that the die took off.
    pub absorbed: i32,
    /// How many shield dice were spent.
    pub shield_dice_lost: i32,
}

impl Outcome for ShieldRollOutcome {}

impl Action for ShieldRoll {
    type Rules = Akrpg;
    type Target = Creature;
    type Outcome = ShieldRollOutcome;
    const NAME: &'static str = "shield-roll";
    const TITLE: &'static str = "Roll shield against damage";

    fn apply(
        &self,
        creature: &mut Creature,
        _: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<ShieldRollOutcome, Stop> {
        let (mut damage, dice) = (self.damage, creature.shield);
        let absorbed = shield(shield_die(), creature, &mut damage, tray)?;
        Ok(ShieldRollOutcome { damage, absorbed, shield_dice_lost: dice - creature.shield })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let ShieldRollOutcome { damage, absorbed, .. } = done.outcome;
        format!(
            "The shield takes {absorbed} of {} damage: {damage} left, {} left.",
            self.damage,
            count(done.after.shield, "shield die", "shield dice"),
        )
    }

    fn example() -> Example<Self> {
        let target = Creature { shield: 2, ..Creature::example() };
        Example { action: Self { damage: 4 }, target: Some(target), dice: vec![3] }
    }
}
