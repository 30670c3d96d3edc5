//! Dice as sheets and books write them: "1d8+2", "d6", "1d4 + 1d12 - 1".

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::Type;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::check::RATING;
use crate::dice::{Ask, By, Stop};
use crate::tray::Tray;

/// The most dice of one text.
const DICE: u32 = 100;

/// The most sides of a die.
const SIDES: u32 = 1000;

/// Texts that can be read, for the document and for faults.
const EXAMPLES: [&str; 4] = ["1d8+2", "1d4 + 1d12 - 1", "2 + 3D6", "d10"];

/// Dice to throw, and a number to add to their sum.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DiceText {
    terms: Vec<Term>,
    plus: i32,
}

/// Some dice of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Term {
    count: u32,
    sides: u32,
}

impl DiceText {
    /// `count` dice of `sides` sides each, and `plus` on their sum.
    pub fn new(count: u32, sides: u32, plus: i32) -> Self {
        Self { terms: vec![Term { count, sides }], plus }
    }

    /// How many dice there are.
    pub fn count(&self) -> u32 {
        self.terms.iter().map(|term| term.count).sum()
    }

    /// The same with twice as many dice; the number is added once.
    pub fn doubled(&self) -> Self {
        let twice = |term: &Term| Term { count: 2 * term.count, ..*term };
        Self { terms: self.terms.iter().map(twice).collect(), plus: self.plus }
    }

    /// Throws the dice, term by term, and adds everything up, not below 0. `what` is the name of the
    /// sum in the log, `why` the rule that calls for the throw, `by` one of several parties, if it is
    /// one of several who throws.
    pub fn throw<Event>(
        &self,
        what: &'static str,
        why: &'static str,
        by: Option<By>,
        tray: &mut Tray<'_, Event>,
    ) -> Result<i32, Stop> {
        let mut sum = 0;
        for term in &self.terms {
            sum += tray.shown(Ask { by, ..Ask::new(why, term.count, term.sides) })?;
        }
        if self.plus != 0 {
            let rolled = sum;
            tray.step(what, &mut sum, (rolled + self.plus).max(0), why);
        }
        Ok(sum)
    }
}

impl PartialSchema for DiceText {
    fn schema() -> RefOr<Schema> {
        let description = "Dice to throw, as a sheet writes them: dice and whole numbers, joined by + and -, in any \
                           order, with spaces anywhere between them. Up to 100 dice in all, of up to 1000 sides, and \
                           numbers that add up to -1000 to 1000. Dice cannot be subtracted. The sum does not fall \
                           below 0.";
        ObjectBuilder::new().schema_type(Type::String).description(Some(description)).examples(EXAMPLES).into()
    }
}

impl ToSchema for DiceText {
    fn name() -> Cow<'static, str> {
        "DiceText".into()
    }
}

impl TryFrom<String> for DiceText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let fault = |wrong: String| {
            let examples = EXAMPLES.map(|example| format!("\"{example}\"")).join(", ");
            format!("{wrong}; examples of dice: {examples}")
        };
        let unlike = || fault(format!("must be dice and numbers joined by + or -, but is {text:?}"));
        let (mut terms, mut plus, mut dice) = (Vec::new(), 0, 0_u32);
        for Part { minus, number, sides } in parts(&text).ok_or_else(unlike)? {
            let Some(sides) = sides else {
                plus += if minus { -i64::from(number) } else { i64::from(number) };
                continue;
            };
            if minus {
                return Err(fault(format!("cannot subtract dice, but is {text:?}")));
            }
            if number == 0 || !(1..=SIDES).contains(&sides) {
                return Err(fault(format!("must have dice of 1 to {SIDES} sides, at least 1, but is {text:?}")));
            }
            dice = dice.saturating_add(number);
            terms.push(Term { count: number, sides });
        }
        if dice > DICE {
            return Err(fault(format!("must have at most {DICE} dice in all, but has {dice}")));
        }
        match i32::try_from(plus) {
            Ok(plus) if plus.abs() <= RATING => Ok(Self { terms, plus }),
            _ => Err(fault(format!("must add from -{RATING} to {RATING} to its dice, but adds {plus}"))),
        }
    }
}

/// One part of a text: dice with `sides`, or a number without.
struct Part {
    minus: bool,
    number: u32,
    sides: Option<u32>,
}

