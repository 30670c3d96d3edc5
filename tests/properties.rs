//! What each game's rules promise for any numbers.

mod akrpg;
mod coyote_and_crow;
mod gift_and_skill;
mod srd_5e;
mod uesrpg;

use serde_json::{Value, json};

use crate::support::post;

/// Asks a verb of a game, which must answer.
fn ask(ruleset: &str, verb: &str, target: &Value, own: &Value) -> Value {
    let mut body = own.clone();
    body["ruleset"] = json!(ruleset);
    if !target.is_null() {
        body["target"] = target.clone();
    }
    let answer = post(&format!("/{verb}"), &body);
    assert_eq!(answer.status, 200, "{body}\n{}", answer.text());
    answer.json()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no whole number: {value}"))
}
