//! A request's body: taken apart once into raw slices by key, so that `ruleset` may stand anywhere
//! and each part is read straight into its own type.

use std::borrow::Cow;
use std::fmt;

use scathe_rules::check::{Check, Faults, given};
use scathe_rules::ruleset::Action;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::problem::{NOT_JSON, Problem, TOO_DEEP};

/// The most characters of a seed.
const SEED_LENGTH: usize = 64;
/// The most faces that a request may bring.
const FACES: usize = 10_000;
/// The most sides of a die.
const SIDES: u32 = 1000;

/// The members of a JSON object in the order in which they stand, repeated ones included.
pub struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Takes the object apart; `None` if it is another value.
    pub fn of(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }

    /// The members and their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), *value))
    }

    /// The first member of this name.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.iter().find_map(|(name, value)| (name == key).then_some(value))
    }

    /// The members that `mine` picks, to be read as one struct.
    pub fn deserializer(&self, mine: impl Fn(&str) -> bool) -> impl Deserializer<'a, Error = serde_json::Error> {
        MapDeserializer::new(self.iter().filter(move |(key, _)| mine(key)))
    }

    /// Reads the members that `mine` picks as one struct.
    pub fn read<T: DeserializeOwned>(&self, mine: impl Fn(&str) -> bool) -> Result<T, serde_json::Error> {
        T::deserialize(self.deserializer(mine))
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Take;
        impl<'de> Visitor<'de> for Take {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Members<'de>, M::Error> {
                let mut members = Vec::new();
                while let Some(Key(key)) = map.next_key()? {
                    members.push((key, map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Take)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Checks that the body is one JSON value that nests no deeper than `depth`, and answers it unread.
pub fn json(body: &[u8], depth: usize) -> Result<&RawValue, Problem> {
    if nesting(body) > depth {
        return Err(Problem::new(&TOO_DEEP, format!("The body nests deeper than {depth} levels.")));
    }
    let text = std::str::from_utf8(body).map_err(|error| {
        let good = body.get(..error.valid_up_to()).unwrap_or_default();
        let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let column = good.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
        not_json("the text is not UTF-8", line, column)
    })?;
    if text.trim().is_empty() {
        return Err(Problem::new(&NOT_JSON, "The body is empty; a JSON object is expected."));
    }
    serde_json::from_str(text).map_err(|error| broken(&error))
}

/// How deep lists and objects stand inside one another. What is no JSON has some depth too.
fn nesting(body: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0usize, 0, false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The problem of a body that breaks off or is no JSON where the error says.
pub fn broken(error: &serde_json::Error) -> Problem {
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or_default();
    not_json(what, error.line(), error.column())
}

fn not_json(what: &str, line: usize, column: usize) -> Problem {
    Problem::new(&NOT_JSON, format!("The body is not JSON: {what} (line {line}, column {column})."))
}

/// Keys that say how an action is to be carried out, beside those that say which.
pub trait How: Check + Default + DeserializeOwned + ToSchema {
    /// Their names, for an action.
    fn names<A: Action>() -> &'static [&'static str];

    /// Whether the caller brings dice.
    fn has_dice(&self) -> bool;
}

/// How the dice of a request are thrown: three keys that every verb has.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Throw {
    /// Faces of dice thrown elsewhere, in the order in which the rule asks. Too few is a problem that
    /// says what to throw next (`[]` asks for the first throw), and so is one too many. Alone, it is
    /// never added to.
    #[serde(deserialize_with = "given")]
    #[schema(max_items = 10_000, nullable = false, schema_with = faces)]
    pub dice: Option<Vec<u32>>,
    /// The service throws from this seed: the same seed, the same dice. Absent, and without `dice`:
    /// from a fresh one, which the reply tells.
    #[serde(deserialize_with = "given")]
    #[schema(min_length = 1, max_length = 64, nullable = false, examples("round 3"))]
    pub seed: Option<String>,
    /// The service throws what `dice` does not cover.
    #[schema(default = false)]
    pub throw_rest: bool,
}

impl How for Throw {
    fn names<A: Action>() -> &'static [&'static str] {
        &["dice", "seed", "throw_rest"]
    }

    fn has_dice(&self) -> bool {
        self.dice.is_some()
    }
}

fn faces() -> utoipa::openapi::schema::Array {
    use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
    let face = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(SIDES));
    ArrayBuilder::new()
        .items(face)
        .max_items(Some(FACES))
        .description(Some(
            "Faces of dice thrown elsewhere, in the order in which the rule asks. Too few is a problem that says what to throw \
             next (`[]` asks for the first throw), and so is one too many. Alone, it is never added to.",
        ))
        .build()
}

/// A seed that is empty or long is a fault.
pub fn check_seed(seed: &str, faults: &mut Faults) {
    let length = seed.chars().count();
    if !(1..=SEED_LENGTH).contains(&length) {
        faults.add("/seed", format!("must have from 1 to {SEED_LENGTH} characters, but has {length}"));
    }
}

impl Check for Throw {
    fn check(&self, faults: &mut Faults) {
        if let Some(dice) = &self.dice {
            faults.length("/dice", dice, 0..=FACES);
            for (index, &face) in dice.iter().enumerate() {
                faults.bounds(&format!("/dice/{index}"), face, 1..=SIDES);
            }
        }
        if let Some(seed) = &self.seed {
            check_seed(seed, faults);
        }
        match (&self.dice, &self.seed, self.throw_rest) {
            (Some(_), Some(_), false) => {
                faults.add("/seed", "does not go with `dice`, unless `throw_rest` is true as well");
            }
            (None, _, true) => faults.add("/throw_rest", "says what to do beyond `dice`, which is missing"),
            _ => {}
        }
    }
}

/// How odds are asked for.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Asking {
    /// How many outcomes to list, the likeliest; the others are summed up in `left_out`. Absent: all.
    #[serde(deserialize_with = "given")]
    #[schema(minimum = 1, maximum = 10_000, nullable = false)]
    pub top: Option<u32>,
    /// How often the action is repeated on its own result, round by round.
    #[serde(deserialize_with = "given")]
    #[schema(minimum = 1, maximum = 200, nullable = false)]
    pub rounds: Option<u32>,
}

impl How for Asking {
    fn names<A: Action>() -> &'static [&'static str] {
        if A::ROUNDS { &["top", "rounds"] } else { &["top"] }
    }

    fn has_dice(&self) -> bool {
        false
    }
}

impl Check for Asking {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/top", self.top, 1..=10_000);
        faults.bounds_if("/rounds", self.rounds, 1..=200);
    }
}
