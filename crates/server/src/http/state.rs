//! What handlers share: the games, the document, and the service as it is set up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use scathe_api::Api;
use tracing_appender::non_blocking::ErrorCounter;

use crate::config::Config;
use crate::http::guard::{Keys, Limiter};
use crate::http::queue::Queue;
use crate::http::watch::Metrics;

/// The games, and the document that describes them. Nothing in it ever changes.
pub struct App {
    /// Answers requests.
    pub(super) api: Api,
    /// How Swagger UI shows the document.
    pub(super) swagger: Arc<utoipa_swagger_ui::Config<'static>>,
    describe: fn(&Api) -> String,
    document: OnceLock<Bytes>,
}

impl App {
    /// The games, and what writes the document.
    pub fn new(api: Api, describe: fn(&Api) -> String) -> Self {
        let swagger =
            utoipa_swagger_ui::Config::from("/openapi.json").try_it_out_enabled(true).display_request_duration(true);
        Self { api, swagger: Arc::new(swagger), describe, document: OnceLock::new() }
    }

    /// The OpenAPI document. It is written when it is first asked for: its examples are carried out, which takes
    /// most of the time that a service would otherwise take to start.
    pub fn document(&self) -> &Bytes {
        self.document.get_or_init(|| Bytes::from((self.describe)(&self.api)))
    }
}

/// The service as it is set up. Handlers know all of it; a layer only the part that it is for.
pub struct Service {
    pub(super) app: Arc<App>,
    pub(super) config: Config,
    pub(super) keys: Keys,
    pub(super) limiter: Option<Limiter>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) queue: Queue,
    draining: AtomicBool,
}

impl Service {
    /// Sets the service up. `lost` counts the lines that the log loses, where it may lose any.
    ///
    /// # Errors
    /// Fails when the file of keys cannot be used.
    pub fn new(app: Arc<App>, config: Config, lost: Option<ErrorCounter>) -> Result<Arc<Self>, String> {
        Ok(Arc::new(Self {
            app,
            keys: Keys::new(&config)?,
            limiter: Limiter::new(&config),
            metrics: Arc::new(Metrics::new(lost)),
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
