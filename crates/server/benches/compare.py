#!/usr/bin/env python3
"""Sets the service beside a bare axum echo of the same JSON, and beside the same rule by hand in FastAPI and in
Fastify, in one run on one machine; prints one table.

It needs cargo, wrk, python3 with venv, node and npm. The peers are in peers/; their libraries are installed below
target/. Everything listens on free ports of the loopback interface and is ended by its id. wrk holds 64
connections and sends the next call as soon as a reply is there; every round calls each server in turn, in
alternating order, and what is compared is compared within a round. The column `p99, half` is the 99th percentile
at half of that throughput, by peers/open_loop.rs: calls come at their moments, whether or not the one before was
answered. CPU is that of the server's processes. Medians throughout.
"""

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from load import TOP, load

PEERS = Path(__file__).resolve().parent / "peers"
INSTALLED = TOP / "target" / "peers"
PYTHON = ["fastapi==0.165.0", "httptools==0.9.0", "pydantic==2.14.4", "uvicorn==0.55.0", "uvloop==0.23.0"]
NODE = ["fastify@5.12.8"]
RELEASE = TOP / "target" / "release"
PROCESSORS = os.cpu_count()
CONNECTIONS = 64
STARTS = 9

# The README's first request, and one hit of each other kind: peers must answer them as the service does.
FIRST = {
    "ruleset": "akrpg",
    "target": {"hd": 2, "hp": 12, "shield": 1, "def": 3},
    "hits": [{"kind": "physical", "amount": 3}],
    "dice": [6, 5, 1, 1],
}
GUARDED = {"hd": 4, "hp": 5, "res": 2, "shield": 1, "barrier": 2, "fragility": 2}
KINDS = [{"kind": "arts", "amount": 2}, {"kind": "elemental", "amount": 1}, {"kind": "true", "amount": 12}]
ASKED = [FIRST, FIRST | {"target": GUARDED, "hits": KINDS, "dice": [5, 1, 6, 2]}]
EIGHT_DICE = {
    "ruleset": "akrpg",
    "target": {"hd": 10, "hp": 60, "shield": 1, "def": 4},
    "hits": [{"kind": "physical", "amount": 8}],
}


def install():
    if not (INSTALLED / "bin").exists():
        subprocess.run([sys.executable, "-m", "venv", INSTALLED], check=True)
    subprocess.run([INSTALLED / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *PYTHON], check=True)
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", INSTALLED, *NODE], check=True)
    build = ["cargo", "build", "--quiet", "--release", "--package", "scathe-server", "--bins", "--examples"]
    subprocess.run(build, cwd=TOP, check=True)


