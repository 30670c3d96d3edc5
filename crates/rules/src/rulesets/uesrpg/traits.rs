//! Damage types, and the traits that a body meets them with.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::{Check, Faults, RATING, given};

/// The types of damage. All but `physical` are magic damage: plain magic, or one of its sub-types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::DamageType)]
pub enum DamageType {
    /// The harm of steel, fists and falls, as opposed to magic.
    Physical,
    /// Plain magic; in a trait, everything but physical.
    Magic,
    /// Fire.
    Fire,
    /// Frost.
    Frost,
    /// Shock.
    Shock,
    /// Poison, which counts as magic damage even when it is none.
    Poison,
    /// Shadow, which no armour lowers (R19, W).
    Shadow,
}

impl DamageType {
    /// The type in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Physical => "physical",
            Self::Magic => "magic",
            Self::Fire => "fire",
            Self::Frost => "frost",
            Self::Shock => "shock",
            Self::Poison => "poison",
            Self::Shadow => "shadow",
        }
    }
}

/// A trait of the creature. The same trait for the same type twice counts once, at its highest (W).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Trait)]
pub struct Trait {
    /// Which trait.
    #[serde(rename = "trait")]
    pub name: TraitName,
    /// Resistance and weakness: against which damage. Required for them, refused for the others.
    #[serde(rename = "type", default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub kind: Option<DamageType>,
    /// How much. Required for all but undead, refused for undead.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub value: Option<i32>,
}

/// The traits that damage asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::TraitName)]
pub enum TraitName {
    /// Takes off damage of a type.
    Resistance,
    /// Adds to damage of a type.
    Weakness,
    /// Takes off damage of every type, after armour (W).
    NaturalToughness,
    /// Raises the wound threshold; by the alternate wound rule, helps shock tests instead (W).
    Tough,
    /// No passive effects of wounds, no effect of poison, never dazed, no crippled body (W).
    Undead,
}

impl Check for Trait {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/value", self.value, 0..=RATING);
        match self.name {
            TraitName::Resistance | TraitName::Weakness => {
                faults.missing("/type", self.kind.as_ref(), "is required: against which damage");
                faults.missing("/value", self.value.as_ref(), "is required for this trait");
            }
            TraitName::NaturalToughness | TraitName::Tough => {
                faults.stray("/type", self.kind.as_ref(), "belongs to resistance and weakness");
                faults.missing("/value", self.value.as_ref(), "is required for this trait");
            }
            TraitName::Undead => {
                faults.stray("/type", self.kind.as_ref(), "belongs to resistance and weakness");
                faults.stray("/value", self.value.as_ref(), "does not go with undead");
            }
        }
    }
}

/// The highest value of a trait, 0 without it. `kind` is what resistance and weakness are against.
pub fn value(traits: &[Trait], name: TraitName, kind: Option<DamageType>) -> i32 {
    let same = traits.iter().filter(|owned| owned.name == name && owned.kind == kind);
    same.filter_map(|owned| owned.value).max().unwrap_or(0)
}

/// The Resistance and the Weakness that count against damage of this type. The more specific type
/// takes precedence: any trait for fire makes every trait for magic irrelevant to fire.
pub fn resistance_weakness(traits: &[Trait], against: DamageType) -> (i32, i32) {
    let specific = against == DamageType::Physical || traits.iter().any(|owned| owned.kind == Some(against));
    let kind = Some(if specific { against } else { DamageType::Magic });
    (value(traits, TraitName::Resistance, kind), value(traits, TraitName::Weakness, kind))
}
