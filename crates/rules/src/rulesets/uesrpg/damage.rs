//! Damage: one attack, from where it lands to what it does to HP, in the order of the book.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::attack::{Attack, Component, ComponentOutcome, hit_location, of_face, sentence, strike, sum};
use super::check::faces;
use super::creature::{Creature, spoiled};
use super::locations::Location;
use super::traits::DamageType;
use super::wounds::{WoundOutcome, is_wound, wound};
use super::{Event, Options, Uesrpg};
use crate::check::{Check, Faults, LIST};
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
    /// What each part of the damage did, in order. Left out of odds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<ComponentOutcome>,
    /// The damage taken, all parts together, HP or not.
    pub damage: i32,
    /// Hit points lost.
    pub hp_lost: i32,
    /// The wound, if it made one.
    pub wound: Option<WoundOutcome>,
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
        let DamageOutcome { location, components, damage, hp_lost, wound } = &done.outcome;
        let aimed = self.aimed(done);
        let reason = if aimed == *location { String::new() } else { format!(", because the {} is lost", aimed.name()) };
        let mut thrown = faces("damage_roll", &done.log);
        let mut rolled = |dice: &DiceText| {
            let faces = thrown.by_ref().take(usize::try_from(dice.count()).unwrap_or(usize::MAX));
            let faces: Vec<String> = faces.map(|face| face.to_string()).collect();
            format!("{dice} rolled {}", faces.join(", "))
        };
        let parts = self.attack.components.iter().zip(components);
        let parts: Vec<String> =
            parts.map(|(part, outcome)| sentence(outcome, part.roll.as_ref().map(&mut rolled))).collect();
        let die = faces("hit_location", &done.log).next().map(|face| format!(" (rolled {face})")).unwrap_or_default();
        let lost = match hp_lost {
            0 => "no HP lost".to_owned(),
            lost => format!("{lost} HP lost ({} → {})", done.before.hp, done.after.hp),
        };
        let mut said = vec![format!("Hit in the {}{die}{reason}: {}; {lost}.", location.name(), parts.join(", "))];
        if let Some(wound) = wound {
            said.push(wound.sentences(*location, components, *damage, &done.before, &done.after, &done.log));
        }
        if done.events.contains(&Event::Unconscious) {
            said.push("The creature falls unconscious.".to_owned());
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
