//! Arknights The Roleplaying Game: a fan game on the "Nd6" system.
//!
//! Source: the game's chapter on health and damage. Where it is silent, the game's public wiki
//! decides (marked W), and where both are, a numbered reading does.
//!
//! Left out, and why: where sanctuary, fragility, barrier and shield come from, and what the downed may
//! not do, which belong to other chapters and to the table.

pub mod check;
pub mod creature;
pub mod damage;
pub mod dying;
pub mod healing;
pub mod shield;
pub mod turn;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Faults;
use crate::ruleset::{Catalog, Reading, Rule, Ruleset};
use creature::{Condition, Creature};

/// The ruleset `akrpg`.
pub struct Akrpg;

/// Readings that a table may answer otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = akrpg::Options)]
pub struct Options {
    /// Damage over time goes straight to HP and leaves barrier alone (R4).
    #[schema(default = false)]
    pub dot_ignores_barrier: bool,
    /// Healing of HP that leaves a downed creature above 0 ends downed (R7).
    #[schema(default = false)]
    pub healing_ends_downed: bool,
    /// Each point of wounded takes one health die away: from max HP, from the dying reserve and from
    /// what Stabilize restores (R8).
    #[schema(default = false)]
    pub wounded_reduces_hd: bool,
}

/// Something to announce.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[schema(as = akrpg::Event)]
pub enum Event {
    /// Elemental damage met no elemental injury and did nothing.
    NoElementalInjury,
    /// A shield die was rolled and is gone.
    ShieldSpent,
    /// A shield die showed 6 and went back to the reserve.
    ShieldKept,
    /// The last point of barrier is gone.
    BarrierBroken,
    /// The creature fell to 0 HP or lower and is down.
    Downed,
    /// The creature is dead.
    Died,
    /// The creature was stabilized: no longer down.
    Stabilized,
    /// The wounded condition went up by one.
    Wounded,
    /// The last Damage Over Time die is gone.
    DotEnded,
    /// A decaying condition reached 0.
    ConditionEnded {
        /// Which one.
        condition: Condition,
    },
}

const HEALTH: &str = "Health";
const BARRIER: &str = "Barrier";
const SHIELD: &str = "Shield";
const DAMAGE: &str = "Damage";
const DOT: &str = "Damage Over Time";
const DYING: &str = "Down and Dying";
const WIKI: &str = "the public wiki";

