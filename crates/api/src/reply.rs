//! A reply as it is sent, and why there may be none.

use std::io::{self, Write};

use scathe_rules::check::Faults;
use scathe_rules::dice::Stop;
use scathe_rules::odds::GoOn;
use scathe_rules::ruleset::{Action, CreatureOf, Done, EventOf, OptionsOf, Refusal, Ruleset, Subject, refusal};
use scathe_rules::tray::Line;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::limits::ODDS_REPLY;
use crate::problem::{Answer, INTERNAL, Problem, TOO_MANY_BRANCHES};

/// A reply, as it is sent.
#[derive(Serialize)]
struct Reply<'a, A: Action> {
    ruleset: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a CreatureOf<A>>,
    outcome: &'a A::Outcome,
    events: &'a [EventOf<A>],
    dice: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<&'a str>,
    summary: String,
    log: &'a [Line],
}

/// The problem of an action that cannot happen to this target.
pub fn refused<A: Action>(action: &A, target: &A::Target, options: &OptionsOf<A>) -> Result<(), Problem> {
    match refusal(action, target, options) {
        Some(Refusal::Because(kind, detail)) => Err(Problem::new(&kind.into(), detail)),
        Some(Refusal::Invalid(faults)) => Err(Problem::invalid(faults.into_found())),
        None => Ok(()),
    }
}

/// The body of the reply.
pub fn reply<A: Action>(action: &A, done: &Done<A>, seed: Option<&str>) -> Answer {
    let reply = Reply::<A> {
        ruleset: A::Rules::ID,
        target: done.after.creature(),
        outcome: &done.outcome,
        events: &done.events,
        dice: done.dice(),
        seed,
        summary: action.summary(done),
        log: &done.log,
    };
    body(&reply)
}

/// A reply as it is sent.
fn body(reply: &impl Serialize) -> Answer {
    to_raw_value(reply).map_err(|error| Problem::new(&INTERNAL, format!("The reply has no JSON form: {error}.")))
}

/// Why a rule stopped at its dice.
pub fn stopped(stop: Stop, given: &[u32]) -> Problem {
    match stop {
        Stop::Needs(ask) => Problem::needs_dice(ask),
        // The rest of the same throw is known to be of the same dice; what would come after is not.
        Stop::BadFace { index, ask } => {
            let throw = given.iter().enumerate().skip(index).take(usize::try_from(ask.count).unwrap_or(usize::MAX));
            let bad = throw.filter(|(_, face)| !(1..=ask.sides).contains(face));
            let mut faults = Faults::default();
            for (index, face) in bad {
                let detail =
                    format!("must be from 1 to {}, a face of a die thrown for {}, but is {face}", ask.sides, ask.why);
                faults.add(&format!("/dice/{index}"), detail);
            }
            Problem::invalid(faults.into_found())
        }
        Stop::Unfit { list, index, detail } => {
            let mut faults = Faults::default();
            faults.add(&format!("{list}/{index}"), detail);
            Problem::invalid(faults.into_found())
        }
        Stop::TooMany => Problem::new(&INTERNAL, "Dice that were thrown cannot be too many."),
    }
}

/// The reply to a question for odds, which is the only kind that may grow large.
pub fn odds_body(reply: &impl Serialize, go_on: GoOn<'_>) -> Answer {
    let mut bounded = Bounded { text: Vec::new(), go_on };
    let written = serde_json::to_writer(&mut bounded, reply).map_err(|error| error.to_string());
    let text = written.and_then(|()| String::from_utf8(bounded.text).map_err(|error| error.to_string()));
    let raw = text.and_then(|text| RawValue::from_string(text).map_err(|error| error.to_string()));
    raw.map_err(|_| {
        let detail = format!("The outcomes would fill more than {ODDS_REPLY} bytes; `top` lists only the likeliest.");
        Problem::new(&TOO_MANY_BRANCHES, detail)
    })
}

/// A text that may not grow beyond bounds.
struct Bounded<'g> {
    text: Vec<u8>,
    go_on: GoOn<'g>,
}

/// How many bytes pass between two questions whether to go on.
const ASK_EVERY: usize = 64 * 1024;

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.text.len() + bytes.len();
        let ask = self.text.len() / ASK_EVERY != length / ASK_EVERY;
        if length > ODDS_REPLY || ask && !(self.go_on)() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
