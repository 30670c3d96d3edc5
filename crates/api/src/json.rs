//! A request's body as a tree, read in one pass. What JSON allows and a request does not is told while reading:
//! keys that stand twice, numbers with a fraction, nesting and lengths beyond the limits.
//!
//! The tree is our own, over serde_json's parser. Libraries with a tree that borrows end at the first fault, at
//! a line and a column; a request is told all its faults, each at a pointer, and its values are counted while
//! it is read.

use std::borrow::Cow;
use std::fmt;

use scathe_rules::check::Faults;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IgnoredAny, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use crate::limits::{FACES, MEMBERS, NODES, OPERATIONS};
use crate::problem::{NOT_JSON, Problem, TOO_DEEP};

/// A JSON value whose numbers are all whole. It borrows its texts from the body, where they have no escapes.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A string.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Json<'a>>),
    /// An object: its members in their order, each key once.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

/// A body that was read, and what was found wrong while reading.
pub struct Body<'a> {
    /// The value.
    pub json: Json<'a>,
    /// What no request may have. Of two members of the same name the first is in the tree.
    pub faults: Faults,
}

/// Reads a body that nests no deeper than `depth`.
///
/// # Errors
/// It is not JSON, nests too deep, or has a fault after which nothing can be read.
pub fn read(body: &[u8], depth: usize) -> Result<Body<'_>, Problem> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    // JSON begins with a character of ASCII, one of whose two bytes is zero in UTF-16.
    if matches!(body, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, ..] | [_, 0, ..]) {
        return Err(Problem::new(&NOT_JSON, "The body is UTF-16; JSON is sent as UTF-8."));
    }
    let text = std::str::from_utf8(body).map_err(|error| not_utf8(body, error.valid_up_to()))?;
    if text.trim_ascii().is_empty() {
        return Err(Problem::new(&NOT_JSON, "The body is empty; a JSON object is expected."));
    }
    let mut reader = Reader { at: String::new(), depth, nodes: NODES, faults: Faults::default(), end: None };
    let mut from = serde_json::Deserializer::from_str(text);
    let read = Node(&mut reader).deserialize(&mut from).and_then(|json| from.end().map(|()| json));
    match read {
        Ok(json) => Ok(Body { json, faults: reader.faults }),
        Err(error) => Err(reader.ended(text, depth, &error)),
    }
}

/// The problem of a body that is not UTF-8 from the byte at `good` on.
fn not_utf8(body: &[u8], good: usize) -> Problem {
    let good = body.get(..good).unwrap_or_default();
    let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let column = good.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
    not_json("the text is not UTF-8", line, column)
}

/// The problem of a text that is not JSON where the error says.
fn broken(error: &serde_json::Error) -> Problem {
    let said = error.to_string();
    not_json(said.split(" at line ").next().unwrap_or_default(), error.line(), error.column())
}

fn not_json(what: &str, line: usize, column: usize) -> Problem {
    Problem::new(&NOT_JSON, format!("The body is not JSON: {what} (line {line}, column {column})."))
}

/// Why reading ended before the end.
enum End {
    TooDeep,
    TooMany(String),
}

struct Reader {
    /// Where it is, as a JSON Pointer; where it ended, after an error.
    at: String,
    /// How many levels more it may go down.
    depth: usize,
    /// How many values more it may read.
    nodes: usize,
    /// Faults after which reading goes on.
    faults: Faults,
    end: Option<End>,
}

impl Reader {
    fn fault(&mut self, detail: impl Into<String>) {
        self.faults.add(&self.at, detail);
    }

    /// Ends the reading.
    fn end<E: serde::de::Error>(&mut self, end: End) -> E {
        self.end = Some(end);
        E::custom("")
    }

    /// Reads the value at `step` below here.
    fn below<T, E>(&mut self, step: &str, read: impl FnOnce(Node<'_>) -> Result<T, E>) -> Result<T, E> {
        let length = self.at.len();
        self.at.push('/');
        if step.contains(['~', '/']) {
            self.at.push_str(&token(step));
        } else {
            self.at.push_str(step);
        }
        let value = read(Node(self))?;
        self.at.truncate(length);
        Ok(value)
    }

    /// Reads an entry of a list or an object, one level down.
    fn nested<T, E: serde::de::Error>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        let Some(depth) = self.depth.checked_sub(1) else { return Err(self.end(End::TooDeep)) };
        self.depth = depth;
        let value = read(self)?;
        self.depth += 1;
        Ok(value)
    }

