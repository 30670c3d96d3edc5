//! Problems that only a service over HTTP has, and how every problem becomes a response.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use scathe_api::problem::{self, INTERNAL, Kind, Problem, kind};

/// The path exists, but not for this method.
pub const METHOD_NOT_ALLOWED: Kind = kind(
    "method-not-allowed",
    "The path does not take this method",
    405,
    "Verbs are called with POST, everything else is read with GET. The header `Allow` lists the methods that the path takes.",
);
/// The body is not declared as JSON.
pub const NOT_JSON_TYPE: Kind = kind(
    "not-json-type",
    "The content type is not JSON",
    415,
    "A verb's body is JSON and must say so: send the header `Content-Type: application/json`.",
);
/// The request took too long.
pub const TIMED_OUT: Kind = kind(
    "timed-out",
    "The request took too long",
    503,
    "The request did not arrive, or could not be answered, within the time that `detail` names. Call again; send it faster, or ask for less.",
);
/// Too many heavy requests wait.
pub const BUSY: Kind = kind(
    "busy",
    "Too many requests are waiting",
    503,
    "Odds and long batches are worked on a few at a time, and as many as may wait are waiting already. Call again after the seconds that the \
     header `Retry-After` names.",
);
/// The client calls too often.
pub const RATE_LIMITED: Kind = kind(
    "rate-limited",
    "You call too often",
    429,
    "This service limits how often one client may call. The headers `RateLimit-Policy` and `RateLimit` tell the limit and what is left of it; \
     call again after the seconds that `Retry-After` names. Many operations fit into one call of `/batch`.",
);
/// The call brings no key.
pub const UNAUTHORIZED: Kind = kind(
    "unauthorized",
    "A key is needed",
    401,
    "Whoever runs this service gives out keys. Send yours as a bearer token, in the header `Authorization: Bearer <key>`. What is only read \
     (the documentation, the rulesets, the problems, whether the service is well) needs none.",
);

/// Every kind but those that games add.
pub fn kinds() -> impl Iterator<Item = Kind> {
    let http = [UNAUTHORIZED, METHOD_NOT_ALLOWED, NOT_JSON_TYPE, RATE_LIMITED, TIMED_OUT, BUSY];
    problem::KINDS.iter().copied().chain(http)
}

/// After how many seconds one who found the queue full should call again.
const RETRY_AFTER: u32 = 1;

/// The body is not declared as JSON.
pub fn not_json_type() -> Problem {
    Problem::new(&NOT_JSON_TYPE, "The header `Content-Type` must be application/json.")
}

/// The call brings no key.
pub fn no_key() -> Problem {
    Problem::new(&UNAUTHORIZED, "This service asks for a key: send the header `Authorization: Bearer <key>`.")
}

/// As many requests wait as may.
pub fn busy(waiting: usize) -> Problem {
    Problem::new(&BUSY, format!("{waiting} requests are waiting already."))
}

/// The request took too long.
pub fn timed_out(time: Duration) -> Problem {
    Problem::new(&TIMED_OUT, format!("The request took more than {}.", humantime::format_duration(time)))
}

/// Something broke here.
pub fn internal() -> Problem {
    Problem::new(&INTERNAL, "Something broke while this request was worked on.")
}

/// The media type of a problem.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// A request that failed. (A response cannot be made of a problem itself: it comes from another crate.)
pub struct Failure(pub Problem);

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl IntoResponse for Failure {
    /// The problem goes along; its body is written on the way out, where the request's id is known.
    fn into_response(self) -> Response {
        let Self(problem) = self;
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if problem.kind == BUSY.id {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER));
        }
        response.extensions_mut().insert(problem);
        response
    }
}
