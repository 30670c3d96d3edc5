//! The service: it carries requests over HTTP to [`scathe_api`], and describes them in a document. It names
//! no game.

pub mod config;
mod document;
mod http;

use scathe_api::Api;

pub use crate::http::front::{Front, Routes};
pub use crate::http::router::{Scathe, layered, metrics_router, router};
pub use crate::http::serve::{connection_cap, serve};
pub use crate::http::state::{App, Service};

/// The games, and the document that describes them.
///
/// # Errors
/// Fails when a published schema is invalid.
pub fn app() -> Result<App, String> {
    Ok(App::new(Api::new()?, document::text))
}
