//! The 5th-edition System Reference Document, version 5.2.1.
//!
//! Source: the SRD 5.2.1. Where its predecessor 5.1 had another rule, that is an option, marked (5.1).
//! Where the text leaves something open, a numbered reading decides.
//!
//! Left out, and why: how conditions come and go, being prone, speed, and raising the dead, which the
//! table keeps; attack bonus, Armor Class and cover, which a check takes as numbers; spells, classes and
//! stat blocks, which are data; saves of single features other than those named here, which the table
//! makes and sends the result of.

pub mod check;
pub mod conditions;
pub mod creature;
pub mod damage;
pub mod damage_types;
pub mod defenses;
pub mod dying;
pub mod healing;
pub mod hit_points;
pub mod rest;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Faults;
use crate::ruleset::{Catalog, Reading, RefusalKind, Rule, Ruleset};
use creature::{Creature, Ward};

/// The ruleset `srd_5e`.
pub struct Srd5e;

/// Readings that a table may answer otherwise, and the rules of 5.1 that 5.2.1 changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = srd_5e::Options)]
pub struct Options {
    /// Components of one type in one hit are not added up (R2).
    #[schema(default = false)]
    pub components_apart: bool,
    /// A save halves the sum of a hit, not each type by itself (R3).
    #[schema(default = false)]
    pub save_halves_total: bool,
    /// The creature's own immunity and reduction come before the save (R4).
    #[schema(default = false)]
    pub reduce_before_save: bool,
    /// A flat reduction takes its whole value off each type of a hit (R5).
    #[schema(default = false)]
    pub reduce_each_type: bool,
    /// A hit is halved before flat reductions (R6). Without effect with `reduce_before_save`.
    #[schema(default = false)]
    pub halve_before_reduction: bool,
    /// The damage threshold is compared with the damage before resistance and vulnerability (R9).
    #[schema(default = false)]
    pub threshold_before_resistance: bool,
    /// Damage that temporary HP absorb calls for no concentration save (R11).
    #[schema(default = false)]
    pub temp_hp_spares_concentration: bool,
    /// Damage at 0 HP that temporary HP absorb does not count (R12).
    #[schema(default = false)]
    pub temp_hp_spares_the_dying: bool,
    /// Damage massive enough to kill kills, even if the attacker would rather knock out (R21).
    #[schema(default = false)]
    pub massive_damage_beats_knock_out: bool,
    /// What a knock-out leaves (R22).
    #[schema(default = "at_1_hp")]
    pub knock_out: KnockOut,
    /// The DC of concentration saves has no highest value (5.1, R29).
    #[schema(default = false)]
    pub concentration_dc_uncapped: bool,
    /// What exhaustion does (R31).
    #[schema(default = "penalty")]
    pub exhaustion: ExhaustionRule,
    /// A long rest brings back half of the hit dice (5.1, R33).
    #[schema(default = false)]
    pub long_rest_half_hit_dice: bool,
    /// A hit die heals 0 HP at least, not 1 (5.1, R34).
    #[schema(default = false)]
    pub hit_die_may_heal_0: bool,
    /// The petrified are immune to poison damage (5.1, R37).
    #[schema(default = false)]
    pub petrified_immune_to_poison: bool,
    /// A die in a wider critical range hits by itself (R38).
    #[schema(default = false)]
    pub critical_range_hits: bool,
    /// One who is stable at 0 HP may take a short rest (5.1, R43).
    #[schema(default = false)]
    pub short_rest_when_stable: bool,
}

/// What a knock-out leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::KnockOut)]
pub enum KnockOut {
    /// 1 HP and unconscious.
    #[default]
    #[serde(rename = "at_1_hp")]
    At1Hp,
    /// 0 HP and stable (5.1).
    #[serde(rename = "stable_at_0")]
    StableAt0,
}

/// What exhaustion does, short of death at level 6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::ExhaustionRule)]
pub enum ExhaustionRule {
    /// 2 off D20 Tests for each level.
    #[default]
    Penalty,
    /// Disadvantage on ability checks from level 1, on attack rolls and saves from level 3; half the hit
    /// point maximum from level 4 (5.1).
    Levels,
}

