//! Turns and rounds: regeneration when a round starts, action points when a turn does, and at its end
//! bleeding, burning, blood loss and what else runs by rounds.

use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{Array, ArrayBuilder};
use utoipa::{PartialSchema, ToSchema};

use super::attack::reduce;
use super::check::{Test, die, own_target_number, test, told};
use super::conditions::{Condition, Gained, leave};
use super::creature::{ACTION_POINTS, Creature, moved, spoiled};
use super::healing::restore;
use super::locations::Location;
use super::traits::{DamageType, TraitName, value};
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
    /// `end`: what the creature gained in this very turn, by a counter-attack or its own spell. It does
    /// not count down at the end of this turn (R27). What it gained in another creature's turn does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(schema_with = gained_schema)]
    pub gained_this_turn: Vec<Gained>,
}

fn gained_schema() -> Array {
    let description = "`end`: what the creature gained in this very turn, by a counter-attack or its own spell. It does \
                       not count down at the end of this turn (R27). What it gained in another creature's turn does. \
                       Refused for the other phases.";
    ArrayBuilder::new()
        .items(Gained::schema())
        .unique_items(true)
        .max_items(Some(3))
        .default(Some(Vec::<String>::new().into()))
        .description(Some(description))
        .build()
}

/// A moment of the round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::Phase)]
pub enum Phase {
    /// The creature's own turn starts: action points, when they refresh by the turn.
    #[default]
    Start,
    /// The creature's own turn ends: bleeding, burning, blood loss, and one round fewer of being stunned.
    End,
    /// A round starts: regeneration (W), then action points, when they refresh by the round.
    Round,
}

impl Check for TurnTick {
    fn check(&self, faults: &mut Faults) {
        faults.distinct("/gained_this_turn", &self.gained_this_turn);
        if self.phase != Phase::End && !self.gained_this_turn.is_empty() {
            faults.add("/gained_this_turn", "belongs to phase end");
        }
    }
}

/// What the moment brought.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::TurnTickOutcome)]
pub struct TurnTickOutcome {
    /// The Endurance test of Regeneration; `null` where none is due.
    pub regeneration: Option<Test>,
    /// Hit points restored by Regeneration.
    pub hp_restored: i32,
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
        let mut outcome =
            TurnTickOutcome { regeneration: None, hp_restored: 0, hp_lost: 0, bled_out: false, action_points: 0 };
        if self.phase == Phase::Round {
            outcome.regeneration = regeneration(creature, options, tray)?;
            if outcome.regeneration.is_some_and(|test| test.passed) {
                let hp = value(&creature.traits, TraitName::Regeneration, None);
                (outcome.hp_restored, _) = restore(hp, creature, tray, "regeneration");
            }
        }
        match (self.phase, options.action_point_refresh) {
            (Phase::Start, ActionPointRefresh::Turn) | (Phase::Round, ActionPointRefresh::Round) => {
                refresh(creature, tray);
            }
            (Phase::Start, ActionPointRefresh::Round) | (Phase::Round, ActionPointRefresh::Turn) => {}
            (Phase::End, _) => {
                outcome.hp_lost += bleeding(creature, tray);
                outcome.hp_lost += burning(creature, options, tray);
                let bled = blood_loss(&self.gained_this_turn, creature, tray);
                outcome.hp_lost += bled;
                outcome.bled_out = bled > 0;
                if !self.gained_this_turn.contains(&Gained::Stunned) {
                    let left = (creature.conditions.stunned - 1).max(0);
                    let stunned = &mut creature.conditions.stunned;
                    leave(Condition::Stunned, "/conditions/stunned", stunned, left, "stunned", tray);
                }
            }
        }
        outcome.action_points = creature.action_points;
        Ok(outcome)
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let TurnTickOutcome { regeneration, hp_restored, hp_lost, bled_out, action_points } = done.outcome;
        let (before, after) = (&done.before, &done.after);
        let mut said = Vec::new();
        if let Some(test) = regeneration {
            said.push(format!("Regeneration {}", told(test, "regeneration", &done.log)));
        }
        if hp_restored > 0 {
            said.push(format!("{hp_restored} HP restored ({} → {})", before.hp, after.hp));
        }
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
            said.push("HP are 0 by blood loss".to_owned());
        }
        said.extend(moved("Stunned", before.conditions.stunned, after.conditions.stunned));
        let phase = match self.phase {
            Phase::Start => "Turn start",
            Phase::End => "Turn end",
            Phase::Round => "Round start",
        };
        let mut sentences = Vec::new();
        if self.phase != Phase::End {
            sentences.extend(inactive(after).map(str::to_owned));
        }
        if done.events.contains(&Event::Unconscious) {
            sentences.push("The creature falls unconscious.".to_owned());
        }
        if done.events.contains(&Event::Woke) {
            sentences.push("The creature is conscious again.".to_owned());
        }
        sentences.extend(spoiled(before, after).map(str::to_owned));
        if said.is_empty() && sentences.is_empty() {
            said.push("nothing is due".to_owned());
        }
        if !said.is_empty() {
            sentences.insert(0, said.join(", ") + ".");
        }
        format!("{phase}: {}", sentences.join(" "))
    }

    fn example() -> Example<Self> {
        let mut target = Creature { hp: 12, ..Creature::example() };
        target.wounds = vec![Wound::example()];
        target.conditions.bleeding = 2;
        target.conditions.burning = 1;
        Example {
            action: Self { phase: Phase::End, gained_this_turn: Vec::new() },
            target: Some(target),
            dice: Vec::new(),
        }
    }
}

/// What keeps a creature from having all its action points, in a sentence.
fn inactive(creature: &Creature) -> Option<&'static str> {
    if creature.unconscious().is_some() {
        Some("The creature is unconscious and has no action points.")
    } else if creature.conditions.stunned > 0 {
        Some("The creature is stunned and has no action points.")
    } else if creature.conditions.dazed {
        Some("The creature is dazed, until the table ends it.")
    } else {
        None
    }
}

/// `regeneration` (W): the creature's own Endurance test, where there is something to heal.
fn regeneration(creature: &Creature, options: &Options, tray: &mut Tray<'_, Event>) -> Result<Option<Test>, Stop> {
    let hurt = creature.hp < creature.max_hp() || creature.conditions.bleeding > 0;
    if !hurt || value(&creature.traits, TraitName::Regeneration, None) == 0 {
        return Ok(None);
    }
    let target_number = own_target_number(creature.endurance, creature.test_modifier(options), tray);
    test(target_number, Some(creature), die("regeneration"), tray).map(Some)
}

/// `action_points`: a refresh brings three (W), less the debt, which it pays. A dazed creature gets one
/// fewer but not fewer than one (W); a stunned or unconscious creature gets none (W).
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
/// fewer. It is not an attack and does not wound. Returns the HP lost.
fn bleeding(creature: &mut Creature, tray: &mut Tray<'_, Event>) -> i32 {
    let bleeding = creature.conditions.bleeding;
    if bleeding == 0 {
        return 0;
    }
    let lost = creature.lose(bleeding, tray, "bleeding");
    creature.fall(tray);
    let left = &mut creature.conditions.bleeding;
    leave(Condition::Bleeding, "/conditions/bleeding", left, bleeding - 1, "bleeding", tray);
    lost
}

/// `burning` (W): as much fire damage to the body as it counts, through armour, toughness and traits;
/// then one more. It is not an attack and does not wound. Returns the HP lost.
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
