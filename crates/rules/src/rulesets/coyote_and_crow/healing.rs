//! Healing, and what ends with it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::conditions::Condition;
use super::creature::{Creature, Stabilized};
use super::stats::Pool;
use super::{CoyoteAndCrow, Event, Options};
use crate::check::{Check, Faults, RATING};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;

/// Restores points to the pools: by skills, abilities or drugs.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Heal)]
pub struct Heal {
    /// Points for body, up to its maximum.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub body: i32,
    /// Points for mind; those above its maximum last until a long rest (W).
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub mind: i32,
    /// Points for soul; those above its maximum last until a long rest (W).
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub soul: i32,
}

impl Check for Heal {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/body", self.body, 0..=RATING);
        faults.bounds("/mind", self.mind, 0..=RATING);
        faults.bounds("/soul", self.soul, 0..=RATING);
    }
}

/// What the healing did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::HealOutcome)]
pub struct HealOutcome {
    /// Points restored to body.
    pub body: i32,
    /// Points restored to mind.
    pub mind: i32,
    /// Points restored to soul.
    pub soul: i32,
    /// Points of healing that did nothing.
    pub wasted: i32,
}

impl Outcome for HealOutcome {}

impl Action for Heal {
    type Rules = CoyoteAndCrow;
    type Target = Creature;
    type Outcome = HealOutcome;
    const NAME: &'static str = "heal";
    const TITLE: &'static str = "Heal a creature";

    /// `heal`: counted from where the pool is, below 0 too. Only body has a limit.
    fn apply(&self, creature: &mut Creature, _: &Options, tray: &mut Tray<'_, Event>) -> Result<HealOutcome, Stop> {
        creature.lie_down(tray);
        let before = creature.clone();
        let body = (before.body + self.body).min(before.max(Pool::Body));
        creature.set_points(Pool::Body, body, "heal", tray);
        creature.set_points(Pool::Mind, before.mind + self.mind, "heal", tray);
        creature.set_points(Pool::Soul, before.soul + self.soul, "heal", tray);
        recover(creature, tray);
        let (body, mind, soul) =
            (creature.body - before.body, creature.mind - before.mind, creature.soul - before.soul);
        Ok(HealOutcome { body, mind, soul, wasted: self.body + self.mind + self.soul - body - mind - soul })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let mut said = done.after.moved(&done.before);
        if done.outcome.wasted > 0 {
            said.push(format!("{} wasted", done.outcome.wasted));
        }
        if said.is_empty() {
            said.push("nothing to heal".to_owned());
        }
        let woke = if done.events.contains(&Event::Woke) { " Awake!" } else { "" };
        format!("Healing: {}.{woke}", said.join(", "))
    }

    fn example() -> Example<Self> {
        let stabilized = Stabilized { body: true, ..Stabilized::default() };
        let target = Creature { body: -2, stabilized, unconscious: true, ..Creature::example() };
        Example { action: Self { body: 3, mind: 1, soul: 0 }, target: Some(target), dice: Vec::new() }
    }
}

/// What ends with points regained: being stable at 0 and above, where a pool is not dying (R10);
/// cold damage with body at its maximum (R26); unconsciousness with a point in every pool.
pub(super) fn recover(creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    for pool in Pool::ALL {
        if creature.points(pool) >= 0 {
            creature.set_stabilized(pool, false, "dying", tray);
        }
    }
    if creature.body == creature.max(Pool::Body)
        && tray.change("/cold_damage", &mut creature.cold_damage, false, "cold")
    {
        tray.event(Event::ConditionEnded { condition: Condition::ColdDamage });
    }
    let awake = Pool::ALL.into_iter().all(|pool| creature.points(pool) >= 1);
    if awake && tray.change("/unconscious", &mut creature.unconscious, false, "unconsciousness") {
        tray.event(Event::Woke);
    }
}
