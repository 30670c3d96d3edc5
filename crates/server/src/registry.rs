//! Every action of every game, its types rubbed off.

use std::io::{self, Write};
use std::marker::PhantomData;

use indexmap::IndexMap;
use scathe_rules::check::{Check, Faults};
use scathe_rules::dice::Stop;
use scathe_rules::odds::{GoOn, Walked, explore, repeat};
use scathe_rules::ruleset::{
    Action, Catalog, CreatureOf, DEAD, Done, EventOf, NOT_DYING, OptionsOf, Parts, Reading, Refusal, RefusalKind, Rule,
    Ruleset, Subject, Table, Target, refusal, resolve,
};
use scathe_rules::rulesets;
use scathe_rules::tray::Line;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::faults::{self, Schema};
use crate::odds;
use crate::openapi::Shapes;
use crate::problem::{INTERNAL, Kind, Problem, TOO_MANY_BRANCHES};
use crate::request::{Asking, How, Members, Throw};
use crate::thrown::{Thrown, fresh_seed};

/// The games and their actions.
pub struct Registry {
    games: IndexMap<&'static str, Game>,
    verbs: IndexMap<&'static str, IndexMap<&'static str, Box<dyn Entry>>>,
    faults: Vec<String>,
}

/// What is told of a game.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Game {
    /// What `ruleset` says in a request.
    #[schema(value_type = String, examples("akrpg"))]
    pub id: &'static str,
    /// The title of the book.
    #[schema(value_type = String)]
    pub title: &'static str,
    /// Where the rules come from.
    #[schema(value_type = String)]
    pub source: &'static str,
    /// The verbs that the game has: `POST /{verb}`.
    #[schema(value_type = Vec<String>)]
    pub verbs: Vec<&'static str>,
    #[serde(skip)]
    #[schema(ignore)]
    book: Book,
}

/// What a game's book says.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Book {
    /// Every rule that a log may cite, in book order.
    #[schema(value_type = Vec<Rule>)]
    rules: &'static [Rule],
    /// Every question that the book leaves open, and how it is answered.
    #[schema(value_type = Vec<Reading>)]
    readings: &'static [Reading],
    /// The tables of the book.
    tables: Vec<Table>,
    #[serde(skip)]
    #[schema(ignore)]
    refusals: &'static [RefusalKind],
}

impl Game {
    fn new<R: Ruleset>() -> Self {
        let book = Book { rules: R::RULES, readings: R::READINGS, tables: R::tables(), refusals: R::REFUSALS };
        Self { id: R::ID, title: R::TITLE, source: R::SOURCE, verbs: Vec::new(), book }
    }

    /// What the book says.
    pub fn book(&self) -> &Book {
        &self.book
    }
}

/// An action whose types are rubbed off.
pub trait Entry: Send + Sync {
    /// The game.
    fn ruleset(&self) -> &'static str;
    /// The verb in a few words.
    fn title(&self) -> &'static str;
    /// Carries the action out as the request says, or walks every way it can go, and answers the
    /// reply's body.
    fn answer(&self, mode: Mode, request: &Request<'_>, means: &Means<'_>) -> Answer;
    /// A request that answers itself.
    fn example(&self, mode: Mode) -> Value;
    /// Adds the schemas of the request and of the reply, and answers their names.
    fn shapes(&self, mode: Mode, shapes: &mut Shapes) -> Shape;
}

/// A request's body: one object, taken apart.
pub struct Request<'a> {
    /// As it came.
    pub raw: &'a RawValue,
    /// By its members.
    pub members: Members<'a>,
}

/// The body of a reply, or a problem.
pub type Answer = Result<Box<RawValue>, Problem>;

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

impl Means<'_> {
    /// A fresh seed, and all the time in the world: fit for whatever walks nothing.
    pub const FRESH: Means<'static> = Means { seed: &fresh_seed, go_on: &|| true, walked: &|_, _| {} };
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

impl Registry {
    /// Every game and action.
    ///
    /// # Errors
    /// Fails when an action's published schema is none.
    pub fn new() -> Result<Self, String> {
        let mut registry = Self { games: IndexMap::new(), verbs: IndexMap::new(), faults: Vec::new() };
        rulesets::all(&mut registry);
        if registry.faults.is_empty() { Ok(registry) } else { Err(registry.faults.join("; ")) }
    }

    /// The games in order.
    pub fn games(&self) -> impl Iterator<Item = &Game> {
        self.games.values()
    }

    /// The game of this id.
    pub fn game(&self, id: &str) -> Option<&Game> {
        self.games.get(id)
    }

