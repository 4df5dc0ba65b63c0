"""The service under load, beside two servers in Python: python3 bench/service.py [--seconds 8] [--only predict,learn,bodies,restart,peers] [--spec auto].

Needs the release binaries (`cargo build --release -p novikoff-serve -p novikoff-cli`) and wrk (Debian's package). Makes `target/service-venv` with the peers.
Prints tables in Markdown. Everything is on the loopback address; the generator and the server share the cores.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASE = HERE.parent / "target" / "release"
VENV = HERE.parent / "target" / "service-venv"
PEERS = ["fastapi==0.162.7", "uvicorn==0.54.0", "scikit-learn==1.9.1", "river==0.26.1"]
WORDS, VALUES = 5000, 20
CONNECTIONS = 64


def rows(count: int, seed: int) -> list[tuple[dict[str, float], str]]:
    """Sparse rows: 20 words of 5,000, seldom ones as seldom as words are; words of even numbers speak for spam."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        words = {int(math.exp(chance.random() * math.log(WORDS))) for _ in range(VALUES + 6)}
        features = {f"w{word}": round(chance.uniform(0.1, 2.0), 3) for word in sorted(words)[:VALUES]}
        score = sum(value if int(name[1:]) % 2 == 0 else -value for name, value in features.items())
        spam = (score > 0) != (chance.random() < 0.05)
        made.append((features, "spam" if spam else "ham"))
    return made


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A program that listens on a port of its own."""

    def __init__(self, words: list[str], port: int, ready: str, log: Path):
        self.port, self.begun = port, time.perf_counter()
        self.child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=log.open("w"))
        while True:
            if self.child.poll() is not None:
                sys.exit(f"{words[0]} ended: {log.read_text()[-2000:]}")
            try:
                self.call("GET", ready)
                break
            except OSError:
                time.sleep(0.02)
        self.seconds = time.perf_counter() - self.begun

    def call(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body, {"Content-Type": kind} if body else {})
        reply = connection.getresponse()
        text = reply.read()
        connection.close()
        if reply.status >= 400 and not path.startswith("/none"):
            raise RuntimeError(f"{method} {path}: {reply.status} {text[:300]!r}")
        return json.loads(text) if text.startswith(b"{") else None

    def memory(self) -> float:
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def end(self, how: int = signal.SIGTERM) -> None:
        self.child.send_signal(how)
        self.child.wait()


def ours(folder: Path, *words: str) -> Server:
    port = free_port()
    command = [str(RELEASE / "novikoff-serve"), "serve", "--dir", str(folder), "--listen", f"127.0.0.1:{port}", "--log-level", "warn"]
    return Server([*command, *words], port, "/readyz", folder.parent / "server.log")


def peer(name: str, folder: Path) -> Server:
    port = free_port()
    words = [str(VENV / "bin" / "uvicorn"), f"service_{name}:app", "--app-dir", str(HERE / "peers"), "--port", str(port), "--log-level", "warning", "--no-access-log"]
    return Server(words, port, "/openapi.json", folder / f"{name}.log")


def wrk(server: Server, bodies: Path, path: str, seconds: int, connections: int = CONNECTIONS) -> dict[str, float]:
    words = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "20s", "-s", str(HERE / "service.lua"), f"http://127.0.0.1:{server.port}", "--", str(bodies), path]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    units = {"us": 1e-3, "ms": 1.0, "s": 1e3}
    found = {f"p{p}": float(n) * units[u] for p, n, u in re.findall(r"(50|90|99)%\s+([\d.]+)(us|ms|s)", text)}
    for name in ["p50", "p90", "p99"]:
        found.setdefault(name, math.nan)
    found["rate"] = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    found["bad"] = int(bad[1]) if bad else 0
    found["bad"] += sum(map(int, errors.groups())) if errors else 0
    return found


def body(part: list[tuple[dict[str, float], str]], labelled: bool = True) -> str:
    list_ = [{"features": features, **({"label": label} if labelled else {})} for features, label in part]
    return json.dumps({"rows": list_}, separators=(",", ":"))


def show(what: str, found: dict[str, float], target: str = "") -> None:
    print(f"| {what} | {found['rate']:,.0f} | {found['p50']:.2f} | {found['p99']:.2f} | {found['bad']:.0f} | {target} |", flush=True)


HEAD = "\n| what | requests/s | p50, ms | p99, ms | failed | target |\n| --- | --: | --: | --: | --: | --- |"


class Bench:
    def __init__(self, words: argparse.Namespace, folder: Path):
        self.seconds, self.spec, self.folder = words.seconds, words.spec, folder
        made = rows(4000, 1)
        self.made = made
        self.ask, self.teach = folder / "ask", folder / "teach"
        self.ask.write_text("\n".join(body([row], False) for row in made))
        self.teach.write_text("\n".join(body([row]) for row in made))
        self.found: dict[str, float] = {}

    def trained(self, name: str, *words: str, spec: str | None = None) -> Server:
        server = ours(self.folder / name, *words)
        options = {"labels": ["ham", "spam"]}
        server.call("POST", "/v1/models", json.dumps({"name": "m", "spec": spec or self.spec, "options": options}).encode())
        server.call("POST", "/v1/models/m/learn", body(self.made).encode())
        return server

    def predict(self) -> None:
        print(f"\nSingle rows of {VALUES} named values, {self.spec}, {CONNECTIONS} connections, {self.seconds} s each, wrk -t1.{HEAD}")
        server = self.trained("predict")
        wrk(server, self.ask, "/v1/models/m/predict", 2)
        found = wrk(server, self.ask, "/v1/models/m/predict", self.seconds)
        self.found["predict"] = found["rate"]
        show("predict", found, ">= 25,000/s, p99 <= 10 ms")
        show("predict?feedback=false", wrk(server, self.ask, "/v1/models/m/predict?feedback=false", self.seconds))
        server.end()

    def learn(self) -> None:
        print(f"\nThe same rows with their labels, `--sync always`.{HEAD}")
        server = self.trained("learn")
        wrk(server, self.teach, "/v1/models/m/learn", 2)
        found = wrk(server, self.teach, "/v1/models/m/learn", self.seconds)
        self.found["learn"] = found["rate"]
        show("learn, durable", found, ">= 10,000/s")
        other: dict[str, float] = {}
        thread = threading.Thread(target=lambda: other.update(wrk(server, self.ask, "/v1/models/m/predict", self.seconds, CONNECTIONS // 2)))
        thread.start()
        found = wrk(server, self.teach, "/v1/models/m/learn", self.seconds, CONNECTIONS // 2)
        thread.join()
        show("both at once, 32 connections each: learn", found)
        show("both at once: predict", other)
        groups = server.call("GET", "/v1/models/m")["seq"]
        print(f"\n{groups:,} rows learned, {server.memory():.0f} MB.")
        server.end()

    def bodies(self) -> None:
        count, parts, clients = 10_000, 24, 3
        made = rows(count, 2)
        print(f"\nBodies of {count:,} rows, {parts} of them over {clients} connections, against the command over the same {parts * count:,} rows, wall.")
        print("\n| format, learner | service, rows/s | command, rows/s | share | target |\n| --- | --: | --: | --: | --- |")
        lines = {
            "svmlight": "".join(f"{'1' if label == 'spam' else '-1'} {' '.join(f'{int(n[1:])}:{v}' for n, v in features.items())}\n" for features, label in made),
            "ndjson": "".join(json.dumps({"features": features, "label": 1 if label == "spam" else -1}, separators=(",", ":")) + "\n" for features, label in made),
        }
        flat = "".join(json.dumps({**features, "label": 1 if label == "spam" else -1}, separators=(",", ":")) + "\n" for features, label in made)
        for spec in [self.spec, "perceptron"]:
            for kind, content in [("svmlight", "text/x-svmlight"), ("ndjson", "application/x-ndjson")]:
                server = ours(self.folder / f"bodies-{kind}-{spec}", "--model", f"m={spec}", "--max-body", "20000000")
                text = lines[kind].encode()
                server.call("POST", "/v1/models/m/learn", text, content)
                begun = time.perf_counter()

                def send() -> None:
                    connection = http.client.HTTPConnection("127.0.0.1", server.port)
                    for _ in range(parts // clients):
                        connection.request("POST", "/v1/models/m/learn", text, {"Content-Type": content})
                        reply = connection.getresponse()
                        assert reply.status == 200, reply.read()
                        reply.read()

                threads = [threading.Thread(target=send) for _ in range(clients)]
                [thread.start() for thread in threads]
                [thread.join() for thread in threads]
                service = parts * count / (time.perf_counter() - begun)
                server.end()
                file = self.folder / f"rows.{'svm' if kind == 'svmlight' else 'jsonl'}"
                file.write_text((lines[kind] if kind == "svmlight" else flat) * parts)
                begun = time.perf_counter()
                words = ["train", str(file), "-a", spec, "-q", "-o", str(self.folder / "model")]
                words += ["--label", "label"] if kind == "ndjson" else []
                subprocess.run([RELEASE / "novikoff", *words], check=True, capture_output=True)
                command = parts * count / (time.perf_counter() - begun)
                file.unlink()
                print(f"| {kind}, {spec} | {service:,.0f} | {command:,.0f} | {service / command:.0%} | >= 60% |", flush=True)

    def restart(self) -> None:
        print("\nRestart: a snapshot, and 10^6 requests of one row behind it in the log.")
        words = ["--snapshot-rows", "100000000", "--sync", "interval"]
        server = self.trained("restart", *words)
        server.end()  # writes the snapshot
        server = ours(self.folder / "restart", *words)
        first = server.call("GET", "/v1/models/m")["seq"]
        while (seq := server.call("GET", "/v1/models/m")["seq"]) < first + 1_000_000:
            wrk(server, self.teach, "/v1/models/m/learn", 5, 256)
        about = server.call("GET", "/v1/models/m")
        server.end(signal.SIGKILL)
        server = ours(self.folder / "restart", *words)
        again = server.call("GET", "/v1/models/m")
        assert (again["seq"], again["mistakes"]) == (about["seq"], about["mistakes"])
        assert again["snapshot"]["seq"] == first, again["snapshot"]
        replayed = again["seq"] - first
        print(f"\n| rows replayed | seconds until ready | rows/s | target |\n| --: | --: | --: | --- |\n| {replayed:,} | {server.seconds:.2f} | {replayed / server.seconds:,.0f} | <= 10 s per 10^6 |", flush=True)
        server.end(signal.SIGKILL)

    def peers(self) -> None:
        if not (VENV / "bin" / "uvicorn").exists():
            subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
            subprocess.run([VENV / "bin" / "pip", "install", "-q", *PEERS], check=True)
        listed = subprocess.run([VENV / "bin" / "pip", "freeze"], check=True, capture_output=True, text=True).stdout
        versions = [line for line in listed.splitlines() if line.split("==")[0].lower() in ("fastapi", "uvicorn", "scikit-learn", "river")]
        print(f"\nThe same single rows at servers in Python ({', '.join(versions)}), which keep nothing on disk.{HEAD}")
        # one perceptron, and nothing kept for feedback: what the peers do, besides the log
        server, equal = self.trained("equal", spec="perceptron"), {}
        for path, file, query in [("learn", self.teach, ""), ("predict", self.ask, "?feedback=false")]:
            wrk(server, file, f"/v1/models/m/{path}{query}", 1)
            found = wrk(server, file, f"/v1/models/m/{path}{query}", self.seconds)
            equal[path] = found["rate"]
            show(f"ours, perceptron, {path}{query}", found)
        server.end()
        for name in ["sklearn", "river"]:
            server = peer(name, self.folder)
            server.call("POST", "/learn", body(self.made).encode())
            for path, file in [("learn", self.teach), ("predict", self.ask)]:
                found = wrk(server, file, f"/{path}", self.seconds)
                share = f">= 10 times: perceptron {equal[path] / found['rate']:.1f}"
                if path in self.found:
                    share += f", {self.spec} {self.found[path] / found['rate']:.1f}"
                show(f"FastAPI + {name}, {path}", found, share)
            server.end()


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--seconds", type=int, default=8)
    reader.add_argument("--only", default="predict,learn,peers,bodies,restart")
    reader.add_argument("--spec", default="auto")
    words = reader.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not there; apt-get install wrk")
    print(f"{os.cpu_count()} cores; {time.strftime('%Y-%m-%d')}; novikoff-serve of target/release")
    with tempfile.TemporaryDirectory(prefix="novikoff-service-") as folder:
        bench = Bench(words, Path(folder))
        for part in words.only.split(","):
            getattr(bench, part)()


if __name__ == "__main__":
    main()
