//! What can be read: the games, the problems, the document, and whether the service is well.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use scathe_api::problem::{Kind, NOT_FOUND, Problem};
use scathe_api::registry::{Book, Game};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::problem::{Failure, METHOD_NOT_ALLOWED, internal, kinds};
use crate::http::state::{App, Service};
use crate::http::watch::METRICS_TYPE;

/// The games that the service knows.
#[derive(Serialize, ToSchema)]
pub struct Rulesets<'a> {
    /// The games, in the order in which they joined.
    #[schema(value_type = Vec<Game>)]
    rulesets: Vec<&'a Game>,
}

/// A game and its book.
#[derive(Serialize, ToSchema)]
pub struct RulesetPage<'a> {
    #[serde(flatten)]
    #[schema(value_type = Game)]
    game: &'a Game,
    #[serde(flatten)]
    #[schema(value_type = Book)]
    book: &'a Book,
}

/// Whether the service is well, or ready.
#[derive(Serialize, ToSchema)]
pub struct Health {
    /// `ok`; or `draining`, when it is asked to stop and takes no more.
    #[schema(value_type = String)]
    status: &'static str,
    /// The version of the service.
    #[schema(value_type = String)]
    version: &'static str,
}

/// A name in a path. One that is no text names nothing that we know.
type InPath = Result<Path<String>, PathRejection>;

fn name(path: InPath) -> String {
    path.map(|Path(name)| name).unwrap_or_default()
}

/// List the games
///
/// Each with its title, its source and the verbs that it has.
#[utoipa::path(get, path = "/rulesets", tag = "know", responses((status = 200, description = "The games.", body = Rulesets<'_>)))]
pub async fn rulesets(State(service): State<Arc<Service>>) -> Response {
    Json(Rulesets { rulesets: service.app.api.registry().games().collect() }).into_response()
}

/// Read a game's rules and readings
///
/// The rules that a log may cite, the readings of what the book leaves open with the options that
/// answer otherwise, and the tables.
#[utoipa::path(get, path = "/rulesets/{id}", tag = "know", params(("id" = String, Path, description = "The ruleset's id.", example = "akrpg")),
    responses((status = 200, description = "The game.", body = RulesetPage<'_>),
              (status = 404, description = "No such game.", body = Problem, content_type = "application/problem+json")))]
pub async fn ruleset(State(service): State<Arc<Service>>, id: InPath) -> Response {
    match service.app.api.registry().game(&name(id)) {
        Some(game) => Json(RulesetPage { game, book: game.book() }).into_response(),
        None => {
            let known: Vec<&str> = service.app.api.registry().games().map(|game| game.id).collect();
            let detail = format!("There is no ruleset of this id; known are {}.", known.join(", "));
            Failure(Problem::new(&NOT_FOUND, detail)).into_response()
        }
    }
}

/// Ask whether the service is well
#[utoipa::path(get, path = "/health", tag = "know", responses((status = 200, description = "It is.", body = Health)))]
pub async fn health() -> Response {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") }).into_response()
}

/// Ask whether the service lives
#[utoipa::path(get, path = "/health/live", tag = "know", responses((status = 200, description = "It does.", body = Health)))]
pub async fn live() -> Response {
    health().await
}

/// Ask whether the service takes requests
///
/// It does not while it is draining: asked to stop, and finishing what is in flight.
#[utoipa::path(get, path = "/health/ready", tag = "know", responses((status = 200, description = "It does.", body = Health), (status = 503, description = "It is draining.", body = Health)))]
pub async fn ready(State(service): State<Arc<Service>>) -> Response {
    let draining = service.is_draining();
    let (code, status) = if draining { (StatusCode::SERVICE_UNAVAILABLE, "draining") } else { (StatusCode::OK, "ok") };
    (code, Json(Health { status, version: env!("CARGO_PKG_VERSION") })).into_response()
}

/// What Prometheus reads.
pub async fn metrics(State(service): State<Arc<Service>>) -> Response {
    ([(header::CONTENT_TYPE, METRICS_TYPE)], service.metrics.text()).into_response()
}

