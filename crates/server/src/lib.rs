//! The HTTP service: routes and layers. It names no game; the games register themselves.

mod batch;
pub mod config;
mod faults;
mod odds;
mod openapi;
mod pages;
mod problem;
mod registry;
mod request;
pub mod thrown;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use scathe_rules::odds::GoOn;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::config::Config;
use crate::faults::Schema;
use crate::problem::{NOT_JSON_TYPE, Problem};
use crate::registry::{Means, Mode, Registry};

/// The largest body of a request, in bytes.
pub const BODY_LIMIT: usize = 64 * 1024;
/// The largest body of a batch, in bytes.
pub const BATCH_BODY_LIMIT: usize = 1024 * 1024;
/// How much more of a body that is too large is read (and dropped), so that the caller, who is still
/// sending, gets to read the answer.
const DRAIN_LIMIT: usize = 16 * 1024 * 1024;
/// How long a browser may remember what a preflight answered.
const CORS_MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// What every request may look at. Nothing in it ever changes.
pub struct App {
    registry: Registry,
    document: Bytes,
    batch: Schema,
    /// How many requests may be worked on off the async threads at once.
    workers: Arc<Semaphore>,
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
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            registry,
            document: Bytes::from(text),
            batch,
            workers: Arc::new(Semaphore::new(workers)),
            swagger: Arc::new(swagger),
        })
    }

    /// The OpenAPI document.
    pub fn document(&self) -> &[u8] {
        &self.document
    }

    /// Answers one request. What it walks goes on for as long as `go_on` says yes.
    fn answer(&self, call: Call, body: &[u8], go_on: GoOn<'_>) -> Result<Box<RawValue>, Problem> {
        let raw = request::json(body)?;
        match call {
            Call::Verb(verb, mode) => {
                let means = Means { go_on, ..Means::FRESH };
                self.registry.entry(verb, raw)?.answer(mode, raw, &means)
            }
            Call::Batch => batch::answer(&self.registry, &self.batch, raw, go_on),
        }
    }
}

/// The routes and the layers around them.
pub fn router(app: Arc<App>, config: &Config) -> Router {
    let mut router = Router::new()
        .route("/", get(pages::root))
        .route("/docs", get(pages::root))
        .route("/docs/", get(pages::docs_front))
        .route("/docs/{*path}", get(pages::docs))
        .route("/openapi.json", get(pages::openapi))
        .route("/rulesets", get(pages::rulesets))
        .route("/rulesets/{id}", get(pages::ruleset))
        .route("/problems/{type}", get(pages::problem))
        .route("/health", get(pages::health));
    for (verb, _) in app.registry.verbs() {
        for mode in Mode::ALL {
            let answer = move |State(app): State<Arc<App>>, headers: HeaderMap, body: Body| async move {
                answer(app, Call::Verb(verb, mode), &headers, body).await
            };
            router = router.route(&mode.path(verb), post(answer));
        }
    }
    let batch = |State(app): State<Arc<App>>, headers: HeaderMap, body: Body| async move {
        answer(app, Call::Batch, &headers, body).await
    };
    router = router.route("/batch", post(batch));
    router
        .fallback(pages::not_found)
        .method_not_allowed_fallback(pages::method_not_allowed)
        .with_state(app)
        .layer(CatchPanicLayer::custom(|_| pages::internal()))
        // Outermost: a browser must be able to read every answer, errors too.
        .layer(cors(&config.cors_origins))
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
    fn body_limit(self) -> usize {
        match self {
            Self::Verb(..) => BODY_LIMIT,
            Self::Batch => BATCH_BODY_LIMIT,
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

/// Answers one request.
async fn answer(app: Arc<App>, call: Call, headers: &HeaderMap, body: Body) -> Response {
    let answer = match read_json(headers, body, call.body_limit()).await {
        Ok(body) if call.is_heavy(&body) => work(app, call, body).await,
        Ok(body) => app.answer(call, &body, &|| true),
        Err(problem) => Err(problem),
    };
    match answer {
        Ok(reply) => json_response(reply),
        Err(problem) => problem.into_response(),
    }
}

/// Works off the async threads, on a few requests at a time. A caller who hangs up ends the work.
async fn work(app: Arc<App>, call: Call, body: Bytes) -> Result<Box<RawValue>, Problem> {
    let broken = || Problem::new(&problem::INTERNAL, pages::INTERNAL_DETAIL);
    let permit = app.workers.clone().acquire_owned().await.map_err(|_| broken())?;
    let gone = Gone::default();
    let is_gone = gone.0.clone();
    let work = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let deadline = Instant::now() + odds::TIME;
        app.answer(call, &body, &|| !is_gone.load(Ordering::Relaxed) && Instant::now() < deadline)
    });
    work.await.map_err(|_| broken())?
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
    let limited = http_body_util::Limited::new(&mut body, limit);
    match http_body_util::BodyExt::collect(limited).await {
        Ok(read) => Ok(read.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            drain(body).await;
            Err(pages::body_too_large(limit))
        }
        Err(error) => Err(Problem::new(&problem::NOT_JSON, format!("The body broke off: {error}."))),
    }
}

/// Reads on, within bounds, and drops what it reads.
async fn drain(mut body: Body) {
    let mut left = DRAIN_LIMIT;
    while let Some(Ok(frame)) = http_body_util::BodyExt::frame(&mut body).await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(length) {
            Some(less) => left = less,
            None => return,
        }
    }
}

fn json_response(body: Box<RawValue>) -> Response {
    let mut response = Response::new(Body::from(String::from(Box::<str>::from(body))));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Which web pages may call, and what a browser is told of it.
fn cors(origins: &[HeaderValue]) -> CorsLayer {
    let any = origins.iter().any(|origin| origin == "*");
    CorsLayer::new()
        .allow_origin(if any { AllowOrigin::any() } else { AllowOrigin::list(origins.iter().cloned()) })
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::OPTIONS])
        .allow_headers(AllowHeaders::mirror_request())
        .max_age(CORS_MAX_AGE)
}
