//! Exact odds: the same rules, with every branch of their dice walked in turn.
//!
//! A rule runs again and again along a path of choices. Each [`Dice::total`] is one fork: its dice are
//! folded one by one, equal sums merge, and the path branches once for each sum that the rule can tell
//! from the others. Between the parts of an action, and between rounds, equal creatures merge as well.
//!
//! A weight is a whole number of equally likely ways; all weights of one [`Odds`] are out of the same
//! [`Odds::whole`]. Nothing is ever rounded.

use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use dashu_int::ops::Gcd;
use dashu_int::{IBig, UBig};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::dice::{Ask, Dice, Faces, Keep, Stop, View, Worth, WorthOf};
use crate::ruleset::{Action, EventOf, OptionsOf, Outcome, refusal};
use crate::tray::Tray;

/// The most branches that one question may walk.
pub const BRANCHES: usize = 1_000_000;
/// The most outcomes that are told apart, after any part or round.
pub const OUTCOMES: usize = 10_000;
/// The most branches that are remembered between rounds.
const REMEMBERED: usize = 10 * OUTCOMES;
/// The most different sums that one throw may have on its way. Their weights are long: this many may
/// take some tens of megabytes.
const CELLS: i64 = 200_000;
/// How many steps pass between two questions whether to go on.
const STEPS: usize = 4096;

/// The weight, and the whole, of what is certain.
static ONE: UBig = UBig::ONE;

/// Insertion-ordered, so that the same question has the same answer in the same order.
type Merged<K> = IndexMap<K, UBig, FxBuildHasher>;

/// Outcomes and their weights.
#[derive(Clone, Debug)]
pub struct Odds<K> {
    /// Each outcome, with how many of [`Odds::whole`] equally likely ways lead to it.
    pub ways: Vec<(K, UBig)>,
    /// How many equally likely ways there are.
    pub whole: UBig,
}

/// What may have come of an action: all that odds tell apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branch<Target, Outcome, Event> {
    /// Whom it happened to, after.
    pub target: Target,
    /// What it did, without lists of parts.
    pub outcome: Option<Outcome>,
    /// What there was to announce: each event once, in declared order.
    pub events: Vec<Event>,
}

/// The branches of an action.
pub type BranchOf<A> = Branch<<A as Action>::Target, <A as Action>::Outcome, EventOf<A>>;

/// Where someone may stand after some rounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Standing<Target, Event> {
    /// Whom it happened to.
    pub target: Target,
    /// The events seen so far: each once, in declared order.
    pub events: Vec<Event>,
    /// Whether the action would be refused.
    pub ended: bool,
}

/// Where an action's target may stand.
pub type StandingOf<A> = Standing<<A as Action>::Target, EventOf<A>>;

/// An answer, and what it cost.
#[derive(Clone, Debug)]
pub struct Walked<T> {
    /// The answer.
    pub found: T,
    /// How many branches were walked for it.
    pub branches: usize,
}

/// Whether a question may still go on. It is asked now and then, within a single throw too.
pub type GoOn<'a> = &'a dyn Fn() -> bool;

/// Takes what may come of something, its ways, and the whole that they are out of.
type Leaf<'l, K> = dyn FnMut(K, &UBig, &UBig) -> Result<(), Stop> + 'l;

/// What came of every way the dice of `action` can fall.
///
/// # Errors
/// [`Stop::TooMany`] past [`BRANCHES`] or [`OUTCOMES`], and when `go_on` says no.
pub fn explore<A: Action>(
    action: &A,
    target: A::Target,
    options: &OptionsOf<A>,
    go_on: GoOn<'_>,
) -> Result<Walked<Odds<BranchOf<A>>>, Stop> {
    let mut walk = Walk::new(go_on);
    let found = explore_with(action, target, options, &mut walk)?;
    Ok(Walked { found, branches: walk.branches })
}

fn explore_with<A: Action>(
    action: &A,
    target: A::Target,
    options: &OptionsOf<A>,
    walk: &mut Walk<'_>,
) -> Result<Odds<BranchOf<A>>, Stop> {
    let start = Branch { target, outcome: None, events: Vec::new() };
    let mut odds = Odds { ways: vec![(start, UBig::ONE)], whole: UBig::ONE };
    for part in action.parts() {
        odds = odds.each(walk, |before, walk, leaf| walk_part(&part, before, options, walk, leaf))?;
    }
    Ok(odds)
}

