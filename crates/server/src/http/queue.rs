//! Work that would keep a thread for longer than other requests should wait: a few at once, off the async
//! threads, while a few others wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use scathe_api::problem::Problem;
use tokio::sync::Semaphore;

use crate::config::Config;
use crate::http::problem::{busy, internal, timed_out};

/// The workers, and those who wait for one.
pub struct Queue {
    /// How many may work at once.
    workers: Arc<Semaphore>,
    /// How many wait.
    waiting: AtomicUsize,
    /// How many may wait.
    room: usize,
    /// How long work may take, waiting included.
    time: Duration,
}

impl Queue {
    /// The queue that the configuration sets up.
    pub fn new(config: &Config) -> Self {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = config.workers.map_or_else(processors, usize::from).min(Semaphore::MAX_PERMITS);
        Self {
            workers: Arc::new(Semaphore::new(workers)),
            waiting: AtomicUsize::new(0),
            room: config.queue,
            time: config.odds_timeout,
        }
    }

    /// Does the work once there is a worker, if there is room to wait for one. The work is told whether to go
    /// on: not once its time is over, nor once the caller has hung up.
    ///
    /// # Errors
    /// There is no room, no worker in time, or the work panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Fn() -> bool) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let deadline = Instant::now() + self.time;
        let permit = match self.workers.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                let _waiting = Waiting::new(self).ok_or_else(|| busy(self.room))?;
                match tokio::time::timeout(self.time, self.workers.clone().acquire_owned()).await {
                    Ok(Ok(permit)) => permit,
                    Ok(Err(_)) => return Err(internal()),
                    Err(_) => return Err(timed_out(self.time)),
                }
            }
        };
        let gone = Gone::default();
        let is_gone = gone.0.clone();
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&|| !is_gone.load(Ordering::Relaxed) && Instant::now() < deadline)
        });
        work.await.map_err(|_| internal())
    }
}

/// A place in the queue.
struct Waiting<'q>(&'q AtomicUsize);

impl<'q> Waiting<'q> {
    fn new(queue: &'q Queue) -> Option<Self> {
        let place = queue
            .waiting
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| (taken < queue.room).then_some(taken + 1));
        // Made only if there is one: dropping it gives it back.
        place.is_ok().then(|| Self(&queue.waiting))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Tells, once it is dropped, that nobody waits any more.
#[derive(Default)]
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
