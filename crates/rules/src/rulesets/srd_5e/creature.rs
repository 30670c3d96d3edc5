//! A creature's state: hit points, what changes damage, hit dice, and how near death it is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

use super::damage_types::{DamageType, Defense};
use super::{Event, ExhaustionRule, Options};
use crate::check::{Check, Faults, LIST, POINTS, RATING, given};
use crate::ruleset;
use crate::tray::Tray;

/// The level of exhaustion that kills.
pub const DEADLY_EXHAUSTION: i32 = 6;

/// How many failed death saves kill, and how many passed ones make stable.
pub const DEATH_SAVES: i32 = 3;

/// The sizes of hit dice.
const HIT_DIE_SIZES: [i32; 6] = [4, 6, 8, 10, 12, 20];

/// A creature as its sheet or stat block has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = srd_5e::Creature)]
pub struct Creature {
    /// What 0 HP mean: death saves for a character, death for a monster (R25).
    #[serde(default)]
    #[schema(default = "character")]
    pub kind: CreatureKind,
    /// The hit point maximum on the sheet, unreduced.
    #[schema(minimum = 1, maximum = 1_000_000)]
    pub max_hp: i32,
    /// How much the hit point maximum is reduced at the moment; at most `max_hp`.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000, default = 0)]
    pub max_hp_lost: i32,
    /// Current hit points: from 0 to the maximum that counts, which is `max_hp` less `max_hp_lost`.
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub hp: i32,
    /// Temporary hit points. They may be more than the maximum.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000, default = 0)]
    pub temp_hp: i32,
    /// What the creature is resistant to. An entry is a damage type, `all`, or one of the nonmagical
    /// attacks of 5.1 stat blocks (R8).
    #[serde(default)]
    #[schema(value_type = BTreeSet<Defense>, max_items = 17, default = json!([]))]
    pub resistances: Vec<Defense>,
    /// What the creature is vulnerable to, with the same entries.
    #[serde(default)]
    #[schema(value_type = BTreeSet<Defense>, max_items = 17, default = json!([]))]
    pub vulnerabilities: Vec<Defense>,
    /// What the creature is immune to, with the same entries.
    #[serde(default)]
    #[schema(value_type = BTreeSet<Defense>, max_items = 17, default = json!([]))]
    pub immunities: Vec<Defense>,
    /// Flat reductions of damage, in the order in which they are used.
    #[serde(default)]
    #[schema(max_items = 100, default = json!([]))]
    pub damage_reduction: Vec<DamageReduction>,
    /// The damage threshold: less damage than this from one hit does nothing.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub damage_threshold: i32,
    /// Critical hits on the creature are ordinary hits, as for one in adamantine armor.
    #[serde(default)]
    #[schema(default = false)]
    pub critical_immunity: bool,
    /// The conditions that matter here, from other causes than 0 HP or a knock-out, which `life` tells.
    #[serde(default)]
    #[schema(value_type = BTreeSet<Condition>, max_items = 5, default = json!([]))]
    pub conditions: Vec<Condition>,
    /// The exhaustion level. 6 is death.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 6, default = 0)]
    pub exhaustion: i32,
    /// The creature is concentrating on an effect.
    #[serde(default)]
    #[schema(default = false)]
    pub concentration: bool,
    /// Constitution modifier: added to each hit die.
    #[serde(default)]
    #[schema(minimum = -100, maximum = 100, default = 0)]
    pub con_modifier: i32,
    /// Bonus on the Constitution saves that the service makes itself, for concentration and for Undead
    /// Fortitude. Absent: `con_modifier`.
    #[serde(default)]
    #[schema(minimum = -100, maximum = 100)]
    pub con_save: Option<i32>,
    /// Hit dice, an entry for each size.
    #[serde(default)]
    #[schema(max_items = 6, default = json!([]))]
    pub hit_dice: Vec<HitDice>,
    /// What keeps the creature from 0 HP. No rest brings one back: send it again.
    #[serde(default)]
    #[schema(value_type = BTreeSet<Ward>, max_items = 3, default = json!([]))]
    pub wards: Vec<Ward>,
    /// Up, knocked out, dying, stable or dead. Absent: what the numbers say. At exhaustion 6 or a maximum
    /// of 0 that is dead, above 0 HP up, and at 0 HP dying for a character and dead for a monster.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub life: Option<Life>,
}

/// What 0 hit points mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::CreatureKind)]
pub enum CreatureKind {
    /// A player's character, or a monster that the GM lets fight for its life: it makes death saves.
    #[default]
    Character,
    /// A monster: it dies.
    Monster,
}

