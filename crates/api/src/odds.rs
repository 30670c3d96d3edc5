//! Odds as they are sent: exact weights turned into chances, rounded once.

use std::collections::BTreeMap;

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use indexmap::IndexMap;
use scathe_rules::dice::Stop;
use scathe_rules::odds::{BRANCHES, BranchOf, OUTCOMES, Odds, Standing, StandingOf};
use scathe_rules::ruleset::{Action, CreatureOf, EventOf, Ruleset, Subject};
use serde::Serialize;
use utoipa::ToSchema;

use crate::limits::EXACT_BITS;
use crate::problem::{Problem, TOO_MANY_BRANCHES};

/// How likely something is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Chance {
    /// The chance, from 0 to 1, rounded once. It is 0 or 1 only if it is exactly that.
    #[schema(minimum = 0, maximum = 1)]
    chance: f64,
    /// The exact chance in lowest terms. Absent throughout the reply if any would be longer than 128
    /// bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("203/216"))]
    exact: Option<String>,
}

/// The outcomes that were not listed.
#[derive(Debug, Serialize, ToSchema)]
pub struct LeftOut {
    /// How many.
    outcomes: usize,
    /// How likely any of them is.
    #[serde(flatten)]
    chance: Chance,
}

/// A whole number of the outcome, over all that may come of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Number {
    /// What it is on average.
    mean: f64,
    /// How far from the mean it usually is.
    standard_deviation: f64,
    /// The least it can be.
    min: i64,
    /// The most it can be.
    max: i64,
    /// Each value that it can have, from the least.
    distribution: Vec<Share>,
}

/// One value of a number.
#[derive(Debug, Serialize, ToSchema)]
pub struct Share {
    /// The value.
    value: i64,
    /// How likely the number is exactly this, from 0 to 1.
    chance: f64,
    /// How likely it is this or more, from 0 to 1.
    at_least: f64,
}

/// The reply to a question for odds.
#[derive(Serialize)]
#[serde(bound = "")]
pub struct Reply<A: Action> {
    ruleset: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounds: Vec<Round<EventOf<A>>>,
    outcomes: Vec<Told<A>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<EventChance<EventOf<A>>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<IndexMap<String, Number>>,
}

/// One outcome.
#[derive(Serialize)]
#[serde(bound = "")]
struct Told<A: Action> {
    #[serde(flatten)]
    chance: Chance,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<A::Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<CreatureOf<A>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<EventOf<A>>>,
}

/// One event, and how likely it is at least once.
#[derive(Serialize)]
struct EventChance<Event> {
    event: Event,
    #[serde(flatten)]
    chance: Chance,
}

/// What may be by the end of a round.
#[derive(Serialize)]
struct Round<Event> {
    round: usize,
    events: Vec<EventChance<Event>>,
    ended: Chance,
}

/// Weights out of a whole, as chances: all exact or none.
struct Scale {
    exact: bool,
}

impl Scale {
    /// Looks at every weight that will be told.
    fn new<'w>(weights: impl Iterator<Item = (&'w UBig, &'w UBig)>) -> Self {
        let short = |number: &UBig| number.bit_len() <= EXACT_BITS;
        let mut fractions = weights.map(|(ways, whole)| fraction(ways, whole));
        Self { exact: fractions.all(|fraction| short(fraction.denominator())) }
    }

    fn chance(&self, ways: &UBig, whole: &UBig) -> Chance {
        let fraction = fraction(ways, whole);
        let exact = self.exact.then(|| format!("{}/{}", fraction.numerator(), fraction.denominator()));
        Chance { chance: rounded(&fraction), exact }
    }
}

fn fraction(ways: &UBig, whole: &UBig) -> RBig {
    RBig::from_parts(ways.clone().into(), whole.clone())
}

/// A chance as the nearest float, but never 0 or 1 unless it is.
fn rounded(chance: &RBig) -> f64 {
    let nearest = float(chance);
    if chance.is_zero() || chance.is_one() {
        nearest
    } else {
        nearest.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0)
    }
}

