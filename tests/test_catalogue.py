import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from consilience.errors import StoreError, UsageError
from consilience.evidence.catalogue import Catalogue, Pending, Record
from consilience.evidence.catalogue_database import PAGE_BYTES
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
    catalogue.settle(catalogue.pending(10))
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
    catalogue.settle(catalogue.pending(10))
    catalogue.forget("a.md")
    catalogue.store(record("a.md"), [passage(KEYS[0])])
    assert catalogue.pending(10) == [Pending(KEYS[0], "notes", "write")]


def test_settling_leaves_what_changed_in_the_meantime(catalogue, passage):
    catalogue.store(record("a.md"), [passage(KEYS[0])])
    taken = catalogue.pending(10)
    catalogue.forget("a.md")
    catalogue.settle(taken)
    assert catalogue.pending(10) == [Pending(KEYS[0], "notes", "remove")]


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
    catalogue.settle(catalogue.pending(10))
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
    with pytest.raises(StoreError, match="cannot read the catalogue"):
        Catalogue(tmp_path / "c.db")


def test_others_can_read_while_one_writes(tmp_path, passage):
    writer = Catalogue(tmp_path / "c.db")
    reader = Catalogue(tmp_path / "c.db")
    writer.store(record("a.md"), [passage(KEYS[0])])
    assert reader.counts() == {"notes": {"note": 1}}
    assert sqlite3.connect(tmp_path / "c.db").execute("PRAGMA journal_mode").fetchone() == ("wal",)
    writer.close()
    reader.close()


def test_a_renumbered_passage_is_brought_up_to_date_under_its_id(catalogue, passage):
    catalogue.store(record("a.md"), [passage(KEYS[0], locator=Locator(part=1))])
    catalogue.settle(catalogue.pending(10))
    catalogue.store(record("a.md"), [passage(KEYS[0], locator=Locator(part=2))])
    assert catalogue.get(KEYS[:1])[KEYS[0]].locator.part == 2
    assert catalogue.pending(10) == [Pending(KEYS[0], "notes", "write")]


def test_a_large_document_keeps_the_order_of_its_passages_and_counts_what_is_new(
    catalogue, passage
):
    keys = [f"{(n * 7919) % 100_003:016x}" for n in range(1300)]
    first = [passage(key, locator=Locator(part=1)) for key in keys[:700]]
    assert catalogue.store(record("n.md"), first).new == 700
    catalogue.settle(catalogue.pending(1000))
    moved = [passage(key, locator=Locator(part=2)) for key in keys[:3]]
    later = [passage(key, locator=Locator(part=1)) for key in keys[3:]]
    changed = catalogue.store(record("n.md"), [*moved, *later], {keys[0]: 7, keys[900]: 11})
    assert (changed.new, changed.kept, changed.gone) == (600, 700, 0)
    written = {one.id for one in catalogue.pending(2000)}
    assert written == {*keys[:3], *keys[700:]}
    assert catalogue.document("n.md").passages == 1300
    rows = catalogue._db.read("SELECT passage FROM owners WHERE path = 'n.md' ORDER BY place")
    assert [row[0] for row in rows] == keys


def test_words_that_are_known_when_a_document_is_stored_are_not_counted_again(catalogue, passage):
    both = [passage(KEYS[0]), passage(KEYS[1])]
    catalogue.store(record("n.md"), both, {KEYS[0]: 12})
    assert [one.id for one in catalogue.uncounted("notes", 10)] == [KEYS[1]]
    assert catalogue.mean_words("notes") == 12.0


def test_what_is_to_be_written_comes_page_by_page(catalogue, passage):
    catalogue.store(record("a.md"), [passage(key) for key in KEYS[:5]])
    catalogue.store(record("b.md"), [passage(KEYS[5], collection="other")])
    catalogue.settle([Pending(KEYS[1], "notes", "write")])
    catalogue.queue([KEYS[3]], "notes", "remove")
    pages = [catalogue.to_write("notes", 2, after=after) for after in ("", KEYS[2], KEYS[4])]
    assert [[one.id for one in page] for page in pages] == [[KEYS[0], KEYS[2]], [KEYS[4]], []]


def test_fields_names_and_phrases_are_looked_up(catalogue, passage):
    row = passage(
        KEYS[0], "Größe: the Old Light", kind="row", metadata={"Year": 1811, "Name": "x1y"}
    )
    node = passage(
        KEYS[1], kind="node", metadata={"node": "1", "name": "Bell", "aliases": ("Inch",)}
    )
    other = passage(KEYS[2], kind="node", collection="b", metadata={"node": "1", "name": "Aspirin"})
    catalogue.store(record("a.md"), [row, node, other])
    assert catalogue.fields()["notes"] >= {"Year", "Name"}
    assert "inch" in catalogue.aliases("1", "notes")
    assert "aspirin" not in catalogue.aliases("1", "notes")
    assert [one.id for one in catalogue.with_phrase("größe the old", 5)] == [KEYS[0]]
    assert catalogue.with_phrase("old the light", 5) == []
    assert catalogue.with_phrase("!", 5) == []


