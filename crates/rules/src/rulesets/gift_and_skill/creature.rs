//! Who can be hurt: health out of 100, what stands before it, and the condition bands.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Event;
use super::numbers::{ACTION_POINTS, BANDS, Band, DEAD_AT, MAX_HEALTH};
use crate::check::{Faults, POINTS, RATING, given};
use crate::ruleset;
use crate::tray::Tray;

/// A creature as the game's sheet has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = gift_and_skill::Creature)]
pub struct Creature {
    /// Current health, 100 at most; at 0 or lower the creature is unconscious, at -100 or lower dead.
    #[schema(minimum = -1_000_000, maximum = 100)]
    pub health: i32,
    /// Dots of Physical Toughness. Each takes 5 off every hit.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub physical_toughness: i32,
    /// Points of damage that the armor absorbs.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub armor: i32,
    /// Points of damage that the shield absorbs.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub shield: i32,
    /// Up, dying, stable or dead. Absent: what health says, up above 0, dead at -100 or lower, else
    /// dying.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub life: Option<Life>,
}

/// Whether a creature is up, dying, stable or dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = gift_and_skill::Life)]
pub enum Life {
    /// On its feet: health above 0.
    Up,
    /// Unconscious and bleeding: health from -99 to 0.
    Dying,
    /// Unconscious, but no longer bleeding: health exactly 0.
    Stable,
    /// Dead: health 0 or lower.
    Dead,
}

impl Life {
    /// What health alone says.
    fn at(health: i32) -> Self {
        if health > 0 {
            Self::Up
        } else if health > DEAD_AT {
            Self::Dying
        } else {
            Self::Dead
        }
    }
}

impl ruleset::Creature for Creature {
    fn is_dead(&self) -> bool {
        self.life == Some(Life::Dead)
    }
}

impl Creature {
    /// What `life` says, and where it says nothing, health.
    pub fn life(&self) -> Life {
        self.life.unwrap_or(Life::at(self.health))
    }

    /// The band of its health while it is up, and else its state.
    pub fn band(&self) -> Band {
        match self.life() {
            Life::Up => {
                let entered = BANDS.iter().rfind(|row| self.health <= row.highest);
                entered.map_or(Band::Uninjured, |row| row.band)
            }
            Life::Dying => Band::Dying,
            Life::Stable => Band::Stable,
            Life::Dead => Band::Dead,
        }
    }

    /// Adds every fault of this creature.
    pub fn check(&self, faults: &mut Faults) {
        faults.bounds("/health", self.health, -POINTS..=MAX_HEALTH);
        faults.bounds("/physical_toughness", self.physical_toughness, 0..=RATING);
        faults.bounds("/armor", self.armor, 0..=RATING);
        faults.bounds("/shield", self.shield, 0..=RATING);
        match self.life {
            Some(Life::Up) if self.health <= 0 => faults.add("/life", "cannot be \"up\" at 0 health or lower"),
            Some(Life::Dying) if Life::at(self.health) != Life::Dying => {
                faults.add("/life", format!("can only be \"dying\" from {} to 0 health", DEAD_AT + 1));
            }
            Some(Life::Stable) if self.health != 0 => faults.add("/life", "can only be \"stable\" at exactly 0 health"),
            Some(Life::Dead) if self.health > 0 => faults.add("/life", "cannot be \"dead\" above 0 health"),
            Some(_) | None => {}
        }
    }

    /// Health comes to `health`, by `rule`, and the creature to what that says: awake above 0, dying
    /// below, dead at -100. Who is dead stays dead, and a health that does not move moves nothing.
    pub fn set_health(&mut self, health: i32, rule: &'static str, tray: &mut Tray<'_, Event>) {
        if health != self.health {
            let life = if self.life() == Life::Dead { Life::Dead } else { Life::at(health) };
            self.come_to(health, life, rule, tray);
        }
    }

    /// Health comes to `health` and the creature to `life`, by `rule`. Announces a new band first,
    /// then the new life.
    pub fn come_to(&mut self, health: i32, life: Life, rule: &'static str, tray: &mut Tray<'_, Event>) {
        let before = self.band();
        tray.change("/health", &mut self.health, health, rule);
        let (rule, event) = match life {
            Life::Up => (rule, Event::Woke),
            Life::Dying => ("dying", Event::Dying),
            Life::Stable => (rule, Event::Stabilized),
            Life::Dead => ("death", Event::Died),
        };
        let turned = tray.change("/life", &mut self.life, Some(life), rule);
        let band = self.band();
        if band != before {
            tray.event(Event::Band { band });
        }
        if turned {
            tray.event(event);
        }
    }

    /// `bands`: the action points of a round and the penalty on free movement, every band entered
    /// adding its own. Who is unconscious or dead has no action points and no movement at all.
    pub fn bands(&self, tray: &mut Tray<'_, Event>) -> (i32, Option<i32>) {
        let (mut action_points, mut free_movement) = (ACTION_POINTS, 0);
        if self.life() != Life::Up {
            let rule = if self.life() == Life::Dead { "death" } else { "dying" };
            tray.step("action_points", &mut action_points, 0, rule);
            return (action_points, None);
        }
        for row in BANDS.iter().filter(|row| self.health <= row.highest) {
            if row.action_points != 0 {
                let left = action_points + row.action_points;
                tray.step("action_points", &mut action_points, left, "bands");
            }
            if row.free_movement != 0 {
                let left = free_movement + row.free_movement;
                tray.step("free_movement", &mut free_movement, left, "bands");
            }
        }
        (action_points, Some(free_movement))
    }
}

impl Creature {
    /// Someone for the examples: unhurt, with nothing between them and a blow.
    pub fn example() -> Self {
        Self { health: MAX_HEALTH, physical_toughness: 0, armor: 0, shield: 0, life: Some(Life::Up) }
    }
}
