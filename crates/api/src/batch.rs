//! Many operations in one call: area attacks and whole turns.

use std::borrow::Cow;
use std::fmt::Write;

use scathe_rules::check::{Faults, given};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::faults::{self, Schema};
use crate::json::{Members, values};
use crate::limits::{BATCH_REPLIES, HEAVY, OPERATIONS};
use crate::odds::stopped_batch;
use crate::problem::{Answer, INTERNAL, NOT_FOUND, Problem, SOURCE_FAILED};
use crate::registry::Registry;
use crate::schema::{Part, Shapes};
use crate::throw::check_seed;
use crate::verb::{Means, Mode};

/// Several operations, done in order.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BatchRequest)]
pub struct Batch<'a> {
    /// Operation i throws from a seed made of this one and i, so that adding a target never shifts
    /// another's dice: the SHA-256 digest of this text, a line feed and i (from 0), in lowercase
    /// hexadecimal. Absent: a fresh one, which the reply tells.
    #[serde(default, deserialize_with = "given")]
    #[schema(min_length = 1, max_length = 64, nullable = false, examples("round 3"))]
    seed: Option<String>,
    /// What to do, in order.
    #[serde(borrow)]
    #[schema(min_items = 1, max_items = 256, value_type = Vec<Operation<'_>>)]
    operations: Vec<&'a RawValue>,
}

/// One operation of a batch.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BatchOperation)]
pub struct Operation<'a> {
    /// The verb: what follows the first slash of its path, as in `damage` or `damage/odds`.
    #[serde(borrow)]
    #[schema(value_type = String, examples("damage"))]
    verb: Cow<'a, str>,
    /// Takes `target` from what an earlier operation of the same ruleset left, by its index.
    #[serde(default, deserialize_with = "given")]
    #[schema(minimum = 0, maximum = 255, nullable = false)]
    target_from: Option<usize>,
    /// The body that the verb takes.
    #[serde(borrow)]
    #[schema(value_type = Object)]
    request: &'a RawValue,
}

/// What came of each operation.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchReply)]
pub struct Reply {
    /// The seed that the operations' own seeds are made of.
    seed: String,
    /// One for each operation, in order.
    results: Vec<Done>,
}

/// What came of one operation: a reply or a problem.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchResult)]
pub struct Done {
    /// The status that the operation would have been answered with by itself.
    #[schema(minimum = 200, maximum = 599)]
    status: u16,
    /// The reply, where the status is 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    reply: Option<Box<RawValue>>,
    /// The problem, where it is not. Its pointers point into the operation's own request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    problem: Option<Problem>,
}

impl From<Answer> for Done {
    fn from(answer: Answer) -> Self {
        match answer {
            Ok(reply) => Self { status: 200, reply: Some(reply), problem: None },
            Err(problem) => Self { status: problem.status, reply: None, problem: Some(problem) },
        }
    }
}

/// Whether a batch may keep a thread for long: it is long itself, or asks for odds.
pub fn is_heavy(body: &[u8]) -> bool {
    // An escape may hide the word.
    body.len() > HEAVY || body.contains(&b'\\') || body.windows(ODDS.len()).any(|part| part == ODDS.as_bytes())
}

/// How the verb of a question for odds ends.
const ODDS: &str = "/odds";

/// The schema of a batch, without references.
///
/// # Errors
/// Fails when it is invalid.
pub fn schema() -> Result<Schema, String> {
    let mut shapes = Shapes::default();
    shapes.add(&Part::of::<Batch<'_>>());
    Schema::new(shapes.resolved(&Batch::name()))
}

/// Does every operation of a batch. One that fails spoils no other.
///
/// # Errors
/// The batch itself has faults.
pub fn answer(registry: &Registry, schema: &Schema, raw: &RawValue, means: &Means<'_>, limit: usize) -> Answer {
    let (seed, operations) = read(raw, schema)?;
    let seed = seed.unwrap_or_else(means.seed);
    let mut results: Vec<Done> = Vec::with_capacity(operations.len());
    let mut held = 0;
    for (index, operation) in operations.iter().enumerate() {
        let own = || derived(&seed, index);
        let go_on = || held < BATCH_REPLIES && (means.go_on)();
        let means = Means { seed: &own, go_on: &go_on, ..*means };
        let done = Done::from(operate(registry, operation, &results, &means, limit));
        held += done.reply.as_ref().map_or(0, |reply| reply.get().len());
        results.push(done);
    }
    to_raw_value(&Reply { seed, results })
        .map_err(|error| Problem::new(&INTERNAL, format!("The reply has no JSON form: {error}.")))
}

/// The seed and the operations of a batch.
type Read<'a> = (Option<String>, Vec<Operation<'a>>);

