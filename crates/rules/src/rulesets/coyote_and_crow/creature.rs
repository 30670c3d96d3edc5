//! Who can be hurt: nine stats, and three pools that come from them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Event;
use super::stats::{Pool, Stat, Stats, losses, losses_schema};
use crate::check::{Check, Faults, POINTS, RATING};
use crate::ruleset;
use crate::tray::Tray;

/// The highest rank of a fire.
pub const HOTTEST: i32 = 5;

/// A creature as the game's sheet has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Creature)]
pub struct Creature {
    /// The nine stats as they are now, after stat damage.
    pub stats: Stats,
    /// Points that each stat lost to stat damage.
    #[serde(default, deserialize_with = "losses")]
    #[schema(schema_with = losses_schema)]
    pub stat_loss: Stats,
    /// Current body, never above its maximum; may be below 0.
    #[schema(minimum = -1_000_000, maximum = 1_000_000)]
    pub body: i32,
    /// Current mind; may be below 0, and above its maximum until a long rest (W).
    #[schema(minimum = -1_000_000, maximum = 1_000_000)]
    pub mind: i32,
    /// Current soul; may be below 0, and above its maximum until a long rest (W).
    #[schema(minimum = -1_000_000, maximum = 1_000_000)]
    pub soul: i32,
    /// The maxima of the pools. Absent: the sum of the three stats of each (W), strength + agility +
    /// endurance for body, intelligence + perception + wisdom for mind, spirit + charisma + will for
    /// soul. One that is sent moves by 1 with each of its stats.
    #[serde(default)]
    pub max: Option<Maxima>,
    /// What gear adds to the defenses. Absent: nothing.
    #[serde(default)]
    pub defense: Option<Defense>,
    /// Which pools below 0 are stable and call for no more dying rolls.
    #[serde(default)]
    pub stabilized: Stabilized,
    /// Unconscious. Who is dying is, whatever is sent.
    #[serde(default)]
    #[schema(default = false)]
    pub unconscious: bool,
    /// Stunned: defenses are 0.
    #[serde(default)]
    #[schema(default = false)]
    pub stunned: bool,
    /// Hurt by a critical hit with cold and not healed yet: critical hits cost stat points too.
    #[serde(default)]
    #[schema(default = false)]
    pub cold_damage: bool,
    /// The rank of the fire that the creature is burning with; 0 is none.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 5, default = 0)]
    pub burning: i32,
    /// Instances of bleeding.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub bleeding: i32,
    /// The panic that the creature is in, if any.
    #[serde(default)]
    pub panicked: Option<Panic>,
    /// Short rests taken today.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub short_rests_today: i32,
    /// Dead. No rule sets it: whether a creature at a death threshold dies is for the table to say
    /// (R13).
    #[serde(default)]
    #[schema(default = false)]
    pub dead: bool,
}

/// The maxima of the three pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Maxima)]
pub struct Maxima {
    /// The most that body can be.
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub body: i32,
    /// The most that rest brings mind to.
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub mind: i32,
    /// The most that rest brings soul to.
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub soul: i32,
}

/// What gear adds to the defenses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Defense)]
pub struct Defense {
    /// Against physical damage of every sub-type.
    #[serde(default)]
    #[schema(minimum = -1000, maximum = 1000, default = 0)]
    pub physical: i32,
    /// Against mental damage.
    #[serde(default)]
    #[schema(minimum = -1000, maximum = 1000, default = 0)]
    pub mental: i32,
    /// Against spiritual damage.
    #[serde(default)]
    #[schema(minimum = -1000, maximum = 1000, default = 0)]
    pub spiritual: i32,
}

/// Which pools below 0 are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = coyote_and_crow::Stabilized)]
pub struct Stabilized {
    /// Body is stable.
    #[schema(default = false)]
    pub body: bool,
    /// Mind is stable.
    #[schema(default = false)]
    pub mind: bool,
    /// Soul is stable.
    #[schema(default = false)]
    pub soul: bool,
}

/// A panic: what it takes to overcome it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = coyote_and_crow::Panic)]
pub struct Panic {
    /// How many successes.
    #[schema(minimum = 1, maximum = 1000)]
    pub rank: i32,
    /// Against which number; held to 2 to 12 like any other.
    #[schema(minimum = -1000, maximum = 1000)]
    pub success_number: i32,
}

