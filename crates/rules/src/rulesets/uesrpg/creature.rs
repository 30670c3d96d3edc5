//! A creature's state: hit points, characteristics, armour, traits, wounds and conditions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Array, ArrayBuilder, ObjectBuilder, Type};

use super::conditions::Conditions;
use super::locations::{Armor, Location};
use super::traits::{Trait, TraitName, has, value};
use super::wound::Wound;
use super::{Event, Options, WoundRule};
use crate::check::{Check, Faults, LIST, POINTS, RATING, given};
use crate::ruleset;
use crate::tray::Tray;

/// The action points of a refresh (W).
pub const ACTION_POINTS: i32 = 3;

/// `passive_effects`: what active wounds add to all tests.
const WOUND_PENALTY: i32 = -20;

/// `alternate_wound`: what active wounds add to all tests beside that, with a crippled body (W).
const CRIPPLED_BODY_PENALTY: i32 = -10;

/// `passive_effects`: what active wounds add to later initiative rolls.
const INITIATIVE_PENALTY: i32 = -2;

/// The highest characteristic score.
const SCORE: i32 = 200;

/// The highest bonus of a characteristic.
const BONUS: i32 = SCORE / 10;

/// A creature as the game's sheet has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Creature)]
pub struct Creature {
    /// Current hit points: from 0 to the maximum.
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub hp: i32,
    /// The maximum of hit points. Absent: half the endurance score, rounded up (W).
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub max_hp: Option<i32>,
    /// Strength score. A tenth of a score, rounded down, is its bonus (W).
    #[schema(minimum = 0, maximum = 200)]
    pub strength: i32,
    /// Endurance score: the target number of shock and dying tests.
    #[schema(minimum = 0, maximum = 200)]
    pub endurance: i32,
    /// Agility score: the target number of the test against catching fire.
    #[schema(minimum = 0, maximum = 200)]
    pub agility: i32,
    /// Willpower score.
    #[schema(minimum = 0, maximum = 200)]
    pub willpower: i32,
    /// Luck score. Its bonus is how many dying tests may fail. Absent (as on most sheets of creatures
    /// that no player plays): a bonus of 0 (R13).
    #[serde(default)]
    #[schema(minimum = 0, maximum = 200)]
    pub luck: Option<i32>,
    /// Rolls that are critical successes on the creature's own tests, whatever the target number (W).
    #[serde(default)]
    #[schema(schema_with = lucky_numbers_schema)]
    pub lucky_numbers: Vec<i32>,
    /// Rolls that are critical failures on the creature's own tests, whatever the target number (W).
    #[serde(default)]
    #[schema(schema_with = unlucky_numbers_schema)]
    pub unlucky_numbers: Vec<i32>,
    /// Wound threshold: damage in excess of it wounds. Absent: strength, endurance and willpower bonus
    /// and Tough together (W). Bleeding and a crippled body take 1 off each (W), whether sent or not.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000)]
    pub wound_threshold: Option<i32>,
    /// Armour ratings, by location and by what they are good against.
    #[serde(default)]
    #[schema(default = json!({}))]
    pub armor: Armor,
    /// The traits that damage asks about.
    #[serde(default)]
    #[schema(max_items = 100, default = json!([]))]
    pub traits: Vec<Trait>,
    /// Action points left. Absent: 3, as many as a refresh brings (W).
    #[serde(default = "refreshed")]
    #[schema(minimum = 0, maximum = 1_000_000, default = 3)]
    pub action_points: i32,
    /// Action points that the next refresh will not bring.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000, default = 0)]
    pub action_point_debt: i32,
    /// Stamina points left. Absent: the maximum.
    #[serde(default, deserialize_with = "given")]
    #[schema(minimum = 0, maximum = 1_000_000, nullable = false)]
    pub stamina_points: Option<i32>,
    /// The maximum of stamina points. Absent: the endurance bonus (W). A crippled body takes 1 off (W),
    /// whether sent or not.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub max_stamina_points: Option<i32>,
    /// Magicka points left.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000, default = 0)]
    pub magicka_points: i32,
    /// The maximum of magicka points. Absent: the creature has no magicka. A rest needs it where
    /// `magicka_points` are above 0.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub max_magicka_points: Option<i32>,
    /// The wounds, oldest first.
    #[serde(default)]
    #[schema(max_items = 100, default = json!([]))]
    pub wounds: Vec<Wound>,
    /// The conditions.
    #[serde(default)]
    #[schema(default = json!({}))]
    pub conditions: Conditions,
    /// Up, unconscious or dead. Absent: what HP say, up above 0 and else unconscious without failures.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub life: Option<Life>,
}

