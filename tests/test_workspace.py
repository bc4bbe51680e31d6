import asyncio
import json
import os
import shutil
import threading
import time
import warnings
from pathlib import Path

import pytest

from consilience.errors import (
    MissingWorkspace,
    ModelError,
    StoreError,
    UsageError,
    WorkspaceBusy,
)
from consilience.evidence import ingest
from consilience.settings import build_settings
from consilience.types import Filter, Request
from consilience.workspace import (
    Workspace,
    connect_workspace,
    find_workspace,
    init_workspace,
    open_workspace,
)
from tests_shared import WordVectors


def indexed(workspace):
    """The ids that each engine holds, to compare with the catalogue."""
    found = {}
    for collection in workspace.catalogue.counts():
        shard = workspace.stores.passages(collection)
        found[collection] = sorted(shard.ids())
    return found


def catalogued(workspace):
    return {
        collection: sorted(one.id for one in workspace.catalogue.each(collection))
        for collection in workspace.catalogue.counts()
    }


def test_a_folder_of_mixed_files_becomes_collections_of_passages(workspace):
    assert workspace.catalogue.counts() == {
        "documents": {"document": 3},
        "graph": {"node": 3, "edge": 2},
        "tables": {"row": 3},
    }
    assert indexed(workspace) == catalogued(workspace)


def test_a_second_run_does_nothing(workspace, evidence, embedder):
    before = embedder.embedded
    report = workspace.add([evidence])
    assert (report.read, report.unchanged, report.indexed) == (0, 4, 0)
    assert embedder.embedded == before


def test_only_what_changed_is_embedded_again(workspace, evidence, embedder):
    before = embedder.embedded
    text = (evidence / "towers.md").read_text().replace("granite", "Portland")
    (evidence / "towers.md").write_text(text)
    report = workspace.add([evidence])
    assert (report.read, report.new, report.kept, report.gone) == (1, 1, 1, 1)
    assert embedder.embedded - before == 1
    assert indexed(workspace) == catalogued(workspace)
    assert workspace.search("Portland").hits[0].passage.text.startswith("Smeaton")


def test_a_touched_file_is_not_read_again(workspace, evidence):
    os.utime(evidence / "towers.md", (1, 1))
    report = workspace.add([evidence])
    assert (report.read, report.unchanged) == (0, 4)


def test_a_moved_file_keeps_its_passages_and_costs_no_embedding(workspace, evidence, embedder):
    before, ids = embedder.embedded, catalogued(workspace)
    (evidence / "deep").mkdir()
    (evidence / "towers.md").rename(evidence / "deep" / "elsewhere.md")
    report = workspace.add([evidence])
    assert (report.moved, report.read, report.removed) == (1, 0, 0)
    assert embedder.embedded == before
    assert catalogued(workspace) == ids
    assert any(one.path.endswith("deep/elsewhere.md") for one in workspace.catalogue.documents())


def test_a_moved_file_whose_title_was_its_name_gets_the_new_title(workspace, evidence):
    (evidence / "lights.csv").rename(evidence / "lighthouses.csv")
    report = workspace.add([evidence])
    assert (report.read, report.removed) == (1, 1)
    assert workspace.search("Cordouan").hits[0].passage.title == "lighthouses"
    assert indexed(workspace) == catalogued(workspace)


def test_a_deleted_file_takes_its_passages_along(workspace, evidence):
    (evidence / "lights.csv").unlink()
    report = workspace.add([evidence])
    assert (report.removed, report.gone) == (1, 3)
    assert "tables" not in workspace.catalogue.counts()
    assert workspace.stores.passages("tables").count() == 0
    assert list(workspace.stores.store("tables", "tables").ids()) == []


def test_without_paths_everything_is_looked_at_again(workspace, evidence):
    (evidence / "new.txt").write_text("A fog bell\n\nrang every minute.")
    assert workspace.add([]).read == 1
    (evidence / "new.txt").rename(evidence.parent / "elsewhere.txt")
    assert workspace.add([]).removed == 1