    /// The verbs in order, each with the actions of the games that have it.
    pub fn verbs(&self) -> impl Iterator<Item = (&'static str, impl Iterator<Item = (&'static str, &dyn Entry)>)> {
        self.verbs.iter().map(|(verb, entries)| (*verb, entries.iter().map(|(game, entry)| (*game, &**entry))))
    }

    /// Whether any game has this verb.
    pub fn has(&self, verb: &str) -> bool {
        self.verbs.contains_key(verb)
    }

    /// Every kind of problem that a game's rules may answer.
    pub fn refusals(&self) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = Vec::new();
        let games = self.games().flat_map(|game| game.book.refusals);
        for kind in [&DEAD, &NOT_DYING].into_iter().chain(games).map(Kind::from) {
            if !kinds.iter().any(|known| known.id == kind.id) {
                kinds.push(kind);
            }
        }
        kinds
    }

    /// Answers a request, and tells which game it was of, if it was of any.
    pub fn answer(&self, verb: &str, mode: Mode, raw: &RawValue, means: &Means<'_>) -> (Option<&'static str>, Answer) {
        let Some(members) = Members::of(raw) else {
            return (None, Err(Problem::fault("", "must be an object")));
        };
        match self.entry(verb, &members) {
            Ok(entry) => (Some(entry.ruleset()), entry.answer(mode, &Request { raw, members }, means)),
            Err(problem) => (None, Err(problem)),
        }
    }

    /// The action that a request asks for. A fault at `#/ruleset` says why there is none.
    fn entry(&self, verb: &str, members: &Members<'_>) -> Result<&dyn Entry, Problem> {
        let Some(ruleset) = members.get("ruleset") else {
            return Err(Problem::fault("/ruleset", format!("is missing; {}", self.having(verb))));
        };
        let Ok(ruleset) = serde_json::from_str::<String>(ruleset.get()) else {
            return Err(Problem::fault("/ruleset", format!("must be a string; {}", self.having(verb))));
        };
        if let Some(entry) = self.verbs.get(verb).and_then(|entries| entries.get(ruleset.as_str())) {
            return Ok(&**entry);
        }
        let known: Vec<&str> = self.games.keys().copied().collect();
        if known.contains(&ruleset.as_str()) {
            return Err(Problem::fault("/ruleset", format!("does not have this verb; {}", self.having(verb))));
        }
        Err(Problem::fault("/ruleset", faults::unknown(&ruleset, &known)))
    }

    /// Which rulesets have a verb.
    fn having(&self, verb: &str) -> String {
        let games: Vec<&str> = self.verbs.get(verb).into_iter().flat_map(|entries| entries.keys().copied()).collect();
        format!("`{verb}` is a verb of {}", games.join(", "))
    }
}

impl Catalog for Registry {
    fn add<A: Action>(&mut self) {
        self.games.entry(A::Rules::ID).or_insert_with(Game::new::<A::Rules>).verbs.push(A::NAME);
        match Known::<A>::new() {
            Ok(known) => {
                self.verbs.entry(A::NAME).or_default().insert(A::Rules::ID, Box::new(known));
            }
            Err(error) => self.faults.push(format!("{} {}: {error}", A::Rules::ID, A::NAME)),
        }
    }
}

/// An action, and the schemas of its requests.
struct Known<A> {
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
    target: Result<Option<CreatureOf<A>>, serde_json::Error>,
    options: Result<OptionsOf<A>, serde_json::Error>,
    how: Result<C, serde_json::Error>,
    action: Result<A, serde_json::Error>,
}

/// How many outcomes an example of odds lists.
const EXAMPLE_TOP: u32 = 3;

/// The keys that every request has, whatever it asks.
const COMMON: [&str; 3] = ["ruleset", "target", "options"];

/// Whether a key is one of the verb's own.
fn own<A: Action, C: How>(key: &str) -> bool {
    let target_is_ours = A::Target::TARGET != Target::None;
    !C::names::<A>().contains(&key) && (!COMMON.contains(&key) || key == "target" && !target_is_ours)
}

