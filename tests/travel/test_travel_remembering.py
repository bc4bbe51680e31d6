"""Is what a graph remembers of earlier questions forgotten when something is written?"""

from __future__ import annotations

from pathlib import Path

from atlas_shared import passages, tie_passage

from consilience.packs.travel.graph import PlaceStore
from consilience.packs.travel.walking import LEAVING


def ends(store: PlaceStore) -> set[str]:
    return {one.target for one in store.found(LEAVING, ("aurel-museum",), ("NEAR",))}


def test_an_edge_is_seen_as_soon_as_it_is_written_and_gone_when_it_is_removed(
    tmp_path: Path,
) -> None:
    store = PlaceStore(tmp_path / "graph.lbug")
    store.write([one for one in passages() if one.kind == "place"])
    assert ends(store) == set()
    tie = tie_passage("aurel-museum", "NEAR", "aurel-gallery")
    store.write([tie])
    assert ends(store) == {"aurel-gallery"}
    store.remove([tie.id])
    assert ends(store) == set()
    store.close()


def test_the_same_question_is_asked_of_the_engine_once(tmp_path: Path) -> None:
    store = PlaceStore(tmp_path / "graph.lbug")
    store.write(passages())
    first = store.found(LEAVING, ("aurel-museum",), ("SUITS",))
    assert first
    assert store.found(LEAVING, ("aurel-museum",), ("SUITS",)) is first
    store.close()