def test_a_drive_that_is_not_there_costs_nothing(opened, tmp_path, evidence):
    drive = tmp_path / "drive"
    shutil.copytree(evidence, drive / "files")
    space = opened()
    space.add([drive / "files"])
    drive.rename(tmp_path / "unplugged")
    report = space.add([])
    assert report.removed == 0
    assert "its folder is not there" in report.notes[0][1]
    space.rebuild()
    assert space.catalogue.pending_count() == 0
    assert space.search("granite").hits
    assert indexed(space) == catalogued(space)


def test_a_file_added_by_name_is_followed_when_it_moves_or_goes(opened, evidence):
    space = opened()
    space.add([evidence / "towers.md", evidence / "lamps.txt"])
    (evidence / "towers.md").rename(evidence / "spires.md")
    report = space.add([evidence / "spires.md"])
    assert (report.moved, report.read) == (1, 0)
    (evidence / "lamps.txt").unlink()
    assert space.add([]).removed == 1
    assert [Path(one.path).name for one in space.catalogue.documents()] == ["spires.md"]


def test_what_cannot_be_looked_into_is_kept_and_listed(opened, evidence, monkeypatch):
    (evidence / "sub").mkdir()
    shutil.copy(evidence / "towers.md", evidence / "sub" / "inner.md")
    (evidence / "link.md").symlink_to(evidence / "towers.md")
    space = opened()
    space.add([evidence])
    before = space.catalogue.counts()
    real = os.scandir

    def refuse(path):
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    (evidence / "link.md").unlink()
    (evidence / "link.md").symlink_to(evidence / "nowhere.md")
    report = space.add([evidence])
    assert report.removed == 0
    assert space.catalogue.counts() == before
    listed = {Path(one.path).name: one.reason for one in space.catalogue.documents()}
    assert listed["sub"] == "Permission denied"
    assert listed["link.md"] == "a link to nothing"


def test_the_nearest_root_decides_the_collection(opened, evidence):
    (evidence / "sub").mkdir()
    (evidence / "sub" / "deep.md").write_text("# Deep\n\nDown below.\n")
    space = opened()
    space.add([evidence])
    space.add([evidence / "sub"], collection="other")
    (evidence / "sub" / "deep.md").write_text("# Deep\n\nFurther down.\n")
    assert space.add([]).read == 1
    assert space.add([evidence]).read == 0
    assert "other" in space.catalogue.counts()


def test_removing_a_folder_keeps_later_files_in_it_out(opened, evidence):
    (evidence / "private").mkdir()
    (evidence / "private" / "one.md").write_text("# One\n\nSecret.\n")
    space = opened()
    space.add([evidence])
    space.remove([evidence / "private"])
    (evidence / "private" / "two.md").write_text("# Two\n\nSecret too.\n")
    assert space.add([evidence]).read == 0
    assert space.add([evidence / "private"]).read == 2


def test_removing_is_all_or_nothing_and_knows_the_workspace_itself(opened, tmp_path, evidence):
    space = opened()
    shutil.copytree(evidence, tmp_path / "space" / "files")
    space.add([tmp_path / "space"])
    with pytest.raises(UsageError, match="nothing was added from 'nowhere'"):
        space.remove([tmp_path / "space" / "files" / "towers.md", tmp_path / "space" / "nowhere"])
    assert len(space.catalogue.documents()) == 4
    assert space.remove([tmp_path / "space"]).removed == 4


def test_changed_metadata_is_stored(opened, evidence):
    note = "---\nyear: {}\n---\n\n# Log\n\nThe lamp was trimmed.\n"
    (evidence / "log.md").write_text(note.format(2020))
    space = opened()
    space.add([evidence])
    (evidence / "log.md").write_text(note.format(2021))
    space.add([evidence])
    assert not space.search("lamp trimmed", filters=[Filter("year", "=", 2020)]).hits
    assert space.search("lamp trimmed", filters=[Filter("year", "=", 2021)]).hits
    assert indexed(space) == catalogued(space)


def test_after_a_move_the_new_path_is_what_filters_see(workspace, evidence):
    (evidence / "towers.md").rename(evidence / "zenith.md")
    workspace.add([evidence])
    found = workspace.search("granite", filters=[Filter("document", "contains", "zenith")])
    assert found.hits
    assert not workspace.search(
        "granite", filters=[Filter("document", "contains", "towers.md")]
    ).hits


