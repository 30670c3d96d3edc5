//! The nine stats.

use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, Type};

use crate::check::{Check, Faults, RATING};

/// One of the nine stats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::Stat)]
pub enum Stat {
    /// A physical stat.
    Strength,
    /// A physical stat.
    Agility,
    /// A physical stat; its negative is body's death threshold.
    Endurance,
    /// A mental stat.
    Intelligence,
    /// A mental stat.
    Perception,
    /// A mental stat; its negative is mind's death threshold.
    Wisdom,
    /// A spiritual stat.
    Spirit,
    /// A spiritual stat.
    Charisma,
    /// A spiritual stat; its negative is soul's death threshold.
    Will,
}

impl Stat {
    /// All nine, in the order of the sheet.
    pub const ALL: [Self; 9] = [
        Self::Strength,
        Self::Agility,
        Self::Endurance,
        Self::Intelligence,
        Self::Perception,
        Self::Wisdom,
        Self::Spirit,
        Self::Charisma,
        Self::Will,
    ];

    /// The name, as a field of `stats` and in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strength => "strength",
            Self::Agility => "agility",
            Self::Endurance => "endurance",
            Self::Intelligence => "intelligence",
            Self::Perception => "perception",
            Self::Wisdom => "wisdom",
            Self::Spirit => "spirit",
            Self::Charisma => "charisma",
            Self::Will => "will",
        }
    }

    /// Where its current value stands in `target`.
    pub fn field(self) -> &'static str {
        match self {
            Self::Strength => "/stats/strength",
            Self::Agility => "/stats/agility",
            Self::Endurance => "/stats/endurance",
            Self::Intelligence => "/stats/intelligence",
            Self::Perception => "/stats/perception",
            Self::Wisdom => "/stats/wisdom",
            Self::Spirit => "/stats/spirit",
            Self::Charisma => "/stats/charisma",
            Self::Will => "/stats/will",
        }
    }

    /// Where its points lost to stat damage stand in `target`.
    pub fn loss_field(self) -> &'static str {
        match self {
            Self::Strength => "/stat_loss/strength",
            Self::Agility => "/stat_loss/agility",
            Self::Endurance => "/stat_loss/endurance",
            Self::Intelligence => "/stat_loss/intelligence",
            Self::Perception => "/stat_loss/perception",
            Self::Wisdom => "/stat_loss/wisdom",
            Self::Spirit => "/stat_loss/spirit",
            Self::Charisma => "/stat_loss/charisma",
            Self::Will => "/stat_loss/will",
        }
    }

    /// The pool whose maximum it is a part of (W).
    pub fn pool(self) -> Pool {
        match self {
            Self::Strength | Self::Agility | Self::Endurance => Pool::Body,
            Self::Intelligence | Self::Perception | Self::Wisdom => Pool::Mind,
            Self::Spirit | Self::Charisma | Self::Will => Pool::Soul,
        }
    }
}

/// One of the three pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::Pool)]
pub enum Pool {
    /// The physical one.
    Body,
    /// The mental one.
    Mind,
    /// The spiritual one.
    Soul,
}

impl Pool {
    /// All three, in the order in which the rules go through them.
    pub const ALL: [Self; 3] = [Self::Body, Self::Mind, Self::Soul];

    /// The name, as a field of `target` and in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Mind => "mind",
            Self::Soul => "soul",
        }
    }

    /// The stat that a pool hangs on: its negative is the death threshold (R5), and it restores the
    /// pool in a rest (R4).
    pub fn stat(self) -> Stat {
        match self {
            Self::Body => Stat::Endurance,
            Self::Mind => Stat::Wisdom,
            Self::Soul => Stat::Will,
        }
    }

    /// The stats that add up to its maximum (W).
    pub fn stats(self) -> [Stat; 3] {
        match self {
            Self::Body => [Stat::Strength, Stat::Agility, Stat::Endurance],
            Self::Mind => [Stat::Intelligence, Stat::Perception, Stat::Wisdom],
            Self::Soul => [Stat::Spirit, Stat::Charisma, Stat::Will],
        }
    }

    /// The stats that add up to the defense against damage to it (W).
    pub fn defense_stats(self) -> [Stat; 2] {
        match self {
            Self::Body => [Stat::Agility, Stat::Endurance],
            Self::Mind => [Stat::Perception, Stat::Wisdom],
            Self::Soul => [Stat::Charisma, Stat::Will],
        }
    }
}