/// The parts of a text, if it can be read. A number too large to hold stays out of bounds.
fn parts(text: &str) -> Option<Vec<Part>> {
    let mut rest = text.trim_start();
    let mut parts = Vec::new();
    while parts.is_empty() || !rest.is_empty() {
        let (mut minus, mut signs) = (false, 0);
        while let Some(sign) = take(&mut rest, &['+', '-', '\u{2212}']) {
            (minus, signs) = (minus != (sign != '+'), signs + 1);
        }
        // One sign joins; the number after it may have its own: "1d6 + -1".
        if signs > 2 || (signs == 0 && !parts.is_empty()) {
            return None;
        }
        let number = whole_number(&mut rest);
        let sides = match take(&mut rest, &['d', 'D']) {
            Some(_) => Some(whole_number(&mut rest)?),
            None => None,
        };
        parts.push(Part { minus, number: number.or(sides.map(|_| 1))?, sides });
    }
    Some(parts)
}

/// Takes one of these letters, and the spaces after it.
fn take(rest: &mut &str, letters: &[char]) -> Option<char> {
    let letter = rest.chars().next().filter(|letter| letters.contains(letter))?;
    *rest = rest[letter.len_utf8()..].trim_start();
    Some(letter)
}

/// Takes the digits of a whole number, and the spaces after it.
fn whole_number(rest: &mut &str) -> Option<u32> {
    let length = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(length);
    *rest = after.trim_start();
    (!digits.is_empty()).then(|| digits.parse().unwrap_or(u32::MAX))
}

impl fmt::Display for DiceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Term { count, sides }) in self.terms.iter().enumerate() {
            let joined = if index == 0 { "" } else { "+" };
            write!(f, "{joined}{count}d{sides}")?;
        }
        match self.plus {
            plus if self.terms.is_empty() => write!(f, "{plus}"),
            0 => Ok(()),
            plus => write!(f, "{plus:+}"),
        }
    }
}

impl From<DiceText> for String {
    fn from(dice: DiceText) -> Self {
        dice.to_string()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

    use super::*;
    use crate::dice::Given;

    fn read(text: &str) -> Result<DiceText, String> {
        DiceText::try_from(text.to_owned())
    }

    #[test]
    fn a_text_is_read_as_a_sheet_means_it() {
        for (text, canonical) in [
            ("1d8+2", "1d8+2"),
            ("d6", "1d6"),
            ("1D8", "1d8"),
            ("2 + 1d4", "1d4+2"),
            ("1d4 + 1d12+3", "1d4+1d12+3"),
            ("\t1 d 8 - 1 ", "1d8-1"),
            ("1d6 + -1", "1d6-1"),
            ("1d6 \u{2212} 1", "1d6-1"),
            ("-3 + 2d6 + 3", "2d6"),
            ("01d06", "1d6"),
            ("5", "5"),
            ("100d1000+1000", "100d1000+1000"),
            ("50d6+50d8", "50d6+50d8"),
            ("1d6+2000-1000", "1d6+1000"),
        ] {
            assert_eq!(read(text).unwrap().to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn the_canonical_text_is_read_as_the_same_dice() {
        for text in EXAMPLES.into_iter().chain(["5", "3 - 4", "1d6 - 7", "3d6+1d6"]) {
            let dice = read(text).unwrap();
            assert_eq!(read(&dice.to_string()), Ok(dice));
        }
    }

    #[test]
    fn a_text_that_cannot_be_read_is_told_in_words_with_an_example() {
        for text in [
            "",
            " ",
            "d",
            "1d",
            "1x8",
            "1d8+",
            "+",
            "1d6 2",
            "1 0d6",
            "1d6+++1",
            "1d6 1d6",
            "1d6d6",
            "1d8.5",
            "0d6",
            "1d0",
            "1d1001",
            "101d6",
            "50d6 + 51d6",
            "1d6-1d4",
            "-1d6",
            "1d8+1001",
            "1d8-1001",
            "99999999999d6",
            "1d99999999999",
            "1d6+99999999999",
        ] {
            let fault = read(text).unwrap_err();
            assert!(fault.contains("examples of dice: \"1d8+2\""), "{text}: {fault}");
        }
    }

    #[test]
    fn each_term_is_thrown_in_order_and_the_number_is_added_once() {
        let dice = read("1 + 2d4 + 1d12").unwrap();
        let mut given = Given::new(vec![3, 4, 11]);
        assert_eq!(dice.throw("damage", "damage_roll", None, &mut Tray::<()>::new(&mut given)), Ok(19));
        let mut given = Given::new(vec![3, 4, 1, 2, 11, 12]);
        assert_eq!(dice.doubled().throw("damage", "damage_roll", None, &mut Tray::<()>::new(&mut given)), Ok(34));
        assert_eq!((dice.count(), dice.doubled().count()), (3, 6));
        let mut given = Given::new(vec![2]);
        assert_eq!(
            read("1d4-3").unwrap().throw("damage", "damage_roll", None, &mut Tray::<()>::new(&mut given)),
            Ok(0)
        );
    }
}