def test_lost_store_files_are_reported_by_a_search_and_written_again(opened, evidence, tmp_path):
    space = opened()
    space.add([evidence])
    space.close()
    shutil.rmtree(tmp_path / "space" / ".consilience" / "collections")
    space = opened()
    notes = " ".join(map(str, space.search("granite").notes))
    assert "11 passages are missing from the stores" in notes
    assert "consilience add" in notes
    space.close()
    space = opened()  # the search made empty files; what is missing is still known
    assert space.add([evidence]).indexed == 11
    assert indexed(space) == catalogued(space)
    assert len(list(space.stores.store("graph", "graph").ids())) == 5
    result = space.search("how tall is Cordouan?")
    assert result.hits[0].passage.metadata["height"] == 67
    assert not [note for note in result.notes if note.origin == "workspace"]


def test_a_store_that_lost_some_passages_gets_them_back(workspace, evidence):
    lost = next(iter(workspace.catalogue.each("documents"))).id
    workspace.stores.passages("documents").remove([lost])
    assert "1 passages are missing" in str(workspace.search("granite").notes[0])
    workspace.add([evidence])
    assert indexed(workspace) == catalogued(workspace)


def test_rebuild_refuses_before_it_destroys(workspace, monkeypatch, embedder):
    def broken(text):
        raise ModelError("no such model")

    with monkeypatch.context() as patched:
        patched.setattr(embedder, "embed_query", broken)
        with pytest.raises(ModelError):
            workspace.rebuild()
    assert workspace.catalogue.pending_count() == 0
    assert workspace.search("granite").hits


def test_an_unknown_language_is_refused_first(opened, evidence):
    space = opened()
    space.add([evidence])
    space.close()
    space = opened(**{"passages.language": "klingon"})
    for call in (space.rebuild, lambda: space.search("granite"), lambda: space.add([evidence])):
        with pytest.raises(UsageError, match="klingon"):
            call()
    assert space.catalogue.pending_count() == 0
    space.close()
    german = opened(**{"passages.language": "german"})
    with pytest.raises(StoreError, match=r"'english'.*'german'"):
        german.search("granite")


def test_without_its_model_a_workspace_still_answers_by_words(workspace, embedder, monkeypatch):
    def broken(text):
        raise ModelError("the server is down")

    monkeypatch.setattr(embedder, "embed_query", broken)
    result = workspace.search("granite")
    assert result.hits[0].passage.text.startswith("Smeaton")
    assert any("the server is down" in str(note) for note in result.notes)


def test_a_notebook_s_loop_is_no_obstacle(workspace):
    async def cell():
        return workspace.search("granite").hits

    assert asyncio.run(cell())


def test_a_long_question_is_remarked_on(workspace):
    result = workspace.search("granite " + "and so on " * 60)
    assert any("only its first 80 tokens" in str(note) for note in result.notes)


def test_odd_names_and_pipes_are_reported_not_fatal(opened, evidence):
    os.mkfifo(evidence / "pipe.txt")
    Path(os.fsdecode(os.fsencode(str(evidence)) + b"/caf\xe9.md")).write_text("# Odd\n")
    report = opened().add([evidence])
    assert report.read == 4
    assert "not valid UTF-8" in report.failed[0][1]
    assert "(not a plain file) (1)" in report.ignored


def test_removing_forgets_and_stays_forgotten_until_asked_for(workspace, evidence):
    report = workspace.remove([evidence / "lights.csv"])
    assert (report.removed, report.gone) == (1, 3)
    assert (evidence / "lights.csv").exists()
    assert workspace.add([]).read == 0
    assert workspace.add([evidence / "lights.csv"]).read == 1
    with pytest.raises(UsageError, match=r"nothing was added from.*nowhere"):
        workspace.remove([evidence / "nowhere"])