fn refreshed() -> i32 {
    ACTION_POINTS
}

fn lucky_numbers_schema() -> Array {
    let description = "Rolls that are critical successes on the creature's own tests, whatever the target number (W). \
                       None is among the unlucky numbers.";
    ArrayBuilder::from(numbers_schema(description, 1, 100)).unique_items(true).build()
}

fn unlucky_numbers_schema() -> Array {
    let description = "Rolls that are critical failures on the creature's own tests, whatever the target number (W). \
                       None is among the lucky numbers.";
    ArrayBuilder::from(numbers_schema(description, 1, 100)).unique_items(true).build()
}

/// A list of whole numbers within bounds, for the document.
pub fn numbers_schema(description: &str, low: i32, high: i32) -> Array {
    let number = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(low)).maximum(Some(high));
    ArrayBuilder::new()
        .items(number)
        .max_items(Some(LIST))
        .default(Some(Vec::<i32>::new().into()))
        .description(Some(description))
        .build()
}

/// Whether a creature is up, unconscious or dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::Life)]
pub enum Life {
    /// On its feet.
    Up,
    /// Unconscious at 0 HP.
    Unconscious(Unconscious),
    /// Dead.
    Dead,
}

/// The state of an unconscious creature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Unconscious)]
pub struct Unconscious {
    /// Dying tests failed since falling unconscious: no more than the luck bonus (R29).
    #[serde(default)]
    #[schema(minimum = 0, maximum = 20, default = 0)]
    pub failures: i32,
    /// Damage was taken since the last dying test: the next one fails.
    #[serde(default)]
    #[schema(default = false)]
    pub next_test_fails: bool,
    /// Stabilized: no more dying tests, until damage comes (R18).
    #[serde(default)]
    #[schema(default = false)]
    pub stable: bool,
}

/// The bonus of a characteristic score.
pub fn bonus(score: i32) -> i32 {
    score / 10
}

/// A number that moved, in words, such as "magicka 14 → 2"; nothing if it did not.
pub fn moved(what: &str, before: i32, after: i32) -> Option<String> {
    (before != after).then(|| format!("{what} {before} → {after}"))
}

impl ruleset::Creature for Creature {
    fn is_dead(&self) -> bool {
        self.life == Some(Life::Dead)
    }
}

impl Creature {
    /// The maximum of hit points.
    pub fn max_hp(&self) -> i32 {
        self.max_hp.unwrap_or((self.endurance + 1) / 2)
    }

    /// The luck bonus; 0 without luck (R13).
    pub fn luck_bonus(&self) -> i32 {
        bonus(self.luck.unwrap_or(0))
    }

    /// The value of the trait Tough (W).
    pub fn tough(&self) -> i32 {
        value(&self.traits, TraitName::Tough, None)
    }

    /// The maximum of stamina points as it stands now.
    pub fn max_stamina(&self) -> i32 {
        let sheet = self.max_stamina_points.unwrap_or(bonus(self.endurance));
        (sheet - i32::from(self.is_crippled(Location::Body))).max(0)
    }

    /// Stamina points left: what the sheet says, and where it says nothing, the maximum.
    pub fn stamina(&self) -> i32 {
        self.stamina_points.unwrap_or(self.max_stamina())
    }

    /// What `life` says, and where it says nothing, HP.
    pub fn life(&self) -> Life {
        match self.life {
            Some(life) => life,
            None if self.hp > 0 => Life::Up,
            None => Life::Unconscious(Unconscious::default()),
        }
    }

    /// The state of being unconscious, if it is.
    pub fn unconscious(&self) -> Option<Unconscious> {
        match self.life {
            Some(Life::Unconscious(state)) => Some(state),
            Some(Life::Up | Life::Dead) | None => None,
        }
    }

