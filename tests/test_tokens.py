"""Kept token vectors: what was written is read, and what is damaged or another's is not used."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from consilience.errors import StoreError
from consilience.evidence.token_store import (
    _MODES,
    TOKENS_FILE,
    TokenStore,
    delete_sqlite,
    sqlite_size,
)
from consilience.types import Locator, passage_id

LOW, MIDDLE, TOP, LAST = "0" * 16, "7" + "f" * 15, "8" + "0" * 15, "f" * 16
MANY = [passage_id("c", "note", "t", Locator(), str(number)) for number in range(2500)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / TOKENS_FILE


@pytest.fixture
def opened(path):
    """Open the file, as often as needed."""
    made = []

    def open_again(made_by="late:1"):
        made.append(TokenStore(path, made_by))
        return made[-1]

    yield open_again
    for one in made:
        one.close()


@pytest.fixture
def kept(opened):
    return opened()


def test_what_was_written_is_read_and_nothing_else(kept):
    kept.write({LOW: b"one", MIDDLE: b"two"})
    assert kept.get([MIDDLE, LAST, LOW]) == {LOW: b"one", MIDDLE: b"two"}
    assert kept.get([LAST]) == {}
    assert kept.get([]) == {}
    assert len(kept.ids()) == 2


@pytest.mark.parametrize("key", [LOW, "0" * 15 + "1", MIDDLE, TOP, "8" + "0" * 14 + "1", LAST])
def test_an_id_comes_back_as_it_was_whatever_its_first_bit(kept, key):
    kept.write({key: b"data"})
    assert kept.ids() == {key}
    assert kept.get([key]) == {key: b"data"}
    kept.remove([key])
    assert kept.ids() == set()


def test_ids_that_differ_in_the_first_bit_only_are_two(kept):
    kept.write({LOW: b"low", TOP: b"top", MIDDLE: b"middle", LAST: b"last"})
    assert kept.get([LOW, TOP, MIDDLE, LAST]) == {
        LOW: b"low",
        TOP: b"top",
        MIDDLE: b"middle",
        LAST: b"last",
    }


def test_writing_again_replaces_and_removing_twice_does_no_harm(kept):
    kept.write({LOW: b"old", LAST: b"other"})
    kept.write({LOW: b"new"})
    assert kept.get([LOW]) == {LOW: b"new"}
    assert len(kept.ids()) == 2
    for _ in range(2):
        kept.remove([LOW, MIDDLE])
    assert kept.ids() == {LAST}


def test_a_passage_without_tokens_is_kept_as_such(kept):
    kept.write({LOW: b""})
    assert kept.get([LOW]) == {LOW: b""}
    assert kept.ids() == {LOW}


def test_thousands_are_asked_for_written_and_removed_at_once(kept):
    kept.write({key: key.encode() for key in MANY})
    assert len(kept.ids()) == len(MANY)
    assert kept.ids() == set(MANY)
    assert kept.get(MANY) == {key: key.encode() for key in MANY}
    kept.remove(iter(MANY[:2000]))
    assert kept.get(MANY) == {key: key.encode() for key in MANY[2000:]}


def test_it_survives_reopening(kept, opened):
    kept.write({TOP: b"data"})
    kept.close()
    again = opened()
    assert again.get([TOP]) == {TOP: b"data"}
    assert len(again.ids()) == 1


def test_what_another_model_made_is_emptied(kept, opened):
    kept.write({TOP: b"data"})
    kept.close()
    other = opened("late:2")
    assert len(other.ids()) == 0
    other.write({LOW: b"new"})
    other.close()
    assert opened("late:2").get([LOW]) == {LOW: b"new"}
    assert opened("late:1").ids() == set()


def test_closing_may_be_repeated(kept):
    kept.close()
    kept.close()


def test_it_is_read_and_written_from_several_threads(kept):
    def work(number):
        some = MANY[number::4]
        kept.write({key: key.encode() for key in some})
        return kept.get(some)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(4)))
    assert {key: data for part in found for key, data in part.items()} == kept.get(MANY)
    assert len(kept.ids()) == len(MANY)


def test_an_id_that_no_kept_passage_can_have_is_absent(kept):
    """A source may bring a passage of its own making, under a name of its own."""
    kept.write({LOW: b"data"})
    assert kept.get(["a path of mine", LOW, "", "-1", "0x1", "g" * 16, "0"]) == {LOW: b"data"}


@pytest.mark.parametrize(
    "content", [b"this is not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_damaged_file_is_named_with_what_to_do(path, content):
    path.write_bytes(content)
    with pytest.raises(StoreError, match=rf"{TOKENS_FILE} cannot be opened: .*; delete it.*add"):
        TokenStore(path, "late:1")


def test_a_folder_in_its_place_is_named_with_what_to_do(path):
    path.mkdir()
    with pytest.raises(StoreError, match=rf"{TOKENS_FILE} cannot be opened: .*; delete it"):
        TokenStore(path, "late:1")


def test_damage_that_shows_only_later_is_named_with_what_to_do(kept, opened, path):
    kept.write(dict.fromkeys(MANY, b"data" * 100))
    kept.close()
    content = bytearray(path.read_bytes())
    middle = len(content) // 3
    content[middle:-4096] = b"\xff" * (len(content) - 4096 - middle)
    path.write_bytes(content)
    damaged = opened()
    for call in (
        lambda: damaged.get(MANY),
        lambda: damaged.write(dict.fromkeys(MANY, b"more" * 100)),
        lambda: damaged.remove(MANY),
        damaged.ids,
    ):
        with pytest.raises(StoreError, match=rf"{TOKENS_FILE} .*delete it"):
            call()


def test_a_write_that_fails_changes_nothing_and_the_next_one_works(kept, path):
    kept.write({LOW: b"data"})
    with sqlite3.connect(path) as blocking:
        blocking.execute(
            "CREATE TRIGGER full BEFORE INSERT ON tokens WHEN NEW.data = x'00' "
            "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
    blocking.close()
    with pytest.raises(StoreError, match=rf"{TOKENS_FILE} .*disk full"):
        kept.write({TOP: b"half", LAST: b"\x00"})
    assert kept.ids() == {LOW}
    kept.write({LAST: b"later"})
    assert kept.ids() == {LOW, LAST}


def test_its_size_counts_what_is_not_yet_written_through(kept, path):
    assert sqlite_size(path.with_name("other.db")) == 0
    kept.write(dict.fromkeys(MANY[:500], b"x" * 1000))
    assert sqlite_size(path) > 500 * 1000
    kept.close()
    assert sqlite_size(path) > 500 * 1000


def test_dropping_it_leaves_no_file_behind(kept, path, opened):
    kept.write({LOW: b"data"})
    left = path.with_name(path.name + "-wal")
    kept.close()
    left.write_bytes(b"")
    delete_sqlite(path)
    assert list(path.parent.iterdir()) == []
    delete_sqlite(path)
    assert len(opened().ids()) == 0


def test_the_known_ways_to_keep_are_these():
    assert _MODES == ("auto", "keep", "live")
