//! The damage pipeline: five steps from the attack to lost health, in the order of the book.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{Margin, Ratings, margin, opposed};
use super::creature::Creature;
use super::numbers::{Band, DAGGER, GREATSWORD, SWORD, TOUGHNESS_PER_DOT};
use super::{Event, GiftAndSkill, Options};
use crate::check::{Check, Faults, POINTS, RATING, given};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome, Parts};
use crate::tray::Tray;

/// One attack through the damage pipeline.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = gift_and_skill::Damage)]
pub struct Damage {
    /// How well it was aimed.
    pub attack: Attack,
    /// The weapon, by name. Either this or `factor`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub weapon: Option<Weapon>,
    /// The damage factor of any other weapon. Either this or `weapon`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000, nullable = false)]
    pub factor: Option<i32>,
    /// Points that the weapon takes from armor and shield together, once. Toughness is not pierced.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000, default = 0)]
    pub armor_piercing: i32,
}

/// An attack, in exactly one of three ways: its degree of success, the two totals, or the ratings of
/// both, to be rolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = gift_and_skill::Attack)]
pub struct Attack {
    /// The degree of success, when the table has worked it out. 0 or less is a miss.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false)]
    pub degree: Option<i32>,
    /// The attacker's total as rolled, before the flip. Goes with `defender_total`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false)]
    pub attacker_total: Option<i32>,
    /// The defender's total as rolled, before the flip. Goes with `attacker_total`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1000, maximum = 1000, nullable = false)]
    pub defender_total: Option<i32>,
    /// What the attacker rolls on, first. Goes with `defender`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub attacker: Option<Ratings>,
    /// What the defender rolls on, second. Goes with `attacker`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub defender: Option<Ratings>,
}

/// The weapons whose damage factor the book prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = gift_and_skill::Weapon)]
pub enum Weapon {
    /// Damage factor 10.
    Dagger,
    /// Damage factor 25.
    Sword,
    /// Damage factor 50.
    Greatsword,
}

impl Weapon {
    fn factor(self) -> i32 {
        match self {
            Self::Dagger => DAGGER,
            Self::Sword => SWORD,
            Self::Greatsword => GREATSWORD,
        }
    }
}

impl Damage {
    fn factor(&self) -> i32 {
        self.weapon.map_or(self.factor.unwrap_or(0), Weapon::factor)
    }
}

impl Check for Attack {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/degree", self.degree, -RATING..=RATING);
        faults.bounds_if("/attacker_total", self.attacker_total, -RATING..=RATING);
        faults.bounds_if("/defender_total", self.defender_total, -RATING..=RATING);
        for (path, ratings) in [("/attacker", self.attacker), ("/defender", self.defender)] {
            if let Some(ratings) = ratings {
                faults.within(path, |faults| ratings.check(faults));
            }
        }
        if self.degree.is_some() {
            let detail = "does not go with `degree`";
            faults.stray("/attacker_total", self.attacker_total.as_ref(), detail);
            faults.stray("/defender_total", self.defender_total.as_ref(), detail);
            faults.stray("/attacker", self.attacker.as_ref(), detail);
            faults.stray("/defender", self.defender.as_ref(), detail);
        } else if self.attacker_total.is_some() || self.defender_total.is_some() {
            faults.missing("/attacker_total", self.attacker_total.as_ref(), "is required beside `defender_total`");
            faults.missing("/defender_total", self.defender_total.as_ref(), "is required beside `attacker_total`");
            faults.stray("/attacker", self.attacker.as_ref(), "does not go with the totals");
            faults.stray("/defender", self.defender.as_ref(), "does not go with the totals");
        } else if self.attacker.is_some() || self.defender.is_some() {
            faults.missing("/attacker", self.attacker.as_ref(), "is required beside `defender`");
            faults.missing("/defender", self.defender.as_ref(), "is required beside `attacker`");
        } else {
            faults.add("", "needs `degree`, both totals, or both `attacker` and `defender`");
        }
    }
}

impl Check for Damage {
    fn check(&self, faults: &mut Faults) {
        faults.within("/attack", |faults| self.attack.check(faults));
        faults.bounds_if("/factor", self.factor, 0..=RATING);
        faults.bounds("/armor_piercing", self.armor_piercing, 0..=RATING);
        if self.weapon.is_some() {
            faults.stray("/factor", self.factor.as_ref(), "does not go with `weapon`");
        } else if self.factor.is_none() {
            faults.add("/weapon", "is required unless `factor` is given");
        }
    }
}

/// What the attack did, step by step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = gift_and_skill::DamageOutcome)]
pub struct DamageOutcome {
    /// The attacker's successes after the flip; `null` when the request gave only the degree.
    pub attacker_total: Option<i32>,
    /// The defender's successes after the flip; `null` when the request gave only the degree.
    pub defender_total: Option<i32>,
    /// The degree of success. 0 or less is a miss, and everything below is 0.
    pub degree: i32,
    /// The degree times the weapon's factor.
    pub potential: i32,
    /// What Physical Toughness left of it.
    pub after_toughness: i32,
    /// What armor and shield left of that: the damage done.
    pub damage: i32,
    /// Health lost. Less than the damage only when the table stops a blow at 0, or at the very lowest
    /// health that a target may have.
    pub health_lost: i32,
    /// How the target is doing now.
    pub band: Band,
    /// Action points that its band leaves it a round; 0 when it is unconscious or dead.
    pub action_points: i32,
    /// The penalty of its band on free movement: 0, -1 or -2; `null` when it is unconscious or dead.
    pub free_movement: Option<i32>,
}

