//! Texts that nobody had before: seeds, and ids of requests.

use std::fmt::Write;

/// 128 random bits as hexadecimal text.
pub fn fresh() -> String {
    let mut text = String::with_capacity(32);
    // The thread's generator is itself seeded by the operating system.
    let bits: u128 = rand::random();
    // Writing to a string cannot fail.
    let _ = write!(text, "{bits:032x}");
    text
}
