//! Damage: each hit from its dice to what it leaves, in the order of the book.

use std::iter::Peekable;
use std::vec::IntoIter;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{Ability, CheckKind, D20Test, Told, automatic_failure, d20_test_fields, told};
use super::conditions::{concentration_dc, concentration_save, exhaust, lose_concentration};
use super::creature::{Condition, Creature, DEADLY_EXHAUSTION};
use super::damage_types::{DamageType, Defense};
use super::defenses::{Instance, Meeting, Share, sum};
use super::hit_points::{Blow, Lost};
use super::{Event, Options, Srd5e};
use crate::check::{Check, DICE, Faults, LIST, RATING, given};
use crate::dice::{By, Stop};
use crate::dice_text::DiceText;
use crate::ruleset::{Action, Creature as _, Done, Example, Outcome, Parts};
use crate::tray::Tray;

/// One or more hits, each through the whole chain on the state that the one before left.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = srd_5e::Damage)]
pub struct Damage {
    /// The hits, in order. One attack, one spell's area, one fall is one hit; blows that come one by one
    /// are several (R28).
    #[schema(min_items = 1, max_items = 100)]
    pub hits: Vec<Hit>,
    /// The service makes the saves against losing concentration, as this says. Absent: the event
    /// `concentration_save_due` tells the DC.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub concentration_save: Option<ConcentrationSave>,
}

d20_test_fields! {
    /// The creature's Constitution save against losing concentration. The service adds `con_save`.
    #[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    #[schema(as = srd_5e::ConcentrationSave)]
    pub struct ConcentrationSave {}
}

/// One hit.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = srd_5e::Hit)]
pub struct Hit {
    /// The damage, an entry for each type and each dice text. Empty only with `exhaustion`.
    #[serde(default)]
    #[schema(max_items = 100, default = json!([]))]
    pub components: Vec<Component>,
    /// How an attack roll hit, a spell attack's among them. Absent: no attack roll was made (a save, a
    /// hazard).
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub attack: Option<AttackKind>,
    /// The attacker is within 5 feet. Absent: yes for a melee attack, no for a ranged one. Belongs to
    /// attacks.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub within_5_feet: Option<bool>,
    /// The attack was a critical hit: dice of `roll` are thrown twice. Belongs to attacks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(default = false)]
    pub critical: bool,
    /// The attacker would rather knock out than kill. Belongs to melee attacks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(default = false)]
    pub knock_out: bool,
    /// The saving throw that the creature makes against the hit. The service rolls it.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub save: Option<Save>,
    /// Whether the creature saved, where the table rolled. Refused beside `save`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub saved: Option<bool>,
    /// What is dealt on a successful save. Belongs to hits with a save.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, default = "half")]
    pub on_save: Option<OnSave>,
    /// What is dealt on a failed save. `half` together with `on_save: "none"` is Evasion. Belongs to hits
    /// with a save.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, default = "full")]
    pub on_failure: Option<OnFailure>,
    /// Something apart from save and resistance halves what this hit does to this creature, such as
    /// Uncanny Dodge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(default = false)]
    pub halved: bool,
    /// Levels of exhaustion gained with the hit, unless a save succeeds.
    #[serde(default, skip_serializing_if = "no_levels")]
    #[schema(minimum = 0, maximum = 6, default = 0)]
    pub exhaustion: i32,
}

fn no_levels(levels: &i32) -> bool {
    *levels == 0
}

/// The kinds of attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::AttackKind)]
pub enum AttackKind {
    /// A melee attack.
    Melee,
    /// A ranged attack.
    Ranged,
}

/// What a successful save leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::OnSave)]
pub enum OnSave {
    /// Half the damage, rounded down.
    #[default]
    Half,
    /// No damage.
    None,
}

/// What a failed save leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::OnFailure)]
pub enum OnFailure {
    /// All of the damage.
    #[default]
    Full,
    /// Half the damage, rounded down.
    Half,
}

d20_test_fields! {
    /// A saving throw against a hit. All of the creature's bonus is in `modifiers`.
    #[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    #[schema(as = srd_5e::Save)]
    pub struct Save {
        /// What the total must reach.
        #[schema(minimum = -1000, maximum = 1000)]
        pub dc: i32,
        /// The ability. Some conditions make Strength and Dexterity saves fail.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub ability: Option<Ability>,
    }
}

