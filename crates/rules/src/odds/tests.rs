//! `total` means no more than `face` again and again.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::collections::BTreeSet;

use super::*;

/// Dice that know only how to throw one at a time.
struct OneByOne<'w, 'g>(&'w mut Walk<'g>);

impl Dice for OneByOne<'_, '_> {
    fn face(&mut self, ask: Ask) -> Result<u32, Stop> {
        self.0.face(ask)
    }
}

type Rule<'r> = &'r dyn Fn(&mut dyn Dice) -> Result<Worth, Stop>;

/// What a rule's dice may be worth, walked.
fn walked(one_by_one: bool, rule: Rule<'_>) -> (BTreeSet<(Worth, String)>, usize) {
    let mut walk = Walk::new(&|| true);
    let start = Odds { ways: vec![((), UBig::ONE)], whole: UBig::ONE };
    let mut branches = 0;
    let odds = start
        .each(&mut walk, |(), walk, leaf| {
            walk.begin();
            loop {
                let worth = if one_by_one { rule(&mut OneByOne(walk))? } else { rule(walk)? };
                branches += 1;
                let (ways, whole) = walk.weight();
                leaf(worth, ways, whole)?;
                if !walk.next_path()? {
                    return Ok(());
                }
            }
        })
        .unwrap();
    let sum = odds.ways.iter().fold(UBig::ZERO, |sum, (_, ways)| sum + ways);
    assert_eq!(sum, odds.whole, "all ways together are the whole");
    (odds.ways.iter().map(|(worth, ways)| (*worth, format!("{ways}/{}", odds.whole))).collect(), branches)
}

fn agree(rule: Rule<'_>) -> usize {
    let (folded, branches) = walked(false, rule);
    let (thrown, _) = walked(true, rule);
    assert_eq!(folded, thrown);
    branches
}

/// A success at 4 and more, a mark at 6.
fn check(face: u32, _: u32) -> Worth {
    Worth { points: i32::from(face >= 4), marks: u32::from(face == 6), again: false }
}

/// Fails count against, and the highest face calls for another die, on which there are no fails.
fn chained(sides: u32, needed: u32) -> impl Fn(u32, u32) -> Worth {
    move |face, generation| {
        let success = i32::from(face >= needed);
        let points = match generation {
            0 if face == 1 => -1,
            0 => success,
            _ => 1 + success,
        };
        let again = face == sides;
        Worth { points, marks: u32::from(again && generation == 0), again }
    }
}

#[test]
fn sums_of_dice_are_those_of_single_faces() {
    agree(&|dice| Ok(dice.total(Ask::new("check", 4, 6), &check, &|sum| sum)?.0));
    let shown = |face, _| Worth::points(i32::try_from(face).unwrap());
    agree(&|dice| Ok(dice.total(Ask::new("sum", 3, 8), &shown, &|sum| sum)?.0));
}

#[test]
fn no_dice_are_worth_nothing() {
    let (folded, branches) = walked(false, &|dice| Ok(dice.total(Ask::new("none", 0, 6), &check, &|sum| sum)?.0));
    assert_eq!((folded.len(), branches), (1, 1));
    agree(&|dice| Ok(dice.total(Ask::new("none", 0, 6), &check, &|sum| sum)?.0));
}

#[test]
fn a_view_merges_what_the_rule_cannot_tell_apart() {
    let grade = |sum: Worth| Worth::points(i32::from(sum.points >= 2));
    let branches = agree(&|dice| Ok(dice.total(Ask::new("check", 5, 6), &check, &grade)?.0));
    assert_eq!(branches, 2);
}

#[test]
fn dice_that_call_for_others_add_up_generation_by_generation() {
    for generations in 0..=3 {
        let ask = Ask { generations, ..Ask::new("chain", 2, 4) };
        agree(&|dice| Ok(dice.total(ask, &chained(4, 3), &|sum| sum)?.0));
    }
}

#[test]
fn throws_after_one_another_depend_on_what_came_before() {
    agree(&|dice| {
        let first = dice.total(Ask::new("first", 2, 6), &check, &|sum| sum)?.0;
        let mut both = first;
        both += dice.total(Ask::new("second", first.marks, 6), &check, &|sum| sum)?.0;
        Ok(both)
    });
}

#[test]
fn eight_d12_with_chains_of_ten_generations_are_a_few_hundred_branches() {
    let ask = Ask { generations: 10, ..Ask::new("check", 8, 12) };
    let view = |sum: Worth| Worth { marks: sum.marks.min(1), ..sum };
    let (_, branches) = walked(false, &|dice| Ok(dice.total(ask, &chained(12, 8), &view)?.0));
    assert!((100..1000).contains(&branches), "{branches} branches");
}

#[test]
fn a_chain_of_one_die_has_the_chances_counted_by_hand() {
    // One d12 needing 8, one generation: the second die counts 1 below 8 and 2 from 8 on.
    let ask = Ask { generations: 1, ..Ask::new("check", 1, 12) };
    let (folded, _) = walked(false, &|dice| Ok(dice.total(ask, &chained(12, 8), &|sum| sum)?.0));
    let chances: Vec<_> = folded.into_iter().map(|(worth, chance)| (worth.points, worth.marks, chance)).collect();
    let by_hand = [
        // 1 of 12 fails; 2 to 7 are nothing; 8 to 11 are one success.
        (-1, 0, "12/144"),
        (0, 0, "72/144"),
        (1, 0, "48/144"),
        // A 12 is one success, and the die that it calls for 7 times of 12 one more, 5 times two more.
        (2, 1, "7/144"),
        (3, 1, "5/144"),
    ];
    assert_eq!(chances, by_hand.map(|(points, marks, chance)| (points, marks, chance.to_owned())));
}

#[test]
fn too_many_sums_and_a_no_end_a_walk() {
    let many = Ask::new("check", 5000, 1000);
    let shown = |face, _| Worth::points(i32::try_from(face).unwrap());
    let mut walk = Walk::new(&|| true);
    assert_eq!(walk.total(many, &shown, &|sum| sum).unwrap_err(), Stop::TooMany);
    let mut walk = Walk::new(&|| false);
    let ask = Ask::new("check", 1000, 6);
    assert_eq!(walk.total(ask, &shown, &|sum| sum).unwrap_err(), Stop::TooMany, "asked within a single throw too");
}

#[test]
fn the_best_and_the_worst_of_some_dice_are_as_one_by_one() {
    let shown = |face: u32, _| Worth::points(i32::try_from(face).unwrap());
    for (keep, dice) in [(Keep::Highest, 2), (Keep::Lowest, 2), (Keep::Highest, 3), (Keep::Lowest, 1)] {
        let ask = Ask { keep: Some(keep), ..Ask::new("check", dice, 6) };
        let branches = agree(&|dice| Ok(dice.total(ask, &shown, &|kept| kept)?.0));
        assert_eq!(branches, 6, "one for each face");
    }
    let advantage = Ask { keep: Some(Keep::Highest), ..Ask::new("check", 2, 20) };
    let passes =
        |dice: &mut dyn Dice| Ok(dice.total(advantage, &shown, &|kept| Worth::points(i32::from(kept.points >= 11)))?.0);
    // At least one of two shows 11 or more: 1 less (10/20)².
    assert!(walked(false, &passes).0.contains(&(Worth::points(1), "3/4".to_owned())));
}
