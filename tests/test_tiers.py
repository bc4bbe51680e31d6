"""Models are chosen, changed and turned on later: nothing is mixed, nothing is missing."""

import asyncio
import os
import re
import signal
import sqlite3
import subprocess
import sys

import pytest

from consilience.errors import StoreError, UsageError
from consilience.evidence.token_store import TOKENS_FILE, sqlite_size
from consilience.explain import total, why
from consilience.models import open_embedder
from consilience.models.late_interaction import FOLDER, Late
from consilience.models.onnx_embedder import shipped
from consilience.settings import build_settings
from consilience.types import Request
from consilience.workspace import STORE, init_workspace, open_workspace

TEXT = "Who built a tower of granite on a reef?"
TOTAL = 11  # passages in the evidence


@pytest.fixture
def space(tmp_path):
    """Open the test's workspace with the shipped models that the settings name."""
    folder = init_workspace(tmp_path / "space")
    made = []

    def open_again(**models):
        for one in made:
            one.close()
        chosen = {"live_ms": 60_000, **models}
        values = {f"models.{name}": value for name, value in chosen.items()}
        waiting = {
            "retrieve.soft_ms": 20_000,
            "retrieve.hard_ms": 30_000,
            "refine.rerank_ms": 90_000,
        }
        made.append(open_workspace(folder, settings=build_settings({**waiting, **values})))
        return made[-1]

    yield open_again
    for one in made:
        one.close()


def known(space):
    """Every passage of the catalogue by id."""
    return {one.id: one for name in space.catalogue.counts() for one in space.catalogue.each(name)}


def held(space):
    """Every id of every shard, each as often as it is there."""
    return sorted(
        key for name in space.catalogue.counts() for key in space.stores.passages(name).ids()
    )


def kept(space):
    return space.keeping.store.ids()


def cosines(space):
    """What each dense source says of its passages, and what the model of the settings says."""
    question = space.embedder.embed_query(TEXT)
    found, expected = {}, {}
    for name in space.catalogue.counts():
        passages = list(space.catalogue.each(name))
        source = space.engine.sources[f"{name}/dense"]
        ids = [one.id for one in passages]
        found |= asyncio.run(source.score(Request(text=TEXT), ids))
        vectors = space.embedder.embed([one.indexed for one in passages])
        expected |= dict(zip(ids, (vectors @ question).tolist(), strict=True))
    return found, expected


def reranks(result):
    """What reranking added to each hit; one whose place it confirms gets nothing."""
    return {
        hit.passage.id: sum(change.delta for change in hit.changes if change.step == "rerank")
        for hit in result.hits
    }


def all_read(result):
    """Whether the reranker had an opinion of every hit, and it made a difference."""
    unread = any("not compared word by word" in note.message for note in result.notes)
    return any(reranks(result).values()) and not unread


# --- what is kept -----------------------------------------------------------------------


def test_token_vectors_are_kept_where_the_embedder_makes_them_anyway(space, evidence):
    open_space = space(rerank="late", embed="fine")
    open_space.add([evidence])
    passages = known(open_space)
    assert len(passages) == TOTAL
    assert kept(open_space) == set(passages)
    late = Late(FOLDER, shipped(), budget_s=600)
    _, packed = late.prepare([one.indexed for one in passages.values()], shipped())
    sizes = dict(zip(passages, map(len, packed), strict=True))
    found = open_space.keeping.store.get(list(passages))
    assert {key: len(data) for key, data in found.items()} == sizes
    assert sqlite_size(open_space.folder / STORE / TOKENS_FILE) > sum(sizes.values())
    assert open_space.add([]).indexed == 0


