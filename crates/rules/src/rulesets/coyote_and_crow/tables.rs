//! The table of stat damage.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::stats::{Pool, Stat};
use crate::ruleset::Table;

/// A column of the table of stat damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = coyote_and_crow::Column)]
pub enum Column {
    /// Physical stats are hit most.
    Physical,
    /// Mental stats are hit most.
    Mental,
    /// Spiritual stats are hit most.
    Spiritual,
}

impl Column {
    /// The column for damage to a pool.
    pub fn of(pool: Pool) -> Self {
        match pool {
            Pool::Body => Self::Physical,
            Pool::Mind => Self::Mental,
            Pool::Soul => Self::Spiritual,
        }
    }
}

/// A stat, and the faces that hit it in each column: physical, mental, spiritual.
type Row = (Stat, [RangeInclusive<i32>; 3]);

/// The table as the book prints it (p. 323).
const STAT_DAMAGE: [Row; 9] = [
    (Stat::Strength, [1..=2, 1..=1, 1..=1]),
    (Stat::Agility, [3..=4, 2..=2, 2..=2]),
    (Stat::Endurance, [5..=6, 3..=3, 3..=3]),
    (Stat::Intelligence, [7..=7, 4..=5, 4..=4]),
    (Stat::Perception, [8..=8, 6..=7, 5..=5]),
    (Stat::Wisdom, [9..=9, 8..=9, 6..=6]),
    (Stat::Spirit, [10..=10, 10..=10, 7..=8]),
    (Stat::Charisma, [11..=11, 11..=11, 9..=10]),
    (Stat::Will, [12..=12, 12..=12, 11..=12]),
];

/// The stat that a face of the d12 hits.
pub fn stat_hit(face: i32, column: Column) -> Stat {
    let mut rows = STAT_DAMAGE.into_iter();
    let hit = rows.find(|(_, [physical, mental, spiritual])| match column {
        Column::Physical => physical.contains(&face),
        Column::Mental => mental.contains(&face),
        Column::Spiritual => spiritual.contains(&face),
    });
    // Every face of a d12 is in every column; the last row is as good as any for one that is not.
    hit.map_or(Stat::Will, |(stat, _)| stat)
}

/// The table, as text.
pub fn stat_damage_table() -> Table {
    let faces = |range: RangeInclusive<i32>| match range.into_inner() {
        (low, high) if low == high => low.to_string(),
        (low, high) => format!("{low}–{high}"),
    };
    let row = |(stat, columns): Row| {
        let mut row = vec![stat.name().to_owned()];
        row.extend(columns.map(faces));
        row
    };
    Table {
        id: "stat_damage",
        heading: "Stat Damage",
        columns: vec!["stat", "physical", "mental", "spiritual"],
        rows: STAT_DAMAGE.map(row).to_vec(),
    }
}
