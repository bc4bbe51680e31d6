"""A real `consilience serve`, in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENT = """pack = "general"
[models]
embed = "fast"
rerank = "none"
[retrieve]
soft_ms = 30000
hard_ms = 60000
"""
"""Settings under which no clock decides what is found."""


class Process:
    """A server that runs; `address` is the whole of it, `workspaces` are those it serves."""

    def __init__(self, *words: str | Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "consilience", "serve", "--json", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.communicate()[1])
        told = json.loads(line)
        self.address: str = told["address"]
        self.pid: int = told["pid"]
        self.workspaces: dict[str, str] = told["workspaces"]

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Stop it: its status, and what it said to stderr."""
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


@contextmanager
def serving(*words: str | Path) -> Iterator[Process]:
    """Serve at any free port while inside."""
    made = Process("--port", "0", *words)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.end()
