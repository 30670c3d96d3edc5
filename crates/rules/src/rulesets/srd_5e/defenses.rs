//! What a hit meets before it costs anything: the save's share, immunity, reductions, resistance,
//! vulnerability and the damage threshold, in the order of the book.

use serde::Serialize;
use utoipa::ToSchema;

use super::creature::{Condition, Creature};
use super::damage_types::{DamageType, Defense};
use super::{Event, Options};
use crate::tray::Tray;

/// Damage of one type on its way through a hit. Each instance goes through every step by itself (R1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = srd_5e::Instance)]
pub struct Instance {
    /// The damage type.
    #[serde(rename = "type")]
    pub kind: DamageType,
    /// Whether the damage is magical.
    pub magical: bool,
    /// It lowers the hit point maximum as well.
    #[serde(skip)]
    #[schema(ignore)]
    pub lowers_max_hp: bool,
    /// The damage before anything met it.
    pub rolled: i32,
    /// The damage that was taken.
    pub taken: i32,
}

impl Instance {
    /// Whether another instance is the same but for how much it is.
    pub fn is_like(&self, other: &Self) -> bool {
        let kind = |instance: &Self| (instance.kind, instance.magical, instance.lowers_max_hp);
        kind(self) == kind(other)
    }

    /// More damage of the same hit that is alike (R2).
    pub fn add(&mut self, rolled: i32, tray: &mut Tray<'_, Event>) {
        self.set(self.taken + rolled, "damage_roll", tray);
        self.rolled = self.taken;
    }

    /// The damage of this instance becomes `to`.
    fn set(&mut self, to: i32, rule: &'static str, tray: &mut Tray<'_, Event>) {
        tray.step(self.kind.name(), &mut self.taken, to, rule);
    }
}

/// All instances together.
pub fn sum(instances: &[Instance]) -> i32 {
    instances.iter().map(|instance| instance.taken).sum()
}

/// How much of a hit is dealt, by its save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// All of it.
    Full,
    /// Half of it.
    Half,
    /// Nothing.
    None,
}

/// What a hit meets, beside the creature's own defences.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// An attack roll hit.
    pub attack: bool,
    /// The save's share, if there was a save.
    pub share: Option<Share>,
    /// Something apart from save and resistance halves the hit.
    pub halved: bool,
}

impl Meeting {
    /// Takes every instance through all that it meets.
    pub fn take(&self, instances: &mut [Instance], creature: &Creature, options: &Options, tray: &mut Tray<'_, Event>) {
        if options.reduce_before_save {
            self.immunity(instances, creature, options, tray);
            damage_reduction(instances, creature, options, tray);
            self.saving_throw(instances, options, tray);
            self.halved_damage(instances, tray);
        } else {
            self.saving_throw(instances, options, tray);
            self.immunity(instances, creature, options, tray);
            if options.halve_before_reduction {
                self.halved_damage(instances, tray);
                damage_reduction(instances, creature, options, tray);
            } else {
                damage_reduction(instances, creature, options, tray);
                self.halved_damage(instances, tray);
            }
        }
        let adjusted = sum(instances);
        self.resistance(instances, creature, tray);
        self.vulnerability(instances, creature, tray);
        let compared = if options.threshold_before_resistance { adjusted } else { sum(instances) };
        damage_threshold(compared, instances, creature, tray);
    }

    /// Whether one of these entries is for the instance (R8).
    fn meets(&self, defenses: &[Defense], instance: &Instance) -> bool {
        let nonmagical = self.attack && !instance.magical;
        defenses.iter().any(|defense| defense.is_for(instance.kind, nonmagical))
    }

    /// `saving_throw`: the share of each instance that the save leaves, rounded down. By an option the sum is
    /// halved (R3): what rounding each instance loses beyond that comes back, a point each, to the odd ones
    /// in order.
    fn saving_throw(&self, instances: &mut [Instance], options: &Options, tray: &mut Tray<'_, Event>) {
        let Some(share) = self.share else { return };
        let lost_by_rounding = sum(instances) / 2 - instances.iter().map(|instance| instance.taken / 2).sum::<i32>();
        let mut given_back = if options.save_halves_total { lost_by_rounding } else { 0 };
        for instance in instances {
            let left = match share {
                Share::Full => instance.taken,
                Share::Half if given_back > 0 && instance.taken % 2 == 1 => {
                    given_back -= 1;
                    instance.taken / 2 + 1
                }
                Share::Half => instance.taken / 2,
                Share::None => 0,
            };
            instance.set(left, "saving_throw", tray);
        }
    }

    /// `immunity`: no damage of that type. By the rule of 5.1 the petrified are immune to poison (R37).
    fn immunity(&self, instances: &mut [Instance], creature: &Creature, options: &Options, tray: &mut Tray<'_, Event>) {
        let stone = options.petrified_immune_to_poison && creature.has(Condition::Petrified);
        for instance in instances {
            if self.meets(&creature.immunities, instance) {
                instance.set(0, "immunity", tray);
            } else if stone && instance.kind == DamageType::Poison {
                instance.set(0, "petrified", tray);
            }
        }
    }

    /// `halved_damage`: half of each instance, rounded down.
    fn halved_damage(&self, instances: &mut [Instance], tray: &mut Tray<'_, Event>) {
        for instance in instances.iter_mut().filter(|_| self.halved) {
            instance.set(instance.taken / 2, "halved_damage", tray);
        }
    }

    /// `resistance`: half, rounded down, once, however many entries are for the instance. `petrified`: the
    /// same for all damage.
    fn resistance(&self, instances: &mut [Instance], creature: &Creature, tray: &mut Tray<'_, Event>) {
        for instance in instances {
            let half = instance.taken / 2;
            if self.meets(&creature.resistances, instance) {
                instance.set(half, "resistance", tray);
            } else if creature.has(Condition::Petrified) {
                instance.set(half, "petrified", tray);
            }
        }
    }

    /// `vulnerability`: twice, once, after resistance.
    fn vulnerability(&self, instances: &mut [Instance], creature: &Creature, tray: &mut Tray<'_, Event>) {
        for instance in instances {
            if self.meets(&creature.vulnerabilities, instance) {
                instance.set(2 * instance.taken, "vulnerability", tray);
            }
        }
    }
}

/// `damage_reduction`: each entry takes its value off the instances that it is for, in order, until it is
/// used up, once a hit (R5). By an option it takes its whole value off each.
fn damage_reduction(instances: &mut [Instance], creature: &Creature, options: &Options, tray: &mut Tray<'_, Event>) {
    for reduction in &creature.damage_reduction {
        let mut value = reduction.value;
        for instance in instances.iter_mut().filter(|instance| reduction.is_for(instance.kind)) {
            let stopped = value.min(instance.taken);
            instance.set(instance.taken - stopped, "damage_reduction", tray);
            if !options.reduce_each_type {
                value -= stopped;
            }
        }
    }
}

/// `damage_threshold`: a hit of less than this does nothing (R9).
fn damage_threshold(compared: i32, instances: &mut [Instance], creature: &Creature, tray: &mut Tray<'_, Event>) {
    if creature.damage_threshold > 0 {
        for instance in instances {
            let left = if compared < creature.damage_threshold { 0 } else { instance.taken };
            instance.set(left, "damage_threshold", tray);
        }
    }
}
