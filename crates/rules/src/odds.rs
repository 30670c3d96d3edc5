//! Exact odds: the same rules, with every branch of their dice walked in turn.
//!
//! A rule runs again and again along a path of choices. Each [`Dice::total`] is one fork: its dice are
//! folded one by one, equal sums merge, and the path branches once for each sum that the rule can tell
//! from the others. Between the parts of an action, and between rounds, equal creatures merge as well.
//!
//! A weight is a whole number of equally likely ways; all weights of one [`Odds`] are out of the same
//! [`Odds::whole`]. Nothing is ever rounded.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::rc::Rc;

use dashu_int::UBig;
use dashu_int::ops::Gcd;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::dice::{Ask, Dice, Faces, Stop, View, Worth, WorthOf};
use crate::ruleset::{Action, EventOf, OptionsOf, Outcome, refusal};
use crate::tray::Tray;

/// The most branches that one question may walk.
pub const BRANCHES: usize = 1_000_000;
/// The most outcomes that are told apart, after any part or round.
pub const OUTCOMES: usize = 50_000;
/// The most different sums that one throw may have on its way.
const CELLS: usize = 1_000_000;
/// How many steps pass between two questions whether to go on.
const STEPS: usize = 4096;

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
    pub events: BTreeSet<Event>,
}

/// The branches of an action.
pub type BranchOf<A> = Branch<<A as Action>::Target, <A as Action>::Outcome, EventOf<A>>;

/// Where someone may stand after some rounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Standing<Target, Event> {
    /// Whom it happened to.
    pub target: Target,
    /// The events seen so far.
    pub events: BTreeSet<Event>,
    /// Whether the action would be refused.
    pub ended: bool,
}

/// Where an action's target may stand.
pub type StandingOf<A> = Standing<<A as Action>::Target, EventOf<A>>;

/// Whether a question may still go on. It is asked now and then, within a single throw too.
pub type GoOn<'a> = &'a dyn Fn() -> bool;

/// What came of every way the dice of `action` can fall.
///
/// # Errors
/// [`Stop::TooMany`] past [`BRANCHES`] or [`OUTCOMES`], and when `go_on` says no.
pub fn explore<A: Action>(
    action: &A,
    target: A::Target,
    options: &OptionsOf<A>,
    go_on: GoOn<'_>,
) -> Result<Odds<BranchOf<A>>, Stop> {
    let mut walk = Walk::new(go_on);
    explore_with(action, target, options, &mut walk)
}

