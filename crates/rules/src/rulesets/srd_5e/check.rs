//! The D20 Test: a d20 and modifiers against a number. Ability checks, saving throws and attack rolls.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Array, ArrayBuilder, ObjectBuilder, Type};

use super::creature::Creature;
use super::{Event, ExhaustionRule, Options, Srd5e};
use crate::check::{Check, Faults, LIST, RATING, given};
use crate::dice::{Ask, By, Keep, Stop, Worth};
use crate::dice_text::DiceText;
use crate::ruleset::{Action, Done, Example, Outcome};
use crate::tray::{Line, Tray};

/// The sides of the die that every test is rolled with.
const SIDES: u32 = 20;

/// `exhaustion`: what each level takes off a D20 Test.
const A_LEVEL_OF_EXHAUSTION: i32 = 2;

/// Declares a request, or a part of one, that has the fields of a D20 Test after its own. A macro,
/// because a struct inside the request would have its fields one level too deep.
macro_rules! d20_test_fields {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        pub struct $name {
            $($own)*
            /// What is added to the roll (above 0) or taken off (below 0): ability modifier, proficiency
            /// bonus, magic. Exhaustion of `target` is not among it: the service knows it.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            #[schema(schema_with = $crate::rulesets::srd_5e::check::modifiers_schema)]
            pub modifiers: Vec<i32>,
            /// Two d20 are thrown and the higher counts. With `disadvantage` as well, one is thrown.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            #[schema(default = false)]
            pub advantage: bool,
            /// Two d20 are thrown and the lower counts. With `advantage` as well, one is thrown.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            #[schema(default = false)]
            pub disadvantage: bool,
            /// Dice that are added to the roll, such as a d4 of Bless.
            #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            pub bonus_roll: Option<DiceText>,
            /// Dice that are taken off the roll, such as a d4 of Bane.
            #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            pub penalty_roll: Option<DiceText>,
        }

        impl $name {
            /// What changes the test.
            pub fn circumstances(&self) -> $crate::rulesets::srd_5e::check::Circumstances<'_> {
                $crate::rulesets::srd_5e::check::Circumstances {
                    modifiers: &self.modifiers,
                    advantage: self.advantage,
                    disadvantage: self.disadvantage,
                    bonus_roll: self.bonus_roll.as_ref(),
                    penalty_roll: self.penalty_roll.as_ref(),
                }
            }
        }
    };
}
pub(super) use d20_test_fields;

/// The modifiers of a test, for the document.
pub fn modifiers_schema() -> Array {
    let modifier = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(-RATING)).maximum(Some(RATING));
    ArrayBuilder::new()
        .items(modifier)
        .max_items(Some(LIST))
        .default(Some(Vec::<i32>::new().into()))
        .description(Some(
            "What is added to the roll (above 0) or taken off (below 0): ability modifier, proficiency bonus, magic. \
             Exhaustion of `target` is not among it: the service knows it.",
        ))
        .build()
}

/// What a request says of a test.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances<'r> {
    /// What is added or taken off.
    pub modifiers: &'r [i32],
    /// The higher of two d20 counts.
    pub advantage: bool,
    /// The lower of two d20 counts.
    pub disadvantage: bool,
    /// Dice that are added.
    pub bonus_roll: Option<&'r DiceText>,
    /// Dice that are taken off.
    pub penalty_roll: Option<&'r DiceText>,
}

impl Circumstances<'_> {
    /// Adds the faults of these fields.
    pub fn check(&self, faults: &mut Faults) {
        faults.length("/modifiers", self.modifiers, 0..=LIST);
        for (index, &modifier) in self.modifiers.iter().enumerate().take(LIST) {
            faults.bounds(&format!("/modifiers/{index}"), modifier, -RATING..=RATING);
        }
    }

    /// Each of these fields that is there is a fault.
    pub fn stray(&self, detail: &str, faults: &mut Faults) {
        let fields = [
            ("/modifiers", !self.modifiers.is_empty()),
            ("/advantage", self.advantage),
            ("/disadvantage", self.disadvantage),
            ("/bonus_roll", self.bonus_roll.is_some()),
            ("/penalty_roll", self.penalty_roll.is_some()),
        ];
        for (field, _) in fields.into_iter().filter(|(_, there)| *there) {
            faults.add(field, detail);
        }
    }

    /// The most dice that the test may call for.
    pub fn dice(&self) -> i64 {
        let rolls = [self.bonus_roll, self.penalty_roll];
        2 + rolls.into_iter().flatten().map(|roll| i64::from(roll.count())).sum::<i64>()
    }
}

