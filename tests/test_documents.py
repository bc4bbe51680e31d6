"""Documents that a program adds as values: dicts, dataclasses, passages and rows."""

import datetime
import json
from dataclasses import dataclass

import numpy as np
import pytest

from consilience.errors import UsageError
from consilience.evidence import ingest
from consilience.types import Filter
from consilience.workspace import init_workspace, open_workspace
from tests_shared import make_passage

LIGHTS = [
    {"id": "bell", "title": "Bell Rock", "text": "Stevenson built a tower on a reef off Arbroath."},
    {"id": "eddy", "title": "Eddystone", "text": "Smeaton dovetailed granite blocks together."},
]


@pytest.fixture
def space(opened):
    """An empty workspace."""
    return opened()


def documents(workspace):
    return sorted(one.path for one in workspace.catalogue.documents())


def test_a_list_of_dicts_is_searched_at_once(space):
    report = space.add_documents(LIGHTS)
    assert (report.read, report.new, report.indexed) == (2, 2, 2)
    hit = next(iter(space.search("who built the tower off Arbroath?")))
    assert hit.passage.title == "Bell Rock"
    assert hit.passage.metadata["id"] == "bell"
    assert "Stevenson" in space.ask("who built the tower off Arbroath?").text


def test_the_same_again_costs_nothing_and_another_text_replaces_it(space, embedder):
    space.add_documents(LIGHTS)
    before = embedder.embedded
    again = space.add_documents(iter(LIGHTS))
    assert (again.read, again.unchanged, again.indexed) == (0, 2, 0)
    assert embedder.embedded == before
    changed = space.add_documents([{**LIGHTS[0], "text": "It was lit in 1811."}])
    assert (changed.read, changed.new, changed.gone) == (1, 1, 1)
    assert [hit.passage.text for hit in space.search("bell rock") if "1811" in hit.passage.text]
    assert not [hit for hit in space.search("Arbroath reef") if "Arbroath" in hit.passage.text]


def test_documents_are_removed_by_id_and_files_stay(workspace):
    files = documents(workspace)
    workspace.add_documents(LIGHTS)
    assert workspace.remove_documents(["eddy"]).gone == 1
    assert documents(workspace) == sorted([*files, "memory://bell"])
    workspace.remove(["memory://bell"])
    assert documents(workspace) == files
    with pytest.raises(UsageError, match="memory://bell"):
        workspace.remove_documents(["bell"])


def test_adding_files_again_leaves_documents_alone(space, evidence):
    space.add_documents(LIGHTS)
    (space.folder / "own.md").write_text("# Own\n\nA file of the workspace itself.\n")
    space.add([space.folder])
    space.add()
    assert {"memory://bell", "memory://eddy"} < set(documents(space))


def test_a_workspace_of_values_alone_is_looked_at_again_and_rebuilt(space):
    space.add_documents(LIGHTS)
    ids = sorted(one.id for one in space.catalogue.each("documents"))
    assert space.add().read == 0
    assert space.rebuild().indexed == 2
    assert sorted(one.id for one in space.catalogue.each("documents")) == ids
    assert len(space.search("granite blocks"))


def test_a_smaller_encoder_has_its_passages_cut_again(space, embedder):
    text = " ".join(f"sentence {n} speaks of lamps and lenses." for n in range(9))
    space.add_documents([{"id": "a", "text": text}])
    embedder.name, embedder.limit = "words:2", 30
    space.rebuild()
    found = space.catalogue.of_document("memory://a")
    assert len(found) > 1
    assert max(embedder.count([one.indexed for one in found])) <= 30


def test_rows_are_asked_by_sql_and_passages_stay_as_they_are(space):
    space.add_documents(
        [
            {"title": "heights", "rows": [{"name": "Cordouan", "height": 67}, {"name": "Bell"}]},
            {"id": 7, "passages": ["One.", {"text": "Two.", "section": "Late", "page": 3}]},
        ]
    )
    assert space.catalogue.counts() == {"documents": {"document": 2}, "tables": {"row": 2}}
    tall = space.search("how tall is it?", filters=[Filter("height", ">", 60)])
    assert [hit.passage.metadata["name"] for hit in tall] == ["Cordouan"]
    first, second = space.catalogue.of_document("memory://7")
    assert (first.text, second.text) == ("One.", "Two.")
    assert (second.locator.page, second.locator.section) == (3, ("Late",))


