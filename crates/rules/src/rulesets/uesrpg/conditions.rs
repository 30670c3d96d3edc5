//! The conditions that damage brings and that bring damage.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Array, ArrayBuilder, ObjectBuilder, Type};

use super::Event;
use super::locations::{Location, Part};
use crate::check::{Check, Faults, RATING};
use crate::tray::Tray;

/// The conditions of a creature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Conditions)]
pub struct Conditions {
    /// Stunned: no action points for this many more rounds, counted at the end of the own turn (W).
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
    /// Dazed: a refresh brings one action point fewer, but not fewer than one (W). No rule ends it: the
    /// table does, by sending `false` (R31).
    #[serde(default)]
    #[schema(default = false)]
    pub dazed: bool,
    /// The locations that are crippled: the body and the limbs. A head is never crippled.
    #[serde(default)]
    #[schema(schema_with = crippled_schema)]
    pub crippled: Vec<Location>,
    /// What is lost for good. An ear or an eye may stand here twice.
    #[serde(default)]
    #[schema(max_items = 8, default = json!([]))]
    pub lost: Vec<Part>,
}

fn crippled_schema() -> Array {
    let names = ["body", "right_leg", "left_leg", "right_arm", "left_arm"];
    let location = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names));
    let description = "The locations that are crippled: the body and the limbs. A head is never crippled.";
    ArrayBuilder::new()
        .items(location)
        .unique_items(true)
        .max_items(Some(names.len()))
        .default(Some(Vec::<String>::new().into()))
        .description(Some(description))
        .build()
}

/// A condition, or an effect of wounds, that can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::Condition)]
pub enum Condition {
    /// The creature is no longer stunned.
    Stunned,
    /// The flames are out.
    Burning,
    /// The bleeding has stopped.
    Bleeding,
    /// The body works again.
    CrippledBody,
    /// A limb works again.
    CrippledLimb,
    /// First aid ended the passive effects of a wound, and its clock.
    PassiveEffects,
}

/// Something with a duration that a creature gains in its own turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::Gained)]
pub enum Gained {
    /// It was stunned.
    Stunned,
    /// It took its newest wound.
    Wounded,
    /// Magical healing delayed its wounds.
    Suspended,
}

/// Sets what is left of a condition that is a number, and announces its end at 0.
pub fn leave(
    condition: Condition,
    field: &'static str,
    place: &mut i32,
    left: i32,
    rule: &'static str,
    tray: &mut Tray<'_, Event>,
) {
    if tray.change(field, place, left, rule) && left == 0 {
        tray.event(Event::ConditionEnded { condition });
    }
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
