//! What the events of this game sound like in a sentence.

use super::Event;

/// What a table would cry out at these events.
pub(super) fn cries(events: &[Event]) -> String {
    let cries = events.iter().filter_map(|event| match event {
        Event::CheckDue { .. } => Some(" A check to stay conscious is due.".to_owned()),
        Event::Dying { pool } => Some(format!(" Dying ({})!", pool.name())),
        Event::Unconscious => Some(" Unconscious!".to_owned()),
        Event::DeathThreshold { pool } => Some(format!(" Death threshold of {}!", pool.name())),
        Event::StatAtZero { stat } => Some(format!(" No {} left!", stat.name())),
        Event::InstantDeathPossible => Some(" This may kill at once.".to_owned()),
        Event::MayBeLethal => Some(" This may be lethal.".to_owned()),
        Event::Stabilized { .. }
        | Event::Burning
        | Event::Stunned
        | Event::Panicked
        | Event::NoLossThisRound
        | Event::ConditionEnded { .. }
        | Event::Woke => None,
    });
    cries.collect()
}
