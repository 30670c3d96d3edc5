//! What handlers share: the games, the document, and the service as it is set up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Bytes;
use scathe_api::Api;

use crate::config::Config;
use crate::http::guard::{Keys, Limiter};
use crate::http::queue::Queue;
use crate::http::watch::Metrics;

/// The games, and the document that describes them. Nothing in it ever changes.
pub struct App {
    /// Answers requests.
    pub(super) api: Api,
    /// The OpenAPI document.
    pub(super) document: Bytes,
    /// How Swagger UI shows it.
    pub(super) swagger: Arc<utoipa_swagger_ui::Config<'static>>,
}

impl App {
    /// The games, and the text of the document.
    pub fn new(api: Api, document: String) -> Self {
        let swagger =
            utoipa_swagger_ui::Config::from("/openapi.json").try_it_out_enabled(true).display_request_duration(true);
        Self { api, document: Bytes::from(document), swagger: Arc::new(swagger) }
    }

    /// The OpenAPI document.
    pub fn document(&self) -> &[u8] {
        &self.document
    }
}

/// The service as it is set up. Handlers know all of it; a layer only the part that it is for.
pub struct Service {
    pub(super) app: Arc<App>,
    pub(super) config: Config,
    pub(super) keys: Arc<Keys>,
    pub(super) limiter: Option<Arc<Limiter>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) queue: Queue,
    draining: AtomicBool,
}

impl Service {
    /// Sets the service up.
    ///
    /// # Errors
    /// Fails when the file of keys cannot be used.
    pub fn new(app: Arc<App>, config: Config) -> Result<Arc<Self>, String> {
        Ok(Arc::new(Self {
            app,
            keys: Arc::new(Keys::new(&config)?),
            limiter: Limiter::new(&config).map(Arc::new),
            metrics: Arc::default(),
            queue: Queue::new(&config),
            draining: AtomicBool::new(false),
            config,
        }))
    }

    /// From now on the service says that it is not ready for more.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Release);
    }

    /// Whether it said so.
    pub(super) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }
}
