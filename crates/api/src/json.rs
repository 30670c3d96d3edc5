//! A request's body: checked, and taken apart into raw slices by key, so that `ruleset` may stand anywhere
//! and each part is read straight into its own type.

use std::borrow::Cow;
use std::fmt;

use scathe_rules::check::Faults;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::limits::SHOWN;
use crate::problem::{NOT_JSON, Problem, TOO_DEEP};

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
pub fn read(body: &[u8], depth: usize) -> Result<&RawValue, Problem> {
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

/// One reference token of a JSON Pointer.
pub fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Reads a raw value, slice by slice, and tells the keys that stand twice and the numbers that are
/// none of ours. How deep it may nest was seen to before.
pub fn values(raw: &RawValue, faults: &mut Faults) -> Result<Value, Problem> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'{') => {
            let members: Members<'_> = serde_json::from_str(text).map_err(|error| broken(&error))?;
            let mut object = Map::new();
            for (key, raw) in members.iter() {
                let member = faults.within(&format!("/{}", token(key)), |faults| {
                    if object.contains_key(key) {
                        faults.add("", "stands here twice");
                    }
                    values(raw, faults)
                })?;
                object.entry(key).or_insert(member);
            }
            Ok(Value::Object(object))
        }
        Some(b'[') => {
            let entries: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| broken(&error))?;
            let mut list = Vec::with_capacity(entries.len());
            for (index, raw) in entries.into_iter().enumerate() {
                list.push(faults.within(&format!("/{index}"), |faults| values(raw, faults))?);
            }
            Ok(Value::Array(list))
        }
        Some(b'-' | b'0'..=b'9') => Ok(number(text, faults)),
        _ => Ok(serde_json::from_str(text).unwrap_or_else(|_| {
            faults.add("", "is a string with an escape that stands for no character");
            Value::Null
        })),
    }
}

/// A number: every one in a request is whole, and written without point or exponent.
fn number(text: &str, faults: &mut Faults) -> Value {
    let short: String = text.chars().take(SHOWN).collect();
    if text == "-0" {
        faults.add("", "must be an integer, but is -0: write 0");
        return Value::Null;
    }
    if text.contains(['.', 'e', 'E']) {
        faults.add("", format!("must be an integer, but is {short}"));
        return Value::Null;
    }
    match serde_json::from_str::<Value>(text) {
        // Beyond 64 bits it is read as a float; where it stands an integer would be out of bounds too.
        Ok(value) if value.is_i64() || value.is_u64() => value,
        _ => {
            faults.add("", format!("is far out of bounds: {short}"));
            Value::Null
        }
    }
}
