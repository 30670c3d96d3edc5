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

/// A trait of the creature. The same trait for the same type twice counts once, at its highest (W). A
/// trait with the value 0 counts as none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Trait)]
pub struct Trait {
    /// Which trait.
    #[serde(rename = "trait")]
    pub name: TraitName,
    /// The damage type that resistance, weakness or immunity is for. Required for these, refused for
    /// the others.
    #[serde(rename = "type", default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub kind: Option<DamageType>,
    /// The X of the trait. Required for resistance, weakness, natural_toughness, tough and
    /// regeneration, refused for the others.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub value: Option<i32>,
}

/// The traits that damage asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::TraitName)]
pub enum TraitName {
    /// Resistance (type, X): takes X off damage of the type, after armour.
    Resistance,
    /// Weakness (type, X): adds X to damage of the type, after armour.
    Weakness,
    /// Immunity (type): no damage of the type gets through, whatever else the creature is weak to (W).
    /// For `magic`: none of any type but physical.
    Immunity,
    /// Natural Toughness (X): takes X off damage of every type, after armour (W).
    NaturalToughness,
    /// Tough (X): adds X to the wound threshold; by the alternate wound rule, makes shock tests easier
    /// instead (W).
    Tough,
    /// Regeneration (X): at the start of each round, an Endurance test to regain X HP (W).
    Regeneration,
    /// Thick Skull: never stunned and never dazed (W).
    ThickSkull,
    /// Undead: no passive effects of wounds, no effect of poison, never dazed, no crippled body (W).
    Undead,
}

impl Check for Trait {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/value", self.value, 0..=RATING);
        let (has_type, has_value) = match self.name {
            TraitName::Resistance | TraitName::Weakness => (true, true),
            TraitName::Immunity => (true, false),
            TraitName::NaturalToughness | TraitName::Tough | TraitName::Regeneration => (false, true),
            TraitName::ThickSkull | TraitName::Undead => (false, false),
        };
        if has_type {
            faults.missing("/type", self.kind.as_ref(), "is required for this trait: against which damage");
        } else {
            faults.stray("/type", self.kind.as_ref(), "belongs to resistance, weakness and immunity");
        }
        if has_value {
            faults.missing("/value", self.value.as_ref(), "is required for this trait");
        } else {
            faults.stray("/value", self.value.as_ref(), "does not go with this trait");
        }
    }
}

/// Whether the creature has a trait that has no value.
pub fn has(traits: &[Trait], name: TraitName) -> bool {
    traits.iter().any(|owned| owned.name == name)
}

/// The highest value of a trait, 0 without it. `kind` is what resistance and weakness are against.
pub fn value(traits: &[Trait], name: TraitName, kind: Option<DamageType>) -> i32 {
    let same = traits.iter().filter(|owned| owned.name == name && owned.kind == kind);
    same.filter_map(|owned| owned.value).max().unwrap_or(0)
}

/// The Resistance and the Weakness that count against damage of this type. The more specific type
/// takes precedence: any trait for fire makes every trait for magic irrelevant to fire.
pub fn resistance_weakness(traits: &[Trait], against: DamageType) -> (i32, i32) {
    let of = |kind| (value(traits, TraitName::Resistance, kind), value(traits, TraitName::Weakness, kind));
    match of(Some(against)) {
        (0, 0) if against != DamageType::Physical => of(Some(DamageType::Magic)),
        specific => specific,
    }
}

/// Whether damage of this type never gets through. Immunity to magic is for every type but physical.
pub fn is_immune(traits: &[Trait], against: DamageType) -> bool {
    let covers = |kind| kind == against || (kind == DamageType::Magic && against != DamageType::Physical);
    traits.iter().any(|owned| owned.name == TraitName::Immunity && owned.kind.is_some_and(covers))
}
