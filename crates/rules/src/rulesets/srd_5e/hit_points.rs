//! What damage costs: temporary hit points, hit points, what keeps a creature from 0 HP, and damage at 0.

use super::check::{CheckKind, Circumstances, D20Test};
use super::creature::{Creature, CreatureKind, DEATH_SAVES, Dying, Life, Ward};
use super::{Event, KnockOut, Options};
use crate::dice::{By, Stop};
use crate::tray::Tray;

/// `undead_fortitude`: what the DC has above the damage.
const FORTITUDE_DC: i32 = 5;

/// What a hit does once everything that reduces it is done.
#[derive(Clone, Copy, Debug)]
pub struct Blow {
    /// The damage taken, of all types together.
    pub damage: i32,
    /// The hit was critical.
    pub critical: bool,
    /// The attacker would rather knock out than kill.
    pub knock_out: bool,
    /// Radiant damage was taken.
    pub radiant: bool,
}

/// What it cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lost {
    /// Temporary hit points.
    pub temp_hp: i32,
    /// Hit points.
    pub hp: i32,
    /// The damage that temporary hit points let through.
    pub through: i32,
}

impl Blow {
    /// Takes the damage off temporary hit points and hit points.
    pub fn land(&self, creature: &mut Creature, options: &Options, tray: &mut Tray<'_, Event>) -> Result<Lost, Stop> {
        let temp_hp = self.temporary_hit_points(creature, tray);
        let through = self.damage - temp_hp;
        let before = creature.hp;
        if before == 0 {
            let counted = if options.temp_hp_spares_the_dying { through } else { self.damage };
            self.damage_at_0(counted, creature, options, tray);
        } else {
            if through < before {
                tray.change("/hp", &mut creature.hp, before - through, "hit_points");
            } else {
                self.drop_to_0(through - before, creature, options, tray)?;
            }
            let is_bloodied = |hp: i32| 2 * hp <= creature.max_hp(options);
            // At 0 HP other events say more (R44).
            if is_bloodied(creature.hp) && !is_bloodied(before) && creature.hp > 0 {
                tray.event(Event::Bloodied);
            }
        }
        Ok(Lost { temp_hp, hp: before - creature.hp, through })
    }

    /// `temporary_hit_points`: they are lost first. Answers how many.
    fn temporary_hit_points(&self, creature: &mut Creature, tray: &mut Tray<'_, Event>) -> i32 {
        let (before, lost) = (creature.temp_hp, creature.temp_hp.min(self.damage));
        if before > 0 {
            let mut damage = self.damage;
            tray.step("damage", &mut damage, self.damage - lost, "temporary_hit_points");
            tray.change("/temp_hp", &mut creature.temp_hp, before - lost, "temporary_hit_points");
        }
        lost
    }

    /// The creature would drop to 0 HP, with so much damage left over: the first of these that applies
    /// happens (R26).
    fn drop_to_0(
        &self,
        left_over: i32,
        creature: &mut Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<(), Stop> {
        let massive = creature.kind == CreatureKind::Character && left_over >= creature.max_hp(options);
        if self.knock_out && !(massive && options.massive_damage_beats_knock_out) {
            knock_out(creature, options, tray);
        } else if creature.has_ward(Ward::DeathWard) {
            hold(Ward::DeathWard, "death_ward", creature, tray);
        } else if self.undead_fortitude(creature, options, tray)? {
            hold(Ward::UndeadFortitude, "undead_fortitude", creature, tray);
        } else if massive {
            massive_damage(creature, tray);
        } else if creature.has_ward(Ward::RelentlessEndurance) {
            hold(Ward::RelentlessEndurance, "relentless_endurance", creature, tray);
        } else if creature.kind == CreatureKind::Monster {
            creature.die("monster_death", tray);
        } else {
            tray.change("/hp", &mut creature.hp, 0, "hit_points");
            tray.change("/life", &mut creature.life, Some(Life::Dying(Dying::default())), "falling_unconscious");
            tray.event(Event::FellUnconscious);
        }
        Ok(())
    }

    /// `undead_fortitude`: a Constitution save, DC 5 + damage, unless the hit was critical or radiant damage
    /// was taken (R27).
    fn undead_fortitude(
        &self,
        creature: &Creature,
        options: &Options,
        tray: &mut Tray<'_, Event>,
    ) -> Result<bool, Stop> {
        if !creature.has_ward(Ward::UndeadFortitude) || self.critical || self.radiant {
            return Ok(false);
        }
        let mut dc = FORTITUDE_DC;
        tray.step("dc", &mut dc, FORTITUDE_DC + self.damage, "undead_fortitude");
        let test = D20Test {
            why: "undead_fortitude",
            kind: CheckKind::Save,
            roller: Some(creature),
            bonus: creature.con_save(),
            by: Some(By::Target),
            circumstances: Circumstances::default(),
        };
        Ok(test.against(dc, options, tray)?.passed)
    }

    /// `damage_at_0`: kills a monster that was stable. A character dies of the maximum or more, and else
    /// fails a death save, or two by a critical hit (R15). The marks of one who was stable are only the new
    /// ones (R20).
    fn damage_at_0(&self, damage: i32, creature: &mut Creature, options: &Options, tray: &mut Tray<'_, Event>) {
        if damage == 0 {
            return;
        }
        if creature.kind == CreatureKind::Monster {
            return creature.die("monster_death", tray);
        }
        if damage >= creature.max_hp(options) {
            return massive_damage(creature, tray);
        }
        let was_stable = creature.life == Some(Life::Stable);
        let saves = creature.dying().unwrap_or_default();
        let more = if self.critical { 2 } else { 1 };
        let failures = (saves.failures + more).min(DEATH_SAVES);
        tray.event(Event::DeathSaveFailed { failures: more });
        if failures == DEATH_SAVES {
            return creature.die("damage_at_0", tray);
        }
        tray.change("/life", &mut creature.life, Some(Life::Dying(Dying { failures, ..saves })), "damage_at_0");
        if was_stable {
            tray.event(Event::NoLongerStable);
        }
    }
}

/// `knock_out`: 1 HP and unconscious, or, by the rule of 5.1, 0 HP and stable (R22), even if enough was left
/// over to kill (R21).
fn knock_out(creature: &mut Creature, options: &Options, tray: &mut Tray<'_, Event>) {
    let (hp, life) = match options.knock_out {
        KnockOut::At1Hp => (1, Life::KnockedOut),
        KnockOut::StableAt0 => (0, Life::Stable),
    };
    tray.change("/hp", &mut creature.hp, hp, "knock_out");
    if tray.change("/life", &mut creature.life, Some(life), "knock_out") {
        tray.event(Event::KnockedOut);
    }
}

/// A ward leaves 1 HP. Undead Fortitude stays, the others are used up.
fn hold(ward: Ward, rule: &'static str, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    tray.change("/hp", &mut creature.hp, 1, rule);
    if ward != Ward::UndeadFortitude {
        let left = creature.wards.iter().copied().filter(|other| *other != ward).collect();
        tray.change("/wards", &mut creature.wards, left, rule);
    }
    tray.event(Event::WardUsed { ward });
}

/// `massive_damage`: killed outright.
fn massive_damage(creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    tray.event(Event::MassiveDamage);
    creature.die("massive_damage", tray);
}
