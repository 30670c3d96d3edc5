//! The uniform face of every game: rulesets, the actions they know, and how one is carried out.

#[cfg(doctest)]
mod forgotten;

use std::fmt::Debug;
use std::hash::Hash;

use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::check::{Check, Faults};
use crate::dice::{Dice, Stop};
use crate::tray::{Line, Tray};

/// A rule that the log may cite.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Rule {
    /// What `log[].rule` and `log[].for` say.
    #[schema(value_type = String)]
    pub id: &'static str,
    /// The heading in the source under which the rule stands.
    #[schema(value_type = String)]
    pub heading: &'static str,
    /// The rule in one sentence.
    #[schema(value_type = String)]
    pub sentence: &'static str,
}

impl Rule {
    /// The rule `id` under `heading`, in one sentence.
    pub const fn new(id: &'static str, heading: &'static str, sentence: &'static str) -> Self {
        Self { id, heading, sentence }
    }
}

/// A question that the rule book leaves open, and how we answer it.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Reading {
    /// The number of the reading.
    #[schema(value_type = String)]
    pub id: &'static str,
    /// What the book leaves open.
    #[schema(value_type = String)]
    pub question: &'static str,
    /// How it is answered unless an option says otherwise.
    #[schema(value_type = String)]
    pub default: &'static str,
    /// The option (or field of the request) by which a table answers otherwise, if there is one.
    #[schema(value_type = Option<String>)]
    pub option: Option<&'static str>,
}

impl Reading {
    /// The reading `id`: what the book leaves open, and our answer.
    pub const fn new(id: &'static str, question: &'static str, default: &'static str) -> Self {
        Self { id, question, default, option: None }
    }

    /// The same reading, with the option or field by which a table answers otherwise.
    pub const fn or(self, option: &'static str) -> Self {
        Self { option: Some(option), ..self }
    }
}

/// A table of the rule book, as text.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Table {
    /// The name of the table.
    #[schema(value_type = String)]
    pub id: &'static str,
    /// The heading in the source under which the table stands.
    #[schema(value_type = String)]
    pub heading: &'static str,
    /// What each column holds.
    #[schema(value_type = Vec<String>)]
    pub columns: Vec<&'static str>,
    /// The rows, a text a column.
    pub rows: Vec<Vec<String>>,
}

/// A kind of refusal: why an action cannot happen to a creature as it is. It becomes the problem
/// type `/problems/{id}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalKind {
    /// The id, in kebab case.
    pub id: &'static str,
    /// The id as a short sentence.
    pub title: &'static str,
    /// When it is answered, for the page that explains it.
    pub meaning: &'static str,
}

/// Nothing but more damage happens to the dead.
pub const DEAD: RefusalKind = RefusalKind {
    id: "dead",
    title: "The creature is dead",
    meaning: "Only damage can still happen to a dead creature. Bring it back by the rules of your table, set its fields \
              accordingly, and call again.",
};

/// The creature is not in the state that the action is for.
pub const NOT_DYING: RefusalKind = RefusalKind {
    id: "not-dying",
    title: "The creature is not dying",
    meaning: "The action is for a creature that is down and may die: a dying tick, a stabilization, the end of being \
              downed. Look at the fields of `target` that say so (such as `life`).",
};

/// Why an action cannot happen to a creature as it is. Found before any die is thrown.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The rules do not let it happen.
    Because(&'static RefusalKind, String),
    /// The request asks for something impossible on this creature.
    Invalid(Faults),
}

impl Refusal {
    /// The rules do not let it happen, and `detail` says why not here.
    pub fn because(kind: &'static RefusalKind, detail: impl Into<String>) -> Self {
        Self::Because(kind, detail.into())
    }

    /// The one fault at `path` (a pointer into the request).
    pub fn invalid(path: &str, detail: impl Into<String>) -> Self {
        let mut faults = Faults::default();
        faults.add(path, detail);
        Self::Invalid(faults)
    }
}

/// Someone who can be hurt: all that a game needs to know of them.
pub trait Creature:
    Clone + Eq + Hash + Debug + Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static
{
    /// Whether only damage can still happen to it.
    fn is_dead(&self) -> bool;
}

