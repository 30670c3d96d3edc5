//! Unofficial Elder Scrolls RPG, third edition: a fan game on percentile dice.
//!
//! Source: the game's chapter on damage, wounds and death. The pages that it refers to and does not
//! hold, and the terms that it does not explain, come from the game's public third edition text, a
//! later revision (marked W); where both are silent, a numbered reading decides.
//!
//! Left out, and why: fatigue, which the chapter names and never explains; initiative, of which only
//! the change by wounds is told, and the turn that first aid takes, since whose turn it is the table
//! keeps; the death test's moment, which comes when the table calls the dying tick.

pub mod attack;
pub mod check;
pub mod conditions;
pub mod creature;
pub mod damage;
pub mod dying;
pub mod first_aid;
pub mod healing;
pub mod locations;
pub mod rest;
pub mod traits;
pub mod turn;
pub mod wound;
pub mod wounds;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::{Check, Faults};
use crate::ruleset::{Catalog, Reading, RefusalKind, Rule, Ruleset, Table};
use conditions::Condition;
use creature::Creature;
use locations::{Location, Part};

/// The ruleset `uesrpg`.
pub struct Uesrpg;

/// Readings that a table may answer otherwise, and the optional rules of the book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = uesrpg::Options)]
pub struct Options {
    /// When an attack makes a wound (R25).
    #[schema(default = "threshold")]
    pub wound_rule: WoundRule,
    /// When action points refresh (R26).
    #[schema(default = "turn")]
    pub action_point_refresh: ActionPointRefresh,
    /// Every active wound takes its own 20 off tests and 2 off initiative (R5).
    #[schema(default = false)]
    pub wound_penalty_stacks: bool,
    /// Weakness adds to damage that armour or toughness had stopped (R8).
    #[schema(default = false)]
    pub weakness_always_adds: bool,
    /// Magic AR lowers shadow damage (R19).
    #[schema(default = false)]
    pub magic_armor_stops_shadow: bool,
    /// Treatment needs a healer's kit or other supplies (R28).
    #[schema(default = false)]
    pub treatment_needs_kit: bool,
    /// Treatment does what first aid does as well: it ends the passive effects of the wound and its
    /// clock (R28).
    #[schema(default = false)]
    pub treatment_ends_effects: bool,
}

/// The two rules for when an attack makes a wound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::WoundRule)]
pub enum WoundRule {
    /// When its damage is in excess of the wound threshold.
    #[default]
    Threshold,
    /// The optional rule: when damage of a critical success gets through, or HP fall to 0.
    Alternate,
}

/// The two moments at which action points refresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::ActionPointRefresh)]
pub enum ActionPointRefresh {
    /// The optional rule: at the start of the creature's own turn.
    #[default]
    Turn,
    /// At the start of each round.
    Round,
}

/// Something to announce.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[schema(as = uesrpg::Event)]
pub enum Event {
    /// The attack made a wound.
    Wounded {
        /// Where.
        location: Location,
        /// Of how much damage.
        damage: i32,
    },
    /// A location was crippled.
    Crippled {
        /// Which one.
        location: Location,
    },
    /// A limb, an ear or an eye was lost for good.
    Lost {
        /// Which one.
        location: Part,
    },
    /// An ear or an eye is lost, and the table decides which.
    HeadLossDue,
    /// The creature was stunned.
    Stunned,
    /// The creature caught fire, or burns more.
    Burning,
    /// The creature was dazed.
    Dazed,
    /// The creature fell unconscious at 0 HP.
    Unconscious,
    /// The clock of a wound ran out: HP fell to 0 by blood loss.
    BledOut,
    /// The creature is dead.
    Died,
    /// The creature was stabilized: it stops testing.
    Stabilized,
    /// The creature has HP again and is conscious.
    Woke,
    /// A wound was cured.
    WoundCured,
    /// Magical healing no longer delays a wound: its passive effects and its clock are back.
    DelayEnded {
        /// Where the wound is.
        location: Location,
    },
    /// A condition, or an effect of a wound, is over.
    ConditionEnded {
        /// Which one.
        condition: Condition,
    },
}