/// Something to announce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[schema(as = srd_5e::Event)]
pub enum Event {
    /// The attack was a critical hit because the creature is helpless.
    AutomaticCritical,
    /// HP came to half the maximum or less.
    Bloodied,
    /// A ward kept the creature from 0 HP.
    WardUsed {
        /// Which one.
        ward: Ward,
    },
    /// The creature was knocked out.
    KnockedOut,
    /// The creature dropped to 0 HP: unconscious and dying.
    FellUnconscious,
    /// The damage was massive: the creature is killed outright.
    MassiveDamage,
    /// Damage at 0 HP made the creature fail death saves.
    DeathSaveFailed {
        /// How many: 1, or 2 by a critical hit.
        failures: i32,
    },
    /// One who was stable must make death saves again.
    NoLongerStable,
    /// The exhaustion level went up.
    Exhausted {
        /// The level now.
        level: i32,
    },
    /// The table must now make a save against losing concentration.
    ConcentrationSaveDue {
        /// What the total must reach.
        dc: i32,
    },
    /// Concentration ended.
    ConcentrationLost,
    /// One who was dying is stable.
    Stabilized,
    /// The creature is conscious again.
    Woke,
    /// The creature is dead.
    Died,
}

impl Event {
    /// What a summary says of it after the numbers; nothing where they tell it already.
    fn cry(&self) -> Option<String> {
        Some(match self {
            Self::AutomaticCritical | Self::Woke => return None,
            Self::Bloodied => "Bloodied!".to_owned(),
            Self::WardUsed { ward } => format!("{} leaves 1 HP.", ward.name()),
            Self::KnockedOut => "Knocked out!".to_owned(),
            Self::FellUnconscious => "Unconscious and dying!".to_owned(),
            Self::MassiveDamage => "Massive damage!".to_owned(),
            Self::DeathSaveFailed { failures: 1 } => "One death save failed.".to_owned(),
            Self::DeathSaveFailed { .. } => "Two death saves failed.".to_owned(),
            Self::NoLongerStable => "No longer stable!".to_owned(),
            Self::Exhausted { level } => format!("Exhaustion is now {level}."),
            Self::ConcentrationSaveDue { dc } => format!("A concentration save is due, DC {dc}."),
            Self::ConcentrationLost => "Concentration is lost.".to_owned(),
            Self::Stabilized => "Stable.".to_owned(),
            Self::Died => "Dead!".to_owned(),
        })
    }
}

/// What the check is for is not there.
pub const NOTHING_TO_CHECK: RefusalKind = RefusalKind {
    id: "nothing-to-check",
    title: "There is nothing to check",
    meaning: "The check is for a creature that is concentrating, or for one that was knocked out. Look at \
              `target.concentration` and `target.life`.",
};

/// A rest takes at least 1 HP.
pub const NO_HIT_POINTS: RefusalKind = RefusalKind {
    id: "no-hit-points",
    title: "The creature has no hit points",
    meaning: "Only a creature with at least 1 HP can take a short or a long rest. Heal it first, or let one who is \
              stable rest with `kind` as `stable`.",
};

/// The creature is not stable.
pub const NOT_STABLE: RefusalKind = RefusalKind {
    id: "not-stable",
    title: "The creature is not stable",
    meaning: "The rest is for one who is stable at 0 HP. Look at `target.life`, which `stabilize` changes.",
};

const CRITICAL: &str = "Critical Hits";
const ORDER: &str = "Order of Application";
const RESISTANCE: &str = "Resistance and Vulnerability";
const TEMPORARY: &str = "Temporary Hit Points";
const INSTANT_DEATH: &str = "Instant Death";
const DEATH_SAVES: &str = "Death Saving Throws";
const KNOCKING_OUT: &str = "Knocking Out a Creature";
const STABILIZING: &str = "Stabilizing a Character";
const SHORT_REST: &str = "Short Rest";
const D20_TESTS: &str = "D20 Tests";

