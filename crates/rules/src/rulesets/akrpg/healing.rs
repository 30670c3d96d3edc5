//! Healing, and new barrier and shield.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::creature::{Creature, Downed, Life, POINTS_PER_DIE};
use super::dying::not_downed;
use super::{Akrpg, Event, Options};
use crate::check::{Check, Faults, POINTS, RATING};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome, Refusal};
use crate::tray::Tray;
use crate::words::count;

/// Restores HP, adds barrier and shield dice, or ends downed by other means than Stabilize.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = akrpg::Heal)]
pub struct Heal {
    /// Hit points restored, up to the maximum.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub hp: i32,
    /// Barrier dice gained, 6 points each.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub barrier_dice: i32,
    /// Shield dice gained.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub shield_dice: i32,
    /// The creature loses downed by some other means. Applied last; HP must be above 0 by then.
    #[serde(default)]
    #[schema(default = false)]
    pub end_downed: bool,
}

impl Check for Heal {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/hp", self.hp, 0..=RATING);
        faults.bounds("/barrier_dice", self.barrier_dice, 0..=RATING);
        faults.bounds("/shield_dice", self.shield_dice, 0..=RATING);
    }
}

/// What the healing did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = akrpg::HealOutcome)]
pub struct HealOutcome {
    /// Hit points restored.
    pub restored: i32,
    /// Hit points of healing beyond the maximum.
    pub wasted: i32,
    /// Barrier points gained.
    pub barrier_gained: i32,
    /// Shield dice gained.
    pub shield_gained: i32,
}

impl Outcome for HealOutcome {}

impl Heal {
    /// HP after the healing.
    fn healed(&self, creature: &Creature, options: &Options) -> i32 {
        (creature.hp + self.hp).min(creature.max_hp(options)).max(creature.hp)
    }
}

impl Action for Heal {
    type Rules = Akrpg;
    type Target = Creature;
    type Outcome = HealOutcome;
    const NAME: &'static str = "heal";
    const TITLE: &'static str = "Heal a creature";

    fn refuses(&self, creature: &Creature, options: &Options) -> Option<Refusal> {
        if !self.end_downed {
            return None;
        }
        not_downed(creature).or_else(|| {
            let refusal = || Refusal::invalid("/end_downed", "cannot be: the creature would be up at 0 HP or lower");
            (self.healed(creature, options) <= 0).then(refusal)
        })
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<HealOutcome, Stop> {
        let (hp, barrier, shield) = (creature.hp, creature.barrier, creature.shield);
        let healed = self.healed(creature, options);
        tray.change("/hp", &mut creature.hp, healed, "heal");
        let more_barrier = (barrier + POINTS_PER_DIE * self.barrier_dice).min(POINTS);
        tray.change("/barrier", &mut creature.barrier, more_barrier, "barrier_gain");
        let more_shield = (shield + self.shield_dice).min(RATING);
        tray.change("/shield", &mut creature.shield, more_shield, "shield_gain");
        let healing_ends_downed = options.healing_ends_downed && self.hp > 0 && healed > 0;
        if creature.downed().is_some() && (self.end_downed || healing_ends_downed) {
            creature.rise("heal", options, tray);
        }
        Ok(HealOutcome {
            restored: healed - hp,
            wasted: self.hp - (healed - hp),
            barrier_gained: more_barrier - barrier,
            shield_gained: more_shield - shield,
        })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let HealOutcome { restored, wasted, barrier_gained, shield_gained } = done.outcome;
        let mut said = Vec::new();
        if self.hp > 0 {
            said.push(format!("{restored} HP restored ({} → {})", done.before.hp, done.before.hp + restored));
        }
        if wasted > 0 {
            said.push(format!("{wasted} wasted"));
        }
        if barrier_gained > 0 {
            said.push(format!("{barrier_gained} barrier gained"));
        }
        if shield_gained > 0 {
            said.push(format!("{} gained", count(shield_gained, "shield die", "shield dice")));
        }
        match (done.before.life == done.after.life, done.after.life) {
            (false, Some(Life::Dead)) => said.push("wounds left no health dice: dead".to_owned()),
            (false, _) => said.push(format!("up again with {} HP, wounded {}", done.after.hp, done.after.wounded)),
            (true, _) => {}
        }
        if said.is_empty() {
            said.push("nothing to heal".to_owned());
        }
        format!("Healing: {}.", said.join(", "))
    }

    fn example() -> Example<Self> {
        let target = Creature { hp: -3, life: Some(Life::Downed(Downed { reserve: 2 })), ..Creature::example() };
        let action = Self { hp: 10, barrier_dice: 1, shield_dice: 0, end_downed: true };
        Example { action, target: Some(target), dice: Vec::new() }
    }
}
