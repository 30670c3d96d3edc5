//! One action behind `dyn Entry`: read a request, carry it out or walk its odds, write the reply. Whatever
//! does not depend on the action's types is not made anew for each: it takes names, schemas and values.

use std::marker::PhantomData;

use scathe_rules::check::{Check, Faults};
use scathe_rules::odds::{GoOn, Walked, explore, repeat};
use scathe_rules::ruleset::{
    Action, CreatureOf, OptionsOf, Parts, Refusal, Ruleset, Subject, Target, refusal, resolve,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::de::value::Error;
use serde_json::{Value, json};

use crate::faults::{self, Schema};
use crate::json::{Body, Json};
use crate::odds;
use crate::problem::{Answer, INTERNAL, Problem};
use crate::reply::{odds_body, refused, reply, stopped};
use crate::schema::{Described, Shapes};
use crate::seed::Thrown;
use crate::throw::{Asking, How, Throw};

/// An action, type-erased: behind one trait object.
pub trait Entry: Send + Sync {
    /// The game.
    fn ruleset(&self) -> &'static str;
    /// Whether a request has a target.
    fn takes_target(&self) -> bool;
    /// The verb in a few words.
    fn title(&self) -> &'static str;
    /// Carries the action out as the request says, or walks every way it can go, and answers the
    /// reply's body.
    fn answer(&self, mode: Mode, request: Body<'_>, means: &Means<'_>) -> Answer;
    /// A request that answers itself.
    fn example(&self, mode: Mode) -> Value;
    /// Adds the schemas of the request and of the reply, and answers their names.
    fn shapes(&self, mode: Mode, shapes: &mut Shapes) -> Shape;
}

/// What an answer may take from outside.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// Makes the seed of a request that brings none.
    pub seed: &'a dyn Fn() -> String,
    /// A walk goes on for as long as this says yes.
    pub go_on: GoOn<'a>,
    /// Is told how many branches a walk of a game's odds had.
    pub walked: &'a dyn Fn(&'static str, usize),
}

/// What is asked of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// That it happens.
    Resolve,
    /// How it may come out.
    Odds,
}

impl Mode {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Resolve, Self::Odds];

    /// The path of a verb in this mode.
    pub fn path(self, verb: &str) -> String {
        match self {
            Self::Resolve => format!("/{verb}"),
            Self::Odds => format!("/{verb}/odds"),
        }
    }
}

/// The names of an action's schemas.
pub struct Shape {
    /// The request's.
    pub request: String,
    /// The reply's.
    pub reply: String,
}

/// An action, and the schemas of its requests.
pub struct Known<A> {
    resolve: Schema,
    odds: Schema,
    action: PhantomData<fn() -> A>,
}

/// A request that was read and has no faults.
struct Asked<A: Action, C> {
    action: A,
    target: A::Target,
    options: OptionsOf<A>,
    how: C,
}

/// The parts of a request, each read by itself: what can be read, or why not.
struct Read<A: Action, C> {
    target: Result<Option<CreatureOf<A>>, Error>,
    options: Result<OptionsOf<A>, Error>,
    how: Result<C, Error>,
    action: Result<A, Error>,
}

/// How many outcomes an example of odds lists.
const EXAMPLE_TOP: u32 = 3;

/// The keys that every request has, whatever it asks.
const COMMON: [&str; 3] = ["ruleset", "target", "options"];

/// Whether a key is one of the verb's own.
fn own<A: Action, C: How>(key: &str) -> bool {
    let target_is_ours = A::Target::TARGET != Target::None;
    !C::names(A::ROUNDS).contains(&key) && (!COMMON.contains(&key) || key == "target" && !target_is_ours)
}

impl<A: Action, C: How> Read<A, C> {
    fn new(json: &Json<'_>) -> Self {
        let target = json.get("target").filter(|_| A::Target::TARGET != Target::None);
        let options = json.get("options");
        Self {
            target: target.map(CreatureOf::<A>::deserialize).transpose(),
            options: options.map_or_else(|| Ok(Default::default()), OptionsOf::<A>::deserialize),
            how: C::deserialize(json.pick(|key| C::names(A::ROUNDS).contains(&key))),
            action: A::deserialize(json.pick(own::<A, C>)),
        }
    }

