//! Who can be hurt: health dice, hit points, and what stands before them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Event, Options};
use crate::check::{Faults, LIST, POINTS, RATING, given};
use crate::ruleset;
use crate::tray::Tray;

/// Hit points, and barrier points, to a die.
pub const POINTS_PER_DIE: i32 = 6;

/// A creature as the game's sheet has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = akrpg::Creature)]
pub struct Creature {
    /// Health dice. Max HP are 6 for each.
    #[schema(minimum = 1, maximum = 100)]
    pub hd: i32,
    /// Current hit points, never above the maximum; may be below 0.
    #[schema(minimum = -1_000_000, maximum = 600)]
    pub hp: i32,
    /// Barrier points left. A barrier die is 6 points.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000, default = 0)]
    pub barrier: i32,
    /// Dice in the shield reserve.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub shield: i32,
    /// Physical defence: the difficulty of physical damage rolls.
    #[serde(default)]
    #[schema(minimum = -1000, maximum = 1000, default = 0)]
    pub def: i32,
    /// Arts resistance: the difficulty of arts damage rolls.
    #[serde(default)]
    #[schema(minimum = -1000, maximum = 1000, default = 0)]
    pub res: i32,
    /// The Damage Over Time tracker: what each die in it shows.
    #[serde(default)]
    #[schema(max_items = 100, schema_with = dot_schema)]
    pub dot: Vec<i32>,
    /// Taken off all damage but true damage, after the damage roll.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub sanctuary: i32,
    /// Added to all damage but true damage, after the damage roll.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub fragility: i32,
    /// The conditions that drop by one at each own turn start. Each must be above 0.
    #[serde(default)]
    #[schema(max_items = 2, default = json!([]))]
    pub decaying: Vec<Condition>,
    /// Under an elemental injury: elemental damage hurts.
    #[serde(default)]
    #[schema(default = false)]
    pub elemental_injury: bool,
    /// The value of the wounded condition.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub wounded: i32,
    /// Up, downed or dead. Absent: what the numbers say, up above 0 HP and else downed with a full
    /// reserve.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub life: Option<Life>,
}

fn dot_schema() -> utoipa::openapi::schema::Array {
    let die = utoipa::openapi::ObjectBuilder::new()
        .schema_type(utoipa::openapi::schema::Type::Integer)
        .minimum(Some(1))
        .maximum(Some(6));
    utoipa::openapi::ArrayBuilder::new()
        .items(die)
        .max_items(Some(LIST))
        .default(Some(Vec::<i32>::new().into()))
        .description(Some("The Damage Over Time tracker: what each die in it shows."))
        .build()
}

/// A condition that may decay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = akrpg::Condition)]
pub enum Condition {
    /// Takes off damage.
    Sanctuary,
    /// Adds to damage.
    Fragility,
}

/// Whether a creature is up, downed or dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = akrpg::Life)]
pub enum Life {
    /// On its feet.
    Up,
    /// Down, and dying.
    Downed(Downed),
    /// Dead.
    Dead,
}

/// The state of one who is downed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = akrpg::Downed)]
pub struct Downed {
    /// Dice left in the dying reserve. May be more than the health dice.
    #[schema(minimum = 1, maximum = 100)]
    pub reserve: i32,
}

impl ruleset::Creature for Creature {
    fn is_dead(&self) -> bool {
        self.life == Some(Life::Dead)
    }
}

impl Creature {
    /// Health dice as the table counts them (R8).
    pub fn hd(&self, options: &Options) -> i32 {
        if options.wounded_reduces_hd { self.hd - self.wounded } else { self.hd }
    }

    /// The maximum of hit points.
    pub fn max_hp(&self, options: &Options) -> i32 {
        POINTS_PER_DIE * self.hd(options).max(0)
    }

    /// What `life` says, and where it says nothing, the numbers.
    pub fn life(&self, options: &Options) -> Life {
        match self.life {
            Some(life) => life,
            None if self.hd(options) <= 0 => Life::Dead,
            None if self.hp > 0 => Life::Up,
            None => Life::Downed(Downed { reserve: self.hd(options) }),
        }
    }

    /// The state of being downed, if it is.
    pub fn downed(&self) -> Option<Downed> {
        match self.life {
            Some(Life::Downed(downed)) => Some(downed),
            Some(Life::Up | Life::Dead) | None => None,
        }
    }

