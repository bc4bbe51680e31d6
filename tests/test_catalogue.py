import sqlite3

import pytest

from consilience.catalogue import Catalogue, Pending, Record
from consilience.errors import StoreError, UsageError
from consilience.types import Locator


@pytest.fixture
def catalogue(tmp_path):
    made = Catalogue(tmp_path / "catalogue.db")
    yield made
    made.close()


def record(path, **more):
    values = {"collection": "notes", "sha256": "0", "size": 1, "mtime_ns": 1}
    return Record(path=path, loader="text", version=1, **{**values, **more})


KEYS = [f"{n:016x}" for n in range(10)]


def test_a_passage_comes_back_as_it_was(catalogue, passage):
    one = passage(
        KEYS[0],
        "♘f3 «é»",
        locator=Locator(section=("A", "B"), page=3),
        metadata={"year": 1811, "tall": 35.5, "lit": True, "tags": ("x", "y")},
        search="Nf3",
    )
    catalogue.store(record("n.md"), [one])
    assert catalogue.get([KEYS[0], "unknown"]) == {KEYS[0]: one}


def test_storing_again_writes_only_what_changed(catalogue, passage):
    first = [passage(KEYS[0]), passage(KEYS[1])]
    assert catalogue.store(record("n.md"), first).new == 2
    catalogue.settle(catalogue.pending(10), {})
    changed = catalogue.store(record("n.md"), [passage(KEYS[1]), passage(KEYS[2])])
    assert (changed.new, changed.kept, changed.gone) == (1, 1, 1)
    assert catalogue.pending(10) == [
        Pending(KEYS[0], "notes", "remove"),
        Pending(KEYS[2], "notes", "write"),
    ]


def test_a_passage_lives_as_long_as_one_document_owns_it(catalogue, passage):
    catalogue.store(record("b.md"), [passage(KEYS[0])])
    catalogue.store(record("a.md"), [passage(KEYS[0])])
    assert catalogue.get(KEYS[:1])[KEYS[0]].document == "a.md"
    assert catalogue.forget("a.md") == 0
    assert catalogue.get(KEYS[:1])[KEYS[0]].document == "b.md"
    assert catalogue.forget("b.md") == 1
    assert catalogue.get(KEYS[:1]) == {}


def test_a_passage_that_comes_back_before_it_was_removed_is_written_again(catalogue, passage):
    catalogue.store(record("a.md"), [passage(KEYS[0])])
    catalogue.settle(catalogue.pending(10), {})
    catalogue.forget("a.md")
    catalogue.store(record("a.md"), [passage(KEYS[0])])
    assert catalogue.pending(10) == [Pending(KEYS[0], "notes", "write")]


def test_settling_leaves_what_changed_in_the_meantime(catalogue, passage):
    catalogue.store(record("a.md"), [passage(KEYS[0])])
    taken = catalogue.pending(10)
    catalogue.forget("a.md")
    catalogue.settle(taken, {"fact": "kept"})
    assert catalogue.pending(10) == [Pending(KEYS[0], "notes", "remove")]
    assert catalogue.fact("fact") == "kept"


def test_a_change_is_whole_or_not_at_all(catalogue, passage):
    good = passage(KEYS[0])
    bad = passage(KEYS[1], metadata={"x": object()})
    with pytest.raises(TypeError):
        catalogue.store(record("a.md"), [good, bad])
    assert catalogue.documents() == []
    assert catalogue.pending_count() == 0


def test_a_prefix_finds_a_passage_and_bad_ones_are_refused(catalogue, passage):
    one, other = passage("abcd" + "0" * 12), passage("abce" + "0" * 12)
    catalogue.store(record("a.md"), [one, other])
    assert catalogue.resolve("abcd0").id == one.id
    for prefix, message in (
        ("abc", "is not a passage id"),
        ("ffff", "no passage"),
        ("xyz!", "not"),
    ):
        with pytest.raises(UsageError, match=message):
            catalogue.resolve(prefix)
    catalogue.store(record("b.md"), [passage("abcd" + "1" * 12)])
    with pytest.raises(UsageError, match="several passages"):
        catalogue.resolve("abcd")


def test_passages_made_for_a_question_can_be_shown_again(catalogue, passage):
    made = passage("ee" * 8, kind="path", metadata={"nodes": ("a", "b")})
    catalogue.keep_made([made])
    catalogue.keep_made([made])
    assert catalogue.resolve("eeee") == made


def test_a_rename_keeps_passages_and_leaves_nothing_to_do(catalogue, passage):
    catalogue.store(record("a.md"), [passage(KEYS[0])])
    catalogue.settle(catalogue.pending(10), {})
    catalogue.rename("a.md", "b.md")
    assert catalogue.get(KEYS[:1])[KEYS[0]].document == "b.md"
    assert catalogue.pending_count() == 0


def test_documents_below_a_folder(catalogue):
    for path in ("a/x.md", "a/b/y.md", "ab/z.md", "a"):
        catalogue.touch(record(path))
    assert [one.path for one in catalogue.documents("a")] == ["a", "a/b/y.md", "a/x.md"]


def test_a_newer_format_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "c.db"
    made = Catalogue(path)
    made.set_fact("format", "99")
    made.close()
    with pytest.raises(StoreError, match=r"format 99.*pip install -U consilience"):
        Catalogue(path)


def test_a_file_that_is_no_catalogue_is_refused(tmp_path):
    (tmp_path / "c.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match="cannot open the catalogue"):
        Catalogue(tmp_path / "c.db")


def test_others_can_read_while_one_writes(tmp_path, passage):
    writer = Catalogue(tmp_path / "c.db")
    reader = Catalogue(tmp_path / "c.db")
    writer.store(record("a.md"), [passage(KEYS[0])])
    assert reader.counts() == {"notes": {"note": 1}}
    assert sqlite3.connect(tmp_path / "c.db").execute("PRAGMA journal_mode").fetchone() == ("wal",)
    writer.close()
    reader.close()
