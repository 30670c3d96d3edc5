//! What every request passes on the way to its route, and its reply on the way back: one function, to be read
//! from the outside in. Layers of the router would do the same, but each of them costs a request its boxes.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use futures_util::FutureExt;
use tower::ServiceExt;

use crate::http::body::drop_body;
use crate::http::guard::Allowance;
use crate::http::problem::{Failure, internal};
use crate::http::state::Service;
use crate::http::watch::Watch;

/// The routes, and what the metrics call each.
#[derive(Default)]
pub struct Routes {
    pub(super) router: Router<Arc<Service>>,
    pub(super) names: matchit::Router<Arc<str>>,
}

impl Routes {
    /// Adds a route.
    pub fn route(self, path: &str, method: MethodRouter<Arc<Service>>) -> Self {
        let (router, mut names) = (self.router.route(path, method), self.names);
        // A path that is invalid or there already has ended the program in the line above.
        let _ = names.insert(path, path.into());
        Self { router, names }
    }
}

/// Everything inside CORS.
#[derive(Clone)]
pub struct Front {
    service: Arc<Service>,
    router: Router,
    names: Arc<matchit::Router<Arc<str>>>,
}

impl Front {
    /// The way to these routes.
    pub fn new(routes: Routes, service: Arc<Service>) -> Self {
        Self { router: routes.router.with_state(service.clone()), names: Arc::new(routes.names), service }
    }

    async fn answer(self, request: Request) -> Response {
        let Self { service, router, names } = self;
        let route = names.at(request.uri().path()).map_or_else(|_| "none".into(), |found| found.value.clone());
        // 1. Gives the id, writes problems, counts and logs everything that happens inside.
        let watch = Watch::new(service.metrics.clone(), route, &request);
        let inside = async {
            // 3. Counts calls. Inside the watch, so that what it refuses has an id and is logged.
            let allowance = service.limiter.as_ref().and_then(|limiter| limiter.count(&request));
            let refusal = allowance.as_ref().and_then(Allowance::refusal);
            // 4. Looks at the key. Inside the limit, so that keys cannot be guessed faster than that.
            let mut response = match refusal.or_else(|| service.keys.refusal(&request)) {
                Some(refusal) => {
                    drop_body(request.into_body(), service.config.body_limit).await;
                    refusal
                }
                // 5. The route.
                None => router.oneshot(request).await.into_response(),
            };
            if let Some(allowance) = allowance {
                allowance.tell(response.headers_mut());
            }
            response
        };
        // 2. Turns a panic into a problem, whose body the watch writes.
        let response = AssertUnwindSafe(inside).catch_unwind().await;
        watch.end(response.unwrap_or_else(|_| Failure(internal()).into_response()))
    }
}

impl tower::Service<Request> for Front {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        Box::pin(self.clone().answer(request).map(Ok))
    }
}