/// Walks one part of an action from one branch of the parts before it.
fn walk_part<A: Action>(
    part: &A,
    before: &BranchOf<A>,
    options: &OptionsOf<A>,
    walk: &mut Walk<'_>,
    leaf: &mut Leaf<'_, BranchOf<A>>,
) -> Result<(), Stop> {
    walk.begin();
    loop {
        let mut after = before.clone();
        let mut tray = Tray::silent(walk);
        let outcome = part.apply(&mut after.target, options, &mut tray)?.totals();
        join(&mut after.events, tray.into_parts().0);
        match &mut after.outcome {
            None => after.outcome = Some(outcome),
            Some(so_far) => so_far.then(outcome),
        }
        let (ways, whole) = walk.weight();
        leaf(after, ways, whole)?;
        if !walk.next_path()? {
            return Ok(());
        }
    }
}

/// Adds events to those that there were: each once, in declared order.
fn join<Event: Ord>(events: &mut Vec<Event>, more: Vec<Event>) {
    if events.is_empty() {
        *events = more;
    } else if more.is_empty() {
        return;
    } else {
        events.extend(more);
    }
    events.sort_unstable();
    events.dedup();
}

/// Where a target may stand after `rounds` rounds of the same action on its own result; `after_each` looks at
/// each round. Whoever
/// the action would be refused for stays as they are.
///
/// # Errors
/// As [`explore`].
pub fn repeat<A: Action>(
    action: &A,
    target: A::Target,
    options: &OptionsOf<A>,
    rounds: u32,
    go_on: GoOn<'_>,
    mut after_each: impl FnMut(&Odds<StandingOf<A>>),
) -> Result<Walked<Odds<StandingOf<A>>>, Stop> {
    let mut walk = Walk::new(go_on);
    // Creatures that are alike have the same next round, whatever they have seen.
    let mut known: HashMap<A::Target, Rc<Odds<BranchOf<A>>>, FxBuildHasher> = HashMap::default();
    let start = Standing { target, events: Vec::new(), ended: false };
    let mut odds = Odds { ways: vec![(start, UBig::ONE)], whole: UBig::ONE };
    let mut remembered = 0;
    for _ in 0..rounds {
        odds = odds.each(&mut walk, |before, walk, leaf| {
            if before.ended {
                return leaf(before.clone(), &UBig::ONE, &UBig::ONE);
            }
            let next = match known.get(&before.target) {
                Some(next) => next.clone(),
                None => {
                    let next = Rc::new(explore_with(action, before.target.clone(), options, walk)?);
                    remembered += next.ways.len();
                    if remembered > REMEMBERED {
                        return Err(Stop::TooMany);
                    }
                    known.insert(before.target.clone(), next.clone());
                    next
                }
            };
            for (branch, ways) in &next.ways {
                walk.step(1)?;
                let mut events = before.events.clone();
                join(&mut events, branch.events.clone());
                let ended = refusal(action, &branch.target, options).is_some();
                leaf(Standing { target: branch.target.clone(), events, ended }, ways, &next.whole)?;
            }
            Ok(())
        })?;
        after_each(&odds);
    }
    Ok(Walked { found: odds, branches: walk.branches })
}

impl<K> Odds<K> {
    /// Goes on from every outcome: `go` tells what may come of it, each with its ways out of a whole.
    /// Equal results merge, and all come out of one new whole.
    fn each<L: Eq + Hash>(
        &self,
        walk: &mut Walk<'_>,
        mut go: impl FnMut(&K, &mut Walk<'_>, &mut Leaf<'_, L>) -> Result<(), Stop>,
    ) -> Result<Odds<L>, Stop> {
        let mut merged: Merged<L> = Merged::default();
        // What all are out of so far; then each whole that occurred, and how often it goes into that. They are few.
        let mut common = UBig::ONE;
        let mut wholes: Vec<(UBig, UBig)> = Vec::new();
        for (outcome, before) in &self.ways {
            go(outcome, walk, &mut |after, ways, whole| {
                if wholes.last().is_none_or(|(known, _)| known != whole) {
                    match wholes.iter().position(|(known, _)| known == whole) {
                        // The same whole is likely to come again.
                        Some(at) => {
                            let last = wholes.len() - 1;
                            wholes.swap(at, last);
                        }
                        None => {
                            let wider = lcm(&common, whole);
                            let times = &wider / &common;
                            if !times.is_one() {
                                merged.values_mut().for_each(|ways| *ways *= &times);
                                wholes.iter_mut().for_each(|(_, into)| *into *= &times);
                            }
                            wholes.push((whole.clone(), &wider / whole));
                            common = wider;
                        }
                    }
                }
                let mut ways = ways * before;
                if let Some((_, times)) = wholes.last().filter(|(_, times)| !times.is_one()) {
                    ways *= times;
                }
                *merged.entry(after).or_insert(UBig::ZERO) += ways;
                if merged.len() > OUTCOMES { Err(Stop::TooMany) } else { Ok(()) }
            })?;
        }
        let mut odds = Odds { ways: merged.into_iter().collect(), whole: &self.whole * common };
        odds.reduce();
        Ok(odds)
    }

