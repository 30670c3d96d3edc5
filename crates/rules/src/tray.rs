//! The tray: where dice are thrown and everything is written down.

use std::fmt;

use serde::{Serialize, Serializer};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::dice::{Ask, By, Dice, Keep, Stop, Worth};

/// A value as the log shows it: a number, a text, a list or an object, just as it stands in `target`.
pub struct Logged(Box<dyn erased_serde::Serialize + Send + Sync>);

impl Serialize for Logged {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        erased_serde::serialize(&*self.0, serializer)
    }
}

impl fmt::Debug for Logged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Logged")
    }
}

impl PartialSchema for Logged {
    fn schema() -> RefOr<Schema> {
        let types = [Type::Integer, Type::Boolean, Type::String, Type::Array, Type::Object, Type::Null];
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter(types))
            .description(Some("A value of a field of `target`, just as it stands there."))
            .into()
    }
}

impl ToSchema for Logged {}

/// One line of the log: everything that happened, in order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line {
    /// Dice were thrown.
    Roll {
        /// The id of the rule that called for them.
        #[serde(rename = "for")]
        #[schema(rename = "for", value_type = String)]
        why: &'static str,
        /// Whose throw it was. Absent where only one party throws.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        by: Option<By>,
        /// How many sides each die has.
        #[schema(minimum = 1, maximum = 1000)]
        sides: u32,
        /// Only the highest or the lowest of the dice counts. Absent: all count.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        keep: Option<Keep>,
        /// What they showed.
        faces: Vec<u32>,
    },
    /// A number on its way through the rule. Written whenever the rule looked, even if it moved
    /// nothing.
    Step {
        /// What the number is.
        #[schema(value_type = String)]
        what: &'static str,
        /// The number before.
        from: i32,
        /// The number after.
        to: i32,
        /// The id of the rule that this step rests on.
        #[schema(value_type = String)]
        rule: &'static str,
    },
    /// A field of the creature changed. To undo, put `from` back, last change first.
    Change {
        /// Which field: a JSON Pointer inside `target`.
        #[schema(value_type = String)]
        field: &'static str,
        /// What the field was.
        #[schema(value_type = Logged)]
        from: Logged,
        /// What it is now.
        #[schema(value_type = Logged)]
        to: Logged,
        /// The id of the rule that this change rests on.
        #[schema(value_type = String)]
        rule: &'static str,
    },
}

/// Where dice are thrown and everything is written down. [`Tray::step`] and [`Tray::change`] make
/// the assignment that they write, so the log cannot disagree with the arithmetic.
pub struct Tray<'d, Event> {
    source: &'d mut dyn Dice,
    log: Option<Vec<Line>>,
    /// What to announce, in order.
    pub events: Vec<Event>,
}

impl<'d, Event> Tray<'d, Event> {
    /// A tray that writes everything down.
    pub fn new(source: &'d mut dyn Dice) -> Self {
        Self { source, log: Some(Vec::new()), events: Vec::new() }
    }

    /// A tray for walking every branch: events are kept, no line is written and no text is built.
    pub fn silent(source: &'d mut dyn Dice) -> Self {
        Self { source, log: None, events: Vec::new() }
    }

    /// Throws the dice of `ask` and says what they are worth together, as far as `view` lets the
    /// rule see. No dice, no line.
    pub fn total(
        &mut self,
        ask: Ask,
        worth: impl Fn(u32, u32) -> Worth,
        view: impl Fn(Worth) -> Worth,
    ) -> Result<Worth, Stop> {
        let (sum, faces) = self.source.total(ask, &worth, &view)?;
        if let Some(log) = &mut self.log {
            let roll = |faces| Line::Roll { why: ask.why, by: ask.by, sides: ask.sides, keep: ask.keep, faces };
            log.extend(faces.into_iter().map(roll));
        }
        Ok(sum)
    }

    /// Throws the dice of `ask` and adds up what they show. Of one die, that is its face.
    pub fn shown(&mut self, ask: Ask) -> Result<i32, Stop> {
        let shown = |face, _| Worth::points(i32::try_from(face).unwrap_or(i32::MAX));
        Ok(self.total(ask, shown, |sum| sum)?.points)
    }

    /// Sets `number`, on its way through a rule, to `to`.
    pub fn step(&mut self, what: &'static str, number: &mut i32, to: i32, rule: &'static str) {
        if let Some(log) = &mut self.log {
            log.push(Line::Step { what, from: *number, to, rule });
        }
        *number = to;
    }

    /// Sets `place`, the creature's field that `field` points at, to `to`; nothing is written if it
    /// is that already. Answers whether it changed.
    pub fn change<T>(&mut self, field: &'static str, place: &mut T, to: T, rule: &'static str) -> bool
    where
        T: Clone + PartialEq + Serialize + Send + Sync + 'static,
    {
        if *place == to {
            return false;
        }
        if let Some(log) = &mut self.log {
            let (from, to) = (Logged(Box::new(place.clone())), Logged(Box::new(to.clone())));
            log.push(Line::Change { field, from, to, rule });
        }
        *place = to;
        true
    }

    /// Announces something.
    pub fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    /// The events and the lines written.
    pub fn into_parts(self) -> (Vec<Event>, Vec<Line>) {
        (self.events, self.log.unwrap_or_default())
    }
}