    /// Adds the faults of every part that could be read.
    fn check(&self, faults: &mut Faults) {
        if let Ok(Some(target)) = &self.target {
            let otherwise = OptionsOf::<A>::default();
            let options = self.options.as_ref().unwrap_or(&otherwise);
            faults.within("/target", |faults| A::Rules::check(target, options, faults));
        }
        if let Ok(how) = &self.how {
            how.check(faults);
        }
        if let Ok(action) = &self.action {
            action.check(faults);
            if let (Some(field), Ok(how)) = (action.needs_dice(), &self.how)
                && !how.has_dice()
            {
                faults.add(field, "needs `dice`: it changes dice that were thrown");
            }
        }
    }

    /// The request with what the sheet left out filled in, if every part could be read.
    fn complete(self) -> Option<Asked<A, C>> {
        let (mut target, options) = (self.target.ok()?, self.options.ok()?);
        if let Some(target) = &mut target {
            A::Rules::complete(target, &options);
        }
        Some(Asked { action: self.action.ok()?, target: A::Target::new(target)?, options, how: self.how.ok()? })
    }
}

/// Looks at the parts of a request that cannot be read as a whole.
struct ByPart<'a, 'b> {
    json: &'a Json<'b>,
    faults: &'a mut Faults,
}

impl Parts for ByPart<'_, '_> {
    fn part<T: Check + DeserializeOwned>(&mut self, pointer: &'static str) {
        self.part_below::<T>("", self.json, pointer);
    }
}

impl<'a, 'b> ByPart<'a, 'b> {
    /// Looks at the part that `rest` names in `value`, which is at the place `at`.
    fn part_below<T: Check + DeserializeOwned>(&mut self, at: &str, value: &'a Json<'b>, rest: &str) {
        if let Some((list, rest)) = rest.split_once("/*") {
            if let Some(Json::List(entries)) = value.at(list) {
                for (index, entry) in entries.iter().enumerate() {
                    self.part_below::<T>(&format!("{at}{list}/{index}"), entry, rest);
                }
            }
            return;
        }
        match value.at(rest) {
            Some(Json::List(entries)) => {
                for (index, entry) in entries.iter().enumerate() {
                    self.look::<T>(&format!("{at}{rest}/{index}"), entry);
                }
            }
            Some(value) => self.look::<T>(&format!("{at}{rest}"), value),
            None => {}
        }
    }

    fn look<T: Check + DeserializeOwned>(&mut self, pointer: &str, value: &Json<'_>) {
        match faults::typed::<_, T>(value) {
            Ok(part) => self.faults.within(pointer, |faults| part.check(faults)),
            // What the schema has told already is not told again in other words.
            Err(_) if self.faults.has(pointer) => {}
            read => self.faults.within(pointer, |faults| faults::tell(read, faults)),
        }
    }
}

impl<A: Action> Known<A> {
    /// The action `A`.
    pub fn of_action() -> Self {
        let resolve = || Shapes::closed::<Throw>(&Described::of::<A>());
        let odds = || Shapes::closed::<Asking>(&Described::of::<A>());
        Self { resolve: Schema::new(resolve), odds: Schema::new(odds), action: PhantomData }
    }

    /// Reads a request, or says everything that is wrong with it.
    fn read<C: How>(request: Body<'_>, schema: &Schema) -> Result<Asked<A, C>, Problem> {
        if request.faults.is_empty() {
            let read = Read::<A, C>::new(&request.json);
            let mut faults = Faults::default();
            read.check(&mut faults);
            if faults.is_empty()
                && let Some(asked) = read.complete()
            {
                return Ok(asked);
            }
        }
        Err(Self::refuse::<C>(request, schema))
    }

    /// Says everything that is wrong with a request.
    fn refuse<C: How>(request: Body<'_>, schema: &Schema) -> Problem {
        let Body { mut json, mut faults } = request;
        let strangers = schema.find(&json.to_value(), &mut faults);
        // A member that nobody knows hides no fault of the others.
        strangers.iter().for_each(|pointer| json.remove(pointer));
        let read = Read::<A, C>::new(&json);
        let mut checked = Faults::default();
        read.check(&mut checked);
        let (action_is_bad, no_bounds_left) = (read.action.is_err(), checked.is_empty());
        faults.append(checked);
        if action_is_bad {
            A::read_parts(&mut ByPart { json: &json, faults: &mut faults });
        }
        if no_bounds_left
            && let Some(Asked { action, target, options, .. }) = read.complete()
            && let Some(Refusal::Invalid(more)) = refusal(&action, &target, &options)
        {
            faults.append(more);
        }
        if faults.is_empty() {
            Self::tell_errors::<C>(&json, &mut faults);
        }
        if faults.is_empty() {
            return Problem::new(&INTERNAL, "A request without a fault could not be read.");
        }
        Problem::invalid(faults::distinct(faults))
    }

