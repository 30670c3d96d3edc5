//! What must not compile: an action that forgets a part. Each is the whole one with one part less, so that
//! nothing else keeps it from compiling.

macro_rules! types {
    () => {
        "use scathe_rules::check::{Check, Faults};
use scathe_rules::dice::Stop;
use scathe_rules::ruleset::{Action, Done, Example, OptionsOf, Outcome, TrayOf};
use scathe_rules::rulesets::akrpg::Akrpg;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
struct Nap {}

#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, utoipa::ToSchema)]
struct Rested {}

impl Outcome for Rested {}
"
    };
}

macro_rules! check {
    () => {
        "impl Check for Nap { fn check(&self, _: &mut Faults) {} }\n"
    };
}

macro_rules! action {
    () => {
        "impl Action for Nap { type Rules = Akrpg; type Outcome = Rested; const TITLE: &'static str = \"Nap\";\n"
    };
}

macro_rules! name {
    () => {
        "const NAME: &'static str = \"nap\";\n"
    };
}

macro_rules! target {
    () => {
        "type Target = ();\n"
    };
}

macro_rules! apply {
    () => {
        "fn apply(&self, _: &mut (), _: &OptionsOf<Self>, _: &mut TrayOf<'_, Self>) -> Result<Rested, Stop> { Ok(Rested {}) }\n"
    };
}

macro_rules! summary {
    () => {
        "fn summary(&self, _: &Done<Self>) -> String { String::new() }\n"
    };
}

macro_rules! example {
    () => {
        "fn example() -> Example<Self> { Example { action: Self {}, target: None, dice: Vec::new() } }\n"
    };
}

#[doc = concat!("```\n", types!(), check!(), action!(), name!(), target!(), apply!(), summary!(), example!(), "}\n```")]
pub struct Nothing;

#[doc = concat!("```compile_fail\n", types!(), action!(), name!(), target!(), apply!(), summary!(), example!(), "}\n```")]
pub struct ItsBounds;

#[doc = concat!("```compile_fail\n", types!(), check!(), action!(), target!(), apply!(), summary!(), example!(), "}\n```")]
pub struct ItsName;

#[doc = concat!("```compile_fail\n", types!(), check!(), action!(), name!(), apply!(), summary!(), example!(), "}\n```")]
pub struct WhetherItHasATarget;

#[doc = concat!("```compile_fail\n", types!(), check!(), action!(), name!(), target!(), summary!(), example!(), "}\n```")]
pub struct ItsRule;

#[doc = concat!("```compile_fail\n", types!(), check!(), action!(), name!(), target!(), apply!(), example!(), "}\n```")]
pub struct ItsSentence;

#[doc = concat!("```compile_fail\n", types!(), check!(), action!(), name!(), target!(), apply!(), summary!(), "}\n```")]
pub struct ItsExample;