/// Reads a batch, or says everything that is wrong with its own members.
fn read<'a>(raw: &'a RawValue, schema: &Schema) -> Result<Read<'a>, Problem> {
    let typed = typed(raw);
    let mut faults = Faults::default();
    if let Ok((seed, operations)) = &typed {
        if let Some(seed) = seed {
            check_seed(seed, &mut faults);
        }
        faults.length("/operations", operations, 1..=OPERATIONS);
        for (index, operation) in operations.iter().enumerate() {
            faults.bounds_if(&format!("/operations/{index}/target_from"), operation.target_from, 0..=OPERATIONS - 1);
        }
    }
    match typed {
        Ok(read) if faults.is_empty() => return Ok(read),
        Ok(_) => {}
        Err(error) => {
            let mut inside = Faults::default();
            let value = values(raw, &mut inside)?;
            // Faults inside the requests are each operation's own.
            for fault in inside.into_found().into_iter().filter(|fault| !is_in_request(&fault.pointer)) {
                faults.add(&fault.pointer, fault.detail);
            }
            schema.find(&value, &mut faults);
            if faults.is_empty() {
                faults.add("", error.to_string());
            }
        }
    }
    Err(Problem::invalid(faults::distinct(faults)))
}

/// Reads a batch into its types. A list does not stand for an object.
fn typed(raw: &RawValue) -> Result<Read<'_>, serde_json::Error> {
    let Batch { seed, operations } = object(raw)?;
    Ok((seed, operations.into_iter().map(object).collect::<Result<_, _>>()?))
}

fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, serde_json::Error> {
    if raw.get().starts_with('{') {
        serde_json::from_str(raw.get())
    } else {
        Err(serde::de::Error::custom("must be an object"))
    }
}

/// Whether a pointer into a batch points into the request of one of its operations.
fn is_in_request(pointer: &str) -> bool {
    let mut tokens = pointer.split('/').skip(3);
    tokens.next() == Some("request") && tokens.next().is_some()
}

/// Does one operation.
fn operate(registry: &Registry, operation: &Operation<'_>, before: &[Done], means: &Means<'_>, limit: usize) -> Answer {
    let (verb, mode) = match operation.verb.strip_suffix(ODDS) {
        Some(verb) => (verb, Mode::Odds),
        None => (&*operation.verb, Mode::Resolve),
    };
    if !registry.has(verb) {
        return Err(Problem::new(&NOT_FOUND, "There is no verb of this name; /docs lists every one."));
    }
    if operation.request.get().len() > limit {
        return Err(Problem::too_large(limit));
    }
    if mode == Mode::Odds && !(means.go_on)() {
        return Err(stopped_batch(BATCH_REPLIES));
    }
    match operation.target_from {
        None => registry.answer(verb, mode, operation.request, means).1,
        Some(source) => registry.answer(verb, mode, &handed_on(operation.request, source, before)?, means).1,
    }
}

/// The request with the target that an earlier operation left.
fn handed_on(request: &RawValue, source: usize, before: &[Done]) -> Answer {
    let fault = |detail: &str| Problem::fault("/target_from", detail);
    let Some(source) = before.get(source) else {
        return Err(fault("must be the index of an earlier operation"));
    };
    let Some(reply) = &source.reply else {
        let detail = "The operation whose target this one takes failed, so there is none to take.";
        return Err(Problem::new(&SOURCE_FAILED, detail));
    };
    let Some(members) = Members::of(request) else {
        return Err(Problem::fault("", "must be an object"));
    };
    let left = Members::of(reply);
    let ruleset =
        |members: &Members<'_>| members.get("ruleset").and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
    // A request that names none is told so by itself.
    if ruleset(&members).is_some_and(|mine| left.as_ref().and_then(ruleset) != Some(mine)) {
        return Err(fault("must be an operation of the same ruleset"));
    }
    let Some(target) = left.as_ref().and_then(|left| left.get("target")) else {
        return Err(fault("must be an operation that leaves a target"));
    };
    let mut text = String::from("{\"target\":");
    text.push_str(target.get());
    let mut replaced = false;
    for (key, value) in members.iter() {
        // A second `target` would be a fault in any request, and is one here.
        if key == "target" && !std::mem::replace(&mut replaced, true) {
            continue;
        }
        let key = to_raw_value(key).map_err(|error| Problem::new(&INTERNAL, error.to_string()))?;
        // Writing to a string cannot fail.
        let _ = write!(text, ",{key}:{value}");
    }
    text.push('}');
    RawValue::from_string(text).map_err(|error| Problem::new(&INTERNAL, error.to_string()))
}

/// The seed of operation `index`.
fn derived(seed: &str, index: usize) -> String {
    let digest = Sha256::digest(format!("{seed}\n{index}"));
    let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}