@pytest.mark.parametrize(
    ("models", "keeps"),
    [
        ({"rerank": "late", "embed": "fast"}, False),
        ({"rerank": "late", "embed": "fast", "tokens": "keep"}, True),
        ({"rerank": "late", "embed": "fine", "tokens": "live"}, False),
        ({"rerank": "none", "embed": "fine", "tokens": "keep"}, False),
    ],
    ids=str,
)
def test_the_settings_decide_whether_token_vectors_are_kept(space, evidence, models, keeps):
    open_space = space(**models)
    open_space.add([evidence])
    assert (open_space.keeping is not None) is keeps
    assert (open_space.folder / STORE / TOKENS_FILE).exists() is keeps
    if keeps:
        assert kept(open_space) == set(known(open_space))
    found, expected = cosines(open_space)
    assert found == pytest.approx(expected, abs=1e-4)  # the embedder's own vectors all the same


def test_kept_vectors_are_read_at_a_question(space, evidence):
    """With no time to read anything, only what is kept can be reranked."""
    values = {"rerank": "late", "embed": "fast", "live_ms": 0}
    open_space = space(**values, tokens="keep")
    open_space.add([evidence])
    from_kept = open_space.search(TEXT)
    assert all_read(from_kept)
    open_space = space(**values, tokens="live")
    result = open_space.search(TEXT)
    assert not any(reranks(result).values())
    assert any("not compared word by word" in note.message for note in result.notes)
    live = space(rerank="late", embed="fast", tokens="live").search(TEXT)
    assert all_read(live)
    assert reranks(live) == pytest.approx(reranks(from_kept), rel=0.02, abs=1e-6)


def test_a_changed_or_removed_file_takes_its_token_vectors_along(space, evidence):
    open_space = space(rerank="late")
    open_space.add([evidence])
    before = kept(open_space)
    text = (evidence / "towers.md").read_text()
    (evidence / "towers.md").write_text(text.replace("granite", "Portland"))
    open_space.add([])
    assert kept(open_space) == set(known(open_space)) != before
    (evidence / "lights.csv").unlink()
    open_space.add([])
    assert kept(open_space) == set(known(open_space))
    assert len(kept(open_space)) == TOTAL - 3
    open_space.remove([evidence / "lamps.txt"])
    assert kept(open_space) == set(known(open_space))


def test_what_was_removed_while_nothing_was_kept_goes_with_the_next_run(space, evidence):
    space(rerank="late").add([evidence])
    (evidence / "lights.csv").unlink()
    space(rerank="none").add([])
    open_space = space(rerank="late")
    open_space.add([])
    assert kept(open_space) == set(known(open_space))


def test_late_turned_on_later_keeps_what_was_missing(space, evidence):
    space(rerank="none").add([evidence])
    open_space = space(rerank="late")
    assert kept(open_space) == set()
    assert all_read(open_space.search(TEXT))  # read at the question until then
    assert open_space.add([]).indexed == TOTAL
    assert kept(open_space) == set(known(open_space))
    assert held(open_space) == sorted(known(open_space))
    assert open_space.add([]).indexed == 0


def test_lost_token_vectors_are_made_again_and_no_others(space, evidence):
    open_space = space(rerank="late")
    open_space.add([evidence])
    lost = sorted(kept(open_space))[:3]
    open_space.keeping.store.remove(lost)
    assert open_space.add([]).indexed == 3
    assert kept(open_space) == set(known(open_space))


def test_a_path_made_for_a_question_is_reranked_and_never_kept(space, evidence):
    open_space = space(rerank="late")
    open_space.add([evidence])
    result = open_space.search("How is Bell Rock connected to John Smeaton?")
    assert "path" in {hit.passage.kind for hit in result.hits}
    assert all_read(result)
    assert open_space.add([]).indexed == 0
    assert kept(open_space) == set(known(open_space))


def test_vectors_of_another_reranker_are_made_again(space, evidence):
    open_space = space(rerank="late")
    open_space.add([evidence])
    path = open_space.folder / STORE / TOKENS_FILE
    open_space.close()
    database = sqlite3.connect(path)
    with database:
        database.execute("UPDATE made_by SET name = 'late:of-yesterday'")
    database.close()
    open_space = space(rerank="late")
    assert kept(open_space) == set()
    assert open_space.add([]).indexed == TOTAL
    assert kept(open_space) == set(known(open_space))


