"""Small real workspaces, served: one of prose, a table and a graph, and whoever asks it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from consilience.service.app import create_app
from consilience.service.service import Options, Service
from consilience.workspace import Workspace, init_workspace, open_workspace
from copied_shared import copied

BEES = """# The keeper's year

## Spring

Bees leave the hive on the first warm day. The keeper feeds a weak colony with sugar syrup.

## Summer

A colony that lacks room swarms. The keeper adds a box before the lime trees bloom, in June.

## Winter

In winter the bees form a cluster around the queen and eat the honey that was left to them.
"""
ROWS = "hive,year,honey_kg\nOak,2023,18\nOak,2024,25\nLime,2023,31\nLime,2024,12\n"
GRAPH = [
    {"node": "bee", "name": "honey bee", "kind": "insect", "text": "An insect."},
    {"node": "lime", "name": "lime tree", "kind": "plant", "text": "A tree."},
    {"node": "honey", "name": "lime honey", "kind": "food", "text": "A food."},
    {"edge": ["bee", "VISITS", "lime"], "text": "Honey bees visit lime trees in June."},
    {"edge": ["lime", "GIVES", "honey"], "text": "Lime trees give lime honey."},
]


@pytest.fixture(scope="session")
def bees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files: prose, a table, a graph."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "keeping.md").write_text(BEES, encoding="utf-8")
    (folder / "harvest.csv").write_text(ROWS, encoding="utf-8")
    lines = "\n".join(json.dumps(one) for one in GRAPH)
    (folder / "meadow.graph.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, bees: Path) -> Path:
    """A workspace to be copied, closed."""
    folder = init_workspace(tmp_path_factory.mktemp("template") / "apiary")
    (folder / "consilience.toml").write_text('pack = "general"\n[models]\nembed = "fast"\n')
    with open_workspace(folder) as space:
        space.add([bees])
    return folder


@pytest.fixture
def made(tmp_path: Path, template: Path) -> Path:
    """A workspace of its own for one test, closed."""
    return copied(template, tmp_path / "apiary")


@pytest.fixture(scope="session")
def space(tmp_path_factory: pytest.TempPathFactory, template: Path) -> Iterator[Workspace]:
    """An open workspace that all tests share; they do not change what it holds."""
    folder = copied(template, tmp_path_factory.mktemp("shared") / "apiary")
    with open_workspace(folder) as found:
        yield found
    shutil.rmtree(folder)  # in memory a hundred megabytes once it was open


@pytest.fixture(scope="session")
def served(space: Workspace) -> Iterator[TestClient]:
    """Whoever asks the shared workspace, as a program does."""
    with TestClient(create_app(Service([space]))) as client:
        yield client


@pytest.fixture
def serving() -> Iterator[Callable[..., TestClient]]:
    """Serve a workspace with options of one's own: `serving(space, read_only=True)`."""
    clients: list[TestClient] = []

    def start(*spaces: Workspace, **options: object) -> TestClient:
        client = TestClient(create_app(Service(spaces, Options(**options))))  # type: ignore[arg-type]
        clients.append(client.__enter__())
        return client

    yield start
    for client in clients:
        client.__exit__(None, None, None)