/// Whom an action happens to: a creature, perhaps a creature, or nobody.
pub trait Subject<C: Creature>: Clone + Eq + Hash + Send + Sync + 'static {
    /// Which of the three.
    const TARGET: Target;
    /// The subject, if the request's `target` fits.
    fn new(target: Option<C>) -> Option<Self>;
    /// The creature, if there is one.
    fn creature(&self) -> Option<&C>;
}

/// Whether an action has a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// It cannot do without.
    Required,
    /// It can do with or without.
    Optional,
    /// It has none.
    None,
}

impl<C: Creature> Subject<C> for C {
    const TARGET: Target = Target::Required;
    fn new(target: Option<C>) -> Option<Self> {
        target
    }
    fn creature(&self) -> Option<&C> {
        Some(self)
    }
}

impl<C: Creature> Subject<C> for Option<C> {
    const TARGET: Target = Target::Optional;
    fn new(target: Option<C>) -> Option<Self> {
        Some(target)
    }
    fn creature(&self) -> Option<&C> {
        self.as_ref()
    }
}

impl<C: Creature> Subject<C> for () {
    const TARGET: Target = Target::None;
    fn new(target: Option<C>) -> Option<Self> {
        target.is_none().then_some(())
    }
    fn creature(&self) -> Option<&C> {
        None
    }
}

/// A rule book.
pub trait Ruleset: Sized + Send + Sync + 'static {
    /// What `ruleset` says in a request.
    const ID: &'static str;
    /// The title of the book.
    const TITLE: &'static str;
    /// Where the rules come from.
    const SOURCE: &'static str;
    /// Every rule that a log may cite, in book order.
    const RULES: &'static [Rule];
    /// Every question that the book leaves open.
    const READINGS: &'static [Reading];
    /// The kinds of refusal that this game adds to [`DEAD`] and [`NOT_DYING`].
    const REFUSALS: &'static [RefusalKind] = &[];

    /// Someone who can be hurt.
    type Creature: Creature;
    /// The readings that a table may answer otherwise.
    type Options: Clone + Default + Debug + DeserializeOwned + Serialize + ToSchema + Send + Sync + 'static;
    /// What to announce. Declared in the order in which odds list them.
    type Event: Clone + Ord + Hash + Debug + Serialize + ToSchema + Send + Sync + 'static;

    /// The tables of the book.
    fn tables() -> Vec<Table> {
        Vec::new()
    }

    /// Adds every fault of a creature under these options.
    fn check(creature: &Self::Creature, options: &Self::Options, faults: &mut Faults);

    /// Fills in what the sheet left to be read off its numbers.
    fn complete(creature: &mut Self::Creature, options: &Self::Options);

    /// Adds every action of the game.
    fn actions(catalog: &mut impl Catalog);
}

/// The creature of an action's game.
pub type CreatureOf<A> = <<A as Action>::Rules as Ruleset>::Creature;
/// The options of an action's game.
pub type OptionsOf<A> = <<A as Action>::Rules as Ruleset>::Options;
/// The events of an action's game.
pub type EventOf<A> = <<A as Action>::Rules as Ruleset>::Event;
/// The tray of an action's game.
pub type TrayOf<'d, A> = Tray<'d, EventOf<A>>;

/// What an action did, beside the creature after it.
pub trait Outcome: Clone + Eq + Hash + Debug + Serialize + ToSchema + Send + Sync + 'static {
    /// Adds what the next part of the same action did. Only actions of several parts need it.
    fn then(&mut self, next: Self) {
        *self = next;
    }

    /// The outcome without its lists of parts: what odds tell.
    fn totals(self) -> Self {
        self
    }
}

