//! Connections: accepted up to a cap, watched, and brought to an end.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use crate::config::Config;
use crate::http::guard::Peer;
use crate::http::router::Scathe;

/// Open files that are not connections: listeners, logs, whatever the runtime needs.
const OTHER_FILES: u64 = 64;
/// How long a connection that is asked to close may still take to say what it was saying.
const CLOSING: Duration = Duration::from_secs(1);
/// How many idle connections go at once when there is no room for a new one.
const CLOSED_AT_ONCE: usize = 64;
/// How long an answer may wait for its reader without moving.
const UNREAD: Duration = Duration::from_secs(20);
/// How often a quiet HTTP/2 connection is asked whether it is still there.
const PING: Duration = Duration::from_secs(20);
/// How long to wait when the system has no file to spare for a connection.
const NO_FILE: Duration = Duration::from_millis(50);

/// One open connection.
struct Connection {
    /// Requests being answered.
    busy: AtomicUsize,
    /// Whether any request came.
    used: AtomicBool,
    /// When it was last of use.
    since: Mutex<Instant>,
    /// Asked to close.
    close: Notify,
}

impl Connection {
    fn touch(&self) {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// How long it has been idle, if it is.
    fn idle(&self) -> Option<Duration> {
        let since = *self.since.lock().unwrap_or_else(PoisonError::into_inner);
        (self.busy.load(Ordering::Acquire) == 0).then(|| since.elapsed())
    }
}

/// A request being answered: its connection is not idle.
struct Busy(Arc<Connection>);

impl Busy {
    fn new(connection: Arc<Connection>) -> Self {
        connection.used.store(true, Ordering::Release);
        connection.busy.fetch_add(1, Ordering::AcqRel);
        Self(connection)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.touch();
        self.0.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A body whose request is in flight for as long as it is being sent.
struct Whole {
    body: Body,
    _busy: Busy,
}

impl http_body::Body for Whole {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

/// All open connections.
#[derive(Clone, Default)]
struct Connections(Arc<Mutex<HashMap<u64, Arc<Connection>>>>);

impl Connections {
    fn with<T>(&self, look: impl FnOnce(&mut HashMap<u64, Arc<Connection>>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks the connections that have been idle for the longest to close, a few at once so that the
    /// next callers need not ask again. An idle one never keeps a new one out.
    fn close_idlest(&self) {
        let idlest: Vec<_> = self.with(|open| {
            let idle = open.iter().filter_map(|(id, connection)| Some((connection.idle()?, *id)));
            let mut idle: Vec<(Duration, u64)> = idle.collect();
            idle.sort_unstable_by(|a, b| b.cmp(a));
            idle.into_iter().take(CLOSED_AT_ONCE).filter_map(|(_, id)| open.remove(&id)).collect()
        });
        idlest.iter().for_each(|connection| connection.close.notify_one());
    }

    fn close_all(&self) {
        self.with(|open| open.drain().for_each(|(_, connection)| connection.close.notify_one()));
    }
}

/// How many connections may be open: as many as asked for, if the system lets us have the files.
///
/// # Errors
/// Fails when the system does not tell its limit.
pub fn connection_cap(config: &Config) -> io::Result<usize> {
    let files = rlimit::increase_nofile_limit(u64::MAX)?;
    let room = usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX).max(1);
    Ok(config.connections.get().min(room))
}

/// Serves until `stop`, then finishes what is in flight.
pub async fn serve(listener: TcpListener, scathe: Scathe, config: &Config, cap: usize, stop: impl Future<Output = ()>) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(config.header_timeout);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(PING).max_concurrent_streams(32);
    let (builder, slots, open) = (Arc::new(builder), Arc::new(Semaphore::new(cap)), Connections::default());
    let mut stop = pin!(stop);
    let mut next = 0;
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &slots, &open) => accepted,
            () = &mut stop => break,
        };
        let Some((stream, peer, slot)) = accepted else { continue };
        next += 1;
        let (id, open, builder, scathe, patience) =
            (next, open.clone(), builder.clone(), scathe.clone(), config.header_timeout);
        let connection = Arc::new(Connection {
            busy: AtomicUsize::new(0),
            used: AtomicBool::new(false),
            since: Mutex::new(Instant::now()),
            close: Notify::new(),
        });
        open.with(|open| open.insert(id, connection.clone()));
        tokio::spawn(async move {
            attend(stream, peer, &builder, scathe, &connection, patience).await;
            open.with(|open| open.remove(&id));
            drop(slot);
        });
    }
    drop(listener);
    open.close_all();
    // Every slot back means that every connection has ended.
    let all = u32::try_from(cap).unwrap_or(u32::MAX);
    if tokio::time::timeout(config.drain_timeout, slots.acquire_many(all)).await.is_err() {
        tracing::warn!("requests still in flight are cut off");
    }
}

/// Takes the next connection, once there is a slot for it.
async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
    open: &Connections,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let (stream, peer) = match listener.accept().await {
        Ok(accepted) => accepted,
        Err(error) => {
            // The caller hung up already, or the system has no file to spare: then idle ones go.
            tracing::debug!(%error, "a connection could not be accepted");
            open.close_idlest();
            tokio::time::sleep(NO_FILE).await;
            return None;
        }
    };
    // Answers are small and should leave at once.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection cannot be set to send at once");
    }
    let slot = match slots.clone().try_acquire_owned() {
        Ok(slot) => slot,
        Err(_) => {
            open.close_idlest();
            slots.clone().acquire_owned().await.ok()?
        }
    };
    Some((stream, peer, slot))
}

/// Serves one connection to its end.
async fn attend(
    stream: TcpStream,
    peer: SocketAddr,
    builder: &Builder<TokioExecutor>,
    scathe: Scathe,
    connection: &Arc<Connection>,
    patience: Duration,
) {
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        let (scathe, busy) = (scathe.clone(), Busy::new(connection.clone()));
        request.extensions_mut().insert(Peer(peer.ip()));
        async move {
            let response: Result<Response, Infallible> = scathe.oneshot(request.map(Body::new) as Request).await;
            response.map(|response| response.map(|body| Whole { body, _busy: busy }))
        }
    });
    // Whoever does not read an answer does not keep it here.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(UNREAD));
    let mut serving = pin!(builder.serve_connection(TokioIo::new(Box::pin(stream)), service));
    let mut first = pin!(tokio::time::sleep(patience));
    let mut waiting = true;
    loop {
        tokio::select! {
            ended = serving.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended early");
                }
                return;
            }
            () = connection.close.notified() => break,
            // Before the first request nothing else watches the time.
            () = first.as_mut(), if waiting => {
                if !connection.used.load(Ordering::Acquire) {
                    return;
                }
                waiting = false;
            }
        }
    }
    if !connection.used.load(Ordering::Acquire) {
        return;
    }
    serving.as_mut().graceful_shutdown();
    if connection.idle().is_some() {
        // Nothing is in flight: at most an answer is still on its way out.
        let _ = tokio::time::timeout(CLOSING, serving).await;
    } else {
        let _ = serving.await;
    }
}