/// Damage of one type.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = srd_5e::Component)]
pub struct Component {
    /// The damage type.
    #[serde(rename = "type")]
    pub kind: DamageType,
    /// How much damage. It stands as it is on a critical hit too (R16). Required unless `roll` is there.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub amount: Option<i32>,
    /// Dice to throw for the damage. Required unless `amount` is there, refused beside it.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub roll: Option<DiceText>,
    /// The damage is magical. Only resistances and immunities to nonmagical attacks ask (R8).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(default = false)]
    pub magical: bool,
    /// The hit point maximum is lowered by the damage taken (R40).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(default = false)]
    pub lowers_max_hp: bool,
}

impl Check for ConcentrationSave {
    fn check(&self, faults: &mut Faults) {
        self.circumstances().check(faults);
    }
}

impl Check for Save {
    fn check(&self, faults: &mut Faults) {
        faults.bounds("/dc", self.dc, -RATING..=RATING);
        self.circumstances().check(faults);
    }
}

impl Check for Component {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/amount", self.amount, 0..=RATING);
        match &self.roll {
            Some(_) => faults.stray("/amount", self.amount.as_ref(), "does not go with `roll`"),
            None => faults.missing("/amount", self.amount.as_ref(), "is required unless `roll` is there"),
        }
    }
}

impl Check for Hit {
    fn check(&self, faults: &mut Faults) {
        faults.length("/components", &self.components, 0..=LIST);
        faults.each("/components", &self.components);
        faults.bounds("/exhaustion", self.exhaustion, 0..=DEADLY_EXHAUSTION);
        if self.components.is_empty() && self.exhaustion == 0 {
            faults.add("/components", "must have an entry, unless the hit has `exhaustion`");
        }
        if self.attack.is_none() {
            faults.stray("/within_5_feet", self.within_5_feet.as_ref(), "belongs to hits with `attack`");
            if self.critical {
                faults.add("/critical", "belongs to hits with `attack`");
            }
        }
        if self.knock_out && self.attack != Some(AttackKind::Melee) {
            faults.add("/knock_out", "belongs to melee attacks");
        }
        if let Some(save) = &self.save {
            faults.within("/save", |faults| save.check(faults));
            faults.stray("/saved", self.saved.as_ref(), "does not go with `save`");
        } else if self.saved.is_none() {
            faults.stray("/on_save", self.on_save.as_ref(), "goes with `save` or `saved`");
            faults.stray("/on_failure", self.on_failure.as_ref(), "goes with `save` or `saved`");
        }
    }
}

impl Hit {
    /// The most dice that the hit's own fields may call for: an attack's damage dice count twice, as it may
    /// be critical.
    fn dice(&self) -> i64 {
        let damage = self.components.iter().filter_map(|part| part.roll.as_ref());
        let damage: i64 = damage.map(|roll| i64::from(roll.count())).sum();
        let save = self.save.as_ref().map_or(0, |save| save.circumstances().dice());
        if self.attack.is_some() { 2 * damage + save } else { damage + save }
    }
}

impl Check for Damage {
    fn check(&self, faults: &mut Faults) {
        faults.length("/hits", &self.hits, 1..=LIST);
        faults.each("/hits", &self.hits);
        let saves = self.concentration_save.as_ref().map_or(0, |save| save.circumstances().dice());
        let dice: i64 = self.hits.iter().map(|hit| hit.dice() + saves).sum();
        if dice > DICE {
            let detail = format!("may call for {dice} dice together, but at most {DICE} may be thrown at once");
            faults.add("/hits", detail);
        }
        if let Some(save) = &self.concentration_save {
            faults.within("/concentration_save", |faults| save.check(faults));
        }
    }
}

/// What all hits did together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::DamageOutcome)]
pub struct DamageOutcome {
    /// What each hit did, in order. Left out of odds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<HitOutcome>,
    /// The damage taken, temporary HP's share in it.
    pub damage: i32,
    /// Temporary hit points lost.
    pub temp_hp_lost: i32,
    /// Hit points lost by damage.
    pub hp_lost: i32,
    /// How much the hit point maximum was lowered.
    pub max_hp_lost: i32,
}

