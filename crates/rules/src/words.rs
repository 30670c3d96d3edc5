//! Words for the sentences that a chat shows.

use std::fmt::Display;

/// A number with the word for what is counted, in the right form: `count(1, "die", "dice")`.
pub fn count<N: Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    let word = if number == N::from(1) { one } else { many };
    format!("{number} {word}")
}