/// Looks at the parts of a request one by one, so that faults are found in those that can be read
/// even when the whole cannot.
pub trait Parts {
    /// The value at `pointer` is a `T`, or a list of them. A `*` in the pointer means every entry of the
    /// list there.
    fn part<T: Check + DeserializeOwned>(&mut self, pointer: &'static str);
}

/// A request that answers itself: shown in the document, run by the tests.
pub struct Example<A: Action> {
    /// The verb's own fields.
    pub action: A,
    /// Whom it happens to.
    pub target: Option<CreatureOf<A>>,
    /// What the dice show.
    pub dice: Vec<u32>,
}

/// Something that happens to a creature. Its fields are the verb's own fields of the request.
pub trait Action: Clone + Check + Debug + Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static {
    /// The game.
    type Rules: Ruleset;
    /// Whom it happens to.
    type Target: Subject<CreatureOf<Self>>;
    /// What it did.
    type Outcome: Outcome;

    /// The verb: `POST /{NAME}`.
    const NAME: &'static str;
    /// The verb in a few words, for the document.
    const TITLE: &'static str;
    /// Whether it can happen to the dead.
    const ON_THE_DEAD: bool = false;
    /// Whether it comes again round by round, so that odds over `rounds` mean something.
    const ROUNDS: bool = false;

    /// The action as several done in order.
    fn parts(&self) -> Vec<Self> {
        vec![self.clone()]
    }

    /// Names the parts of the request that can be checked by themselves.
    fn read_parts(_parts: &mut impl Parts) {}

    /// The field (a pointer into the request) that only makes sense when the caller sends `dice`, if
    /// this request has it.
    fn needs_dice(&self) -> Option<&'static str> {
        None
    }

    /// Why this cannot happen to this creature, before any die is thrown. [`DEAD`] is seen to by
    /// [`refusal`].
    fn refuses(&self, _to: &Self::Target, _options: &OptionsOf<Self>) -> Option<Refusal> {
        None
    }

    /// The rule, for one part.
    fn apply(
        &self,
        to: &mut Self::Target,
        options: &OptionsOf<Self>,
        tray: &mut TrayOf<'_, Self>,
    ) -> Result<Self::Outcome, Stop>;

    /// What happened, in a sentence for the chat.
    fn summary(&self, done: &Done<Self>) -> String;

    /// A request that shows what the action is for.
    fn example() -> Example<Self>;
}

/// A list of actions that takes each with its own type.
pub trait Catalog {
    /// Adds one.
    fn add<A: Action>(&mut self);
}

/// What an action did.
pub struct Done<A: Action> {
    /// Whom it happened to, before.
    pub before: A::Target,
    /// And after.
    pub after: A::Target,
    /// What it did.
    pub outcome: A::Outcome,
    /// What to announce, in order.
    pub events: Vec<EventOf<A>>,
    /// Everything that happened, in order.
    pub log: Vec<Line>,
}

impl<A: Action> Done<A> {
    /// The faces thrown, in order.
    pub fn dice(&self) -> Vec<u32> {
        let thrown = self.log.iter().filter_map(|line| match line {
            Line::Roll { faces, .. } => Some(faces),
            Line::Step { .. } | Line::Change { .. } => None,
        });
        thrown.flatten().copied().collect()
    }
}

/// Why `action` cannot happen to `to`: death first, then whatever the action itself says.
pub fn refusal<A: Action>(action: &A, to: &A::Target, options: &OptionsOf<A>) -> Option<Refusal> {
    if !A::ON_THE_DEAD && to.creature().is_some_and(Creature::is_dead) {
        return Some(Refusal::because(&DEAD, "The creature is dead; nothing but damage can happen to it."));
    }
    action.refuses(to, options)
}

/// Carries an action out, part by part, with these dice.
pub fn resolve<A: Action>(
    action: &A,
    target: A::Target,
    options: &OptionsOf<A>,
    dice: &mut dyn Dice,
) -> Result<Done<A>, Stop> {
    let mut tray = Tray::new(dice);
    let mut after = target.clone();
    let mut outcome: Option<A::Outcome> = None;
    for part in action.parts() {
        let next = part.apply(&mut after, options, &mut tray)?;
        match &mut outcome {
            None => outcome = Some(next),
            Some(outcome) => outcome.then(next),
        }
    }
    // An action without parts is itself its only part.
    let outcome = match outcome {
        Some(outcome) => outcome,
        None => action.apply(&mut after, options, &mut tray)?,
    };
    let (events, log) = tray.into_parts();
    Ok(Done { before: target, after, outcome, events, log })
}
