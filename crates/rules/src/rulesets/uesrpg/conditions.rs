//! The conditions that damage brings and that bring damage, and what ends them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{GradedTest, Test, graded_test, own_target_number, test};
use super::creature::Creature;
use super::damage::reduce;
use super::first_aid::Characteristic;
use super::locations::{Location, Part};
use super::traits::DamageType;
use super::{Event, Options};
use crate::check::{Check, Faults, RATING};
use crate::dice::Stop;
use crate::tray::Tray;

/// `extinguish`: what makes it easier at Burning (1) (W).
const PUTTING_OUT: i32 = 20;

/// `extinguish`: what each point of Burning above that takes off (W).
const A_POINT_OF_FIRE: i32 = 10;

/// The conditions of a creature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Conditions)]
pub struct Conditions {
    /// For how many rounds more the creature is stunned: no action points (W).
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub stunned: i32,
    /// Burning (X): fire damage at the end of each own turn, and then one more (W).
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub burning: i32,
    /// Bleeding (X): HP lost at the end of each own turn, and then one less (W).
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub bleeding: i32,
    /// Dazed: one action point less at each refresh, but not less than one (W).
    #[serde(default)]
    #[schema(default = false)]
    pub dazed: bool,
    /// The locations that are crippled: the body and the limbs. A head is never crippled.
    #[serde(default)]
    #[schema(max_items = 5, default = json!([]))]
    pub crippled: Vec<Location>,
    /// What is lost for good. An ear or an eye may stand here twice.
    #[serde(default)]
    #[schema(max_items = 8, default = json!([]))]
    pub lost: Vec<Part>,
}

impl Conditions {
    /// Whether there is still one of these to lose.
    pub fn can_lose(&self, part: Part) -> bool {
        self.lost.iter().filter(|&&lost| lost == part).count() < part.count()
    }
}

impl Check for Conditions {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/stunned", self.stunned, 0..=RATING);
        faults.bounds("/burning", self.burning, 0..=RATING);
        faults.bounds("/bleeding", self.bleeding, 0..=RATING);
        faults.length("/crippled", &self.crippled, 0..=5);
        faults.distinct("/crippled", &self.crippled);
        for (index, _) in self.crippled.iter().enumerate().filter(|&(_, &location)| location == Location::Head) {
            faults.add(&format!("/crippled/{index}"), "cannot be the head: a wound there stuns instead");
        }
        faults.length("/lost", &self.lost, 0..=8);
        for (index, part) in self.lost.iter().enumerate() {
            if self.lost[..index].iter().filter(|&earlier| earlier == part).count() >= part.count() {
                faults.add(&format!("/lost/{index}"), "is lost more often than there is one to lose");
            }
        }
    }
}

/// `bleeding` (W): as many HP as it counts, which neither armour nor resistance lowers; then one
/// less. It is no attack and does not wound. Answers the HP lost.
pub fn bleeding(creature: &mut Creature, tray: &mut Tray<'_, Event>) -> i32 {
    let bleeding = creature.conditions.bleeding;
    if bleeding == 0 {
        return 0;
    }
    let lost = creature.lose(bleeding, tray, "bleeding");
    creature.fall(tray);
    tray.change("/conditions/bleeding", &mut creature.conditions.bleeding, bleeding - 1, "bleeding");
    lost
}

/// `staunch` (W): the helper's degrees of success come off Bleeding.
pub fn staunch(target_number: i32, creature: &mut Creature, tray: &mut Tray<'_, Event>) -> Result<GradedTest, Stop> {
    let test = graded_test(target_number, None, "staunch", tray)?;
    if test.passed {
        let left = (creature.conditions.bleeding - test.degrees).max(0);
        tray.change("/conditions/bleeding", &mut creature.conditions.bleeding, left, "staunch");
    }
    Ok(test)
}

/// `burning` (W): as much fire damage to the body as it counts, through armour, toughness and traits;
/// then one more. It is no attack and does not wound. Answers the HP lost.
pub fn burning(creature: &mut Creature, options: &Options, tray: &mut Tray<'_, Event>) -> i32 {
    let burning = creature.conditions.burning;
    if burning == 0 {
        return 0;
    }
    let flames = reduce(DamageType::Fire, burning, 0, Location::Body, creature, options, tray);
    let lost = creature.lose(flames.taken, tray, "burning");
    creature.fall(tray);
    let more = (burning + 1).min(RATING);
    tray.change("/conditions/burning", &mut creature.conditions.burning, more, "burning");
    lost
}

/// `extinguish` (W): for an action point, the creature's own Strength or Agility test, 20 easier and
/// 10 harder for each point of Burning above 1. A success ends Burning.
pub fn extinguish(
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
    let test = test(target_number, Some(creature), "extinguish", tray)?;
    if test.passed {
        tray.change("/conditions/burning", &mut creature.conditions.burning, 0, "extinguish");
    }
    Ok(test)
}
