//! Wounds: when damage makes one, the shock test, what it brings at once and what it brings later.

use serde::Serialize;
use utoipa::ToSchema;

use super::attack::{Attack, ComponentOutcome, HeadLoss};
use super::check::{Test, die, own_target_number, test, told};
use super::conditions::{Condition, Gained};
use super::creature::{Creature, TestModifier, bonus, moved};
use super::locations::{Location, Part};
use super::traits::{DamageType, resistance_weakness};
use super::wound::Wound;
use super::{Event, Options, WoundRule};
use crate::check::{POINTS, RATING};
use crate::dice::{By, Stop};
use crate::ruleset;
use crate::tray::{Line, Tray};

/// `side_effect`: what a point of Resistance adds to the side test, and a point of Weakness takes off
/// (W). By the alternate wound rule Tough and Bleeding weigh as much on the shock test (W).
const A_POINT: i32 = 10;

/// What a wound did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[schema(as = uesrpg::WoundOutcome)]
pub struct WoundOutcome {
    /// The shock test.
    pub shock_test: Test,
    /// The test against burning or being dazed; `null` when the wound calls for none.
    pub side_test: Option<Test>,
    /// What the wound brought at once, in the order of the book.
    pub effects: Vec<Effect>,
    /// What wounds add to the creature's tests from now on.
    pub test_modifier: i32,
    /// What wounds add to the creature's later initiative rolls.
    pub initiative_modifier: i32,
}

/// What a wound brings at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = uesrpg::Effect)]
pub enum Effect {
    /// Body: an action point is lost.
    ActionPointLost,
    /// Body, with no action point left: one less at the next refresh.
    ActionPointDebt,
    /// Body, shock test failed: the body is crippled.
    CrippledBody,
    /// Limb: it is crippled.
    CrippledLimb,
    /// Limb, shock test failed: it is lost.
    LostLimb,
    /// Head: stunned for a round.
    Stunned,
    /// Head, shock test failed: an ear is lost.
    LostEar,
    /// Head, shock test failed: an eye is lost.
    LostEye,
    /// Head, shock test failed: an ear or an eye is lost, and the table says which.
    HeadLossDue,
    /// Fire, side test failed: burning, one more.
    Burning,
    /// Frost, side test failed: dazed.
    Dazed,
    /// Poison: a stamina point is lost.
    StaminaLost,
    /// Shock or magic: magicka points are lost.
    MagickaLost,
}

impl Effect {
    /// The effect in a sentence; nothing for an effect that is a number of the sheet moving.
    fn sentence(self, location: Location) -> Option<String> {
        match self {
            Self::CrippledBody | Self::CrippledLimb => Some(format!("The {} is crippled.", location.name())),
            Self::LostLimb => Some(format!("The {} is lost.", location.name())),
            Self::Stunned => Some("The creature is stunned for a round.".to_owned()),
            Self::LostEar => Some("An ear is lost.".to_owned()),
            Self::LostEye => Some("An eye is lost.".to_owned()),
            Self::HeadLossDue => Some("An ear or an eye is lost: the table says which.".to_owned()),
            Self::Dazed => Some("The creature is dazed until the table ends it.".to_owned()),
            Self::ActionPointLost | Self::ActionPointDebt | Self::Burning | Self::StaminaLost | Self::MagickaLost => {
                None
            }
        }
    }
}

impl WoundOutcome {
    /// What the wound did, in sentences: the tests, then what it brought, numbers before and after.
    pub fn sentences(
        &self,
        location: Location,
        components: &[ComponentOutcome],
        damage: i32,
        before: &Creature,
        after: &Creature,
        log: &[Line],
    ) -> String {
        let mut tests = vec![format!("the shock test {}", told(self.shock_test, "shock_test", log))];
        if let Some(side_test) = self.side_test {
            let burns = cause(components).is_some_and(|cause| cause.kind == DamageType::Fire);
            let name = if burns { "Agility test against the fire" } else { "Endurance test against the frost" };
            tests.push(format!("the {name} {}", told(side_test, "side_effect", log)));
        }
        let mut said = vec![format!("A wound of {damage}: {}.", tests.join("; "))];
        said.extend(self.effects.iter().filter_map(|effect| effect.sentence(location)));
        let numbers = [
            moved("action points", before.action_points, after.action_points),
            moved("action point debt", before.action_point_debt, after.action_point_debt),
            moved("stamina", before.stamina(), after.stamina()),
            moved("magicka", before.magicka_points, after.magicka_points),
            moved("Burning", before.conditions.burning, after.conditions.burning),
        ];
        let numbers: Vec<String> = numbers.into_iter().flatten().collect();
        if !numbers.is_empty() {
            said.push(format!("It changes {}.", numbers.join(", ")));
        }
        said.join(" ")
    }
}

