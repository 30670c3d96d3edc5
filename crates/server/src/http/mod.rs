//! What speaks HTTP: one file for each thing on the way of a request. `router` lists all routes and layers.

mod body;
mod fresh;
pub mod front;
mod guard;
pub mod pages;
pub mod problem;
mod queue;
pub mod router;
pub mod serve;
pub mod state;
mod verbs;
mod watch;
