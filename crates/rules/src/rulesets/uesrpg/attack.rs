//! The attack: where it lands, and how much of each part of its damage gets through.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::creature::Creature;
use super::locations::Location;
use super::traits::{DamageType, TraitName, is_immune, resistance_weakness, value};
use super::{Event, Options};
use crate::check::{Check, DICE, Faults, LIST, POINTS, RATING, given};
use crate::dice::{Ask, By, Stop, Worth};
use crate::dice_text::DiceText;
use crate::tray::Tray;

/// The attack, which hit.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Attack)]
pub struct Attack {
    /// What the attack roll showed. Its ones digit is the hit location, unless `location` says so.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100, nullable = false)]
    pub attack_roll: Option<i32>,
    /// The hit location, if it was chosen. Without it and without `attack_roll` a d10 decides.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub location: Option<Location>,
    /// The attack was a critical success. Only the alternate wound rule asks.
    #[serde(default)]
    #[schema(default = false)]
    pub critical: bool,
    /// What a wound to the head takes if the shock test fails. Absent: the table decides, and the
    /// event `head_loss_due` reminds it.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub head_loss: Option<HeadLoss>,
    /// The parts of the damage (the weapon, an enchantment, a poison), in order. Each meets armour and
    /// traits by itself.
    #[schema(min_items = 1, max_items = 100)]
    pub components: Vec<Component>,
}

/// What a wound to the head can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::HeadLoss)]
pub enum HeadLoss {
    /// An ear.
    Ear,
    /// An eye.
    Eye,
}

/// One part of an attack's damage.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Component)]
pub struct Component {
    /// The type of the damage.
    #[serde(rename = "type")]
    pub kind: DamageType,
    /// How much damage. Required unless `roll` is there.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub amount: Option<i32>,
    /// Dice to throw for the damage. Required unless `amount` is there, refused beside it.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub roll: Option<DiceText>,
    /// Taken off the location's physical AR, which stops at 0 (W). Without effect on other types than
    /// physical.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub penetration: i32,
}

impl Check for Component {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/amount", self.amount, 0..=RATING);
        faults.bounds("/penetration", self.penetration, 0..=RATING);
        match &self.roll {
            Some(_) => faults.stray("/amount", self.amount.as_ref(), "does not go with `roll`"),
            None => faults.missing("/amount", self.amount.as_ref(), "is required unless `roll` is there"),
        }
    }
}

impl Check for Attack {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/attack_roll", self.attack_roll, 1..=100);
        faults.length("/components", &self.components, 1..=LIST);
        faults.each("/components", &self.components);
        let dice: i64 =
            self.components.iter().filter_map(|part| part.roll.as_ref()).map(|roll| i64::from(roll.count())).sum();
        if dice > DICE {
            faults
                .add("/components", format!("call for {dice} dice together, but at most {DICE} may be thrown at once"));
        }
    }
}

/// What one part of the damage did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::ComponentOutcome)]
pub struct ComponentOutcome {
    /// The type of the damage.
    #[serde(rename = "type")]
    pub kind: DamageType,
    /// The damage before immunity, armour and traits.
    pub amount: i32,
    /// The armour rating that met it, penetration taken off.
    pub armor: i32,
    /// Whether the creature is immune to the type, so that nothing got through.
    pub immune: bool,
    /// The Natural Toughness that met it.
    pub toughness: i32,
    /// The Resistance that counted.
    pub resistance: i32,
    /// The Weakness that counted.
    pub weakness: i32,
    /// The damage that got through.
    pub taken: i32,
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
            Location::of_digit(tray.total(Ask::new("hit_location", 1, 10).by(By::Attacker), digit, location)?.points)
        }
    };
    Ok(creature.struck_at(aimed))
}

