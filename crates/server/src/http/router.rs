//! The HTTP service: routes and layers. It names no game; the games register themselves.

mod batch;
pub mod config;
mod faults;
mod guard;
mod odds;
mod openapi;
mod pages;
mod problem;
mod registry;
mod request;
mod serve;
pub mod thrown;
mod watch;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::config::Config;
use crate::faults::Schema;
use crate::guard::{Keys, Limiter};
use crate::problem::{BUSY, NOT_JSON, NOT_JSON_TYPE, Problem, TIMED_OUT};
use crate::registry::{Means, Mode, Registry};
pub use crate::serve::{connection_cap, serve};
use crate::watch::{Metrics, Of, REQUEST_ID};

/// The largest body of a request unless the configuration says otherwise, in bytes.
const BODY_LIMIT: usize = 64 * 1024;
/// The same for a batch.
const BATCH_BODY_LIMIT: usize = 1024 * 1024;
/// How deep a request may nest unless the configuration says otherwise.
const JSON_DEPTH: usize = 128;
/// How much more of a body that is too large is read (and dropped), so that the caller, who is still
/// sending, gets to read the answer.
const DRAIN_LIMIT: usize = 16 * 1024 * 1024;
/// How long that may take.
const DRAIN_TIME: Duration = Duration::from_secs(1);
/// How long a browser may remember what a preflight answered.
const CORS_MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Replies that are smaller are not worth compressing.
const COMPRESS_FROM: u64 = 8 * 1024;
/// After how many seconds one who found the queue full should call again.
const RETRY_AFTER: u32 = 1;

/// The games, and the documents that describe them. Nothing in it ever changes.
pub struct App {
    registry: Registry,
    document: Bytes,
    batch: Schema,
    swagger: Arc<utoipa_swagger_ui::Config<'static>>,
}

impl App {
    /// The games, and the document that describes them.
    ///
    /// # Errors
    /// Fails when an action's published schema is none.
    pub fn new() -> Result<Self, String> {
        let registry = Registry::new()?;
        let batch = openapi::batch_schema()?;
        let document = openapi::document(&registry, &batch);
        let mut text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
        text.push('\n');
        let swagger =
            utoipa_swagger_ui::Config::from("/openapi.json").try_it_out_enabled(true).display_request_duration(true);
        Ok(Self { registry, document: Bytes::from(text), batch, swagger: Arc::new(swagger) })
    }

    /// The OpenAPI document.
    pub fn document(&self) -> &[u8] {
        &self.document
    }
}

/// The service as it is set up.
pub struct Service {
    app: Arc<App>,
    config: Config,
    keys: Keys,
    limiter: Option<Limiter>,
    metrics: Metrics,
    /// How many requests may be worked on off the async threads at once.
    workers: Arc<Semaphore>,
    /// How many wait for that.
    waiting: AtomicUsize,
    draining: AtomicBool,
}

impl Service {
    /// Sets the service up.
    ///
    /// # Errors
    /// Fails when the file of keys cannot be used.
    pub fn new(app: Arc<App>, config: Config) -> Result<Arc<Self>, String> {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = config.workers.map_or_else(processors, usize::from).min(Semaphore::MAX_PERMITS);
        Ok(Arc::new(Self {
            app,
            keys: Keys::new(&config)?,
            limiter: Limiter::new(&config),
            metrics: Metrics::default(),
            workers: Arc::new(Semaphore::new(workers)),
            waiting: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
            config,
        }))
    }

    /// From now on the service says that it is not ready for more.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Release);
    }

    /// Answers one request, and tells which game it was of. What it walks goes on for as long as
    /// `go_on` says yes.
    fn answer(&self, call: Call, body: &[u8], go_on: &dyn Fn() -> bool) -> Answer {
        let walked = |ruleset, branches| self.metrics.walked(ruleset, branches);
        let means = Means { go_on, walked: &walked, ..Means::FRESH };
        let registry = &self.app.registry;
        let raw = match request::json(body, self.config.json_depth) {
            Ok(raw) => raw,
            Err(problem) => return Answer { of: Of(""), reply: Err(problem) },
        };
        match call {
            Call::Batch => Answer {
                of: Of(""),
                reply: batch::answer(registry, &self.app.batch, raw, &means, self.config.body_limit),
            },
            Call::Verb(verb, mode) => {
                let (ruleset, reply) = registry.answer(verb, mode, raw, &means);
                Answer { of: Of(ruleset.unwrap_or_default()), reply }
            }
        }
    }
}

/// What a request is answered with.
struct Answer {
    of: Of,
    reply: Result<Box<RawValue>, Problem>,
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = match self.reply {
            Ok(reply) => json_response(reply),
            Err(problem) => problem.into_response(),
        };
        response.extensions_mut().insert(self.of);
        response
    }
}

