//! How the service is set up: by flags, or by the environment.

use std::fmt;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use axum::http::HeaderValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use scathe_api::limits::DEPTH;

/// The largest body of a request unless the configuration says otherwise, in bytes.
pub const BODY_LIMIT: usize = 64 * 1024;
/// The same for a batch.
pub const BATCH_BODY_LIMIT: usize = 1024 * 1024;

/// An HTTP service that tells a virtual tabletop what a hit does.
#[derive(Debug, Parser)]
#[command(name = "scathe", version, about)]
pub struct Cli {
    /// What to do; without it, the service runs.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How the service runs.
    #[command(flatten)]
    pub config: Config,
}

/// What the program does beside running the service.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Command {
    /// Print the OpenAPI document and exit.
    Openapi,
    /// Ask the running service whether it is well, and exit with 0 if so.
    Health,
}

/// How the service runs.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// The address to listen on. Port 0 takes a free one; the address is printed.
    #[arg(long, env = "SCATHE_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS", global = true)]
    pub listen: SocketAddr,
    /// What to log, as a filter: error, warn, info, debug, trace, or per module. Requests that fail or take long
    /// are logged at `warn`, all others at `info`, as `request`.
    #[arg(long, env = "SCATHE_LOG", default_value = "info,request=warn", value_name = "FILTER")]
    pub log: String,
    /// How log lines look.
    #[arg(long, env = "SCATHE_LOG_FORMAT", default_value = "text", value_name = "FORMAT")]
    pub log_format: LogFormat,
    /// The web pages that may call the service, as origins with commas between them; * is all.
    #[arg(long, env = "SCATHE_CORS_ORIGINS", default_value = "*", value_name = "ORIGINS", value_delimiter = ',', value_parser = origin)]
    pub cors_origins: Vec<HeaderValue>,
    /// Where Prometheus reads `/metrics`, a listener of its own; off unless given.
    #[arg(long, env = "SCATHE_METRICS_LISTEN", value_name = "ADDRESS")]
    pub metrics_listen: Option<SocketAddr>,
    /// How often one client may call, as requests a second, a slash, and how many at once; off
    /// unless given.
    #[arg(long, env = "SCATHE_RATE_LIMIT", value_name = "RATE/BURST")]
    pub rate_limit: Option<RateLimit>,
    /// How many proxies stand in front. The client's address is what the outermost of them wrote into
    /// X-Forwarded-For; with 0 that header is ignored.
    #[arg(long, env = "SCATHE_TRUST_PROXY", default_value_t = 0, value_name = "NUMBER")]
    pub trust_proxy: usize,
    /// Keys of which every call must bring one as a bearer token, with commas between them; without
    /// any, nobody needs one.
    #[arg(long, env = "SCATHE_API_KEYS", value_name = "KEYS", value_delimiter = ',', hide_env_values = true)]
    pub api_keys: Vec<String>,
    /// A file with such keys, one a line.
    #[arg(long, env = "SCATHE_API_KEYS_FILE", value_name = "FILE")]
    pub api_keys_file: Option<PathBuf>,
    /// The largest body of a request, in bytes.
    #[arg(long, env = "SCATHE_BODY_LIMIT", default_value_t = BODY_LIMIT, value_name = "BYTES")]
    pub body_limit: usize,
    /// The largest body of a batch, in bytes.
    #[arg(long, env = "SCATHE_BATCH_BODY_LIMIT", default_value_t = BATCH_BODY_LIMIT, value_name = "BYTES")]
    pub batch_body_limit: usize,
    /// How deep the JSON of a request may nest, at most 128.
    #[arg(long, env = "SCATHE_JSON_DEPTH", default_value_t = DEPTH, value_name = "LEVELS", value_parser = json_depth)]
    pub json_depth: usize,
    /// How long a request may take to arrive and be answered.
    #[arg(long, env = "SCATHE_TIMEOUT", default_value = "2s", value_name = "TIME", value_parser = time)]
    pub timeout: Duration,
    /// How long odds and long batches may take beyond that, waiting in the queue included.
    #[arg(long, env = "SCATHE_ODDS_TIMEOUT", default_value = "10s", value_name = "TIME", value_parser = time)]
    pub odds_timeout: Duration,
    /// How many odds and long batches are worked on at once; as many as there are processors unless
    /// given.
    #[arg(long, env = "SCATHE_WORKERS", value_name = "NUMBER")]
    pub workers: Option<NonZeroUsize>,
    /// How many of them may wait for their turn.
    #[arg(long, env = "SCATHE_QUEUE", default_value_t = 64, value_name = "NUMBER")]
    pub queue: usize,
    /// How many connections may be open at once. It is lowered to what the limit of open files allows.
    #[arg(long, env = "SCATHE_CONNECTIONS", default_value = "16384", value_name = "NUMBER")]
    pub connections: NonZeroUsize,
    /// How long a connection may take to send the head of a request, the pause before it included.
    #[arg(long, env = "SCATHE_HEADER_TIMEOUT", default_value = "30s", value_name = "TIME", value_parser = time)]
    pub header_timeout: Duration,
    /// How long requests in flight may still take when the service is asked to stop.
    #[arg(long, env = "SCATHE_DRAIN_TIMEOUT", default_value = "15s", value_name = "TIME", value_parser = time)]
    pub drain_timeout: Duration,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object a line.
    Json,
}

/// How often one client may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests a second, over time.
    pub per_second: NonZeroU32,
    /// Requests at once.
    pub burst: NonZeroU32,
}

impl FromStr for RateLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(rate, burst)| Some((rate.parse().ok()?, burst.parse().ok()?)));
        let (per_second, burst) = numbers.ok_or("expected two whole numbers above 0, as in 5/10")?;
        Ok(Self { per_second, burst })
    }
}

impl fmt::Display for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.per_second, self.burst)
    }
}

fn json_depth(text: &str) -> Result<usize, String> {
    let depth = text.parse().ok().filter(|depth| (1..=DEPTH).contains(depth));
    depth.ok_or_else(|| "expected a whole number from 1 to 128".to_owned())
}

/// A time, at most a day: longer ones are mistakes.
fn time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time <= Duration::from_secs(24 * 60 * 60) { Ok(time) } else { Err("expected at most one day".to_owned()) }
}

/// An origin as browsers send it: scheme, host and perhaps a port, without a path.
fn origin(text: &str) -> Result<HeaderValue, String> {
    let origin = text.trim();
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    if origin != "*" && (host.is_empty() || host.contains('/')) {
        return Err("expected *, or an origin such as https://vtt.example".to_owned());
    }
    HeaderValue::try_from(origin).map_err(|error| error.to_string())
}