impl<A: Action, C: How> Read<A, C> {
    fn new(members: &Members<'_>) -> Self {
        let target = members.get("target").filter(|_| A::Target::TARGET != Target::None);
        let options = members.get("options");
        Self {
            target: target.map(|raw| serde_json::from_str(raw.get())).transpose(),
            options: options.map_or_else(|| Ok(Default::default()), |raw| serde_json::from_str(raw.get())),
            how: members.read(|key| C::names::<A>().contains(&key)),
            action: members.read(own::<A, C>),
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
struct ByPart<'a> {
    value: &'a Value,
    faults: &'a mut Faults,
}

impl Parts for ByPart<'_> {
    fn part<T: Check + DeserializeOwned>(&mut self, pointer: &'static str) {
        self.part_below::<T>("", self.value, pointer);
    }
}

impl ByPart<'_> {
    /// Looks at the part that `rest` names in `value`, which is at the place `at`.
    fn part_below<T: Check + DeserializeOwned>(&mut self, at: &str, value: &Value, rest: &str) {
        if let Some((list, rest)) = rest.split_once("/*") {
            for (index, entry) in value.pointer(list).and_then(Value::as_array).into_iter().flatten().enumerate() {
                self.part_below::<T>(&format!("{at}{list}/{index}"), entry, rest);
            }
            return;
        }
        match value.pointer(rest) {
            Some(Value::Array(entries)) => {
                for (index, entry) in entries.iter().enumerate() {
                    self.look::<T>(&format!("{at}{rest}/{index}"), entry);
                }
            }
            Some(value) => self.look::<T>(&format!("{at}{rest}"), value),
            None => {}
        }
    }

    fn look<T: Check + DeserializeOwned>(&mut self, pointer: &str, value: &Value) {
        match faults::typed::<_, T>(value) {
            Ok(part) => self.faults.within(pointer, |faults| part.check(faults)),
            // What the schema has told already is not told again in other words.
            Err(_) if self.faults.has(pointer) => {}
            read => self.faults.within(pointer, |faults| faults::tell(read, faults)),
        }
    }
}

impl<A: Action> Known<A> {
    fn new() -> Result<Self, String> {
        let mut shapes = Shapes::default();
        let (resolve, odds) = (shapes.request::<A, Throw>(""), shapes.request::<A, Asking>("Odds"));
        let schema = |name: &str| Schema::new(shapes.resolved(name));
        Ok(Self { resolve: schema(&resolve)?, odds: schema(&odds)?, action: PhantomData })
    }

    /// Reads a request, or says everything that is wrong with it.
    fn read<C: How>(request: &Request<'_>, schema: &Schema) -> Result<Asked<A, C>, Problem> {
        let Request { raw, members } = request;
        let read = Read::<A, C>::new(members);
        let mut faults = Faults::default();
        read.check(&mut faults);
        let once = |name: &str| members.iter().filter(|(key, _)| *key == name).count() <= 1;
        let readable = faults.is_empty() && COMMON.into_iter().all(once);
        if readable
            && !(schema.may_object(raw) && Self::refuse::<C>(raw, members, schema).is_some())
            && let Some(asked) = read.complete()
        {
            return Ok(asked);
        }
        let problem = Self::refuse::<C>(raw, members, schema);
        Err(problem.unwrap_or_else(|| Problem::new(&INTERNAL, "A request without a fault could not be read.")))
    }

    /// Says everything that is wrong with a request, if anything is.
    fn refuse<C: How>(raw: &RawValue, members: &Members<'_>, schema: &Schema) -> Option<Problem> {
        let mut faults = Faults::default();
        let value = match faults::value(raw, &mut faults) {
            Ok(value) => value,
            Err(problem) => return Some(problem),
        };
        schema.find(&value, &mut faults);
        let read = Read::<A, C>::new(members);
        read.check(&mut faults);
        if read.action.is_err() {
            A::read_parts(&mut ByPart { value: &value, faults: &mut faults });
        }
        if faults.is_empty() {
            Self::tell_errors::<C>(members, &mut faults);
        }
        (!faults.is_empty()).then(|| Problem::invalid(faults::distinct(faults)))
    }

    /// Adds the faults that only the types see, each at its own place.
    fn tell_errors<C: How>(members: &Members<'_>, faults: &mut Faults) {
        if let Some(raw) = members.get("target") {
            let typed = faults::typed::<_, CreatureOf<A>>(&mut serde_json::Deserializer::from_str(raw.get()));
            faults.within("/target", |faults| faults::tell(typed, faults));
        }
        if let Some(raw) = members.get("options") {
            let typed = faults::typed::<_, OptionsOf<A>>(&mut serde_json::Deserializer::from_str(raw.get()));
            faults.within("/options", |faults| faults::tell(typed, faults));
        }
        faults::tell(faults::typed::<_, C>(members.deserializer(|key| C::names::<A>().contains(&key))), faults);
        faults::tell(faults::typed::<_, A>(members.deserializer(own::<A, C>)), faults);
    }
}

