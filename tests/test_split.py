"""Passages of a document: sizes, order, boundaries, identity."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.evidence.splitter import split
from consilience.protocols import Room
from consilience.types import Block, Document, Locator, Passage


def words(texts):
    """One token a word, and two that an encoder adds to every text."""
    return [2 + len(text.split()) for text in texts]


def letters(texts):
    return [len(text) for text in texts]


def run(number: int) -> str:
    return " ".join(f"w{n}" for n in range(number))


def document(*blocks: Block, title: str = "T") -> Document:
    return Document(title=title, kind="book", blocks=blocks)


def para(text: str, *section: str, page: int | None = None, **rest) -> Block:
    return Block(text=text, locator=Locator(section=section, page=page), **rest)


def cut(doc: Document, *, count=words, limit: int = 20, target: int = 12) -> list[Passage]:
    room = Room(count=count, limit=limit, target=target)
    return split(doc, collection="c", path="a.txt", room=room)


def test_small_neighbours_are_merged_up_to_the_target():
    # title 1 + two added tokens = 3, so the target of 12 leaves 9 words: 3 + 3 + 3
    found = cut(document(*(para(f"one two {n}") for n in "abcdef")))
    assert [p.text for p in found] == [
        "one two a\n\none two b\n\none two c",
        "one two d\n\none two e\n\none two f",
    ]


def test_pieces_are_even_and_leave_no_tiny_tail():
    # 10 words to 9 of target: 5 + 5 costs 16 + 16, 9 + 1 costs 0 + 64, 10 at once costs 1
    assert [p.text for p in cut(document(*(para(w) for w in "abcdefghij")))] == [
        "a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng\n\nh\n\ni\n\nj"
    ]
    # 12 words are over 1.2 times 9: 6 + 6 costs 9 + 9, 9 + 3 costs 0 + 36
    assert [len(p.text.split()) for p in cut(document(*(para(w) for w in "abcdefghijkl")))] == [
        6,
        6,
    ]


def test_sections_pages_kinds_and_metadata_are_never_mixed():
    found = cut(
        document(
            para("a", "One"),
            para("b", "Two"),
            para("c", "Two", page=3),
            para("d", "Two", page=3, kind="quote"),
            para("e", "Two", page=3, kind="quote", metadata={"year": 1900}),
        )
    )
    assert [p.text for p in found] == ["a", "b", "c", "d", "e"]
    assert [p.kind for p in found] == ["book", "book", "book", "quote", "quote"]


def test_whole_blocks_stay_alone_and_keep_their_fields():
    rows = [
        Block(
            text=f"Country: {n}",
            kind="row",
            whole=True,
            locator=Locator(table="t", row=i),
            metadata={"Country": n},
        )
        for i, n in enumerate(["France", "Chad"], start=1)
    ]
    found = cut(Document(title="T", kind="table", blocks=tuple(rows), metadata={"author": "A"}))
    assert [(p.text, p.kind, p.locator.row) for p in found] == [
        ("Country: France", "row", 1),
        ("Country: Chad", "row", 2),
    ]
    assert found[0].metadata == {"author": "A", "Country": "France"}
    assert [p.locator.part for p in found] == [None, None]


def test_a_whole_block_over_the_limit_is_split_into_parts():
    block = Block(text=run(40), whole=True, locator=Locator(table="t", row=1))
    found = cut(document(block))
    assert sum(len(p.text.split()) for p in found) == 40
    assert [p.locator.part for p in found][:2] == [1, 2]
    assert all(p.locator.row == 1 for p in found)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a b c d e f\ng h i j k l", ["a b c d e f", "g h i j k l"]),
        ("a b c, d e f. G h i, j k l", ["a b c, d e f.", "G h i, j k l"]),
        ("a b c d e f, g h i j k l", ["a b c d e f,", "g h i j k l"]),
        ("a b c d e f g h i j k l", ["a b c d e f", "g h i j k l"]),
    ],
    ids=["line", "sentence", "clause", "word"],
)
def test_a_long_block_is_cut_at_the_best_place(text, pieces):
    assert [p.text for p in cut(document(para(text)), limit=12, target=9)] == pieces


def test_a_word_over_the_limit_is_cut_at_characters():
    found = cut(document(para("abcdefgh")), count=letters, limit=6, target=6)  # "T\n" takes 2
    assert "".join(p.text for p in found) == "abcdefgh"
    assert all(len(p.indexed) <= 6 for p in found)


def test_text_without_spaces_is_cut_at_its_own_full_stops():
    found = cut(document(para("一二三四。五六七八。")), count=letters, limit=9, target=9)
    assert [p.text for p in found] == ["一二三四。", "五六七八。"]


def test_parts_are_numbered_only_where_a_section_has_several():
    found = cut(document(para(run(21), "Long"), para("short", "Short")))
    assert [p.locator.part for p in found if p.locator.section == ("Long",)] == [1, 2, 3]
    assert [p.locator.part for p in found if p.locator.section == ("Short",)] == [None]


def test_the_same_text_in_the_same_place_is_kept_once():
    block = para("again", "One", whole=True)
    assert [p.text for p in cut(document(block, para("x", "Two"), block))] == ["again", "x"]


def test_search_texts_are_carried_and_joined():
    alone = cut(document(para("Nf3", search="knight f3")))
    assert (alone[0].text, alone[0].search) == ("Nf3", "knight f3")
    both = cut(document(para("Nf3", search="knight f3"), para("then")))
    assert (both[0].text, both[0].search) == ("Nf3\n\nthen", "knight f3\n\nthen")
    assert cut(document(para("then")))[0].search == ""


def test_a_long_search_text_is_cut_with_its_shown_text():
    found = cut(document(para("A B C D E F", search=run(30))))
    assert "".join(p.text.replace("\n", "").replace(" ", "") for p in found) == "ABCDEF"
    assert sum(len(p.search.split()) for p in found) == 30
    assert max(words([p.indexed for p in found])) <= 20


def test_absurd_titles_and_sections_are_shortened_to_leave_room():
    block = para("the text itself", "first " * 50, "last section")
    found = cut(document(block, title="very long title " * 99), count=letters, limit=120, target=90)
    assert " ".join(p.text for p in found) == "the text itself"
    assert found[0].title.endswith("…")
    assert found[0].locator.section[-1].startswith("last")
    assert all(len(p.indexed) <= 120 for p in found)


def test_a_limit_without_room_for_a_character_is_refused():
    with pytest.raises(UsageError, match="no room"):
        cut(document(para("abc")), count=letters, limit=2, target=2)


def test_ids_do_not_depend_on_what_stands_above():
    one = cut(document(para("new", "A"), para("old", "B")))
    two = cut(document(para("old", "B")))
    assert one[1].id == two[0].id


def test_joined_texts_that_measure_more_than_their_parts_still_fit():
    def greedy(texts):  # every line break costs five tokens
        return [len(text.split()) + 5 * text.count("\n") for text in texts]

    found = cut(document(*(para(w) for w in "abcdefgh")), count=greedy, limit=20, target=18)
    assert [w for p in found for w in p.text.split()] == list("abcdefgh")
    assert max(greedy([p.indexed for p in found])) <= 20


def test_indents_of_code_survive():
    assert cut(document(para("  a\n    b")))[0].text == "  a\n    b"


def test_the_tokens_are_measured_in_few_calls():
    calls = []

    def counted(texts):
        calls.append(len(texts))
        return words(texts)

    found = cut(document(*(para(f"word {n}", f"S{n % 7}") for n in range(3000))), count=counted)
    assert len(found) >= 3000 // 7
    assert len(calls) <= 6


def test_a_block_that_stands_alone_and_fits_is_measured_once():
    measured = []

    def counted(texts):
        measured.extend(texts)
        return words(texts)

    found = cut(document(*(para(f"word {n}", f"S{n}") for n in range(50))), count=counted)
    assert sorted(measured) == sorted(passage.indexed for passage in found)


def test_a_large_document_is_split_as_its_parts_would_be(monkeypatch):
    blocks = [para(run(1 + n % 40), f"S{n // 3 % 50}", whole=n % 4 == 0) for n in range(600)]
    blocks += [para(f"tail {n}", "S1") for n in range(20)]
    at_once = cut(document(*blocks))
    monkeypatch.setattr("consilience.evidence.splitter._GROUPS_AT_A_TIME", 7)
    assert cut(document(*blocks)) == at_once


def test_nothing_gives_nothing():
    assert cut(document()) == []
    assert cut(document(para(" \n "))) == []


WORDS = st.text("abcdé.,;!?", min_size=1, max_size=9)
TEXTS = st.lists(
    st.sampled_from([" ", "\n", ", ", ". "]).flatmap(
        lambda gap: WORDS.map(lambda word: word + gap)
    ),
    min_size=1,
    max_size=60,
).map("".join)
SECTIONS = st.lists(st.sampled_from(["A", "B", "C"]), max_size=3).map(tuple)
BLOCKS = st.builds(
    lambda text, section, page, whole: Block(
        text=text, locator=Locator(section=section, page=page), whole=whole
    ),
    TEXTS,
    SECTIONS,
    st.sampled_from([None, 1, 2]),
    st.booleans(),
)


@given(
    blocks=st.lists(BLOCKS, max_size=8),
    target=st.integers(1, 60),
    count=st.sampled_from([words, letters]),
)
def test_nothing_is_lost_doubled_moved_or_over_the_limit(blocks, target, count):
    # numbered words make every passage its own, so that none is dropped as the same
    number = iter(range(10_000))
    blocks = [
        replace(block, text=re.sub(r"\S+", lambda m: f"{next(number)}{m[0]}", block.text))
        for block in blocks
    ]
    doc = document(*blocks)
    limit = 64
    found = cut(doc, count=count, limit=limit, target=target)
    assert [w for p in found for w in p.text.split()] == [w for b in blocks for w in b.text.split()]
    assert all(size <= limit for size in count([p.indexed for p in found]))
    places = {(b.locator.section, b.locator.page) for b in blocks}
    assert {(p.locator.section, p.locator.page) for p in found} <= places
    assert [p.id for p in cut(doc, count=count, limit=limit, target=target)] == [
        p.id for p in found
    ]


@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_words_stay_whole_where_they_fit(sizes):
    number = iter(range(10_000))
    blocks = [para(" ".join(f"w{next(number)}" for _ in range(n)), "S") for n in sizes]
    found = cut(document(*blocks))
    assert [w for p in found for w in p.text.split()] == [w for b in blocks for w in b.text.split()]


def test_a_text_searched_in_other_words_is_cut_where_its_search_text_is():
    shown = "One ♘f3 here. " + "Two ♗b5 there and more words follow it. " * 3 + "Three ♖e1 last."
    searched = shown.replace("♘", "N").replace("♗", "B").replace("♖", "R")
    found = cut(document(replace(para(shown), search=searched)), limit=14, target=10)
    assert len(found) > 2
    for passage in found:
        plain = passage.text.replace("♘", "N").replace("♗", "B").replace("♖", "R")
        assert plain == passage.search
