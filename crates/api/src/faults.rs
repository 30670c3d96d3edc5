//! Everything that is wrong with a request that could not be read, or that its rules refuse: found
//! by reading it as a plain value and checking that against the very schema that the document
//! publishes.

use std::collections::HashSet;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use scathe_rules::check::{Fault, Faults};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use serde_path_to_error::Segment;

use crate::json::token;
use crate::limits::SHOWN;

/// A schema without references, ready to find faults.
pub struct Schema {
    schema: Value,
    validator: Validator,
    lists: HashSet<String>,
}

impl Schema {
    /// Makes a validator of a schema whose references are all resolved.
    pub fn new(schema: Value) -> Result<Self, String> {
        let validator = jsonschema::draft202012::new(&schema).map_err(|error| error.to_string())?;
        let mut lists = HashSet::new();
        list_names(&schema, &mut lists);
        Ok(Self { schema, validator, lists })
    }

    /// Whether the schema may have something against a value that the types can read. They are laxer
    /// only where a list stands for an object, or `{"up": null}` for `"up"`.
    pub fn may_object(&self, raw: &RawValue) -> bool {
        has_lone_null(raw.get()) || has_stray_list(raw.get(), &self.lists)
    }

    /// Adds every fault that the schema finds in `value`.
    pub fn find(&self, value: &Value, faults: &mut Faults) {
        for error in self.validator.iter_errors(value) {
            self.tell(&error, faults);
            if faults.is_full() {
                return;
            }
        }
    }