class Server:
    """A server of one or more processes, started by `command` with its address or port filled in."""

    def __init__(self, name, command, path, body):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.name, self.address = name, f"127.0.0.1:{port}"
        command = [str(part).format(address=self.address, port=port) for part in command]
        environment = os.environ | {"NODE_PATH": str(INSTALLED / "node_modules"), "PYTHONDONTWRITEBYTECODE": "1"}
        begun = time.perf_counter()
        with open(INSTALLED / f"{name}.log", "w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
        while not self.answers(path, body):
            if self.process.poll() is not None:
                sys.exit(f"{name} ended at once")
        self.start = time.perf_counter() - begun
        self.at_rest = self.memory()

    def ask(self, path, body):
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"http://{self.address}{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=10) as reply:
            return json.load(reply)

    def answers(self, path, body):
        try:
            return self.ask(path, body)
        except urllib.error.HTTPError:
            raise
        except OSError:
            return time.sleep(0.0005)

    def processes(self):
        """The process and all that it started: its session."""
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if os.getsid(int(path.name)) == self.process.pid:
                    yield path
            except ProcessLookupError:
                pass

    def cpu(self):
        """Seconds of all processes together."""
        times = ((path / "stat").read_text().rsplit(")", 1)[1].split() for path in self.processes())
        return sum(int(time[11]) + int(time[12]) for time in times) / os.sysconf("SC_CLK_TCK")

    def memory(self, which="VmRSS"):
        """Megabytes of all processes together: resident now (`VmRSS`) or at most (`VmHWM`)."""
        texts = ((path / "status").read_text() for path in self.processes())
        return sum(int(text.split(f"{which}:", 1)[1].split()[0]) for text in texts) / 1024

    def end(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(30)


class Call:
    """One request to one server, called again and again."""

    def __init__(self, name, server, path, body, against=None):
        self.name, self.server, self.path, self.body, self.against, self.runs = name, server, path, body, against, []
        server.ask(path, body)

    def run(self, seconds):
        before = self.server.cpu()
        requests, rate, median, slow = load(self.server.address, self.path, self.body, seconds, CONNECTIONS)
        self.runs.append((rate, median, slow, (self.server.cpu() - before) / requests * 1e6))

    def median(self, which):
        return statistics.median(run[which] for run in self.runs)

    def times(self, which):
        """How many times as much as `against`, round by round."""
        pairs = zip(self.runs, self.against.runs, strict=True)
        return statistics.median(mine[which] / other[which] for mine, other in pairs)

    def at_half_load(self, seconds):
        with tempfile.NamedTemporaryFile("w") as body:
            json.dump(self.body, body)
            body.flush()
            rate = str(self.median(0) / 2)
            command = [RELEASE / "examples/open_loop", self.server.address, self.path, body.name, rate, str(seconds)]
            return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[1])


def examples(scathe):
    """A damage request of each game that has the service throw, from the document."""
    with urllib.request.urlopen(f"http://{scathe.address}/openapi.json") as reply:
        body = json.load(reply)["paths"]["/damage"]["post"]["requestBody"]["content"]["application/json"]
    for game, example in body["examples"].items():
        yield game, {key: value for key, value in example["value"].items() if key != "dice"}


def bare(request):
    """The same request as the echo's types take it."""
    common = {key: request[key] for key in ("ruleset", "target")}
    return common | {"action": {key: value for key, value in request.items() if key not in common}}


def alone_calls(requests):
    """Exact odds, and the same call with 1 to the most of its entries."""
    yield "akrpg, odds of 8 dice", "/damage/odds", EIGHT_DICE
    hit, attack = requests["akrpg"], requests["uesrpg"]
    for count in (1, 10, 100):
        yield f"akrpg, hits: {count}", "/damage", hit | {"hits": hit["hits"] * count}
    for count in (1, 10, 100):
        components = attack["attack"]["components"][:1] * count
        yield f"uesrpg, components: {count}", "/damage", attack | {"attack": attack["attack"] | {"components": components}}
    for count in (1, 16, 256):
        yield f"akrpg, batch: {count}", "/batch", {"operations": [{"verb": "damage", "request": hit}] * count}


def agree(scathe, peers):
    for asked in ASKED:
        right = scathe.ask("/damage", asked)
        for peer in peers:
            told = peer.ask("/damage", asked)
            if told.keys() != right.keys() or any(told[key] != right[key] for key in told):
                sys.exit(f"{peer.name} is wrong: {json.dumps(told)}\nright is: {json.dumps(right)}")


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def measure(rounds, seconds):
    uvicorn = [INSTALLED / "bin/uvicorn", "hit:app", "--app-dir", PEERS, "--workers", PROCESSORS, "--no-access-log"]
    commands = {
        "Scathe": [RELEASE / "scathe", "--listen", "{address}"],
        "axum": [RELEASE / "examples/echo", "{address}"],
        "FastAPI": [*uvicorn, "--port", "{port}"],
        "Fastify": ["node", PEERS / "hit.cjs", "{port}"],
    }
    firsts = {"axum": ("/akrpg", bare({key: FIRST[key] for key in FIRST if key != "dice"}))}
    servers, starts = {}, {}
    try:
        for name, command in commands.items():
            starts[name] = []
            for _ in range(STARTS):
                servers[name] = Server(name, command, *firsts.get(name, ("/damage", FIRST)))
                starts[name].append(servers[name].start)
                if len(starts[name]) < STARTS:
                    servers.pop(name).end()
        scathe, echo, *by_hand = servers.values()
        agree(scathe, by_hand)
        requests = dict(examples(scathe))
        compared = []
        for game, request in requests.items():
            ours = Call(f"{game} damage", scathe, "/damage", request)
            peers = by_hand if game == FIRST["ruleset"] else []
            compared += [ours, Call("typed JSON of its size", echo, f"/{game}", bare(request), ours)]
            compared += [Call("the rule by hand", peer, "/damage", request, ours) for peer in peers]
        alone = [Call(name, scathe, path, body) for name, path, body in alone_calls(requests)]
        for number in range(-1, rounds):
            for call in compared if number % 2 else reversed(compared):
                call.run(seconds)
            if number < 0:
                # The round before the first warms everything up.
                for call in compared:
                    call.runs.clear()
        for call in alone:
            call.run(seconds)
        heads = ["call", "server", "calls a second", "p50 µs", "p99 µs", "p99 µs, half", "CPU µs a call"]
        row(*heads, "Scathe's speed", "Scathe's CPU", "start ms", "MB at rest", "MB at most")
        row(*["---"] * 12)
        for call in compared + alone:
            rate, median, slow, cpu = map(call.median, range(4))
            cells = [call.name, call.server.name, f"{rate:.0f}", f"{median:.0f}", f"{slow:.0f}"]
            half = f"{call.at_half_load(seconds):.0f}" if call in compared else ""
            against = [f"{1 / call.times(0):.2f}", f"{1 / call.times(3):.2f}"] if call.against else ["", ""]
            of_server = [""] * 3
            if starts.get(call.server.name):
                start = statistics.median(starts.pop(call.server.name)) * 1e3
                of_server = [f"{start:.1f}", f"{call.server.at_rest:.0f}", f"{call.server.memory('VmHWM'):.0f}"]
            row(*cells, half, f"{cpu:.1f}", *against, *of_server)
    finally:
        for server in servers.values():
            server.end()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=12)
    arguments.add_argument("--seconds", type=int, default=3, help="of each run")
    arguments = arguments.parse_args()
    install()
    measure(arguments.rounds, arguments.seconds)


if __name__ == "__main__":
    main()
