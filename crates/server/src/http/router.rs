//! Every route, and every layer around them in the order in which a request meets it, with the reason why it
//! stands there.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use scathe_api::Call;
use scathe_api::verb::Mode;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::http::problem::{Failure, internal};
use crate::http::state::Service;
use crate::http::watch::REQUEST_ID;
use crate::http::{guard, pages, verbs, watch};

/// How long a browser may remember what a preflight answered.
const CORS_MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Replies that are smaller are not worth compressing, in bytes.
const COMPRESS_FROM: u64 = 8 * 1024;

/// The routes and the layers around them.
pub fn router(service: Arc<Service>) -> Router {
    let documents = Router::new()
        .route("/", get(pages::root))
        .route("/docs", get(pages::root))
        .route("/docs/", get(pages::docs_front))
        .route("/docs/{*path}", get(pages::docs))
        .route("/openapi.json", get(pages::openapi))
        .route("/rulesets", get(pages::rulesets))
        .route("/rulesets/{id}", get(pages::ruleset))
        .route("/problems/{type}", get(pages::problem));
    // Read from the last to the first: the last is the outermost, which a request meets first.
    let documents = documents
        // 3. Tags what is sent, as it is before it is compressed.
        .layer(middleware::from_fn(pages::cache))
        // 2. Documents are large, and read once.
        .layer(compression())
        // 1. Before what compresses looks at the header.
        .layer(middleware::from_fn(gzip_or_nothing));
    let mut router = documents.merge(health());
    for (verb, _) in service.app.api.registry().verbs() {
        for mode in Mode::ALL {
            let call = Call::Verb(verb, mode);
            let method = post(move |service, headers, body| verbs::respond(call, service, headers, body));
            // Only odds grow large enough to be worth it.
            let method = match mode {
                Mode::Odds => method.layer(compression()).layer(middleware::from_fn(gzip_or_nothing)),
                Mode::Resolve => method,
            };
            router = router.route(&mode.path(verb), method);
        }
    }
    let batch = |service, headers, body| verbs::respond(Call::Batch, service, headers, body);
    layered(router.route("/batch", post(batch)), service)
}

/// The layers around routes: whatever happens inside is answered as the service answers.
pub fn layered(routes: Router<Arc<Service>>, service: Arc<Service>) -> Router {
    // Read from the last to the first: the last is the outermost, which a request meets first.
    let routes = routes
        .fallback(pages::not_found)
        .method_not_allowed_fallback(pages::method_not_allowed)
        // 5. Looks at the key. Inside the limit, so that keys cannot be guessed faster than that.
        .layer(middleware::from_fn_with_state(service.keys.clone(), guard::unlock))
        // 4. Counts calls. Inside the watch, so that what it refuses has an id and is logged.
        .layer(middleware::from_fn_with_state(service.limiter.clone(), guard::limit))
        // 3. Turns a panic into a problem, whose body the watch writes.
        .layer(CatchPanicLayer::custom(|_| Failure(internal()).into_response()))
        // 2. Gives the id, writes problems, counts and logs everything that happened inside.
        .layer(middleware::from_fn_with_state(service.metrics.clone(), watch::watch))
        // 1. CORS is outermost: a browser must be able to read every answer, errors too.
        .layer(cors(&service.config.cors_origins));
    routes.with_state(service)
}

/// Compresses what is large enough.
fn compression() -> CompressionLayer<SizeAbove> {
    CompressionLayer::new().compress_when(SizeAbove::new(COMPRESS_FROM))
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
        .layer(middleware::from_fn_with_state(service.metrics.clone(), watch::watch))
        .with_state(service)
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
