//! The conditions that damage brings and that bring damage.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::locations::{Location, Part};
use crate::check::{Check, Faults, RATING};

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
