#!/usr/bin/env python3
"""Puts a bounded load on the service and prints what it bears: throughput by wrk, a batch beside single
calls, ten thousand idle connections, and the memory that each costs.

It needs wrk and a release build (`cargo build --release`). It starts the service itself on a free port
of the loopback interface, and ends it by its id.
"""

import json
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

TOP = pathlib.Path(__file__).resolve().parents[3]
SECONDS, CONNECTIONS, IDLE = 5, 16, 10_000
HIT = {
    "ruleset": "akrpg",
    "target": {"hd": 4, "hp": 20, "shield": 1, "def": 3},
    "hits": [{"kind": "physical", "amount": 8}],
}


def memory(pid):
    """Megabytes that the process holds now, and the most that it ever held."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    kilobytes = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("VmRSS", "VmHWM"))}
    return "{:.0f} MB now, {:.0f} MB at most".format(*(int(kilobytes[key]) / 1024 for key in ("VmRSS", "VmHWM")))


def load(address, path, body, seconds=SECONDS, connections=CONNECTIONS):
    """Requests, how many of them a second, and the microseconds within which half and 99 % were answered."""
    script = f"""
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = [==[{json.dumps(body)}]==]
function done(summary, latency)
  print("measured", summary.requests, summary.requests / summary.duration * 1e6, latency:percentile(50), latency:percentile(99))
end
"""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as lua:
        lua.write(script)
        lua.flush()
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", lua.name, f"http://{address}{path}"]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in said or "Socket errors" in said:
        sys.exit(said)
    return map(float, said.split("measured", 1)[1].split())


def ask(address, path):
    with urllib.request.urlopen(f"http://{address}{path}", timeout=10) as answer:
        return answer.status


def main():
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    command = [TOP / "target/release/scathe", "--listen", "127.0.0.1:0", "--log", "error"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = service.stdout.readline().strip().removeprefix("Scathe listens on http://")
        print(f"at rest: {memory(service.pid)}")
        batch = {"operations": [{"verb": "damage", "request": HIT}] * 256}
        rates = {}
        for path, body in {"/damage": HIT, "/batch": batch, "/damage/odds": HIT}.items():
            _, rates[path], median, slow = load(address, path, body)
            print(f"{path}: {rates[path]:.0f} a second, half within {median:.0f} µs, 99 % within {slow:.0f} µs; {memory(service.pid)}")
        print(f"an operation of a batch of 256 is {rates['/batch'] * 256 / rates['/damage']:.1f} times as fast as a single call")
        host, port = address.split(":")
        idle = [socket.create_connection((host, int(port))) for _ in range(IDLE)]
        time.sleep(1)
        begun = time.monotonic()
        status = ask(address, "/health")
        print(f"{IDLE} idle connections: a request is answered with {status} in {(time.monotonic() - begun) * 1000:.1f} ms; {memory(service.pid)}")
        for connection in idle:
            connection.close()
    finally:
        service.terminate()
        print(f"ended with {service.wait(30)}")


if __name__ == "__main__":
    main()