/// The action needs a healer's kit or supplies.
pub const NO_SUPPLIES: RefusalKind = RefusalKind {
    id: "no-supplies",
    title: "There are no supplies",
    meaning: "The action needs a healer's kit; for first aid, staunching and treatment, other supplies do as well. If the \
              helper has them, send `kit` as true.",
};

/// The creature has no action point for the action.
pub const NO_ACTION_POINTS: RefusalKind = RefusalKind {
    id: "no-action-points",
    title: "There is no action point left",
    meaning: "The creature must spend an action point on this and has none, or is unconscious and can spend none. Look \
              at `target.action_points`, which `turn-tick` refreshes, and at `target.life`.",
};

/// The creature does not have the wound or condition that the action is for.
pub const NOTHING_TO_CHECK: RefusalKind = RefusalKind {
    id: "nothing-to-check",
    title: "There is nothing to check",
    meaning: "The creature does not have the wound or condition that the action is for, or somebody helped with it \
              already. Look at `target.wounds` and `target.conditions`.",
};

/// The creature cannot rest in its state.
pub const IN_ENCOUNTER: RefusalKind = RefusalKind {
    id: "in-encounter",
    title: "The creature cannot rest now",
    meaning: "A creature cannot rest while it is unconscious, burning, or bleeding more than the rest heals. Bring it \
              above 0 HP, put out the flames and staunch the bleeding first.",
};

const DAMAGE: &str = "Damage & Hit Locations";
const MAGIC: &str = "Magic Damage Types";
const SPECIFIC: &str = "Resolving Magic Damage vs Specific Damage";
const DEATH: &str = "Death";
const WOUNDS: &str = "Wounds";
const SHOCK: &str = "Shock Effects";
const PASSIVE: &str = "Passive Effects";
const REFRESHING: &str = "Optional Rule Note: Turn-based AP Refreshing";
const ALTERNATE: &str = "Optional Rule: Alternate Wounds";
const HEALING: &str = "Healing";
const CONDITIONS: &str = "Conditions";
const PUBLIC: &str = "the public third edition text (W)";

