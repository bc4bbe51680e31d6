"""What a journal keeps of questions and reactions, whoever else is writing or reading."""

from __future__ import annotations

import json
import sqlite3
import stat
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from consilience.errors import StoreError, UsageError
from consilience.filters import parse_filter
from consilience.journal import (
    FORMAT,
    JOURNAL,
    Journal,
    Unasked,
    read_entries,
)
from consilience.types import Query

QUESTION = "When do bees swarm?"


@pytest.fixture(scope="module")
def result(space):
    """A real result, with filters and collections."""
    filters = (parse_filter("kind!=nothing"),)
    collections = tuple(sorted(space.catalogue.counts()))
    return space.find(Query(text=QUESTION, filters=filters, collections=collections))


@pytest.fixture
def path(tmp_path):
    return tmp_path / JOURNAL


@pytest.fixture
def journal(path):
    found = Journal(path)
    yield found
    found.close()


def only(path):
    (entry,) = read_entries(path)
    return entry


def test_every_field_of_a_question_is_kept(path, result):
    journal = Journal(path)
    cited = result.hits[0].passage.id
    key = journal.asked(result, ms=12.5, kept=[cited, cited])
    entry = only(path)
    assert entry.key == key
    assert entry.time > 1_700_000_000
    assert entry.text == QUESTION
    assert entry.filters == ("kind != nothing",)
    assert entry.collections == result.query.collections
    assert [(one.passage, one.kind, one.collection) for one in entry.shown] == [
        (hit.passage.id, hit.passage.kind, hit.passage.collection) for hit in result.hits
    ]
    assert len(entry.shown) > 1
    assert entry.kept == (cited,)
    assert not entry.abstained
    assert entry.ms == 12.5
    assert entry.reactions == ()
    journal.asked(replace(result, abstained=True), ms=1)
    *_, other = read_entries(path)
    assert other.abstained
    journal.close()