    /// Divides all weights by what they have in common.
    fn reduce(&mut self) {
        let mut common = self.whole.clone();
        for (_, ways) in &self.ways {
            if common.is_one() {
                return;
            }
            common = common.gcd(ways);
        }
        for (_, ways) in &mut self.ways {
            *ways = &*ways / &common;
        }
        self.whole = &self.whole / &common;
    }
}

fn lcm(a: &UBig, b: &UBig) -> UBig {
    if a == b { a.clone() } else { a / a.gcd(b) * b }
}

/// Dice that fall every way in turn.
struct Walk<'g> {
    go_on: GoOn<'g>,
    path: Vec<Fork>,
    /// How many forks of the path this run has passed.
    passed: usize,
    branches: usize,
    steps: usize,
    /// Every throw so far, with its sums. Most throws of a walk were made before.
    throws: IndexMap<Throw, Rc<Sums>, FxBuildHasher>,
    /// Throws as rules saw them, with the arms of their forks.
    views: FxHashMap<Viewed, Rc<Sums>>,
    /// The throw and the view of the latest fork, kept for their room.
    asked: (Throw, Viewed),
}

/// One fork of the path, and the arm that is taken.
struct Fork {
    arms: Rc<Sums>,
    taken: usize,
    /// The weight of the path up to and with this arm, and the whole that it is out of.
    ways: UBig,
    whole: UBig,
}

/// What dice can be worth together, each sum once, with its ways.
type Sums = Odds<Worth>;

/// What a throw's sums depend on.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Throw {
    dice: u32,
    sides: u32,
    keep: Option<Keep>,
    /// What each face is worth, generation by generation.
    worth: Vec<Worth>,
}

/// What the arms of a fork depend on.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Viewed {
    /// Which of the throws so far.
    throw: usize,
    /// As what the rule sees each of its sums.
    sums: Vec<Worth>,
}

impl<'g> Walk<'g> {
    fn new(go_on: GoOn<'g>) -> Self {
        Self {
            go_on,
            path: Vec::new(),
            passed: 0,
            branches: 0,
            steps: 0,
            throws: IndexMap::default(),
            views: FxHashMap::default(),
            asked: Default::default(),
        }
    }

    /// Starts a new tree of branches.
    fn begin(&mut self) {
        self.path.clear();
        self.passed = 0;
    }

    /// The weight of the path just run, and the whole that it is out of.
    fn weight(&self) -> (&UBig, &UBig) {
        self.path.last().map_or((&ONE, &ONE), |fork| (&fork.ways, &fork.whole))
    }

