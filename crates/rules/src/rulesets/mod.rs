//! The games we know. A game is one folder here and one line below.

pub mod akrpg;
pub mod coyote_and_crow;
pub mod gift_and_skill;
pub mod srd_5e;
pub mod uesrpg;

use crate::ruleset::{Catalog, Ruleset};

/// Adds every action of every game.
pub fn all(catalog: &mut impl Catalog) {
    akrpg::Akrpg::actions(catalog);
    coyote_and_crow::CoyoteAndCrow::actions(catalog);
    gift_and_skill::GiftAndSkill::actions(catalog);
    srd_5e::Srd5e::actions(catalog);
    uesrpg::Uesrpg::actions(catalog);
}