impl Outcome for DamageOutcome {}

impl Action for Damage {
    type Rules = GiftAndSkill;
    type Target = Creature;
    type Outcome = DamageOutcome;
    const NAME: &'static str = "damage";
    const TITLE: &'static str = "Deal damage";
    const ON_THE_DEAD: bool = true;

    fn read_parts(parts: &mut impl Parts) {
        parts.part::<Attack>("/attack");
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<DamageOutcome, Stop> {
        let (totals, degree) = degree_of_success(&self.attack, tray)?;
        let (mut damage, mut potential, mut after_toughness) = (0, 0, 0);
        if degree > 0 {
            damage = degree;
            weapon_factor(self.factor(), &mut damage, tray);
            potential = damage;
            physical_toughness(creature, &mut damage, tray);
            after_toughness = damage;
            absorption(creature, self.armor_piercing, &mut damage, tray);
        } else {
            tray.event(Event::Miss);
        }
        let health_lost = health(creature, damage, options, tray);
        let (action_points, free_movement) = creature.bands(tray);
        Ok(DamageOutcome {
            attacker_total: totals.map(|totals| totals.attacker_total),
            defender_total: totals.map(|totals| totals.defender_total),
            degree,
            potential,
            after_toughness,
            damage,
            health_lost,
            band: creature.band(),
            action_points,
            free_movement,
        })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let DamageOutcome { degree, potential, after_toughness, damage, health_lost, band, .. } = done.outcome;
        if degree <= 0 {
            return format!("Degree of success {degree}: a miss.");
        }
        let mut said = vec![format!("{degree} × {} = {potential} potential damage", self.factor())];
        if after_toughness < potential {
            said.push(format!("toughness takes {}", potential - after_toughness));
        }
        if damage < after_toughness {
            let absorbs = match (done.before.armor, done.before.shield) {
                (1.., 1..) => "armor and shield take",
                (1.., _) => "armor takes",
                (_, _) => "the shield takes",
            };
            said.push(format!("{absorbs} {}", after_toughness - damage));
        }
        if health_lost > 0 {
            said.push(format!("{health_lost} health lost ({} → {})", done.before.health, done.after.health));
        } else {
            said.push("no health lost".to_owned());
        }
        format!("{}: {}.", said.join(", "), band.name())
    }

    fn example() -> Example<Self> {
        let attack = Attack {
            degree: None,
            attacker_total: None,
            defender_total: None,
            attacker: Some(Ratings { gift: 3, skill: 2 }),
            defender: Some(Ratings { gift: 2, skill: 1 }),
        };
        let action = Self { attack, weapon: Some(Weapon::Dagger), factor: None, armor_piercing: 0 };
        Example { action, target: Some(Creature::example()), dice: vec![2, 1, 5, 6] }
    }
}

/// Step 1, `degree_of_success`: given, or the attacker's total less the defender's, after the flip.
/// Answers the totals too, if there are any.
fn degree_of_success(attack: &Attack, tray: &mut Tray<'_, Event>) -> Result<(Option<Margin>, i32), Stop> {
    if let Some(given) = attack.degree {
        let mut degree = given;
        tray.step("degree", &mut degree, given, "degree_of_success");
        return Ok((None, degree));
    }
    let totals = match (attack.attacker, attack.defender) {
        (Some(attacker), Some(defender)) => opposed(attacker, defender, tray)?,
        _ => margin(attack.attacker_total.unwrap_or(0), attack.defender_total.unwrap_or(0), tray),
    };
    Ok((Some(totals), totals.degree))
}

/// Step 2, `weapon_factor`: the degree times the factor is the potential damage.
fn weapon_factor(factor: i32, damage: &mut i32, tray: &mut Tray<'_, Event>) {
    tray.step("damage", damage, *damage * factor, "weapon_factor");
}

/// Step 3, `physical_toughness`: each dot takes 5 off, not below 0.
fn physical_toughness(creature: &Creature, damage: &mut i32, tray: &mut Tray<'_, Event>) {
    let left = (*damage - TOUGHNESS_PER_DOT * creature.physical_toughness).max(0);
    tray.step("damage", damage, left, "physical_toughness");
}

/// Step 4, `absorption`: armor and shield together, less what the weapon pierces of them (R5), come
/// off, not below 0.
fn absorption(creature: &Creature, armor_piercing: i32, damage: &mut i32, tray: &mut Tray<'_, Event>) {
    let mut absorbed = creature.armor;
    if creature.shield > 0 {
        tray.step("absorption", &mut absorbed, creature.armor + creature.shield, "absorption");
    }
    if armor_piercing > 0 {
        let left = (absorbed - armor_piercing).max(0);
        tray.step("absorption", &mut absorbed, left, "armor_piercing");
    }
    tray.step("damage", damage, (*damage - absorbed).max(0), "absorption");
}

/// Step 5, `health`: what is left comes off health. A blow runs on below 0, unless the table stops
/// one from above 0 there (R6). Answers the health lost.
fn health(creature: &mut Creature, damage: i32, options: &Options, tray: &mut Tray<'_, Event>) -> i32 {
    let before = creature.health;
    let lowest = if options.clamp_at_zero && before > 0 { 0 } else { -POINTS };
    creature.set_health((before - damage).max(lowest), "health", tray);
    before - creature.health
}