def test_a_damaged_file_is_named_and_made_anew_when_deleted(space, evidence):
    open_space = space(rerank="late")
    open_space.add([evidence])
    path = open_space.folder / STORE / TOKENS_FILE
    open_space.close()
    path.write_bytes(b"no database " * 1000)
    open_space = space(rerank="late")
    told = rf"{TOKENS_FILE} cannot be opened.*delete it.*add"
    result = open_space.search(TEXT)
    assert result.hits  # read live
    assert any(re.search(told, note.message) for note in result.notes)
    with pytest.raises(StoreError, match=told):
        open_space.add([])
    path.unlink()
    assert open_space.add([]).indexed == TOTAL
    assert kept(open_space) == set(known(open_space))


def test_an_unknown_way_to_keep_is_refused_with_the_known_ones(space, evidence):
    open_space = space(rerank="late", tokens="nonsense")
    with pytest.raises(
        UsageError, match=r"'models\.tokens' is 'nonsense'; known: auto, keep, live"
    ):
        open_space.add([evidence])


def test_what_reranking_changed_stands_in_why_and_adds_up(space, evidence):
    open_space = space(rerank="late")
    open_space.add([evidence])
    result = open_space.search(TEXT)
    name = open_space.reranker.name
    moved = [hit for hit in result.hits if reranks(result)[hit.passage.id]]
    assert len(moved) > TOTAL // 2
    for hit in result.hits:
        assert total(hit) == pytest.approx(hit.score, abs=1e-12)
    for hit in moved:
        (change,) = [one for one in hit.changes if one.step == "rerank"]
        assert change.reason == name
        (line,) = [line for line in why(hit) if line.startswith("rerank")]
        assert name in line
    plain = space(rerank="none").search(TEXT)
    assert not any(reranks(plain).values())


# --- changing tiers ---------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new"), [("fast", "fine"), ("fine", "fast")])
def test_another_tier_is_refused_until_everything_is_embedded_again(space, evidence, old, new):
    space(embed=old).add([evidence])
    open_space = space(embed=new)
    for call in (lambda: open_space.search(TEXT), lambda: open_space.add([])):
        with pytest.raises(StoreError, match=rf"'{old}:.*'{new}:.*consilience rebuild"):
            call()
    assert open_space.rebuild().indexed == TOTAL
    assert open_space.catalogue.fact("model") == open_embedder(new, open_space.settings).name
    found, expected = cosines(open_space)
    assert len(found) == TOTAL
    assert found == pytest.approx(expected, abs=1e-4)
    assert held(open_space) == sorted(known(open_space))
    assert open_space.search(TEXT).hits
    with pytest.raises(StoreError, match="consilience rebuild"):
        space(embed=old).search(TEXT)


def test_a_rebuild_makes_token_vectors_anew_or_drops_them(space, evidence):
    open_space = space(rerank="late", embed="fine")
    open_space.add([evidence])
    open_space.keeping.store.write({"f" * 16: b"left over"})
    open_space.rebuild()
    assert kept(open_space) == set(known(open_space))
    open_space = space(rerank="late", embed="fast")
    open_space.rebuild()
    assert not (open_space.folder / STORE / TOKENS_FILE).exists()
    open_space = space(rerank="late", embed="fine")
    open_space.rebuild()
    assert kept(open_space) == set(known(open_space))
    assert all_read(open_space.search(TEXT))


# --- killed -----------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from {module} import {owner}
from consilience.cli import main

real, calls = {owner}.{method}, []

def killing(*found, **named):
    calls.append(1)
    if len(calls) == {turn}:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*found, **named)

