"""A workspace whose stores are on servers: moved by a setting, rebuilt, without its server."""

import http.server
import sys
import threading

import numpy as np
import pytest
from engines_shared import handle_path, needs, server_store
from shelves import Questions, ask, make, ones

from consilience.errors import MissingExtra, StoreError, UsageError
from consilience.service.admin import is_editable
from consilience.settings import build_settings, describe_settings
from consilience.stores.passage_sources import DenseSource, WordSource
from consilience.stores.servers import TRIES, Handle, read_server

pytestmark = needs("qdrant_client")
QUESTIONS = ("who built Bell Rock", "prisms around a lamp", "granite blocks", "electricity")


def ranking(space, question):
    return [(hit.passage.id, round(hit.score, 4)) for hit in space.search(question).hits]


def rankings(space):
    return [ranking(space, question) for question in QUESTIONS]


def handles(space):
    return sorted(path.name for path in (space.folder / ".consilience").rglob("passages@*"))


# --- the settings -----------------------------------------------------------------------


@pytest.fixture
def qdrant(tmp_path):
    return {"store.passages": f"qdrant://{tmp_path}/qdrant"}


def test_one_address_in_the_settings_moves_the_passages(opened, workspace, evidence, qdrant):
    expected, embedded = rankings(workspace), workspace.stores.passages("documents").count()
    workspace.close()
    moved = opened(**qdrant)
    assert any("missing from the stores" in note.message for note in moved.search("Bell").notes)
    moved.add()
    assert rankings(moved) == expected
    assert moved.stores.passages("documents").count() == embedded
    moved.close()

    (evidence / "lamps.txt").unlink()
    (evidence / "new.txt").write_text("A lantern of electricity\n\nIt shines.\n")
    again = opened(**qdrant)
    again.add()
    expected = rankings(again)
    again.close()
    back = opened()  # what was left here misses the change: it is written anew
    back.add()
    assert rankings(back) == expected
    back.close()


def test_a_rebuild_is_searched_once_it_is_complete(opened, evidence, qdrant):
    space = opened(**qdrant)
    space.add([evidence])
    before = rankings(space)
    store = space.stores.passages("documents")
    searched = store._client.get_collection_aliases
    names = [alias.collection_name for alias in store._client.get_aliases().aliases]
    assert names == [store._physical(1)]
    assert searched(names[0]).aliases
    store.renew()
    assert store.count() == 0
    assert not store.is_published
    some = [one for one in space.catalogue.each("documents") if one.kind != "edge"][:1]
    store.write(some, np.array(space.embedder.embed([some[0].indexed])))
    assert rankings(space) == before  # still the old one
    store.optimize()
    assert store.is_published
    assert store._client.get_aliases().aliases[0].collection_name == store._physical(2)
    assert [one.name for one in store._client.get_collections().collections] == [store._physical(2)]
    assert {key for one in rankings(space) for key, _ in one} != {
        key for one in before for key, _ in one
    }
    space.close()


def test_rebuilding_a_workspace_switches_and_leaves_nothing_behind(opened, evidence, qdrant):
    space = opened(**qdrant)
    space.add([evidence])
    before = rankings(space)
    space.rebuild()
    assert rankings(space) == before
    store = space.stores.passages("documents")
    assert [one.name for one in store._client.get_collections().collections] == [store._physical(2)]
    assert not list((space.folder / ".consilience").rglob("*.behind"))
    space.close()


def test_what_an_ended_rebuild_left_unpublished_is_published_by_the_next_run(
    opened, evidence, qdrant, monkeypatch
):
    space = opened(**qdrant)
    space.add([evidence])
    before = rankings(space)
    kind = type(space.stores.passages("documents"))
    with monkeypatch.context() as patch:
        patch.setattr(kind, "optimize", lambda _: None)  # as if killed just before
        space.rebuild()
    assert not space.stores.is_published
    space.close()
    again = opened(**qdrant)
    again.add()
    assert again.stores.is_published
    assert rankings(again) == before
    again.close()