/// The kinds of D20 Tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::CheckKind)]
pub enum CheckKind {
    /// An ability check.
    #[default]
    Ability,
    /// A saving throw.
    Save,
    /// An attack roll. `dc` is the Armor Class.
    Attack,
}

/// One of the six abilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::Ability)]
pub enum Ability {
    /// Strength. While paralyzed, petrified, stunned or unconscious, a creature fails these saves.
    Strength,
    /// Dexterity. While paralyzed, petrified, stunned or unconscious, a creature fails these saves.
    Dexterity,
    /// Constitution.
    Constitution,
    /// Intelligence.
    Intelligence,
    /// Wisdom.
    Wisdom,
    /// Charisma.
    Charisma,
}

/// `automatic_failure`: whether this creature fails a save with this ability, without a die.
pub fn automatic_failure(ability: Option<Ability>, creature: &Creature, tray: &mut Tray<'_, Event>) -> bool {
    let fails = matches!(ability, Some(Ability::Strength | Ability::Dexterity)) && creature.fails_saves();
    if fails {
        let mut dice = 1;
        tray.step("dice", &mut dice, 0, "automatic_failure");
    }
    fails
}

/// How a test came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::Test)]
pub struct Test {
    /// What the total had to reach.
    pub dc: i32,
    /// Whether it did.
    pub passed: bool,
}

/// A D20 Test before the die is thrown.
#[derive(Clone, Copy, Debug)]
pub struct D20Test<'r> {
    /// The rule that calls for it.
    pub why: &'static str,
    /// What kind of test it is.
    pub kind: CheckKind,
    /// The creature whose own test it is. A helper's test has none.
    pub roller: Option<&'r Creature>,
    /// A bonus that the service knows, such as that on Constitution saves.
    pub bonus: i32,
    /// Whose throw it is, where an action has throws of several parties.
    pub by: Option<By>,
    /// What the request says of it.
    pub circumstances: Circumstances<'r>,
}

impl D20Test<'_> {
    /// `d20_test`: whether the total reaches `dc`. That is all the rule sees of the dice.
    pub fn against(&self, dc: i32, options: &Options, tray: &mut Tray<'_, Event>) -> Result<Test, Stop> {
        let passes = |_, total| Worth::points(i32::from(total >= dc));
        Ok(Test { dc, passed: self.throw(options, tray, passes)?.points > 0 })
    }

    /// `d20_test`: throws the d20, or both, then `bonus_roll` and `penalty_roll`. `grade` makes of the die
    /// that counts and of the total as much as the rule wants to know.
    pub fn throw(
        &self,
        options: &Options,
        tray: &mut Tray<'_, Event>,
        grade: impl Fn(i32, i32) -> Worth,
    ) -> Result<Worth, Stop> {
        let Circumstances { modifiers, advantage, mut disadvantage, bonus_roll, penalty_roll } = self.circumstances;
        let mut modifier = 0;
        for &added in [self.bonus].iter().filter(|bonus| **bonus != 0).chain(modifiers) {
            let modified = modifier + added;
            tray.step("modifier", &mut modifier, modified, "d20_test");
        }
        disadvantage |= self.exhaustion(options, &mut modifier, tray);
        let (count, keep) = match (advantage, disadvantage) {
            (true, false) => (2, Some(Keep::Highest)),
            (false, true) => (2, Some(Keep::Lowest)),
            (true, true) | (false, false) => (1, None),
        };
        let ask = Ask { by: self.by, keep, ..Ask::new(self.why, count, SIDES) };
        let shown = |face, _| Worth::points(i32::try_from(face).unwrap_or(i32::MAX));
        if bonus_roll.is_none() && penalty_roll.is_none() {
            return tray.total(ask, shown, |die| grade(die.points, die.points + modifier));
        }
        let natural = tray.shown(ask)?;
        let mut total = natural + modifier;
        if let Some(roll) = bonus_roll {
            let more = total + roll.throw("bonus", "bonus_roll", self.by, tray)?;
            tray.step("total", &mut total, more, "bonus_roll");
        }
        if let Some(roll) = penalty_roll {
            let less = total - roll.throw("penalty", "penalty_roll", self.by, tray)?;
            tray.step("total", &mut total, less, "penalty_roll");
        }
        Ok(grade(natural, total))
    }

    /// `exhaustion` (R31): 2 off the creature's own tests for each level. By the rule of 5.1 it is
    /// disadvantage instead: on ability checks from level 1, on attack rolls and saves from level 3. Answers
    /// whether it is.
    fn exhaustion(&self, options: &Options, modifier: &mut i32, tray: &mut Tray<'_, Event>) -> bool {
        let level = self.roller.map_or(0, |roller| roller.exhaustion);
        match options.exhaustion {
            ExhaustionRule::Penalty if level > 0 => {
                let lowered = *modifier - A_LEVEL_OF_EXHAUSTION * level;
                tray.step("modifier", modifier, lowered, "exhaustion");
                false
            }
            ExhaustionRule::Penalty => false,
            ExhaustionRule::Levels => level >= if self.kind == CheckKind::Ability { 1 } else { 3 },
        }
    }
}