/// A flat reduction of damage.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = srd_5e::DamageReduction)]
pub struct DamageReduction {
    /// How much it takes off a hit.
    #[schema(minimum = 0, maximum = 1000)]
    pub value: i32,
    /// The damage types that it is good against. Absent: every type.
    #[serde(default)]
    #[schema(value_type = Option<BTreeSet<DamageType>>, min_items = 1, max_items = 13)]
    pub types: Option<Vec<DamageType>>,
}

impl DamageReduction {
    /// Whether it is good against this type.
    pub fn is_for(&self, kind: DamageType) -> bool {
        self.types.as_ref().is_none_or(|types| types.contains(&kind))
    }
}

/// A condition that matters to damage. Each of them incapacitates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::Condition)]
pub enum Condition {
    /// Only that: no concentration.
    Incapacitated,
    /// Hits from within 5 feet are critical; Strength and Dexterity saves fail.
    Paralyzed,
    /// Resists all damage; Strength and Dexterity saves fail.
    Petrified,
    /// Strength and Dexterity saves fail.
    Stunned,
    /// Hits from within 5 feet are critical; Strength and Dexterity saves fail.
    Unconscious,
}

/// The hit dice of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = srd_5e::HitDice)]
pub struct HitDice {
    /// Sides of the die: 4, 6, 8, 10, 12 or 20.
    #[schema(schema_with = sides_schema)]
    pub sides: i32,
    /// How many the creature has in all.
    #[schema(minimum = 0, maximum = 100)]
    pub total: i32,
    /// How many of them are not spent. Absent: all.
    #[serde(default, deserialize_with = "given")]
    #[schema(minimum = 0, maximum = 100, nullable = false)]
    pub left: Option<i32>,
}

/// The sides of a hit die, for the document.
pub fn sides_schema() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .enum_values(Some(HIT_DIE_SIZES))
        .minimum(HIT_DIE_SIZES.first().copied())
        .maximum(HIT_DIE_SIZES.last().copied())
        .description(Some("Sides of the die: 4, 6, 8, 10, 12 or 20."))
        .build()
}

/// A number of sides that no hit die has is a fault.
pub fn check_sides(sides: i32, faults: &mut Faults) {
    if !HIT_DIE_SIZES.contains(&sides) {
        faults.add("/sides", format!("must be 4, 6, 8, 10, 12 or 20, but is {sides}"));
    }
}

impl HitDice {
    /// How many are not spent.
    pub fn left(&self) -> i32 {
        self.left.unwrap_or(self.total)
    }
}

/// What leaves a creature 1 HP where it would have dropped to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::Ward)]
pub enum Ward {
    /// The spell. It is used up when it works.
    DeathWard,
    /// The trait of orcs. It is used up when it works, and does not work when the creature is killed
    /// outright.
    RelentlessEndurance,
    /// The trait of zombies: a Constitution save, each time.
    UndeadFortitude,
}

impl Ward {
    /// The ward in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::DeathWard => "Death Ward",
            Self::RelentlessEndurance => "Relentless Endurance",
            Self::UndeadFortitude => "Undead Fortitude",
        }
    }
}

/// How near death a creature is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::Life)]
pub enum Life {
    /// Conscious, as far as HP go.
    Up,
    /// Unconscious above 0 HP by an attacker who did not want to kill.
    KnockedOut,
    /// Unconscious at 0 HP, making death saves.
    Dying(Dying),
    /// Unconscious at 0 HP, making none.
    Stable,
    /// Dead.
    Dead,
}

/// The death saves of one who is dying.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = srd_5e::Dying)]
pub struct Dying {
    /// Death saves passed. The third makes stable.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 2, default = 0)]
    pub successes: i32,
    /// Death saves failed. The third kills.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 2, default = 0)]
    pub failures: i32,
}

impl ruleset::Creature for Creature {
    fn is_dead(&self) -> bool {
        self.life == Some(Life::Dead)
    }
}

impl Creature {
    /// The hit point maximum that counts: what reductions leave of the sheet's. By the exhaustion rule of
    /// 5.1 level 4 halves it, rounded down (R32).
    pub fn max_hp(&self, options: &Options) -> i32 {
        let reduced = self.max_hp - self.max_hp_lost;
        if options.exhaustion == ExhaustionRule::Levels && self.exhaustion >= 4 { reduced / 2 } else { reduced }
    }