    /// Whether the creature is undead (W).
    pub fn is_undead(&self) -> bool {
        has(&self.traits, TraitName::Undead)
    }

    /// Whether the creature is never stunned and never dazed (W).
    pub fn has_thick_skull(&self) -> bool {
        has(&self.traits, TraitName::ThickSkull)
    }

    /// Whether a location is crippled.
    pub fn is_crippled(&self, location: Location) -> bool {
        self.conditions.crippled.contains(&location)
    }

    /// Where a blow at this location lands: a blow at a lost limb hits the body (W).
    pub fn struck_at(&self, aimed: Location) -> Location {
        match aimed.limb() {
            Some(limb) if self.conditions.lost.contains(&limb) => Location::Body,
            Some(_) | None => aimed,
        }
    }

    /// Takes damage off HP, which stop at 0 (R6). If the creature is unconscious already, the next dying
    /// test fails and the creature is no longer stable (R18). The dead lose nothing (R30). Returns the
    /// HP lost.
    pub fn lose(&mut self, damage: i32, tray: &mut Tray<'_, Event>, rule: &'static str) -> i32 {
        if ruleset::Creature::is_dead(self) {
            return 0;
        }
        let before = self.hp;
        tray.change("/hp", &mut self.hp, (before - damage).max(0), rule);
        if let Some(state) = self.unconscious().filter(|_| damage > 0) {
            let struck = Unconscious { next_test_fails: true, stable: false, ..state };
            tray.change("/life", &mut self.life, Some(Life::Unconscious(struck)), "unconscious");
        }
        before - self.hp
    }

    /// `unconscious`: a creature that is up falls unconscious at 0 HP. The blow that did it does not
    /// spoil the first dying test (R16).
    pub fn fall(&mut self, tray: &mut Tray<'_, Event>) {
        if self.hp == 0 && self.life == Some(Life::Up) {
            tray.change("/life", &mut self.life, Some(Life::Unconscious(Unconscious::default())), "unconscious");
            tray.event(Event::Unconscious);
        }
    }
}

/// What active wounds add to the creature's own tests, rule by rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestModifier {
    /// `passive_effects`: 20 off.
    pub passive_effects: i32,
    /// `alternate_wound`: with a crippled body 10 more off (W).
    pub crippled_body: i32,
}

impl TestModifier {
    /// All of it together.
    pub fn sum(self) -> i32 {
        self.passive_effects + self.crippled_body
    }
}

impl Creature {
    /// How many wounds weigh on the creature: those whose passive effects count. All of them together
    /// count once (R5), unless the table stacks them. An undead creature has no passive effects (W).
    fn weighing_wounds(&self, options: &Options) -> i32 {
        if self.is_undead() {
            return 0;
        }
        let active = self.wounds.iter().filter(|wound| wound.is_active()).count();
        // At most 100 wounds.
        let active = i32::try_from(active).unwrap_or(i32::MAX);
        if options.wound_penalty_stacks { active } else { active.min(1) }
    }

    /// What active wounds add to the creature's own tests.
    pub fn test_modifier(&self, options: &Options) -> TestModifier {
        let wounds = self.weighing_wounds(options);
        let crippled = options.wound_rule == WoundRule::Alternate && self.is_crippled(Location::Body);
        TestModifier {
            passive_effects: wounds * WOUND_PENALTY,
            crippled_body: if crippled { wounds * CRIPPLED_BODY_PENALTY } else { 0 },
        }
    }

    /// `passive_effects`: what active wounds add to later initiative rolls.
    pub fn initiative_modifier(&self, options: &Options) -> i32 {
        self.weighing_wounds(options) * INITIATIVE_PENALTY
    }
}

/// What damage did to an unconscious creature, in words: whether the next dying test fails by it, and
/// whether the creature was stable before (R18).
pub fn spoiled(before: &Creature, after: &Creature) -> Option<&'static str> {
    let (was, is) = (before.unconscious(), after.unconscious()?);
    if !is.next_test_fails || was == Some(is) {
        None
    } else if was.is_some_and(|was| was.stable) {
        Some("No longer stable: the next dying test fails.")
    } else {
        Some("The next dying test fails.")
    }
}

