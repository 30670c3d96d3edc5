//! Seeing what the service does: request ids, logs and metrics. No body is ever logged.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use scathe_api::problem::Problem;

use crate::http::fresh::fresh;
use crate::http::problem::MEDIA_TYPE;

/// The header that carries a request's id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The longest id that is taken from a caller.
const ID_LENGTH: usize = 64;
/// The upper bounds of the latency histogram, in seconds.
const BUCKETS: [f64; 12] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 2.5, 10.0];

/// Which game a reply is of, for the metrics.
#[derive(Clone, Copy)]
pub struct Of(pub &'static str);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: String,
    ruleset: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Game {
    ruleset: &'static str,
}

/// What Prometheus reads.
pub struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    seconds: Family<Route, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    branches: Family<Game, Counter>,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("scathe");
        let (requests, in_flight, branches) = (Family::default(), Gauge::default(), Family::default());
        let seconds = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        registry.register("requests", "Requests answered, by route, ruleset and status", requests.clone());
        registry.register("request_seconds", "How long requests took, by route", seconds.clone());
        registry.register("requests_in_flight", "Requests being answered", in_flight.clone());
        registry.register("odds_branches", "Branches walked for odds, by ruleset", branches.clone());
        Self { registry, requests, seconds, in_flight, branches }
    }
}

impl Metrics {
    /// Counts the branches of a walk.
    pub fn walked(&self, ruleset: &'static str, branches: usize) {
        self.branches.get_or_create(&Game { ruleset }).inc_by(u64::try_from(branches).unwrap_or(u64::MAX));
    }

    /// The metrics as Prometheus reads them.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// The media type of the metrics.
pub const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counts a request as in flight for as long as it lives, even if the caller hangs up.
struct InFlight<'m>(&'m Gauge);

impl<'m> InFlight<'m> {
    fn new(gauge: &'m Gauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The id that a caller sent, if it is short and plain, or a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let plain = |id: &&HeaderValue| {
        let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        (1..=ID_LENGTH).contains(&id.len()) && id.as_bytes().iter().all(allowed)
    };
    let sent = headers.get(REQUEST_ID).filter(plain).cloned();
    sent.or_else(|| HeaderValue::try_from(fresh()).ok()).unwrap_or_else(|| HeaderValue::from_static("unknown"))
}

/// Gives each request its id, writes a problem's body, counts and logs.
pub async fn watch(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(request.headers());
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let in_flight = InFlight::new(&metrics.in_flight);
    let mut response = next.run(request).await;
    drop(in_flight);

    let problem = response.extensions_mut().remove::<Problem>();
    if let Some(problem) = &problem {
        let instance = Some(format!("/requests/{}", id.to_str().unwrap_or_default()));
        // Texts, numbers and lists always have a JSON form.
        let body = serde_json::to_vec(&Problem { instance, ..problem.clone() }).unwrap_or_default();
        *response.body_mut() = Body::from(body);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    }
    let (status, taken) = (response.status().as_u16(), started.elapsed());
    let Of(ruleset) = response.extensions().get().copied().unwrap_or(Of(""));
    tracing::info!(
        id = id.to_str().unwrap_or_default(),
        %method,
        path,
        status,
        ruleset,
        problem = problem.map(|problem| problem.kind),
        microseconds = taken.as_micros(),
        "answered"
    );
    metrics.seconds.get_or_create(&Route { route: route.clone() }).observe(taken.as_secs_f64());
    metrics.requests.get_or_create(&Answered { route, ruleset, status }).inc();
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