/// Every part of the attack, by itself.
pub fn strike(
    attack: &Attack,
    location: Location,
    creature: &Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Vec<ComponentOutcome>, Stop> {
    attack.components.iter().map(|part| strike_part(part, location, creature, options, tray)).collect()
}

/// The damage of all parts together.
pub fn sum(components: &[ComponentOutcome]) -> i32 {
    components.iter().map(|part| part.taken).sum::<i32>().min(POINTS)
}

/// One part of the damage: its dice, then what meets it.
fn strike_part(
    part: &Component,
    location: Location,
    creature: &Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<ComponentOutcome, Stop> {
    let amount = match &part.roll {
        Some(dice) => dice.throw("damage", "damage_roll", Some(By::Attacker), tray)?,
        None => part.amount.unwrap_or(0),
    };
    Ok(reduce(part.kind, amount, part.penetration, location, creature, options, tray))
}

/// An amount of damage through armour, toughness and traits.
pub fn reduce(
    kind: DamageType,
    amount: i32,
    penetration: i32,
    location: Location,
    creature: &Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> ComponentOutcome {
    let mut taken = amount;
    if is_immune(&creature.traits, kind) {
        tray.step("damage", &mut taken, 0, "immunity");
        let immune = true;
        return ComponentOutcome { kind, amount, immune, armor: 0, toughness: 0, resistance: 0, weakness: 0, taken };
    }
    let armor = armor_rating(kind, penetration, location, creature, options, tray);
    if armor > 0 {
        tray.step("damage", &mut taken, (amount - armor).max(0), "armor");
    }
    let toughness = value(&creature.traits, TraitName::NaturalToughness, None);
    if toughness > 0 {
        let left = (taken - toughness).max(0);
        tray.step("damage", &mut taken, left, "natural_toughness");
    }
    // Weakness adds nothing to damage that was stopped before (R8).
    let (resistance, owned) = resistance_weakness(&creature.traits, kind);
    let weakness = if taken > 0 || options.weakness_always_adds { owned } else { 0 };
    if resistance > 0 || owned > 0 {
        let changed = (taken - resistance + weakness).max(0);
        tray.step("damage", &mut taken, changed, "resistance_weakness");
    }
    ComponentOutcome { kind, amount, immune: false, armor, toughness, resistance, weakness, taken }
}

/// `armor`: what the location has against this type. A sub-type of magic meets its own AR and magic
/// AR together; physical AR never stops magic. Nothing stops shadow (R19, W).
fn armor_rating(
    kind: DamageType,
    penetration: i32,
    location: Location,
    creature: &Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> i32 {
    let worn = creature.armor.at(location);
    match kind {
        DamageType::Physical => {
            let mut rating = worn.physical;
            if penetration > 0 {
                tray.step("armor", &mut rating, (worn.physical - penetration).max(0), "penetration");
            }
            rating
        }
        DamageType::Magic => worn.magic,
        DamageType::Fire => worn.fire + worn.magic,
        DamageType::Frost => worn.frost + worn.magic,
        DamageType::Shock => worn.shock + worn.magic,
        DamageType::Poison => worn.poison + worn.magic,
        DamageType::Shadow if options.magic_armor_stops_shadow => worn.magic,
        DamageType::Shadow => 0,
    }
}

/// What one part did, in words. `rolled`: what its dice showed, if it had dice.
pub fn sentence(part: &ComponentOutcome, rolled: Option<String>) -> String {
    let ComponentOutcome { kind, amount, taken, .. } = part;
    let mut met = Vec::new();
    if part.immune {
        met.push("immunity".to_owned());
    }
    if part.armor > 0 {
        met.push(format!("armour {}", part.armor));
    }
    if part.toughness > 0 {
        met.push(format!("toughness {}", part.toughness));
    }
    if part.resistance > 0 {
        met.push(format!("resistance {}", part.resistance));
    }
    if part.weakness > 0 {
        met.push(format!("weakness {}", part.weakness));
    }
    let met = if met.is_empty() { String::new() } else { format!(" against {}", met.join(", ")) };
    let rolled = rolled.map(|rolled| format!(" ({rolled})")).unwrap_or_default();
    format!("{amount} {}{rolled}{met}: {taken}", kind.name())
}