    /// Adds every fault of this creature.
    pub fn check(&self, options: &Options, faults: &mut Faults) {
        faults.bounds("/hd", self.hd, 1..=100);
        faults.bounds("/hp", self.hp, -POINTS..=POINTS_PER_DIE * 100);
        faults.bounds("/barrier", self.barrier, 0..=POINTS);
        faults.bounds("/shield", self.shield, 0..=RATING);
        faults.bounds("/def", self.def, -RATING..=RATING);
        faults.bounds("/res", self.res, -RATING..=RATING);
        faults.length("/dot", &self.dot, 0..=LIST);
        for (index, &die) in self.dot.iter().enumerate() {
            faults.bounds(&format!("/dot/{index}"), die, 1..=6);
        }
        faults.bounds("/sanctuary", self.sanctuary, 0..=RATING);
        faults.bounds("/fragility", self.fragility, 0..=RATING);
        faults.bounds("/wounded", self.wounded, 0..=RATING);
        faults.length("/decaying", &self.decaying, 0..=2);
        faults.distinct("/decaying", &self.decaying);
        for (index, &condition) in self.decaying.iter().enumerate() {
            if self.value(condition) == 0 {
                faults.add(&format!("/decaying/{index}"), "names a condition that is 0 and so cannot decay");
            }
        }
        if let Some(Life::Downed(downed)) = self.life {
            faults.bounds("/life/downed/reserve", downed.reserve, 1..=100);
        }
        if self.life == Some(Life::Up) && self.hp <= 0 {
            faults.add("/life", "cannot be \"up\" at 0 HP or lower");
        }
        if (1..=100).contains(&self.hd) && (0..=RATING).contains(&self.wounded) {
            self.check_max_hp(options, faults);
        }
    }

    /// Adds the faults of hit points and life that the maximum does not allow.
    fn check_max_hp(&self, options: &Options, faults: &mut Faults) {
        let max_hp = self.max_hp(options);
        if self.hp > max_hp {
            faults.add("/hp", format!("must be at most the max HP of {max_hp}, but is {}", self.hp));
        }
        if matches!(self.life, Some(Life::Up | Life::Downed(_))) && self.hd(options) <= 0 {
            faults.add("/life", "must be \"dead\": wounded leaves no health dice");
        }
    }

    /// The value of a condition.
    pub fn value(&self, condition: Condition) -> i32 {
        match condition {
            Condition::Sanctuary => self.sanctuary,
            Condition::Fragility => self.fragility,
        }
    }

    /// `downed`: at 0 HP or lower one who is up goes down. Who is down or dead already stays as
    /// they are (R12).
    pub fn fall(&mut self, options: &Options, tray: &mut Tray<'_, Event>) {
        if self.hp <= 0 && self.life == Some(Life::Up) {
            let downed = Life::Downed(Downed { reserve: self.hd(options) });
            tray.change("/life", &mut self.life, Some(downed), "downed");
            tray.event(Event::Downed);
        }
    }

    /// Loses downed by `rule`, and `wounded`: gains one point of it. By R8 that lowers max HP, and
    /// may kill.
    pub fn rise(&mut self, rule: &'static str, options: &Options, tray: &mut Tray<'_, Event>) {
        tray.change("/life", &mut self.life, Some(Life::Up), rule);
        let wounded = (self.wounded + 1).min(RATING);
        if tray.change("/wounded", &mut self.wounded, wounded, "wounded") {
            tray.event(Event::Wounded);
        }
        let max_hp = self.max_hp(options);
        if self.hp > max_hp {
            tray.change("/hp", &mut self.hp, max_hp, "wounded");
        }
        if self.hd(options) <= 0 {
            self.die(tray, "wounded");
        }
    }

    /// The creature is dead.
    pub fn die(&mut self, tray: &mut Tray<'_, Event>, rule: &'static str) {
        tray.change("/life", &mut self.life, Some(Life::Dead), rule);
        tray.event(Event::Died);
    }
}

impl Creature {
    /// Someone for the examples: four health dice, hurt a little, nothing special.
    pub fn example() -> Self {
        Self {
            hd: 4,
            hp: 20,
            barrier: 0,
            shield: 0,
            def: 0,
            res: 0,
            dot: Vec::new(),
            sanctuary: 0,
            fragility: 0,
            decaying: Vec::new(),
            elemental_injury: false,
            wounded: 0,
            life: Some(Life::Up),
        }
    }
}
