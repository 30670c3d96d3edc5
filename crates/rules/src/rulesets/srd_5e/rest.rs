//! Rests: short with hit dice, long, and the hours after which one who is stable wakes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::conditions::lose_concentration;
use super::creature::{Creature, HitDice, Life, check_sides, sides_schema};
use super::{Event, NO_HIT_POINTS, NOT_STABLE, Options, Srd5e};
use crate::check::{Check, Faults};
use crate::dice::{Ask, Stop, Worth};
use crate::ruleset::{Action, Done, Example, Outcome, Parts, Refusal};
use crate::tray::Tray;
use crate::words::count;

/// `stable_recovery`: the sides of the die for the hours.
const HOURS: u32 = 4;

/// The most entries of `spend`: one for each size.
const SIZES: usize = 6;

/// Lets the creature rest.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = srd_5e::Rest)]
pub struct Rest {
    /// Which rest.
    pub kind: RestKind,
    /// For `short`: the hit dice to spend, an entry for each size. Refused otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 6, default = json!([]))]
    pub spend: Vec<Spend>,
}

/// The kinds of rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = srd_5e::RestKind)]
pub enum RestKind {
    /// Hit dice may be spent. A long rest that was interrupted after an hour is sent as this.
    Short,
    /// HP, hit dice and the maximum come back, a level of exhaustion goes.
    Long,
    /// One who is stable regains 1 HP after 1d4 hours.
    Stable,
}

/// Hit dice to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = srd_5e::Spend)]
pub struct Spend {
    /// Sides of the die: 4, 6, 8, 10, 12 or 20.
    #[schema(schema_with = sides_schema)]
    pub sides: i32,
    /// How many dice.
    #[schema(minimum = 1, maximum = 100)]
    pub dice: i32,
}

impl Check for Spend {
    fn check(&self, faults: &mut Faults) {
        check_sides(self.sides, faults);
        faults.bounds("/dice", self.dice, 1..=100);
    }
}

impl Check for Rest {
    fn check(&self, faults: &mut Faults) {
        faults.length("/spend", &self.spend, 0..=SIZES);
        faults.each("/spend", &self.spend);
        for (index, spend) in self.spend.iter().enumerate() {
            if self.spend[..index].iter().any(|other| other.sides == spend.sides) {
                faults.add(&format!("/spend/{index}/sides"), "is in this list twice; send one entry for each size");
            }
        }
        if self.kind != RestKind::Short && !self.spend.is_empty() {
            faults.add("/spend", "belongs to kind short");
        }
    }
}

/// What the rest restored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::RestOutcome)]
pub struct RestOutcome {
    /// Hit points regained.
    pub hp: i32,
    /// Hit points of hit dice beyond the maximum.
    pub wasted: i32,
    /// Hit dice spent.
    pub hit_dice_spent: i32,
    /// Hit dice regained.
    pub hit_dice_regained: i32,
    /// For `stable`: how many hours it took.
    pub hours: Option<i32>,
}

impl Outcome for RestOutcome {}

impl Action for Rest {
    type Rules = Srd5e;
    type Target = Creature;
    type Outcome = RestOutcome;
    const NAME: &'static str = "rest";
    const TITLE: &'static str = "Rest";

    fn read_parts(parts: &mut impl Parts) {
        parts.part::<Spend>("/spend");
    }

    fn refuses(&self, creature: &Creature, options: &Options) -> Option<Refusal> {
        let stable = creature.life == Some(Life::Stable);
        let rests_at_0 = self.kind == RestKind::Short && stable && options.short_rest_when_stable;
        match self.kind {
            RestKind::Stable if stable => None,
            RestKind::Stable => Some(Refusal::because(&NOT_STABLE, "The creature is not stable at 0 HP.")),
            RestKind::Short | RestKind::Long if creature.hp == 0 && !rests_at_0 => {
                Some(Refusal::because(&NO_HIT_POINTS, "The creature has 0 HP, and a rest takes at least 1."))
            }
            RestKind::Short | RestKind::Long => self.overspent(creature),
        }
    }

    fn apply(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<RestOutcome, Stop> {
        match self.kind {
            RestKind::Short => self.short_rest(creature, options, tray),
            RestKind::Long => Ok(long_rest(creature, options, tray)),
            RestKind::Stable => stable_recovery(creature, options, tray),
        }
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let RestOutcome { hp, wasted, hit_dice_spent, hit_dice_regained, hours } = done.outcome;
        let (before, after) = (&done.before, &done.after);
        let mut said = vec![format!("{hp} HP regained ({} → {})", before.hp, after.hp)];
        if wasted > 0 {
            said.push(format!("{wasted} wasted"));
        }
        let hit_dice = |number| count(number, "hit die", "hit dice");
        if hit_dice_spent > 0 {
            said.push(format!("{} spent", hit_dice(hit_dice_spent)));
        }
        if hit_dice_regained > 0 {
            said.push(format!("{} regained", hit_dice(hit_dice_regained)));
        }
        if before.exhaustion != after.exhaustion {
            said.push(format!("exhaustion {} → {}", before.exhaustion, after.exhaustion));
        }
        if before.max_hp_lost > after.max_hp_lost {
            said.push("the hit point maximum is restored".to_owned());
        }
        if before.temp_hp > after.temp_hp {
            said.push("temporary HP are gone".to_owned());
        }
        if before.concentration && !after.concentration {
            said.push("concentration ends".to_owned());
        }
        if done.events.contains(&Event::Woke) {
            said.push("conscious again".to_owned());
        }
        let kind = match (self.kind, hours) {
            (RestKind::Short, _) => "Short rest".to_owned(),
            (RestKind::Long, _) => "Long rest".to_owned(),
            (RestKind::Stable, hours) => format!("Stable for {}", count(hours.unwrap_or(0), "hour", "hours")),
        };
        format!("{kind}: {}.", said.join(", "))
    }

    fn example() -> Example<Self> {
        let target = Creature { hp: 12, ..Creature::example() };
        let spend = vec![Spend { sides: 8, dice: 2 }];
        Example { action: Self { kind: RestKind::Short, spend }, target: Some(target), dice: vec![7, 4] }
    }
}

impl Rest {
    /// Refuses to spend hit dice that the creature does not have.
    fn overspent(&self, creature: &Creature) -> Option<Refusal> {
        let mut faults = Faults::default();
        for (index, spend) in self.spend.iter().enumerate() {
            let detail = match creature.hit_dice.iter().find(|dice| dice.sides == spend.sides) {
                None => ("sides", format!("is {}, and the creature has no such hit dice", spend.sides)),
                Some(dice) if dice.left() < spend.dice => {
                    ("dice", format!("must be at most the {} that are left, but is {}", dice.left(), spend.dice))
                }
                Some(_) => continue,
            };
            faults.add(&format!("/spend/{index}/{}", detail.0), detail.1);
        }
        (!faults.is_empty()).then_some(Refusal::Invalid(faults))
    }

