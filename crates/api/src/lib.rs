//! From the bytes of a request to the bytes of its reply.
//!
//! [`Api::answer`] is the whole seam: whoever carries the bytes (the server, a test) calls it and nothing
//! else. What is absent here, on purpose: HTTP, clocks, threads, and randomness of its own ([`Means`] brings
//! the seed of a request that has none). It names no game; the games register themselves.

pub mod batch;
mod faults;
mod json;
pub mod limits;
mod odds;
pub mod problem;
pub mod registry;
mod reply;
pub mod schema;
pub mod seed;
pub mod throw;
pub mod verb;

use serde_json::value::RawValue;

use crate::limits::Limits;
use crate::problem::Problem;
use crate::registry::Registry;
use crate::verb::{Means, Mode};

/// The games, ready to answer. Nothing in it ever changes.
pub struct Api {
    registry: Registry,
    batch: faults::Schema,
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    /// One verb.
    Verb(&'static str, Mode),
    /// Several of any.
    Batch,
}

impl Call {
    /// Whether this body may keep a thread for longer than other requests should wait.
    pub fn is_heavy(self, body: &[u8]) -> bool {
        match self {
            Self::Verb(_, mode) => mode == Mode::Odds,
            Self::Batch => batch::is_heavy(body),
        }
    }
}

/// What a call is answered with.
pub struct Reply {
    /// The game, if the request named one that has the verb.
    pub ruleset: Option<&'static str>,
    /// The JSON text of the reply, or why there is none.
    pub body: Result<Box<RawValue>, Problem>,
}

impl Api {
    /// Gathers every game.
    ///
    /// # Errors
    /// Fails when a published schema is invalid.
    pub fn new() -> Result<Self, String> {
        Ok(Self { registry: Registry::new()?, batch: batch::schema()? })
    }

    /// Answers one request.
    pub fn answer(&self, call: Call, body: &[u8], limits: Limits, means: &Means<'_>) -> Reply {
        let raw = match json::read(body, limits.depth) {
            Ok(raw) => raw,
            Err(problem) => return Reply { ruleset: None, body: Err(problem) },
        };
        match call {
            Call::Batch => {
                Reply { ruleset: None, body: batch::answer(&self.registry, &self.batch, raw, means, limits.operation) }
            }
            Call::Verb(verb, mode) => {
                let (ruleset, body) = self.registry.answer(verb, mode, raw, means);
                Reply { ruleset, body }
            }
        }
    }

    /// The games, their verbs and what their books say: for documents.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }
}