    /// The bonus on Constitution saves.
    pub fn con_save(&self) -> i32 {
        self.con_save.unwrap_or(self.con_modifier)
    }

    /// What `life` says, and where it says nothing, the numbers.
    pub fn life(&self, options: &Options) -> Life {
        match self.life {
            Some(life) => life,
            None if self.exhaustion == DEADLY_EXHAUSTION || self.max_hp(options) == 0 => Life::Dead,
            None if self.hp > 0 => Life::Up,
            None if self.kind == CreatureKind::Monster => Life::Dead,
            None => Life::Dying(Dying::default()),
        }
    }

    /// The death saves, if the creature is dying.
    pub fn dying(&self) -> Option<Dying> {
        match self.life {
            Some(Life::Dying(saves)) => Some(saves),
            _ => None,
        }
    }

    /// Whether the creature has this condition, from another cause than `life`.
    pub fn has(&self, condition: Condition) -> bool {
        self.conditions.contains(&condition)
    }

    /// Whether the creature has this ward.
    pub fn has_ward(&self, ward: Ward) -> bool {
        self.wards.contains(&ward)
    }

    /// Whether the creature is unconscious, by whatever cause.
    pub fn is_unconscious(&self) -> bool {
        self.has(Condition::Unconscious) || matches!(self.life, Some(Life::KnockedOut | Life::Dying(_) | Life::Stable))
    }

    /// Whether the creature's Strength and Dexterity saves fail by themselves.
    pub fn fails_saves(&self) -> bool {
        let conditions = [Condition::Paralyzed, Condition::Petrified, Condition::Stunned];
        self.is_unconscious() || conditions.into_iter().any(|condition| self.has(condition))
    }

    /// Whether the creature is incapacitated: not up, or in any of the conditions.
    pub fn is_incapacitated(&self, options: &Options) -> bool {
        self.life(options) != Life::Up || !self.conditions.is_empty()
    }

    /// HP above the maximum drop to it, by the rule that lowered it. That is not damage.
    pub fn hold_to_maximum(&mut self, rule: &'static str, options: &Options, tray: &mut Tray<'_, Event>) {
        let held = self.hp.min(self.max_hp(options));
        tray.change("/hp", &mut self.hp, held, rule);
    }

    /// The creature is dead, at 0 HP (R42).
    pub fn die(&mut self, rule: &'static str, tray: &mut Tray<'_, Event>) {
        tray.change("/hp", &mut self.hp, 0, rule);
        tray.change("/life", &mut self.life, Some(Life::Dead), rule);
        tray.event(Event::Died);
    }

    /// The creature is up, and conscious unless a condition keeps it from that.
    pub fn wake(&mut self, rule: &'static str, tray: &mut Tray<'_, Event>) {
        tray.change("/life", &mut self.life, Some(Life::Up), rule);
        if !self.has(Condition::Unconscious) {
            tray.event(Event::Woke);
        }
    }

    /// HP come back, up to the maximum. HP really regained end dying, being stable and being knocked out
    /// (R35). Answers how many they were.
    pub fn regain(&mut self, hp: i32, rule: &'static str, options: &Options, tray: &mut Tray<'_, Event>) -> i32 {
        let before = self.hp;
        let healed = (before + hp).min(self.max_hp(options));
        if tray.change("/hp", &mut self.hp, healed, rule) && self.life != Some(Life::Up) {
            self.wake(rule, tray);
        }
        self.hp - before
    }

