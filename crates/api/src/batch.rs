//! Many operations in one call: area attacks and whole turns.

use scathe_rules::check::{Faults, given};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::faults::{self, Schema};
use crate::json::{self, Body, Json};
use crate::limits::{BATCH_REPLIES, DEPTH, HEAVY, OPERATIONS};
use crate::odds::stopped_batch;
use crate::problem::{Answer, INTERNAL, NOT_FOUND, Problem, SOURCE_FAILED};
use crate::registry::Registry;
use crate::schema::{Part, Shapes};
use crate::throw::check_seed;
use crate::verb::{Entry, Means, Mode};

/// Several operations, done in order.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BatchRequest)]
pub struct Batch {
    /// Operation i throws from a seed made of this one and i, so that adding a target never shifts
    /// another's dice: the SHA-256 digest of this text, a line feed and i (from 0), in lowercase
    /// hexadecimal. Absent: a fresh one, which the reply tells.
    #[serde(default, deserialize_with = "given")]
    #[schema(min_length = 1, max_length = 64, nullable = false, examples("round 3"))]
    seed: Option<String>,
    /// What to do, in order.
    #[schema(min_items = 1, max_items = 256)]
    operations: Vec<Operation>,
}

/// One operation of a batch.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BatchOperation)]
pub struct Operation {
    /// The verb: what follows the first slash of its path, as in `damage` or `damage/odds`.
    #[schema(examples("damage"))]
    verb: String,
    /// Takes `target` from what an earlier operation of the same ruleset left, by its index.
    #[serde(default, deserialize_with = "given")]
    #[schema(minimum = 0, maximum = 255, nullable = false)]
    target_from: Option<usize>,
    /// The body that the verb takes.
    #[schema(value_type = Object)]
    #[expect(dead_code, reason = "that it is there is all that is read of it here; the tree has it")]
    request: IgnoredAny,
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
pub fn schema() -> Value {
    let mut shapes = Shapes::default();
    shapes.add(&Part::of::<Batch>());
    shapes.resolved(&Batch::name())
}

/// Does every operation of a batch. One that fails spoils no other.
///
/// # Errors
/// The batch itself has faults.
pub fn answer(registry: &Registry, schema: &Schema, batch: Body<'_>, means: &Means<'_>, limit: usize) -> Answer {
    let (Batch { seed, operations }, requests) = read(batch, schema)?;
    let seed = seed.unwrap_or_else(means.seed);
    let mut results: Vec<Done> = Vec::with_capacity(operations.len());
    let mut held = 0;
    for (index, (operation, request)) in operations.iter().zip(requests).enumerate() {
        let own = || derived(&seed, index);
        let go_on = || held < BATCH_REPLIES && (means.go_on)();
        let means = Means { seed: &own, go_on: &go_on, ..*means };
        let done = Done::from(operate(registry, operation, request, &results, &means, limit));
        held += done.reply.as_ref().map_or(0, |reply| reply.get().len());
        results.push(done);
    }
    to_raw_value(&Reply { seed, results })
        .map_err(|error| Problem::new(&INTERNAL, format!("The reply has no JSON form: {error}.")))
}

/// Reads a batch and the requests of its operations, or says everything that is wrong with its own members.
/// Faults inside a request are its operation's own.
fn read<'a>(batch: Body<'a>, schema: &Schema) -> Result<(Batch, Vec<Body<'a>>), Problem> {
    let Body { mut json, faults: found } = batch;
    let typed = Batch::deserialize(&json);
    let mut requests = Vec::new();
    if let Json::Object(members) = &mut json
        && let Some((_, Json::List(operations))) = members.iter_mut().find(|(key, _)| key == "operations")
    {
        for operation in operations {
            // What a schema sees of a request is of which kind it is.
            let kind = match operation.get("request") {
                Some(Json::Object(_)) => Json::Object(Vec::new()),
                Some(_) => Json::Null,
                None => continue,
            };
            requests.extend(operation.take("request").map(|json| Body { json, faults: Faults::default() }));
            operation.put("request", kind);
        }
    }
    let mut faults = Faults::default();
    for fault in found.into_found() {
        match in_request(&fault.pointer).and_then(|(index, rest)| Some((requests.get_mut(index)?, rest))) {
            Some((request, rest)) => request.faults.add(rest, fault.detail),
            None => faults.add(&fault.pointer, fault.detail),
        }
    }
    match typed {
        Ok(batch) => {
            if let Some(seed) = &batch.seed {
                check_seed(seed, &mut faults);
            }
            faults.length("/operations", &batch.operations, 1..=OPERATIONS);
            for (index, operation) in batch.operations.iter().enumerate() {
                let at = format!("/operations/{index}/target_from");
                faults.bounds_if(&at, operation.target_from, 0..=OPERATIONS - 1);
            }
            if faults.is_empty() {
                return Ok((batch, requests));
            }
        }
        Err(error) => {
            schema.find(&json.to_value(), &mut faults);
            if faults.is_empty() {
                faults.add("", error.to_string());
            }
        }
    }
    Err(Problem::invalid(faults::distinct(faults)))
}