    /// Says what one error of the validator means.
    fn tell(&self, error: &ValidationError<'_>, faults: &mut Faults) {
        let at = error.instance_path().as_str();
        let instance = error.instance().as_ref();
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                faults.add(&format!("{at}/{}", token(name)), "is missing");
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let known = self.beside(error, "properties").and_then(Value::as_object);
                let known: Vec<&str> = known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
                for name in unexpected {
                    faults.add(&format!("{at}/{}", token(name)), unknown(name, &known));
                }
            }
            ValidationErrorKind::Type { kind } => {
                let kinds = match kind {
                    TypeKind::Single(kind) => vec![kind.to_string()],
                    TypeKind::Multiple(kinds) => kinds.iter().map(|kind| kind.to_string()).collect(),
                };
                let kinds: Vec<&str> = kinds.iter().map(|kind| article(kind)).collect();
                faults.add(at, format!("must be {}, but is {}", kinds.join(" or "), shown(instance)));
            }
            ValidationErrorKind::Enum { options } => {
                let options: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                faults.add(at, one_of(instance, &options));
            }
            ValidationErrorKind::Minimum { .. } | ValidationErrorKind::Maximum { .. } => {
                faults.add(at, self.range(error, "minimum", "maximum", "", &shown(instance)));
            }
            ValidationErrorKind::MinItems { .. } | ValidationErrorKind::MaxItems { .. } => {
                let length = instance.as_array().map_or(0, Vec::len).to_string();
                faults.add(at, self.range(error, "minItems", "maxItems", " entries", &length));
            }
            ValidationErrorKind::MinLength { .. } | ValidationErrorKind::MaxLength { .. } => {
                let length = instance.as_str().map_or(0, |text| text.chars().count()).to_string();
                faults.add(at, self.range(error, "minLength", "maxLength", " characters", &length));
            }
            ValidationErrorKind::UniqueItems => {
                let entries = instance.as_array().map(Vec::as_slice).unwrap_or_default();
                faults.distinct(at, entries);
            }
            ValidationErrorKind::OneOfNotValid { context } | ValidationErrorKind::AnyOf { context } => {
                self.tell_alternatives(at, instance, context, faults);
            }
            _ => faults.add(at, error.to_string()),
        }
    }

    /// A fault inside alternatives is sought in the one whose key fits: the one that only complains
    /// about what is deeper than where the alternatives part.
    fn tell_alternatives(
        &self,
        at: &str,
        instance: &Value,
        alternatives: &[Vec<ValidationError<'static>>],
        faults: &mut Faults,
    ) {
        let deeper = |error: &ValidationError<'_>| error.instance_path().as_str().len() > at.len();
        if let Some(fits) = alternatives.iter().find(|errors| !errors.is_empty() && errors.iter().all(deeper)) {
            fits.iter().for_each(|error| self.tell(error, faults));
            return;
        }
        // One that has the right key and more besides.
        let stray = |error: &ValidationError<'_>| {
            deeper(error) || matches!(error.kind(), ValidationErrorKind::AdditionalProperties { .. })
        };
        if let Some(fits) = alternatives.iter().find(|errors| !errors.is_empty() && errors.iter().all(stray)) {
            fits.iter().for_each(|error| self.tell(error, faults));
            return;
        }
        // One that has some of its members and only lacks others.
        let lacks =
            |error: &ValidationError<'_>| deeper(error) || matches!(error.kind(), ValidationErrorKind::Required { .. });
        let begun = instance.as_object().is_some_and(|object| !object.is_empty());
        let found = alternatives.iter().find(|errors| begun && !errors.is_empty() && errors.iter().all(lacks));
        if let Some(fits) = found {
            fits.iter().for_each(|error| self.tell(error, faults));
            return;
        }
        let mut forms: Vec<String> = Vec::new();
        for error in alternatives.iter().flatten() {
            match error.kind() {
                ValidationErrorKind::Enum { options } => {
                    forms.extend(options.as_array().into_iter().flatten().map(Value::to_string));
                }
                ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => {
                    let kind = kind.to_string();
                    let required = self.beside(error, "required").and_then(Value::as_array);
                    match required.and_then(|names| names.first()) {
                        Some(name) => forms.push(format!("an object with {name}")),
                        None if self.beside(error, "enum").is_none() => forms.push(article(&kind).to_owned()),
                        None => {}
                    }
                }
                ValidationErrorKind::Required { property } => forms.push(format!("an object with {property}")),
                _ => {}
            }
        }
        // What can be written in one word first.
        forms.sort_by_key(|form| !form.starts_with('"'));
        forms.dedup();
        faults.add(at, format!("must be {}, but is {}", forms.join(" or "), shown(instance)));
    }

    /// The keyword `name` in the same schema as the one that found `error`.
    fn beside(&self, error: &ValidationError<'_>, name: &str) -> Option<&Value> {
        let path = error.schema_path().as_str();
        let (parent, _) = path.rsplit_once('/')?;
        self.schema.pointer(parent)?.get(name)
    }

    /// Says which range was left.
    fn range(&self, error: &ValidationError<'_>, low: &str, high: &str, unit: &str, is: &str) -> String {
        let has = if unit.is_empty() { "is" } else { "has" };
        let must = if unit.is_empty() { "must be" } else { "must have" };
        match (self.beside(error, low), self.beside(error, high)) {
            (Some(low), Some(high)) => format!("{must} from {low} to {high}{unit}, but {has} {is}"),
            (Some(low), None) => format!("{must} at least {low}{unit}, but {has} {is}"),
            (None, Some(high)) => format!("{must} at most {high}{unit}, but {has} {is}"),
            (None, None) => error.to_string(),
        }
    }
}

