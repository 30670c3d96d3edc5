//! Coyote & Crow: pools of twelve-sided dice, nine stats, and three pools that keep one alive.
//!
//! Source: a summary of the rulebook's chapter on damage. The check itself, derived values and a few
//! procedures come from public transcriptions of the rulebook (marked W). Where both are silent, a
//! numbered reading decides.
//!
//! Left out, and why: sleeping and altered states, which have no arithmetic; what the panicked, the
//! stunned and the unconscious may not do, which the table sees to; a panic that ends because the threat
//! is gone, and death itself, which the table writes on the sheet (R13).

pub mod check;
pub mod conditions;
pub mod creature;
pub mod damage;
pub mod dying;
mod events;
pub mod healing;
pub mod rest;
pub mod stats;
pub mod tables;
pub mod turn;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Faults;
use crate::ruleset::{Catalog, Reading, RefusalKind, Rule, Ruleset, Table};
use conditions::{Condition, ConditionKind};
use creature::Creature;
use stats::{Pool, Stat};

/// The ruleset `coyote_and_crow`.
pub struct CoyoteAndCrow;

/// Readings that a table may answer otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = coyote_and_crow::Options)]
pub struct Options {
    /// Which die makes a success a critical success (R1).
    #[schema(default = "standard_die")]
    pub critical_success_by: CriticalSuccessBy,
    /// Being stunned takes the stats out of a defense but leaves the gear in (R17).
    #[schema(default = false)]
    pub stun_keeps_gear: bool,
    /// Who has a pool at 0 makes the check to stay conscious at the start of every turn, not only on
    /// reaching 0 (R18).
    #[schema(default = false)]
    pub consciousness_every_round: bool,
}

/// Which die makes a success a critical success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::CriticalSuccessBy)]
pub enum CriticalSuccessBy {
    /// A 12 on a standard die.
    #[default]
    StandardDie,
    /// A critical die that shows the success number or more.
    CriticalDie,
}

/// Something to announce.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[schema(as = coyote_and_crow::Event)]
pub enum Event {
    /// The creature must now make a check, by a call of its own.
    CheckDue {
        /// The `kind` of `POST /condition-check`.
        check: ConditionKind,
    },
    /// The creature fell unconscious.
    Unconscious,
    /// A pool is below 0 and the creature is dying.
    Dying {
        /// Which pool.
        pool: Pool,
    },
    /// A pool below 0 is stable: no more dying rolls for it.
    Stabilized {
        /// Which pool.
        pool: Pool,
    },
    /// A pool came down to its negative stat, where the creature would die. Whether it does is for
    /// its player and the Story Guide to say (R13).
    DeathThreshold {
        /// Which pool.
        pool: Pool,
    },
    /// The creature caught fire, or burns higher than before.
    Burning,
    /// The creature is stunned.
    Stunned,
    /// The creature is panicked.
    Panicked,
    /// A critical success with electrical damage: the Story Guide may let it kill at once.
    InstantDeathPossible,
    /// A critical failure with non-lethal damage: the Story Guide may make it lethal.
    MayBeLethal,
    /// Stat damage brought a stat down to 0: the creature may die.
    StatAtZero {
        /// Which stat.
        stat: Stat,
    },
    /// First aid worked: leave out this round's dying roll for body.
    NoLossThisRound,
    /// A condition is over.
    ConditionEnded {
        /// Which one.
        condition: Condition,
    },
    /// The creature regained consciousness.
    Woke,
}

/// The check asked for is for a condition that the creature does not have.
pub const NOTHING_TO_CHECK: RefusalKind = RefusalKind {
    id: "nothing-to-check",
    title: "There is nothing to check",
    meaning: "The check is against a condition that the creature does not have: it is not stunned, burning, bleeding or \
              panicked, or no pool of one who is awake stands at exactly 0. Look at the fields of `target` that say so.",
};

/// Both short rests of the day are taken.
pub const NO_SHORT_REST_LEFT: RefusalKind = RefusalKind {
    id: "no-short-rest-left",
    title: "No short rest is left today",
    meaning: "A character can take two short rests a day. A long rest starts the count anew; so does setting \
              `short_rests_today` to 0 on a new day.",
};

/// A lost stat point cannot be regained today.
pub const NO_STAT_HEALING: RefusalKind = RefusalKind {
    id: "no-stat-healing",
    title: "The stat cannot heal today",
    meaning: "A stat point is only regained in the long rest of a day without an encounter, and only if stat damage took \
              one from that stat (`stat_loss`).",
};

/// The dying and the bleeding are in an encounter, and nobody rests in one.
pub const IN_ENCOUNTER: RefusalKind = RefusalKind {
    id: "in-encounter",
    title: "The creature is in an encounter",
    meaning: "Who is dying or bleeding is in an encounter and cannot rest. Stabilize every pool below 0 and end the bleeding \
              first.",
};

