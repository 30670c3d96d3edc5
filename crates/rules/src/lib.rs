//! The rule books: what a hit does to a creature.
//!
//! A *creature* is all that a game needs to know of someone who can be hurt. An *action* is
//! something that happens to a creature; its rule is one straight function that reads in the order
//! of the rule book. The *tray* is where dice are thrown and everything is written down. Who throws
//! the dice (a generator, the caller, or nobody because every branch is walked) is not the rule's
//! business.
//!
//! What is absent here, on purpose: HTTP, JSON, clocks, randomness, async, floating-point numbers,
//! and anything that two games share beyond these few types.

pub mod check;
pub mod dice;
pub mod dice_text;
pub mod odds;
pub mod ruleset;
pub mod rulesets;
pub mod tray;
pub mod words;
