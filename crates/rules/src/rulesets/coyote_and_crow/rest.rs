//! Rests: short and long, and the healing of stat damage.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{dice, is_critical, successes};
use super::creature::Creature;
use super::healing::recover;
use super::stats::{Pool, Stat, Stats};
use super::{CoyoteAndCrow, Event, IN_ENCOUNTER, NO_SHORT_REST_LEFT, NO_STAT_HEALING, Options};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome, Refusal};
use crate::tray::Tray;

/// How many short rests a day has.
const SHORT_RESTS: i32 = 2;

/// The log counts a check's successes up to what the pool can take, and up to this where it can take
/// less: odds need not tell more apart.
const TOLD: i32 = 20;

/// A short or a long rest.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Rest)]
pub struct Rest {
    /// Which of the two.
    pub kind: RestKind,
    /// The rest was interrupted: it does nothing and is not counted.
    #[serde(default)]
    #[schema(default = false)]
    pub interrupted: bool,
    /// One check of a long rest is made to heal a stat instead of its pool. Refused for a short rest.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stat_healing: Option<StatHealing>,
    /// The creature was in an encounter today, so no stat can heal.
    #[serde(default)]
    #[schema(default = false)]
    pub encounter_today: bool,
}

/// The two rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::RestKind)]
pub enum RestKind {
    /// Checks restore points.
    Short,
    /// Checks and stats restore points.
    Long,
}

/// A check that is made to heal a stat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::StatHealing)]
pub struct StatHealing {
    /// The stat to regain a point of.
    pub stat: Stat,
    /// The check that is made for it, in place of its pool's (R23).
    pub with: RestCheck,
}

/// The three checks of a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::RestCheck)]
pub enum RestCheck {
    /// The one for body.
    Endurance,
    /// The one for mind.
    Wisdom,
    /// The one for soul.
    Will,
}

impl RestCheck {
    /// The pool that the check is otherwise for (R4).
    fn pool(self) -> Pool {
        match self {
            Self::Endurance => Pool::Body,
            Self::Wisdom => Pool::Mind,
            Self::Will => Pool::Soul,
        }
    }
}

impl Check for Rest {
    fn check(&self, faults: &mut Faults) {
        if self.kind == RestKind::Short {
            faults.stray("/stat_healing", self.stat_healing.as_ref(), "belongs to a long rest");
        }
    }
}

/// What the rest restored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = coyote_and_crow::RestOutcome)]
pub struct RestOutcome {
    /// Points restored to body.
    pub body: i32,
    /// Points restored to mind.
    pub mind: i32,
    /// Points restored to soul.
    pub soul: i32,
    /// The stat that regained a point, if one did.
    pub stat: Option<Stat>,
}

impl Outcome for RestOutcome {}

impl Action for Rest {
    type Rules = CoyoteAndCrow;
    type Target = Creature;
    type Outcome = RestOutcome;
    const NAME: &'static str = "rest";
    const TITLE: &'static str = "Rest";

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        if creature.is_dying() || creature.bleeding > 0 {
            return Some(Refusal::because(&IN_ENCOUNTER, "The creature is dying or bleeding and so in an encounter."));
        }
        if self.kind == RestKind::Short && creature.short_rests_today >= SHORT_RESTS {
            return Some(Refusal::because(&NO_SHORT_REST_LEFT, "Two short rests were taken today already."));
        }
        let StatHealing { stat, .. } = self.stat_healing?;
        if self.encounter_today {
            return Some(Refusal::because(&NO_STAT_HEALING, "There was an encounter today, so no stat can heal."));
        }
        let unhurt = || Refusal::because(&NO_STAT_HEALING, format!("No point of {} is lost.", stat.name()));
        (creature.stat_loss.of(stat) == 0).then(unhurt)
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<RestOutcome, Stop> {
        let mut outcome = RestOutcome::default();
        if self.interrupted {
            return Ok(outcome);
        }
        let before = creature.clone();
        for pool in Pool::ALL {
            let healing = self.stat_healing.filter(|healing| healing.with.pool() == pool);
            self.restore(pool, healing, &mut outcome, creature, options, tray)?;
        }
        (outcome.body, outcome.mind, outcome.soul) =
            (creature.body - before.body, creature.mind - before.mind, creature.soul - before.soul);
        match self.kind {
            RestKind::Short => {
                let taken = (creature.short_rests_today + 1).min(RATING);
                tray.change("/short_rests_today", &mut creature.short_rests_today, taken, "short_rest");
            }
            RestKind::Long => long_rest(outcome.stat, creature, tray),
        }
        recover(creature, tray);
        Ok(outcome)
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let rest = match self.kind {
            RestKind::Short => "Short rest",
            RestKind::Long => "Long rest",
        };
        if self.interrupted {
            return format!("{rest}: interrupted, nothing restored.");
        }
        let mut said = done.after.moved(&done.before);
        if let Some(stat) = done.outcome.stat {
            said.push(format!("a point of {} regained", stat.name()));
        }
        if said.is_empty() {
            said.push("nothing restored".to_owned());
        }
        let woke = if done.events.contains(&Event::Woke) { " Awake!" } else { "" };
        format!("{rest}: {}.{woke}", said.join(", "))
    }

    fn example() -> Example<Self> {
        let example = Creature::example();
        let stats = Stats { strength: 1, ..example.stats };
        let stat_loss = Stats { strength: 1, ..Stats::default() };
        let target = Creature { stats, stat_loss, body: 2, mind: 4, soul: 8, short_rests_today: 2, ..example };
        let stat_healing = Some(StatHealing { stat: Stat::Strength, with: RestCheck::Will });
        let action = Self { kind: RestKind::Long, interrupted: false, stat_healing, encounter_today: false };
        Example { action, target: Some(target), dice: vec![8, 3, 10, 1, 5, 12, 6, 2, 9] }
    }
}

impl Rest {
    /// `short_rest` and `long_rest`: the check for one pool, a point for each success; after a long rest
    /// as many points as its stat besides. `heal`: neither goes above the maximum. A check made for a
    /// stat restores no points of the pool (`stat_healing`).
    fn restore(
        &self,
        pool: Pool,
        healing: Option<StatHealing>,
        outcome: &mut RestOutcome,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<(), Stop> {
        let value = creature.stats.of(pool.stat());
        let room = (creature.max(pool) - creature.points(pool)).max(0);
        let rule = match self.kind {
            RestKind::Short => "short_rest",
            RestKind::Long => "long_rest",
        };
        let mut points = 0;
        if let Some(StatHealing { stat, .. }) = healing {
            if is_critical(dice(value, "stat_healing"), options, tray)? {
                outcome.stat = Some(stat);
            }
        } else {
            let successes = successes(dice(value, rule), room.max(TOLD), options, tray)?;
            tray.step("points", &mut points, successes, rule);
        }
        if self.kind == RestKind::Long {
            let all = points + value;
            tray.step("points", &mut points, all, rule);
        }
        let fitting = points.min(room);
        tray.step("points", &mut points, fitting, "heal");
        creature.set_points(pool, creature.points(pool) + points, rule, tray);
        Ok(())
    }
}

/// `long_rest`: a stat regains its point, an excess above a maximum goes, and a new day begins.
fn long_rest(regained: Option<Stat>, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    if let Some(stat) = regained {
        creature.move_stat(stat, 1, "stat_healing", tray);
    }
    for pool in Pool::ALL {
        let held = creature.points(pool).min(creature.max(pool));
        creature.set_points(pool, held, "long_rest", tray);
    }
    tray.change("/short_rests_today", &mut creature.short_rests_today, 0, "long_rest");
}