    /// `short_rest`: hit dice are spent for HP, and one who was knocked out wakes (R23).
    fn short_rest(
        &self,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<RestOutcome, Stop> {
        let mut healing = 0;
        for spend in &self.spend {
            healing += hit_dice(*spend, creature, options, tray)?;
        }
        let spent = |dice: &HitDice| {
            let gone = self.spend.iter().find(|spend| spend.sides == dice.sides).map_or(0, |spend| spend.dice);
            HitDice { left: Some(dice.left() - gone), ..*dice }
        };
        let left = creature.hit_dice.iter().map(spent).collect();
        tray.change("/hit_dice", &mut creature.hit_dice, left, "hit_dice");
        let hp = creature.regain(healing, "hit_dice", options, tray);
        end_knock_out(creature, "short_rest", tray);
        let hit_dice_spent = self.spend.iter().map(|spend| spend.dice).sum();
        Ok(RestOutcome { hp, wasted: healing - hp, hit_dice_spent, ..RestOutcome::default() })
    }
}

/// `hit_dice`: each die and the Constitution modifier, at least 1, or by the rule of 5.1 at least 0 (R34).
fn hit_dice(spend: Spend, creature: &Creature, options: &Options, tray: &mut Tray<'_, Event>) -> Result<i32, Stop> {
    let least = if options.hit_die_may_heal_0 { 0 } else { 1 };
    let modifier = creature.con_modifier;
    let worth = |face, _| Worth::points(i32::try_from(face).map_or(least, |face: i32| (face + modifier).max(least)));
    let ask = Ask::new("hit_dice", spend.dice.unsigned_abs(), spend.sides.unsigned_abs());
    Ok(tray.total(ask, worth, |sum| sum)?.points)
}

/// A rest ends a knock-out (R23).
fn end_knock_out(creature: &mut Creature, rule: &'static str, tray: &mut Tray<'_, Event>) {
    if creature.life == Some(Life::KnockedOut) {
        creature.wake(rule, tray);
    }
}

/// `long_rest`: a level of exhaustion goes; the maximum, HP and hit dice come back; temporary HP and
/// concentration end (R30), and one who was knocked out wakes.
fn long_rest(creature: &mut Creature, options: &Options, tray: &mut Tray<'_, Event>) -> RestOutcome {
    let rule = "long_rest";
    let level = (creature.exhaustion - 1).max(0);
    tray.change("/exhaustion", &mut creature.exhaustion, level, "exhaustion");
    tray.change("/max_hp_lost", &mut creature.max_hp_lost, 0, rule);
    let missing = creature.max_hp(options) - creature.hp;
    let hp = creature.regain(missing, rule, options, tray);
    tray.change("/temp_hp", &mut creature.temp_hp, 0, rule);
    let hit_dice_regained = regain_hit_dice(creature, options, tray);
    lose_concentration(rule, creature, tray);
    end_knock_out(creature, rule, tray);
    RestOutcome { hp, hit_dice_regained, ..RestOutcome::default() }
}

/// All hit dice come back (R33). By the rule of 5.1 half of them do, rounded down, at least one, the largest
/// first. Answers how many.
fn regain_hit_dice(creature: &mut Creature, options: &Options, tray: &mut Tray<'_, Event>) -> i32 {
    let total: i32 = creature.hit_dice.iter().map(|dice| dice.total).sum();
    let most = if options.long_rest_half_hit_dice { (total / 2).max(1) } else { total };
    let mut dice = creature.hit_dice.clone();
    let mut order: Vec<usize> = (0..dice.len()).collect();
    order.sort_by_key(|&index| -dice[index].sides);
    let mut regained = 0;
    for index in order {
        let more = (dice[index].total - dice[index].left()).min(most - regained);
        dice[index].left = Some(dice[index].left() + more);
        regained += more;
    }
    tray.change("/hit_dice", &mut creature.hit_dice, dice, "long_rest");
    regained
}

/// `stable_recovery`: after 1d4 hours 1 HP, and up.
fn stable_recovery(
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<RestOutcome, Stop> {
    let hours = tray.shown(Ask::new("stable_recovery", 1, HOURS))?;
    let hp = creature.regain(1, "stable_recovery", options, tray);
    Ok(RestOutcome { hp, hours: Some(hours), ..RestOutcome::default() })
}