{owner}.{method} = killing
main()
"""


def killed(folder, words, where, *, turn=1, **models):
    """Run a command that is killed when it calls a method for the `turn`-th time."""
    module, owner, method = where
    code = KILLED.format(module=module, owner=owner, method=method, turn=turn)
    chosen = {f"CONSILIENCE_MODELS_{name.upper()}": value for name, value in models.items()}
    done = subprocess.run(
        [sys.executable, "-c", code, words[0], "-w", folder, *words[1:]],
        env={**os.environ, **chosen},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


SETTLE = ("consilience.evidence.catalogue", "Catalogue", "settle")
KEEP = ("consilience.evidence.token_store", "TokenStore", "write")
DROP = ("consilience.evidence.catalogue", "Catalogue", "drop_fact")


@pytest.mark.parametrize(("where", "turn"), [(KEEP, 1), (SETTLE, 2)], ids=str)
def test_killed_between_the_engines_and_the_end_nothing_is_missing(space, evidence, where, turn):
    open_space = space(rerank="late")
    open_space.close()
    killed(open_space.folder, ("add", evidence), where, turn=turn, rerank="late")
    open_space = space(rerank="late")
    assert open_space.catalogue.pending_count() > 0
    open_space.add([])
    assert open_space.catalogue.pending_count() == 0
    assert kept(open_space) == set(known(open_space))
    assert len(kept(open_space)) == TOTAL
    assert held(open_space) == sorted(known(open_space))


def test_killed_while_removing_no_token_vector_stays(space, evidence):
    open_space = space(rerank="late")
    open_space.add([evidence])
    open_space.close()
    (evidence / "lights.csv").unlink()
    where = ("consilience.evidence.token_store", "TokenStore", "remove")
    killed(open_space.folder, ("add", evidence), where, rerank="late")
    open_space = space(rerank="late")
    open_space.add([])
    assert kept(open_space) == set(known(open_space))
    assert len(kept(open_space)) == TOTAL - 3


@pytest.mark.parametrize(
    ("old", "new", "where", "turn"),
    [("fast", "fine", SETTLE, 1), ("fine", "fast", SETTLE, 2), ("fine", "fast", DROP, 1)],
    ids=str,
)
def test_a_rebuild_killed_in_the_middle_resumes_and_never_mixes(
    space, evidence, old, new, where, turn
):
    open_space = space(embed=old)
    open_space.add([evidence])
    open_space.close()
    killed(open_space.folder, ("rebuild",), where, turn=turn, embed=new)
    open_space = space(embed=new)
    left = open_space.catalogue.pending_count()
    assert left == TOTAL if turn == 1 else 0 < left < TOTAL
    assert f"{left} passages are not indexed yet" in str(open_space.search(TEXT).notes[0])
    assert open_space.add([]).indexed == left
    found, expected = cosines(open_space)
    assert len(found) == TOTAL
    assert found == pytest.approx(expected, abs=1e-4)
    assert held(open_space) == sorted(known(open_space))


def test_after_a_killed_rebuild_the_old_tier_is_refused_or_has_it_all(space, evidence):
    open_space = space(embed="fast")
    open_space.add([evidence])
    open_space.close()
    killed(open_space.folder, ("rebuild",), SETTLE, turn=2, embed="fine")
    with pytest.raises(StoreError, match=r"'fine:.*'fast:.*consilience rebuild"):
        space(embed="fast").search(TEXT)
    open_space = space(embed="fast")
    open_space.rebuild()
    found, expected = cosines(open_space)
    assert found == pytest.approx(expected, abs=1e-4)
    assert len(found) == TOTAL


def test_the_vote_of_fast_weighs_what_it_says(space, evidence):
    for embed, wanted in (("fast", 0.45), ("fine", 1.0)):
        open_space = space(embed=embed, rerank="none")
        if embed == "fast":
            open_space.add([evidence])
        else:
            open_space.rebuild()
        asks = open_space.search(TEXT).trace.plan.asks
        assert {ask.weight for ask in asks if ask.vote.endswith("/dense")} == {wanted}
        open_space.close()