def test_two_copies_of_a_file_are_one_set_of_passages(workspace, evidence):
    counts = workspace.catalogue.counts()
    shutil.copy(evidence / "towers.md", evidence / "copy.md")
    report = workspace.add([evidence])
    assert (report.read, report.new, report.kept) == (1, 0, 2)
    assert workspace.catalogue.counts() == counts
    (evidence / "towers.md").unlink()
    workspace.add([evidence])
    assert workspace.catalogue.counts() == counts


def test_a_file_that_cannot_be_read_is_listed_and_the_rest_goes_on(opened, evidence):
    (evidence / "broken.pdf").write_bytes(b"%PDF-1.4 this is not one")
    (evidence / "broken.epub").write_bytes(b"PK nonsense")
    (evidence / "sound.mp3").write_bytes(b"\xff\xd8")
    space = opened()
    report = space.add([evidence])
    assert report.read == 4
    assert {Path(path).name for path, _ in report.failed} == {"broken.pdf", "broken.epub"}
    assert report.ignored == [".mp3 (1)"]
    listed = {Path(one.path).name: one for one in space.catalogue.documents()}
    assert listed["broken.pdf"].status == "failed"
    assert listed["broken.pdf"].reason
    (evidence / "broken.epub").unlink()
    space.add([evidence])
    assert "broken.epub" not in {Path(one.path).name for one in space.catalogue.documents()}


def test_a_file_that_breaks_later_keeps_what_was_read_before(workspace, evidence):
    (evidence / "towers.md").write_bytes(b"\x00\x01 broken")
    report = workspace.add([evidence])
    assert len(report.failed) == 1
    assert workspace.catalogue.counts()["documents"]["document"] == 3


def test_files_can_go_to_a_collection_by_name(opened, evidence):
    space = opened()
    space.add([evidence / "towers.md"], collection="engineering")
    assert space.catalogue.counts() == {"engineering": {"document": 2}}
    with pytest.raises(UsageError, match="cannot name a collection"):
        space.add([evidence / "lamps.txt"], collection="../up")


def test_missing_and_unknown_files_are_refused(opened, evidence, tmp_path):
    space = opened()
    with pytest.raises(UsageError, match="no such file or folder"):
        space.add([tmp_path / "nowhere"])
    (tmp_path / "thing.xyz").write_text("?")
    with pytest.raises(UsageError, match=r"'thing\.xyz': no loader for \.xyz files\.\n(.|\n)*\.md"):
        space.add([tmp_path / "thing.xyz"])
    assert space.catalogue.roots() == {}


def test_searching_before_adding_says_what_to_do(opened):
    with pytest.raises(UsageError, match="consilience add"):
        opened().search("anything")


def test_a_store_of_another_model_is_refused_and_rebuilt(opened, evidence, embedder):
    space = opened()
    space.add([evidence])
    space.close()
    embedder.name = "other:2"
    space = opened()
    for call in (lambda: space.search("tower"), lambda: space.add([evidence])):
        with pytest.raises(StoreError, match=r"'words:1'.*'other:2'.*consilience rebuild"):
            call()
    space.rebuild()
    assert space.search("granite").hits
    assert indexed(space) == catalogued(space)
    assert space.catalogue.fact("model") == "other:2"


def test_an_interrupted_run_is_completed_by_the_next(opened, evidence, embedder, monkeypatch):
    space = opened()

    def give_up(texts):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(embedder, "embed", give_up)
        with pytest.raises(KeyboardInterrupt):
            space.add([evidence])
    assert space.catalogue.pending_count() == 11
    assert "11 passages are not indexed yet" in str(space.search("tower").notes[0])
    space.close()
    space = opened()
    report = space.add([evidence])
    assert (report.read, report.unchanged, report.indexed) == (0, 4, 11)
    assert indexed(space) == catalogued(space)


