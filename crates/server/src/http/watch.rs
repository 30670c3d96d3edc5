//! Seeing what the service does: request ids, logs and metrics. No body is ever logged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::response::Response;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use scathe_api::problem::Problem;
use tracing_appender::non_blocking::ErrorCounter;

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
    route: Arc<str>,
    ruleset: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: Arc<str>,
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

/// The lines that the log lost because nobody read them in time.
#[derive(Debug)]
struct LostLines(ErrorCounter);

impl Collector for LostLines {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let lost = ConstCounter::new(u64::try_from(self.0.dropped_lines()).unwrap_or(u64::MAX));
        let help = "Log lines lost because they were not read in time";
        lost.encode(encoder.encode_descriptor("log_lines_lost", help, None, lost.metric_type())?)
    }
}

impl Metrics {
    /// No request yet. `lost` counts the lines that the log loses, where it may lose any.
    pub fn new(lost: Option<ErrorCounter>) -> Self {
        let mut registry = Registry::with_prefix("scathe");
        let (requests, in_flight, branches) = (Family::default(), Gauge::default(), Family::default());
        let seconds = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        registry.register("requests", "Requests answered, by route, ruleset and status", requests.clone());
        registry.register("request_seconds", "How long requests took, by route", seconds.clone());
        registry.register("requests_in_flight", "Requests being answered", in_flight.clone());
        registry.register("odds_branches", "Branches walked for odds, by ruleset", branches.clone());
        if let Some(lost) = lost {
            registry.register_collector(Box::new(LostLines(lost)));
        }
        Self { registry, requests, seconds, in_flight, branches }
    }

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

/// The id that a caller sent, if it is short and plain, or a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let plain = |id: &&HeaderValue| {
        let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        (1..=ID_LENGTH).contains(&id.len()) && id.as_bytes().iter().all(allowed)
    };
    let sent = headers.get(REQUEST_ID).filter(plain).cloned();
    sent.or_else(|| HeaderValue::try_from(fresh()).ok()).unwrap_or_else(|| HeaderValue::from_static("unknown"))
}

/// A request that takes longer is logged though it went well.
const SLOW: Duration = Duration::from_secs(1);
/// The longest part of a path that is logged, in bytes.
const LOGGED_PATH: usize = 256;

/// Watches one request: it is in flight until its end, or until the caller hangs up.
pub struct Watch {
    metrics: Arc<Metrics>,
    route: Arc<str>,
    started: Instant,
    id: HeaderValue,
    method: Method,
    uri: Uri,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.metrics.in_flight.dec();
    }
}

impl Watch {
    /// Gives the request its id.
    pub fn new(metrics: Arc<Metrics>, route: Arc<str>, request: &Request) -> Self {
        metrics.in_flight.inc();
        let (method, uri) = (request.method().clone(), request.uri().clone());
        Self { metrics, route, started: Instant::now(), id: request_id(request.headers()), method, uri }
    }

    /// Writes the body of a problem, counts and logs.
    pub fn end(self, mut response: Response) -> Response {
        let id = self.id.to_str().unwrap_or_default();
        let problem = response.extensions_mut().remove::<Problem>();
        let kind = problem.as_ref().map(|problem| problem.kind);
        if let Some(problem) = problem {
            // Texts, numbers and lists always have a JSON form.
            let body = serde_json::to_vec(&Problem { instance: Some(format!("/requests/{id}")), ..problem });
            let body = body.unwrap_or_default();
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
            *response.body_mut() = Body::from(body);
        }
        let (status, taken) = (response.status(), self.started.elapsed());
        let Of(ruleset) = response.extensions().get().copied().unwrap_or(Of(""));
        macro_rules! log {
            ($level:ident) => {
                tracing::$level!(
                    target: "request",
                    id,
                    method = %self.method,
                    path = plain(self.uri.path()),
                    status = status.as_u16(),
                    ruleset,
                    problem = kind,
                    microseconds = taken.as_micros(),
                    "answered"
                )
            };
        }
        if status.is_client_error() || status.is_server_error() || taken > SLOW {
            log!(warn);
        } else {
            log!(info);
        }
        self.metrics.seconds.get_or_create(&Route { route: self.route.clone() }).observe(taken.as_secs_f64());
        let answered = Answered { route: self.route.clone(), ruleset, status: status.as_u16() };
        self.metrics.requests.get_or_create(&answered).inc();
        let headers = response.headers_mut();
        headers.insert(REQUEST_ID, self.id.clone());
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

/// The beginning of a path: what fits into a log line.
fn plain(path: &str) -> &str {
    &path[..path.floor_char_boundary(LOGGED_PATH)]
}
