"""A GGUF file inside the process: errors without one, and the real thing where a file is there.

The file is that of CONSILIENCE_TEST_GGUF, or the first in ~/.cache/consilience-llm.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from consilience.errors import MissingExtra, ModelError, UsageError
from consilience.models import gguf
from consilience.models.gguf import open_gguf
from consilience.protocols import Chunk
from consilience.settings import Settings
from consilience.types import Prompt

COUNT = Prompt(stage="test", system="Do what is asked.", user="Count from one to forty in words.")


def model_file() -> str:
    """The path of a real model, or nothing."""
    cached = sorted((Path.home() / ".cache" / "consilience-llm").glob("*.gguf"))
    return os.environ.get("CONSILIENCE_TEST_GGUF") or (str(cached[0]) if cached else "")


real = pytest.mark.skipif(
    not (model_file() and importlib.util.find_spec("xllamacpp")),
    reason="needs the extra local, and a model file named by CONSILIENCE_TEST_GGUF",
)


def write(prompt: Prompt, *, most: int, timeout_s: float = 120.0) -> list[Chunk]:
    settings = Settings()
    answer = replace(settings.answer, timeout_s=timeout_s, retries=0)
    model = open_gguf(model_file(), replace(settings, answer=answer))

    async def read() -> list[Chunk]:
        return [chunk async for chunk in model.generate(prompt, most=most)]

    return asyncio.run(read())


def test_a_missing_extra_names_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(gguf, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'consilience\[local\]'"):
        open_gguf(str(tmp_path / "model.gguf"), Settings())


def test_a_missing_file_another_file_and_no_name(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    with pytest.raises(UsageError, match=r"there is no file .*model\.gguf"):
        open_gguf(str(tmp_path / "model.gguf"), Settings())
    (tmp_path / "text.gguf").write_text("no model")
    with pytest.raises(UsageError, match="is not a GGUF file"):
        open_gguf(str(tmp_path / "text.gguf"), Settings())
    with pytest.raises(UsageError, match="needs a file"):
        open_gguf(" ", Settings())


def test_a_damaged_file_is_a_failure_of_the_model(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"GGUF" + bytes(200))
    model = open_gguf(str(damaged), Settings())

    async def read() -> None:
        async for _ in model.generate(COUNT, most=4):
            pass

    with pytest.raises(ModelError, match="cannot be loaded"):
        asyncio.run(read())


@real
def test_it_streams_and_counts() -> None:
    found = write(COUNT, most=24)
    assert len([chunk for chunk in found if chunk.text]) > 5
    assert "two" in "".join(chunk.text for chunk in found).lower()
    assert found[-1].asked > 5
    assert 0 < found[-1].written <= 24


@real
def test_it_is_stopped_times_out_and_recovers() -> None:
    model = open_gguf(model_file(), Settings())

    async def first() -> str:
        async with aclosing(model.generate(COUNT, most=400)) as chunks:
            async for chunk in chunks:
                return chunk.text
        return ""

    assert asyncio.run(first())
    with pytest.raises(ModelError, match="did not finish within"):
        write(COUNT, most=400, timeout_s=0.2)
    assert write(COUNT, most=8)[-1].written <= 8