@dataclass
class Note:
    text: str
    written: datetime.date
    id: int = 5


def test_dataclasses_passages_and_dates_are_values_too(space):
    space.add_documents(Note("The lamp was lit.", datetime.date(1811, 2, 1)))
    passage = make_passage("aaaa000011112222", "A passage of another workspace.")
    space.add_documents([passage])
    noted = space.catalogue.of_document("memory://5")[0]
    assert noted.metadata == {"id": 5, "written": "1811-02-01"}
    kept = space.catalogue.of_document(f"memory://{passage.id}")[0]
    assert (kept.text, kept.title, kept.kind) == (passage.text, passage.title, passage.kind)
    assert kept.collection == passage.collection


def test_other_fields_become_metadata(space):
    space.add_documents([{"text": "A lens.", "year": np.int64(1822), "metadata": {"by": ["F"]}}])
    passage = next(space.catalogue.each("documents"))
    assert passage.metadata == {"year": 1822, "by": ("F",)}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("a text", "give a list"),
        ([{"title": "t"}], "document 1: it has none of text"),
        ([LIGHTS[0], {"text": 3}], "document 2: `text` is 3"),
        ([{"text": "a", "rows": []}], "text and rows"),
        ([{"text": "a", "id": ""}], "cannot be the id"),
        ([{"text": "a", "x": object()}], "`x` is object"),
        ([{"text": "a", "x": 1, "metadata": {"x": 2}}], "'x' stands both"),
        ([{"rows": {"a": 1}}], "'rows' is dict"),
        ([5], "document 1: '5' is int"),
    ],
)
def test_what_is_no_document_is_refused_whole(space, bad, message):
    with pytest.raises(UsageError, match=message):
        space.add_documents(bad)
    assert not space.catalogue.documents()


def test_paths_given_as_values_are_pointed_to_the_other_door(space):
    with pytest.raises(UsageError, match="add_documents"):
        space.add(LIGHTS)
    with pytest.raises(UsageError, match="write \\['bell'\\]"):
        space.remove_documents("bell")


class Killed(Exception):
    """Stands for a kill."""


def test_an_interrupted_run_is_completed_by_the_next(space, monkeypatch):
    def values():
        yield from ({"id": n, "text": f"lamp number {n}"} for n in range(ingest.AT_ONCE + 5))
        raise Killed

    with pytest.raises(Killed):
        space.add_documents(values())
    assert space.catalogue.pending_count() == ingest.AT_ONCE
    whole = [{"id": n, "text": f"lamp number {n}"} for n in range(ingest.AT_ONCE + 5)]
    report = space.add_documents(whole)
    assert (report.unchanged, report.read) == (ingest.AT_ONCE, 5)
    assert report.indexed == ingest.AT_ONCE + 5
    assert space.catalogue.pending_count() == 0


def test_progress_is_reported(space):
    seen = []

    class Bars:
        def stage(self, name, *, total, unit):
            seen.append((name, total, unit))

        def advance(self, number=1):
            seen.append(number)

    space.add_documents(LIGHTS, progress=Bars())
    assert seen == [("Reading", 2, "documents"), 2, ("Indexing", 2, "passages"), 2]


def test_a_jsonl_of_texts_becomes_passages(tmp_path, space):
    lines = (json.dumps({"id": n, "text": f"The keeper wrote in his diary that lamp {n} had gone "
             "out again during the storm."}) for n in range(3))  # fmt: skip
    (tmp_path / "diary.jsonl").write_text("\n".join(lines))
    space.add(tmp_path / "diary.jsonl")
    assert space.catalogue.counts() == {"documents": {"document": 3}}


def test_two_lines_to_a_first_answer(tmp_path):
    with open_workspace(init_workspace(tmp_path / "notes")) as workspace:
        workspace.add_documents(LIGHTS)
        assert "Smeaton" in workspace.ask("Who dovetailed granite blocks?").text
