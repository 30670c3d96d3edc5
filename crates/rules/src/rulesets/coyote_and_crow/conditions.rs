//! Conditions: the checks that keep one out of them, and that end them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{CheckOutcome, Grade, SUCCESS_NUMBER, check, dice, hold};
use super::creature::{Creature, Panic, WillOrEndurance};
use super::events::cries;
use super::{CoyoteAndCrow, Event, NOTHING_TO_CHECK, Options};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome, Refusal};
use crate::tray::Tray;

/// The successes that end being stunned, all in one check (W).
pub const STUN_SUCCESSES: i32 = 3;

/// What first aid on oneself adds to its success number (R25).
const ON_ONESELF: i32 = 2;

/// A condition that can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::Condition)]
pub enum Condition {
    /// Critical hits no longer cost stat points.
    ColdDamage,
    /// No longer panicked.
    Panicked,
    /// No longer stunned.
    Stunned,
    /// The fire is out.
    Burning,
    /// The bleeding is stopped.
    Bleeding,
}

/// Makes a check to stay out of a condition, or to end one.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::ConditionCheck)]
pub struct ConditionCheck {
    /// Which check.
    pub kind: ConditionKind,
    /// For `panic`: how many successes it takes; together with `success_number`. Absent: the panic
    /// that the creature is in.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000, nullable = false)]
    pub rank: Option<i32>,
    /// For `panic`: the number to reach, together with `rank`. For `first_aid`: in place of 8. Held to
    /// 2 to 12.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false)]
    pub success_number: Option<i32>,
    /// For `stun`: the stat to roll. Absent: the higher one (R24).
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub with: Option<WillOrEndurance>,
    /// For `extinguish`: the dice of the survival check, required unless `submerged`. For `first_aid`:
    /// its dice, required.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub pool: Option<i32>,
    /// For `extinguish`: fully under water, which just works.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, default = false)]
    pub submerged: Option<bool>,
    /// For `first_aid`: the bleeding creature does it itself, at SN + 2.
    #[serde(rename = "self", default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(rename = "self", nullable = false, default = false)]
    pub on_oneself: Option<bool>,
}

/// The checks about conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::ConditionKind)]
pub enum ConditionKind {
    /// To stay conscious with a pool at 0.
    StayConscious,
    /// Not to panic, or to overcome a panic.
    Panic,
    /// To stop being stunned.
    Stun,
    /// To put out the fire that the creature burns with.
    Extinguish,
    /// To stop the bleeding.
    FirstAid,
}

impl Check for ConditionCheck {
    fn check(&self, faults: &mut Faults) {
        let kind = self.kind;
        faults.bounds_if("/rank", self.rank, 1..=RATING);
        faults.bounds_if("/success_number", self.success_number, -RATING..=RATING);
        faults.bounds_if("/pool", self.pool, 0..=RATING);
        match (kind, self.rank, self.success_number) {
            (ConditionKind::Panic, Some(_), None) => faults.add("/success_number", "is required with `rank`"),
            (ConditionKind::Panic, None, Some(_)) => faults.add("/rank", "is required with `success_number`"),
            (ConditionKind::Panic, _, _) => {}
            (_, rank, _) => faults.stray("/rank", rank.as_ref(), "belongs to kind panic"),
        }
        if !matches!(kind, ConditionKind::Panic | ConditionKind::FirstAid) {
            let detail = "belongs to kinds panic and first_aid";
            faults.stray("/success_number", self.success_number.as_ref(), detail);
        }
        if kind != ConditionKind::Stun {
            faults.stray("/with", self.with.as_ref(), "belongs to kind stun");
        }
        match kind {
            ConditionKind::Extinguish if self.submerged == Some(true) => {
                faults.stray("/pool", self.pool.as_ref(), "does not go with `submerged`")
            }
            ConditionKind::Extinguish => {
                faults.missing("/pool", self.pool.as_ref(), "is required unless `submerged` is true")
            }
            ConditionKind::FirstAid => faults.missing("/pool", self.pool.as_ref(), "is required for kind first_aid"),
            ConditionKind::StayConscious | ConditionKind::Panic | ConditionKind::Stun => {
                faults.stray("/pool", self.pool.as_ref(), "belongs to kinds extinguish and first_aid")
            }
        }
        if kind != ConditionKind::Extinguish {
            faults.stray("/submerged", self.submerged.as_ref(), "belongs to kind extinguish");
        }
        if kind != ConditionKind::FirstAid {
            faults.stray("/self", self.on_oneself.as_ref(), "belongs to kind first_aid");
        }
    }
}

