//! Every number of the book, in one place.
//!
//! The book calls its penalties, the bleeding and everything about Medicine playtesting values. When
//! your table plays by other numbers, change them here: the rules and the published tables follow.
//! The sentences of the rules, the readings and the descriptions in the request schema name the book's
//! values, and the bounds of the schema repeat the maximum of health.

use serde::Serialize;
use utoipa::ToSchema;

use crate::ruleset::Table;

/// The most health anybody has.
pub const MAX_HEALTH: i32 = 100;
/// At this health or lower a creature is dead (R12).
pub const DEAD_AT: i32 = -100;
/// What a die that shows a 6 is worth, whatever the rating (R2).
pub const SIX_IS_WORTH: i32 = -1;
/// The damage factor of a dagger.
pub const DAGGER: i32 = 10;
/// The damage factor of a sword.
pub const SWORD: i32 = 25;
/// The damage factor of a greatsword.
pub const GREATSWORD: i32 = 50;
/// Damage that each dot of Physical Toughness takes off.
pub const TOUGHNESS_PER_DOT: i32 = 5;
/// Action points of a round, before the penalties of the bands.
pub const ACTION_POINTS: i32 = 3;
/// Health that a dying creature loses a round.
pub const BLEEDING: i32 = 5;
/// Damage that a fumbled Medicine check does to the patient.
pub const FUMBLE_DAMAGE: i32 = 25;

/// The condition bands, best first. Penalties stack: each band adds its own to those before it.
pub const BANDS: [BandRow; 4] = [
    BandRow { band: Band::Uninjured, highest: MAX_HEALTH, lowest: 75, action_points: 0, free_movement: 0 },
    BandRow { band: Band::Wounded, highest: 74, lowest: 50, action_points: 0, free_movement: 0 },
    BandRow { band: Band::BadlyHurt, highest: 49, lowest: 25, action_points: -1, free_movement: -1 },
    BandRow { band: Band::Crippled, highest: 24, lowest: 1, action_points: -1, free_movement: -1 },
];

/// The successes that a Medicine check needs, easiest first. The book's table starts at -1; the row
/// for 0 is R7.
pub const MEDICINE: [MedicineRow; 5] = [
    MedicineRow { highest: 0, lowest: 0, successes: 1 },
    MedicineRow { highest: -1, lowest: -25, successes: 1 },
    MedicineRow { highest: -26, lowest: -50, successes: 2 },
    MedicineRow { highest: -51, lowest: -75, successes: 3 },
    MedicineRow { highest: -76, lowest: DEAD_AT, successes: 4 },
];

/// How a creature is doing: the band of its health while it is up, and else its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = gift_and_skill::Band)]
pub enum Band {
    /// 75 to 100 health: no penalty.
    Uninjured,
    /// 50 to 74 health: no penalty.
    Wounded,
    /// 25 to 49 health: -1 action point, -1 free movement.
    BadlyHurt,
    /// 1 to 24 health: -2 action points, -2 free movement in all.
    Crippled,
    /// Unconscious and bleeding.
    Dying,
    /// Unconscious, no longer bleeding.
    Stable,
    /// Dead.
    Dead,
}

impl Band {
    /// The name, as the book prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uninjured => "Uninjured",
            Self::Wounded => "Wounded",
            Self::BadlyHurt => "Badly Hurt",
            Self::Crippled => "Crippled",
            Self::Dying => "Dying",
            Self::Stable => "Stable",
            Self::Dead => "Dead",
        }
    }
}

/// A condition band. A creature has entered it when its health is `highest` or lower.
pub struct BandRow {
    /// Its name.
    pub band: Band,
    /// The most health in it.
    pub highest: i32,
    /// The least health in it.
    pub lowest: i32,
    /// What it adds to the action points.
    pub action_points: i32,
    /// What it adds to free movement.
    pub free_movement: i32,
}

/// How hard a patient is to stabilize. A patient has entered the row when its health is `highest` or
/// lower.
pub struct MedicineRow {
    /// The most health in it.
    pub highest: i32,
    /// The least health in it.
    pub lowest: i32,
    /// Successes that stabilize.
    pub successes: i32,
}

/// The numbers of the book: bands and Medicine as tables, the rest as a list. Medicine at 0 health,
/// which the book's table leaves out, is marked as the reading that it is (R7).
pub fn tables() -> Vec<Table> {
    vec![
        Table {
            id: "numbers",
            heading: "Damage & Health",
            columns: vec!["Number", "Value"],
            rows: [
                ("Maximum health", MAX_HEALTH),
                ("Dead at", DEAD_AT),
                ("A die that shows a 6", SIX_IS_WORTH),
                ("Damage factor of a dagger", DAGGER),
                ("Damage factor of a sword", SWORD),
                ("Damage factor of a greatsword", GREATSWORD),
                ("Damage off for a dot of Physical Toughness", TOUGHNESS_PER_DOT),
                ("Action points a round", ACTION_POINTS),
                ("Health lost a round while dying", BLEEDING),
                ("Damage of a Medicine fumble", FUMBLE_DAMAGE),
            ]
            .map(|(number, value)| vec![number.to_owned(), value.to_string()])
            .into(),
        },
        Table {
            id: "bands",
            heading: "Health and Condition Bands",
            columns: vec!["Health From", "To", "Band", "AP Penalty", "Free Movement Penalty"],
            rows: BANDS
                .map(|row| {
                    vec![
                        row.lowest.to_string(),
                        row.highest.to_string(),
                        row.band.name().to_owned(),
                        row.action_points.to_string(),
                        row.free_movement.to_string(),
                    ]
                })
                .into(),
        },
        Table {
            id: "medicine",
            heading: "Medicine — Stabilization",
            columns: vec!["Patient Health From", "To", "Successes Required"],
            rows: MEDICINE
                .map(|row| {
                    let reading = if row.highest == 0 { " (R7)" } else { "" };
                    vec![row.highest.to_string(), row.lowest.to_string(), format!("{}{reading}", row.successes)]
                })
                .into(),
        },
    ]
}