def test_the_average_length_follows_the_corpus(opened, evidence):
    space = opened()
    space.add([evidence])
    before = float(space.catalogue.fact("average:documents"))
    words = " ".join(f"word{n}" for n in range(60))
    (evidence / "long.txt").write_text(f"Long\n\n{words}\n\n{words[::-1]}")
    space.add([evidence])
    after = float(space.catalogue.fact("average:documents"))
    assert after > before * 1.1
    reached = space.engine.sources["documents/bm25"]
    text = Request(text="granite")
    scores = asyncio.run(reached.score(text, [one.id for one in space.catalogue.each("documents")]))
    assert max(scores.values()) > 0
    space.rebuild()
    again = space.engine.sources["documents/bm25"]
    fresh = asyncio.run(again.score(text, list(scores)))
    assert scores == pytest.approx(fresh, rel=1e-6)


def test_an_open_workspace_belongs_to_one_owner_and_says_who(workspace, opened):
    with pytest.raises(WorkspaceBusy, match="already open in this process"):
        opened()


def test_another_process_is_named(opened, tmp_path):
    space = opened()
    owner = tmp_path / "space" / ".consilience" / "owner.json"
    held = json.loads(owner.read_text())
    owner.write_text(json.dumps({**held, "pid": 4242, "command": "consilience add"}))
    started = time.monotonic()
    with pytest.raises(WorkspaceBusy, match=r"held by `consilience add` \(process 4242"):
        opened()
    assert time.monotonic() - started < 10
    space.close()
    opened().close()


def test_the_catalogue_can_be_read_while_the_workspace_is_held(workspace):
    catalogue = Workspace.peek(workspace.folder)
    assert catalogue.counts() == workspace.catalogue.counts()
    catalogue.close()


def test_the_nearest_workspace_upwards_is_found(tmp_path):
    init_workspace(tmp_path / "w")
    (tmp_path / "w" / "a" / "b").mkdir(parents=True)
    assert find_workspace(tmp_path / "w" / "a" / "b") == tmp_path / "w"
    with pytest.raises(MissingWorkspace, match="consilience init"):
        find_workspace(tmp_path)
    with pytest.raises(UsageError, match="a workspace already"):
        init_workspace(tmp_path / "w")
    with pytest.raises(UsageError, match="unknown pack"):
        init_workspace(tmp_path / "v", pack="cooking")


def test_a_folder_inside_a_workspace_is_no_workspace(workspace):
    inside = workspace.folder / "notes"
    inside.mkdir()
    for open_it in (open_workspace, Workspace.peek):
        with pytest.raises(MissingWorkspace, match="notes is not a workspace"):
            open_it(inside)


def test_a_closed_workspace_says_so_and_leaves_no_thread(workspace):
    before = set(threading.enumerate())
    assert workspace.search("granite").hits
    assert set(threading.enumerate()) - before
    workspace.close()
    workspace.close()
    assert not set(threading.enumerate()) - before
    for use in (
        lambda: workspace.search("granite"),
        lambda: workspace.add([]),
        lambda: workspace.stores,
        lambda: workspace.catalogue,
    ):
        with pytest.raises(UsageError, match="is closed; open it again"):
            use()


def test_a_forked_process_is_refused_and_leaves_the_workspace_alone(workspace):
    assert workspace.search("granite").hits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads
        child = os.fork()
    if not child:
        status = 1
        try:
            workspace.search("granite")
        except UsageError as error:
            workspace.close()
            status = 42 if "was opened by process" in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    assert workspace.search("granite").hits
    with pytest.raises(WorkspaceBusy, match="already open in this process"):
        connect_workspace(workspace.folder, settings=workspace.settings)


def test_a_read_only_folder_is_refused_and_nothing_is_lost(workspace, monkeypatch):
    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    counts = workspace.catalogue.counts()
    workspace.close()
    monkeypatch.setattr("consilience.lock.FileLock.acquire", refuse)
    with pytest.raises(StoreError, match="Read-only file system"):
        open_workspace(workspace.folder)
    monkeypatch.undo()
    catalogue = Workspace.peek(workspace.folder)
    assert catalogue.counts() == counts
    catalogue.close()


def test_filters_bind_every_source(workspace):
    result = workspace.search("Bell Rock light", filters=[Filter("height", ">", 40)])
    assert {hit.passage.metadata["name"] for hit in result.hits} == {"Eddystone", "Cordouan"}


