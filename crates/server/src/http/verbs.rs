//! The verbs and the batch: a body in, the reply of [`Api`](scathe_api::Api) out.

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use scathe_api::limits::Limits;
use scathe_api::verb::Means;
use scathe_api::{Call, Reply};
use serde_json::value::RawValue;

use crate::config::Config;
use crate::http::body::{Pieces, read_json};
use crate::http::fresh::fresh;
use crate::http::problem::{Failure, timed_out};
use crate::http::state::Service;
use crate::http::watch::Of;

/// The largest body of a call, in bytes.
fn body_limit(call: Call, config: &Config) -> usize {
    match call {
        Call::Verb(..) => config.body_limit,
        Call::Batch => config.batch_body_limit,
    }
}

/// Reads a request and answers it.
pub async fn respond(
    call: Call,
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    let time = service.config.timeout;
    let body = tokio::time::timeout(time, read_json(&headers, body, body_limit(call, &service.config))).await;
    let body: Bytes = body.map_err(|_| timed_out(time))??;
    let reply = if call.is_heavy(&body) {
        let working = service.clone();
        service.queue.run(move |go_on| answer(&working, call, &body, go_on)).await?
    } else {
        let deadline = Instant::now() + time;
        answer(&service, call, &body, &|| Instant::now() < deadline)
    };
    Ok(sent(reply))
}

/// Answers one request. What it walks goes on for as long as `go_on` says yes.
fn answer(service: &Service, call: Call, body: &[u8], go_on: &dyn Fn() -> bool) -> Reply {
    let limits = Limits { depth: service.config.json_depth, operation: service.config.body_limit };
    let walked = |ruleset, branches| service.metrics.walked(ruleset, branches);
    service.app.api.answer(call, body, limits, &Means { seed: &fresh, go_on, walked: &walked })
}

/// A reply as a response, marked with its game.
fn sent(reply: Reply) -> Response {
    let mut response = match reply.body {
        Ok(body) => json(body),
        Err(problem) => Failure(problem).into_response(),
    };
    response.extensions_mut().insert(Of(reply.ruleset.unwrap_or_default()));
    response
}

/// A reply. It is of this moment: nothing on the way may keep it.
fn json(body: Box<RawValue>) -> Response {
    let text = String::from(Box::<str>::from(body));
    let mut response = Response::new(Body::new(Pieces(Bytes::from(text))));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
