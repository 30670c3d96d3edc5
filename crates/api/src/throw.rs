//! How the dice of a request are thrown, and how odds are asked for: the keys that every verb has.

use scathe_rules::check::{Check, Faults, given};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::limits::{FACES, ROUNDS, SEED_LENGTH, SIDES, TOP};

/// Keys that say how an action is to be carried out, beside those that say which.
pub trait How: Check + Default + DeserializeOwned + ToSchema {
    /// How the name of such a request's schema ends.
    const ENDING: &'static str;

    /// Their names; `rounds` says whether the action comes again round by round.
    fn names(rounds: bool) -> &'static [&'static str];

    /// Whether the caller brings dice.
    fn has_dice(&self) -> bool;
}

/// How the dice of a request are thrown: three keys that every verb has.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Throw {
    /// Faces of dice thrown elsewhere, in the order in which the rule asks. Too few is a problem that
    /// says what to throw next (`[]` asks for the first throw), and so is one too many. Alone, it is
    /// never added to.
    #[serde(deserialize_with = "given")]
    #[schema(max_items = 10_000, nullable = false, schema_with = faces)]
    pub dice: Option<Vec<u32>>,
    /// The service throws from this seed: the same seed, the same dice. Absent, and without `dice`:
    /// from a fresh one, which the reply tells.
    #[serde(deserialize_with = "given")]
    #[schema(min_length = 1, max_length = 64, nullable = false, examples("round 3"))]
    pub seed: Option<String>,
    /// The service throws what `dice` does not cover.
    #[schema(default = false)]
    pub throw_rest: bool,
}

impl How for Throw {
    const ENDING: &'static str = "Request";

    fn names(_: bool) -> &'static [&'static str] {
        &["dice", "seed", "throw_rest"]
    }

    fn has_dice(&self) -> bool {
        self.dice.is_some()
    }
}

fn faces() -> utoipa::openapi::schema::Array {
    use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
    let face = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(SIDES));
    ArrayBuilder::new()
        .items(face)
        .max_items(Some(FACES))
        .description(Some(
            "Faces of dice thrown elsewhere, in the order in which the rule asks. Too few is a problem that says what to throw \
             next (`[]` asks for the first throw), and so is one too many. Alone, it is never added to.",
        ))
        .build()
}

/// A seed that is empty or long is a fault.
pub fn check_seed(seed: &str, faults: &mut Faults) {
    let length = seed.chars().count();
    if !SEED_LENGTH.contains(&length) {
        let (least, most) = SEED_LENGTH.into_inner();
        faults.add("/seed", format!("must have from {least} to {most} characters, but has {length}"));
    }
}

impl Check for Throw {
    fn check(&self, faults: &mut Faults) {
        if let Some(dice) = &self.dice {
            faults.length("/dice", dice, 0..=FACES);
            for (index, &face) in dice.iter().enumerate() {
                faults.bounds(&format!("/dice/{index}"), face, 1..=SIDES);
            }
        }
        if let Some(seed) = &self.seed {
            check_seed(seed, faults);
        }
        match (&self.dice, &self.seed, self.throw_rest) {
            (Some(_), Some(_), false) => {
                faults.add("/seed", "does not go with `dice`, unless `throw_rest` is true as well");
            }
            (None, _, true) => faults.add("/throw_rest", "says what to do beyond `dice`, which is missing"),
            _ => {}
        }
    }
}

/// How odds are asked for.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Asking {
    /// How many outcomes to list, the likeliest; the others are summed up in `left_out`. Absent: all.
    #[serde(deserialize_with = "given")]
    #[schema(minimum = 1, maximum = 10_000, nullable = false)]
    pub top: Option<u32>,
    /// How often the action is repeated on its own result, round by round.
    #[serde(deserialize_with = "given")]
    #[schema(minimum = 1, maximum = 200, nullable = false)]
    pub rounds: Option<u32>,
}

impl How for Asking {
    const ENDING: &'static str = "OddsRequest";

    fn names(rounds: bool) -> &'static [&'static str] {
        if rounds { &["top", "rounds"] } else { &["top"] }
    }

    fn has_dice(&self) -> bool {
        false
    }
}

impl Check for Asking {
    fn check(&self, faults: &mut Faults) {
        faults.bounds_if("/top", self.top, TOP);
        faults.bounds_if("/rounds", self.rounds, ROUNDS);
    }
}
