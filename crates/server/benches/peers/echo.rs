//! A bare axum service for `compare.py`: it reads each game's damage request into the game's types and
//! writes the reply to the game's example, typed and as long as the real one. It works nothing out.
#![allow(clippy::expect_used, reason = "a measuring tool that cannot go on must stop")]

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use axum::serve::ListenerExt;
use scathe_rules::dice::Given;
use scathe_rules::ruleset::{Action, Catalog, CreatureOf, EventOf, Ruleset, Subject, resolve};
use scathe_rules::rulesets;
use scathe_rules::tray::Line;
use serde::{Deserialize, Serialize};

/// A verb's own fields stand under `action`, so that the types alone read them.
#[derive(Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
#[allow(dead_code, reason = "it is read, as a request is, and dropped")]
struct Request<A: Action> {
    ruleset: String,
    target: CreatureOf<A>,
    action: A,
}

#[derive(Serialize)]
#[serde(bound = "")]
struct Reply<A: Action> {
    ruleset: &'static str,
    target: Option<CreatureOf<A>>,
    outcome: A::Outcome,
    events: Vec<EventOf<A>>,
    dice: Vec<u32>,
    seed: String,
    summary: String,
    log: Vec<Line>,
}

struct Echo(Router);

impl Catalog for Echo {
    fn add<A: Action>(&mut self) {
        if A::NAME == "damage" {
            let reply = Arc::new(answered::<A>());
            let echo = async move |body: Bytes| {
                serde_json::from_slice::<Request<A>>(&body).map_err(|error| error.to_string())?;
                let text = serde_json::to_vec(&*reply).map_err(|error| error.to_string())?;
                Ok::<_, String>(([(CONTENT_TYPE, "application/json")], text))
            };
            self.0 = std::mem::take(&mut self.0).route(&format!("/{}", A::Rules::ID), post(echo));
        }
    }
}

/// The reply to an action's example.
fn answered<A: Action>() -> Reply<A> {
    let example = A::example();
    let target = A::Target::new(example.target).expect("an example has the target that its action needs");
    let done = resolve(&example.action, target, &Default::default(), &mut Given::new(example.dice));
    let done = done.expect("an example has all its dice");
    Reply {
        ruleset: A::Rules::ID,
        target: done.after.creature().cloned(),
        dice: done.dice(),
        seed: "0123456789abcdef0123456789abcdef".to_owned(),
        summary: example.action.summary(&done),
        outcome: done.outcome,
        events: done.events,
        log: done.log,
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut echo = Echo(Router::new());
    rulesets::all(&mut echo);
    let address = std::env::args().nth(1).expect("an address to listen on");
    let listener = tokio::net::TcpListener::bind(address).await?;
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a socket sends at once"));
    axum::serve(listener, echo.0).await
}
