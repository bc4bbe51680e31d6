"""What tests share: a model that needs no file, small passages, and workspaces to ask."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from consilience.settings import Settings, build_settings
from consilience.types import Passage
from consilience.workspace import Workspace, init_workspace, open_workspace
from tests_shared import FILES


class WordVectors:
    """A real embedder of bags of words: the same words give the same vector, always."""

    name = "words:1"
    dimensions = 64
    limit = 80

    def __init__(self) -> None:
        self.embedded = 0

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(re.findall(r"\w+", text)) + 2 for text in texts]

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.embedded += len(texts)
        return np.array([self._one(text) for text in texts], dtype=np.float32).reshape(-1, 64)

    def embed_query(self, text: str) -> np.ndarray:
        return np.array(self._one(text), dtype=np.float32)

    def _one(self, text: str) -> list[float]:
        row = np.zeros(self.dimensions)
        for word in re.findall(r"\w+", text.casefold()):
            row[hashlib.sha256(word.encode()).digest()[0] % self.dimensions] += 1
        return list(row / (np.linalg.norm(row) or 1.0))


@pytest.fixture
def embedder() -> WordVectors:
    return WordVectors()


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def settings() -> Settings:
    return build_settings(
        {"models.rerank": "none", "retrieve.soft_ms": 20_000, "retrieve.hard_ms": 30_000}
    )


@pytest.fixture
def opened(
    tmp_path: Path, settings: Settings, embedder: WordVectors
) -> Iterator[Callable[..., Workspace]]:
    """Open the test's workspace, as often as needed; it is made on first use."""
    made: list[Workspace] = []

    def open_again(**values: object) -> Workspace:
        folder = tmp_path / "space"
        if not folder.exists():
            init_workspace(folder)
        chosen = build_settings(
            {
                "models.rerank": "none",
                "retrieve.soft_ms": 20_000,
                "retrieve.hard_ms": 30_000,
                "store.wait_s": 0.2,
                **values,
            }
        )
        made.append(open_workspace(folder, settings=chosen, embedder=embedder))
        return made[-1]

    yield open_again
    for workspace in made:
        workspace.close()


@pytest.fixture
def workspace(opened: Callable[..., Workspace], evidence: Path) -> Workspace:
    space = opened()
    space.add([evidence])
    return space


def make_passage(key: str = "a", text: str = "", **more: object) -> Passage:
    values = {"collection": "notes", "document": "n.md", "kind": "note", "title": "Notes"}
    return Passage(id=key, text=text or f"text of {key}", **{**values, **more})  # type: ignore[arg-type]


@pytest.fixture
def passage() -> Callable[..., Passage]:
    return make_passage
