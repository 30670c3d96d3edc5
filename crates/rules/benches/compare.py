#!/usr/bin/env python3
"""Sets Scathe's odds against icepool's, in one run on one machine.

Runs the benchmarks in odds.rs, asks icepool the same questions, and asks a service of the release
build over HTTP on loopback. Where both tell a chance exactly, the answers must agree. icepool is
installed below target/. Medians throughout; needs cargo and python3 with venv.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import time
import urllib.parse
from fractions import Fraction
from http.client import HTTPConnection
from pathlib import Path

ICEPOOL = "icepool==2.1.3"
TOP = Path(__file__).resolve().parents[3]
VENV = TOP / "target" / "venv-bench"
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}

# What each benchmark asks, as a request, and how long it may take in process and over HTTP.
GUARDED = {"hd": 10, "hp": 60, "def": 4}
HIT = {"kind": "physical"}
QUESTIONS = {
    "hit_of_8_dice": ("damage", {"target": GUARDED | {"shield": 1}, "hits": [HIT | {"amount": 8}]}, 20e-6, None),
    "hit_of_20_dice": ("damage", {"target": GUARDED | {"shield": 1}, "hits": [HIT | {"amount": 20}]}, None, None),
    "twenty_hits_of_8_dice": (
        "damage",
        {"target": GUARDED | {"shield": 3}, "hits": [HIT | {"amount": 8}] * 20},
        None,
        100e-3,
    ),
    "pool_of_500_dice": ("check", {"kind": "test", "pool": 500, "difficulty": 4}, 50e-3, None),
    "six_rounds_of_dying": (
        "dying-tick",
        {"target": {"hd": 4, "hp": -3, "life": {"downed": {"reserve": 4}}}, "rounds": 6},
        1e-3,
        None,
    ),
}
# How many times as long icepool should take at least.
TIMES = {"hit_of_20_dice": 50}


def in_icepool():
    """The same questions, each with a way or more to ask it: name, way, function.

    Scathe tells apart what the creature lost, the shield dice left and whether a die showed 6, so
    icepool does too.
    """
    from icepool import Die, d6
    from icepool import map as map_dice

    def shield(damage, face):
        off = min(5 if face == 6 else face, damage)
        return (damage - off, face != 6, face == 6) if damage > 0 else (0, False, False)

    def nested(damage):
        return d6.map(lambda face: shield(damage, face))

    def next_hit(lost, dice, kept):
        def one(damage, face):
            left, spent, six = shield(damage, face)
            return lost + left, dice - spent, kept or six

        damage = 8 @ (d6 > 4)
        return map_dice(one, damage, d6) if dice else damage.map(lambda damage: (lost + damage, 0, kept))

    def dying(reserve):
        return d6.map(lambda face: max(reserve - {6: 0, 1: 2}.get(face, 1), 0)) if reserve else 0

    def rounds():
        reserve, told = Die([4]), []
        for _ in range(6):
            reserve = reserve.map(dying)
            told.append(reserve)
        return told

    for dice in (8, 20):
        # The `d6 > 4` of each run is a new die: nothing is remembered from the run before.
        yield f"hit_of_{dice}_dice", "nested map", lambda dice=dice: (dice @ (d6 > 4)).map(nested)
        yield f"hit_of_{dice}_dice", "map of two", lambda dice=dice: map_dice(shield, dice @ (d6 > 4), d6)
        yield f"hit_of_{dice}_dice", "pool", lambda dice=dice: map_dice(shield, (d6 > 4).pool(dice).sum(), d6)
    yield "twenty_hits_of_8_dice", "map of two", lambda: Die([(0, 3, False)]).map(next_hit, repeat=20)
    yield "pool_of_500_dice", "@", lambda: 500 @ (d6 > 4)
    yield "pool_of_500_dice", "pool", lambda: (d6 > 4).pool(500).sum()
    yield "six_rounds_of_dying", "nested map", rounds


def median(ask, seconds=1.0):
    """The median time of a call, over at least 3 calls and about so many seconds."""
    times, until = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < until:
        start = time.perf_counter()
        ask()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def in_process():
    """The medians of the benchmarks in odds.rs, by name."""
    command = ["cargo", "bench", "--quiet", "--package", "scathe-rules", "--bench", "odds"]
    table = subprocess.run(command, cwd=TOP, check=True, stdout=subprocess.PIPE, text=True).stdout
    medians = {}
    for line in table.splitlines():
        if name := re.match(r"[├╰]─ (\w+) ", line):
            number, unit = line.split("│")[2].split()
            medians[name[1]] = float(number) * UNITS[unit]
    return medians


def over_http():
    """The median time of each question over HTTP, and the reply."""
    subprocess.run(["cargo", "build", "--quiet", "--release", "--package", "scathe-server"], cwd=TOP, check=True)
    command = [TOP / "target" / "release" / "scathe", "--listen", "127.0.0.1:0", "--log", "error"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = urllib.parse.urlsplit(service.stdout.readline().split()[-1]).netloc
        connection = HTTPConnection(address)
        answers = {}
        for name, (verb, fields, *_) in QUESTIONS.items():
            body = json.dumps({"ruleset": "akrpg"} | fields)

            def ask():
                connection.request("POST", f"/{verb}/odds", body, {"content-type": "application/json"})
                response = connection.getresponse()
                text = response.read()
                if response.status != 200:
                    sys.exit(f"{name}: {response.status} {text.decode()}")
                return text

            answers[name] = (median(ask), json.loads(ask()))
        connection.close()
        return answers
    finally:
        service.terminate()
        service.wait()


def chances(name, reply):
    """What a reply says as icepool says it, if it is exact."""
    if name == "six_rounds_of_dying":
        return [Fraction(told["ended"]["exact"]) for told in reply["rounds"]]
    if "exact" not in reply["outcomes"][0]:
        return None
    found = {}
    for told in reply["outcomes"]:
        outcome = told["outcome"]
        kept = {"event": "shield_kept"} in told["events"]
        key = outcome["successes"] if name.startswith("pool") else (outcome["hp_lost"], outcome["shield_dice_lost"] > 0, kept)
        found[key] = found.get(key, 0) + Fraction(told["exact"])
    return found


def same(name, reply, dice):
    """Whether both say the same, or nothing where the reply is not exact."""
    exact = chances(name, reply)
    if exact is None:
        return None
    if name == "six_rounds_of_dying":
        return exact == [die.probability(0) for die in dice]
    return exact == {outcome: dice.probability(outcome) for outcome in dice}


def shown(seconds):
    unit = next((unit for unit, size in reversed(UNITS.items()) if seconds >= size), "ns")
    return f"{seconds / UNITS[unit]:.3g} {unit}"


def verdict(measured, bound):
    return "" if bound is None else f"  (target {shown(bound)}: {'met' if measured <= bound else 'MISSED'})"


def compare():
    here, there = in_process(), over_http()
    disagree = False
    for name, (_, _, bound, http_bound) in QUESTIONS.items():
        http, reply = there[name]
        print(f"\n{name}")
        print(f"  in process   {shown(here[name]):>9}{verdict(here[name], bound)}")
        print(f"  over HTTP    {shown(http):>9}{verdict(http, http_bound)}")
        for _, way, ask in (asked for asked in in_icepool() if asked[0] == name):
            taken, agreed = median(ask), same(name, reply, ask())
            answer = {True: "the same answer", False: "ANOTHER ANSWER", None: "too long to be told exactly"}[agreed]
            times, target = taken / here[name], TIMES.get(name)
            met = "" if target is None else f"  (target {target} times: {'met' if times >= target else 'MISSED'})"
            print(f"  icepool      {shown(taken):>9}  {times:6.0f} times  {way}; {answer}{met}")
            disagree |= agreed is False
    for name in here.keys() - QUESTIONS.keys():
        print(f"\n{name}\n  in process   {shown(here[name]):>9}")
    return disagree


if __name__ == "__main__":
    if Path(sys.prefix) != VENV:
        if not VENV.exists():
            subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        python = VENV / "bin" / "python"
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ICEPOOL]
        subprocess.run(pip, check=True)
        os.execv(python, [python, __file__])
    sys.exit(compare())