/// Whether an attack wounds. `wound`: its damage, all parts together, is in excess of the wound
/// threshold (R1), whatever HP were left (R3). `alternate_wound`: damage of a critical attack got
/// through, or the attack brought HP from above 0 to 0. `hp`: before the attack. The dead take no
/// wounds.
pub fn is_wound(
    attack: &Attack,
    damage: i32,
    hp: i32,
    creature: &Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> bool {
    if ruleset::Creature::is_dead(creature) {
        return false;
    }
    match options.wound_rule {
        WoundRule::Threshold => {
            let mut together = 0;
            tray.step("damage", &mut together, damage, "wound");
            together > wound_threshold(creature, tray)
        }
        WoundRule::Alternate => damage > 0 && (attack.critical || (hp > 0 && damage >= hp)),
    }
}

/// `wound`: the wound threshold: what the sheet says, else the strength, endurance and willpower
/// bonus together, and Tough on top (W). Bleeding and a crippled body take 1 off each, not below 0 (W).
fn wound_threshold(creature: &Creature, tray: &mut Tray<'_, Event>) -> i32 {
    let bonuses = bonus(creature.strength) + bonus(creature.endurance) + bonus(creature.willpower);
    let mut threshold = 0;
    tray.step("wound_threshold", &mut threshold, creature.wound_threshold.unwrap_or(bonuses), "wound");
    if creature.wound_threshold.is_none() && creature.tough() > 0 {
        let raised = threshold + creature.tough();
        tray.step("wound_threshold", &mut threshold, raised, "wound");
    }
    for lowered in [creature.conditions.bleeding > 0, creature.is_crippled(Location::Body)] {
        if lowered {
            let less = (threshold - 1).max(0);
            tray.step("wound_threshold", &mut threshold, less, "wound");
        }
    }
    threshold
}

/// A wound: recorded, then shock test, shock effects and side effect. The tests that it calls for
/// feel the wounds from before, not the new one (R17).
pub fn wound(
    attack: &Attack,
    location: Location,
    components: &[ComponentOutcome],
    damage: i32,
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<WoundOutcome, Stop> {
    let before = creature.test_modifier(options);
    record(location, components, damage, creature, options, tray);
    let shock_test = shock_test(before, creature, options, tray)?;
    let mut effects = shock_effects(location, shock_test.passed, attack.head_loss, creature, tray);
    let side_test = side_effect(components, before, creature, &mut effects, tray)?;
    Ok(WoundOutcome {
        shock_test,
        side_test,
        effects,
        test_modifier: creature.test_modifier(options).sum(),
        initiative_modifier: creature.initiative_modifier(options),
    })
}

/// `wound`, `alternate_wound`: the damage and the hit location are written down. Its type is that of
/// the attack's largest part, the first of them in a tie.
fn record(
    location: Location,
    components: &[ComponentOutcome],
    damage: i32,
    creature: &mut Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) {
    let rule = match options.wound_rule {
        WoundRule::Threshold => "wound",
        WoundRule::Alternate => "alternate_wound",
    };
    let kind = largest(components, |_| true).map_or(DamageType::Physical, |largest| largest.kind);
    let mut wounds = creature.wounds.clone();
    wounds.push(Wound::new(location, damage, kind));
    tray.change("/wounds", &mut creature.wounds, wounds, rule);
    tray.event(Event::Wounded { location, damage });
}

/// The largest part of an attack among some types that got through, the first in a tie.
fn largest(components: &[ComponentOutcome], among: impl Fn(DamageType) -> bool) -> Option<&ComponentOutcome> {
    let through = components.iter().filter(|part| part.taken > 0 && among(part.kind));
    through.rev().max_by_key(|part| part.taken)
}

/// `shock_test`: an Endurance test. By the alternate wound rule Tough helps and Bleeding hinders (W).
fn shock_test(
    wounds: TestModifier,
    creature: &Creature,
    options: &Options,
    tray: &mut Tray<'_, Event>,
) -> Result<Test, Stop> {
    let mut target_number = own_target_number(creature.endurance, wounds, tray);
    if options.wound_rule == WoundRule::Alternate {
        if creature.tough() > 0 {
            let helped = target_number + A_POINT * creature.tough();
            tray.step("target_number", &mut target_number, helped, "alternate_wound");
        }
        if creature.conditions.bleeding > 0 {
            let hindered = target_number - A_POINT;
            tray.step("target_number", &mut target_number, hindered, "alternate_wound");
        }
    }
    test(target_number, Some(creature), die("shock_test").by(By::Target), tray)
}

/// `shock_effects`: what the location suffers, and what a failed shock test adds.
fn shock_effects(
    location: Location,
    passed: bool,
    head_loss: Option<HeadLoss>,
    creature: &mut Creature,
    tray: &mut Tray<'_, Event>,
) -> Vec<Effect> {
    let mut effects = Vec::new();
    match location {
        Location::Body => {
            effects.push(lose_action_point(creature, tray));
            if !passed && !creature.is_undead() {
                cripple(location, creature, tray);
                effects.push(Effect::CrippledBody);
            }
        }
        Location::Head => {
            if !creature.has_thick_skull() {
                stun(creature, tray);
                effects.push(Effect::Stunned);
            }
            if !passed {
                effects.extend(lose_head_part(head_loss, creature, tray));
            }
        }
        Location::RightLeg | Location::LeftLeg | Location::RightArm | Location::LeftArm => {
            cripple(location, creature, tray);
            effects.push(Effect::CrippledLimb);
            if let Some(limb) = location.limb().filter(|_| !passed) {
                effects.extend(lose_part(limb, creature, tray).then_some(Effect::LostLimb));
            }
        }
    }
    effects
}

/// Body: an action point, or with none left one at the next refresh.
fn lose_action_point(creature: &mut Creature, tray: &mut Tray<'_, Event>) -> Effect {
    if creature.action_points > 0 {
        let left = creature.action_points - 1;
        tray.change("/action_points", &mut creature.action_points, left, "shock_effects");
        Effect::ActionPointLost
    } else {
        let debt = (creature.action_point_debt + 1).min(POINTS);
        tray.change("/action_point_debt", &mut creature.action_point_debt, debt, "shock_effects");
        Effect::ActionPointDebt
    }
}

/// A location is crippled. A crippled body lowers the maximum of stamina points, and the points left
/// with it (W).
fn cripple(location: Location, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    if creature.is_crippled(location) {
        return;
    }
    let mut crippled = creature.conditions.crippled.clone();
    crippled.push(location);
    tray.change("/conditions/crippled", &mut creature.conditions.crippled, crippled, "shock_effects");
    tray.event(Event::Crippled { location });
    if location == Location::Body {
        let stamina = creature.stamina().min(creature.max_stamina());
        tray.change("/stamina_points", &mut creature.stamina_points, Some(stamina), "shock_effects");
    }
}

/// Head: stunned for a round; action points are gone at once (W).
fn stun(creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    let stunned = creature.conditions.stunned.max(1);
    tray.change("/conditions/stunned", &mut creature.conditions.stunned, stunned, "shock_effects");
    tray.change("/action_points", &mut creature.action_points, 0, "stunned");
    tray.event(Event::Stunned);
}

/// Head, shock test failed: an ear or an eye, as the attack says; where it does not, the table does.
/// Nothing if there is none left of it.
fn lose_head_part(head_loss: Option<HeadLoss>, creature: &mut Creature, tray: &mut Tray<'_, Event>) -> Option<Effect> {
    match head_loss {
        Some(HeadLoss::Ear) => lose_part(Part::Ear, creature, tray).then_some(Effect::LostEar),
        Some(HeadLoss::Eye) => lose_part(Part::Eye, creature, tray).then_some(Effect::LostEye),
        None if creature.conditions.can_lose(Part::Ear) || creature.conditions.can_lose(Part::Eye) => {
            tray.event(Event::HeadLossDue);
            Some(Effect::HeadLossDue)
        }
        None => None,
    }
}

/// A part is lost for good, if there is one left to lose. Answers whether there was.
fn lose_part(location: Part, creature: &mut Creature, tray: &mut Tray<'_, Event>) -> bool {
    if !creature.conditions.can_lose(location) {
        return false;
    }
    let mut lost = creature.conditions.lost.clone();
    lost.push(location);
    tray.change("/conditions/lost", &mut creature.conditions.lost, lost, "shock_effects");
    tray.event(Event::Lost { location });
    true
}

/// `side_effect`: the part of an attack whose type decides, the largest magic part that got through (W).
fn cause(components: &[ComponentOutcome]) -> Option<&ComponentOutcome> {
    largest(components, |kind| kind != DamageType::Physical)
}

/// `side_effect`: what magic damage adds, by the type of the largest magic part that got through (W).
/// Undead feel no poison (W). Undead and thick skulls are never dazed (W), so that needs no test.
fn side_effect(
    components: &[ComponentOutcome],
    wounds: TestModifier,
    creature: &mut Creature,
    effects: &mut Vec<Effect>,
    tray: &mut Tray<'_, Event>,
) -> Result<Option<Test>, Stop> {
    let Some(cause) = cause(components) else {
        return Ok(None);
    };
    let undead = creature.is_undead();
    match cause.kind {
        DamageType::Fire => {
            let side_test = side_test(cause.kind, creature.agility, wounds, creature, tray)?;
            if !side_test.passed {
                let burning = (creature.conditions.burning + 1).min(RATING);
                tray.change("/conditions/burning", &mut creature.conditions.burning, burning, "side_effect");
                tray.event(Event::Burning);
                effects.push(Effect::Burning);
            }
            Ok(Some(side_test))
        }
        DamageType::Frost if !undead && !creature.has_thick_skull() => {
            let side_test = side_test(cause.kind, creature.endurance, wounds, creature, tray)?;
            if !side_test.passed {
                if tray.change("/conditions/dazed", &mut creature.conditions.dazed, true, "side_effect") {
                    tray.event(Event::Dazed);
                }
                effects.push(Effect::Dazed);
            }
            Ok(Some(side_test))
        }
        DamageType::Poison if !undead => {
            let stamina = (creature.stamina() - 1).max(0);
            if tray.change("/stamina_points", &mut creature.stamina_points, Some(stamina), "side_effect") {
                effects.push(Effect::StaminaLost);
            }
            Ok(None)
        }
        DamageType::Shock | DamageType::Magic => {
            // The damage inflicted is what this part did after armour (R20).
            let magicka = (creature.magicka_points - cause.taken).max(0);
            if tray.change("/magicka_points", &mut creature.magicka_points, magicka, "side_effect") {
                effects.push(Effect::MagickaLost);
            }
            Ok(None)
        }
        DamageType::Frost | DamageType::Poison | DamageType::Shadow | DamageType::Physical => Ok(None),
    }
}

/// The test against a side effect: a point of Resistance makes it 10 easier, of Weakness 10 harder (W).
fn side_test(
    kind: DamageType,
    score: i32,
    wounds: TestModifier,
    creature: &Creature,
    tray: &mut Tray<'_, Event>,
) -> Result<Test, Stop> {
    let mut target_number = own_target_number(score, wounds, tray);
    let (resistance, weakness) = resistance_weakness(&creature.traits, kind);
    if resistance > 0 || weakness > 0 {
        let modified = target_number + A_POINT * (resistance - weakness);
        tray.step("target_number", &mut target_number, modified, "side_effect");
    }
    test(target_number, Some(creature), die("side_effect").by(By::Target), tray)
}

/// `blood_loss`: the clock of each wound goes down by one, at the end of the creature's own turn (R9).
/// A clock that runs out brings HP to 0, once. A suspended wound's suspension goes down instead. What
/// was `gained` in this very turn stays as it is (R27). Returns the HP lost.
pub fn blood_loss(gained: &[Gained], creature: &mut Creature, tray: &mut Tray<'_, Event>) -> i32 {
    if creature.is_undead() {
        return 0;
    }
    let mut wounds = creature.wounds.clone();
    let newest = wounds.len().saturating_sub(1);
    let (mut run_out, mut resumed) = (false, Vec::new());
    for (index, wound) in wounds.iter_mut().enumerate().filter(|(_, wound)| !wound.first_aid) {
        if wound.suspended_rounds > 0 {
            if !gained.contains(&Gained::Suspended) {
                wound.suspended_rounds -= 1;
                resumed.extend((wound.suspended_rounds == 0).then_some(wound.location));
            }
        } else if wound.rounds_left > 0 && !(index == newest && gained.contains(&Gained::Wounded)) {
            wound.rounds_left -= 1;
            run_out |= wound.rounds_left == 0;
        }
    }
    tray.change("/wounds", &mut creature.wounds, wounds, "blood_loss");
    for location in resumed {
        tray.event(Event::DelayEnded { location });
    }
    let hp = creature.hp;
    if !run_out || hp == 0 {
        return 0;
    }
    tray.change("/hp", &mut creature.hp, 0, "blood_loss");
    tray.event(Event::BledOut);
    creature.fall(tray);
    hp
}

/// The shortest clock and the shortest delay of the wounds without first aid, in words, if they moved. A
/// turn's end neither adds wounds nor takes any away.
pub fn clocks(before: &Creature, after: &Creature) -> Vec<String> {
    let open: Vec<(&Wound, &Wound)> =
        before.wounds.iter().zip(&after.wounds).filter(|(was, _)| !was.first_aid).collect();
    let running = open.iter().filter(|(was, _)| was.suspended_rounds == 0 && was.rounds_left > 0);
    let delayed = open.iter().filter(|(was, _)| was.suspended_rounds > 0);
    let clock = running.map(|(was, is)| (was.rounds_left, is.rounds_left)).min();
    let delay = delayed.map(|(was, is)| (was.suspended_rounds, is.suspended_rounds)).min();
    let clock = clock.and_then(|(was, is)| moved("rounds to blood loss", was, is));
    let delay = delay.and_then(|(was, is)| moved("rounds of delay", was, is));
    clock.into_iter().chain(delay).collect()
}

/// `suspend`: magical healing delays each wound without first aid, a round for each HP that it really
/// restored (R21). The wounds of undead have neither passive effects nor a clock to delay (W).
pub fn suspend(restored: i32, creature: &mut Creature, tray: &mut Tray<'_, Event>) {
    if creature.is_undead() {
        return;
    }
    let mut wounds = creature.wounds.clone();
    for wound in wounds.iter_mut().filter(|wound| !wound.first_aid) {
        wound.suspended_rounds = (wound.suspended_rounds + restored).min(RATING);
    }
    tray.change("/wounds", &mut creature.wounds, wounds, "suspend");
}

/// `cure` (W): HP really regained count for every treated wound. A wound that has regained its damage
/// is gone, and what it crippled works again unless another wound is there still (R23); what is lost
/// stays lost. Returns how many wounds were cured.
pub fn regain(restored: i32, creature: &mut Creature, tray: &mut Tray<'_, Event>) -> i32 {
    let mut wounds = creature.wounds.clone();
    for wound in wounds.iter_mut().filter(|wound| wound.treated) {
        wound.regained = (wound.regained + restored).min(POINTS);
    }
    let (cured, left): (Vec<Wound>, Vec<Wound>) =
        wounds.into_iter().partition(|wound| wound.treated && wound.regained >= wound.damage);
    let healed = |location: &Location| {
        let at = |wound: &Wound| wound.location == *location;
        cured.iter().any(at) && !left.iter().any(at)
    };
    let (works, crippled): (Vec<Location>, Vec<Location>) =
        creature.conditions.crippled.iter().partition(|location| healed(location));
    tray.change("/wounds", &mut creature.wounds, left, "cure");
    tray.change("/conditions/crippled", &mut creature.conditions.crippled, crippled, "cure");
    for _ in &cured {
        tray.event(Event::WoundCured);
    }
    for location in works {
        let body = location == Location::Body;
        let condition = if body { Condition::CrippledBody } else { Condition::CrippledLimb };
        tray.event(Event::ConditionEnded { condition });
    }
    // At most 100 wounds.
    i32::try_from(cured.len()).unwrap_or(i32::MAX)
}
