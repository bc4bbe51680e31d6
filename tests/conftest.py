"""What tests share: small passages, and workspaces to ask."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from consilience.cli import main
from consilience.settings import Settings, build_settings
from consilience.types import Passage
from consilience.workspace import Workspace, init_workspace, open_workspace
from copied_shared import copied
from tests_shared import WordVectors, make_passage, write_evidence

MEMORY = Path("/dev/shm")
ENOUGH = 2**32  # bytes, several times what a run needs at a time
PATIENT = {"models.rerank": "none", "retrieve.soft_ms": 20_000, "retrieve.hard_ms": 30_000}
hypothesis.settings.register_profile("calm", deadline=None, max_examples=40)
hypothesis.settings.load_profile("calm")  # a busy machine is no failure


def pytest_configure() -> None:
    """Let tests write to memory where there is room: on a disk, engines wait at every write.

    With PYTEST_DEBUG_TEMPROOT=/tmp they write to the disk, and what a failed one wrote is kept.
    """
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """A folder of the test's own; memory would fill up with those of tests that failed."""
    yield tmp_path
    if MEMORY in tmp_path.parents:
        shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture
def embedder() -> WordVectors:
    return WordVectors()


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the evidence of every test lies, so that one workspace over it serves all of them."""
    return tmp_path_factory.mktemp("evidence") / "here" / "files"


@pytest.fixture
def evidence(place: Path) -> Path:
    return write_evidence(place)


@pytest.fixture
def settings() -> Settings:
    return build_settings(PATIENT)


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory, place: Path) -> Path:
    """A workspace that holds the evidence, to be copied, closed."""
    folder = init_workspace(tmp_path_factory.mktemp("filled") / "space")
    with open_workspace(folder, settings=build_settings(PATIENT), embedder=WordVectors()) as space:
        space.add([write_evidence(place)])
    return folder


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
        chosen = build_settings({**PATIENT, "store.wait_s": 0.2, **values})
        made.append(open_workspace(folder, settings=chosen, embedder=embedder))
        return made[-1]

    yield open_again
    for workspace in made:
        workspace.close()


@pytest.fixture
def workspace(
    tmp_path: Path, opened: Callable[..., Workspace], filled: Path, evidence: Path
) -> Workspace:
    """A workspace of the test's own that holds the evidence."""
    del evidence  # written anew, after `filled` has read it
    copied(filled, tmp_path / "space")
    return opened()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, filled: Path) -> Iterator[Workspace]:
    """A workspace that holds the evidence, shared by the tests of a module: they only read it."""
    folder = copied(filled, tmp_path_factory.mktemp("shared") / "space")
    with open_workspace(folder, settings=build_settings(PATIENT), embedder=WordVectors()) as space:
        yield space
    shutil.rmtree(folder)


@pytest.fixture
def passage() -> Callable[..., Passage]:
    return make_passage


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command of the command line; its status, what it printed and what it said."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["consilience", *map(str, words)])
        for limit in ("SOFT", "HARD"):  # a busy machine is no failure
            monkeypatch.setenv(f"CONSILIENCE_RETRIEVE_{limit}_MS", "20000")
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return call