    /// Adds every fault of this creature.
    pub fn check(&self, options: &Options, faults: &mut Faults) {
        faults.bounds("/max_hp", self.max_hp, 1..=POINTS);
        faults.bounds("/max_hp_lost", self.max_hp_lost, 0..=POINTS);
        faults.bounds("/hp", self.hp, 0..=POINTS);
        faults.bounds("/temp_hp", self.temp_hp, 0..=POINTS);
        let defenses = [
            ("/resistances", &self.resistances),
            ("/vulnerabilities", &self.vulnerabilities),
            ("/immunities", &self.immunities),
        ];
        for (field, entries) in defenses {
            faults.length(field, entries, 0..=Defense::COUNT);
            faults.distinct(field, entries);
        }
        faults.length("/damage_reduction", &self.damage_reduction, 0..=LIST);
        faults.each("/damage_reduction", &self.damage_reduction);
        faults.bounds("/damage_threshold", self.damage_threshold, 0..=RATING);
        faults.length("/conditions", &self.conditions, 0..=5);
        faults.distinct("/conditions", &self.conditions);
        faults.bounds("/exhaustion", self.exhaustion, 0..=DEADLY_EXHAUSTION);
        faults.bounds("/con_modifier", self.con_modifier, -100..=100);
        faults.bounds_if("/con_save", self.con_save, -100..=100);
        faults.length("/hit_dice", &self.hit_dice, 0..=HIT_DIE_SIZES.len());
        faults.each("/hit_dice", &self.hit_dice);
        for (index, dice) in self.hit_dice.iter().enumerate() {
            if self.hit_dice[..index].iter().any(|other| other.sides == dice.sides) {
                faults.add(&format!("/hit_dice/{index}/sides"), "is in this list twice; send one entry for each size");
            }
        }
        faults.length("/wards", &self.wards, 0..=3);
        faults.distinct("/wards", &self.wards);
        if let Some(Life::Dying(saves)) = self.life {
            faults.bounds("/life/dying/successes", saves.successes, 0..=DEATH_SAVES - 1);
            faults.bounds("/life/dying/failures", saves.failures, 0..=DEATH_SAVES - 1);
        }
        let known = (1..=POINTS).contains(&self.max_hp)
            && (0..=POINTS).contains(&self.max_hp_lost)
            && (0..=POINTS).contains(&self.hp)
            && (0..=DEADLY_EXHAUSTION).contains(&self.exhaustion);
        if !known {
            return;
        }
        if self.max_hp_lost > self.max_hp {
            faults.add(
                "/max_hp_lost",
                format!("must be at most the `max_hp` of {}, but is {}", self.max_hp, self.max_hp_lost),
            );
        } else {
            self.check_life(options, faults);
        }
    }

    /// Adds the faults of hit points, life and concentration that the other numbers do not allow.
    fn check_life(&self, options: &Options, faults: &mut Faults) {
        let max_hp = self.max_hp(options);
        if self.hp > max_hp {
            faults.add("/hp", format!("must be at most the hit point maximum of {max_hp}, but is {}", self.hp));
        }
        let doomed = self.exhaustion == DEADLY_EXHAUSTION || max_hp == 0;
        match self.life {
            Some(life) if life != Life::Dead && doomed => {
                faults.add("/life", "must be \"dead\": exhaustion 6 and a hit point maximum of 0 are death");
            }
            Some(Life::Up | Life::KnockedOut) if self.hp == 0 => {
                faults.add("/life", "must be dying, stable or dead at 0 HP");
            }
            Some(Life::Dying(_) | Life::Stable | Life::Dead) if self.hp > 0 => {
                faults.add("/life", "must be up or knocked out above 0 HP");
            }
            Some(Life::Dying(_)) if self.kind == CreatureKind::Monster => {
                faults.add("/life", "cannot be dying for a monster, which dies at 0 HP; send it as a character");
            }
            None if self.exhaustion == DEADLY_EXHAUSTION && self.hp > 0 => {
                faults.add("/hp", "must be 0: exhaustion 6 is death");
            }
            Some(_) | None => {}
        }
        if self.concentration && self.is_incapacitated(options) {
            faults.add("/concentration", "cannot be: one who is incapacitated does not concentrate");
        }
    }
}

impl Check for DamageReduction {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/value", self.value, 0..=RATING);
        if let Some(types) = &self.types {
            faults.length("/types", types, 1..=DamageType::ALL.len());
            faults.distinct("/types", types);
        }
    }
}

impl Check for HitDice {
    fn check(&self, faults: &mut Faults) {
        check_sides(self.sides, faults);
        faults.bounds("/total", self.total, 0..=100);
        faults.bounds_if("/left", self.left, 0..=100);
        if (0..=100).contains(&self.total) && self.left > Some(self.total) {
            faults.add("/left", format!("must be at most the total of {}, but is {}", self.total, self.left()));
        }
    }
}

impl Creature {
    /// A character for the examples, unhurt, nothing special.
    pub fn example() -> Self {
        Self {
            kind: CreatureKind::Character,
            max_hp: 31,
            max_hp_lost: 0,
            hp: 31,
            temp_hp: 0,
            resistances: Vec::new(),
            vulnerabilities: Vec::new(),
            immunities: Vec::new(),
            damage_reduction: Vec::new(),
            damage_threshold: 0,
            critical_immunity: false,
            conditions: Vec::new(),
            exhaustion: 0,
            concentration: false,
            con_modifier: 2,
            con_save: None,
            hit_dice: vec![HitDice { sides: 8, total: 5, left: Some(5) }],
            wards: Vec::new(),
            life: Some(Life::Up),
        }
    }
}