/// The rules whose tests a summary tells from the log.
const TESTS: [&str; 6] = ["saving_throw", "undead_fortitude", "concentration", "death_save", "stabilize", "first_aid"];

/// A test as the log tells it.
#[derive(Clone, Debug)]
pub struct Told {
    /// The rule that called for it, or `automatic_failure`.
    pub rule: &'static str,
    natural: i32,
    total: i32,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { rule: "automatic_failure", .. } => f.write_str("no roll"),
            Self { natural, total, .. } if natural == total => write!(f, "rolled {natural}"),
            Self { natural, total, .. } => write!(f, "rolled {natural}, {total} in all"),
        }
    }
}

/// The tests that a log tells of, in order.
pub fn told(log: &[Line]) -> Vec<Told> {
    let (mut tests, mut modifier): (Vec<Told>, i32) = (Vec::new(), 0);
    for line in log {
        match line {
            Line::Step { what: "modifier", to, .. } => modifier = *to,
            Line::Step { what: "total", to, .. } => {
                if let Some(test) = tests.last_mut() {
                    test.total = *to;
                }
            }
            Line::Step { rule: rule @ "automatic_failure", .. } => {
                tests.push(Told { rule, natural: 0, total: 0 });
            }
            Line::Roll { why, keep, faces, .. } if TESTS.contains(why) => {
                let counts = match keep {
                    Some(Keep::Highest) => faces.iter().max(),
                    Some(Keep::Lowest) | None => faces.iter().min(),
                };
                let natural = counts.and_then(|face| i32::try_from(*face).ok()).unwrap_or(0);
                tests.push(Told { rule: why, natural, total: natural + modifier });
                modifier = 0;
            }
            _ => {}
        }
    }
    tests
}

/// The one test that a log tells of, in words.
pub fn rolled(log: &[Line]) -> String {
    told(log).first().map_or_else(|| "no roll".to_owned(), Told::to_string)
}

d20_test_fields! {
    /// Rolls an ability check, a saving throw or an attack roll by itself. With `target`, it is that
    /// creature's own: its exhaustion counts, and its conditions may make a save fail.
    #[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    #[schema(as = srd_5e::Roll)]
    pub struct Roll {
        /// What is rolled.
        #[serde(default)]
        #[schema(default = "ability")]
        pub kind: CheckKind,
        /// What the total must reach, an attack's Armor Class among it. Absent: nobody says whether it
        /// passed.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        #[schema(minimum = -1000, maximum = 1000, nullable = false)]
        pub dc: Option<i32>,
        /// For `save`: the ability. Refused otherwise.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub ability: Option<Ability>,
        /// For `attack`: the lowest die that makes a hit critical. Refused otherwise.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 2, maximum = 20, nullable = false, default = 20)]
        pub critical_on: Option<i32>,
    }
}

impl Check for Roll {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/dc", self.dc, -RATING..=RATING);
        faults.bounds_if("/critical_on", self.critical_on, 2..=20);
        if self.kind != CheckKind::Save {
            faults.stray("/ability", self.ability.as_ref(), "belongs to kind save");
        }
        if self.kind != CheckKind::Attack {
            faults.stray("/critical_on", self.critical_on.as_ref(), "belongs to kind attack");
        }
        self.circumstances().check(faults);
    }
}