impl Check for Creature {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/hp", self.hp, 0..=POINTS);
        faults.bounds_if("/max_hp", self.max_hp, 0..=POINTS);
        faults.bounds("/strength", self.strength, 0..=SCORE);
        faults.bounds("/endurance", self.endurance, 0..=SCORE);
        faults.bounds("/agility", self.agility, 0..=SCORE);
        faults.bounds("/willpower", self.willpower, 0..=SCORE);
        faults.bounds_if("/luck", self.luck, 0..=SCORE);
        for (field, numbers) in [("/lucky_numbers", &self.lucky_numbers), ("/unlucky_numbers", &self.unlucky_numbers)] {
            faults.length(field, numbers, 0..=LIST);
            faults.distinct(field, numbers);
            for (index, &number) in numbers.iter().enumerate() {
                faults.bounds(&format!("{field}/{index}"), number, 1..=100);
            }
        }
        for (index, number) in self.unlucky_numbers.iter().enumerate() {
            if self.lucky_numbers.contains(number) {
                faults.add(&format!("/unlucky_numbers/{index}"), "is one of the lucky numbers as well");
            }
        }
        faults.bounds_if("/wound_threshold", self.wound_threshold, 0..=RATING);
        faults.within("/armor", |faults| self.armor.check(faults));
        faults.length("/traits", &self.traits, 0..=LIST);
        faults.each("/traits", &self.traits);
        faults.bounds("/action_points", self.action_points, 0..=POINTS);
        faults.bounds("/action_point_debt", self.action_point_debt, 0..=POINTS);
        faults.bounds_if("/stamina_points", self.stamina_points, 0..=POINTS);
        faults.bounds_if("/max_stamina_points", self.max_stamina_points, 0..=POINTS);
        faults.bounds("/magicka_points", self.magicka_points, 0..=POINTS);
        faults.bounds_if("/max_magicka_points", self.max_magicka_points, 0..=POINTS);
        faults.length("/wounds", &self.wounds, 0..=LIST);
        faults.each("/wounds", &self.wounds);
        faults.within("/conditions", |faults| self.conditions.check(faults));
        match self.life {
            Some(Life::Up) if self.hp == 0 => faults.add("/life", "cannot be \"up\" at 0 HP"),
            Some(Life::Unconscious(state)) => {
                faults.bounds("/life/unconscious/failures", state.failures, 0..=BONUS);
                // With more it would be dead. A luck out of bounds is fault enough.
                let known = self.luck.is_none_or(|luck| (0..=SCORE).contains(&luck));
                if known && (self.luck_bonus() + 1..=BONUS).contains(&state.failures) {
                    let detail = format!(
                        "must be at most the luck bonus of {}, but is {}: with more the creature is dead",
                        self.luck_bonus(),
                        state.failures
                    );
                    faults.add("/life/unconscious/failures", detail);
                }
                if self.hp > 0 {
                    faults.add("/life", "cannot be unconscious above 0 HP");
                }
            }
            Some(Life::Up | Life::Dead) | None => {}
        }
        let max_hp_known = self.max_hp.unwrap_or(0) >= 0 && (0..=SCORE).contains(&self.endurance);
        if max_hp_known && (0..=POINTS).contains(&self.hp) && self.hp > self.max_hp() {
            faults.add("/hp", format!("must be at most the max HP of {}, but is {}", self.max_hp(), self.hp));
        }
    }
}

impl Creature {
    /// A creature for the examples: scores of a seasoned guard, unhurt, nothing special.
    pub fn example() -> Self {
        Self {
            hp: 19,
            max_hp: None,
            strength: 41,
            endurance: 38,
            agility: 35,
            willpower: 29,
            luck: Some(30),
            lucky_numbers: Vec::new(),
            unlucky_numbers: Vec::new(),
            wound_threshold: None,
            armor: Armor::default(),
            traits: Vec::new(),
            action_points: ACTION_POINTS,
            action_point_debt: 0,
            stamina_points: Some(3),
            max_stamina_points: None,
            magicka_points: 0,
            max_magicka_points: None,
            wounds: Vec::new(),
            conditions: Conditions::default(),
            life: Some(Life::Up),
        }
    }
}
