//! Healing, temporary hit points, and what restores a maximum or takes exhaustion away.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::creature::{Creature, DEADLY_EXHAUSTION, Life};
use super::{Event, Options, Srd5e};
use crate::check::{Check, Faults, RATING, given};
use crate::dice::Stop;
use crate::dice_text::DiceText;
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::Tray;

/// Restores hit points, gives temporary ones, restores the maximum, or takes exhaustion away.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = srd_5e::Heal)]
pub struct Heal {
    /// Hit points restored, up to the maximum.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub hp: Option<i32>,
    /// Dice to throw for hit points. Refused beside `hp`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub roll: Option<DiceText>,
    /// Temporary hit points offered.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub temp_hp: Option<i32>,
    /// Dice to throw for temporary hit points. Refused beside `temp_hp`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub temp_roll: Option<DiceText>,
    /// Which temporary hit points to keep, if the creature has some (R36). Refused where none are offered.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, default = "higher")]
    pub temp_choice: Option<TempChoice>,
    /// The hit point maximum is restored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(default = false)]
    pub restore_max_hp: bool,
    /// Levels of exhaustion taken away.
    #[serde(default, skip_serializing_if = "none")]
    #[schema(minimum = 0, maximum = 6, default = 0)]
    pub exhaustion: i32,
}

fn none(number: &i32) -> bool {
    *number == 0
}

/// Which temporary hit points to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::TempChoice)]
pub enum TempChoice {
    /// The larger number.
    #[default]
    Higher,
    /// The new ones.
    New,
    /// Those that are there, if there are any.
    Old,
}

impl Check for Heal {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/hp", self.hp, 0..=RATING);
        faults.bounds_if("/temp_hp", self.temp_hp, 0..=RATING);
        faults.bounds("/exhaustion", self.exhaustion, 0..=DEADLY_EXHAUSTION);
        if self.hp.is_some() {
            faults.stray("/roll", self.roll.as_ref(), "does not go with `hp`");
        }
        if self.temp_hp.is_some() {
            faults.stray("/temp_roll", self.temp_roll.as_ref(), "does not go with `temp_hp`");
        }
        if self.temp_hp.is_none() && self.temp_roll.is_none() {
            faults.stray("/temp_choice", self.temp_choice.as_ref(), "goes with `temp_hp` or `temp_roll`");
        }
    }
}

/// What the healing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::HealOutcome)]
pub struct HealOutcome {
    /// Hit points restored.
    pub restored: i32,
    /// Hit points of healing beyond the maximum.
    pub wasted: i32,
    /// The temporary hit points that there are now.
    pub temp_hp: i32,
}

impl Outcome for HealOutcome {}

/// The points that a request names, or those of its dice; none if it does neither.
fn points(
    fixed: Option<i32>,
    roll: Option<&DiceText>,
    what: &'static str,
    why: &'static str,
    tray: &mut Tray<'_, Event>,
) -> Result<Option<i32>, Stop> {
    match roll {
        Some(roll) => roll.throw(what, why, None, tray).map(Some),
        None => Ok(fixed),
    }
}

impl Action for Heal {
    type Rules = Srd5e;
    type Target = Creature;
    type Outcome = HealOutcome;
    const NAME: &'static str = "heal";
    const TITLE: &'static str = "Heal a creature";

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<HealOutcome, Stop> {
        if self.restore_max_hp {
            tray.change("/max_hp_lost", &mut creature.max_hp_lost, 0, "healing");
        }
        let level = (creature.exhaustion - self.exhaustion).max(0);
        tray.change("/exhaustion", &mut creature.exhaustion, level, "exhaustion");
        let healing = points(self.hp, self.roll.as_ref(), "healing", "healing", tray)?.unwrap_or(0);
        let restored = creature.regain(healing, "healing", options, tray);
        let rule = "temporary_hit_points";
        if let Some(offered) = points(self.temp_hp, self.temp_roll.as_ref(), "temp_hp", rule, tray)? {
            let kept = temporary_hit_points(offered, self.temp_choice.unwrap_or_default(), creature.temp_hp);
            tray.change("/temp_hp", &mut creature.temp_hp, kept, rule);
        }
        Ok(HealOutcome { restored, wasted: healing - restored, temp_hp: creature.temp_hp })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let HealOutcome { restored, wasted, temp_hp } = done.outcome;
        let (before, after) = (&done.before, &done.after);
        let mut said = Vec::new();
        if self.restore_max_hp && before.max_hp_lost > 0 {
            said.push("the hit point maximum is restored".to_owned());
        }
        if before.exhaustion != after.exhaustion {
            said.push(format!("exhaustion {} → {}", before.exhaustion, after.exhaustion));
        }
        if self.hp.is_some() || self.roll.is_some() {
            said.push(format!("{restored} HP restored ({} → {})", before.hp, after.hp));
        }
        if wasted > 0 {
            said.push(format!("{wasted} wasted"));
        }
        if self.temp_hp.is_some() || self.temp_roll.is_some() {
            said.push(format!("{temp_hp} temporary HP"));
        }
        if before.life != Some(Life::Up) && after.life == Some(Life::Up) {
            said.push("up again".to_owned());
        }
        if said.is_empty() {
            said.push("nothing to heal".to_owned());
        }
        format!("Healing: {}.", said.join(", "))
    }

    fn example() -> Example<Self> {
        let target = Creature { hp: 0, life: Some(Life::Dying(Default::default())), ..Creature::example() };
        let action = Self {
            hp: None,
            roll: Some(DiceText::new(2, 4, 2)),
            temp_hp: Some(5),
            temp_roll: None,
            temp_choice: None,
            restore_max_hp: false,
            exhaustion: 0,
        };
        Example { action, target: Some(target), dice: vec![3, 4] }
    }
}

/// `temporary_hit_points`: they never add up. Which of the two are kept (R36).
fn temporary_hit_points(offered: i32, choice: TempChoice, old: i32) -> i32 {
    match choice {
        TempChoice::Higher => offered.max(old),
        TempChoice::Old if old > 0 => old,
        TempChoice::Old | TempChoice::New => offered,
    }
}