def test_what_lies_below_a_removed_folder_does_not_come_back(opened, tmp_path):
    below = tmp_path / "papers" / "june"
    below.mkdir(parents=True)
    (below / "one.md").write_text("A single remark about lamps.")
    space = opened()
    space.add([below / "one.md"])
    space.remove([tmp_path / "papers"])
    assert space.catalogue.roots() == {}
    assert space.catalogue.documents() == []


def test_no_reranker_and_no_language_model_can_be_asked_for(tmp_path):
    folder = init_workspace(tmp_path / "space")
    models = {"models.rerank": "late", "models.generate": "openai:x", "models.embed": "fine"}
    settings = build_settings({**models, "models.generate_address": "http://localhost:1/v1"})
    with open_workspace(folder, settings=settings) as space:
        assert space.reranker is not None
    with open_workspace(folder, settings=settings, reranker=None, generator=None) as space:
        assert space.reranker is None
        assert space.generator is None


def test_an_unknown_option_of_a_question_is_refused(workspace):
    with pytest.raises(UsageError, match="unknown option 'top_k' of a question; known: limit"):
        workspace.search("lights", top_k=3)


class Odd(WordVectors):
    """An embedder that gives nonsense where it is told to."""

    passages = questions = staticmethod(lambda rows: rows)

    def embed(self, texts):
        return self.passages(super().embed(texts))

    def embed_query(self, text):
        return self.questions(super().embed_query(text))


def raises(_):
    raise ValueError("boom")


NONSENSE = {
    "nan": lambda row: row * float("nan"),
    "too few": lambda row: row[..., :3],
    "a matrix": lambda row: row.reshape(1, 1, -1),
    "nothing": lambda _: None,
    "text": lambda _: "vector",
    "an error": raises,
}


@pytest.mark.parametrize("fault", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_from_an_embedder_is_named_and_costs_its_source_only(tmp_path, evidence, fault):
    embedder = Odd()
    folder = init_workspace(tmp_path / "space")
    settings = build_settings({"models.rerank": "none", "retrieve.hard_ms": 30_000})
    with open_workspace(folder, settings=settings, embedder=embedder) as space:
        space.add(evidence)
        embedder.questions = fault
        result = space.search("granite")
        assert "granite" in result.hits[0].passage.text
        outcomes = {one.source: one for one in result.trace.outcomes}
        assert outcomes["documents/bm25"].status == "ok"
        assert outcomes["documents/dense"].status == "failed"
        assert "embedder 'words:1'" in outcomes["documents/dense"].reason
    with open_workspace(folder, settings=settings, embedder=embedder) as space:
        assert space.search("granite").hits  # opened with it, too


@pytest.mark.parametrize("fault", list(NONSENSE.values())[:-1], ids=list(NONSENSE)[:-1])
def test_nonsense_about_passages_is_named_and_nothing_is_lost(tmp_path, evidence, fault):
    embedder = Odd()
    with open_workspace(init_workspace(tmp_path / "space"), embedder=embedder) as space:
        embedder.passages = fault
        with pytest.raises(ModelError, match="embedder 'words:1' gave"):
            space.add(evidence)
        embedder.passages = Odd.passages
        assert space.add().indexed > 0
        assert space.search("granite").hits


def test_a_rebuild_that_was_killed_goes_on_where_it_stopped(
    opened, evidence, embedder, monkeypatch
):
    space = opened()
    for number in range(30):
        (evidence / f"{number}.md").write_text(f"# Lamp {number}\n\nLamp {number} burned long.\n")
    space.add(evidence)
    ids = catalogued(space)
    real, read = ingest._split_file, []

    def count(file, *more):
        read.append(file.key)
        if len(read) == 20:
            raise KeyboardInterrupt
        return real(file, *more)

    monkeypatch.setattr(ingest, "_split_file", count)
    with pytest.raises(KeyboardInterrupt):
        space.rebuild()
    monkeypatch.undo()
    space.close()
    space = opened()
    report = space.rebuild()
    assert 0 < report.unchanged < 34
    assert report.read + report.unchanged == 34
    assert catalogued(space) == indexed(space) == ids
    assert space.rebuild().read == 34  # it had ended: this one is new
