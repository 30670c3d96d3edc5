//! The creature's own turn: action points at its start; bleeding, burning and blood loss at its end.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::attack::reduce;
use super::creature::{ACTION_POINTS, Creature, moved, spoiled};
use super::locations::Location;
use super::traits::DamageType;
use super::wound::Wound;
use super::wounds::{blood_loss, clocks};
use super::{ActionPointRefresh, Event, Options, Uesrpg};
use crate::check::{Check, Faults, RATING};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;
use crate::words::count;

/// Does what is due at the start of a round, or at the start or the end of the creature's own turn.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::TurnTick)]
pub struct TurnTick {
    /// Which moment.
    #[serde(default)]
    #[schema(default = "start")]
    pub phase: Phase,
}

/// A moment of the round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::Phase)]
pub enum Phase {
    /// The creature's own turn starts: action points, when they refresh by the turn.
    #[default]
    Start,
    /// The creature's own turn ends: bleeding, burning, blood loss, and a round of being stunned less.
    End,
    /// A round starts: action points, when they refresh by the round.
    Round,
}

impl Check for TurnTick {
    fn check(&self, _: &mut Faults) {}
}

/// What was due.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::TurnTickOutcome)]
pub struct TurnTickOutcome {
    /// Hit points lost, to blood loss too.
    pub hp_lost: i32,
    /// Whether the clock of a wound ran out and brought HP to 0.
    pub bled_out: bool,
    /// Action points after it.
    pub action_points: i32,
}

impl Outcome for TurnTickOutcome {}

impl Action for TurnTick {
    type Rules = Uesrpg;
    type Target = Creature;
    type Outcome = TurnTickOutcome;
    const NAME: &'static str = "turn-tick";
    const TITLE: &'static str = "Start or end a turn, or start a round";
    const ROUNDS: bool = true;

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<TurnTickOutcome, Stop> {
        let (mut hp_lost, mut bled_out) = (0, false);
        match (self.phase, options.action_point_refresh) {
            (Phase::Start, ActionPointRefresh::Turn) | (Phase::Round, ActionPointRefresh::Round) => {
                refresh(creature, tray);
            }
            (Phase::Start, ActionPointRefresh::Round) | (Phase::Round, ActionPointRefresh::Turn) => {}
            (Phase::End, _) => {
                hp_lost += bleeding(creature, tray);
                hp_lost += burning(creature, options, tray);
                let bled = blood_loss(creature, tray);
                (hp_lost, bled_out) = (hp_lost + bled, bled > 0);
                let stunned = (creature.conditions.stunned - 1).max(0);
                tray.change("/conditions/stunned", &mut creature.conditions.stunned, stunned, "stunned");
            }
        }
        Ok(TurnTickOutcome { hp_lost, bled_out, action_points: creature.action_points })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let TurnTickOutcome { hp_lost, bled_out, action_points } = done.outcome;
        let (before, after) = (&done.before, &done.after);
        let mut said = Vec::new();
        if before.action_points != action_points {
            let points = count(action_points, "action point", "action points");
            said.push(format!("{points} ({} → {action_points})", before.action_points));
        }
        said.extend(moved("action point debt", before.action_point_debt, after.action_point_debt));
        if hp_lost > 0 {
            said.push(format!("{hp_lost} HP lost ({} → {})", before.hp, after.hp));
        }
        said.extend(moved("Bleeding", before.conditions.bleeding, after.conditions.bleeding));
        said.extend(moved("Burning", before.conditions.burning, after.conditions.burning));
        said.extend(clocks(before, after));
        if bled_out {
            said.push("bled out".to_owned());
        }
        said.extend(moved("Stunned", before.conditions.stunned, after.conditions.stunned));
        if said.is_empty() {
            said.push("nothing is due".to_owned());
        }
        let phase = match self.phase {
            Phase::Start => "Turn start",
            Phase::End => "Turn end",
            Phase::Round => "Round start",
        };
        let mut sentences = vec![format!("{phase}: {}.", said.join(", "))];
        if done.events.contains(&Event::Unconscious) {
            sentences.push("Unconscious!".to_owned());
        }
        sentences.extend(spoiled(before, after).map(str::to_owned));
        sentences.join(" ")
    }

    fn example() -> Example<Self> {
        let mut target = Creature { hp: 12, ..Creature::example() };
        target.wounds = vec![Wound::example()];
        target.conditions.bleeding = 2;
        target.conditions.burning = 1;
        Example { action: Self { phase: Phase::End }, target: Some(target), dice: Vec::new() }
    }
}

/// `action_points`: a refresh brings three (W), less the debt, which is paid by it. One who is dazed
/// gets one less but not less than one (W); who is stunned or unconscious gets none (W).
fn refresh(creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    let mut points = ACTION_POINTS;
    if creature.action_point_debt > 0 {
        tray.step("action_points", &mut points, (ACTION_POINTS - creature.action_point_debt).max(0), "action_points");
    }
    if creature.conditions.dazed {
        let fewer = if points > 1 { points - 1 } else { points };
        tray.step("action_points", &mut points, fewer, "dazed");
    }
    if creature.conditions.stunned > 0 {
        tray.step("action_points", &mut points, 0, "stunned");
    }
    if creature.unconscious().is_some() {
        tray.step("action_points", &mut points, 0, "unconscious");
    }
    tray.change("/action_points", &mut creature.action_points, points, "action_points");
    tray.change("/action_point_debt", &mut creature.action_point_debt, 0, "action_points");
}

/// `bleeding` (W): as many HP as it counts, which neither armour nor resistance lowers; then one
/// less. It is no attack and does not wound. Answers the HP lost.
fn bleeding(creature: &mut Creature, tray: &mut Tray<'_, Event>) -> i32 {
    let bleeding = creature.conditions.bleeding;
    if bleeding == 0 {
        return 0;
    }
    let lost = creature.lose(bleeding, tray, "bleeding");
    creature.fall(tray);
    tray.change("/conditions/bleeding", &mut creature.conditions.bleeding, bleeding - 1, "bleeding");
    lost
}

/// `burning` (W): as much fire damage to the body as it counts, through armour, toughness and traits;
/// then one more. It is no attack and does not wound. Answers the HP lost.
fn burning(creature: &mut Creature, options: &Options, tray: &mut Tray<'_, Event>) -> i32 {
    let burning = creature.conditions.burning;
    if burning == 0 {
        return 0;
    }
    let flames = reduce(DamageType::Fire, burning, 0, Location::Body, creature, options, tray);
    let lost = creature.lose(flames.taken, tray, "burning");
    creature.fall(tray);
    let more = (burning + 1).min(RATING);
    tray.change("/conditions/burning", &mut creature.conditions.burning, more, "burning");
    lost
}
