//! Healing: health back, up to the maximum.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::creature::{Creature, Life};
use super::numbers::MAX_HEALTH;
use super::{Event, GiftAndSkill, Options};
use crate::check::{Check, Faults, RATING};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;

/// Restores health.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = gift_and_skill::Heal)]
pub struct Heal {
    /// Health restored, up to 100. Above 0 it ends dying and wakes the creature.
    #[schema(minimum = 0, maximum = 1000)]
    pub health: i32,
}

impl Check for Heal {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/health", self.health, 0..=RATING);
    }
}

/// What the healing did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = gift_and_skill::HealOutcome)]
pub struct HealOutcome {
    /// Health restored.
    pub restored: i32,
    /// Healing beyond the maximum.
    pub wasted: i32,
}

impl Outcome for HealOutcome {}

impl Action for Heal {
    type Rules = GiftAndSkill;
    type Target = Creature;
    type Outcome = HealOutcome;
    const NAME: &'static str = "heal";
    const TITLE: &'static str = "Heal a creature";

    /// `heal`: up to the maximum; above 0 the creature is awake and no longer dying (R19).
    fn apply(&self, creature: &mut Creature, _: &Options, tray: &mut Tray<'_, Event>) -> Result<HealOutcome, Stop> {
        let before = creature.health;
        creature.set_health((before + self.health).min(MAX_HEALTH), "heal", tray);
        let restored = creature.health - before;
        Ok(HealOutcome { restored, wasted: self.health - restored })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let HealOutcome { restored, wasted } = done.outcome;
        let mut said = vec![format!("{restored} health restored ({} → {})", done.before.health, done.after.health)];
        if wasted > 0 {
            said.push(format!("{wasted} wasted"));
        }
        if done.before.life() != done.after.life() {
            said.push("awake again".to_owned());
        }
        format!("Healing: {}.", said.join(", "))
    }

    fn example() -> Example<Self> {
        let target = Creature { health: -10, life: Some(Life::Dying), ..Creature::example() };
        Example { action: Self { health: 25 }, target: Some(target), dice: Vec::new() }
    }
}