fn explore_with<A: Action>(
    action: &A,
    target: A::Target,
    options: &OptionsOf<A>,
    walk: &mut Walk<'_>,
) -> Result<Odds<BranchOf<A>>, Stop> {
    let start = Branch { target, outcome: None, events: BTreeSet::new() };
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
    leaf: &mut dyn FnMut(BranchOf<A>, UBig, UBig) -> Result<(), Stop>,
) -> Result<(), Stop> {
    walk.begin();
    loop {
        let mut after = before.clone();
        let mut tray = Tray::silent(walk);
        let outcome = part.apply(&mut after.target, options, &mut tray)?.totals();
        after.events.extend(tray.into_parts().0);
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

/// Where a target may stand after each of `rounds` rounds of the same action on its own result. Whoever
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
) -> Result<Vec<Odds<StandingOf<A>>>, Stop> {
    let mut walk = Walk::new(go_on);
    // Creatures that are alike have the same next round, whatever they have seen.
    let mut known: HashMap<A::Target, Rc<Odds<BranchOf<A>>>, FxBuildHasher> = HashMap::default();
    let start = Standing { target, events: BTreeSet::new(), ended: false };
    let mut odds = Odds { ways: vec![(start, UBig::ONE)], whole: UBig::ONE };
    let mut told = Vec::new();
    for _ in 0..rounds {
        odds = odds.each(&mut walk, |before, walk, leaf| {
            if before.ended {
                return leaf(before.clone(), UBig::ONE, UBig::ONE);
            }
            let next = match known.get(&before.target) {
                Some(next) => next.clone(),
                None => {
                    let next = Rc::new(explore_with(action, before.target.clone(), options, walk)?);
                    known.insert(before.target.clone(), next.clone());
                    next
                }
            };
            for (branch, ways) in &next.ways {
                walk.step(1)?;
                let events = before.events.union(&branch.events).cloned().collect();
                let ended = refusal(action, &branch.target, options).is_some();
                leaf(Standing { target: branch.target.clone(), events, ended }, ways.clone(), next.whole.clone())?;
            }
            Ok(())
        })?;
        told.push(odds.clone());
    }
    Ok(told)
}

impl<K> Odds<K> {
    /// Goes on from every outcome: `go` tells what may come of it, each with its ways out of a whole.
    /// Equal results merge, and all come out of one new whole.
    fn each<L: Eq + Hash>(
        &self,
        walk: &mut Walk<'_>,
        mut go: impl FnMut(&K, &mut Walk<'_>, &mut dyn FnMut(L, UBig, UBig) -> Result<(), Stop>) -> Result<(), Stop>,
    ) -> Result<Odds<L>, Stop> {
        // One map for each whole that occurs: there are only a few, and adding within one is cheap.
        let mut merged: Vec<(UBig, Merged<L>)> = Vec::new();
        for (outcome, before) in &self.ways {
            go(outcome, walk, &mut |after, ways, whole| {
                let at = match merged.iter().position(|(known, _)| *known == whole) {
                    Some(at) => at,
                    None => {
                        merged.push((whole, Merged::default()));
                        merged.len() - 1
                    }
                };
                *merged[at].1.entry(after).or_insert(UBig::ZERO) += ways * before;
                if merged[at].1.len() > OUTCOMES { Err(Stop::TooMany) } else { Ok(()) }
            })?;
        }
        let common = merged.iter().fold(UBig::ONE, |common, (whole, _)| lcm(&common, whole));
        let mut all = Merged::default();
        for (whole, ways) in merged {
            let times = &common / &whole;
            for (outcome, ways) in ways {
                *all.entry(outcome).or_insert(UBig::ZERO) += ways * &times;
            }
        }
        let mut odds = Odds { ways: all.into_iter().collect(), whole: &self.whole * common };
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
    /// Sums of throws already folded.
    folded: FxHashMap<Throw, Rc<Sums>>,
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
struct Sums {
    ways: Vec<(Worth, UBig)>,
    whole: UBig,
}

/// What a throw's sums depend on: how many dice, and what a single one may be worth.
#[derive(PartialEq, Eq, Hash)]
struct Throw {
    dice: u32,
    worth: Vec<(Worth, UBig)>,
}

impl<'g> Walk<'g> {
    fn new(go_on: GoOn<'g>) -> Self {
        Self { go_on, path: Vec::new(), passed: 0, branches: 0, steps: 0, folded: FxHashMap::default() }
    }

    /// Starts a new tree of branches.
    fn begin(&mut self) {
        self.path.clear();
        self.passed = 0;
    }

    /// The weight of the path just run, and the whole that it is out of.
    fn weight(&self) -> (UBig, UBig) {
        self.path.last().map_or((UBig::ONE, UBig::ONE), |fork| (fork.ways.clone(), fork.whole.clone()))
    }

    /// Turns to the next path, if there is one.
    fn next_path(&mut self) -> Result<bool, Stop> {
        self.passed = 0;
        self.branches += 1;
        if self.branches > BRANCHES {
            return Err(Stop::TooMany);
        }
        self.step(1)?;
        while let Some(fork) = self.path.pop() {
            if fork.taken + 1 < fork.arms.ways.len() {
                self.take(fork.arms, fork.taken + 1);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes on along an arm of a fork at the end of the path.
    fn take(&mut self, arms: Rc<Sums>, taken: usize) {
        let (ways, whole) = self.weight();
        let (ways, whole) = (ways * &arms.ways[taken].1, whole * &arms.whole);
        self.path.push(Fork { arms, taken, ways, whole });
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
    fn arms(&mut self, ask: Ask, worth: WorthOf<'_>, view: View<'_>) -> Result<Sums, Stop> {
        let sums = self.fold(ask.count, single(ask, worth))?;
        let mut seen: Merged<Worth> = Merged::default();
        for (sum, ways) in &sums.ways {
            *seen.entry(view(*sum)).or_insert(UBig::ZERO) += ways;
        }
        let mut arms = Odds { ways: seen.into_iter().collect(), whole: sums.whole.clone() };
        arms.reduce();
        Ok(Sums { ways: arms.ways, whole: arms.whole })
    }

    /// Adds dice to the sum one by one.
    fn fold(&mut self, dice: u32, single: Odds<Worth>) -> Result<Rc<Sums>, Stop> {
        let throw = Throw { dice, worth: single.ways };
        if let Some(sums) = self.folded.get(&throw) {
            return Ok(sums.clone());
        }
        // Sums stand in a grid of points by marks.
        let bounds = |of: fn(&Worth) -> i64| {
            let values = throw.worth.iter().map(|(worth, _)| of(worth));
            values.fold((i64::MAX, i64::MIN), |(low, high), value| (low.min(value), high.max(value)))
        };
        let (low, high) = bounds(|worth| i64::from(worth.points));
        let (least, most) = bounds(|worth| i64::from(worth.marks));
        let size = |dice: i64, low: i64, high: i64| usize::try_from((high - low) * dice + 1).unwrap_or(usize::MAX);
        let dice = i64::from(throw.dice);
        let (columns, rows) = (size(dice, low, high), size(dice, least, most));
        if columns.saturating_mul(rows) > CELLS {
            return Err(Stop::TooMany);
        }
        let mut grid = vec![UBig::ZERO; columns * rows];
        grid[0] = UBig::ONE;
        for thrown in 0..dice {
            let (wide, tall) = (size(thrown, low, high), size(thrown, least, most));
            let mut next = vec![UBig::ZERO; columns * rows];
            for row in 0..tall {
                self.step(wide)?;
                for column in 0..wide {
                    let ways = &grid[row * columns + column];
                    if ways.is_zero() {
                        continue;
                    }
                    for (worth, one) in &throw.worth {
                        let column = column + offset(i64::from(worth.points) - low);
                        let row = row + offset(i64::from(worth.marks) - least);
                        next[row * columns + column] += ways * one;
                    }
                }
            }
            grid = next;
        }
        let mut ways = Vec::new();
        for (at, count) in grid.into_iter().enumerate().filter(|(_, count)| !count.is_zero()) {
            let points = i64::try_from(at % columns).unwrap_or(i64::MAX) + low * dice;
            let marks = i64::try_from(at / columns).unwrap_or(i64::MAX) + least * dice;
            let points = i32::try_from(points).map_err(|_| Stop::TooMany)?;
            let marks = u32::try_from(marks).map_err(|_| Stop::TooMany)?;
            ways.push((Worth { points, marks, again: false }, count));
        }
        let whole = single.whole.pow(usize::try_from(dice).unwrap_or(usize::MAX));
        let sums = Rc::new(Sums { ways, whole });
        self.folded.insert(throw, sums.clone());
        Ok(sums)
    }
}

/// A difference that is not negative, as an index.
fn offset(difference: i64) -> usize {
    usize::try_from(difference).unwrap_or(0)
}

/// What a single die may be worth, with all that it calls for.
fn single(ask: Ask, worth: WorthOf<'_>) -> Odds<Worth> {
    let faces = UBig::from(ask.sides);
    let mut called: Option<Odds<Worth>> = None;
    for generation in (0..=ask.generations).rev() {
        let (more, whole) = match &called {
            Some(called) => (called.ways.as_slice(), called.whole.clone()),
            // Nobody answers what the last generation calls for.
            None => ([].as_slice(), UBig::ONE),
        };
        let mut ways: Merged<Worth> = Merged::default();
        for face in 1..=ask.sides {
            let die = worth(face, generation);
            let alone = Worth { again: false, ..die };
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
        let mut odds = Odds { ways: ways.into_iter().collect(), whole: whole * &faces };
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
            let arms = Rc::new(self.arms(ask, worth, view)?);
            self.take(arms, 0);
        }
        let fork = &self.path[self.passed];
        self.passed += 1;
        Ok((fork.arms.ways[fork.taken].0, Faces::new()))
    }
}

#[cfg(test)]
mod tests;