    /// Counts one value more.
    fn count<E: serde::de::Error>(&mut self) -> Result<(), E> {
        let Some(nodes) = self.nodes.checked_sub(1) else {
            return Err(self.end(End::TooMany(format!("is more than a body may have: {NODES} values"))));
        };
        self.nodes = nodes;
        Ok(())
    }

    /// What a body is answered with whose reading ended early.
    fn ended(mut self, text: &str, depth: usize, error: &serde_json::Error) -> Problem {
        let what = match self.end.take() {
            Some(End::TooDeep) => {
                return Problem::new(&TOO_DEEP, format!("The body nests deeper than {depth} levels."));
            }
            Some(End::TooMany(what)) => what,
            None => {
                let said = error.to_string();
                if said.starts_with("number out of range") {
                    "is far out of bounds".to_owned()
                } else if said.starts_with("lone leading surrogate") || said.starts_with("unexpected end of hex escape")
                {
                    "is a string with an escape that stands for no character".to_owned()
                } else {
                    return broken(error);
                }
            }
        };
        // What comes after may not be JSON at all: then that is told.
        if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
            return broken(&error);
        }
        self.fault(what);
        Problem::invalid(self.faults.into_found())
    }
}

/// One reference token of a JSON Pointer.
pub fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The value that comes next.
struct Node<'r>(&'r mut Reader);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Json<'de>, D::Error> {
        self.0.count()?;
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Int(i64::try_from(value).unwrap_or_else(|_| {
            self.0.fault(format!("is far out of bounds: {value}"));
            i64::MAX
        })))
    }

    /// 12.0, 1e2 and -0 are integers (JSON Schema 2020-12, validation, 6.1.1), and 12.5 is none.
    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        // The whole numbers that are exact as floats; what is beyond has bounds nowhere near.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if value.abs() > EXACT {
            self.0.fault(format!("is far out of bounds: {value:e}"));
        } else if value.fract() != 0.0 {
            self.0.fault(format!("must be an integer, but is {value}"));
        }
        // The cast saturates: what is far stays far.
        Ok(Json::Int(value as i64))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Json<'de>, S::Error> {
        self.0.nested(|reader| {
            let (mut list, mut step) = (Vec::new(), String::new());
            loop {
                step.clear();
                // Writing to a string cannot fail.
                let _ = fmt::Write::write_fmt(&mut step, format_args!("{}", list.len()));
                let Some(value) = reader.below(&step, |node| seq.next_element_seed(node))? else { break };
                list.push(value);
                // Nothing has more parts than a batch has operations, and no list more numbers than `dice`.
                let most =
                    if matches!(list.last(), Some(Json::List(_) | Json::Object(_))) { OPERATIONS } else { FACES };
                if list.len() > most {
                    return Err(reader.end(End::TooMany(format!("must have at most {most} entries"))));
                }
            }
            Ok(Json::List(list))
        })
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Json<'de>, M::Error> {
        self.0.nested(|reader| {
            let mut members: Vec<(Cow<'de, str>, Json<'de>)> = Vec::new();
            while let Some(Key(key)) = map.next_key()? {
                let twice = members.iter().any(|(known, _)| *known == key);
                let value = reader.below(&key, |node| {
                    if twice {
                        node.0.fault("appears twice");
                    }
                    map.next_value_seed(node)
                })?;
                if members.len() >= MEMBERS {
                    return Err(reader.end(End::TooMany(format!("must have at most {MEMBERS} members"))));
                }
                if !twice {
                    members.push((key, value));
                }
            }
            Ok(Json::Object(members))
        })
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Cow<'de, str>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Cow<'de, str>, E> {
                Ok(Cow::Borrowed(key))
            }

            fn visit_str<E>(self, key: &str) -> Result<Cow<'de, str>, E> {
                Ok(Cow::Owned(key.to_owned()))
            }
        }
        from.deserialize_str(Text).map(Key)
    }
}

/// The members of an object that are read as one struct.
pub type Picked<'t, I> = MapDeserializer<'t, I, Error>;

impl<'a> Json<'a> {
    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Takes the member of this name out.
    pub fn take(&mut self, name: &str) -> Option<Self> {
        let Self::Object(members) = self else { return None };
        let at = members.iter().position(|(key, _)| key == name)?;
        Some(members.remove(at).1)
    }

