//! The program: runs the service, prints its document, or asks a running one how it is.

use std::error::Error;
use std::io::IsTerminal;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use axum::http::header::HOST;
use clap::Parser;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use scathe_server::config::{Cli, Command, Config, LogFormat};
use scathe_server::{Service, app, connection_cap, metrics_router, router, serve};
use tokio::net::{TcpListener, TcpStream};
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// How long `scathe health` waits for an answer.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);
/// The longest answer that it reads, in bytes.
const HEALTH_ANSWER: usize = 1024;
/// Log lines that may wait for their reader; more are dropped and counted.
const LOG_LINES: usize = 1024;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        None => run(cli.config).await,
        Some(Command::Openapi) => print_document(),
        Some(Command::Health) => ask_health(cli.config.listen).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scathe: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(config: Config) -> Result<(), Box<dyn Error>> {
    // Dropped at the end, it waits a second at most for what is still to be written.
    let (_log, lost) = start_log(&config)?;
    let cap = connection_cap(&config)?;
    let service = Service::new(Arc::new(app()?), config.clone(), Some(lost))?;
    let listener = listen(config.listen).await?;
    // Before the address is told: whoever reads it may ask us to stop.
    let stop = stop_signal()?;
    println!("Scathe listens on http://{}", listener.local_addr()?);
    if let Some(address) = config.metrics_listen {
        let listener = listen(address).await?;
        println!("Metrics are on http://{}/metrics", listener.local_addr()?);
        // It goes on to the very end, so that whoever watches sees the service drain.
        tokio::spawn(axum::serve(listener, metrics_router(service.clone())).into_future());
    }
    tracing::info!(connections = cap, "ready");
    let stopping = service.clone();
    let stop = async move {
        stop.await;
        stopping.drain();
        tracing::info!("stopping: requests in flight are finished");
    };
    serve(listener, router(service), &config, cap, stop).await;
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address).await.map_err(|error| format!("cannot listen on {address}: {error}"))
}

/// Starts the log. Its lines are written by a thread of their own, so that a reader who does not keep up never holds
/// a request: lines are lost instead, and counted.
fn start_log(config: &Config) -> Result<(WorkerGuard, ErrorCounter), Box<dyn Error>> {
    let filter = EnvFilter::try_new(&config.log)
        .map_err(|error| format!("--log or SCATHE_LOG is {:?}, which is no filter: {error}", config.log))?;
    let colours = std::io::stderr().is_terminal();
    let (writer, guard) = NonBlockingBuilder::default().buffered_lines_limit(LOG_LINES).finish(std::io::stderr());
    let lost = writer.error_counter();
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_ansi(colours);
    match config.log_format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    // A panic too: what it writes by itself would wait for the reader.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    Ok((guard, lost))
}

/// Ends when the process is asked to stop: by Ctrl-C or SIGTERM.
fn stop_signal() -> Result<impl Future<Output = ()>, Box<dyn Error>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

fn print_document() -> Result<(), Box<dyn Error>> {
    use std::io::Write;
    std::io::stdout().write_all(app()?.document())?;
    Ok(())
}

/// Asks the service that listens here.
async fn ask_health(mut listen: SocketAddr) -> Result<(), Box<dyn Error>> {
    if listen.ip().is_unspecified() {
        listen.set_ip(match listen.ip() {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    let asked = tokio::time::timeout(HEALTH_TIMEOUT, health(listen)).await;
    let asked = asked.unwrap_or_else(|_| Err(format!("no answer within {HEALTH_TIMEOUT:?}").into()));
    let text = asked.map_err(|error| format!("no healthy service at {listen}: {}", causes(&*error)))?;
    println!("{text}");
    Ok(())
}

/// What `GET /health` answers.
async fn health(address: SocketAddr) -> Result<String, Box<dyn Error>> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::get("/health").header(HOST, address.to_string()).body(Body::empty())?;
    let answer = sender.send_request(request).await?;
    if !answer.status().is_success() {
        return Err(answer.status().to_string().into());
    }
    let text = axum::body::to_bytes(Body::new(answer.into_body()), HEALTH_ANSWER).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// What an error says, and what it says of its causes.
fn causes(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