    /// Turns to the next path, if there is one.
    fn next_path(&mut self) -> Result<bool, Stop> {
        self.passed = 0;
        self.branches += 1;
        if self.branches > BRANCHES {
            return Err(Stop::TooMany);
        }
        self.step(1)?;
        while let Some(mut fork) = self.path.pop() {
            fork.taken += 1;
            if let Some((_, arm)) = fork.arms.ways.get(fork.taken) {
                fork.ways = self.weight().0 * arm;
                self.path.push(fork);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds a fork at the end of the path, and takes its first arm.
    fn fork(&mut self, arms: Rc<Sums>) {
        let (ways, whole) = self.weight();
        // There is always one.
        let first = arms.ways.first().map_or(&ONE, |(_, first)| first);
        let (ways, whole) = (ways * first, whole * &arms.whole);
        self.path.push(Fork { arms, taken: 0, ways, whole });
    }

    /// Counts work, and asks now and then whether to go on.
    fn step(&mut self, steps: usize) -> Result<(), Stop> {
        self.steps += steps;
        if self.steps >= STEPS {
            self.steps = 0;
            if !(self.go_on)() {
                return Err(Stop::TooMany);
            }
        }
        Ok(())
    }

    /// The arms of a throw: its sums as the rule sees them.
    fn arms(&mut self, ask: Ask, worth: WorthOf<'_>, view: View<'_>) -> Result<Rc<Sums>, Stop> {
        let (mut throw, mut viewed) = std::mem::take(&mut self.asked);
        throw.dice = ask.count;
        throw.sides = ask.sides;
        throw.keep = ask.keep;
        throw.worth.clear();
        for generation in 0..=ask.generations {
            throw.worth.extend((1..=ask.sides).map(|face| worth(face, generation)));
        }
        viewed.throw = match self.throws.get_index_of(&throw) {
            Some(known) => known,
            None => {
                let sums = Rc::new(self.sums(&throw)?);
                self.throws.insert_full(throw.clone(), sums).0
            }
        };
        let sums = &self.throws[viewed.throw];
        viewed.sums.clear();
        viewed.sums.extend(sums.ways.iter().map(|(sum, _)| view(*sum)));
        let arms = match self.views.get(&viewed) {
            Some(known) => known.clone(),
            None => {
                let mut arms: Merged<Worth> = Merged::default();
                for (&seen, (_, ways)) in viewed.sums.iter().zip(&sums.ways) {
                    *arms.entry(seen).or_insert(UBig::ZERO) += ways;
                }
                let mut arms = Odds { ways: arms.into_iter().collect(), whole: sums.whole.clone() };
                arms.reduce();
                let arms = Rc::new(arms);
                self.views.insert(viewed.clone(), arms.clone());
                arms
            }
        };
        self.asked = (throw, viewed);
        Ok(arms)
    }

    /// What the dice of a throw can be worth together, by marks, then by points.
    fn sums(&mut self, throw: &Throw) -> Result<Sums, Stop> {
        let single = single(throw);
        if let Some(keep) = throw.keep {
            return Ok(kept(single, throw.dice, keep));
        }
        let bounds = |of: fn(&Worth) -> i64| {
            let values = single.ways.iter().map(|(worth, _)| of(worth));
            values.fold((i64::MAX, i64::MIN), |(low, high), value| (low.min(value), high.max(value)))
        };
        let (low, high) = bounds(|worth| i64::from(worth.points));
        let (least, most) = bounds(|worth| i64::from(worth.marks));
        let dice = i64::from(throw.dice);
        // Points and marks share one exponent: a row of points for each sum of marks.
        let (columns, rows) = ((high - low) * dice + 1, (most - least) * dice + 1);
        if columns.saturating_mul(rows) > CELLS {
            return Err(Stop::TooMany);
        }
        let exponent = |worth: &Worth| (i64::from(worth.marks) - least) * columns + i64::from(worth.points) - low;
        let start = single.ways.iter().map(|(worth, _)| exponent(worth)).min().unwrap_or(0);
        let die = single.ways.iter().map(|(worth, ways)| (index(exponent(worth) - start), ways.clone()));
        let mut sums = Vec::new();
        for (sum, ways) in self.power(die.collect(), throw.dice)?.into_iter().enumerate() {
            if !ways.is_zero() {
                let exponent = i64::try_from(sum).unwrap_or(i64::MAX) + start * dice;
                let points = i32::try_from(exponent % columns + low * dice).map_err(|_| Stop::TooMany)?;
                let marks = u32::try_from(exponent / columns + least * dice).map_err(|_| Stop::TooMany)?;
                sums.push((Worth { points, marks, again: false }, ways));
            }
        }
        Ok(Odds { ways: sums, whole: single.whole.pow(index(dice)) })
    }

    /// The coefficients of the power Q = Pⁿ of a polynomial P, given as exponents from 0 and their
    /// coefficients.
    ///
    /// Each follows from those before: as P Q′ = n P′ Q, for every m
    /// m p₀ qₘ = Σ ((n + 1) e − m) pₑ qₘ₋ₑ over the exponents e of P above 0.
    fn power(&mut self, mut terms: Vec<(usize, UBig)>, power: u32) -> Result<Vec<UBig>, Stop> {
        terms.sort_by_key(|(exponent, _)| *exponent);
        let degree = terms.last().map_or(0, |(highest, _)| *highest) * index(power.into());
        let mut all = vec![UBig::ZERO; degree + 1];
        if power == 1 {
            for (exponent, ways) in terms {
                all[exponent] = ways;
            }
            return Ok(all);
        }
        let Some(((_, lowest), others)) = terms.split_first() else {
            return Ok(all);
        };
        all[0] = lowest.pow(index(power.into()));
        let mut factors: Vec<IBig> =
            others.iter().map(|(exponent, ways)| IBig::from(ways * exponent) * (power + 1)).collect();
        for at in 1..=degree {
            self.step(others.len())?;
            let mut sum = IBig::ZERO;
            for ((exponent, ways), factor) in others.iter().zip(&mut factors) {
                *factor -= ways;
                if let Some(before) = at.checked_sub(*exponent).map(|before| &all[before])
                    && !before.is_zero()
                {
                    sum += &*factor * before;
                }
            }
            if !sum.is_zero() {
                // Not negative: it counts ways.
                let (_, ways) = (sum / IBig::from(lowest * at)).into_parts();
                all[at] = ways;
            }
        }
        Ok(all)
    }
}

/// What the one die is worth that counts of so many. As cⁿ of all ways of n dice are worth no more than a
/// value that c ways of one die are worth no more than, each value has the difference to the value before.
fn kept(single: Sums, dice: u32, keep: Keep) -> Sums {
    let Odds { mut ways, whole } = single;
    ways.sort_unstable_by_key(|(worth, _)| *worth);
    if keep == Keep::Lowest {
        ways.reverse();
    }
    let power = index(dice.into());
    let (mut so_far, mut before) = (UBig::ZERO, UBig::ZERO);
    for (_, ways) in &mut ways {
        so_far += &*ways;
        let up_to_here = so_far.pow(power);
        *ways = &up_to_here - before;
        before = up_to_here;
    }
    Odds { ways, whole: whole.pow(power) }
}

/// A number that is not negative, as an index.
fn index(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// What a single die may be worth, with all that it calls for.
fn single(throw: &Throw) -> Sums {
    let faces = throw.worth.len().min(index(throw.sides.into())).max(1);
    let mut called: Option<Sums> = None;
    for generation in throw.worth.chunks(faces).rev() {
        let (more, whole) = match &called {
            Some(called) => (called.ways.as_slice(), called.whole.clone()),
            // Nobody answers what the last generation calls for.
            None => ([].as_slice(), UBig::ONE),
        };
        let mut ways: Merged<Worth> = Merged::default();
        for die in generation {
            let alone = Worth { again: false, ..*die };
            if die.again && called.is_some() {
                for (next, count) in more {
                    let mut sum = alone;
                    sum += *next;
                    *ways.entry(sum).or_insert(UBig::ZERO) += count;
                }
            } else {
                *ways.entry(alone).or_insert(UBig::ZERO) += &whole;
            }
        }
        let mut odds = Odds { ways: ways.into_iter().collect(), whole: whole * faces };
        odds.reduce();
        called = Some(odds);
    }
    // There is always generation 0.
    called.unwrap_or(Odds { ways: Vec::new(), whole: UBig::ONE })
}

impl Dice for Walk<'_> {
    fn face(&mut self, ask: Ask) -> Result<u32, Stop> {
        let shown = |face, _| Worth { points: 0, marks: face, again: false };
        let (sum, _) = self.total(Ask { count: 1, generations: 0, ..ask }, &shown, &|sum| sum)?;
        Ok(sum.marks)
    }

    fn total(&mut self, ask: Ask, worth: WorthOf<'_>, view: View<'_>) -> Result<(Worth, Faces), Stop> {
        if self.passed == self.path.len() {
            // A new fork. What was decided before it decides its arms, so they hold for every path through it.
            let arms = self.arms(ask, worth, view)?;
            self.fork(arms);
        }
        let fork = &self.path[self.passed];
        self.passed += 1;
        Ok((fork.arms.ways[fork.taken].0, Faces::new()))
    }
}

#[cfg(test)]
mod tests;
