//! The HTTP service: routes and layers. It names no game; the games register themselves.

pub mod config;
mod faults;
mod openapi;
mod pages;
mod problem;
mod registry;
mod request;
pub mod thrown;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::config::Config;
use crate::problem::{NOT_JSON_TYPE, Problem};
use crate::registry::Registry;

/// The largest body of a request, in bytes.
pub const BODY_LIMIT: usize = 64 * 1024;
/// How much more of a body that is too large is read (and dropped), so that the caller, who is still
/// sending, gets to read the answer.
const DRAIN_LIMIT: usize = 16 * 1024 * 1024;
/// How long a browser may remember what a preflight answered.
const CORS_MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// What every request may look at. Nothing in it ever changes.
pub struct App {
    registry: Registry,
    document: Bytes,
    swagger: Arc<utoipa_swagger_ui::Config<'static>>,
}

impl App {
    /// The games, and the document that describes them.
    ///
    /// # Errors
    /// Fails when an action's published schema is none.
    pub fn new() -> Result<Self, String> {
        let registry = Registry::new()?;
        let document = openapi::document(&registry);
        let mut text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
        text.push('\n');
        let swagger =
            utoipa_swagger_ui::Config::from("/openapi.json").try_it_out_enabled(true).display_request_duration(true);
        Ok(Self { registry, document: Bytes::from(text), swagger: Arc::new(swagger) })
    }

    /// The OpenAPI document.
    pub fn document(&self) -> &[u8] {
        &self.document
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
        let resolve = move |State(app): State<Arc<App>>, headers: HeaderMap, body: Body| async move {
            match read_json(&headers, body).await.and_then(|body| resolve(&app, verb, &body)) {
                Ok(reply) => json_response(reply),
                Err(problem) => problem.into_response(),
            }
        };
        router = router.route(&format!("/{verb}"), post(resolve));
    }
    router
        .fallback(pages::not_found)
        .method_not_allowed_fallback(pages::method_not_allowed)
        .with_state(app)
        .layer(CatchPanicLayer::custom(|_| pages::internal()))
        // Outermost: a browser must be able to read every answer, errors too.
        .layer(cors(&config.cors_origins))
}

/// Carries out one verb.
fn resolve(app: &App, verb: &str, body: &[u8]) -> Result<Vec<u8>, Problem> {
    let raw = request::json(body)?;
    app.registry.entry(verb, raw)?.resolve(raw)
}

/// Reads a body that is declared as JSON and no larger than allowed.
async fn read_json(headers: &HeaderMap, mut body: Body) -> Result<Bytes, Problem> {
    let declared = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence != "application/json" {
        return Err(Problem::new(&NOT_JSON_TYPE, pages::NOT_JSON_TYPE_DETAIL));
    }
    let limited = http_body_util::Limited::new(&mut body, BODY_LIMIT);
    match http_body_util::BodyExt::collect(limited).await {
        Ok(read) => Ok(read.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            drain(body).await;
            Err(pages::body_too_large())
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

fn json_response(body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
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