impl Ruleset for Srd5e {
    const ID: &'static str = "srd_5e";
    const TITLE: &'static str = "5th-edition System Reference Document 5.2.1";
    const SOURCE: &'static str = "This work includes material from the System Reference Document 5.2.1 (“SRD 5.2.1”) by Wizards of the Coast LLC, available at https://www.dndbeyond.com/srd. The SRD 5.2.1 is licensed under the Creative Commons Attribution 4.0 International License, available at https://creativecommons.org/licenses/by/4.0/legalcode. This work includes material taken from the System Reference Document 5.1 (“SRD 5.1”) by Wizards of the Coast LLC and available at https://dnd.wizards.com/resources/systems-reference-document. The SRD 5.1 is licensed under the Creative Commons Attribution 4.0 International License available at https://creativecommons.org/licenses/by/4.0/legalcode. The rules were restated and put into code.";
    const RULES: &'static [Rule] = &[
        Rule::new(
            "d20_test",
            "D20 Tests; Advantage/Disadvantage",
            "A d20 and modifiers must reach the number. With advantage the higher of two d20 counts, with disadvantage the lower; both together are neither.",
        ),
        Rule::new("bonus_roll", D20_TESTS, "Some bonuses are themselves dice, thrown after the d20 and added."),
        Rule::new("penalty_roll", D20_TESTS, "Some penalties are themselves dice, thrown last and taken off."),
        Rule::new(
            "attack_roll",
            "Rolling 20 or 1",
            "A 20 on the d20 of an attack roll hits and is critical, a 1 misses, whatever the total.",
        ),
        Rule::new(
            "automatic_critical",
            "Unconscious; Paralyzed",
            "An attack that hits one who is unconscious or paralyzed is critical if the attacker is within 5 feet.",
        ),
        Rule::new("damage_roll", "Damage Rolls", "Damage is its dice and modifiers added up; it may be 0, never less."),
        Rule::new(
            "critical_hit",
            CRITICAL,
            "A critical hit throws all damage dice of the attack twice; modifiers count once.",
        ),
        Rule::new(
            "saving_throw",
            "Saving Throws and Damage",
            "A save may halve, rounded down, or stop what a failure would deal.",
        ),
        Rule::new(
            "automatic_failure",
            "Unconscious; Paralyzed; Petrified; Stunned",
            "One who is unconscious, paralyzed, petrified or stunned fails Strength and Dexterity saves without a roll.",
        ),
        Rule::new("immunity", "Immunity", "Immunity to a damage type means no damage of that type."),
        Rule::new(
            "damage_reduction",
            ORDER,
            "Reductions by a number come off the damage before resistance and vulnerability, not below 0.",
        ),
        Rule::new(
            "halved_damage",
            ORDER,
            "What else halves a hit does so before resistance and vulnerability, rounded down.",
        ),
        Rule::new(
            "resistance",
            RESISTANCE,
            "Resistance halves damage of its type, rounded down, once however often a creature has it.",
        ),
        Rule::new("petrified", "Petrified", "One who is petrified has resistance to all damage."),
        Rule::new("vulnerability", RESISTANCE, "Vulnerability doubles damage of its type, once, after resistance."),
        Rule::new(
            "damage_threshold",
            "Damage Threshold",
            "One attack or effect that deals less than the threshold deals nothing.",
        ),
        Rule::new(
            "temporary_hit_points",
            TEMPORARY,
            "Temporary hit points are lost first. They heal nobody and never add up: new ones replace the old or are declined.",
        ),
        Rule::new("hit_points", "Hit Points", "Damage comes off hit points, which are from the maximum down to 0."),
        Rule::new(
            "knock_out",
            KNOCKING_OUT,
            "Who would drop a creature to 0 HP with a melee attack may leave it 1 HP and unconscious instead.",
        ),
        Rule::new(
            "death_ward",
            "Death Ward (spell)",
            "The first time that damage would drop the creature to 0 HP, it has 1 HP instead, and the spell ends.",
        ),
        Rule::new(
            "undead_fortitude",
            "Zombies",
            "One who would drop to 0 HP makes a Constitution save, DC 5 and the damage, and has 1 HP instead on a success; not against radiant damage or a critical hit.",
        ),
        Rule::new(
            "massive_damage",
            INSTANT_DEATH,
            "A character dies when the damage left over at 0 HP is as much as its hit point maximum.",
        ),
        Rule::new(
            "relentless_endurance",
            "Orc",
            "One who would drop to 0 HP and is not killed outright has 1 HP instead, once until a long rest.",
        ),
        Rule::new("monster_death", INSTANT_DEATH, "A monster dies at 0 HP."),
        Rule::new(
            "falling_unconscious",
            "Falling Unconscious",
            "A character that drops to 0 HP and is not killed is unconscious until it regains hit points.",
        ),
        Rule::new(
            "damage_at_0",
            DEATH_SAVES,
            "Damage at 0 HP is a failed death save, two by a critical hit; as much as the maximum kills.",
        ),
        Rule::new(
            "hit_point_maximum",
            INSTANT_DEATH,
            "Hit points above a lowered maximum drop to it, and a maximum of 0 kills.",
        ),
        Rule::new(
            "exhaustion",
            "Exhaustion",
            "Each level takes 2 off D20 Tests, the sixth kills, and a long rest takes one away.",
        ),
        Rule::new(
            "concentration",
            "Concentration",
            "Damage calls for a Constitution save against the higher of 10 and half of it, at most 30; failing it, being incapacitated and death end concentration.",
        ),
        Rule::new(
            "death_save",
            DEATH_SAVES,
            "A death save passes at 10. Three passed make stable, three failed kill; a 1 fails twice, and a 20 brings back 1 HP.",
        ),
        Rule::new(
            "stabilize",
            STABILIZING,
            "A Wisdom (Medicine) check against 10, or a Healer's Kit, makes one who is dying stable: no more death saves.",
        ),
        Rule::new("stable_recovery", STABILIZING, "One who is stable regains 1 HP after 1d4 hours."),
        Rule::new(
            "first_aid",
            KNOCKING_OUT,
            "A Wisdom (Medicine) check against 10 wakes one who was knocked out; so do hit points regained and the end of a rest.",
        ),
        Rule::new("healing", "Healing", "Healing restores hit points up to the maximum, and what is beyond is lost."),
        Rule::new(
            "hit_dice",
            SHORT_REST,
            "Each hit die spent restores what it shows and the Constitution modifier, at least 1.",
        ),
        Rule::new("short_rest", SHORT_REST, "A short rest lets a creature with at least 1 HP spend hit dice."),
        Rule::new(
            "long_rest",
            "Long Rest",
            "A long rest restores all hit points, all hit dice and the hit point maximum; temporary hit points are gone.",
        ),
    ];
    const READINGS: &'static [Reading] = &[
        Reading::new(
            "R1",
            "Does a hit of several damage types meet resistance and rounding as a whole?",
            "No, each type by itself.",
        ),
        Reading::new(
            "R2",
            "Are several components of one type in one hit, such as a weapon and Sneak Attack, one amount of damage?",
            "Yes: they are added up before anything else.",
        )
        .or("components_apart"),
        Reading::new("R3", "A save halves a hit of several types: what is rounded?", "Each type.")
            .or("save_halves_total"),
        Reading::new(
            "R4",
            "Is the half on a save taken before or after the creature's own reduction?",
            "Before: the save decides how much the effect deals.",
        )
        .or("reduce_before_save"),
        Reading::new(
            "R5",
            "Does a flat reduction count once against a hit of several types, or against each?",
            "Once a hit, used up in order.",
        )
        .or("reduce_each_type"),
        Reading::new(
            "R6",
            "Both are adjustments: which is first, a flat reduction or halving?",
            "The reduction, in the order in which the text names them.",
        )
        .or("halve_before_reduction"),
        Reading::new("R7", "Does damage that immunity stops use up a flat reduction?", "No."),
        Reading::new(
            "R8",
            "What are the nonmagical attacks of 5.1 stat blocks?",
            "Damage of an attack roll that is not magical: no spell's save and no fall. What gets past by silver or adamantine is sent as magical.",
        ),
        Reading::new(
            "R9",
            "What is compared with the damage threshold?",
            "What is left of the whole hit after all else. Equal is enough.",
        )
        .or("threshold_before_resistance"),
        Reading::new("R10", "Is damage that was reduced to 0 damage taken?", "No."),
        Reading::new(
            "R11",
            "Does damage that temporary hit points absorb count for concentration?",
            "Yes, and for the DC: it was taken.",
        )
        .or("temp_hp_spares_concentration"),
        Reading::new(
            "R12",
            "Does damage at 0 HP count that temporary hit points absorb? Tables differ on this more than on anything else here: the text says any damage, and others hold that temporary hit points shield the dying.",
            "Yes, for failures and for instant death.",
        )
        .or("temp_hp_spares_the_dying"),
        Reading::new(
            "R13",
            "Do temporary hit points help against massive damage from above 0 HP?",
            "Yes: what they absorb is not left over.",
        ),
        Reading::new(
            "R14",
            "By which maximum is massive damage measured if the hit lowers it?",
            "By the maximum before the hit.",
        ),
        Reading::new(
            "R15",
            "Which critical hits at 0 HP are two failures?",
            "All, the automatic ones from within 5 feet too.",
        ),
        Reading::new(
            "R16",
            "Is an `amount` doubled on a critical hit?",
            "No, it stands as sent: who threw the dice has doubled them.",
        ),
        Reading::new(
            "R17",
            "What if a penalty is larger than the roll?",
            "Each roll stops at 0 before it is added up.",
        ),
        Reading::new(
            "R18",
            "On a death save, what of a 20 with a penalty and of a 1 with a bonus?",
            "The die decides: 1 HP, and two failures.",
        ),
        Reading::new(
            "R19",
            "What applies to death saves?",
            "Whatever applies to saving throws and D20 Tests, exhaustion too.",
        ),
        Reading::new(
            "R20",
            "Which marks has one who was stable after damage?",
            "Only the new failures; the old ones went when it became stable.",
        ),
        Reading::new(
            "R21",
            "What if a knock-out leaves over enough damage to kill?",
            "Knocked out: the attacker replaces the drop to 0 HP.",
        )
        .or("massive_damage_beats_knock_out"),
        Reading::new("R22", "Is one who was knocked out at 1 HP, or stable at 0 as in 5.1?", "At 1 HP.")
            .or("knock_out"),
        Reading::new(
            "R23",
            "Two passages differ: what ends a knock-out?",
            "HP regained, first aid, or the end of a rest, a later one too if the first was interrupted.",
        ),
        Reading::new(
            "R24",
            "Can one who is at 0 HP already be knocked out?",
            "There is nothing to replace: the damage counts as usual.",
        ),
        Reading::new(
            "R25",
            "Who dies at 0 HP, and what of a stable monster that is hurt?",
            "`kind` says it: a monster dies, a stable one too.",
        ),
        Reading::new(
            "R26",
            "Which protection against 0 HP comes first?",
            "The attacker's knock-out, Death Ward, Undead Fortitude, massive damage, Relentless Endurance. Each is used as soon as it can be.",
        ),
        Reading::new(
            "R27",
            "Which damage makes the DC of Undead Fortitude, and what of mixed types?",
            "All damage taken, absorbed or not. Any radiant damage taken bars it.",
        ),
        Reading::new(
            "R28",
            "Several sources at once, such as darts or rays: one save and one failure?",
            "Each hit has its own. Missiles that strike together are one hit or several, as the table sends them.",
        ),
        Reading::new("R29", "Has the DC of concentration saves a highest value?", "30.")
            .or("concentration_dc_uncapped"),
        Reading::new("R30", "Does concentration last over a long rest?", "No: one who sleeps is unconscious."),
        Reading::new("R31", "What does exhaustion do to D20 Tests?", "2 off for each level.").or("exhaustion"),
        Reading::new(
            "R32",
            "How is a halved maximum rounded (5.1, level 4)?",
            "Down, after what is lost of it. HP above it drop, and that is not damage.",
        ),
        Reading::new("R33", "How many hit dice does a long rest bring back?", "All.").or("long_rest_half_hit_dice"),
        Reading::new("R34", "What does a hit die heal at least?", "1 HP each.").or("hit_die_may_heal_0"),
        Reading::new(
            "R35",
            "Does healing that restores nothing end being dying, stable or knocked out?",
            "No.",
        ),
        Reading::new(
            "R36",
            "Which temporary hit points does one keep who has some and is offered others?",
            "The higher ones, unless `temp_choice` says otherwise.",
        )
        .or("temp_choice"),
        Reading::new(
            "R37",
            "Are the petrified immune to poison damage?",
            "No, they resist it: 5.2.1 makes them immune to the condition.",
        )
        .or("petrified_immune_to_poison"),
        Reading::new(
            "R38",
            "Does a 19 hit by itself where it is in the critical range?",
            "No, only a 20 does.",
        )
        .or("critical_range_hits"),
        Reading::new(
            "R39",
            "Which are thrown first, damage dice or the save?",
            "Damage, so that one throw serves many targets.",
        ),
        Reading::new(
            "R40",
            "By how much is the maximum lowered when temporary hit points absorbed some?",
            "By the damage taken, absorbed or not.",
        ),
        Reading::new("R41", "Is the blow that drops one to 0 HP a failed death save?", "No."),
        Reading::new(
            "R42",
            "How many HP do the dead have?",
            "0, whatever killed them. Temporary HP stay as the damage left them.",
        ),
        Reading::new("R43", "Can one at 0 HP take a short rest?", "No: it takes at least 1 HP.")
            .or("short_rest_when_stable"),
        Reading::new(
            "R44",
            "Is one who drops to 0 HP announced as bloodied?",
            "No: falling unconscious and dying say more, though 0 is half or less too.",
        ),
    ];
    const REFUSALS: &'static [RefusalKind] = &[NOTHING_TO_CHECK, NO_HIT_POINTS, NOT_STABLE];

    type Creature = Creature;
    type Options = Options;
    type Event = Event;

    fn check(creature: &Creature, options: &Options, faults: &mut Faults) {
        creature.check(options, faults);
    }

    fn complete(creature: &mut Creature, options: &Options) {
        for dice in &mut creature.hit_dice {
            dice.left = Some(dice.left());
        }
        creature.life = Some(creature.life(options));
    }

    fn actions(catalog: &mut impl Catalog) {
        catalog.add::<damage::Damage>();
        catalog.add::<dying::DyingTick>();
        catalog.add::<dying::Stabilize>();
        catalog.add::<conditions::ConditionCheck>();
        catalog.add::<healing::Heal>();
        catalog.add::<rest::Rest>();
        catalog.add::<check::Roll>();
    }
}