impl Ruleset for Akrpg {
    const ID: &'static str = "akrpg";
    const TITLE: &'static str = "Arknights The Roleplaying Game";
    const SOURCE: &'static str = "The fan game's chapter on health, barrier, shield, damage and dying; its public wiki where the chapter is silent.";
    const RULES: &'static [Rule] = &[
        Rule::new("health", HEALTH, "Damage that nothing absorbed comes off HP; max HP is 6 for each health die."),
        Rule::new("heal", HEALTH, "Healing restores HP up to the maximum and never touches barrier."),
        Rule::new("barrier", BARRIER, "Lost HP are taken from barrier first; what is left over comes off HP."),
        Rule::new("barrier_gain", BARRIER, "Only barrier dice restore barrier: 6 points each, added to what is there."),
        Rule::new(
            "shield",
            SHIELD,
            "One shield die is rolled against each instance of damage: a 6 takes 5 off and the die stays, any other face takes itself off and the die is spent.",
        ),
        Rule::new("shield_gain", SHIELD, "Shield dice gained join the reserve."),
        Rule::new(
            "damage_roll",
            DAMAGE,
            "Physical and arts damage are rolled: as many d6 as the damage, a test against DEF or RES, and each success is a point of damage that pierced.",
        ),
        Rule::new("armor_piercing", WIKI, "Armor piercing lowers a positive DEF for this damage, not below 1."),
        Rule::new(
            "true_damage",
            "True Damage",
            "True damage is not rolled and ignores DEF, RES, sanctuary and fragility.",
        ),
        Rule::new(
            "elemental_damage",
            "Elemental Damage",
            "Elemental damage is not rolled, ignores DEF and RES, and only hurts a creature under elemental injury.",
        ),
        Rule::new(
            "damage_modifiers",
            "True Damage and Elemental Damage; its arithmetic is R5",
            "Fragility adds to damage taken and sanctuary takes off, never below 0; no damage stays no damage.",
        ),
        Rule::new("dot_add", DOT, "A full DOT adds dice showing 6 to the tracker, a half DOT dice showing 3."),
        Rule::new(
            "dot_tick",
            DOT,
            "At the start of its turn a creature loses 1 HP for each die in its tracker; then every die goes down by one, and those that would go below 1 leave.",
        ),
        Rule::new(
            "decay",
            WIKI,
            "A decaying condition drops by one at the start of the creature's turn and ends at 0.",
        ),
        Rule::new(
            "downed",
            DYING,
            "At 0 HP or lower a creature is downed, with a dying reserve of as many dice as it has health dice.",
        ),
        Rule::new(
            "dying_tick",
            DYING,
            "A downed creature rolls one reserve die each turn: a 6 stays, 2 to 5 is lost, a 1 takes one more with it; without dice the creature dies.",
        ),
        Rule::new(
            "stabilize",
            "Down and Dying; its numbers from the public wiki",
            "A passed check ends downed: HP come to the health dice plus Perfects, and wounded goes up by one.",
        ),
        Rule::new("wounded", DYING, "Whoever loses downed gains one point of wounded."),
        Rule::new(
            "check",
            WIKI,
            "A check counts 4, 5 and 6 as successes and each 6 as a Perfect too; it passes with as many successes as the difficulty.",
        ),
        Rule::new(
            "test",
            WIKI,
            "In a test a die succeeds when it shows more than the difficulty; at 0 or less all succeed, at 6 or more none do, and none is rolled.",
        ),
    ];
    const READINGS: &'static [Reading] = &[
        Reading::new(
            "R1",
            "Is the shield rolled before or after the damage roll?",
            "After it, against the damage that pierced.",
        ),
        Reading::new("R2", "Does 0 damage spend a shield die?", "No: any amount of damage means at least 1."),
        Reading::new(
            "R3",
            "Does shield work against true damage?",
            "Yes: true damage ignores defences and conditions, and shield is neither.",
        ),
        Reading::new(
            "R4",
            "Does damage over time hit barrier first?",
            "Yes: it makes a creature lose HP, and that is what barrier answers to; though the book also says that it is applied directly to HP.",
        )
        .or("dot_ignores_barrier"),
        Reading::new(
            "R5",
            "How much do sanctuary and fragility change, and when?",
            "By their value, after the damage roll and before the shield; fragility never raises 0.",
        ),
        Reading::new("R6", "Do HP stop at 0?", "No, they go below."),
        Reading::new(
            "R7",
            "Does ordinary healing end downed?",
            "No: only Stabilize does, or `end_downed` for other means.",
        )
        .or("healing_ends_downed"),
        Reading::new("R8", "Is the current number of health dice less than the sheet's?", "No: `hd` as sent.")
            .or("wounded_reduces_hd"),
        Reading::new(
            "R11",
            "Does one downed by damage over time at the start of its turn roll for dying in that same turn?",
            "The table says so by calling the dying tick or not: it is a call of its own.",
        ),
        Reading::new(
            "R12",
            "What does damage do to one who is already downed?",
            "It lowers HP further and leaves the dying reserve alone.",
        ),
        Reading::new("R15", "Does new barrier stack with old or replace it?", "It stacks."),
    ];

    type Creature = Creature;
    type Options = Options;
    type Event = Event;

    fn check(creature: &Creature, options: &Options, faults: &mut Faults) {
        creature.check(options, faults);
    }

    fn complete(creature: &mut Creature, options: &Options) {
        creature.life = Some(creature.life(options));
    }

    fn actions(catalog: &mut impl Catalog) {
        catalog.add::<damage::Damage>();
        catalog.add::<shield::ShieldRoll>();
        catalog.add::<turn::TurnTick>();
        catalog.add::<dying::DyingTick>();
        catalog.add::<dying::Stabilize>();
        catalog.add::<healing::Heal>();
        catalog.add::<check::Roll>();
    }
}