/// The operation into whose request a pointer into a batch points, and what is left of the pointer there.
fn in_request(pointer: &str) -> Option<(usize, &str)> {
    let (index, rest) = pointer.strip_prefix("/operations/")?.split_once('/')?;
    let rest = rest.strip_prefix("request")?;
    rest.starts_with('/').then_some((index.parse().ok()?, rest))
}

/// Does one operation.
fn operate<'a>(
    registry: &Registry,
    operation: &Operation,
    mut request: Body<'a>,
    before: &'a [Done],
    means: &Means<'_>,
    limit: usize,
) -> Answer {
    let (verb, mode) = match operation.verb.strip_suffix(ODDS) {
        Some(verb) => (verb, Mode::Odds),
        None => (&*operation.verb, Mode::Resolve),
    };
    if !registry.has(verb) {
        return Err(Problem::new(&NOT_FOUND, "There is no verb of this name; /docs lists every one."));
    }
    if request.json.size() > limit {
        return Err(Problem::too_large(limit));
    }
    if mode == Mode::Odds && !(means.go_on)() {
        return Err(stopped_batch(BATCH_REPLIES));
    }
    match operation.target_from {
        None => registry.answer(verb, mode, request, means).1,
        Some(source) => {
            // A request that names no game that has the verb is told so by itself.
            if let Ok(entry) = registry.entry(verb, &request.json) {
                let target = left_by(source, before, entry)?;
                request = with_target(request, json::read(target.get().as_bytes(), DEPTH)?.json);
            }
            registry.answer(verb, mode, request, means).1
        }
    }
}

/// What is looked at of an earlier operation's reply.
#[derive(Deserialize)]
struct Left<'a> {
    ruleset: &'a str,
    #[serde(borrow)]
    target: Option<&'a RawValue>,
}

/// The target that an earlier operation left for this action.
fn left_by<'a>(source: usize, before: &'a [Done], entry: &dyn Entry) -> Result<&'a RawValue, Problem> {
    let fault = |detail: &str| Problem::fault("/target_from", detail);
    if !entry.takes_target() {
        return Err(fault("goes with a verb that has a target; this one has none"));
    }
    let Some(source) = before.get(source) else {
        return Err(fault("must be the index of an earlier operation"));
    };
    let Some(reply) = &source.reply else {
        let detail = "The operation whose target this one takes failed, so there is none to take.";
        return Err(Problem::new(&SOURCE_FAILED, detail));
    };
    let left: Left<'_> =
        serde_json::from_str(reply.get()).map_err(|error| Problem::new(&INTERNAL, error.to_string()))?;
    if left.ruleset != entry.ruleset() {
        return Err(fault("must be an operation of the same ruleset"));
    }
    left.target.ok_or_else(|| fault("must be an operation that leaves a target"))
}

/// The request with this target. What was wrong inside the one that it sent does not count any more.
fn with_target<'a>(request: Body<'a>, target: Json<'a>) -> Body<'a> {
    let Body { mut json, faults: found } = request;
    json.put("target", target);
    let mut faults = Faults::default();
    for fault in found.into_found().into_iter().filter(|fault| !fault.pointer.starts_with("/target/")) {
        faults.add(&fault.pointer, fault.detail);
    }
    Body { json, faults }
}

/// The seed of operation `index`.
fn derived(seed: &str, index: usize) -> String {
    let digest = Sha256::digest(format!("{seed}\n{index}"));
    let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}