/// A number for each of the nine stats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Stats)]
pub struct Stats {
    /// Physical.
    #[schema(minimum = 0, maximum = 1000)]
    pub strength: i32,
    /// Physical; a part of the physical defense.
    #[schema(minimum = 0, maximum = 1000)]
    pub agility: i32,
    /// Physical; a part of the physical defense, restores body, and its negative is body's death
    /// threshold.
    #[schema(minimum = 0, maximum = 1000)]
    pub endurance: i32,
    /// Mental.
    #[schema(minimum = 0, maximum = 1000)]
    pub intelligence: i32,
    /// Mental; a part of the mental defense.
    #[schema(minimum = 0, maximum = 1000)]
    pub perception: i32,
    /// Mental; a part of the mental defense, restores mind, and its negative is mind's death
    /// threshold.
    #[schema(minimum = 0, maximum = 1000)]
    pub wisdom: i32,
    /// Spiritual.
    #[schema(minimum = 0, maximum = 1000)]
    pub spirit: i32,
    /// Spiritual; a part of the spiritual defense.
    #[schema(minimum = 0, maximum = 1000)]
    pub charisma: i32,
    /// Spiritual; a part of the spiritual defense, restores soul, and its negative is soul's death
    /// threshold.
    #[schema(minimum = 0, maximum = 1000)]
    pub will: i32,
}

impl Stats {
    /// The number for one stat.
    pub fn of(&self, stat: Stat) -> i32 {
        match stat {
            Stat::Strength => self.strength,
            Stat::Agility => self.agility,
            Stat::Endurance => self.endurance,
            Stat::Intelligence => self.intelligence,
            Stat::Perception => self.perception,
            Stat::Wisdom => self.wisdom,
            Stat::Spirit => self.spirit,
            Stat::Charisma => self.charisma,
            Stat::Will => self.will,
        }
    }

    /// The place of the number for one stat.
    pub fn of_mut(&mut self, stat: Stat) -> &mut i32 {
        match stat {
            Stat::Strength => &mut self.strength,
            Stat::Agility => &mut self.agility,
            Stat::Endurance => &mut self.endurance,
            Stat::Intelligence => &mut self.intelligence,
            Stat::Perception => &mut self.perception,
            Stat::Wisdom => &mut self.wisdom,
            Stat::Spirit => &mut self.spirit,
            Stat::Charisma => &mut self.charisma,
            Stat::Will => &mut self.will,
        }
    }

    /// The numbers for several stats together.
    pub fn sum(&self, stats: &[Stat]) -> i32 {
        stats.iter().map(|&stat| self.of(stat)).sum()
    }
}

impl Check for Stats {
    fn check(&self, faults: &mut Faults) {
        for stat in Stat::ALL {
            faults.bounds(&format!("/{}", stat.name()), self.of(stat), 0..=RATING);
        }
    }
}

/// Reads losses: unlike a sheet's stats they need not all be named, and a stat that is not has lost
/// nothing.
pub(super) fn losses<'de, D: Deserializer<'de>>(from: D) -> Result<Stats, D::Error> {
    struct Losses;

    impl<'de> Visitor<'de> for Losses {
        type Value = Stats;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of stats")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Stats, A::Error> {
            let (mut losses, mut named) = (Stats::default(), Vec::new());
            while let Some((stat, lost)) = map.next_entry::<Stat, i32>()? {
                if named.contains(&stat) {
                    return Err(A::Error::duplicate_field(stat.name()));
                }
                named.push(stat);
                *losses.of_mut(stat) = lost;
            }
            Ok(losses)
        }
    }

    from.deserialize_map(Losses)
}

/// The schema of what [`losses`] reads.
pub(super) fn losses_schema() -> Object {
    let mut object = ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some("Points that each stat lost to stat damage. Stat damage adds to it, healing takes from it."))
        .additional_properties(Some(AdditionalProperties::FreeForm(false)));
    for stat in Stat::ALL {
        let lost = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(0))
            .maximum(Some(RATING))
            .default(Some(0.into()));
        object = object.property(stat.name(), lost);
    }
    object.build()
}