/// Says that a name is unknown, and which one was perhaps meant.
pub fn unknown(name: &str, known: &[&str]) -> String {
    match near(name, known) {
        Some(near) => format!("is unknown; did you mean `{near}`?"),
        None if known.is_empty() => "is unknown; no member may stand here".to_owned(),
        None => format!(
            "is unknown; known are {}",
            known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Says that a value is none of the options, and which one was perhaps meant.
fn one_of(instance: &Value, options: &[&str]) -> String {
    let near = instance.as_str().and_then(|text| near(text, options));
    let hint = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
    let options: Vec<String> = options.iter().map(|option| format!("\"{option}\"")).collect();
    format!("must be {}, but is {}{hint}", options.join(" or "), shown(instance))
}

/// The name that `name` is a misspelling of, if there is one.
fn near<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    // A long name is no misspelling of a short one, and comparing it would cost time.
    let (length, allowed) = (name.len(), (name.len() / 3).max(1));
    let close = known.iter().filter(|known| known.len().abs_diff(length) <= allowed);
    let best =
        close.map(|known| (strsim::damerau_levenshtein(name, known), *known)).min_by_key(|&(distance, _)| distance);
    best.filter(|&(distance, _)| distance <= allowed).map(|(_, known)| known)
}

/// A JSON type with its article.
fn article(kind: &str) -> &'static str {
    match kind {
        "integer" => "an integer",
        "string" => "a string",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        "null" => "null",
        _ => "a number",
    }
}

/// A value as a fault shows it: its kind if it is large.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > SHOWN => {
            format!("a string of {} characters", text.chars().count())
        }
        Value::String(_) => format!("the string {value}"),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Whether a value holds an object whose only member is null: `{"up": null}`, which the types read as
/// `"up"`.
fn has_lone_null(text: &str) -> bool {
    text.match_indices("null").any(|(at, null)| {
        let closed = text[at + null.len()..].trim_start().starts_with('}');
        let key = text[..at].trim_end().strip_suffix(':').and_then(|before| before.trim_end().strip_suffix('"'));
        let opened =
            key.and_then(|key| key.rsplit_once('"')).is_some_and(|(before, _)| before.trim_end().ends_with('{'));
        closed && opened
    })
}

/// Whether a value holds a list anywhere but under one of these names: the types read a list for an
/// object, member by member in order. (No list of ours holds lists.)
fn has_stray_list(text: &str, lists: &HashSet<String>) -> bool {
    let (mut last, mut before, mut bytes) = ("", b' ', text.bytes().enumerate());
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                let mut escaped = false;
                let end = bytes.find(|&(_, byte)| {
                    let ends = byte == b'"' && !escaped;
                    escaped = byte == b'\\' && !escaped;
                    ends
                });
                last = end.and_then(|(end, _)| text.get(at + 1..end)).unwrap_or_default();
            }
            b'[' if before != b':' || !lists.contains(last) => return true,
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            _ => {}
        }
        before = byte;
    }
    false
}

/// The names under which a schema has lists.
fn list_names(schema: &Value, found: &mut HashSet<String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let is_list = |kind: &Value| kind == "array";
        if is_list(&property["type"]) || property["type"].as_array().is_some_and(|kinds| kinds.iter().any(is_list)) {
            found.insert(name.clone());
        }
    }
    match schema {
        Value::Object(object) => object.values().for_each(|value| list_names(value, found)),
        Value::Array(list) => list.iter().for_each(|value| list_names(value, found)),
        _ => {}
    }
}

/// The faults in order, only the first one at each place.
pub fn distinct(faults: Faults) -> Vec<Fault> {
    let mut seen = HashSet::new();
    faults.into_found().into_iter().filter(|fault| seen.insert(fault.pointer.clone())).collect()
}

/// Reads a value whose type is known, telling where it fails.
pub fn typed<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<T, serde_path_to_error::Error<D::Error>> {
    serde_path_to_error::deserialize(from)
}

/// Adds the fault of a value that could not be read, at its own place.
pub fn tell<T, E: std::fmt::Display>(read: Result<T, serde_path_to_error::Error<E>>, faults: &mut Faults) {
    let Err(error) = read else { return };
    let mut pointer = String::new();
    for segment in error.path() {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } => pointer.push_str(&format!("/{}", token(key))),
            Segment::Enum { variant } => pointer.push_str(&format!("/{}", token(variant))),
            Segment::Unknown => {}
        }
    }
    let said = error.inner().to_string();
    faults.add(&pointer, said.split(" at line ").next().unwrap_or_default());
}
