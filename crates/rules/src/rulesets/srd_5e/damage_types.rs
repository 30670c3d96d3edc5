//! The thirteen damage types, and what a creature's resistances, vulnerabilities and immunities name.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A damage type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::DamageType)]
pub enum DamageType {
    /// Acid burns.
    Acid,
    /// Blows of blunt things, and falls.
    Bludgeoning,
    /// Frost.
    Cold,
    /// Flames and heat.
    Fire,
    /// Bare magic. Damage without a type is sent as this.
    Force,
    /// Electric shocks.
    Lightning,
    /// What drains life.
    Necrotic,
    /// Stabs and bites.
    Piercing,
    /// Venom and toxic gas.
    Poison,
    /// What hurts the mind.
    Psychic,
    /// Holy or searing light.
    Radiant,
    /// Cuts of blades and claws.
    Slashing,
    /// Sound that crushes.
    Thunder,
}

impl DamageType {
    /// All types, in order.
    pub const ALL: [Self; 13] = [
        Self::Acid,
        Self::Bludgeoning,
        Self::Cold,
        Self::Fire,
        Self::Force,
        Self::Lightning,
        Self::Necrotic,
        Self::Piercing,
        Self::Poison,
        Self::Psychic,
        Self::Radiant,
        Self::Slashing,
        Self::Thunder,
    ];

    /// The type in a sentence, and as what the log calls damage of this type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acid => "acid",
            Self::Bludgeoning => "bludgeoning",
            Self::Cold => "cold",
            Self::Fire => "fire",
            Self::Force => "force",
            Self::Lightning => "lightning",
            Self::Necrotic => "necrotic",
            Self::Piercing => "piercing",
            Self::Poison => "poison",
            Self::Psychic => "psychic",
            Self::Radiant => "radiant",
            Self::Slashing => "slashing",
            Self::Thunder => "thunder",
        }
    }
}

/// What an entry of a creature's resistances, vulnerabilities or immunities is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::Defense)]
pub enum Defense {
    /// Acid damage.
    Acid,
    /// Bludgeoning damage.
    Bludgeoning,
    /// Cold damage.
    Cold,
    /// Fire damage.
    Fire,
    /// Force damage.
    Force,
    /// Lightning damage.
    Lightning,
    /// Necrotic damage.
    Necrotic,
    /// Piercing damage.
    Piercing,
    /// Poison damage.
    Poison,
    /// Psychic damage.
    Psychic,
    /// Radiant damage.
    Radiant,
    /// Slashing damage.
    Slashing,
    /// Thunder damage.
    Thunder,
    /// Damage of every type.
    All,
    /// Bludgeoning damage of attacks that is not magical (5.1).
    NonmagicalBludgeoning,
    /// Piercing damage of attacks that is not magical (5.1).
    NonmagicalPiercing,
    /// Slashing damage of attacks that is not magical (5.1).
    NonmagicalSlashing,
}

impl Defense {
    /// How many there are: the longest list of different ones.
    pub const COUNT: usize = 17;

    /// Whether it is for damage of this type. `nonmagical`: the damage is an attack's and not magical (R8).
    pub fn is_for(self, kind: DamageType, nonmagical: bool) -> bool {
        match self {
            Self::Acid => kind == DamageType::Acid,
            Self::Bludgeoning => kind == DamageType::Bludgeoning,
            Self::Cold => kind == DamageType::Cold,
            Self::Fire => kind == DamageType::Fire,
            Self::Force => kind == DamageType::Force,
            Self::Lightning => kind == DamageType::Lightning,
            Self::Necrotic => kind == DamageType::Necrotic,
            Self::Piercing => kind == DamageType::Piercing,
            Self::Poison => kind == DamageType::Poison,
            Self::Psychic => kind == DamageType::Psychic,
            Self::Radiant => kind == DamageType::Radiant,
            Self::Slashing => kind == DamageType::Slashing,
            Self::Thunder => kind == DamageType::Thunder,
            Self::All => true,
            Self::NonmagicalBludgeoning => nonmagical && kind == DamageType::Bludgeoning,
            Self::NonmagicalPiercing => nonmagical && kind == DamageType::Piercing,
            Self::NonmagicalSlashing => nonmagical && kind == DamageType::Slashing,
        }
    }
}
