//! Damage dice as the books print them: "1d8+2".

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::Type;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::Event;
use crate::check::RATING;
use crate::dice::{Ask, Stop, Worth};
use crate::tray::Tray;

/// The most dice of one text.
const DICE: i32 = 100;

/// The most sides of a die.
const SIDES: i32 = 1000;

/// Damage dice: how many, of how many sides, and what is added to their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DiceText {
    /// How many dice.
    pub count: u32,
    /// How many sides each has.
    pub sides: u32,
    /// What is added to their sum, or taken off.
    pub plus: i32,
}

impl DiceText {
    /// The dice of the examples.
    pub const EXAMPLE: Self = Self { count: 1, sides: 8, plus: 2 };

    /// `damage_roll`: throws the dice and adds them up, not below 0.
    pub fn throw(self, tray: &mut Tray<'_, Event>) -> Result<i32, Stop> {
        let shown = |face, _| Worth::points(i32::try_from(face).unwrap_or(i32::MAX));
        let mut damage = tray.total(Ask::new("damage_roll", self.count, self.sides), shown, |sum| sum)?.points;
        if self.plus != 0 {
            let rolled = damage;
            tray.step("damage", &mut damage, (rolled + self.plus).max(0), "damage_roll");
        }
        Ok(damage)
    }
}

impl PartialSchema for DiceText {
    fn schema() -> RefOr<Schema> {
        let pattern = "^([1-9][0-9]?|100)?d([1-9][0-9]{0,2}|1000)([+-](0|[1-9][0-9]{0,2}|1000))?$";
        let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern));
        let description = "Damage dice: up to 100 of up to 1000 sides, and up to 1000 more or less.";
        text.description(Some(description)).examples([String::from(Self::EXAMPLE)]).into()
    }
}

impl ToSchema for DiceText {
    fn name() -> Cow<'static, str> {
        "uesrpg.DiceText".into()
    }
}

impl TryFrom<String> for DiceText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let unlike = || format!("must be dice like \"1d8+2\", but is {text:?}");
        let (count, rest) = text.split_once('d').ok_or_else(unlike)?;
        let (sides, plus) = match rest.find(['+', '-']) {
            Some(at) => (&rest[..at], Some(&rest[at..])),
            None => (rest, None),
        };
        let count = if count.is_empty() { 1 } else { number(count).ok_or_else(unlike)? };
        let sides = number(sides).ok_or_else(unlike)?;
        let plus = match plus {
            Some(plus) => {
                let amount = number(&plus[1..]).ok_or_else(unlike)?;
                if plus.starts_with('-') { -amount } else { amount }
            }
            None => 0,
        };
        if !(1..=DICE).contains(&count) {
            return Err(format!("must call for 1 to {DICE} dice, but calls for {count}"));
        }
        if !(1..=SIDES).contains(&sides) {
            return Err(format!("must call for dice of 1 to {SIDES} sides, but calls for {sides}"));
        }
        if plus.abs() > RATING {
            return Err(format!("must add or take off at most {RATING}, but has {plus:+}"));
        }
        Ok(Self { count: count.unsigned_abs(), sides: sides.unsigned_abs(), plus })
    }
}

/// A whole number in digits, without sign or leading zeros.
fn number(digits: &str) -> Option<i32> {
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}

impl fmt::Display for DiceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}d{}", self.count, self.sides)?;
        if self.plus == 0 { Ok(()) } else { write!(f, "{:+}", self.plus) }
    }
}

impl From<DiceText> for String {
    fn from(dice: DiceText) -> Self {
        dice.to_string()
    }
}
