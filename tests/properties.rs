//! What each game's rules promise for any numbers.

mod akrpg;
