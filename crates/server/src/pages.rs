//! What can be read: the games, the problems, the document, and whether the service is well.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;
use crate::problem::{KINDS, Kind, METHOD_NOT_ALLOWED, NOT_FOUND, Problem, TOO_LARGE};
use crate::registry::{Book, Game};

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

/// Whether the service is well.
#[derive(Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`: a service that is not well does not answer.
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
pub async fn rulesets(State(app): State<Arc<App>>) -> Response {
    Json(Rulesets { rulesets: app.registry.games().collect() }).into_response()
}

/// Read a game's rules and readings
///
/// The rules that a log may cite, the readings of what the book leaves open with the options that
/// answer otherwise, and the tables.
#[utoipa::path(get, path = "/rulesets/{id}", tag = "know", params(("id" = String, Path, description = "The ruleset's id.", example = "akrpg")),
    responses((status = 200, description = "The game.", body = RulesetPage<'_>),
              (status = 404, description = "No such game.", body = Problem, content_type = "application/problem+json")))]
pub async fn ruleset(State(app): State<Arc<App>>, id: InPath) -> Response {
    match app.registry.game(&name(id)) {
        Some(game) => Json(RulesetPage { game, book: game.book() }).into_response(),
        None => {
            let known: Vec<&str> = app.registry.games().map(|game| game.id).collect();
            let detail = format!("There is no ruleset of this id; known are {}.", known.join(", "));
            Problem::new(&NOT_FOUND, detail).into_response()
        }
    }
}

/// Ask whether the service is well
#[utoipa::path(get, path = "/health", tag = "know", responses((status = 200, description = "It is.", body = Health)))]
pub async fn health() -> Response {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") }).into_response()
}

/// Read what a problem type means
///
/// A short page for people; `type` of every problem is its path.
#[utoipa::path(get, path = "/problems/{type}", tag = "know", params(("type" = String, Path, description = "The last part of a problem's `type`.", example = "needs-dice")),
    responses((status = 200, description = "The page.", body = String, content_type = "text/html"),
              (status = 404, description = "No such problem type.", body = Problem, content_type = "application/problem+json")))]
pub async fn problem(State(app): State<Arc<App>>, id: InPath) -> Response {
    let id = name(id);
    let kinds = KINDS.iter().copied().chain(app.registry.refusals());
    match kinds.into_iter().find(|kind| kind.id == id) {
        Some(kind) => html(&explain(&kind)),
        None => Problem::new(&NOT_FOUND, "There is no problem type of this name.").into_response(),
    }
}

/// Read this document
#[utoipa::path(get, path = "/openapi.json", tag = "know", responses((status = 200, description = "OpenAPI 3.1.", body = serde_json::Value)))]
pub async fn openapi(State(app): State<Arc<App>>) -> Response {
    let mut response = Response::new(Body::from(app.document.clone()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The way in: the documentation.
pub async fn root() -> Redirect {
    Redirect::temporary("/docs/")
}

/// The front page of Swagger UI.
pub async fn docs_front(State(app): State<Arc<App>>) -> Response {
    swagger(&app, "")
}

/// A file of Swagger UI.
pub async fn docs(State(app): State<Arc<App>>, path: InPath) -> Response {
    swagger(&app, &name(path))
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
            internal()
        }
    }
}

/// No such path.
pub async fn not_found() -> Response {
    nothing_here()
}

fn nothing_here() -> Response {
    Problem::new(&NOT_FOUND, "No path of this name; /docs lists every one.").into_response()
}

/// The path, but another method.
pub async fn method_not_allowed() -> Response {
    Problem::new(
        &METHOD_NOT_ALLOWED,
        "This path does not take this method; the header `Allow` lists those that it takes.",
    )
    .into_response()
}

/// What is said of a body over the limit.
pub fn too_large(limit: usize) -> String {
    format!("The body is larger than {limit} bytes.")
}

/// What is said of a body that is not declared as JSON.
pub const NOT_JSON_TYPE_DETAIL: &str = "The header `Content-Type` must be application/json.";

/// What is said when something broke here.
pub const INTERNAL_DETAIL: &str = "Something broke while this request was worked on.";

/// Something broke here.
pub fn internal() -> Response {
    Problem::new(&crate::problem::INTERNAL, INTERNAL_DETAIL).into_response()
}

/// The body is over the limit.
pub fn body_too_large(limit: usize) -> Problem {
    Problem::new(&TOO_LARGE, too_large(limit))
}

/// The page of a kind of problem.
fn explain(kind: &Kind) -> String {
    let Kind { id, title, status, meaning } = kind;
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{id} – Scathe</title>\
         <h1>{title}</h1><p><code>{id}</code>, status {status}</p><p>{}</p><p><a href=\"/docs/\">All paths</a></p></html>\\n",
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