    /// Adds the faults that only the types see, each at its own place.
    fn tell_errors<C: How>(json: &Json<'_>, faults: &mut Faults) {
        if let Some(target) = json.get("target") {
            faults.within("/target", |faults| faults::tell(faults::typed::<_, CreatureOf<A>>(target), faults));
        }
        if let Some(options) = json.get("options") {
            faults.within("/options", |faults| faults::tell(faults::typed::<_, OptionsOf<A>>(options), faults));
        }
        faults::tell(faults::typed::<_, C>(json.pick(|key| C::names(A::ROUNDS).contains(&key))), faults);
        faults::tell(faults::typed::<_, A>(json.pick(own::<A, C>)), faults);
    }
}

impl<A: Action> Known<A> {
    fn resolve(&self, request: Body<'_>, means: &Means<'_>) -> Answer {
        let Asked { action, target, options, how } = Self::read::<Throw>(request, &self.resolve)?;
        refused(&action, &target, &options)?;
        let seed = (how.dice.is_none() || how.throw_rest).then(|| how.seed.unwrap_or_else(means.seed));
        let given = how.dice.unwrap_or_default();
        let mut dice = Thrown::new(given.clone(), seed.as_deref());
        let done = resolve(&action, target, &options, &mut dice).map_err(|stop| stopped(stop, &given))?;
        if let (used, 1..) = dice.left() {
            let detail = format!("is a die that nobody asked for: the rule takes {used}");
            return Err(Problem::fault(&format!("/dice/{used}"), detail));
        }
        reply(&action, &done, seed.as_deref())
    }

    fn odds(&self, request: Body<'_>, means: &Means<'_>) -> Answer {
        let Asked { action, target, options, how } = Self::read::<Asking>(request, &self.odds)?;
        refused(&action, &target, &options)?;
        match how.rounds {
            None => {
                let Walked { found, branches } =
                    explore(&action, target, &options, means.go_on).map_err(odds::stopped)?;
                (means.walked)(A::Rules::ID, branches);
                odds_body(&odds::reply::<A>(found, how.top), means.go_on)
            }
            Some(rounds) => {
                let mut told = Vec::new();
                let after_each = |round: &_| told.push(odds::Ended::new(round));
                let Walked { found, branches } =
                    repeat(&action, target, &options, rounds, means.go_on, after_each).map_err(odds::stopped)?;
                (means.walked)(A::Rules::ID, branches);
                odds_body(&odds::rounds::<A>(told, &found, how.top), means.go_on)
            }
        }
    }
}

impl<A: Action> Entry for Known<A> {
    fn ruleset(&self) -> &'static str {
        A::Rules::ID
    }

    fn takes_target(&self) -> bool {
        A::Target::TARGET != Target::None
    }

    fn title(&self) -> &'static str {
        A::TITLE
    }

    fn answer(&self, mode: Mode, request: Body<'_>, means: &Means<'_>) -> Answer {
        match mode {
            Mode::Resolve => self.resolve(request, means),
            Mode::Odds => self.odds(request, means),
        }
    }

    fn example(&self, mode: Mode) -> Value {
        let example = A::example();
        let mut request = json!({ "ruleset": A::Rules::ID });
        let parts = [
            example.target.map(|target| json!({ "target": target })),
            Some(json!(example.action)),
            Some(match mode {
                Mode::Resolve => json!({ "dice": example.dice }),
                Mode::Odds => json!({ "top": EXAMPLE_TOP }),
            }),
        ];
        for part in parts.into_iter().flatten() {
            if let (Some(request), Value::Object(part)) = (request.as_object_mut(), part) {
                request.extend(part);
            }
        }
        request
    }

    fn shapes(&self, mode: Mode, shapes: &mut Shapes) -> Shape {
        let action = Described::of::<A>();
        match mode {
            Mode::Resolve => Shape { request: shapes.request::<Throw>(&action), reply: shapes.reply(&action) },
            Mode::Odds => Shape { request: shapes.request::<Asking>(&action), reply: shapes.odds_reply(&action) },
        }
    }
}