/// Lets a caller keep a document, and spares them the body when theirs is still right.
pub async fn cache(request: Request, next: Next) -> Response {
    let known: Vec<HeaderValue> = request.headers().get_all(header::IF_NONE_MATCH).iter().cloned().collect();
    let response = next.run(request).await;
    if response.status() != StatusCode::OK {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = axum::body::to_bytes(body, usize::MAX).await else { return Failure(internal()).into_response() };
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    let tag = format!("W/\"{:016x}\"", hasher.finish());
    let known = known.iter().filter_map(|known| known.to_str().ok()).flat_map(|list| list.split(','));
    let same = |known: &str| known == "*" || known.trim_start_matches("W/") == tag.trim_start_matches("W/");
    let fresh = known.map(str::trim).any(same);
    if let Ok(tag) = HeaderValue::try_from(tag) {
        parts.headers.insert(header::ETAG, tag);
    }
    parts.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, no-cache"));
    parts.headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if fresh {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(body))
}

/// What a page of ours may load: its own scripts and styles, and nothing from elsewhere. Swagger UI
/// writes styles into its page and shows pictures that it carries inside.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Read what a problem type means
///
/// A short page for people; `type` of every problem is its path.
#[utoipa::path(get, path = "/problems/{type}", tag = "know", params(("type" = String, Path, description = "The last part of a problem's `type`.", example = "needs-dice")),
    responses((status = 200, description = "The page.", body = String, content_type = "text/html"),
              (status = 404, description = "No such problem type.", body = Problem, content_type = "application/problem+json")))]
pub async fn problem(State(service): State<Arc<Service>>, id: InPath) -> Response {
    let id = name(id);
    let mut kinds = kinds().chain(service.app.api.registry().refusals());
    match kinds.find(|kind| kind.id == id) {
        Some(kind) => html(&explain(&kind)),
        None => Failure(Problem::new(&NOT_FOUND, "There is no problem type of this name.")).into_response(),
    }
}

/// Read this document
#[utoipa::path(get, path = "/openapi.json", tag = "know", responses((status = 200, description = "OpenAPI 3.1.", body = serde_json::Value)))]
pub async fn openapi(State(service): State<Arc<Service>>) -> Response {
    let mut response = Response::new(Body::from(service.app.document().clone()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The way in: the documentation.
pub async fn root() -> Redirect {
    Redirect::temporary("/docs/")
}

/// The front page of Swagger UI.
pub async fn docs_front(State(service): State<Arc<Service>>) -> Response {
    swagger(&service.app, "")
}

/// A file of Swagger UI.
pub async fn docs(State(service): State<Arc<Service>>, path: InPath) -> Response {
    swagger(&service.app, &name(path))
}

/// Swagger UI comes from within the binary.
fn swagger(app: &App, path: &str) -> Response {
    match utoipa_swagger_ui::serve(path, app.swagger.clone()) {
        Ok(Some(file)) => {
            let mut response = Response::new(Body::from(file.bytes.into_owned()));
            if let Ok(kind) = HeaderValue::try_from(file.content_type) {
                response.headers_mut().insert(header::CONTENT_TYPE, kind);
            }
            if file.gzpipped {
                response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
            response
        }
        Ok(None) => nothing_here(),
        Err(error) => {
            tracing::error!(%error, "swagger ui cannot be served");
            Failure(internal()).into_response()
        }
    }
}

/// No such path.
pub async fn not_found() -> Response {
    nothing_here()
}

fn nothing_here() -> Response {
    Failure(Problem::new(&NOT_FOUND, "No path of this name; /docs lists every one.")).into_response()
}

/// The path, but another method.
pub async fn method_not_allowed() -> Response {
    Failure(Problem::new(
        &METHOD_NOT_ALLOWED,
        "This path does not take this method; the header `Allow` lists those that it takes.",
    ))
    .into_response()
}

/// The page of a kind of problem.
fn explain(kind: &Kind) -> String {
    let Kind { id, title, status, meaning } = kind;
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{id} – Scathe</title>\
         <h1>{title}</h1><p><code>{id}</code>, status {status}</p><p>{}</p><p><a href=\"/docs/\">All paths</a></p></html>",
        in_code(meaning)
    )
}

/// Backticked words of a text as HTML code.
fn in_code(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let mut html = String::new();
    for (index, piece) in escaped.split('`').enumerate() {
        if index % 2 == 1 {
            html.push_str(&format!("<code>{piece}</code>"));
        } else {
            html.push_str(piece);
        }
    }
    html
}

fn html(page: &str) -> Response {
    let mut response = (StatusCode::OK, page.to_owned()).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}
