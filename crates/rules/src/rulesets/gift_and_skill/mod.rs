//! The Gift + Skill rulebook: two d6 a check, health out of 100.
//!
//! Source: its chapter "Damage & Health", which names the book nowhere. What the chapter leaves open
//! a numbered reading decides. All its numbers stand in [`numbers`].
//!
//! Left out, and why: what actions cost and what free movement is, of which only the penalties are told;
//! which Gift goes with Medicine, which the game master decides by the ratings sent.

pub mod check;
pub mod creature;
pub mod damage;
pub mod dying;
pub mod healing;
pub mod numbers;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Faults;
use crate::ruleset::{Catalog, Reading, RefusalKind, Rule, Ruleset, Table};
use creature::Creature;
use numbers::Band;

/// The ruleset `gift_and_skill`.
pub struct GiftAndSkill;

/// Readings that a table may answer otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = gift_and_skill::Options)]
pub struct Options {
    /// A blow that meets a creature above 0 health stops at 0; whatever comes later runs on (R6).
    #[schema(default = false)]
    pub clamp_at_zero: bool,
}

/// Something to announce.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[schema(as = gift_and_skill::Event)]
pub enum Event {
    /// The degree of success was 0 or less.
    Miss,
    /// The creature is in another band than before.
    Band {
        /// Which one.
        band: Band,
    },
    /// The creature is unconscious and bleeding.
    Dying,
    /// The creature is dead.
    Died,
    /// The creature was stabilized: unconscious, but no longer bleeding.
    Stabilized,
    /// A Medicine die showed a 6: the patient takes damage.
    Fumble,
    /// The creature is above 0 health again, and awake.
    Woke,
}

/// Without a dot of Medicine nobody may try to stabilize.
pub const NEEDS_MEDICINE: RefusalKind = RefusalKind {
    id: "needs-medicine",
    title: "The healer has no Medicine",
    meaning: "Only somebody with at least one dot of the Medicine skill can try to stabilize a dying creature. Send the \
              healer's dots in `healer.skill`.",
};

const HEALTH: &str = "Damage & Health";
const PIPELINE: &str = "The Damage Pipeline";
const TILLY: &str = "Example: Tilly’s Dagger";
const BANDS: &str = "Health and Condition Bands";
const DYING: &str = "Dying";
const MEDICINE: &str = "Medicine — Stabilization";

impl Ruleset for GiftAndSkill {
    const ID: &'static str = "gift_and_skill";
    const TITLE: &'static str = "The Gift + Skill d6 rulebook";
    const SOURCE: &'static str = "The chapter \"Damage & Health\" of a rulebook that its text does not name; it calls many of its numbers playtesting values.";
    const RULES: &'static [Rule] = &[
        Rule::new("heal", HEALTH, "Health is counted in points out of 100; healing gives them back up to that."),
        Rule::new(
            "degree_of_success",
            PIPELINE,
            "Step 1: the attacker's successes less the defender's are the degree of success.",
        ),
        Rule::new(
            "weapon_factor",
            PIPELINE,
            "Step 2: the degree times the weapon's damage factor is the potential damage.",
        ),
        Rule::new(
            "physical_toughness",
            PIPELINE,
            "Step 3: each dot of Physical Toughness takes 5 off the damage, not below 0.",
        ),
        Rule::new(
            "absorption",
            PIPELINE,
            "Step 4: the points of armor and shield together come off the damage, not below 0.",
        ),
        Rule::new(
            "armor_piercing",
            PIPELINE,
            "Armor Piercing lowers what armor and shield absorb together, and leaves Toughness alone.",
        ),
        Rule::new("health", PIPELINE, "Step 5: the damage that is left comes off health."),
        Rule::new(
            "gift_die",
            TILLY,
            "One d6 for the Gift: rating less face plus 1 successes, never below 0, and a 6 always -1.",
        ),
        Rule::new("skill_die", TILLY, "One d6 for the Skill, counted in the same way; the two dice of a check add up."),
        Rule::new("flip", TILLY, "A negative total counts as 0 and becomes a bonus of its size for the other side."),
        Rule::new(
            "bands",
            BANDS,
            "Lower health means a worse band; the penalties of all bands entered add up, off 3 action points.",
        ),
        Rule::new("dying", DYING, "At 0 health a creature falls unconscious, can no longer act and is dying."),
        Rule::new("dying_tick", DYING, "A dying creature loses 5 health a round."),
        Rule::new("death", DYING, "At -100 health a creature is dead."),
        Rule::new(
            "stabilize",
            MEDICINE,
            "A Medicine check with the successes that the patient's health calls for sets health to 0 and ends the bleeding.",
        ),
        Rule::new("fumble", MEDICINE, "A 6 on any die of the Medicine check does 25 damage to the patient."),
    ];
    const READINGS: &'static [Reading] = &[
        Reading::new(
            "R1",
            "Can a die be worth less than nothing when the face is far above the rating?",
            "No: it counts 0, as the bandit's 5 on two dots of Body does. Only a 6 is negative.",
        ),
        Reading::new("R2", "What is a 6 worth on a rating of 6 or more?", "-1: a 6 always is."),
        Reading::new("R3", "What does a degree of success of 0 or less do?", "It is a miss; nothing else happens."),
        Reading::new(
            "R4",
            "What if both totals are negative?",
            "Both flip: each becomes 0 and a bonus for the other side.",
        ),
        Reading::new(
            "R5",
            "What becomes of Armor Piercing beyond armor and shield?",
            "It is lost; it neither adds damage nor touches Toughness.",
        ),
        Reading::new("R6", "Does one blow stop at 0 health?", "No, it runs on below 0, to death if it must.")
            .or("clamp_at_zero"),
        Reading::new("R7", "What does Medicine need at exactly 0 health?", "One success."),
        Reading::new("R8", "What does damage do to a stable creature?", "Any above 0 sets it dying again."),
        Reading::new("R10", "What is a 6 together with enough successes?", "A fumble."),
        Reading::new(
            "R12",
            "Is a creature at -100 health dead, or the hardest patient in the table?",
            "Dead; the last patient to save is at -99.",
        ),
        Reading::new(
            "R16",
            "Do two 6s fumble twice, and does armor help against a fumble?",
            "No: 25 damage once, straight to health.",
        ),
        Reading::new(
            "R19",
            "What does healing do for the dying and the stable?",
            "Above 0 health they wake, and are no longer dying. At 0 or lower nothing but health changes.",
        ),
    ];
    const REFUSALS: &'static [RefusalKind] = &[NEEDS_MEDICINE];

    type Creature = Creature;
    type Options = Options;
    type Event = Event;

    fn tables() -> Vec<Table> {
        numbers::tables()
    }

    fn check(creature: &Creature, _: &Options, faults: &mut Faults) {
        creature.check(faults);
    }

    fn complete(creature: &mut Creature, _: &Options) {
        creature.life = Some(creature.life());
    }

    fn actions(catalog: &mut impl Catalog) {
        catalog.add::<damage::Damage>();
        catalog.add::<dying::DyingTick>();
        catalog.add::<dying::Stabilize>();
        catalog.add::<healing::Heal>();
        catalog.add::<check::Roll>();
    }
}