/// The two stats that a rule leaves the choice of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::WillOrEndurance)]
pub enum WillOrEndurance {
    /// Will.
    Will,
    /// Endurance.
    Endurance,
}

impl WillOrEndurance {
    /// How many dice the choice is, or the higher stat if the player has not chosen (R24).
    pub fn dice(choice: Option<Self>, creature: &Creature) -> i32 {
        match choice {
            Some(Self::Will) => creature.stats.will,
            Some(Self::Endurance) => creature.stats.endurance,
            None => creature.stats.endurance.max(creature.stats.will),
        }
    }
}

impl ruleset::Creature for Creature {
    fn is_dead(&self) -> bool {
        self.dead
    }
}

impl Creature {
    /// Adds every fault of this creature.
    pub fn check(&self, faults: &mut Faults) {
        faults.within("/stats", |faults| self.stats.check(faults));
        faults.within("/stat_loss", |faults| self.stat_loss.check(faults));
        faults.bounds("/body", self.body, -POINTS..=POINTS);
        faults.bounds("/mind", self.mind, -POINTS..=POINTS);
        faults.bounds("/soul", self.soul, -POINTS..=POINTS);
        if let Some(max) = self.max {
            faults.bounds("/max/body", max.body, 0..=POINTS);
            faults.bounds("/max/mind", max.mind, 0..=POINTS);
            faults.bounds("/max/soul", max.soul, 0..=POINTS);
        }
        if let Some(defense) = self.defense {
            faults.bounds("/defense/physical", defense.physical, -RATING..=RATING);
            faults.bounds("/defense/mental", defense.mental, -RATING..=RATING);
            faults.bounds("/defense/spiritual", defense.spiritual, -RATING..=RATING);
        }
        faults.bounds("/burning", self.burning, 0..=HOTTEST);
        faults.bounds("/bleeding", self.bleeding, 0..=RATING);
        if let Some(panic) = self.panicked {
            faults.bounds("/panicked/rank", panic.rank, 1..=RATING);
            faults.bounds("/panicked/success_number", panic.success_number, -RATING..=RATING);
        }
        faults.bounds("/short_rests_today", self.short_rests_today, 0..=RATING);
        let max_in_bounds = match self.max {
            Some(max) => (0..=POINTS).contains(&max.body),
            None => Pool::Body.stats().iter().all(|&stat| (0..=RATING).contains(&self.stats.of(stat))),
        };
        if max_in_bounds && self.body > self.max(Pool::Body) && self.body <= POINTS {
            let max = self.max(Pool::Body);
            faults.add("/body", format!("must be at most the maximum of {max}, but is {}", self.body));
        }
    }

    /// The points in a pool.
    pub fn points(&self, pool: Pool) -> i32 {
        match pool {
            Pool::Body => self.body,
            Pool::Mind => self.mind,
            Pool::Soul => self.soul,
        }
    }

    /// The maximum of a pool: the one sent, else the sum of its stats (W).
    pub fn max(&self, pool: Pool) -> i32 {
        match (self.max, pool) {
            (Some(max), Pool::Body) => max.body,
            (Some(max), Pool::Mind) => max.mind,
            (Some(max), Pool::Soul) => max.soul,
            (None, _) => self.stats.sum(&pool.stats()),
        }
    }

    /// What gear adds to the defense against damage to a pool, if there is gear.
    pub fn gear(&self, pool: Pool) -> Option<i32> {
        self.defense.map(|defense| match pool {
            Pool::Body => defense.physical,
            Pool::Mind => defense.mental,
            Pool::Soul => defense.spiritual,
        })
    }

    /// `dying`: whether a pool is below 0 and not stable.
    pub fn dies_of(&self, pool: Pool) -> bool {
        let stabilized = match pool {
            Pool::Body => self.stabilized.body,
            Pool::Mind => self.stabilized.mind,
            Pool::Soul => self.stabilized.soul,
        };
        self.points(pool) < 0 && !stabilized
    }

    /// `dying`: whether any pool is below 0 and not stable.
    pub fn is_dying(&self) -> bool {
        Pool::ALL.into_iter().any(|pool| self.dies_of(pool))
    }

    /// `dying`: whether a pool is at or below the negative of its stat (R5).
    pub fn at_death_threshold(&self, pool: Pool) -> bool {
        self.points(pool) <= -self.stats.of(pool.stat())
    }

