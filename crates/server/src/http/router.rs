//! Every route, and the layers around single ones in the order in which a request meets them, with the reason why
//! they stand there. What stands around all of them is in [`Front`].

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use scathe_api::Call;
use scathe_api::verb::Mode;
use tower::{Layer, ServiceBuilder};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use tower_http::cors::{AllowHeaders, AllowOrigin, Cors, CorsLayer};

use crate::http::front::{Front, Routes};
use crate::http::state::Service;
use crate::http::watch::{Metrics, REQUEST_ID, Watch};
use crate::http::{pages, verbs};

/// How long a browser may remember what a preflight answered.
const CORS_MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Replies that are smaller are not worth compressing, in bytes.
const COMPRESS_FROM: u64 = 8 * 1024;

/// The service as callers meet it. CORS is outermost: a browser must be able to read every answer, errors too.
pub type Scathe = Cors<Front>;

/// Every route.
pub fn router(service: Arc<Service>) -> Scathe {
    let mut routes = Routes::default()
        .route("/", document(get(pages::root)))
        .route("/docs", document(get(pages::root)))
        .route("/docs/", document(get(pages::docs_front)))
        .route("/docs/{*path}", document(get(pages::docs)))
        .route("/openapi.json", document(get(pages::openapi)))
        .route("/rulesets", document(get(pages::rulesets)))
        .route("/rulesets/{id}", document(get(pages::ruleset)))
        .route("/problems/{type}", document(get(pages::problem)))
        .route("/health", get(pages::health))
        .route("/health/live", get(pages::live))
        .route("/health/ready", get(pages::ready));
    for (verb, _) in service.app.api.registry().verbs() {
        for mode in Mode::ALL {
            let call = Call::Verb(verb, mode);
            let method = post(move |service, headers, body| verbs::respond(call, service, headers, body));
            // Only odds grow large enough to be worth it.
            let method = match mode {
                Mode::Odds => method.layer(compression()).layer(middleware::from_fn(gzip_or_nothing)),
                Mode::Resolve => method,
            };
            routes = routes.route(&mode.path(verb), method);
        }
    }
    let batch = post(|service, headers, body| verbs::respond(Call::Batch, service, headers, body));
    layered(routes.route("/batch", batch), service)
}

/// What documents have around them: the first is the outermost, which a request meets first.
fn document(method: MethodRouter<Arc<Service>>) -> MethodRouter<Arc<Service>> {
    let around = ServiceBuilder::new()
        // Before what compresses looks at the header.
        .layer(middleware::from_fn(gzip_or_nothing))
        // Documents are large, and read once.
        .layer(compression())
        // Tags what is sent, as it is before it is compressed.
        .layer(middleware::from_fn(pages::cache));
    method.layer(around)
}

/// Whatever happens at these routes is answered as the service answers: [`Front`] says what stands around them.
pub fn layered(mut routes: Routes, service: Arc<Service>) -> Scathe {
    routes.router = routes.router.fallback(pages::not_found).method_not_allowed_fallback(pages::method_not_allowed);
    cors(&service.config.cors_origins).layer(Front::new(routes, service))
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

/// What the listener for Prometheus serves: the metrics, and whether the service is well and ready,
/// to the very end.
pub fn metrics_router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/health", get(pages::health))
        .route("/health/live", get(pages::live))
        .route("/health/ready", get(pages::ready))
        .route("/metrics", get(pages::metrics))
        .fallback(pages::not_found)
        .layer(middleware::from_fn_with_state(service.metrics.clone(), watched))
        .with_state(service)
}

async fn watched(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).into();
    let watch = Watch::new(metrics, route, &request);
    watch.end(next.run(request).await)
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
