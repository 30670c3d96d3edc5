//! Every game, and every verb with the actions of the games that have it.

use indexmap::IndexMap;
use scathe_rules::check::Fault;
use scathe_rules::ruleset::{Action, Catalog, DEAD, NOT_DYING, Reading, RefusalKind, Rule, Ruleset, Table};
use scathe_rules::rulesets;
use serde::Serialize;
use utoipa::ToSchema;

use crate::faults;
use crate::json::{Body, Json};
use crate::problem::{Answer, Kind, Problem};
use crate::verb::{Entry, Known, Means, Mode};

/// The games and their actions.
pub struct Registry {
    games: IndexMap<&'static str, Game>,
    verbs: IndexMap<&'static str, IndexMap<&'static str, Box<dyn Entry>>>,
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
    pub fn gather() -> Self {
        let mut registry = Self { games: IndexMap::new(), verbs: IndexMap::new() };
        rulesets::all(&mut registry);
        registry
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
    pub fn answer(
        &self,
        verb: &str,
        mode: Mode,
        mut request: Body<'_>,
        means: &Means<'_>,
    ) -> (Option<&'static str>, Answer) {
        match self.entry(verb, &request.json) {
            Ok(entry) => (Some(entry.ruleset()), entry.answer(mode, request, means)),
            Err(fault) => {
                request.faults.add(&fault.pointer, fault.detail);
                (None, Err(Problem::invalid(faults::distinct(request.faults))))
            }
        }
    }

    /// The action that a request asks for, or why there is none.
    pub fn entry(&self, verb: &str, request: &Json<'_>) -> Result<&dyn Entry, Fault> {
        let whole = |detail: &str| Fault { pointer: String::new(), detail: detail.to_owned() };
        let fault = |detail: String| Fault { pointer: "/ruleset".to_owned(), detail };
        match request {
            Json::Object(_) => {}
            Json::Text(text) if text.trim_start().starts_with(['{', '[']) => {
                return Err(whole(
                    "must be an object, but is a string that has a JSON text in it: send that text itself",
                ));
            }
            _ => return Err(whole("must be an object")),
        }
        let Some(ruleset) = request.get("ruleset") else {
            return Err(fault(format!("is missing; {}", self.having(verb))));
        };
        let Some(ruleset) = ruleset.text() else {
            return Err(fault(format!("must be a string; {}", self.having(verb))));
        };
        if let Some(entry) = self.verbs.get(verb).and_then(|entries| entries.get(ruleset)) {
            return Ok(&**entry);
        }
        if self.games.contains_key(ruleset) {
            return Err(fault(format!("does not have this verb; {}", self.having(verb))));
        }
        let known: Vec<&str> = self.games.keys().copied().collect();
        Err(fault(faults::unknown(ruleset, &known)))
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
        self.verbs.entry(A::NAME).or_default().insert(A::Rules::ID, Box::new(Known::<A>::of_action()));
    }
}