def test_the_file_is_its_owners_alone_and_knows_its_format(journal, path, result):
    assert not path.exists()  # opened when first needed
    journal.asked(result, ms=1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sqlite3.connect(path).execute("PRAGMA user_version").fetchone() == (FORMAT,)
    columns = {row[1] for row in sqlite3.connect(path).execute("PRAGMA table_info(questions)")}
    assert columns == {
        *("number", "key", "time", "text", "filters", "collections", "bucket", "forced"),
        *("settings", "shown", "kept", "abstained", "ms"),
    }  # nothing of who asked


def test_reactions_are_kept_with_their_passage_and_value(journal, path, result):
    key = journal.asked(result, ms=1)
    first, second = (hit.passage.id for hit in result.hits[:2])
    journal.reacted(key, "click", passage=second)
    journal.reacted(key, "click", passage=first)
    journal.reacted(key, "click", passage=second)
    journal.reacted(key, "dwell", passage=second, value=10)
    journal.reacted(key, "dwell", passage=second, value=25.5)
    journal.reacted(key, "kept", passage=first)
    journal.reacted(key, "up")
    found = [(one.kind, one.passage, one.value) for one in only(path).reactions]
    assert found == [
        ("click", second, 1.0),
        ("click", first, 1.0),
        ("dwell", second, 35.5),
        ("kept", first, 1.0),
        ("up", "", 1.0),
    ]


def test_a_thumb_can_be_turned_and_time_away_does_not_count(journal, path, result):
    key = journal.asked(result, ms=1)
    journal.reacted(key, "up")
    journal.reacted(key, "down")
    journal.reacted(key, "dwell", value=10_000)
    found = {one.kind: one.value for one in only(path).reactions}
    assert found == {"down": 1.0, "dwell": 3600.0}


def test_a_cited_passage_was_shown_too(journal, path, result):
    key = journal.asked(replace(result, hits=()), ms=1, kept=["00ff"])
    journal.reacted(key, "click", passage="00ff")
    assert only(path).reactions[0].passage == "00ff"


@pytest.mark.parametrize(
    ("error", "said", "call"),
    [
        (Unasked, "no question was kept", {"key": "unknown", "kind": "up"}),
        (Unasked, "was not among", {"kind": "click", "passage": "0123456789abcdef"}),
        (UsageError, "name its id", {"kind": "click"}),
        (UsageError, "unknown reaction", {"kind": "stare"}),
        (UsageError, "0 or more", {"kind": "dwell", "value": float("nan")}),
        (UsageError, "0 or more", {"kind": "dwell", "value": -1}),
    ],
)
def test_what_cannot_be_a_reaction_is_refused(journal, path, result, error, said, call):
    key = journal.asked(result, ms=1)
    with pytest.raises(error, match=said):
        journal.reacted(**{"key": key, **call})
    assert only(path).reactions == ()
    assert not journal.lost


def test_without_a_path_nothing_is_kept(tmp_path, result):
    journal = Journal(None)
    assert journal.asked(result, ms=1) == ""
    with pytest.raises(UsageError, match=r"serve\.journal"):
        journal.reacted("any", "up")
    assert not list(tmp_path.iterdir())


def test_the_oldest_questions_go_with_their_reactions(path, result):
    journal = Journal(path, most=3)
    keys = [journal.asked(result, ms=number) for number in range(5)]
    journal.reacted(keys[-1], "up")
    assert [one.ms for one in read_entries(path)] == [2, 3, 4]
    journal.asked(result, ms=5)
    journal.asked(result, ms=6)
    journal.asked(result, ms=7)
    assert [one.ms for one in read_entries(path)] == [5, 6, 7]
    assert all(not one.reactions for one in read_entries(path))
    with pytest.raises(Unasked):
        journal.reacted(keys[0], "up")
    journal.close()


def test_a_journal_does_not_outgrow_its_room(path, result):
    journal = Journal(path, largest=200_000)
    long = replace(result, query=replace(result.query, text="x" * 8000))
    for number in range(100):
        assert journal.asked(long, ms=number)
    kept = [one.ms for one in read_entries(path)]
    assert 5 < len(kept) < 30
    assert kept[-1] == 99
    assert path.stat().st_size < 400_000
    journal.close()


def test_a_text_that_is_none_costs_no_answer(journal, path, result):
    odd = replace(result, query=replace(result.query, text="a\ud800b"))
    assert journal.asked(odd, ms=1)
    assert only(path).text == "a?b"


def test_a_journal_that_cannot_be_written_costs_no_answer(path, result):
    path.write_bytes(b"this is no database at all, whatever its name says" * 50)
    journal = Journal(path)
    assert journal.asked(result, ms=1) == ""
    journal.reacted("key", "up")
    assert journal.lost == 2
    assert "cannot be written" in journal.trouble
    with pytest.raises(StoreError, match="move it away"):
        list(read_entries(path))


def test_a_folder_that_is_gone_costs_no_answer(tmp_path, result):
    journal = Journal(tmp_path / "gone" / JOURNAL)
    assert journal.asked(result, ms=1) == ""
    assert journal.trouble


def test_a_newer_format_is_left_alone(path, result):
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {FORMAT + 1}")
    db.close()
    journal = Journal(path)
    assert journal.asked(result, ms=1) == ""
    assert "upgrade" in journal.trouble
    with pytest.raises(StoreError, match="upgrade"):
        list(read_entries(path))


def test_a_journal_that_is_not_there_says_how_to_get_one(path):
    with pytest.raises(UsageError, match="consilience serve"):
        list(read_entries(path))


def test_many_threads_lose_nothing(journal, path, result):
    def work():
        for _ in range(25):
            key = journal.asked(result, ms=1)
            journal.reacted(key, "click", passage=result.hits[0].passage.id)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    entries = list(read_entries(path))
    assert len(entries) == 200
    assert len({one.key for one in entries}) == 200
    assert all(len(one.reactions) == 1 for one in entries)
    assert journal.lost == 0


def test_another_process_reads_while_it_is_written(journal, path, result):
    code = (
        "import sys, json; from pathlib import Path; from consilience.journal import read_entries;"
        "print(json.dumps([one.ms for one in read_entries(Path(sys.argv[1]))]))"
    )
    journal.asked(result, ms=1)
    reader = read_entries(path)
    next(reader)  # a reader in the middle holds up no writer
    journal.asked(result, ms=2)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, check=True, text=True
    )
    assert json.loads(done.stdout) == [1, 2]
    assert list(reader) == []  # as it was when reading began
    journal.asked(result, ms=3)
    assert journal.lost == 0
    assert len(list(read_entries(path))) == 3