/// How the check came out, and the conditions after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::ConditionCheckOutcome)]
pub struct ConditionCheckOutcome {
    /// The check; `null` if none was needed.
    pub check: Option<CheckOutcome>,
    /// Whether it was enough.
    pub enough: bool,
    /// Whether the creature is unconscious.
    pub unconscious: bool,
    /// Whether it is panicked.
    pub panicked: bool,
    /// Whether it is stunned.
    pub stunned: bool,
    /// The rank of the fire that it burns with; 0 is none.
    pub burning: i32,
    /// Its instances of bleeding.
    pub bleeding: i32,
}

impl Outcome for ConditionCheckOutcome {}

impl Action for ConditionCheck {
    type Rules = CoyoteAndCrow;
    type Target = Creature;
    type Outcome = ConditionCheckOutcome;
    const NAME: &'static str = "condition-check";
    const TITLE: &'static str = "Check against a condition";
    const ROUNDS: bool = true;

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        let (there, detail) = match self.kind {
            ConditionKind::StayConscious => {
                (creature.may_faint(), "The creature is unconscious already, or no pool is at exactly 0.")
            }
            ConditionKind::Panic => {
                (self.panic(creature).is_some(), "The creature is not panicked, and no `rank` says what it faces.")
            }
            ConditionKind::Stun => (creature.stunned, "The creature is not stunned."),
            ConditionKind::Extinguish => (creature.burning > 0, "The creature is not burning."),
            ConditionKind::FirstAid => (creature.bleeding > 0, "The creature is not bleeding."),
        };
        (!there).then(|| Refusal::because(&NOTHING_TO_CHECK, detail))
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<ConditionCheckOutcome, Stop> {
        creature.lie_down(tray);
        let (check, enough) = match self.kind {
            ConditionKind::StayConscious => stay_conscious(creature, options, tray)?,
            ConditionKind::Panic => self.face_panic(creature, options, tray)?,
            ConditionKind::Stun => self.end_stun(creature, options, tray)?,
            ConditionKind::Extinguish => self.extinguish(creature, options, tray)?,
            ConditionKind::FirstAid => self.first_aid(creature, options, tray)?,
        };
        Ok(ConditionCheckOutcome {
            check,
            enough,
            unconscious: creature.unconscious,
            panicked: creature.panicked.is_some(),
            stunned: creature.stunned,
            burning: creature.burning,
            bleeding: creature.bleeding,
        })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let what = match (self.kind, done.outcome.enough) {
            (ConditionKind::StayConscious, true) => "still conscious, secondary actions only",
            (ConditionKind::StayConscious, false) => "consciousness fails",
            (ConditionKind::Panic, true) if done.outcome.panicked => "this panic is avoided, the other goes on",
            (ConditionKind::Panic, true) => "no panic",
            (ConditionKind::Panic, false) => "panicked",
            (ConditionKind::Stun, true) => "no longer stunned",
            (ConditionKind::Stun, false) => "still stunned",
            (ConditionKind::Extinguish, true) => "the fire is out",
            (ConditionKind::Extinguish, false) => "still burning",
            (ConditionKind::FirstAid, true) => "the bleeding is stopped",
            (ConditionKind::FirstAid, false) => "still bleeding",
        };
        let rolled = match done.outcome.check {
            Some(CheckOutcome { total, grade }) => format!(" ({}, total {total})", grade.name()),
            None => String::new(),
        };
        format!("Check{rolled}: {what}.{}", cries(&done.events))
    }

    fn example() -> Example<Self> {
        let action = Self { rank: Some(2), success_number: Some(7), ..Self::of(ConditionKind::Panic) };
        Example { action, target: Some(Creature::example()), dice: vec![7, 3, 12, 5] }
    }
}

/// How a check came out, and whether that was enough.
type Checked = (Option<CheckOutcome>, bool);