impl Ruleset for Uesrpg {
    const ID: &'static str = "uesrpg";
    const TITLE: &'static str = "Unofficial Elder Scrolls RPG, third edition";
    const SOURCE: &'static str = "The game's chapter on damage, wounds and death. Where the chapter only names a thing, its public third edition text, a later revision: each clause from there has a mark of its own, (W).";
    const RULES: &'static [Rule] = &[
        Rule::new(
            "test",
            PUBLIC,
            "A test is a d100 and passes with a roll no higher than the target number (W). Lucky and unlucky numbers pass and fail whatever it is (W). Degrees of success: a tenth of the roll, at least 1, and a tenth of the part of the target number above 100 (W). Degrees of failure: 1 and a tenth of the difference between roll and target number (W). The bonus of a characteristic is a tenth of its score (W). Everything is rounded down.",
        ),
        Rule::new(
            "hit_location",
            DAMAGE,
            "An attack strikes where the ones digit of its roll points, or a d10 with 10 as 0, unless the location was chosen. A blow at a lost limb hits the body (W).",
        ),
        Rule::new("damage_roll", DAMAGE, "Damage dice are thrown and added up, never below 0."),
        Rule::new("penetration", PUBLIC, "Penetration comes off the location's physical AR, not below 0 (W)."),
        Rule::new(
            "armor",
            MAGIC,
            "Damage is reduced by the armour of the location: physical damage by physical AR, a sub-type of magic damage by its own AR and magic AR together, plain magic by magic AR, shadow by nothing (R19, W).",
        ),
        Rule::new(
            "immunity",
            PUBLIC,
            "No damage of a type that the creature is immune to gets through, whatever its other traits (W). Immunity to magic is for every type but physical (W).",
        ),
        Rule::new("natural_toughness", PUBLIC, "Natural Toughness comes off every type of damage, after armour (W)."),
        Rule::new(
            "resistance_weakness",
            SPECIFIC,
            "Resistance comes off damage of its type and Weakness adds to it, after armour (W). The more specific type takes precedence: a trait for the very type makes every trait for magic, which is for every type but physical (W), irrelevant. The same trait for the same type twice counts once, at its highest (W), and a value of 0 is no trait.",
        ),
        Rule::new("health", DAMAGE, "What is left of all parts of the attack comes off HP, which stop at 0."),
        Rule::new(
            "unconscious",
            DEATH,
            "At 0 HP a creature falls unconscious. Damage taken then makes its next test fail and ends being stable; HP above 0 wake it.",
        ),
        Rule::new(
            "dying_tick",
            DEATH,
            "An unconscious creature at 0 HP makes an Endurance test on its turn. A failed test that brings its failures above its luck bonus kills it; a passed test never does (R29).",
        ),
        Rule::new(
            "stabilize",
            DEATH,
            "A Survival or Profession (Medicine) test with a healer's kit, or an effect that says so, stabilizes: the tests stop.",
        ),
        Rule::new(
            "wound",
            WOUNDS,
            "An attack whose damage, all parts together, is in excess of the wound threshold makes a wound of that damage at its location. The threshold is the strength, endurance and willpower bonus and Tough together (W), one lower while bleeding (W) and one lower with a crippled body (W).",
        ),
        Rule::new("shock_test", SHOCK, "A creature that takes a wound makes an Endurance test, the shock test."),
        Rule::new(
            "shock_effects",
            SHOCK,
            "Body: an action point is lost, or one of the next refresh; shock test failed: crippled body. Limb: crippled; failed: lost. Head: stunned for a round, with no action points at once (W); failed: an ear or an eye is lost. A crippled body lowers the maximum of stamina by one (W). Undead never get a crippled body (W), and a creature with Thick Skull is never stunned (W).",
        ),
        Rule::new(
            "side_effect",
            SHOCK,
            "A wound by magic damage adds, by the type of its largest magic part (W): fire, an Agility test or Burning (1); frost, an Endurance test or dazed; poison, a stamina point lost; shock or magic, magicka lost. A creature that burns already burns by 1 more (W). A point of Resistance makes the test 10 easier (W), a point of Weakness 10 harder (W). Undead feel no poison (W). Undead and creatures with Thick Skull are never dazed (W).",
        ),
        Rule::new(
            "passive_effects",
            PASSIVE,
            "Until first aid or cure (W) a wound takes 20 off all tests and 2 off later initiative rolls, but not while magical healing delays it. Undead feel none of it (W).",
        ),
        Rule::new(
            "blood_loss",
            PASSIVE,
            "A wound leaves five rounds before blood loss brings HP to 0. They are counted at the end of the creature's own turn (R9), but not at the end of the turn in which it was wounded itself (R27). Undead lose no blood (W).",
        ),
        Rule::new(
            "first_aid",
            PASSIVE,
            "A helper with a healer's kit or other supplies can spend a turn on a wound: a success at Survival or Profession (Medicine) ends its passive effects and stops its clock.",
        ),
        Rule::new(
            "suspend",
            PASSIVE,
            "Magical healing delays passive effects and blood loss, a round for each HP that it restores (W). The wounds of undead have nothing to delay (W).",
        ),
        Rule::new(
            "action_points",
            REFRESHING,
            "At the start of the creature's own turn, or of each round, action points come back to three (W), minus those that a wound to the body took in advance.",
        ),
        Rule::new(
            "alternate_wound",
            ALTERNATE,
            "No threshold: an attack makes a wound when damage of a critical success gets through or when it brings HP to 0. Tough then makes shock tests 10 easier a point (W), Bleeding makes them 10 harder (W), and with a crippled body wounds take 10 more off tests (W).",
        ),
        Rule::new("heal", HEALING, "Healing restores HP up to the maximum (W)."),
        Rule::new(
            "treat",
            HEALING,
            "A test of about an hour treats a wound: HP regained from then on count towards its cure (W). Only first aid ends its passive effects and its clock (R28, W).",
        ),
        Rule::new(
            "cure",
            HEALING,
            "A treated wound is gone when as many HP as its damage were regained (W). What it crippled works again unless another wound is there (R23); what is lost stays lost (W).",
        ),
        Rule::new(
            "rest",
            HEALING,
            "A long rest restores the endurance bonus in HP, twice that under full care, half of it (rounded up) with a crippled body, nothing with an untreated wound; as much stamina as the endurance bonus, and all magicka (W). A short rest restores one stamina and a tenth of the maximum of magicka (W). Being stunned ends (W). A creature that is unconscious, burning, or bleeding more than the rest heals cannot rest (W).",
        ),
        Rule::new(
            "bleeding",
            CONDITIONS,
            "Bleeding (X): at the end of its turn the creature loses X HP, whatever armour or resistance it has, and X drops by one; healing of any kind lowers X by its HP (W).",
        ),
        Rule::new(
            "staunch",
            CONDITIONS,
            "A helper's test with supplies lowers Bleeding by its degrees of success (W).",
        ),
        Rule::new(
            "burning",
            CONDITIONS,
            "Burning (X): at the end of its turn the creature takes X fire damage to the body, and X grows by one (W).",
        ),
        Rule::new(
            "extinguish",
            CONDITIONS,
            "For an action point a Strength or Agility test, 20 easier and 10 harder for each point of Burning above 1, ends Burning (W). An unconscious creature makes none (R24).",
        ),
        Rule::new(
            "dazed",
            CONDITIONS,
            "A dazed creature regains one action point fewer, but not fewer than one (W). No rule that the book prints ends it (R31).",
        ),
        Rule::new(
            "stunned",
            CONDITIONS,
            "A stunned creature has no action points and gets none, for as many rounds as it says (W). A round is over at the end of its own turn, but not of the turn in which it was stunned itself (R27, W).",
        ),
        Rule::new(
            "regeneration",
            PUBLIC,
            "Regeneration (X): at the start of each round an Endurance test; a success restores X HP (W). It is not magical healing (W).",
        ),
    ];
    const READINGS: &'static [Reading] = &[
        Reading::new("R1", "Does damage equal to the wound threshold wound?", "No: it must be in excess of it."),
        Reading::new(
            "R3",
            "Does a blow that brings HP to 0 wound as well?",
            "Yes, both: it wounds by its whole damage, and the creature falls unconscious.",
        ),
        Reading::new("R5", "Do several wounds take 20 off tests once or each?", "Once.").or("wound_penalty_stacks"),
        Reading::new("R6", "Do HP go below 0?", "No, they stop there."),
        Reading::new(
            "R8",
            "Does Weakness add to damage that armour stopped altogether?",
            "No: damage that does not get through has nothing to add to.",
        )
        .or("weakness_always_adds"),
        Reading::new(
            "R9",
            "When does one of a wound's five rounds pass?",
            "At the end of the wounded creature's own turn.",
        ),
        Reading::new(
            "R13",
            "What is the luck bonus of those who have no luck score?",
            "0: the first failed dying test kills.",
        ),
        Reading::new("R14", "What becomes of the failures of one who wakes?", "They are forgotten."),
        Reading::new(
            "R16",
            "Does the very blow that brings HP to 0 make the first dying test fail?",
            "No, only damage taken after it.",
        ),
        Reading::new(
            "R17",
            "Does a new wound take 20 off the shock test and the side test that it calls for?",
            "No, but off every later one; its passive effects begin when the shock test and all that the wound calls for are resolved.",
        ),
        Reading::new("R18", "Is a stable creature still stable after damage?", "No: it tests again."),
        Reading::new(
            "R19",
            "Does magic AR lower shadow damage? Shadow's own row of the table shows a dash, but its row \"(Any) – Magic AR\" and the sentence beside it have generic magic AR reduce every sub-type.",
            "No, nothing does (W): the dash is taken for no armour at all.",
        )
        .or("magic_armor_stops_shadow"),
        Reading::new(
            "R20",
            "What is the damage inflicted, as much magicka as which is lost?",
            "That of the shock or magic part, after armour and traits, and of no other part.",
        ),
        Reading::new(
            "R21",
            "For how long does magical healing delay the effects of a wound?",
            "A round for each HP that it really restored; more of it adds up (W).",
        ),
        Reading::new(
            "R22",
            "Later revisions let Strength or Agility resist fire, and frost and magic cost stamina: which table?",
            "The chapter's own: Agility against fire, Endurance against frost, magicka for shock and magic.",
        ),
        Reading::new(
            "R23",
            "When does a crippled body or limb work again, if more than one wound is there?",
            "When the last wound there is cured. The sheet does not tell which wound crippled what, so another one at the same location keeps it crippled.",
        ),
        Reading::new(
            "R24",
            "Can one who is unconscious put out the flames?",
            "No: it acts for itself and spends an action point, and the unconscious do neither.",
        ),
        Reading::new(
            "R25",
            "Which of the two rules says when an attack wounds?",
            "The standard one: damage in excess of the wound threshold. The other is printed as optional.",
        )
        .or("wound_rule"),
        Reading::new(
            "R26",
            "When do action points refresh, with each round or with each own turn?",
            "At the start of the creature's own turn, as the optional wording has it that is printed beside the wounds.",
        )
        .or("action_point_refresh"),
        Reading::new(
            "R27",
            "Does a condition with a duration count down at the end of the very turn in which the creature gained it (a counter-attack stuns it)?",
            "No: it then ends at the end of the creature's own turn two rounds on (W). What it gained in another creature's turn counts down at the end of its next own turn. A wound's clock and the delay by magical healing count alike.",
        )
        .or("gained_this_turn"),
        Reading::new(
            "R28",
            "What does treatment need, and what does it end?",
            "A test of about an hour and no kit. It starts the cure; passive effects and clock end by first aid alone (W). The option `treatment_needs_kit` asks for a kit; `treatment_ends_effects` lets it end both.",
        )
        .or("treatment_ends_effects"),
        Reading::new(
            "R29",
            "What if a sheet has more failures than the luck bonus already?",
            "That is a fault of the sheet: the creature would be dead. Only a failed test kills, never a passed one.",
        ),
        Reading::new(
            "R30",
            "What does damage do to the dead?",
            "Their HP stay as they are, with no wound and no effects. Armour and traits are still told.",
        ),
        Reading::new("R31", "When does Dazed end?", "By no rule that the book prints: the table ends it, by sending `dazed` as false."),
        Reading::new(
            "R32",
            "Is a creature maimed by a wound that is still there at full HP, or untreated for as many days as the endurance bonus (W)?",
            "That is left to the table: nothing is done to the sheet.",
        ),
        Reading::new(
            "R33",
            "Does Regeneration work on a creature that is unconscious at 0 HP?",
            "Yes: a passed test brings it above 0 HP and wakes it, like any healing. It makes no test when there is nothing to heal.",
        ),
    ];
    const REFUSALS: &'static [RefusalKind] = &[NO_SUPPLIES, NO_ACTION_POINTS, NOTHING_TO_CHECK, IN_ENCOUNTER];

    type Creature = Creature;
    type Options = Options;
    type Event = Event;

    fn tables() -> Vec<Table> {
        let digits = |location: Location| {
            let digits = (0..=9).filter(|&digit| Location::of_digit(digit) == location);
            digits.map(|digit| digit.to_string()).collect::<Vec<_>>().join(", ")
        };
        vec![
            Table {
                id: "hit_locations",
                heading: DAMAGE,
                columns: vec!["Ones digit", "Location"],
                rows: Location::ALL.map(|location| vec![digits(location), location.name().to_owned()]).to_vec(),
            },
            Table {
                id: "magic_armor",
                heading: MAGIC,
                columns: vec!["Damage", "Armour that reduces it"],
                rows: MAGIC_ARMOR.map(|row| row.map(str::to_owned).to_vec()).to_vec(),
            },
        ]
    }

    fn check(creature: &Creature, _: &Options, faults: &mut Faults) {
        creature.check(faults);
    }

    fn complete(creature: &mut Creature, _: &Options) {
        creature.stamina_points = Some(creature.stamina());
        creature.life = Some(creature.life());
    }

    fn actions(catalog: &mut impl Catalog) {
        catalog.add::<damage::Damage>();
        catalog.add::<turn::TurnTick>();
        catalog.add::<dying::DyingTick>();
        catalog.add::<dying::Stabilize>();
        catalog.add::<first_aid::ConditionCheck>();
        catalog.add::<healing::Heal>();
        catalog.add::<rest::Rest>();
        catalog.add::<check::Roll>();
    }
}

/// The table of magic damage types.
const MAGIC_ARMOR: [[&str; 2]; 6] = [
    ["magic", "magic AR"],
    ["fire", "fire AR and magic AR"],
    ["frost", "frost AR and magic AR"],
    ["shock", "shock AR and magic AR"],
    ["poison", "poison AR and magic AR"],
    ["shadow", "none (R19, W)"],
];