def test_several_processes_may_make_the_same_catalogue(tmp_path):
    code = (
        "from pathlib import Path; from consilience.evidence.catalogue import Catalogue; "
        f"Catalogue(Path({str(tmp_path / 'c.db')!r}))"
    )
    jobs = [
        subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE) for _ in range(4)
    ]
    assert [(job.communicate()[1], job.returncode) for job in jobs] == [(b"", 0)] * 4


def test_a_catalogue_is_read_where_nothing_can_be_written(tmp_path, passage):
    made = Catalogue(tmp_path / "c.db")
    made.store(record("a.md"), [passage(KEYS[0])])
    made.close()
    reader = Catalogue(tmp_path / "c.db", read_only=True)
    assert reader.counts() == {"notes": {"note": 1}}
    with pytest.raises(StoreError, match="nothing was changed"):
        reader.forget("a.md")
    reader.close()


def test_a_damaged_page_is_one_clear_error(tmp_path, passage):
    made = Catalogue(tmp_path / "c.db")
    made.store(record("a.md"), [passage(f"{n:016x}", "word " * 300) for n in range(200)])
    made.close()
    size = (tmp_path / "c.db").stat().st_size
    with (tmp_path / "c.db").open("r+b") as file:
        file.seek(2 * PAGE_BYTES)
        file.write(b"\xff" * (size - 2 * PAGE_BYTES))
    damaged = Catalogue(tmp_path / "c.db", read_only=True)
    with pytest.raises(StoreError, match="restore it from a backup"):
        list(damaged.each("notes"))
    damaged.close()


# --- threads ----------------------------------------------------------------------------


def test_threads_that_ended_leave_no_connection_behind(catalogue, passage):
    catalogue.store(record("n.md"), [passage(KEYS[0])])
    found = []
    for _ in range(500):
        thread = threading.Thread(target=lambda: found.append(len(catalogue.get(KEYS))))
        thread.start()
        thread.join()
    assert found == [1] * 500
    assert len(catalogue._db._connections) <= 2


def test_a_closed_catalogue_says_so_to_every_thread(tmp_path):
    made = Catalogue(tmp_path / "catalogue.db")
    made.close()
    with ThreadPoolExecutor(1) as pool, pytest.raises(StoreError, match="closed"):
        pool.submit(made.counts).result()
    with pytest.raises(StoreError, match="closed"):
        made.set_fact("a", "b")


def test_a_question_does_not_wait_for_a_file_that_is_being_stored(catalogue, passage):
    made = [passage(f"{n:x}" * 16, kind="path") for n in (13, 14, 15)]
    storing, done = threading.Event(), threading.Event()

    def store():
        with catalogue._db.change():
            storing.set()
            done.wait(20)

    thread = threading.Thread(target=store)
    thread.start()
    assert storing.wait(20)
    catalogue.keep_made(made[:1])
    catalogue.keep_made(made[1:2])
    assert thread.is_alive()
    assert [catalogue.resolve(one.id) for one in made[:2]] == made[:2]
    done.set()
    thread.join()
    catalogue.keep_made(made[2:])  # writes those that waited as well
    catalogue.close()
    again = Catalogue(catalogue._db.path)
    assert [again.resolve(one.id) for one in made] == made
    again.close()


def test_one_thread_writes_while_others_read(catalogue, passage):
    stop, errors = threading.Event(), []

    def read():
        while not stop.is_set():
            held = catalogue.get(KEYS)
            if len(held) not in (0, len(KEYS)):  # a document is stored as a whole
                errors.append(sorted(held))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(40):
        catalogue.store(record("n.md"), [passage(key) for key in KEYS])
        catalogue.forget("n.md")
    stop.set()
    for thread in threads:
        thread.join()
    assert not errors


CLOSED_WHILE_READ = """
import sys, threading
from pathlib import Path
from consilience.evidence.catalogue import Catalogue
from consilience.errors import StoreError

def read(catalogue, began):
    try:
        while True:
            catalogue.fingerprint()
            catalogue.counts()
            began.set()
    except StoreError:
        pass

for number in range(40):
    catalogue, began = Catalogue(Path(sys.argv[1])), threading.Event()
    readers = [threading.Thread(target=read, args=(catalogue, began)) for _ in range(3)]
    for one in readers:
        one.start()
    began.wait(10)
    catalogue.close()
    for one in readers:
        one.join()
print("whole")
"""


def test_a_catalogue_is_closed_while_others_read(tmp_path):
    command = [sys.executable, "-c", CLOSED_WHILE_READ, str(tmp_path / "catalogue.db")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout) == (0, "whole\n")
