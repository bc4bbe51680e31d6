"""What tests share: small passages, and workspaces to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from consilience.settings import Settings, build_settings
from consilience.types import Passage
from consilience.workspace import Workspace, init_workspace, open_workspace
from tests_shared import FILES, WordVectors, make_passage


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


@pytest.fixture
def passage() -> Callable[..., Passage]:
    return make_passage