    /// Puts a member in, in the place of one that has its name.
    pub fn put(&mut self, name: &'static str, value: Json<'a>) {
        let Self::Object(members) = self else { return };
        match members.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value,
            None => members.push((Cow::Borrowed(name), value)),
        }
    }

    /// The value at a JSON Pointer.
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        pointer.split('/').skip(1).try_fold(self, |here, step| match here {
            Self::List(list) => list.get(step.parse::<usize>().ok()?),
            _ => here.get(&step.replace("~1", "/").replace("~0", "~")),
        })
    }

    /// Takes the member at a JSON Pointer out.
    pub fn remove(&mut self, pointer: &str) {
        let Some((parent, step)) = pointer.rsplit_once('/') else { return };
        let over = parent.split('/').skip(1).try_fold(self, |here, step| match here {
            Self::List(list) => list.get_mut(step.parse::<usize>().ok()?),
            Self::Object(members) => {
                let name = step.replace("~1", "/").replace("~0", "~");
                members.iter_mut().find_map(|(key, value)| (*key == name).then_some(value))
            }
            _ => None,
        });
        if let Some(over) = over {
            over.take(&step.replace("~1", "/").replace("~0", "~"));
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// How many bytes it has as a text without white space and escapes.
    pub fn size(&self) -> usize {
        match self {
            Self::Null | Self::Bool(true) => 4,
            Self::Bool(false) => 5,
            Self::Int(value) => value.checked_ilog10().map_or(1, |digits| digits as usize + 1),
            Self::Text(text) => text.len() + 2,
            Self::List(list) => list.iter().map(|value| value.size() + 1).sum::<usize>() + 2,
            Self::Object(members) => members.iter().map(|(key, value)| key.len() + value.size() + 4).sum::<usize>() + 2,
        }
    }

    /// As a value that a schema can be asked about.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::from(*value),
            Self::Text(text) => Value::from(&**text),
            Self::List(list) => list.iter().map(Self::to_value).collect(),
            Self::Object(members) => {
                let members = members.iter().map(|(key, value)| (key.clone().into_owned(), value.to_value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    /// The members that `mine` picks, to be read as one struct.
    pub fn pick<'t>(
        &'t self,
        mine: impl Fn(&str) -> bool,
    ) -> Picked<'t, impl Iterator<Item = (&'t str, &'t Json<'a>)>> {
        let members = if let Self::Object(members) = self { members.as_slice() } else { &[] };
        let members = members.iter().map(|(key, value)| (key.as_ref(), value));
        MapDeserializer::new(members.filter(move |(key, _)| mine(key)))
    }

    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(value) => Unexpected::Bool(*value),
            Self::Int(value) => Unexpected::Signed(*value),
            Self::Text(text) => Unexpected::Str(text),
            Self::List(_) => Unexpected::Seq,
            Self::Object(_) => Unexpected::Map,
        }
    }
}

impl<'t> IntoDeserializer<'t> for &'t Json<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// As strict as the schema: a list is no object, and `{"up": null}` is not `"up"`.
impl<'t> Deserializer<'t> for &'t Json<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::Int(value) => visitor.visit_i64(*value),
            Json::Text(text) => visitor.visit_borrowed_str(text),
            Json::List(list) => SeqDeserializer::new(list.iter()).deserialize_any(visitor),
            Json::Object(_) => self.pick(|_| true).deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Error> {
        if let Json::Null = self { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Json::Object(_) => self.deserialize_any(visitor),
            other => Err(Error::invalid_type(other.unexpected(), &"an object")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            // Serde's own text has variants without members only.
            Json::Text(text) => visitor.visit_enum(text.as_ref().into_deserializer()),
            Json::Object(members) => match members.as_slice() {
                [(key, value)] => visitor.visit_enum(Tagged(key, value)),
                _ => Err(Error::invalid_type(Unexpected::Map, &"a string, or an object with one key")),
            },
            other => Err(Error::invalid_type(other.unexpected(), &"a string, or an object with one key")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'t>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier
    }
}

/// `{"downed": { … }}`: a variant that has members.
struct Tagged<'t, 'a>(&'t str, &'t Json<'a>);

impl<'t> EnumAccess<'t> for Tagged<'t, '_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'t>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        Ok((seed.deserialize(self.0.into_deserializer())?, self))
    }
}

impl<'t> VariantAccess<'t> for Tagged<'t, '_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Err(Error::invalid_type(Unexpected::Map, &"a string"))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'t>>(self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.1)
    }

    fn tuple_variant<V: Visitor<'t>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no request has a tuple"))
    }

    fn struct_variant<V: Visitor<'t>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.1.deserialize_struct("", names, visitor)
    }
}
