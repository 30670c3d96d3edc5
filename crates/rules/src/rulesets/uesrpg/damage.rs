//! Damage: one attack, from where it lands to what it does to HP, in the order of the book.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::creature::Creature;
use super::dying::spoiled;
use super::locations::{Location, hit_location, of_face};
use super::traits::{DamageType, TraitName, resistance_weakness, value};
use super::wounds::{WoundOutcome, is_wound, wound};
use super::{Event, Options, Uesrpg};
use crate::check::{Check, DICE, Faults, LIST, POINTS, RATING, given};
use crate::dice::{Ask, Dice, Stop};
use crate::dice_text::DiceText;
use crate::ruleset::{Action, Done, Example, Outcome, Parts, Refusal};
use crate::tray::Tray;

/// One attack: all of its damage together makes at most one wound.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Damage)]
pub struct Damage {
    /// The attack.
    pub attack: Attack,
}

/// An attack that hit.
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

impl Check for Damage {
    fn check(&self, faults: &mut Faults) {
        faults.within("/attack", |faults| self.attack.check(faults));
    }
}

/// What the attack did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::DamageOutcome)]
pub struct DamageOutcome {
    /// Where it landed.
    pub location: Location,
    /// What became of each part, in order. Left out of odds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<ComponentOutcome>,
    /// The damage taken, all parts together, HP or not.
    pub damage: i32,
    /// Hit points lost.
    pub hp_lost: i32,
    /// The wound, if it made one.
    pub wound: Option<WoundOutcome>,
}

/// What became of one part of the damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::ComponentOutcome)]
pub struct ComponentOutcome {
    /// The type of the damage.
    #[serde(rename = "type")]
    pub kind: DamageType,
    /// The damage before anything met it.
    pub amount: i32,
    /// The armour rating that met it, penetration taken off.
    pub armor: i32,
    /// The Natural Toughness that met it.
    pub toughness: i32,
    /// The Resistance that counted.
    pub resistance: i32,
    /// The Weakness that counted.
    pub weakness: i32,
    /// The damage that got through.
    pub taken: i32,
}

impl Outcome for DamageOutcome {
    fn totals(mut self) -> Self {
        self.components.clear();
        self
    }
}

impl Action for Damage {
    type Rules = Uesrpg;
    type Target = Creature;
    type Outcome = DamageOutcome;
    const NAME: &'static str = "damage";
    const TITLE: &'static str = "Deal damage";
    const ON_THE_DEAD: bool = true;

    fn read_parts(parts: &mut impl Parts) {
        parts.part::<Attack>("/attack");
        parts.part::<Component>("/attack/components");
    }

    fn refuses(&self, creature: &Creature, options: &Options) -> Option<Refusal> {
        let could_wound = || {
            let aimed = self.attack.aimed().map_or(Location::ALL.to_vec(), |location| vec![location]);
            aimed.into_iter().any(|aimed| self.could_wound(aimed, creature, options))
        };
        let refusal = || {
            Refusal::invalid(
                "/target/wounds",
                format!("holds {LIST} wounds already, and this attack could make another"),
            )
        };
        (creature.wounds.len() >= LIST && could_wound()).then(refusal)
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<DamageOutcome, Stop> {
        let hp = creature.hp;
        let location = hit_location(&self.attack, creature, tray)?;
        let components = strike(&self.attack, location, creature, options, tray)?;
        let damage = sum(&components);
        let hp_lost = creature.lose(damage, tray, "health");
        let wound = if is_wound(&self.attack, damage, hp, creature, options, tray) {
            Some(wound(&self.attack, location, &components, damage, creature, options, tray)?)
        } else {
            None
        };
        creature.fall(tray);
        Ok(DamageOutcome { location, components, damage, hp_lost, wound })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let DamageOutcome { location, components, hp_lost, wound, .. } = &done.outcome;
        let aimed = self.aimed(done);
        let reason = if aimed == *location { String::new() } else { format!(", for the {} is lost", aimed.name()) };
        let parts: Vec<String> = components.iter().map(sentence).collect();
        let lost = match hp_lost {
            0 => "no HP lost".to_owned(),
            lost => format!("{lost} HP lost ({} → {})", done.before.hp, done.after.hp),
        };
        let mut said = vec![format!("Hit in the {}{reason}: {}; {lost}.", location.name(), parts.join(", "))];
        if let Some(wound) = wound {
            said.push(wound.sentence(&done.outcome, &done.before, &done.after));
        }
        if done.events.contains(&Event::Unconscious) {
            said.push("Unconscious!".to_owned());
        }
        said.extend(spoiled(&done.before, &done.after).map(str::to_owned));
        said.join(" ")
    }

    fn example() -> Example<Self> {
        let blow =
            Component { kind: DamageType::Physical, amount: None, roll: Some(DiceText::new(1, 8, 2)), penetration: 1 };
        let flames = Component { kind: DamageType::Fire, amount: Some(5), roll: None, penetration: 0 };
        let components = vec![blow, flames];
        let attack = Attack { attack_roll: Some(28), location: None, critical: false, head_loss: None, components };
        let mut target = Creature::example();
        target.armor.right_arm.physical = 3;
        target.armor.right_arm.magic = 1;
        Example { action: Self { attack }, target: Some(target), dice: vec![7, 52, 30] }
    }
}

/// What became of one part, in words.
fn sentence(part: &ComponentOutcome) -> String {
    let ComponentOutcome { kind, amount, taken, .. } = part;
    let mut met = Vec::new();
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
    format!("{amount} {}{met}: {taken}", kind.name())
}

/// Dice that show their highest face.
struct Highest;

impl Dice for Highest {
    fn face(&mut self, ask: Ask) -> Result<u32, Stop> {
        Ok(ask.sides)
    }
}

impl Damage {
    /// Where the blow was aimed: as the attack says, or as the die did that was thrown first for it.
    fn aimed(&self, done: &Done<Self>) -> Location {
        let thrown = || done.dice().first().copied().map(of_face);
        self.attack.aimed().or_else(thrown).unwrap_or(done.outcome.location)
    }

    /// Whether the attack, aimed here, makes a wound at least with its highest damage.
    fn could_wound(&self, aimed: Location, creature: &Creature, options: &Options) -> bool {
        let mut dice = Highest;
        let mut tray = Tray::silent(&mut dice);
        let most = strike(&self.attack, creature.struck_at(aimed), creature, options, &mut tray);
        most.is_ok_and(|most| is_wound(&self.attack, sum(&most), creature.hp, creature, options, &mut tray))
    }
}

/// Every part of the attack, by itself.
fn strike(
    attack: &Attack,
    location: Location,
    creature: &Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Vec<ComponentOutcome>, Stop> {
    attack.components.iter().map(|part| strike_part(part, location, creature, options, tray)).collect()
}

/// The damage of all parts together.
fn sum(components: &[ComponentOutcome]) -> i32 {
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
        Some(dice) => dice.throw("damage", "damage_roll", tray)?,
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
    ComponentOutcome { kind, amount, armor, toughness, resistance, weakness, taken }
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
