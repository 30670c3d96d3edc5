//! What a request may ask for, whatever its game: every bound in one place. A game's own bounds stand with
//! its rules; how much the service takes on at once is the server's configuration.

use std::ops::RangeInclusive;

/// How deep lists and objects may stand inside one another: the most that a deployment may allow.
pub const DEPTH: usize = 128;

/// How many characters a seed may have.
pub const SEED_LENGTH: RangeInclusive<usize> = 1..=64;

/// The most faces that a request may bring.
pub const FACES: usize = 10_000;

/// The most sides of a die.
pub const SIDES: u32 = 1000;

/// How many outcomes odds may be asked to list.
pub const TOP: RangeInclusive<u32> = 1..=10_000;

/// Over how many rounds odds may be asked.
pub const ROUNDS: RangeInclusive<u32> = 1..=200;

/// The most operations of one batch.
pub const OPERATIONS: usize = 256;

/// A batch of more bytes may keep a thread for longer than other requests should wait: some thirty hits,
/// measured at a quarter of a millisecond.
pub const HEAVY: usize = 8 * 1024;

/// The most bytes of a reply to a question for odds.
pub const ODDS_REPLY: usize = 16 * 1024 * 1024;

/// How many bytes of replies a batch may hold before it walks no further odds.
pub const BATCH_REPLIES: usize = 32 * 1024 * 1024;

/// The longest numerator or denominator that odds tell, in bits.
pub const EXACT_BITS: usize = 128;

/// How many characters of a value a fault shows.
pub const SHOWN: usize = 60;

/// The limits that a deployment chooses.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How deep lists and objects may stand inside one another, at most [`DEPTH`].
    pub depth: usize,
    /// The largest request inside a batch, in bytes.
    pub operation: usize,
}
