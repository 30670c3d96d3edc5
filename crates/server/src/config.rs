//! How the service is set up: by flags, or by the environment.

use std::net::SocketAddr;

use axum::http::HeaderValue;
use clap::{Args, Parser, Subcommand};

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
    /// What to log, as a filter: error, warn, info, debug, trace, or per module.
    #[arg(long, env = "SCATHE_LOG", default_value = "info", value_name = "FILTER")]
    pub log: String,
    /// The web pages that may call the service, as origins with commas between them; * is all.
    #[arg(long, env = "SCATHE_CORS_ORIGINS", default_value = "*", value_name = "ORIGINS", value_delimiter = ',')]
    pub cors_origins: Vec<HeaderValue>,
}
