//! What is wrong with a request, and where: all faults at once.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::{Deserialize, Deserializer};

/// The largest pool, and (negated) the lowest that one may sink to. Arithmetic stops there.
pub const POINTS: i32 = 1_000_000;

/// The largest dice count, amount, factor, rating or target number.
pub const RATING: i32 = 1000;

/// The longest list that a creature or a request may hold.
pub const LIST: usize = 100;

/// The most faults that are told of one request. Past these, more would only cost time.
pub const FAULTS: usize = 1000;

/// The most dice that the fields of one request may call for together.
pub const DICE: i64 = 5000;

/// One fault: a JSON Pointer into the request, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, as a plain JSON Pointer (`/target/hp`).
    pub pointer: String,
    /// What is wrong, in one sentence without a full stop.
    pub detail: String,
}

/// All faults found so far, and the place that is being looked at.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    at: String,
    found: Vec<Fault>,
}

impl Faults {
    /// No faults yet, looking at the place that `pointer` names.
    pub fn at(pointer: &str) -> Self {
        Self { at: pointer.to_owned(), found: Vec::new() }
    }

    /// Writes down that `detail` is wrong at `path` below the place being looked at.
    pub fn add(&mut self, path: &str, detail: impl Into<String>) {
        if self.is_full() {
            return;
        }
        self.found.push(Fault { pointer: format!("{}{path}", self.at), detail: detail.into() });
    }

    /// Looks at the place `path` below this one while `look` runs.
    pub fn within<T>(&mut self, path: &str, look: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.at.len();
        self.at.push_str(path);
        let answer = look(self);
        self.at.truncate(length);
        answer
    }

    /// Checks every entry of a list, each at its own place.
    pub fn each<T: Check>(&mut self, path: &str, entries: &[T]) {
        for (index, entry) in entries.iter().enumerate() {
            self.within(&format!("{path}/{index}"), |faults| entry.check(faults));
        }
    }

    /// A number outside its bounds is a fault.
    pub fn bounds<N: PartialOrd + Display>(&mut self, path: &str, value: N, bounds: RangeInclusive<N>) {
        if !bounds.contains(&value) {
            let (low, high) = bounds.into_inner();
            self.add(path, format!("must be from {low} to {high}, but is {value}"));
        }
    }

    /// A number that is there and outside its bounds is a fault.
    pub fn bounds_if<N: PartialOrd + Display>(&mut self, path: &str, value: Option<N>, bounds: RangeInclusive<N>) {
        if let Some(value) = value {
            self.bounds(path, value, bounds);
        }
    }

    /// A list with fewer or more entries than allowed is a fault.
    pub fn length<T>(&mut self, path: &str, list: &[T], bounds: RangeInclusive<usize>) {
        let length = list.len();
        if !bounds.contains(&length) {
            let (low, high) = bounds.into_inner();
            self.add(path, format!("must have from {low} to {high} entries, but has {length}"));
        }
    }

    /// An entry that appears in a list twice is a fault. Of a list that is too long its length is fault
    /// enough.
    pub fn distinct<T: PartialEq>(&mut self, path: &str, list: &[T]) {
        for (index, entry) in list.iter().enumerate().take_while(|(index, _)| *index < LIST) {
            if list[..index].contains(entry) {
                self.add(&format!("{path}/{index}"), "appears in this list twice");
            }
        }
    }

    /// A member that is there and does not belong is a fault.
    pub fn stray<T>(&mut self, path: &str, member: Option<&T>, detail: &str) {
        if member.is_some() {
            self.add(path, detail);
        }
    }

    /// A member that is missing and must be there is a fault at the member itself.
    pub fn missing<T>(&mut self, path: &str, member: Option<&T>, detail: &str) {
        if member.is_none() {
            self.add(path, detail);
        }
    }

    /// Whether a fault was found at `path` or in what it holds.
    pub fn has(&self, path: &str) -> bool {
        let place = format!("{}{path}", self.at);
        let inside = |fault: &Fault| {
            fault.pointer.strip_prefix(&place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.found.iter().any(inside)
    }

    /// Whether as many faults were found as are told.
    pub fn is_full(&self) -> bool {
        self.found.len() >= FAULTS
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Everything that was found, in the order of finding.
    pub fn into_found(self) -> Vec<Fault> {
        self.found
    }
}

/// What can be wrong with a value that has the right type: bounds, and members that do not go
/// together.
pub trait Check {
    /// Adds every fault of this value.
    fn check(&self, faults: &mut Faults);
}

/// Reads an optional member that may be absent but not `null`.
pub fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
