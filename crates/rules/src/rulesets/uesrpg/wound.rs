//! A wound as the sheet has it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::locations::Location;
use super::traits::DamageType;
use crate::check::{Check, Faults, POINTS, RATING};

/// `blood_loss`: the rounds (30 seconds) that a wound leaves.
pub const ROUNDS: i32 = 5;

/// A wound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Wound)]
pub struct Wound {
    /// Where it is.
    pub location: Location,
    /// The damage of the attack that made it. As many HP regained after treatment cure it (W).
    #[schema(minimum = 1, maximum = 1_000_000)]
    pub damage: i32,
    /// The type of that attack's largest part.
    #[serde(rename = "type")]
    pub kind: DamageType,
    /// Whether first aid ended its passive effects and its clock.
    #[serde(default)]
    #[schema(default = false)]
    pub first_aid: bool,
    /// Treated, so that HP regained count towards its cure (W). Only first aid ends its passive effects
    /// and its clock (R28).
    #[serde(default)]
    #[schema(default = false)]
    pub treated: bool,
    /// HP regained since it was treated (W).
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000, default = 0)]
    pub regained: i32,
    /// Own turns until blood loss brings HP to 0. At 0 the clock has run out.
    #[serde(default = "all_rounds")]
    #[schema(minimum = 0, maximum = 5, default = 5)]
    pub rounds_left: i32,
    /// Own turns for which magical healing still delays clock and passive effects (R21).
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub suspended_rounds: i32,
}

fn all_rounds() -> i32 {
    ROUNDS
}

impl Wound {
    /// Whether its passive effects count and its clock runs: without first aid and not suspended.
    pub fn is_active(&self) -> bool {
        !self.first_aid && self.suspended_rounds == 0
    }

    /// A wound for the examples: a blow to the right arm, fresh.
    pub fn example() -> Self {
        Self::new(Location::RightArm, 10, DamageType::Physical)
    }

    /// A fresh wound.
    pub fn new(location: Location, damage: i32, kind: DamageType) -> Self {
        Self {
            location,
            damage,
            kind,
            first_aid: false,
            treated: false,
            regained: 0,
            rounds_left: ROUNDS,
            suspended_rounds: 0,
        }
    }
}

impl Check for Wound {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/damage", self.damage, 1..=POINTS);
        faults.bounds("/regained", self.regained, 0..=POINTS);
        faults.bounds("/rounds_left", self.rounds_left, 0..=ROUNDS);
        faults.bounds("/suspended_rounds", self.suspended_rounds, 0..=RATING);
    }
}
