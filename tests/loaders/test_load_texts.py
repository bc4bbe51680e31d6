"""JSON Lines of texts: told apart from tables, one block a record, nothing lost."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc

import pytest

from consilience.errors import LoadError
from consilience.evidence.loaders import json_records
from consilience.evidence.loaders.common import tidy
from consilience.evidence.loaders.table import LOADER
from consilience.evidence.splitter import split
from consilience.protocols import Room

load = LOADER.load
PROSE = "The keeper climbed the stair at dusk and lit the lamp before the fog came in."


def lines(*records) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def test_a_corpus_becomes_a_document_of_one_block_a_record(write):
    found = load(
        write(
            "light-house.jsonl",
            lines(
                {"_id": "d1", "title": "The  lamp", "text": PROSE, "year": 1811, "n": None},
                {"_id": "d2", "title": "", "text": f"{PROSE}\r\n\r\nTwice.", "by": {"name": "A"}},
            ),
        )
    )
    assert (found.title, found.kind, found.notes) == ("light house", "document", ())
    assert [(b.text, b.locator.section, dict(b.metadata), b.whole) for b in found.blocks] == [
        (PROSE, ("The lamp",), {"_id": "d1", "year": 1811}, True),
        (f"{PROSE}\n\nTwice.", (), {"_id": "d2", "by.name": "A"}, True),
    ]


def test_a_record_is_called_by_its_name_or_that_in_its_metadata(write):
    found = load(
        write(
            "a.jsonl",
            lines(
                {"name": "The lamp", "text": PROSE},
                {"metadata": {"name": "Ware Opening", "n": 1}, "text": f"{PROSE} Twice."},
                {"metadata": "none", "text": f"{PROSE} Thrice."},
            ),
        )
    )
    assert [one.locator.section for one in found.blocks] == [("The lamp",), ("Ware Opening",), ()]
    assert found.blocks[1].metadata["metadata.name"] == "Ware Opening"


@pytest.mark.parametrize("field", ["text", "contents", "content", "body"])
def test_the_texts_may_stand_in_several_fields(write, field):
    texts = [PROSE, f"{PROSE} Again.", "Short."]
    found = load(write("a.ndjson", lines(*({"id": 1, field: text} for text in texts))))
    assert found.kind == "document"
    assert [block.text for block in found.blocks] == texts


@pytest.mark.parametrize(
    "records",
    [
        [{"name": "Ann", "text": "very good"}, {"name": "Bob", "text": "poor"}],
        [{"name": "Ann", "text": 7}, {"name": "Bob", "text": 8}],
        [{"name": "Ann", "remark": PROSE}],
        [{"text": PROSE, "a": PROSE, "b": PROSE}],
        [{"text": PROSE}, {"text": "a"}, {"text": "b"}, {"text": "c"}],
        [{"text": PROSE, "cells": list(range(60))}],
    ],
    ids=["short cells", "numbers", "another field", "one of many", "too few", "a long list"],
)
def test_a_table_that_has_such_a_column_stays_a_table(write, records):
    found = load(write("a.jsonl", lines(*records)))
    assert found.kind == "table"
    assert {block.kind for block in found.blocks} == {"row"}


def test_words_are_not_looked_for_where_a_script_has_no_spaces(write):
    found = load(write("a.jsonl", lines({"text": "灯台守は日暮れに階段を上り" * 6})))
    assert found.kind == "document"


def test_a_record_without_a_text_is_kept_by_what_it_says(write):
    many = [{"text": PROSE} for _ in range(5)]
    odd = [{"title": "Only a title", "text": ""}, {"n": 1, "text": None}, {"text": [1]}, {}]
    found = load(write("a.jsonl", lines(*many, *odd)))
    assert [block.text for block in found.blocks[5:]] == ["Only a title", "n: 1", "text: 1"]
    assert [dict(block.metadata) for block in found.blocks[5:]] == [{}, {"n": 1}, {"text": (1,)}]


def test_bad_lines_are_told_and_the_others_load(write):
    text = lines({"text": PROSE}) + "\n{broken\n" + lines({"text": f"{PROSE} Again."})
    found = load(write("a.jsonl", text))
    assert [block.text for block in found.blocks] == [PROSE, f"{PROSE} Again."]
    assert [note.split(":")[0] for note in found.notes] == ["line 3 left out"]


def test_bad_lines_far_behind_the_first_records_are_told_too(write):
    records = [{"text": f"{PROSE} {n}"} for n in range(1500)]
    found = load(write("a.jsonl", lines(*records) + "{"))
    assert len(found.blocks) == 1500
    assert found.notes[0].startswith("line 1501 left out")


@pytest.mark.parametrize("kind", ["document", "table"])
def test_packed_files_are_read_as_if_they_were_not(write, kind):
    text = lines({"text": PROSE} if kind == "document" else {"a": 1, "b": "x"})
    plain, packed = load(write("a-b.jsonl", text)), load(write("a-b.jsonl.gz", _packed(text)))
    assert plain.kind == kind
    assert packed == plain


def test_a_packed_file_that_is_damaged_is_refused(write):
    chance = random.Random(1)
    words = [{"text": " ".join(chance.choices("abcdefgh", k=40))} for _ in range(500)]
    data = _packed(lines(*words))
    for damaged in (data[: len(data) // 2], b"\x1f\x8b" + b"\0" * 40, b"not packed at all"):
        with pytest.raises(LoadError, match=r"a\.jsonl\.gz cannot be unpacked.*fetch it again"):
            load(write("a.jsonl.gz", damaged))


def test_a_bomb_is_refused_before_it_is_unpacked(write, monkeypatch):
    monkeypatch.setattr(json_records, "SMALL", 100_000)
    bomb = _packed(lines({"text": PROSE}) + lines({"text": "x" * 1000}) * 5000)
    long = _packed(" " * 60_000_000)
    assert len(bomb) < 20_000
    tracemalloc.start()
    with pytest.raises(LoadError, match="more than 200 times its size; refused as a decompression"):
        load(write("a.jsonl.gz", bomb))
    monkeypatch.setattr(json_records, "LONGEST_LINE", 50_000)
    with pytest.raises(LoadError, match="line of more than"):
        load(write("a.jsonl.gz", long))
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("encoding", "told"),
    [("utf-8", ""), ("utf-8-sig", ""), ("utf-16", ""), ("cp1252", "not UTF-8; read as Windows")],
)
def test_encodings(write, encoding, told):
    text = lines({"text": f"{PROSE} Café."}, {"text": f"{PROSE} Naïve."})
    found = load(write("a.jsonl", text.encode(encoding)))
    assert [block.text for block in found.blocks] == [f"{PROSE} Café.", f"{PROSE} Naïve."]
    assert [note[: len(told)] for note in found.notes] == ([told] if told else [])


@pytest.mark.parametrize(
    "end", ["", "  ", " a  b", "\tc", "\x07", " e\u0301", "\u00a0d", "\n\n", " x\r\ny"]
)
def test_a_text_is_tidied_whatever_it_holds(write, end):
    found = load(write("a.jsonl", lines({"text": PROSE + end})))
    assert found.blocks[0].text == tidy(PROSE + end)


def test_short_records_are_never_merged_and_long_ones_are_split(write):
    records = [{"_id": n, "text": f"{PROSE} {n}"} for n in range(4)]
    records.append(
        {"_id": 4, "title": "Long", "text": " ".join(f"{PROSE} {n}." for n in range(20))}
    )
    document = load(write("a.jsonl", lines(*records)))
    found = split(
        document,
        collection="c",
        path="a.jsonl",
        room=Room(count=lambda texts: [len(text.split()) for text in texts], limit=120, target=60),
    )
    short = [passage for passage in found if passage.metadata["_id"] != 4]
    assert [passage.text for passage in short] == [f"{PROSE} {n}" for n in range(4)]
    parts = [passage for passage in found if passage.metadata["_id"] == 4]
    assert len(parts) > 3
    assert " ".join(part.text for part in parts) == records[4]["text"]


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)
