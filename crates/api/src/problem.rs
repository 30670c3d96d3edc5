//! Problems: every failure of a request, in the form of RFC 9457.

use scathe_rules::check::{FAULTS, Fault};
use scathe_rules::dice::Ask;
use scathe_rules::ruleset::RefusalKind;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// A kind of problem: its id is the last part of `type`, and the page there explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The id, in kebab case.
    pub id: &'static str,
    /// The same for every problem of the kind.
    pub title: &'static str,
    /// The HTTP status it is answered with.
    pub status: u16,
    /// When it is answered and what to do about it.
    pub meaning: &'static str,
}

/// A kind of problem.
pub const fn kind(id: &'static str, title: &'static str, status: u16, meaning: &'static str) -> Kind {
    Kind { id, title, status, meaning }
}

/// The body is no JSON.
pub const NOT_JSON: Kind = kind(
    "not-json",
    "The body is not JSON",
    400,
    "The body could not be read as JSON (UTF-8 text, one value, nested no deeper than 128). `detail` names the line and the column.",
);
/// No such path.
pub const NOT_FOUND: Kind = kind(
    "not-found",
    "There is nothing here",
    404,
    "The path is none that this service knows, or names a ruleset or a problem type that it does not know. `/docs` lists every path.",
);
/// The body is too large.
pub const TOO_LARGE: Kind = kind(
    "too-large",
    "The body is too large",
    413,
    "The body is larger than the limit that `detail` names. Send fewer hits a call.",
);
/// The request has faults.
pub const INVALID: Kind = kind(
    "invalid",
    "The request has faults",
    422,
    "`errors` lists every fault found, each with a JSON pointer into the request: a value of the wrong type or out of bounds, a member \
     that is missing, misspelt, given twice or that does not go with another, a die that was not asked for or that shows a face it does not have.",
);
/// The given dice do not suffice.
pub const NEEDS_DICE: Kind = kind(
    "needs-dice",
    "More dice are needed",
    422,
    "The rule asks for more dice than `dice` gives. `next` says what to throw: what it is for, how many sides, and how many dice of that throw \
     are still missing. Throw them, append them to `dice` and call again; `\"dice\": []` asks for the first throw. Leave `dice` out, or add \
     `\"throw_rest\": true`, and the service throws.",
);
/// The odds have too many branches.
pub const TOO_MANY_BRANCHES: Kind = kind(
    "too-many-branches",
    "The odds have too many branches",
    422,
    "Odds are exact: every way the dice can fall is walked, as far as the rules can tell the ways apart. This question has more of them than \
     the limits that `detail` names. Ask about fewer hits, fewer dice or fewer rounds.",
);
/// An operation of a batch needs what another one did not leave.
pub const SOURCE_FAILED: Kind = kind(
    "source-failed",
    "The operation that this one goes on from failed",
    422,
    "`target_from` takes the target that an earlier operation of the same batch left, but that operation was answered with a problem. Mend \
     that one; this one goes on from it then.",
);
/// JSON that nests too deep.
pub const TOO_DEEP: Kind = kind(
    "too-deep",
    "The body nests too deep",
    400,
    "The body's lists and objects stand inside one another deeper than the limit that `detail` names. No request needs more than a few levels.",
);
/// Something broke here.
pub const INTERNAL: Kind = kind(
    "internal",
    "Something broke on our side",
    500,
    "The service failed where it never should. The request may be sent again; if it fails again, please report it.",
);

/// The kinds that any call may be answered with. Games add their own ([`RefusalKind`]), and so does whoever
/// carries the bytes.
pub const KINDS: &[Kind] =
    &[NOT_JSON, TOO_DEEP, NOT_FOUND, TOO_LARGE, INVALID, NEEDS_DICE, TOO_MANY_BRANCHES, SOURCE_FAILED, INTERNAL];

impl From<&RefusalKind> for Kind {
    fn from(refusal: &RefusalKind) -> Self {
        kind(refusal.id, refusal.title, 422, refusal.meaning)
    }
}

/// Why a request failed (RFC 9457).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// The kind of problem: the path of a page that explains it.
    #[serde(rename = "type", serialize_with = "page")]
    #[schema(rename = "type", value_type = String, examples("/problems/invalid"))]
    pub kind: &'static str,
    /// The kind of problem as a short sentence.
    #[schema(value_type = String)]
    pub title: &'static str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// What is wrong with this request.
    pub detail: String,
    /// This very request: its id, as the header `X-Request-Id` and the log have it. Absent inside a
    /// batch, whose own answer has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("/requests/8f4b7d3c"))]
    pub instance: Option<String>,
    /// Every fault of the request (`invalid`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Error>,
    /// What to throw next (`needs-dice`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<Box<Ask>>,
}

/// The path of the page that explains a kind of problem.
fn page<S: Serializer>(id: &&'static str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("/problems/{id}"))
}

/// One fault of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Error {
    /// Where: a JSON Pointer into the request, as a URI fragment.
    #[schema(examples("#/target/hp"))]
    pub pointer: String,
    /// What is wrong there.
    pub detail: String,
}

impl Problem {
    /// A problem of this kind.
    pub fn new(kind: &Kind, detail: impl Into<String>) -> Self {
        Self {
            kind: kind.id,
            title: kind.title,
            status: kind.status,
            detail: detail.into(),
            instance: None,
            errors: Vec::new(),
            next: None,
        }
    }

    /// The request has these faults, at least one.
    pub fn invalid(faults: Vec<Fault>) -> Self {
        let errors: Vec<Error> =
            faults.into_iter().map(|fault| Error { pointer: fragment(&fault.pointer), detail: fault.detail }).collect();
        let detail = match errors.as_slice() {
            [only] if only.detail.ends_with('?') => format!("{}: {}", only.pointer, only.detail),
            [only] => format!("{}: {}.", only.pointer, only.detail),
            many if many.len() >= FAULTS => {
                format!("The request has too many faults; `errors` lists the first {FAULTS}.")
            }
            several => format!("The request has {} faults; `errors` lists them.", several.len()),
        };
        Self { errors, ..Self::new(&INVALID, detail) }
    }

    /// The request has one fault.
    pub fn fault(pointer: &str, detail: impl Into<String>) -> Self {
        Self::invalid(vec![Fault { pointer: pointer.to_owned(), detail: detail.into() }])
    }

    /// The body is larger than `limit` bytes.
    pub fn too_large(limit: usize) -> Self {
        Self::new(&TOO_LARGE, format!("The body is larger than {limit} bytes."))
    }

    /// The dice given do not suffice.
    pub fn needs_dice(ask: Ask) -> Self {
        let (dice, show) = if ask.count == 1 { ("die", "it shows") } else { ("dice", "they show") };
        let by = ask.by.map(|by| format!(" (thrown by {})", by.name())).unwrap_or_default();
        let detail = format!(
            "Throw {} more {dice} of {} sides for {}{by}, and append what {show} to `dice`.",
            ask.count, ask.sides, ask.why
        );
        Self { next: Some(Box::new(ask)), ..Self::new(&NEEDS_DICE, detail) }
    }
}

/// The body of a reply, or a problem.
pub type Answer = Result<Box<RawValue>, Problem>;

/// A JSON Pointer as a URI fragment: what a URI does not take is percent-encoded.
fn fragment(pointer: &str) -> String {
    let mut fragment = String::from("#");
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte) {
            fragment.push(char::from(byte));
        } else {
            fragment.push_str(&format!("%{byte:02X}"));
        }
    }
    fragment
}

/// The media type of a problem.
pub const MEDIA_TYPE: &str = "application/problem+json";