/// A reply, as it is sent.
#[derive(Serialize)]
struct Reply<'a, A: Action> {
    ruleset: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a CreatureOf<A>>,
    outcome: &'a A::Outcome,
    events: &'a [EventOf<A>],
    dice: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<&'a str>,
    summary: String,
    log: &'a [Line],
}

impl<A: Action> Known<A> {
    fn resolve(&self, request: &Request<'_>, means: &Means<'_>) -> Answer {
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

    fn odds(&self, request: &Request<'_>, means: &Means<'_>) -> Answer {
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

/// The problem of an action that cannot happen to this target.
fn refused<A: Action>(action: &A, target: &A::Target, options: &OptionsOf<A>) -> Result<(), Problem> {
    match refusal(action, target, options) {
        Some(Refusal::Because(kind, detail)) => Err(Problem::new(&kind.into(), detail)),
        Some(Refusal::Invalid(faults)) => Err(Problem::invalid(faults.into_found())),
        None => Ok(()),
    }
}

impl<A: Action> Entry for Known<A> {
    fn ruleset(&self) -> &'static str {
        A::Rules::ID
    }

    fn title(&self) -> &'static str {
        A::TITLE
    }

    fn answer(&self, mode: Mode, request: &Request<'_>, means: &Means<'_>) -> Answer {
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
        match mode {
            Mode::Resolve => Shape { request: shapes.request::<A, Throw>(""), reply: shapes.reply::<A>() },
            Mode::Odds => Shape { request: shapes.request::<A, Asking>("Odds"), reply: shapes.odds_reply::<A>() },
        }
    }
}

/// The body of the reply.
fn reply<A: Action>(action: &A, done: &Done<A>, seed: Option<&str>) -> Answer {
    let reply = Reply::<A> {
        ruleset: A::Rules::ID,
        target: done.after.creature(),
        outcome: &done.outcome,
        events: &done.events,
        dice: done.dice(),
        seed,
        summary: action.summary(done),
        log: &done.log,
    };
    body(&reply)
}

/// A reply as it is sent.
fn body(reply: &impl Serialize) -> Answer {
    to_raw_value(reply).map_err(|error| Problem::new(&INTERNAL, format!("The reply has no JSON form: {error}.")))
}

/// Why a rule stopped at its dice.
fn stopped(stop: Stop, given: &[u32]) -> Problem {
    match stop {
        Stop::Needs(ask) => Problem::needs_dice(ask),
        // The rest of the same throw is known to be of the same dice; what would come after is not.
        Stop::BadFace { index, ask } => {
            let throw = given.iter().enumerate().skip(index).take(usize::try_from(ask.count).unwrap_or(usize::MAX));
            let bad = throw.filter(|(_, face)| !(1..=ask.sides).contains(face));
            let mut faults = Faults::default();
            for (index, face) in bad {
                let detail =
                    format!("must be from 1 to {}, a face of a die thrown for {}, but is {face}", ask.sides, ask.why);
                faults.add(&format!("/dice/{index}"), detail);
            }
            Problem::invalid(faults.into_found())
        }
        Stop::Unfit { list, index, detail } => {
            let mut faults = Faults::default();
            faults.add(&format!("{list}/{index}"), detail);
            Problem::invalid(faults.into_found())
        }
        Stop::TooMany => Problem::new(&INTERNAL, "Dice that were thrown cannot be too many."),
    }
}

/// The most bytes of a reply to a question for odds.
const ODDS_REPLY: usize = 16 * 1024 * 1024;

/// The reply to a question for odds, which is the only kind that may grow large.
fn odds_body(reply: &impl Serialize, go_on: GoOn<'_>) -> Answer {
    let mut bounded = Bounded { text: Vec::new(), go_on };
    let written = serde_json::to_writer(&mut bounded, reply).map_err(|error| error.to_string());
    let text = written.and_then(|()| String::from_utf8(bounded.text).map_err(|error| error.to_string()));
    let raw = text.and_then(|text| RawValue::from_string(text).map_err(|error| error.to_string()));
    raw.map_err(|_| {
        let detail = format!("The outcomes would fill more than {ODDS_REPLY} bytes; `top` lists only the likeliest.");
        Problem::new(&TOO_MANY_BRANCHES, detail)
    })
}

/// A text that may not grow beyond bounds.
struct Bounded<'g> {
    text: Vec<u8>,
    go_on: GoOn<'g>,
}

/// How many bytes pass between two questions whether to go on.
const ASK_EVERY: usize = 64 * 1024;

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.text.len() + bytes.len();
        let ask = self.text.len() / ASK_EVERY != length / ASK_EVERY;
        if length > ODDS_REPLY || ask && !(self.go_on)() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
