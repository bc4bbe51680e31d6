"""Does the service hold under load, and does a source that hangs hold up anybody?

Serves a sample workspace with `consilience serve`, as a process of its own, and has clients ask
it over loopback: seven of ten requests search, three want an answer, half of those as events.
What is asked are the golden questions of the pack. The memory of the server is read meanwhile.

Then the same again, with one source that hangs for the middle third: the server is the same,
only that source's calls block until a signal lets them go.

    python benchmarks/service_load.py --clients 50 --seconds 180 --json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import yaml

from consilience import plugins
from consilience.worker_pool import WorkerPool
from consilience.workspace import Workspace, copy_sample, init_workspace, open_workspace

WARM_S, EVERY_S, READY_S, PATIENCE_S = 5.0, 2.0, 120.0, 120.0
SHARES = {"search": 0.7, "ask": 0.15, "events": 0.15}
HOST = "127.0.0.1"


# --- what is served -------------------------------------------------------------------------


def build(folder: Path, pack: str) -> Path:
    """The sample workspace of a pack, made where it is not there yet."""
    if not (folder / "consilience.toml").exists():
        init_workspace(folder, pack=pack)
        with open_workspace(folder) as workspace:
            workspace.add([copy_sample(folder, pack)])
    return folder


def questions(pack: str) -> list[str]:
    golden = plugins.load("packs", pack).golden
    found = yaml.safe_load(golden.read_text(encoding="utf-8"))["questions"]
    return [one["text"] for one in found]


class Hanging:
    """A source whose calls block, each in a thread as an engine's do, while the gate is shut."""

    def __init__(self, source: Any, gate: threading.Event) -> None:
        self.name, self.collection = source.name, source.collection
        self._source, self._gate, self._workers = source, gate, WorkerPool(f"hanging {source.name}")

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._source, name)
        if name not in {"score", "compare"}:
            return found
        return lambda *values: self._after(lambda: found(*values))

    async def retrieve(self, request: Any, *, limit: int) -> Any:
        return await self._after(lambda: self._source.retrieve(request, limit=limit))

    async def _after(self, call: Callable[[], Any]) -> Any:
        await self._workers.run(self._gate.wait)
        return await call()


def serve_hanging(folder: Path, port: int, name: str) -> None:
    """Serve as the command does, with one source behind a gate: SIGUSR1 shuts it, SIGUSR2 opens."""
    import uvicorn  # noqa: PLC0415 - in the server's process alone

    from consilience.service.app import create_app  # noqa: PLC0415
    from consilience.service.service import Service  # noqa: PLC0415

    gate = threading.Event()
    gate.set()
    signal.signal(signal.SIGUSR1, lambda *_: gate.clear())
    signal.signal(signal.SIGUSR2, lambda *_: gate.set())
    with open_workspace(folder) as workspace:
        behind(workspace, name, gate)
        uvicorn.run(create_app(Service([workspace])), host=HOST, port=port, log_level="warning")


def behind(workspace: Workspace, name: str, gate: threading.Event) -> None:
    engine = workspace.engine
    chosen = Hanging(engine.sources[name], gate)
    workspace._engine = replace(engine, sources={**engine.sources, name: chosen})


def source_of(folder: Path) -> str:
    """The source that is to hang: meaning, in the largest collection."""
    with open_workspace(folder) as workspace:
        counts = workspace.catalogue.counts()
        return f"{max(counts, key=lambda one: sum(counts[one].values()))}/dense"


