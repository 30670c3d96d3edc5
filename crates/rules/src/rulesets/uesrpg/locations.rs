//! Hit locations, what can be lost there, and the armour that is worn there.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::{Check, Faults, RATING};

/// Where a blow can land.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::Location)]
pub enum Location {
    /// The ones digits 1 to 5.
    Body,
    /// The ones digit 6.
    RightLeg,
    /// The ones digit 7.
    LeftLeg,
    /// The ones digit 8.
    RightArm,
    /// The ones digit 9.
    LeftArm,
    /// The ones digit 0.
    Head,
}

impl Location {
    /// Every location, in the order of the table.
    pub const ALL: [Self; 6] = [Self::Body, Self::RightLeg, Self::LeftLeg, Self::RightArm, Self::LeftArm, Self::Head];

    /// The table of hit locations: where a ones digit points.
    pub fn of_digit(digit: i32) -> Self {
        match digit {
            0 => Self::Head,
            6 => Self::RightLeg,
            7 => Self::LeftLeg,
            8 => Self::RightArm,
            9 => Self::LeftArm,
            _ => Self::Body,
        }
    }

    /// The location in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::RightLeg => "right leg",
            Self::LeftLeg => "left leg",
            Self::RightArm => "right arm",
            Self::LeftArm => "left arm",
            Self::Head => "head",
        }
    }

    /// The part that a failed shock test takes here, if the location alone says which.
    pub fn limb(self) -> Option<Part> {
        match self {
            Self::RightLeg => Some(Part::RightLeg),
            Self::LeftLeg => Some(Part::LeftLeg),
            Self::RightArm => Some(Part::RightArm),
            Self::LeftArm => Some(Part::LeftArm),
            Self::Body | Self::Head => None,
        }
    }
}

/// What a creature can lose for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::Part)]
pub enum Part {
    /// The right leg.
    RightLeg,
    /// The left leg.
    LeftLeg,
    /// The right arm.
    RightArm,
    /// The left arm.
    LeftArm,
    /// An ear.
    Ear,
    /// An eye.
    Eye,
}

impl Part {
    /// How many of it there are to lose.
    pub fn count(self) -> usize {
        match self {
            Self::Ear | Self::Eye => 2,
            Self::RightLeg | Self::LeftLeg | Self::RightArm | Self::LeftArm => 1,
        }
    }
}

/// The armour of each location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Armor)]
pub struct Armor {
    /// On the body.
    #[serde(default)]
    #[schema(default = json!({}))]
    pub body: ArmorRatings,
    /// On the right leg.
    #[serde(default)]
    #[schema(default = json!({}))]
    pub right_leg: ArmorRatings,
    /// On the left leg.
    #[serde(default)]
    #[schema(default = json!({}))]
    pub left_leg: ArmorRatings,
    /// On the right arm.
    #[serde(default)]
    #[schema(default = json!({}))]
    pub right_arm: ArmorRatings,
    /// On the left arm.
    #[serde(default)]
    #[schema(default = json!({}))]
    pub left_arm: ArmorRatings,
    /// On the head.
    #[serde(default)]
    #[schema(default = json!({}))]
    pub head: ArmorRatings,
}

impl Armor {
    /// The armour at a location.
    pub fn at(&self, location: Location) -> &ArmorRatings {
        match location {
            Location::Body => &self.body,
            Location::RightLeg => &self.right_leg,
            Location::LeftLeg => &self.left_leg,
            Location::RightArm => &self.right_arm,
            Location::LeftArm => &self.left_arm,
            Location::Head => &self.head,
        }
    }
}

impl Check for Armor {
    fn check(&self, faults: &mut Faults) {
        faults.within("/body", |faults| self.body.check(faults));
        faults.within("/right_leg", |faults| self.right_leg.check(faults));
        faults.within("/left_leg", |faults| self.left_leg.check(faults));
        faults.within("/right_arm", |faults| self.right_arm.check(faults));
        faults.within("/left_arm", |faults| self.left_arm.check(faults));
        faults.within("/head", |faults| self.head.check(faults));
    }
}

/// The armour ratings (AR) of one location, by what they are good against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::ArmorRatings)]
pub struct ArmorRatings {
    /// AR against physical damage, and against nothing else.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub physical: i32,
    /// Magic AR: against magic damage, and on top of the AR of the sub-type.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub magic: i32,
    /// AR against fire damage.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub fire: i32,
    /// AR against frost damage.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub frost: i32,
    /// AR against shock damage.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub shock: i32,
    /// AR against poison damage.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub poison: i32,
}

impl Check for ArmorRatings {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/physical", self.physical, 0..=RATING);
        faults.bounds("/magic", self.magic, 0..=RATING);
        faults.bounds("/fire", self.fire, 0..=RATING);
        faults.bounds("/frost", self.frost, 0..=RATING);
        faults.bounds("/shock", self.shock, 0..=RATING);
        faults.bounds("/poison", self.poison, 0..=RATING);
    }
}