impl From<Problem> for Answer {
    fn from(problem: Problem) -> Self {
        Self { of: Of(""), reply: Err(problem) }
    }
}

/// The routes and the layers around them.
pub fn router(service: Arc<Service>) -> Router {
    let compression = CompressionLayer::new().compress_when(SizeAbove::new(COMPRESS_FROM));
    let documents = Router::new()
        .route("/", get(pages::root))
        .route("/docs", get(pages::root))
        .route("/docs/", get(pages::docs_front))
        .route("/docs/{*path}", get(pages::docs))
        .route("/openapi.json", get(pages::openapi))
        .route("/rulesets", get(pages::rulesets))
        .route("/rulesets/{id}", get(pages::ruleset))
        .route("/problems/{type}", get(pages::problem))
        .layer(middleware::from_fn(pages::cache))
        .layer(compression.clone())
        .layer(middleware::from_fn(gzip_or_nothing));
    let mut router = documents.merge(health());
    for (verb, _) in service.app.registry.verbs() {
        for mode in Mode::ALL {
            let method = post(move |State(service): State<Arc<Service>>, headers: HeaderMap, body: Body| async move {
                respond(service, Call::Verb(verb, mode), &headers, body).await
            });
            // Only odds grow large enough to be worth it.
            let method = match mode {
                Mode::Odds => method.layer(compression.clone()).layer(middleware::from_fn(gzip_or_nothing)),
                Mode::Resolve => method,
            };
            router = router.route(&mode.path(verb), method);
        }
    }
    let batch = |State(service): State<Arc<Service>>, headers: HeaderMap, body: Body| async move {
        respond(service, Call::Batch, &headers, body).await
    };
    layered(router.route("/batch", post(batch)), service)
}

/// The layers around routes: whatever happens inside is answered as the service answers.
pub fn layered(routes: Router<Arc<Service>>, service: Arc<Service>) -> Router {
    routes
        .fallback(pages::not_found)
        .method_not_allowed_fallback(pages::method_not_allowed)
        .layer(middleware::from_fn_with_state(service.clone(), guard::unlock))
        .layer(middleware::from_fn_with_state(service.clone(), guard::limit))
        .layer(CatchPanicLayer::custom(|_| pages::internal()))
        .layer(middleware::from_fn_with_state(service.clone(), watch::watch))
        // Outermost: a browser must be able to read every answer, errors too.
        .layer(cors(&service.config.cors_origins))
        .with_state(service)
}

/// Leaves of what encodings a caller takes only what we would use, so that whatever else stands there
/// never makes an answer unacceptable.
async fn gzip_or_nothing(mut request: Request, next: Next) -> Response {
    let wished = request.headers().get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut wished = wished.flat_map(|list| list.split(',')).map(|wish| wish.replace(' ', "").to_ascii_lowercase());
    let some = |weight: &str| !weight.trim_end_matches(['0', '.']).is_empty();
    let gzip = wished.any(|wish| wish == "gzip" || wish.strip_prefix("gzip;q=").is_some_and(some));
    request.headers_mut().remove(header::ACCEPT_ENCODING);
    if gzip {
        request.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    }
    next.run(request).await
}

/// Whether the service is well and ready.
fn health() -> Router<Arc<Service>> {
    Router::new()
        .route("/health", get(pages::health))
        .route("/health/live", get(pages::live))
        .route("/health/ready", get(pages::ready))
}

/// What the listener for Prometheus serves: the metrics, and whether the service is well and ready,
/// to the very end.
pub fn metrics_router(service: Arc<Service>) -> Router {
    health()
        .route("/metrics", get(pages::metrics))
        .fallback(pages::not_found)
        .layer(middleware::from_fn_with_state(service.clone(), watch::watch))
        .with_state(service)
}

/// What a path calls.
#[derive(Clone, Copy)]
enum Call {
    /// One verb.
    Verb(&'static str, Mode),
    /// Several of any.
    Batch,
}

impl Call {
    /// The largest body, in bytes.
    fn body_limit(self, config: &Config) -> usize {
        match self {
            Self::Verb(..) => config.body_limit,
            Self::Batch => config.batch_body_limit,
        }
    }

