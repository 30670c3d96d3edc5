//! Rests (W): hit points, stamina and magicka back outside of encounters.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::conditions::{Condition, leave};
use super::creature::{Creature, bonus, moved};
use super::healing::restore;
use super::locations::Location;
use super::wound::Wound;
use super::{Event, IN_ENCOUNTER, Options, Uesrpg};
use crate::check::{Check, Faults};
use crate::dice::Stop;
use crate::ruleset::{Action, Done, Example, Outcome, Refusal};
use crate::tray::Tray;
use crate::words::count;

/// Lets the creature rest.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = uesrpg::Rest)]
pub struct Rest {
    /// How long.
    pub kind: RestKind,
    /// A long rest under full care restores twice the HP (W). Refused for a short rest.
    #[serde(default)]
    #[schema(default = false)]
    pub full_care: bool,
}

/// The kinds of rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::RestKind)]
pub enum RestKind {
    /// Long: the endurance bonus in HP (half with a crippled body, none with an untreated wound) and in
    /// stamina, and all magicka (W).
    Long,
    /// Short: a stamina point, and a tenth of the maximum of magicka (W).
    Short,
}

impl Check for Rest {
    fn check(&self, faults: &mut Faults) {
        if self.full_care && self.kind == RestKind::Short {
            faults.add("/full_care", "belongs to kind long");
        }
    }
}

/// What the rest brought.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::RestOutcome)]
pub struct RestOutcome {
    /// Hit points restored.
    pub hp: i32,
    /// Stamina points restored.
    pub stamina: i32,
    /// Magicka points restored.
    pub magicka: i32,
    /// Wounds that were cured by it.
    pub wounds_cured: i32,
}

impl Outcome for RestOutcome {}

impl Action for Rest {
    type Rules = Uesrpg;
    type Target = Creature;
    type Outcome = RestOutcome;
    const NAME: &'static str = "rest";
    const TITLE: &'static str = "Rest";

    fn refuses(&self, creature: &Creature, _: &Options) -> Option<Refusal> {
        let trouble = if creature.unconscious().is_some() {
            Some("The creature is unconscious: that is no rest.")
        } else if creature.conditions.burning > 0 {
            Some("The creature is burning: put the flames out first.")
        } else if creature.conditions.bleeding > self.recovery(creature) {
            Some("The creature would still bleed after the HP of this rest: staunch the bleeding first.")
        } else {
            None
        };
        if let Some(detail) = trouble {
            return Some(Refusal::because(&IN_ENCOUNTER, detail));
        }
        let refusal =
            || Refusal::invalid("/target/max_magicka_points", "is required: a rest restores magicka up to it");
        (creature.magicka_points > 0 && creature.max_magicka_points.is_none()).then(refusal)
    }

    /// `rest` (W).
    fn apply(&self, creature: &mut Creature, _: &Options, tray: &mut Tray<'_, Event>) -> Result<RestOutcome, Stop> {
        let (hp, wounds_cured) = restore(self.recovery(creature), creature, tray, "rest");
        leave(Condition::Stunned, "/conditions/stunned", &mut creature.conditions.stunned, 0, "rest", tray);
        let max_magicka = creature.max_magicka_points.unwrap_or(0);
        let (stamina, magicka) = match self.kind {
            RestKind::Long => (bonus(creature.endurance), max_magicka),
            RestKind::Short => (1, max_magicka / 10),
        };
        let (stamina_before, magicka_before) = (creature.stamina(), creature.magicka_points);
        let rested = (stamina_before + stamina).min(creature.max_stamina()).max(stamina_before);
        tray.change("/stamina_points", &mut creature.stamina_points, Some(rested), "rest");
        let refilled = (magicka_before + magicka).min(max_magicka).max(magicka_before);
        tray.change("/magicka_points", &mut creature.magicka_points, refilled, "rest");
        Ok(RestOutcome { hp, stamina: rested - stamina_before, magicka: refilled - magicka_before, wounds_cured })
    }

    fn summary(&self, done: &Done<Self>) -> String {
        let (before, after) = (&done.before, &done.after);
        let hp = format!("HP {} → {}", before.hp, after.hp);
        let (kind, hp) = match self.kind {
            RestKind::Long if has_untreated_wound(before) => {
                ("Long rest", Some(format!("{hp} (none with an untreated wound)")))
            }
            RestKind::Long if before.is_crippled(Location::Body) => {
                ("Long rest", Some(format!("{hp} (half of it with a crippled body)")))
            }
            RestKind::Long => ("Long rest", Some(hp)),
            RestKind::Short => ("Short rest", None),
        };
        let mut said: Vec<String> = hp.into_iter().collect();
        said.push(format!("stamina {} → {}", before.stamina(), after.stamina()));
        if before.max_magicka_points.is_some() {
            said.push(format!("magicka {} → {}", before.magicka_points, after.magicka_points));
        }
        said.extend(moved("Bleeding", before.conditions.bleeding, after.conditions.bleeding));
        if done.outcome.wounds_cured > 0 {
            said.push(format!("{} cured", count(done.outcome.wounds_cured, "wound", "wounds")));
        }
        let mut sentences = vec![format!("{kind}: {}.", said.join(", "))];
        if before.conditions.stunned > 0 {
            sentences.push("The creature is no longer stunned.".to_owned());
        }
        if after.conditions.dazed {
            sentences.push("It is still dazed, until the table ends it.".to_owned());
        }
        sentences.join(" ")
    }

    fn example() -> Example<Self> {
        let mut target = Creature { hp: 10, magicka_points: 5, max_magicka_points: Some(30), ..Creature::example() };
        target.stamina_points = Some(1);
        target.wounds = vec![Wound { treated: true, regained: 6, ..Wound::example() }];
        Example { action: Self { kind: RestKind::Long, full_care: false }, target: Some(target), dice: Vec::new() }
    }
}

impl Rest {
    /// The HP that the rest brings: for a long one the endurance bonus, twice that under full care, half
    /// of it (rounded up) with a crippled body, none with an untreated wound (W).
    fn recovery(&self, creature: &Creature) -> i32 {
        if self.kind == RestKind::Short || has_untreated_wound(creature) {
            return 0;
        }
        let care = if self.full_care { 2 } else { 1 };
        let hp = care * bonus(creature.endurance);
        if creature.is_crippled(Location::Body) { (hp + 1) / 2 } else { hp }
    }
}

/// Whether a wound is untreated, so that a long rest restores no HP (W).
fn has_untreated_wound(creature: &Creature) -> bool {
    creature.wounds.iter().any(|wound| !wound.treated)
}