fn float(number: &RBig) -> f64 {
    number.to_f64().value()
}

/// What may come of an action.
pub fn reply<A: Action>(odds: Odds<BranchOf<A>>, top: Option<u32>) -> Reply<A> {
    let Odds { mut ways, whole } = odds;
    // Stable: what is equally likely stays in the order in which it was found.
    ways.sort_by(|(_, a), (_, b)| b.cmp(a));
    let mut events: BTreeMap<&EventOf<A>, UBig> = BTreeMap::new();
    for (branch, ways) in &ways {
        for event in &branch.events {
            *events.entry(event).or_insert(UBig::ZERO) += ways;
        }
    }
    let left = left_out(&ways, top);
    let told = ways.iter().map(|(_, ways)| ways).chain(events.values()).chain(left.as_ref().map(|(_, ways)| ways));
    let scale = Scale::new(told.map(|ways| (ways, &whole)));
    let events = likeliest_first(events.into_iter().map(|(event, ways)| (event.clone(), ways)), &scale, &whole);
    let numbers = numbers::<A>(&ways, &whole);
    let left_out = left.map(|(outcomes, ways)| LeftOut { outcomes, chance: scale.chance(&ways, &whole) });
    let listed = ways.into_iter().take(limit(top)).map(|(branch, ways)| Told {
        chance: scale.chance(&ways, &whole),
        outcome: branch.outcome,
        target: branch.target.creature().cloned(),
        events: Some(branch.events),
    });
    Reply {
        ruleset: A::Rules::ID,
        rounds: Vec::new(),
        outcomes: listed.collect(),
        left_out,
        events: Some(events),
        numbers: Some(numbers),
    }
}

/// What may be after each round.
pub fn rounds<A: Action>(told: Vec<Ended<EventOf<A>>>, last: &Odds<StandingOf<A>>, top: Option<u32>) -> Reply<A> {
    let whole = &last.whole;
    let mut merged: IndexMap<&A::Target, UBig> = IndexMap::new();
    for (standing, ways) in &last.ways {
        *merged.entry(&standing.target).or_insert(UBig::ZERO) += ways;
    }
    let mut ways: Vec<(&A::Target, UBig)> = merged.into_iter().collect();
    ways.sort_by(|(_, a), (_, b)| b.cmp(a));
    let left = left_out(&ways, top);
    let final_ways = ways.iter().map(|(_, ways)| ways).chain(left.as_ref().map(|(_, ways)| ways));
    let of_rounds =
        told.iter().flat_map(|round| round.events.values().chain([&round.ended]).map(|ways| (ways, &round.whole)));
    let scale = Scale::new(final_ways.map(|ways| (ways, whole)).chain(of_rounds));
    let rounds = told.into_iter().enumerate().map(|(index, Ended { events, ended, whole })| Round {
        round: index + 1,
        events: likeliest_first(events.into_iter(), &scale, &whole),
        ended: scale.chance(&ended, &whole),
    });
    let rounds = rounds.collect();
    let left_out = left.map(|(outcomes, ways)| LeftOut { outcomes, chance: scale.chance(&ways, whole) });
    let listed = ways.into_iter().take(limit(top)).map(|(target, ways)| Told {
        chance: scale.chance(&ways, whole),
        outcome: None,
        target: target.creature().cloned(),
        events: None,
    });
    Reply { ruleset: A::Rules::ID, rounds, outcomes: listed.collect(), left_out, events: None, numbers: None }
}

fn limit(top: Option<u32>) -> usize {
    top.map_or(usize::MAX, |top| usize::try_from(top).unwrap_or(usize::MAX))
}

/// How many outcomes `top` leaves out, and their weight; nothing where all are asked for.
fn left_out<K>(ways: &[(K, UBig)], top: Option<u32>) -> Option<(usize, UBig)> {
    let left = ways.get(limit(top)..).unwrap_or_default();
    top.map(|_| (left.len(), left.iter().fold(UBig::ZERO, |sum, (_, ways)| sum + ways)))
}