    /// The pools at or below the negative of their stat.
    pub fn death_thresholds(&self) -> Vec<Pool> {
        Pool::ALL.into_iter().filter(|&pool| self.at_death_threshold(pool)).collect()
    }

    /// The pools that moved since `before`, in a sentence.
    pub fn moved(&self, before: &Self) -> Vec<String> {
        let moved = Pool::ALL.into_iter().filter(|&pool| before.points(pool) != self.points(pool));
        moved.map(|pool| format!("{} {} → {}", pool.name(), before.points(pool), self.points(pool))).collect()
    }

    /// Whether one who is awake has a pool at exactly 0 and so may fall unconscious.
    pub fn may_faint(&self) -> bool {
        !self.unconscious && !self.is_dying() && Pool::ALL.into_iter().any(|pool| self.points(pool) == 0)
    }

    /// Sets the points in a pool, held to what a pool can be.
    pub fn set_points(&mut self, pool: Pool, points: i32, rule: &'static str, tray: &mut Tray<'_, Event>) {
        let points = points.clamp(-POINTS, POINTS);
        match pool {
            Pool::Body => tray.change("/body", &mut self.body, points, rule),
            Pool::Mind => tray.change("/mind", &mut self.mind, points, rule),
            Pool::Soul => tray.change("/soul", &mut self.soul, points, rule),
        };
    }

    /// Sets whether a pool is stable. Answers whether that is new.
    pub fn set_stabilized(
        &mut self,
        pool: Pool,
        stabilized: bool,
        rule: &'static str,
        tray: &mut Tray<'_, Event>,
    ) -> bool {
        match pool {
            Pool::Body => tray.change("/stabilized/body", &mut self.stabilized.body, stabilized, rule),
            Pool::Mind => tray.change("/stabilized/mind", &mut self.stabilized.mind, stabilized, rule),
            Pool::Soul => tray.change("/stabilized/soul", &mut self.stabilized.soul, stabilized, rule),
        }
    }

    /// Stat damage takes a point of a stat (`by` −1), stat healing gives one back (`by` 1); a maximum
    /// that was sent moves with its stat.
    pub fn move_stat(&mut self, stat: Stat, by: i32, rule: &'static str, tray: &mut Tray<'_, Event>) {
        let now = (self.stats.of(stat) + by).clamp(0, RATING);
        tray.change(stat.field(), self.stats.of_mut(stat), now, rule);
        let lost = (self.stat_loss.of(stat) - by).clamp(0, RATING);
        tray.change(stat.loss_field(), self.stat_loss.of_mut(stat), lost, rule);
        let moved = (self.max(stat.pool()) + by).clamp(0, POINTS);
        if let Some(max) = &mut self.max {
            match stat.pool() {
                Pool::Body => tray.change("/max/body", &mut max.body, moved, rule),
                Pool::Mind => tray.change("/max/mind", &mut max.mind, moved, rule),
                Pool::Soul => tray.change("/max/soul", &mut max.soul, moved, rule),
            };
        }
    }

    /// `dying`: who is dying is unconscious, whatever the sheet says. Every action begins with it. The
    /// dead are no longer dying.
    pub fn lie_down(&mut self, tray: &mut Tray<'_, Event>) {
        if self.is_dying() && !self.dead {
            tray.change("/unconscious", &mut self.unconscious, true, "dying");
        }
    }

    /// The creature falls unconscious, if it is not.
    pub fn faint(&mut self, rule: &'static str, tray: &mut Tray<'_, Event>) {
        if tray.change("/unconscious", &mut self.unconscious, true, rule) {
            tray.event(Event::Unconscious);
        }
    }
}

impl Creature {
    /// Someone for the examples: unhurt, with a little gear.
    pub fn example() -> Self {
        let stats = Stats {
            strength: 2,
            agility: 2,
            endurance: 3,
            intelligence: 2,
            perception: 3,
            wisdom: 2,
            spirit: 2,
            charisma: 1,
            will: 3,
        };
        Self {
            stats,
            stat_loss: Stats::default(),
            body: 7,
            mind: 7,
            soul: 6,
            max: None,
            defense: Some(Defense { physical: 2, mental: 0, spiritual: 0 }),
            stabilized: Stabilized::default(),
            unconscious: false,
            stunned: false,
            cold_damage: false,
            burning: 0,
            bleeding: 0,
            panicked: None,
            short_rests_today: 0,
            dead: false,
        }
    }
}
