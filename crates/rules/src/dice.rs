//! What a rule asks of its dice, and the faces that somebody threw elsewhere.

use std::ops::{Add, AddAssign};

use serde::Serialize;
use utoipa::ToSchema;

/// Whose throw it is, where an action has dice of several parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The side that attacks.
    Attacker,
    /// The side that is attacked.
    Target,
}

impl By {
    /// The party, in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attacker => "the attacker",
            Self::Target => "the target",
        }
    }
}

/// One throw that a rule calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
pub struct Ask {
    /// What the throw is for: the id of the rule that calls for it.
    #[serde(rename = "for")]
    #[schema(rename = "for", value_type = String, examples("shield"))]
    pub why: &'static str,
    /// Whose throw it is. Absent where only one party throws.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub by: Option<By>,
    /// How many sides each of these dice has.
    #[schema(minimum = 1, maximum = 1000)]
    pub sides: u32,
    /// How many dice of this throw are still missing.
    #[schema(minimum = 1, maximum = 5000)]
    pub count: u32,
    /// How often a die may call for another one, counted along the longest chain.
    #[serde(skip)]
    #[schema(ignore)]
    pub generations: u32,
    /// Only the highest or the lowest of the dice counts. Absent: all count.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub keep: Option<Keep>,
}

impl Ask {
    /// A throw of `count` dice that all count and none of which calls for another.
    pub fn new(why: &'static str, count: u32, sides: u32) -> Self {
        Self { why, by: None, sides, count, generations: 0, keep: None }
    }

    /// The same throw, made by one of several parties.
    pub fn by(self, party: By) -> Self {
        Self { by: Some(party), ..self }
    }

    /// What two dice of this throw are worth together.
    fn join(&self, one: Worth, other: Worth) -> Worth {
        match self.keep {
            None => one + other,
            Some(Keep::Highest) => one.max(other),
            Some(Keep::Lowest) => one.min(other),
        }
    }
}

/// Which one of several dice counts. Such dice call for no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// The highest.
    Highest,
    /// The lowest.
    Lowest,
}

/// Why a throw was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The given faces ran out before this throw was complete.
    Needs(Ask),
    /// The given face at `index` is none that the die asked for has.
    BadFace {
        /// Where the face stands among those given.
        index: usize,
        /// The throw it was meant for, `count` being what was missing before it.
        ask: Ask,
    },
    /// A die fell so that what the request makes of it cannot be.
    Unfit {
        /// The list of the request that says so: a pointer.
        list: &'static str,
        /// Which entry.
        index: usize,
        /// What is wrong with it, in one sentence without a full stop.
        detail: &'static str,
    },
    /// Walking every branch would take more steps than allowed.
    TooMany,
}

/// What dice are worth to the rule that threw them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Worth {
    /// Adds up over the dice: a success, a fail, the face itself.
    pub points: i32,
    /// Adds up as well: whatever the rule counts beside the points (Perfects, 12s).
    pub marks: u32,
    /// This die calls for one more.
    pub again: bool,
}

impl Worth {
    /// A die that adds `points` and nothing else.
    pub fn points(points: i32) -> Self {
        Self { points, ..Self::default() }
    }
}

impl Add for Worth {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { points: self.points + other.points, marks: self.marks + other.marks, again: false }
    }
}

impl AddAssign for Worth {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// The faces of one throw: the dice asked for first, then those that they called for, generation
/// by generation. Empty while every branch is walked.
pub type Faces = Vec<Vec<u32>>;

/// What one face adds, by face and generation (0: the dice asked for).
pub type WorthOf<'a> = &'a dyn Fn(u32, u32) -> Worth;

/// As much of a sum as the rule wants to know: a grade, a cap, or the sum itself.
pub type View<'a> = &'a dyn Fn(Worth) -> Worth;

/// A source of dice.
pub trait Dice {
    /// Throws one die of `ask`.
    fn face(&mut self, ask: Ask) -> Result<u32, Stop>;

    /// Throws `ask.count` dice, then those that they call for, and adds up what they are worth, or
    /// keeps the one that counts. It means no more than [`Dice::face`] again and again; a source that knows a shorter way to
    /// the same sum may take it.
    fn total(&mut self, ask: Ask, worth: WorthOf<'_>, view: View<'_>) -> Result<(Worth, Faces), Stop> {
        let mut sum: Option<Worth> = None;
        let mut faces = Faces::new();
        let mut due = ask.count;
        for generation in 0..=ask.generations {
            if due == 0 {
                break;
            }
            let mut thrown = Vec::new();
            let mut called = 0;
            for count in (1..=due).rev() {
                let face = self.face(Ask { count, ..ask })?;
                let die = worth(face, generation);
                let alone = Worth { again: false, ..die };
                sum = Some(sum.map_or(alone, |sum| ask.join(sum, alone)));
                called += u32::from(die.again);
                thrown.push(face);
            }
            faces.push(thrown);
            due = called;
        }
        Ok((view(sum.unwrap_or_default()), faces))
    }
}

/// Faces thrown elsewhere, handed out in the order in which the rule asks.
#[derive(Clone, Debug, Default)]
pub struct Given {
    faces: Vec<u32>,
    used: usize,
}

impl Given {
    /// Dice that show these faces.
    pub fn new(faces: Vec<u32>) -> Self {
        Self { faces, used: 0 }
    }

    /// How many faces the rule took.
    pub fn used(&self) -> usize {
        self.used
    }

    /// How many faces nobody asked for.
    pub fn left(&self) -> usize {
        self.faces.len() - self.used
    }
}

impl Dice for Given {
    fn face(&mut self, ask: Ask) -> Result<u32, Stop> {
        let face = *self.faces.get(self.used).ok_or(Stop::Needs(ask))?;
        if !(1..=ask.sides).contains(&face) {
            return Err(Stop::BadFace { index: self.used, ask });
        }
        self.used += 1;
        Ok(face)
    }
}
