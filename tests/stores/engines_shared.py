"""The engines that the same tests run over: each embedded one, and each server that is there.

Qdrant runs as the client's own engine, and as a server where CONSILIENCE_TEST_QDRANT names one.
"""

import importlib.util
import os

import pytest

from consilience import plugins
from consilience.protocols import Shelf
from consilience.settings import build_settings
from consilience.stores.qdrant_edge import EdgeStore

QDRANT_SERVER = os.environ.get("CONSILIENCE_TEST_QDRANT", "")


def needs(*packages):
    absent = [name for name in packages if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(absent), reason=f"{', '.join(absent)} not installed")


def handle_path(folder, role):
    """A path as a workspace has it, so that the store's name on the server comes from it."""
    path = folder / "space" / ".consilience" / "collections" / "shelf" / f"{role}@test"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def server_store(role, address, folder, **options):
    settings = build_settings({f"store.{role}": address})
    kind = plugins.load("servers", f"{role}.{address.partition('://')[0]}")(settings)
    shelf = Shelf(
        collection="shelf",
        dimensions=options.get("dimensions", 1),
        language=options.get("language", "english"),
        average_length=options.get("average_length", 100.0),
        exact=options.get("exact", 100_000),
        vectors=None,
        lookup=None,
    )
    return kind.open(handle_path(folder, role), shelf)


def open_edge(folder, dimensions, **options):
    return EdgeStore(folder / "edge", dimensions, **options)


def open_qdrant(folder, dimensions, **options):
    address = f"qdrant://{folder}/qdrant"
    return server_store("passages", address, folder, dimensions=dimensions, **options)


def open_qdrant_server(folder, dimensions, **options):
    return server_store("passages", QDRANT_SERVER, folder, dimensions=dimensions, **options)


PASSAGE_ENGINES = [
    pytest.param(open_edge, id="edge"),
    pytest.param(open_qdrant, id="qdrant", marks=needs("qdrant_client")),
    pytest.param(
        open_qdrant_server,
        id="qdrant-server",
        marks=pytest.mark.skipif(
            not QDRANT_SERVER, reason="CONSILIENCE_TEST_QDRANT names no server"
        ),
    ),
]
"""Each opens a store for passages: (folder, dimensions, average_length=…, exact=…, language=…)."""
