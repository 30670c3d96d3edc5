//! Hit locations: where a blow lands, and the armour that it meets there.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Event;
use super::creature::Creature;
use super::damage::Attack;
use crate::check::{Check, Faults, RATING};
use crate::dice::{Ask, Stop, Worth};
use crate::tray::Tray;

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

impl Attack {
    /// The location that the attack names, or that the ones digit of its roll points at.
    pub fn aimed(&self) -> Option<Location> {
        self.location.or(self.attack_roll.map(|roll| Location::of_digit(roll % 10)))
    }
}

/// The ones digit that a face of the d10 stands for: 10 counts as 0.
fn digit(face: u32) -> i32 {
    i32::try_from(face % 10).unwrap_or(0)
}

/// Where a face of the d10 points.
pub fn of_face(face: u32) -> Location {
    Location::of_digit(digit(face))
}

/// `hit_location`: the one chosen, else where the ones digit of the attack roll points, else a d10
/// with 10 as 0. A blow at a lost limb hits the body (W).
pub fn hit_location(attack: &Attack, creature: &Creature, tray: &mut Tray<'_, Event>) -> Result<Location, Stop> {
    let aimed = match attack.aimed() {
        Some(location) => location,
        None => {
            let digit = |face, _| Worth::points(digit(face));
            // All that the rule sees of the die is the location: 1 stands for 1 to 5.
            let location = |die: Worth| if (1..=5).contains(&die.points) { Worth::points(1) } else { die };
            Location::of_digit(tray.total(Ask::new("hit_location", 1, 10), digit, location)?.points)
        }
    };
    Ok(creature.struck_at(aimed))
}