def test_without_its_server_the_other_sources_answer_and_a_note_says_so(opened, evidence):
    address = {"store.passages": "qdrant://127.0.0.1:1"}
    space = opened(**address)
    with pytest.raises(StoreError, match=r"Qdrant at qdrant://127\.0\.0\.1:1.* is it running"):
        space.add([evidence])
    result = space.search("height of Cordouan")
    assert [hit.passage.kind for hit in result.hits][:1] == ["row"]
    assert any("127.0.0.1:1" in note.message for note in result.notes)
    pending = space.catalogue.pending_count()
    assert pending
    space.close()
    there = opened()  # what was not taken is still in the queue
    there.add()
    assert there.catalogue.pending_count() == 0
    assert ranking(there, QUESTIONS[0])
    there.close()


def test_an_address_that_cannot_be_right_is_refused(opened, evidence):
    for address, said in (
        ("redis://host", r"begins with 'redis'; known: .*qdrant://"),
        ("qdrant://", "names no server"),
    ):
        space = opened(**{"store.passages": address})
        with pytest.raises(UsageError, match=said):
            space.add([evidence])
        space.close()


def test_a_missing_package_is_named_with_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    monkeypatch.delitem(sys.modules, "consilience.stores.qdrant", raising=False)
    with pytest.raises(MissingExtra, match=r"pip install 'consilience\[qdrant\]'"):
        server_store("passages", "qdrant://host", None)


# --- secrets and handles ----------------------------------------------------------------


def test_a_key_comes_from_a_file_and_is_shown_nowhere(tmp_path):
    (tmp_path / "key").write_text("geheim\n")
    values = {
        "store.passages": "https://me:pw@host:6333",
        "store.passages_key": f"file:{tmp_path}/key",
    }
    server = read_server("passages", build_settings(values))
    assert server.key == "geheim"
    assert server.place == "https://host:6333"
    shown = str(describe_settings(build_settings(values)))
    assert "pw@" not in shown
    assert "(set)@host" in shown
    assert not is_editable("store.passages")
    assert not is_editable("store.passages_key")
    with pytest.raises(UsageError, match=r"store\.passages_key names the file /nowhere"):
        read_server("passages", build_settings({**values, "store.passages_key": "file:/nowhere"}))


def test_a_damaged_handle_is_an_error_that_says_what_to_do(tmp_path):
    path = handle_path(tmp_path, "passages")
    path.write_text("{")
    with pytest.raises(StoreError, match="delete it and run `consilience add`"):
        Handle.open(path)
    path.unlink()
    made = Handle.open(path, dimensions=3)
    assert Handle.open(path) == made
    assert made.name.startswith("consilience_space_shelf_")


# --- a server that cannot keep up -------------------------------------------------------


class Overloaded(http.server.BaseHTTPRequestHandler):
    asked = 0

    def do_PUT(self):
        type(self).asked += 1
        self.send_response(503)
        self.end_headers()
        self.wfile.write(b"overloaded")

    def do_GET(self):
        self.do_PUT()

    def log_message(self, *_):
        pass


def test_an_overloaded_server_is_asked_again_and_then_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("consilience.stores.servers._FIRST_WAIT_S", 0.001)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Overloaded) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"qdrant://127.0.0.1:{server.server_port}"
        store = server_store("passages", address, tmp_path, dimensions=2)
        with pytest.raises(StoreError, match=r"failed: .*503"):
            store.write([make("fox")], ones(1))
        assert Overloaded.asked == TRIES
        server.shutdown()
    store.close()


def test_a_store_on_a_server_can_be_dropped_and_a_closed_one_says_so(tmp_path):
    address = f"qdrant://{tmp_path}/qdrant"
    store = server_store("passages", address, tmp_path, dimensions=2)
    store.write([make("fox"), make("hen")], ones(2))
    assert len(ask(DenseSource(store, "c/dense", vectors=Questions()))) == 2
    store.drop()
    assert not handle_path(tmp_path, "passages").exists()
    with pytest.raises(StoreError, match="was closed"):
        ask(WordSource(store, "c/bm25"), text="fox")