/// What one hit did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::HitOutcome)]
pub struct HitOutcome {
    /// Whether it was a critical hit.
    pub critical: bool,
    /// Whether the creature saved; `null` if there was no save.
    pub saved: Option<bool>,
    /// The damage by type. Components alike in type, in being magical and in lowering the maximum are one
    /// instance (R2).
    pub instances: Vec<Instance>,
    /// The damage taken, of all types together.
    pub damage: i32,
    /// Temporary hit points lost.
    pub temp_hp_lost: i32,
    /// Hit points lost by damage.
    pub hp_lost: i32,
    /// How much the hit point maximum was lowered.
    pub max_hp_lost: i32,
    /// The save against losing concentration; `null` if none was called for.
    pub concentration: Option<ConcentrationOutcome>,
}

/// A save against losing concentration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::ConcentrationOutcome)]
pub struct ConcentrationOutcome {
    /// What the total must reach.
    pub dc: i32,
    /// Whether it did; `null` if the table is to make the save.
    pub passed: Option<bool>,
}

impl Outcome for DamageOutcome {
    fn then(&mut self, next: Self) {
        self.hits.extend(next.hits);
        self.damage += next.damage;
        self.temp_hp_lost += next.temp_hp_lost;
        self.hp_lost += next.hp_lost;
        self.max_hp_lost += next.max_hp_lost;
    }

    fn totals(mut self) -> Self {
        self.hits.clear();
        self
    }
}

impl Action for Damage {
    type Rules = Srd5e;
    type Target = Creature;
    type Outcome = DamageOutcome;
    const NAME: &'static str = "damage";
    const TITLE: &'static str = "Deal damage";
    const ON_THE_DEAD: bool = true;

    fn parts(&self) -> Vec<Self> {
        let alone = |hit: &Hit| Self { hits: vec![hit.clone()], concentration_save: self.concentration_save.clone() };
        self.hits.iter().map(alone).collect()
    }

