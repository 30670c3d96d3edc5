"""A damage roll of Arknights The Roleplaying Game in FastAPI, for compare.py: the same rule, reply and log,
written by hand."""

import random
import secrets
from typing import Annotated, Literal

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, ConfigDict, Field

Rating = Annotated[int, Field(ge=0, le=1000)]
Defence = Annotated[int, Field(ge=-1000, le=1000)]
Face = Annotated[int, Field(ge=1, le=1000)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Downed(Strict):
    reserve: Annotated[int, Field(ge=1, le=100)]


class IsDowned(Strict):
    downed: Downed


class Creature(Strict):
    hd: Annotated[int, Field(ge=1, le=100)]
    hp: Annotated[int, Field(ge=-1_000_000, le=600)]
    barrier: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    shield: Rating = 0
    def_: Annotated[Defence, Field(alias="def")] = 0
    res: Defence = 0
    dot: Annotated[list[Annotated[int, Field(ge=1, le=6)]], Field(max_length=100)] = []
    sanctuary: Rating = 0
    fragility: Rating = 0
    decaying: Annotated[list[Literal["sanctuary", "fragility"]], Field(max_length=2)] = []
    elemental_injury: bool = False
    wounded: Rating = 0
    life: Literal["up", "dead"] | IsDowned = "up"


class Hit(Strict):
    kind: Literal["physical", "arts", "true", "elemental"]
    amount: Rating
    armor_piercing: Rating = 0


class Request(Strict):
    ruleset: Literal["akrpg"]
    target: Creature
    hits: Annotated[list[Hit], Field(min_length=1, max_length=100)]
    dice: Annotated[list[Face], Field(max_length=10_000)] | None = None


class Dealt(BaseModel):
    kind: str
    rolled: int
    pierced: int
    modified: int
    shielded: int = 0
    barrier_lost: int = 0
    hp_lost: int = 0


class Outcome(BaseModel):
    hits: list[Dealt]
    barrier_lost: int
    hp_lost: int
    shield_dice_lost: int


class Reply(BaseModel):
    ruleset: str
    target: Creature
    outcome: Outcome
    events: list[dict]
    dice: list[int]
    seed: str | None
    summary: str
    log: list[dict]


class Tray:
    """Throws dice, or takes those given, and writes everything down."""

    def __init__(self, creature, given):
        self.creature, self.given, self.dice, self.log, self.events = creature, given, [], [], []

    def throw(self, why, by, count):
        if self.given is None:
            faces = [random.randint(1, 6) for _ in range(count)]
        else:
            faces = self.given[len(self.dice) : len(self.dice) + count]
            if len(faces) < count or max(faces, default=1) > 6:
                raise HTTPException(422, f"throw {count} dice of 6 sides for {why}")
        self.dice += faces
        if faces:
            self.log.append({"kind": "roll", "for": why, "by": by, "sides": 6, "faces": faces})
        return faces

    def step(self, what, before, after, rule):
        self.log.append({"kind": "step", "what": what, "from": before, "to": after, "rule": rule})
        return after

    def change(self, field, after, rule):
        name = "def_" if field == "def" else field
        before = getattr(self.creature, name)
        if before != after:
            self.log.append({"kind": "change", "field": f"/{field}", "from": before, "to": after, "rule": rule})
            setattr(self.creature, name, after)

    def event(self, event):
        self.events.append({"event": event})


def damage_roll(hit, tray):
    creature, difficulty = tray.creature, tray.creature.res
    if hit.kind == "physical":
        difficulty = creature.def_
        if hit.armor_piercing:
            lowered = difficulty if difficulty <= 0 else max(difficulty - hit.armor_piercing, 1)
            difficulty = tray.step("def", difficulty, lowered, "armor_piercing")
    if difficulty <= 0:
        return 0, tray.step("damage", hit.amount, hit.amount, "damage_roll")
    faces = tray.throw("damage_roll", "attacker", hit.amount if difficulty < 6 else 0)
    return len(faces), tray.step("damage", hit.amount, sum(face > difficulty for face in faces), "damage_roll")


def shield(damage, tray):
    creature = tray.creature
    if damage <= 0 or creature.shield <= 0:
        return 0
    [face] = tray.throw("shield", "target", 1)
    off = min(5 if face == 6 else face, damage)
    tray.step("damage", damage, damage - off, "shield")
    if face == 6:
        tray.event("shield_kept")
    else:
        tray.change("shield", creature.shield - 1, "shield")
        tray.event("shield_spent")
    return off


def deal(hit, tray):
    creature, rolled, damage = tray.creature, 0, hit.amount
    if hit.kind in ("physical", "arts"):
        rolled, damage = damage_roll(hit, tray)
    elif hit.kind == "elemental":
        damage = tray.step("damage", damage, damage if creature.elemental_injury else 0, "elemental_damage")
        if not creature.elemental_injury:
            tray.event("no_elemental_injury")
            return Dealt(kind=hit.kind, rolled=0, pierced=0, modified=0)
    else:
        tray.step("damage", damage, damage, "true_damage")
    pierced = damage
    if hit.kind != "true" and (creature.fragility or creature.sanctuary):
        modified = max(damage + creature.fragility - creature.sanctuary, 0) if damage else 0
        damage = tray.step("damage", damage, modified, "damage_modifiers")
    dealt = Dealt(kind=hit.kind, rolled=rolled, pierced=pierced, modified=damage)
    dealt.shielded = shield(damage, tray)
    damage -= dealt.shielded
    if creature.barrier:
        dealt.barrier_lost = min(creature.barrier, damage)
        damage = tray.step("damage", damage, damage - dealt.barrier_lost, "barrier")
        tray.change("barrier", creature.barrier - dealt.barrier_lost, "barrier")
        if dealt.barrier_lost and not creature.barrier:
            tray.event("barrier_broken")
    before = creature.hp
    tray.change("hp", max(before - damage, -1_000_000), "health")
    dealt.hp_lost = before - creature.hp
    if creature.hp <= 0 and creature.life == "up":
        tray.log.append({"kind": "change", "field": "/life", "from": "up", "to": {"downed": {"reserve": creature.hd}}, "rule": "downed"})
        creature.life = IsDowned(downed=Downed(reserve=creature.hd))
        tray.event("downed")
    return dealt


def sentence(hit, dealt, before):
    said = []
    if hit.kind in ("physical", "arts"):
        said.append(f"{dealt.pierced} {'pierces' if dealt.pierced == 1 else 'pierce'}")
    if hit.kind == "elemental" and dealt.pierced < hit.amount:
        said.append("no elemental injury")
    if dealt.modified != dealt.pierced:
        said.append(f"{dealt.modified} after fragility and sanctuary")
    if dealt.shielded:
        said.append(f"the shield takes {dealt.shielded}")
    if dealt.barrier_lost:
        said.append(f"the barrier takes {dealt.barrier_lost}")
    said.append(f"{dealt.hp_lost} HP lost ({before} → {before - dealt.hp_lost})" if dealt.hp_lost else "no HP lost")
    return f"{hit.amount} {hit.kind} damage: {', '.join(said)}."


app = FastAPI()


@app.post("/damage", response_model_exclude_none=True)
async def damage(request: Request) -> Reply:
    tray = Tray(request.target, request.dice)
    creature, shield_dice, hp = tray.creature, tray.creature.shield, tray.creature.hp
    hits, sentences = [], []
    for hit in request.hits:
        dealt = deal(hit, tray)
        hits.append(dealt)
        sentences.append(sentence(hit, dealt, hp))
        hp -= dealt.hp_lost
    if {"event": "downed"} in tray.events:
        sentences.append("Downed!")
    if request.dice is not None and len(request.dice) > len(tray.dice):
        raise HTTPException(422, "a die that nobody asked for")
    return Reply(
        ruleset="akrpg",
        target=creature,
        outcome=Outcome(
            hits=hits,
            barrier_lost=sum(hit.barrier_lost for hit in hits),
            hp_lost=sum(hit.hp_lost for hit in hits),
            shield_dice_lost=shield_dice - creature.shield,
        ),
        events=tray.events,
        dice=tray.dice,
        seed=secrets.token_hex(16) if request.dice is None else None,
        summary=" ".join(sentences),
        log=tray.log,
    )
