//! Every game, and every verb with the actions of the games that have it.

use indexmap::IndexMap;
use scathe_rules::ruleset::{Action, Catalog, DEAD, NOT_DYING, Reading, RefusalKind, Rule, Ruleset, Table};
use scathe_rules::rulesets;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::faults;
use crate::json::Members;
use crate::problem::{Answer, Kind, Problem};
use crate::verb::{Entry, Known, Means, Mode, Request};

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