    fn read_parts(parts: &mut impl Parts) {
        parts.part::<Hit>("/hits");
        parts.part::<Component>("/hits/*/components");
        parts.part::<Save>("/hits/*/save");
        parts.part::<ConcentrationSave>("/concentration_save");
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<DamageOutcome, Stop> {
        let mut outcome = DamageOutcome::default();
        for hit in &self.hits {
            let dealt = hit.land(self.concentration_save.as_ref(), creature, options, tray)?;
            outcome.damage += dealt.damage;
            outcome.temp_hp_lost += dealt.temp_hp_lost;
            outcome.hp_lost += dealt.hp_lost;
            outcome.max_hp_lost += dealt.max_hp_lost;
            outcome.hits.push(dealt);
        }
        Ok(outcome)
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let mut tests = told(&done.log).into_iter().peekable();
        let mut hp = done.before.hp;
        let mut said = Vec::new();
        for (hit, dealt) in self.hits.iter().zip(&done.outcome.hits) {
            said.push(hit.sentence(dealt, hp, &mut tests));
            hp -= dealt.hp_lost;
        }
        said.extend(done.events.iter().filter_map(Event::cry));
        said.join(" ")
    }

    fn example() -> Example<Self> {
        let breath = Component {
            kind: DamageType::Cold,
            amount: None,
            roll: Some(DiceText::new(6, 8, 0)),
            magical: false,
            lowers_max_hp: false,
        };
        let save = Save {
            dc: 14,
            ability: Some(Ability::Constitution),
            modifiers: vec![4],
            advantage: false,
            disadvantage: false,
            bonus_roll: None,
            penalty_roll: None,
        };
        let hit = Hit { components: vec![breath], save: Some(save), ..Hit::default() };
        let action = Self { hits: vec![hit], concentration_save: Some(ConcentrationSave::default()) };
        let target = Creature {
            resistances: vec![Defense::Cold],
            concentration: true,
            con_save: Some(4),
            ..Creature::example()
        };
        Example { action, target: Some(target), dice: vec![7, 6, 5, 4, 4, 2, 12, 5] }
    }
}

impl Hit {
    /// The hit through the whole chain.
    fn land(
        &self,
        concentration_save: Option<&ConcentrationSave>,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<HitOutcome, Stop> {
        let critical = self.is_critical(creature, tray);
        let mut instances = self.damage_roll(critical, options, tray)?;
        let saved = self.saving_throw(creature, options, tray)?;
        let share = saved.map(|saved| self.share(saved));
        let meeting = Meeting { attack: self.attack.is_some(), share, halved: self.halved };
        meeting.take(&mut instances, creature, options, tray);
        let damage = sum(&instances);
        let mut outcome = HitOutcome {
            critical,
            saved,
            damage,
            temp_hp_lost: 0,
            hp_lost: 0,
            max_hp_lost: 0,
            concentration: None,
            instances,
        };
        if creature.is_dead() {
            return Ok(outcome);
        }
        let radiant = outcome.instances.iter().any(|part| part.kind == DamageType::Radiant && part.taken > 0);
        let blow = Blow { damage, critical, knock_out: self.knock_out, radiant };
        let Lost { temp_hp, hp, through } = blow.land(creature, options, tray)?;
        outcome.temp_hp_lost = temp_hp;
        outcome.hp_lost = hp;
        if !creature.is_dead() {
            outcome.max_hp_lost = hit_point_maximum(&outcome.instances, creature, options, tray);
        }
        if !creature.is_dead() && saved != Some(true) {
            exhaust(self.exhaustion, creature, options, tray);
        }
        let distracting = if options.temp_hp_spares_concentration { through } else { damage };
        outcome.concentration = concentration(distracting, concentration_save, creature, options, tray)?;
        Ok(outcome)
    }

    /// `automatic_critical`: an attack from within 5 feet on one who is unconscious or paralyzed is a
    /// critical hit. Whoever is immune to critical hits undoes this and `critical`.
    fn is_critical(&self, creature: &Creature, tray: &mut Tray<'_, Event>) -> bool {
        let within_5_feet = self.within_5_feet.unwrap_or(self.attack == Some(AttackKind::Melee));
        let helpless = creature.is_unconscious() || creature.has(Condition::Paralyzed);
        let automatic = self.attack.is_some() && within_5_feet && helpless;
        if creature.critical_immunity {
            return false;
        }
        if automatic && !self.critical {
            tray.event(Event::AutomaticCritical);
        }
        self.critical || automatic
    }

    /// `damage_roll`: the dice of each component, twice as many on a critical hit (`critical_hit`).
    /// Components that are alike are added up (R2).
    fn damage_roll(
        &self,
        critical: bool,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<Vec<Instance>, Stop> {
        let mut instances: Vec<Instance> = Vec::with_capacity(self.components.len());
        for Component { kind, amount, roll, magical, lowers_max_hp } in &self.components {
            let rolled = match roll {
                Some(roll) if critical => {
                    let twice = roll.doubled();
                    tray.step("dice", &mut dice_count(roll), dice_count(&twice), "critical_hit");
                    twice.throw(kind.name(), "damage_roll", Some(By::Attacker), tray)?
                }
                Some(roll) => roll.throw(kind.name(), "damage_roll", Some(By::Attacker), tray)?,
                None => amount.unwrap_or(0),
            };
            let instance =
                Instance { kind: *kind, magical: *magical, lowers_max_hp: *lowers_max_hp, rolled, taken: rolled };
            match instances.iter_mut().find(|other| !options.components_apart && other.is_like(&instance)) {
                Some(first) => first.add(rolled, tray),
                None => instances.push(instance),
            }
        }
        Ok(instances)
    }

    /// `saving_throw`: whether the creature saves, if there is a save.
    fn saving_throw(
        &self,
        creature: &Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<Option<bool>, Stop> {
        let Some(save) = &self.save else { return Ok(self.saved) };
        if automatic_failure(save.ability, creature, tray) {
            return Ok(Some(false));
        }
        let test = D20Test {
            why: "saving_throw",
            kind: CheckKind::Save,
            roller: Some(creature),
            bonus: 0,
            by: Some(By::Target),
            circumstances: save.circumstances(),
        };
        Ok(Some(test.against(save.dc, options, tray)?.passed))
    }

    /// How much of the hit a save leaves.
    fn share(&self, saved: bool) -> Share {
        match (saved, self.on_save.unwrap_or_default(), self.on_failure.unwrap_or_default()) {
            (true, OnSave::Half, _) | (false, _, OnFailure::Half) => Share::Half,
            (true, OnSave::None, _) => Share::None,
            (false, _, OnFailure::Full) => Share::Full,
        }
    }
}

/// The tests of the hits to come, as the log tells them.
type Tests = Peekable<IntoIter<Told>>;

impl Hit {
    /// What the hit did to one who had so many HP, in words.
    fn sentence(&self, dealt: &HitOutcome, hp: i32, tests: &mut Tests) -> String {
        let mut said = vec![self.dealt(dealt)];
        if let Some(saved) = dealt.saved {
            let result = if saved { "saved" } else { "save failed" };
            let rolled = self.save.as_ref().and_then(|save| Some((tests.next()?, save.dc)));
            said.push(match rolled {
                Some((test, dc)) => format!("{result} ({test} against DC {dc})"),
                None => result.to_owned(),
            });
        }
        if dealt.damage != dealt.instances.iter().map(|part| part.rolled).sum::<i32>() {
            said.push(format!("{} taken", dealt.damage));
        }
        if let Some(test) = tests.next_if(|test| test.rule == "undead_fortitude") {
            said.push(format!("Undead Fortitude {test}"));
        }
        if dealt.temp_hp_lost > 0 {
            said.push(format!("{} temporary HP lost", dealt.temp_hp_lost));
        }
        said.push(match dealt.hp_lost {
            0 => "no HP lost".to_owned(),
            lost => format!("{lost} HP lost ({hp} → {})", hp - lost),
        });
        if dealt.max_hp_lost > 0 {
            said.push(format!("the hit point maximum is {} lower", dealt.max_hp_lost));
        }
        if let Some(ConcentrationOutcome { dc, passed: Some(passed) }) = dealt.concentration
            && let Some(test) = tests.next()
        {
            let result = if passed { "kept" } else { "failed" };
            said.push(format!("concentration {result} ({test} against DC {dc})"));
        }
        format!("{}.", said.join(", "))
    }

    /// The damage before anything met it, in words.
    fn dealt(&self, dealt: &HitOutcome) -> String {
        let parts: Vec<String> =
            dealt.instances.iter().map(|part| format!("{} {}", part.rolled, part.kind.name())).collect();
        let hit = if dealt.critical { "Critical hit: " } else { "" };
        if parts.is_empty() { "No damage".to_owned() } else { format!("{hit}{} damage", parts.join(" and ")) }
    }
}

/// How many dice there are, for the log. There are at most 200.
fn dice_count(dice: &DiceText) -> i32 {
    i32::try_from(dice.count()).unwrap_or(i32::MAX)
}

/// `hit_point_maximum`: damage taken that lowers the maximum is added to what is lost of it (R40). HP above
/// the new maximum drop to it, and a maximum of 0 kills. Answers how much it was lowered.
fn hit_point_maximum(
    instances: &[Instance],
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> i32 {
    let before = creature.max_hp_lost;
    let more: i32 = instances.iter().filter(|part| part.lowers_max_hp).map(|part| part.taken).sum();
    let lost = (before + more).min(creature.max_hp);
    if tray.change("/max_hp_lost", &mut creature.max_hp_lost, lost, "hit_point_maximum") {
        creature.hold_to_maximum("hit_point_maximum", options, tray);
        if creature.max_hp(options) == 0 {
            creature.die("hit_point_maximum", tray);
        }
    }
    lost - before
}

/// `concentration`: it ends when the creature is incapacitated or dead. Else damage calls for a save.
fn concentration(
    damage: i32,
    save: Option<&ConcentrationSave>,
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Option<ConcentrationOutcome>, Stop> {
    if !creature.concentration {
        return Ok(None);
    }
    if creature.is_incapacitated(options) {
        lose_concentration("concentration", creature, tray);
        return Ok(None);
    }
    if damage == 0 {
        return Ok(None);
    }
    let dc = concentration_dc(damage, options, tray);
    let passed = match save {
        Some(save) => {
            Some(concentration_save(dc, Some(By::Target), save.circumstances(), creature, options, tray)?.passed)
        }
        None => {
            tray.event(Event::ConcentrationSaveDue { dc });
            None
        }
    };
    Ok(Some(ConcentrationOutcome { dc, passed }))
}