@contextmanager
def serving(command: Sequence[str], port: int) -> Iterator[subprocess.Popen[str]]:
    """A server process; whatever it writes to its log is shown, since it should be nothing."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, text=True)
        try:
            wait_until_ready(port, process)
            yield process
        finally:
            process.terminate()
            process.wait(timeout=30)
            log.seek(0)
            sys.stderr.write(log.read()[-4000:])


def wait_until_ready(port: int, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + READY_S
    while time.monotonic() < until and process.poll() is None:
        with suppress(httpx.TransportError):
            if httpx.get(f"http://{HOST}:{port}/").status_code == 200:
                return
        time.sleep(0.2)
    sys.exit("the server did not start")


def free_port() -> int:
    with socket.socket() as one:
        one.bind((HOST, 0))
        return int(one.getsockname()[1])


# --- who asks -------------------------------------------------------------------------------


@dataclass
class Seen:
    """What the clients saw: when each request began and how long it took, by kind and phase."""

    took: dict[str, list[float]] = field(default_factory=dict)
    phases: dict[str, list[float]] = field(default_factory=dict)
    first: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    statuses: dict[str, Counter[str]] = field(default_factory=dict)


class Load:
    """Clients that ask one question after the other until the time is over."""

    def __init__(self, address: str, texts: Sequence[str], *, phase: Callable[[], str]) -> None:
        self._address, self._texts, self._phase = address, texts, phase
        self.seen = Seen()
        self.watched = ""  # the source whose outcomes are counted

    async def run(self, clients: int, seconds: float) -> None:
        limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
        async with httpx.AsyncClient(timeout=PATIENCE_S, limits=limits) as http:
            until = time.monotonic() + seconds
            await asyncio.gather(*(self._client(http, n, until) for n in range(clients)))

    async def _client(self, http: httpx.AsyncClient, number: int, until: float) -> None:
        chance = random.Random(number)
        kinds, shares = list(SHARES), list(SHARES.values())
        while time.monotonic() < until:
            kind, text = chance.choices(kinds, shares)[0], chance.choice(self._texts)
            await self._ask(http, kind, text)

    async def _ask(self, http: httpx.AsyncClient, kind: str, text: str) -> None:
        phase, began = self._phase(), time.perf_counter()
        try:
            wrong = await (self._events if kind == "events" else self._whole)(http, kind, text)
        except httpx.HTTPError as error:
            wrong = type(error).__name__
        took = (time.perf_counter() - began) * 1000
        if phase == "warm":
            return
        if wrong:
            self.seen.errors[f"{kind}: {wrong}"] += 1
            return
        self.seen.took.setdefault(kind, []).append(took)
        self.seen.phases.setdefault(phase, []).append(took)

    async def _whole(self, http: httpx.AsyncClient, kind: str, text: str) -> str:
        phase = self._phase()
        reply = await http.post(f"{self._address}/{kind}", json={"query": text})
        if reply.status_code != 200:
            return f"{reply.status_code} {reply.text[:200]}"
        if self.watched:
            outcome = reply.json()["outcomes"].get(self.watched, {"status": "not asked"})
            self.seen.statuses.setdefault(phase, Counter())[outcome["status"]] += 1
        return ""

    async def _events(self, http: httpx.AsyncClient, kind: str, text: str) -> str:
        began, last, first = time.perf_counter(), "", 0.0
        async with http.stream("GET", f"{self._address}/ask/events", params={"q": text}) as reply:
            if reply.status_code != 200:
                return f"{reply.status_code}"
            async for line in reply.aiter_lines():
                if line.startswith("event: "):
                    last, first = line[7:], first or time.perf_counter() - began
        if self._phase() != "warm":
            self.seen.first.append(first * 1000)
        return "" if last == "done" else f"ended with {last!r}"


class Memory(threading.Thread):
    """The resident memory of a process every few seconds, in MB."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._status, self._over = Path(f"/proc/{pid}/status"), threading.Event()
        self.began, self.points = time.monotonic(), list[tuple[float, float]]()

    def run(self) -> None:
        while not self._over.wait(EVERY_S):
            lines = dict(
                line.split(":", 1) for line in self._status.read_text("ascii").splitlines()
            )
            megabytes = int(lines["VmRSS"].split()[0]) / 1024
            self.points.append((time.monotonic() - self.began, megabytes))

    def stop(self) -> dict[str, Any]:
        self._over.set()
        self.join()
        settled = self.points[len(self.points) // 3 :]
        slope = statistics.linear_regression(*zip(*settled, strict=True)).slope if settled else 0.0
        return {
            "first_mb": round(self.points[0][1]),
            "last_mb": round(self.points[-1][1]),
            "peak_mb": round(max(value for _, value in self.points)),
            "mb_a_minute": round(slope * 60, 2),
            "every_10_s_mb": [round(value) for _, value in self.points[::5]],
        }


# --- the two parts --------------------------------------------------------------------------


def steady(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The load as it is, on the real command."""
    port = free_port()
    command = [sys.executable, "-m", "consilience", "serve", str(folder), "--port", str(port)]
    with serving(command, port) as process:
        return loaded(options, folder, port, process, lambda _at: "steady")


def hung(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The same while a source hangs for the middle third."""
    port, name = free_port(), source_of(folder)
    command = [sys.executable, __file__, "--folder", str(folder), "--hanging", name]
    third = options.seconds / 3

    def phase(at: float) -> str:
        return ("before", "hung", "after")[min(2, int(at / third))]

    with serving([*command, "--port", str(port)], port) as process:
        timers = [
            threading.Timer(WARM_S + third, os.kill, (process.pid, signal.SIGUSR1)),
            threading.Timer(WARM_S + 2 * third, os.kill, (process.pid, signal.SIGUSR2)),
        ]
        for timer in timers:
            timer.start()
        try:
            found = loaded(options, folder, port, process, phase, watched=name)
        finally:
            for timer in timers:
                timer.cancel()
    return {"source": name, **found}


def loaded(
    options: argparse.Namespace,
    folder: Path,
    port: int,
    process: subprocess.Popen[str],
    phase: Callable[[float], str],
    *,
    watched: str = "",
) -> dict[str, Any]:
    began = time.monotonic()

    def now() -> str:
        at = time.monotonic() - began - WARM_S
        return "warm" if at < 0 else phase(at)

    load = Load(f"http://{HOST}:{port}/w/{folder.name}", questions(options.pack), phase=now)
    load.watched = watched
    memory = Memory(process.pid)
    memory.start()
    asyncio.run(load.run(options.clients, WARM_S + options.seconds))
    return {**told(load.seen, options.seconds), "memory": memory.stop()}


def told(seen: Seen, seconds: float) -> dict[str, Any]:
    every = [one for found in seen.took.values() for one in found]
    wrong = sum(seen.errors.values())
    return {
        "requests": len(every) + wrong,
        "errors": wrong,
        "error_kinds": dict(seen.errors.most_common(10)),
        "a_second": round(len(every) / seconds, 1),
        "all_ms": spread(every),
        **{f"{kind}_ms": spread(found) for kind, found in sorted(seen.took.items())},
        "first_event_ms": spread(seen.first),
        "phases_ms": {name: spread(found) for name, found in seen.phases.items()},
        "outcomes": {phase: dict(found) for phase, found in seen.statuses.items()},
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    if len(values) < 2:
        return {"requests": len(values)}
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    found = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "max": max(values)}
    return {"requests": len(values), **{name: round(value) for name, value in found.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", default="chess", help="whose sample is served")
    parser.add_argument("--folder", type=Path, help="the workspace; a fresh one if left out")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--part", choices=["steady", "hung", "both"], default="both")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--hanging", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.hanging:
        serve_hanging(options.folder, options.port, options.hanging)
        return
    with tempfile.TemporaryDirectory(prefix="load-") as fresh:
        folder = build(options.folder or Path(fresh) / options.pack, options.pack)
        parts = {"steady": steady, "hung": hung}
        wanted = [one for one in parts if options.part in {one, "both"}]
        found = {name: parts[name](options, folder) for name in wanted}
    print(json.dumps(found, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