/// Events with their chances; what is equally likely stays in declared order.
fn likeliest_first<Event>(
    events: impl Iterator<Item = (Event, UBig)>,
    scale: &Scale,
    whole: &UBig,
) -> Vec<EventChance<Event>> {
    let mut events: Vec<(Event, UBig)> = events.collect();
    events.sort_by(|(_, a), (_, b)| b.cmp(a));
    events.into_iter().map(|(event, ways)| EventChance { event, chance: scale.chance(&ways, whole) }).collect()
}

/// The whole numbers of the outcome by name; one that is missing in any branch is left out.
fn numbers<A: Action>(ways: &[(BranchOf<A>, UBig)], whole: &UBig) -> IndexMap<String, Number> {
    let mut values: IndexMap<String, (BTreeMap<i64, UBig>, usize)> = IndexMap::new();
    for (branch, ways) in ways {
        let outcome = serde_json::to_value(&branch.outcome).unwrap_or_default();
        for (name, value) in outcome.as_object().into_iter().flatten() {
            if let Some(value) = value.as_i64() {
                let (known, seen) = values.entry(name.clone()).or_default();
                *known.entry(value).or_insert(UBig::ZERO) += ways;
                *seen += 1;
            }
        }
    }
    let everywhere = values.into_iter().filter(|(_, (_, seen))| *seen == ways.len());
    everywhere.filter_map(|(name, (values, _))| Some((name, number(&values, whole)?))).collect()
}

fn number(values: &BTreeMap<i64, UBig>, whole: &UBig) -> Option<Number> {
    let (min, max) = (*values.first_key_value()?.0, *values.last_key_value()?.0);
    let (mut sum, mut squares) = (IBig::ZERO, IBig::ZERO);
    for (&value, ways) in values {
        let weighted = IBig::from(value) * ways;
        squares += &weighted * IBig::from(value);
        sum += weighted;
    }
    let mean = RBig::from_parts(sum.clone(), whole.clone());
    let variance = RBig::from_parts(squares * whole - &sum * &sum, whole * whole);
    let mut above = UBig::ZERO;
    let mut distribution: Vec<Share> = Vec::new();
    for (&value, ways) in values.iter().rev() {
        above += ways;
        let (chance, at_least) = (rounded(&fraction(ways, whole)), rounded(&fraction(&above, whole)));
        distribution.push(Share { value, chance, at_least });
    }
    distribution.reverse();
    Some(Number { mean: float(&mean), standard_deviation: float(&variance).sqrt(), min, max, distribution })
}

/// What is told of a round: the weight of each event seen by its end, the weight of those for whom it
/// ended, and the whole that these are out of.
pub struct Ended<Event> {
    events: BTreeMap<Event, UBig>,
    ended: UBig,
    whole: UBig,
}

impl<Event: Clone + Ord> Ended<Event> {
    /// Sums a round up, so that it need not be kept.
    pub fn new<Target>(round: &Odds<Standing<Target, Event>>) -> Self {
        let mut sum = Self { events: BTreeMap::new(), ended: UBig::ZERO, whole: round.whole.clone() };
        for (standing, ways) in &round.ways {
            for event in &standing.events {
                *sum.events.entry(event.clone()).or_insert(UBig::ZERO) += ways;
            }
            if standing.ended {
                sum.ended += ways;
            }
        }
        sum
    }
}

/// Why a walk ended before its end.
pub fn stopped(stop: Stop) -> Problem {
    let detail = match stop {
        Stop::TooMany => format!(
            "Walking this would take more than {BRANCHES} branches, {OUTCOMES} different outcomes, a throw with too many different sums, or too much time."
        ),
        Stop::Needs(_) | Stop::BadFace { .. } | Stop::Unfit { .. } => {
            "A walk has every die that it asks for.".to_owned()
        }
    };
    Problem::new(&TOO_MANY_BRANCHES, detail)
}

/// Why a batch walks no further odds.
pub fn stopped_batch(replies: usize) -> Problem {
    let detail =
        format!("The odds asked for before this one took all the time, or their replies fill {replies} bytes.");
    Problem::new(&TOO_MANY_BRANCHES, detail)
}
