//! The creature's own turn: damage over time and decaying conditions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::creature::{Condition, Creature};
use super::damage::{barrier, health};
use super::{Akrpg, Event, Options};
use crate::check::{Check, Faults};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;

/// Does what is due at the start or the end of the creature's own turn.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = akrpg::TurnTick)]
pub struct TurnTick {
    /// Which moment of the turn. Nothing is due at its end.
    #[serde(default)]
    #[schema(default = "start")]
    pub phase: Phase,
}

/// A moment of the turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = akrpg::Phase)]
pub enum Phase {
    /// Damage over time, then decaying conditions.
    #[default]
    Start,
    /// Nothing.
    End,
}

impl Check for TurnTick {
    fn check(&self, _: &mut Faults) {}
}

/// What the turn did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = akrpg::TurnTickOutcome)]
pub struct TurnTickOutcome {
    /// Hit points lost to damage over time.
    pub hp_lost: i32,
    /// Barrier points lost to damage over time.
    pub barrier_lost: i32,
    /// The conditions that decayed to 0.
    pub ended: Vec<Condition>,
}

impl Outcome for TurnTickOutcome {}

impl Action for TurnTick {
    type Rules = Akrpg;
    type Target = Creature;
    type Outcome = TurnTickOutcome;
    const NAME: &'static str = "turn-tick";
    const TITLE: &'static str = "Start or end a turn";
    const ROUNDS: bool = true;

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<TurnTickOutcome, Stop> {
        let mut outcome = TurnTickOutcome { hp_lost: 0, barrier_lost: 0, ended: Vec::new() };
        if self.phase == Phase::Start {
            (outcome.barrier_lost, outcome.hp_lost) = dot_tick(creature, options, tray);
            outcome.ended = decay(creature, tray);
        }
        Ok(outcome)
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let TurnTickOutcome { hp_lost, barrier_lost, ended } = &done.outcome;
        let mut said = Vec::new();
        if *barrier_lost > 0 {
            said.push(format!("the barrier takes {barrier_lost} damage over time"));
        }
        if *hp_lost > 0 {
            said.push(format!("{hp_lost} HP lost over time ({} → {})", done.before.hp, done.after.hp));
        }
        if done.events.contains(&Event::DotEnded) {
            said.push("damage over time ends".to_owned());
        }
        for &condition in &done.before.decaying {
            let name = match condition {
                Condition::Sanctuary => "sanctuary",
                Condition::Fragility => "fragility",
            };
            match done.after.value(condition) {
                _ if ended.contains(&condition) => said.push(format!("{name} ends")),
                left if left < done.before.value(condition) => said.push(format!("{name} drops to {left}")),
                _ => {}
            }
        }
        if said.is_empty() {
            said.push("nothing due".to_owned());
        }
        let phase = match self.phase {
            Phase::Start => "Turn start",
            Phase::End => "Turn end",
        };
        let downed = if done.events.contains(&Event::Downed) { " Downed!" } else { "" };
        format!("{phase}: {}.{downed}", said.join(", "))
    }

    fn example() -> Example<Self> {
        let target =
            Creature { dot: vec![6, 3, 1], fragility: 1, decaying: vec![Condition::Fragility], ..Creature::example() };
        Example { action: Self { phase: Phase::Start }, target: Some(target), dice: Vec::new() }
    }
}

/// `dot_tick`: 1 HP for each die in the tracker, barrier first (R4); then every die goes down by one
/// and those that would go below 1 leave. Answers the barrier points and HP lost.
fn dot_tick(creature: &mut Creature, options: &Options, tray: &mut Tray<'_, Event>) -> (i32, i32) {
    if creature.dot.is_empty() {
        return (0, 0);
    }
    let mut damage = 0;
    // A tracker holds at most 100 dice.
    let dice = i32::try_from(creature.dot.len()).unwrap_or(i32::MAX);
    tray.step("damage", &mut damage, dice, "dot_tick");
    let barrier_lost = if options.dot_ignores_barrier { 0 } else { barrier(creature, &mut damage, tray) };
    let hp_lost = health(creature, damage, options, tray);
    let left: Vec<i32> = creature.dot.iter().map(|die| die - 1).filter(|&die| die >= 1).collect();
    let ended = left.is_empty();
    tray.change("/dot", &mut creature.dot, left, "dot_tick");
    if ended {
        tray.event(Event::DotEnded);
    }
    (barrier_lost, hp_lost)
}

/// `decay`: each decaying condition drops by one; at 0 it ends. Answers those that ended.
fn decay(creature: &mut Creature, tray: &mut Tray<'_, Event>) -> Vec<Condition> {
    for condition in creature.decaying.clone() {
        let left = creature.value(condition) - 1;
        match condition {
            Condition::Sanctuary => tray.change("/sanctuary", &mut creature.sanctuary, left, "decay"),
            Condition::Fragility => tray.change("/fragility", &mut creature.fragility, left, "decay"),
        };
    }
    let (going_on, ended): (Vec<_>, Vec<_>) =
        creature.decaying.iter().copied().partition(|&condition| creature.value(condition) > 0);
    tray.change("/decaying", &mut creature.decaying, going_on, "decay");
    for &condition in &ended {
        tray.event(Event::ConditionEnded { condition });
    }
    ended
}