/// `unconsciousness`: one success of will keeps one conscious, for secondary actions only.
fn stay_conscious(creature: &mut Creature, options: &Options, tray: &mut Tray<'_, Event>) -> Result<Checked, Stop> {
    let rolled = check(dice(creature.stats.will, "unconsciousness"), SUCCESS_NUMBER, options, tray)?;
    if !rolled.grade.succeeds() {
        creature.faint("unconsciousness", tray);
    }
    Ok((Some(rolled), rolled.grade.succeeds()))
}

impl ConditionCheck {
    /// A check of this kind with nothing else said.
    fn of(kind: ConditionKind) -> Self {
        Self { kind, rank: None, success_number: None, with: None, pool: None, submerged: None, on_oneself: None }
    }

    /// The panic to face: the one named, else the one that the creature is in.
    fn panic(&self, creature: &Creature) -> Option<Panic> {
        match (self.rank, self.success_number) {
            (Some(rank), Some(success_number)) => Some(Panic { rank, success_number }),
            _ => creature.panicked,
        }
    }

    /// `panic`: as many successes of will as its rank avoid or end it; a panic that is named beside
    /// another one leaves that as it is, or takes its place if its rank is higher (R27). Who fails
    /// critically also falls unconscious.
    fn face_panic(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<Checked, Stop> {
        let Some(panic) = self.panic(creature) else { return Ok((None, true)) };
        let success_number = hold(panic.success_number, tray);
        let rolled = check(dice(creature.stats.will, "panic"), success_number, options, tray)?;
        let enough = rolled.total >= panic.rank;
        let now = creature.panicked.unwrap_or(panic);
        if enough {
            if now == panic && tray.change("/panicked", &mut creature.panicked, None, "panic") {
                tray.event(Event::ConditionEnded { condition: Condition::Panicked });
            }
        } else {
            let higher = if panic.rank > now.rank { panic } else { now };
            if tray.change("/panicked", &mut creature.panicked, Some(higher), "panic") {
                tray.event(Event::Panicked);
            }
        }
        if rolled.grade == Grade::CriticalFailure {
            creature.faint("panic", tray);
        }
        Ok((Some(rolled), enough))
    }

    /// `stun`: three successes in one check end it.
    fn end_stun(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<Checked, Stop> {
        let pool = WillOrEndurance::dice(self.with, creature);
        let rolled = check(dice(pool, "stun"), SUCCESS_NUMBER, options, tray)?;
        let enough = rolled.total >= STUN_SUCCESSES;
        if enough && tray.change("/stunned", &mut creature.stunned, false, "stun") {
            tray.event(Event::ConditionEnded { condition: Condition::Stunned });
        }
        Ok((Some(rolled), enough))
    }

    /// `burning`: as many successes of survival as the rank of the fire put it out; water just does.
    fn extinguish(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<Checked, Stop> {
        let rolled = match self.submerged {
            Some(true) => None,
            Some(false) | None => {
                let pool = self.pool.unwrap_or(0);
                Some(check(dice(pool, "burning"), SUCCESS_NUMBER, options, tray)?)
            }
        };
        let enough = rolled.is_none_or(|rolled| rolled.total >= creature.burning);
        if enough && tray.change("/burning", &mut creature.burning, 0, "burning") {
            tray.event(Event::ConditionEnded { condition: Condition::Burning });
        }
        Ok((rolled, enough))
    }

    /// `bleeding`: a success of first aid stops all of it (R25).
    fn first_aid(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<Checked, Stop> {
        let mut success_number = self.success_number.unwrap_or(SUCCESS_NUMBER);
        if self.on_oneself == Some(true) {
            let harder = success_number + ON_ONESELF;
            tray.step("success_number", &mut success_number, harder, "bleeding");
        }
        let success_number = hold(success_number, tray);
        let rolled = check(dice(self.pool.unwrap_or(0), "bleeding"), success_number, options, tray)?;
        let enough = rolled.grade.succeeds();
        if enough && tray.change("/bleeding", &mut creature.bleeding, 0, "bleeding") {
            tray.event(Event::ConditionEnded { condition: Condition::Bleeding });
        }
        Ok((Some(rolled), enough))
    }
}
