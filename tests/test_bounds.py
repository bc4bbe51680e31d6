"""Passages of hostile files: bounded in letters, whatever a tokenizer counts."""

from __future__ import annotations

import pytest

from consilience.evidence.loaders.html import LOADER as HTML
from consilience.evidence.loaders.markdown import LOADER as MARKDOWN
from consilience.evidence.loaders.table import LOADER as TABLE
from consilience.evidence.size_limits import FIELDS, HEADING, LETTERS, limit_fields
from consilience.evidence.splitter import split
from consilience.protocols import Room
from consilience.types import Block, Document, Locator

LIMIT = 64
MOST = LIMIT * LETTERS


def words(texts):
    """A tokenizer that calls a word of any length one token."""
    return [2 + len(text.split()) for text in texts]


def doc(title, kind, blocks):
    return Document(title=title, kind=kind, blocks=blocks)


def cut(document, count=words):
    room = Room(count=count, limit=LIMIT, target=48)
    return split(document, collection="c", path="a", room=room)


def numbered(letters):
    """One word in which no two pieces are the same."""
    return "".join(f"{n}x" for n in range(letters))[:letters]


def largest(passages):
    return max(max(len(one.indexed), len(one.text)) for one in passages)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("lead", ["", "Some words, and then: "])
def test_a_word_without_end_is_cut_and_nothing_is_lost(whole, lead):
    text = lead + numbered(100_001)
    found = cut(doc("T", "book", (Block(text=text, whole=whole),)))
    assert "".join(one.text for one in found).replace(" ", "") == text.replace(" ", "")
    assert largest(found) <= MOST
    assert [one.locator.part for one in found] == list(range(1, len(found) + 1))
    again = cut(doc("T", "book", (Block(text=text, whole=whole),)))
    assert [one.id for one in found] == [one.id for one in again]


@pytest.mark.parametrize("search", ["x", numbered(50_000), numbered(90_000)])
def test_what_is_shown_is_bounded_as_is_what_is_searched(search):
    text = "♘" + numbered(50_000)
    found = cut(doc("T", "book", (Block(text=text, search=search),)))
    assert largest(found) <= MOST
    assert "".join(one.text for one in found if text.find(one.text) >= 0) == text
    assert "".join(one.search for one in found if search.find(one.search) >= 0) == search


def test_a_text_over_the_bound_is_not_read_by_the_tokenizer():
    read = []

    def counted(texts):
        read.extend(texts)
        return words(texts)

    size = 300_000
    cut(doc("T", "book", (Block(text=numbered(size)),)), counted)
    assert max(map(len, read)) <= MOST
    assert sum(map(len, read)) < 4 * size


def test_ordinary_text_is_measured_by_its_tokens_alone():
    text = " ".join("internationally" for _ in range(60))
    assert [one.text for one in cut(doc("T", "book", (Block(text=text),)))] == [text]


def test_spaces_without_end_are_not_shown():
    found = cut(doc("T", "book", (Block(text="a" + " " * 200_000 + "b"),)))
    assert [one.text for one in found] == ["a", "b"]


def test_a_heading_without_end_is_cut_and_given_as_text():
    heading = numbered(10_000)
    place = Locator(section=("A", heading))
    found = cut(
        doc("T", "book", (Block(text="one", locator=place), Block(text="two", locator=place)))
    )
    assert {one.locator.section for one in found} == {("A", heading[:HEADING] + "…")}
    assert "".join("".join(one.text.split()) for one in found) == heading + "onetwo"
    assert largest(found) <= MOST


def test_a_title_without_end_is_cut():
    found = cut(doc("t" * 10_000, "book", (Block(text="text"),)))
    assert found[0].title == "t" * HEADING + "…"


@pytest.mark.parametrize(
    ("loader", "name", "text"),
    [
        (MARKDOWN, "a.md", "# {}\n\ntext"),
        (MARKDOWN, "a.md", "---\ntitle: {}\n---\ntext"),
        (MARKDOWN, "a.md", "- {}"),
        (MARKDOWN, "a.md", "```\n{}\n```"),
        (HTML, "a.html", "<title>{0}</title><h1>{0}</h1><p>text"),
        (HTML, "a.html", "<title>{0}</title><p>text"),
        (TABLE, "a.csv", "a,b\n1,{}\n"),
        (TABLE, "a.jsonl", '{{"title": "{0}", "text": "{0}"}}'),
    ],
)
def test_files_with_a_word_without_end_have_bounded_titles_and_passages(
    tmp_path, loader, name, text
):
    path = tmp_path / name
    path.write_text(text.format(numbered(60_000)), encoding="utf-8")
    document = loader.load(path)
    found = cut(document)
    assert len(document.title) <= HEADING + 1
    assert found
    assert largest(found) <= MOST
    assert all(len(repr(one.metadata)) <= FIELDS for one in found)


def test_fields_of_ordinary_size_stay_and_larger_ones_keep_a_share():
    usual = {"a": "x" * 20_000, "n": 3}
    assert limit_fields(usual) is usual
    found = limit_fields(
        {"a": "x" * 40_000, "many": tuple(range(50_000)), "node": "n" * 400, "n": 3}
    )
    assert (found["node"], found["n"]) == ("n" * 400, 3)
    assert found["a"].endswith("x…")
    assert found["many"] == tuple(range(len(found["many"])))
    assert len(repr(found)) < FIELDS


def test_a_cell_without_end_does_not_weigh_its_square():
    cell = numbered(200_000)
    row = Block(
        text=f"a: {cell}",
        locator=Locator(table="t", row=1),
        kind="row",
        whole=True,
        metadata={"a": cell},
    )
    found = cut(doc("T", "table", (row,)))
    assert sum(len(one.metadata["a"]) for one in found) < 10 * len(cell)