    /// Whether this body may keep a thread for longer than other requests should wait.
    fn is_heavy(self, body: &[u8]) -> bool {
        match self {
            Self::Verb(_, mode) => mode == Mode::Odds,
            Self::Batch => batch::is_heavy(body),
        }
    }
}

/// Reads a request and answers it.
async fn respond(service: Arc<Service>, call: Call, headers: &HeaderMap, body: Body) -> Response {
    let (limit, time) = (call.body_limit(&service.config), service.config.timeout);
    match tokio::time::timeout(time, read_json(headers, body, limit)).await {
        Ok(Ok(body)) if call.is_heavy(&body) => work(service, call, body).await,
        Ok(Ok(body)) => {
            let deadline = Instant::now() + time;
            service.answer(call, &body, &|| Instant::now() < deadline).into_response()
        }
        Ok(Err(problem)) => problem.into_response(),
        Err(_) => timed_out(time).into_response(),
    }
}

fn timed_out(time: Duration) -> Problem {
    Problem::new(&TIMED_OUT, format!("The request took more than {}.", humantime::format_duration(time)))
}

/// Works off the async threads, on a few requests at a time, while a few others may wait. A caller
/// who hangs up ends the work.
async fn work(service: Arc<Service>, call: Call, body: Bytes) -> Response {
    let time = service.config.odds_timeout;
    let deadline = Instant::now() + time;
    let permit = match service.workers.clone().try_acquire_owned() {
        Ok(permit) => permit,
        Err(_) => {
            let Some(_waiting) = Waiting::new(&service) else {
                let detail = format!("{} requests are waiting already.", service.config.queue);
                let mut response = Problem::new(&BUSY, detail).into_response();
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER));
                return response;
            };
            match tokio::time::timeout(time, service.workers.clone().acquire_owned()).await {
                Ok(Ok(permit)) => permit,
                Ok(Err(_)) => return pages::internal(),
                Err(_) => return timed_out(time).into_response(),
            }
        }
    };
    let gone = Gone::default();
    let is_gone = gone.0.clone();
    let work = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        service.answer(call, &body, &|| !is_gone.load(Ordering::Relaxed) && Instant::now() < deadline)
    });
    work.await.map_or_else(|_| pages::internal(), IntoResponse::into_response)
}

/// A place in the queue.
struct Waiting<'s>(&'s AtomicUsize);

impl<'s> Waiting<'s> {
    fn new(service: &'s Service) -> Option<Self> {
        let (waiting, queue) = (&service.waiting, service.config.queue);
        let place =
            waiting.fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| (taken < queue).then_some(taken + 1));
        // Made only if there is one: dropping it gives it back.
        place.is_ok().then(|| Self(waiting))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Tells, once it is dropped, that nobody waits any more.
#[derive(Default)]
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads a body that is declared as JSON and no larger than allowed.
async fn read_json(headers: &HeaderMap, mut body: Body, limit: usize) -> Result<Bytes, Problem> {
    let declared = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence != "application/json" {
        return Err(Problem::new(&NOT_JSON_TYPE, pages::NOT_JSON_TYPE_DETAIL));
    }
    // What says from the start that it is too large is not asked for.
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if declared <= limit {
        match Limited::new(&mut body, limit).collect().await {
            Ok(read) => return Ok(read.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => {}
            Err(error) => return Err(Problem::new(&NOT_JSON, format!("The body broke off: {error}."))),
        }
    }
    if !headers.contains_key(header::EXPECT) {
        // Too late or too much: then the answer comes while the caller still sends.
        let _ = tokio::time::timeout(DRAIN_TIME, drain(body, DRAIN_LIMIT)).await;
    }
    Err(pages::body_too_large(limit))
}

/// Drops the body of a request that is answered without it, so that the connection stays of use. One that
/// is larger than a request may be ends it.
async fn drop_body(request: Request, config: &Config) {
    let _ = tokio::time::timeout(DRAIN_TIME, drain(request.into_body(), config.body_limit)).await;
}

/// Reads on, within bounds, and drops what it reads.
async fn drain(mut body: Body, mut left: usize) {
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(length) {
            Some(less) => left = less,
            None => return,
        }
    }
}

/// A body that is sent piece by piece, so that whoever compresses or sends it gives way in between, and
/// its end means that nearly all of it is sent.
struct Pieces(Bytes);

/// The largest piece, in bytes.
const PIECE: usize = 64 * 1024;

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.0.len().min(PIECE);
        let piece = self.0.split_to(length);
        Poll::Ready((length > 0).then_some(Ok(Frame::data(piece))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.0.len()).unwrap_or(u64::MAX))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }
}

/// A reply. It is of this moment: nothing on the way may keep it.
fn json_response(body: Box<RawValue>) -> Response {
    let text = String::from(Box::<str>::from(body));
    let mut response = Response::new(Body::new(Pieces(Bytes::from(text))));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Which web pages may call, and what a browser is told of it.
fn cors(origins: &[HeaderValue]) -> CorsLayer {
    let any = origins.iter().any(|origin| origin == "*");
    let exposed = ["ratelimit", "ratelimit-policy"].map(HeaderName::from_static);
    CorsLayer::new()
        .allow_origin(if any { AllowOrigin::any() } else { AllowOrigin::list(origins.iter().cloned()) })
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::OPTIONS])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(
            exposed.into_iter().chain([REQUEST_ID, header::RETRY_AFTER, header::WWW_AUTHENTICATE]).collect::<Vec<_>>(),
        )
        .max_age(CORS_MAX_AGE)
}
