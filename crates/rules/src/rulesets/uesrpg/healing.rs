//! Healing: hit points back, and what they do to unconsciousness, bleeding and wounds.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::conditions::{Condition, leave};
use super::creature::{Creature, Life, moved};
use super::wound::Wound;
use super::wounds::{regain, suspend};
use super::{Event, Options, Uesrpg};
use crate::check::{Check, Faults, RATING};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;
use crate::words::count;

/// Restores HP.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Heal)]
pub struct Heal {
    /// Hit points of healing; those beyond the maximum are wasted, but lower Bleeding too (W).
    #[schema(minimum = 0, maximum = 1000)]
    pub hp: i32,
    /// Magical healing, which delays passive effects and blood loss of wounds.
    #[serde(default)]
    #[schema(default = false)]
    pub magical: bool,
}

impl Check for Heal {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/hp", self.hp, 0..=RATING);
    }
}

/// What the healing did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::HealOutcome)]
pub struct HealOutcome {
    /// Hit points restored.
    pub restored: i32,
    /// Hit points of healing beyond the maximum.
    pub wasted: i32,
    /// Wounds that were cured by it.
    pub wounds_cured: i32,
}

impl Outcome for HealOutcome {}

impl Action for Heal {
    type Rules = Uesrpg;
    type Target = Creature;
    type Outcome = HealOutcome;
    const NAME: &'static str = "heal";
    const TITLE: &'static str = "Heal a creature";

    fn apply(&self, creature: &mut Creature, _: &Options, tray: &mut Tray<'_, Event>) -> Result<HealOutcome, Stop> {
        let (restored, wounds_cured) = restore(self.hp, creature, tray, "heal");
        if self.magical {
            suspend(restored, creature, tray);
        }
        Ok(HealOutcome { restored, wasted: self.hp - restored, wounds_cured })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let HealOutcome { restored, wasted, wounds_cured } = done.outcome;
        let mut said = vec![format!("{restored} HP restored ({} → {})", done.before.hp, done.after.hp)];
        if wasted > 0 {
            said.push(format!("{wasted} wasted"));
        }
        let (before, after) = (&done.before, &done.after);
        said.extend(moved("Bleeding", before.conditions.bleeding, after.conditions.bleeding));
        said.extend(delays(before, after));
        if wounds_cured > 0 {
            said.push(format!("{} cured", count(wounds_cured, "wound", "wounds")));
        }
        if done.events.contains(&Event::Woke) {
            said.push("the creature is conscious again".to_owned());
        }
        format!("Healing: {}.", said.join(", "))
    }

    fn example() -> Example<Self> {
        let life = Some(Life::Unconscious(Default::default()));
        let target = Creature { hp: 0, life, ..Creature::example() };
        Example { action: Self { hp: 6, magical: true }, target: Some(target), dice: Vec::new() }
    }
}

/// The wounds that the healing delayed, in words. Healing may cure a treated wound, so the wounds before
/// it are those that regained too little.
fn delays(before: &Creature, after: &Creature) -> Vec<String> {
    let restored = after.hp - before.hp;
    let cured = |wound: &&Wound| wound.treated && wound.regained + restored >= wound.damage;
    let pairs = before.wounds.iter().filter(|wound| !cured(wound)).zip(&after.wounds);
    let delay = |(was, is): (&Wound, &Wound)| {
        let what = format!("rounds of delay of the wound in the {}", is.location.name());
        moved(&what, was.suspended_rounds, is.suspended_rounds)
    };
    pairs.filter_map(delay).collect()
}

/// Healing of any kind: HP go up to the maximum, and above 0 the creature wakes and its failures are
/// forgotten (R14). All of `hp`, also those beyond the maximum, lower Bleeding (W). HP really restored
/// count towards the cure of treated wounds. Returns the HP restored and the wounds cured.
pub fn restore(hp: i32, creature: &mut Creature, tray: &mut Tray<'_, Event>, rule: &'static str) -> (i32, i32) {
    let before = creature.hp;
    let healed = (before + hp).min(creature.max_hp());
    tray.change("/hp", &mut creature.hp, healed, rule);
    if creature.hp > 0 && creature.unconscious().is_some() {
        tray.change("/life", &mut creature.life, Some(Life::Up), "unconscious");
        tray.event(Event::Woke);
    }
    let bleeding = (creature.conditions.bleeding - hp).max(0);
    leave(Condition::Bleeding, "/conditions/bleeding", &mut creature.conditions.bleeding, bleeding, "bleeding", tray);
    let restored = creature.hp - before;
    (restored, regain(restored, creature, tray))
}