const DAMAGE: &str = "Damage";
const REST: &str = "Resting & Healing";
const STATES: &str = "States";
const EFFECTS: &str = "Effects";
const TRANSCRIPTIONS: &str = "public transcriptions of the rulebook";

impl Ruleset for CoyoteAndCrow {
    const ID: &'static str = "coyote_and_crow";
    const TITLE: &'static str = "Coyote & Crow";
    const SOURCE: &'static str = "A summary of the rulebook's rules of damage, dying, rest, states and effects (rulebook from p. 317, PDF from p. 325); public transcriptions of the rulebook where it is silent.";
    const RULES: &'static [Rule] = &[
        Rule::new(
            "damage_check",
            DAMAGE,
            "An attack is a check against the defense: without a success nothing happens, else each success is a point of damage.",
        ),
        Rule::new("physical", DAMAGE, "Physical damage of every sub-type comes off body."),
        Rule::new(
            "fire",
            DAMAGE,
            "Who takes fire damage makes a reaction roll, SN 8, and burns unless it has as many successes as the fire's rank.",
        ),
        Rule::new(
            "cold",
            DAMAGE,
            "A critical hit with cold leaves cold damage; until it is healed, every critical hit costs a stat point as well.",
        ),
        Rule::new(
            "electrical",
            DAMAGE,
            "Who takes electrical damage makes a check, SN 8, or is stunned; a critical success may kill at once.",
        ),
        Rule::new(
            "falling",
            DAMAGE,
            "A fall deals a fifth of its height, less one for each success of an athletics reaction roll.",
        ),
        Rule::new("non_lethal", DAMAGE, "Non-lethal damage does not bring body below 0."),
        Rule::new("mental", "Mental Damage", "Mental damage comes off mind."),
        Rule::new("spiritual", "Spiritual Damage", "Spiritual damage comes off soul."),
        Rule::new(
            "fortitude",
            "Fortitude",
            "Some or all damage to body may be taken from soul instead, point for point.",
        ),
        Rule::new(
            "dying",
            "Dying",
            "A pool below 0 is dying: each round a reaction roll of will or endurance, SN 8, loses 2 on a critical failure and 1 on a failure, and stabilizes on a critical success. At the negative of endurance (body), wisdom (mind) or will (soul) the creature would die.",
        ),
        Rule::new("heal", REST, "Healing restores points of body, mind and soul; body never goes above its maximum."),
        Rule::new(
            "short_rest",
            "Short Rest",
            "Twice a day: checks of endurance, wisdom and will, SN 8, restore a point of body, mind and soul for each success.",
        ),
        Rule::new(
            "long_rest",
            "Long Rest",
            "As a short rest, and as many points more as endurance, wisdom and will; an excess above the maximum goes (W).",
        ),
        Rule::new(
            "stat_healing",
            "Healing Stat Damage",
            "On a day without an encounter one check of a long rest can be made to heal a stat instead: a critical success regains one point.",
        ),
        Rule::new(
            "panic",
            STATES,
            "A will check against the number that the Story Guide names: with as many successes as its rank there is no panic; a critical failure makes unconscious.",
        ),
        Rule::new(
            "unconsciousness",
            STATES,
            "At 0 in a pool a will check, SN 8, keeps one conscious; the unconscious defend with gear alone and wake with a point in each pool.",
        ),
        Rule::new(
            "stat_damage",
            "Stat Damage",
            "After all other damage a die on the table picks the stat that loses a point, and its maximum with it.",
        ),
        Rule::new(
            "environmental",
            EFFECTS,
            "An extreme environment calls for a survival check and does its damage if that fails.",
        ),
        Rule::new("poison", EFFECTS, "A poison does the damage that it lists."),
        Rule::new(
            "bleeding",
            EFFECTS,
            "At the start of a turn bleeding takes a point of body unless an endurance reaction roll succeeds: SN 7, and 1 more for each instance beyond the first. First aid ends it, at SN + 2 on oneself.",
        ),
        Rule::new(
            "stun",
            EFFECTS,
            "The defenses of the stunned are 0; three successes of an endurance or will check, SN 8, end it.",
        ),
        Rule::new(
            "burning",
            EFFECTS,
            "At the end of a turn burning deals its rank; a survival check with as many successes as the rank puts it out, and so does water.",
        ),
        Rule::new(
            "check",
            TRANSCRIPTIONS,
            "Each d12 at the success number (held to 2 to 12) or above is a success and each 1 takes one away; a 12 calls for a critical die, worth 1 below the success number and 2 from it on, and a 12 there for another.",
        ),
        Rule::new(
            "focus",
            TRANSCRIPTIONS,
            "Before it counts, a standard die may be raised by a point for each point of mind spent, but not a 1 and not above 12.",
        ),
        Rule::new(
            "defense",
            TRANSCRIPTIONS,
            "The number to attack: agility + endurance against physical, perception + wisdom against mental, charisma + will against spiritual damage, and gear.",
        ),
        Rule::new(
            "stabilize",
            TRANSCRIPTIONS,
            "First aid on a dying body: a success spares it this round's loss, a critical success stabilizes it, a critical failure costs it a point.",
        ),
    ];
    const READINGS: &'static [Reading] = &[
        Reading::new("R1", "What is a critical success?", "A total of 1 or more with a 12 on a standard die.")
            .or("critical_success_by"),
        Reading::new(
            "R2",
            "What is a check with a 12 whose total is 0 or less?",
            "The total decides: a failure, or a critical failure below 0.",
        ),
        Reading::new(
            "R4",
            "Which stat restores which pool in a rest?",
            "Endurance body, wisdom mind, will soul: the stats that set their death thresholds.",
        ),
        Reading::new(
            "R5",
            "The negative of which value is deadly to a dying pool?",
            "Of endurance for body, wisdom for mind and will for soul, as with damage.",
        ),
        Reading::new("R6", "What becomes of the fraction of a height divided by 5?", "It is dropped."),
        Reading::new(
            "R7",
            "What is the success number against several instances of bleeding?",
            "7 for the first and 1 more for each further one; the damage stays 1.",
        ),
        Reading::new(
            "R10",
            "What of a dying pool that is healed to exactly 0?",
            "It is not dying; the creature is still unconscious.",
        ),
        Reading::new("R12", "At what rate does fortitude turn body damage into soul damage?", "Point for point."),
        Reading::new(
            "R13",
            "Does a creature at a death threshold die?",
            "It is reported, never decided: the table sets `dead`.",
        ),
        Reading::new(
            "R17",
            "Does being stunned bring gear's part of a defense to 0 too?",
            "Yes; the success number is then held to 2 like any other.",
        )
        .or("stun_keeps_gear"),
        Reading::new("R18", "How often is the check to stay conscious made?", "Once, on reaching 0.")
            .or("consciousness_every_round"),
        Reading::new("R19", "Can a stat fall to 0?", "Yes; it is announced, and the creature may die."),
        Reading::new(
            "R20",
            "Does the critical hit that leaves cold damage itself cost a stat point?",
            "No, only those after it do.",
        ),
        Reading::new(
            "R21",
            "How long can a chain of critical dice become?",
            "10 dice; for one standard die to go on needs eleven 12s in a row: about once in 7·10¹¹ throws.",
        ),
        Reading::new(
            "R22",
            "How many successes does it take not to be stunned by electricity?",
            "3, as many as it takes to stop being stunned.",
        )
        .or("reaction_needed"),
        Reading::new(
            "R23",
            "Which of the three checks of a long rest does healing a stat replace?",
            "The one made for it; the other two are made as usual.",
        ),
        Reading::new(
            "R24",
            "Will or endurance, when the player has not said?",
            "The higher one; endurance if they are equal.",
        ),
        Reading::new("R25", "What is the success number of first aid against bleeding?", "8, and 2 more on oneself.")
            .or("success_number"),
        Reading::new("R26", "When is cold damage healed?", "When body is at its maximum after a heal or a rest."),
        Reading::new(
            "R27",
            "What of a second panic beside the one that a creature is in?",
            "A success against the one named avoids that one and leaves the other. A failure leaves the creature in the one of higher rank, with its success number; of equal ranks in the one it was in.",
        ),
        Reading::new(
            "R28",
            "What becomes of an excess above a maximum that stat damage lowers?",
            "It goes: the pool drops to the new maximum.",
        ),
        Reading::new(
            "R29",
            "Must an encounter come before each of the two short rests of a day?",
            "That is for the table to say; only the rests are counted.",
        ),
        Reading::new(
            "R30",
            "What is left of a rest that is interrupted?",
            "Nothing: it restores no points and is not counted.",
        ),
        Reading::new(
            "R31",
            "How is a stat held to one point a day?",
            "A long rest regains one point of one stat, however many 12s fall; that no second one comes on the same day is for the table to see to.",
        ),
    ];
    const REFUSALS: &'static [RefusalKind] = &[NOTHING_TO_CHECK, NO_SHORT_REST_LEFT, NO_STAT_HEALING, IN_ENCOUNTER];

    type Creature = Creature;
    type Options = Options;
    type Event = Event;

    fn tables() -> Vec<Table> {
        vec![tables::stat_damage_table()]
    }

    fn check(creature: &Creature, _: &Options, faults: &mut Faults) {
        creature.check(faults);
    }

    fn complete(_: &mut Creature, _: &Options) {}

    fn actions(catalog: &mut impl Catalog) {
        catalog.add::<damage::Damage>();
        catalog.add::<turn::TurnTick>();
        catalog.add::<dying::DyingTick>();
        catalog.add::<dying::Stabilize>();
        catalog.add::<conditions::ConditionCheck>();
        catalog.add::<healing::Heal>();
        catalog.add::<rest::Rest>();
        catalog.add::<check::Roll>();
    }
}