/// What was rolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::RollOutcome)]
pub struct RollOutcome {
    /// The die that counts. `null` for a save that failed without a die.
    pub natural: Option<i32>,
    /// The die and everything added to it or taken off. `null` for a save that failed without a die.
    pub total: Option<i32>,
    /// Whether it passed, or hit. `null` without `dc`, but for a save that failed without a die.
    pub passed: Option<bool>,
    /// For `attack`: whether the die makes it a critical hit, or a miss whatever the total. Without `dc`,
    /// what it would make of a hit.
    pub critical: Option<Critical>,
}

/// What the die alone may make of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::Critical)]
pub enum Critical {
    /// A critical hit.
    Hit,
    /// A miss: the die shows 1.
    Miss,
}

impl Outcome for RollOutcome {}

impl Roll {
    /// What the total of an ability check or a save comes to.
    fn outcome(&self, natural: i32, total: i32, options: &Options) -> RollOutcome {
        let reached = self.dc.map(|dc| total >= dc);
        let (passed, critical) = match self.kind {
            CheckKind::Ability | CheckKind::Save => (reached, None),
            CheckKind::Attack => self.attack_roll(natural, reached, options),
        };
        RollOutcome { natural: Some(natural), total: Some(total), passed, critical }
    }

    /// `attack_roll`: a 20 hits and a 1 misses, whatever the total. A die from `critical_on` up is critical
    /// if it hits, and by an option hits by itself (R38).
    fn attack_roll(&self, natural: i32, reached: Option<bool>, options: &Options) -> (Option<bool>, Option<Critical>) {
        let in_range = natural >= self.critical_on.unwrap_or(20);
        let hits_anyway = natural == 20 || (in_range && options.critical_range_hits);
        match natural {
            1 => (reached.map(|_| false), Some(Critical::Miss)),
            _ => {
                let hit = reached.map(|reached| reached || hits_anyway);
                (hit, (in_range && hit != Some(false)).then_some(Critical::Hit))
            }
        }
    }
}

impl Action for Roll {
    type Rules = Srd5e;
    type Target = Option<Creature>;
    type Outcome = RollOutcome;
    const NAME: &'static str = "check";
    const TITLE: &'static str = "Roll an ability check, a saving throw or an attack roll";
    const ON_THE_DEAD: bool = true;

    fn apply(
        &self,
        creature: &mut Option<Creature>,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<RollOutcome, Stop> {
        if creature.as_ref().is_some_and(|creature| automatic_failure(self.ability, creature, tray)) {
            return Ok(RollOutcome { natural: None, total: None, passed: Some(false), critical: None });
        }
        let why = if self.kind == CheckKind::Attack { "attack_roll" } else { "d20_test" };
        let circumstances = self.circumstances();
        let roller = creature.as_ref();
        let test = D20Test { why, kind: self.kind, roller, bonus: 0, by: None, circumstances };
        let thrown = test.throw(options, tray, |natural, total| Worth {
            points: total,
            marks: natural.unsigned_abs(),
            again: false,
        })?;
        // The die shows at most 20.
        Ok(self.outcome(i32::try_from(thrown.marks).unwrap_or(i32::MAX), thrown.points, options))
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let RollOutcome { natural, total, passed, critical } = done.outcome;
        let (what, number, pass, fail) = match self.kind {
            CheckKind::Ability => ("Ability check", "DC", "passed", "failed"),
            CheckKind::Save => ("Saving throw", "DC", "passed", "failed"),
            CheckKind::Attack => ("Attack roll", "AC", "hit", "miss"),
        };
        let (Some(natural), Some(total)) = (natural, total) else {
            return format!("{what}: failed without a roll.");
        };
        let against = self.dc.map(|dc| format!(" against {number} {dc}")).unwrap_or_default();
        let result = match (critical, passed) {
            (Some(Critical::Hit), Some(_)) => ": critical hit",
            (Some(Critical::Hit), None) => ": a critical hit, if it hits",
            (Some(Critical::Miss), _) => ": miss",
            (None, Some(true)) => &format!(": {pass}"),
            (None, Some(false)) => &format!(": {fail}"),
            (None, None) => "",
        };
        format!("{what}: rolled {natural}, {total} in all{against}{result}.")
    }

    fn example() -> Example<Self> {
        let action = Self {
            kind: CheckKind::Attack,
            dc: Some(16),
            ability: None,
            critical_on: None,
            modifiers: vec![5],
            advantage: true,
            disadvantage: false,
            bonus_roll: None,
            penalty_roll: None,
        };
        Example { action, target: None, dice: vec![9, 14] }
    }
}
