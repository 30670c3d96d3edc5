//! Dice that the service throws: a stream of faces keyed by a seed.
//!
//! The algorithm never changes, so a seed means the same dice for ever:
//!
//! 1. The key is the SHA-256 digest (32 bytes) of the seed's UTF-8 text.
//! 2. ChaCha12 with that key, stream 0, from block 0, gives a sequence of 32-bit words (each read
//!    little-endian, in order).
//! 3. For a die of `n` sides take the next word `w`. If `w` is below the largest multiple of `n` that
//!    is at most 2³², the face is `w mod n + 1`; otherwise take another word. So no face is likelier
//!    than another.
//!
//! ```
//! use scathe_api::seed::Stream;
//!
//! fn throw(seed: &str, sides: &[u32]) -> Vec<u32> {
//!     let mut stream = Stream::new(seed);
//!     sides.iter().map(|&sides| stream.face(sides)).collect()
//! }
//! assert_eq!(throw("round 3", &[6; 10]), [4, 3, 4, 2, 4, 4, 4, 6, 2, 3]);
//! assert_eq!(throw("", &[12; 10]), [9, 4, 10, 3, 11, 3, 4, 2, 2, 7]);
//! assert_eq!(throw("Würfel", &[100; 8]), [22, 70, 7, 47, 20, 20, 67, 93]);
//! assert_eq!(throw("mixed", &[2, 4, 6, 8, 10, 12, 20, 100, 1000, 1]), [2, 2, 5, 8, 8, 9, 9, 67, 787, 1]);
//! // Beyond the first block of 16 words.
//! assert_eq!(throw("long", &[6; 40])[35..], [2, 5, 4, 2, 2]);
//! ```

use rand::rand_core::{Rng, SeedableRng};
use rand::rngs::ChaCha12Rng;
use scathe_rules::dice::{Ask, Dice, Given, Stop};
use sha2::{Digest, Sha256};

/// An endless stream of faces keyed by a seed.
pub struct Stream(ChaCha12Rng);

impl Stream {
    /// The stream of this seed, from its beginning.
    pub fn new(seed: &str) -> Self {
        Self(ChaCha12Rng::from_seed(Sha256::digest(seed).into()))
    }

    /// The next face of a die with this many sides, from 1.
    pub fn face(&mut self, sides: u32) -> u32 {
        let sides = u64::from(sides.max(1));
        let fair = (1 << 32) / sides * sides;
        loop {
            let word = u64::from(self.0.next_u32());
            if word < fair {
                // Below `sides`, so it fits.
                return u32::try_from(word % sides).unwrap_or(0) + 1;
            }
        }
    }
}

/// Dice of a request: the faces that the caller gave, then, if it may be so, thrown ones.
pub struct Thrown {
    given: Given,
    rest: Option<Stream>,
}

impl Thrown {
    /// First these faces; then those of the seed, if there is one.
    pub fn new(given: Vec<u32>, seed: Option<&str>) -> Self {
        Self { given: Given::new(given), rest: seed.map(Stream::new) }
    }

    /// The faces that nobody asked for: where the first stands, and how many there are.
    pub fn left(&self) -> (usize, usize) {
        (self.given.used(), self.given.left())
    }
}

impl Dice for Thrown {
    fn face(&mut self, ask: Ask) -> Result<u32, Stop> {
        match (&mut self.rest, self.given.face(ask)) {
            (Some(stream), Err(Stop::Needs(_))) => Ok(stream.face(ask.sides)),
            (_, face) => face,
        }
    }
}
