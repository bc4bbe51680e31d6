"""What a model writes, letter by letter: marks in every form, and Markdown as statements."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from consilience.answer.writer import (
    Marker,
    Reader,
    drafted,
    heading_of,
    marked,
    pieces,
    safe,
    tidy,
)
from consilience.types import Statement


def read(text: str, size: int = 1000, *, cut: bool = False) -> list[Statement]:
    reader = Reader((1, 2))
    found: list[Statement] = []
    for start in range(0, len(text), size):
        found += reader.take(text[start : start + size])
    return [*found, *reader.end(cut=cut)]


def texts(text: str, size: int = 1000, *, cut: bool = False) -> list[str]:
    return [one.text for one in read(text, size, cut=cut)]


# --- marks ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        ("a [3].", "a [3]."),
        ("a [Source 3].", "a [3]."),
        ('a [source 12: Book - "Title 7", chapter 2 (old)].', "a [12]."),
        ("a [1, 2] b", "a [1][2] b"),
        ("a [1,2;3] b", "a [1][2][3] b"),
        ("a [1-3] b", "a [1][2][3] b"),
        ("a [Sources 1 and 2] b", "a [1][2] b"),
        ("a [Source 1, Source 4] b", "a [1][4] b"),
        ("a (Source 3) b", "a [3] b"),
        ("a 【3】 b", "a [3] b"),
        ("a [^3] b", "a [3] b"),
        ("a [1][2]", "a [1][2]"),
        (
            "in [2019] and [1-0] and [sic] and (3) and [",
            "in [2019] and [1-0] and [sic] and (3) and [",
        ),
        ("(so said) [see 3]", "(so said) [see 3]"),
    ],
)
def test_marks_in_any_form_become_ours_however_they_are_parted(written: str, ours: str) -> None:
    assert marked(written) == ours
    for size in (1, 2, 3):
        marker = Marker()
        parts = [written[start : start + size] for start in range(0, len(written), size)]
        found = [one for part in parts for one in marker.take(part)]
        found += marker.end()
        assert "".join(f"[{one}]" if isinstance(one, int) else one for one in found) == ours


def test_a_mark_is_a_piece_of_its_own() -> None:
    assert pieces("See [2, 3].") == ["See ", 2, 3, "."]


def test_letters_that_cannot_become_a_mark_are_not_held_back() -> None:
    marker = Marker()
    assert list(marker.take("a [x")) == ["a ", "[", "x"]
    assert list(marker.take("b [1")) == ["b "]
    assert list(marker.take("2")) == []
    assert list(marker.take("]")) == [12]


# --- statements -------------------------------------------------------------------------

PROSE = "The tower stands on a reef [1]. Dr. J. A. Bell saw it in 1811. [2] It cost £61,000.50 [1]!"


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_a_paragraph_becomes_sentences_whatever_the_letters_come_in(size: int) -> None:
    assert texts(PROSE, size) == [
        "The tower stands on a reef [1].",
        "Dr. J. A. Bell saw it in 1811 [2].",
        "It cost £61,000.50 [1]!",
    ]


def test_a_sentence_is_given_as_soon_as_the_next_one_begins() -> None:
    reader = Reader((1,))
    assert list(reader.take("One thing is so [1]. ")) == []
    assert [one.text for one in reader.take("Another ")] == ["One thing is so [1]."]
    assert [one.text for one in reader.end()] == ["Another"]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_paragraphs_open_and_lines_within_them_are_joined(size: int) -> None:
    found = read("One is\nso [1]. Two is so.\n\nThree is so.", size)
    assert [(one.text, one.opens) for one in found] == [
        ("One is so [1].", True),
        ("Two is so.", False),
        ("Three is so.", True),
    ]
    assert {one.within for one in found} == {(1, 2)}


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_blocks_become_statements_and_what_is_no_text_is_left_out(size: int) -> None:
    text = (
        "# A heading\n\nIntro here:\n- **First** thing [1]. And more.\n- Second\n  goes on [2]\n"
        "1. Third [1]\n\n**Bold heading**\n\n> Quoted text [1].\n---\n```\nSome code.\n```\n"
        "Sources: [1], [2]\n"
    )
    assert texts(text, size) == [
        "Intro here:",
        "- First thing [1]. And more.",
        "- Second goes on [2]",
        "- Third [1]",
        "Quoted text [1].",
        "Some code.",
    ]


@pytest.mark.parametrize("size", [1, 6, 1000])
def test_an_ordered_list_keeps_its_numbers(size: int) -> None:
    text = (
        "So it went:\n\n1. Cut the stone [1].\n2) Lay it\n   dry [2].\n10. Light **it** [1].\n"
        "- End."
    )
    assert texts(text, size) == [
        "So it went:",
        "1. Cut the stone [1].",
        "2. Lay it dry [2].",
        "10. Light it [1].",
        "- End.",
    ]
    html = MarkdownIt().render("\n\n".join(texts(text, size)))
    assert html.count("<ol") == 1
    assert html.count("<li>") == 4


@pytest.mark.parametrize("size", [1, 6, 1000])
def test_a_table_is_one_statement_as_wide_as_its_head(size: int) -> None:
    text = (
        "Heights:\n\n| Name | Feet |\n|---|:--:|\n| Bell <b>Rock</b> | 115 [1] |\n| Old |\n\nEnd."
    )
    found = read(text, size)
    assert [one.form for one in found] == ["prose", "table", "prose"]
    assert found[1].text == (
        "| Name | Feet |\n| --- | --- |\n| Bell \\<b>Rock\\</b> | 115 [1] |\n| Old |  |"
    )


@pytest.mark.parametrize("size", [1, 6, 1000])
def test_a_line_of_moves_keeps_its_numbers(size: int) -> None:
    found = read("The line is this.\n\n1. e4 e5 2. Nf3 [1]\n12...O-O [2]\n", size)
    assert [(one.text, one.form) for one in found] == [
        ("The line is this.", "prose"),
        ("1\\. e4 e5 2. Nf3 [1]", "lines"),
        ("12...O-O [2]", "lines"),
    ]


def test_what_was_cut_off_is_not_said() -> None:
    assert texts("All is well [1]. And then it", cut=True) == ["All is well [1]."]
    assert texts("- One is done.\n- And tw", cut=True) == ["- One is done."]
    assert texts("All is well [1]. Really [2].", cut=True) == ["All is well [1].", "Really [2]."]
    assert texts("All is well [1]. And then it") == ["All is well [1].", "And then it"]


def test_a_late_reader_gives_all_at_the_end_and_another_begins_anew() -> None:
    reader = Reader((1,), heading="Together", late=True)
    assert list(reader.take("One is so. Two is so. Three")) == []
    other = reader.anew()
    assert [one.text for one in reader.end(cut=True)] == ["Together", "One is so.", "Two is so."]
    assert reader.given
    assert not other.given
    assert list(other.take("Four is so. Five is so. Six")) == []
    assert [one.text for one in other.end()][:2] == ["Together", "Four is so."]


def test_a_closing_has_the_heading_that_it_brings_or_ours() -> None:
    for text, heading in (("## Insgesamt\n\nSo ist es.", "Insgesamt"), ("So it is.", "Together")):
        reader = Reader((1,), heading="Together")
        found = [*reader.take(text), *reader.end()]
        assert [one.form for one in found] == ["heading", "prose"]
        assert found[0].text == heading


# --- harmless ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "evil",
    [
        "<script>alert(1)</script> [1]",
        "a <img src=x onerror=alert(1)> b [1]",
        "[click](http://evil.example) [1]",
        "![x](http://evil.example/a.png) [1]",
        "[1](javascript:alert(1))",
        "[1](evil)",
        "[1]: http://evil.example",
        "<http://evil.example> [1]",
        "[a [b](http://x)](http://y) [1]",
        "&lt;script&gt; [1] `code`",
        "![](x) <!-- c --> [1]",
    ],
)
def test_nothing_of_a_model_becomes_a_tag_or_a_link(evil: str) -> None:
    text = "\n\n".join(one.text for one in read(evil))
    html = MarkdownIt().render(f"{text}\n\nAnd [1] again.")
    assert "<a" not in html
    assert "<img" not in html
    assert "<script" not in html
    assert "<code" not in html
    assert "[1]" in text


def test_emphasis_goes_and_marks_stay() -> None:
    assert tidy("A **bold [1]** and *fine* _word_ in snake_case") == (
        "A bold [1] and fine word in snake_case"
    )
    assert safe("[1] - not * an [2] entry") == "[1] - not * an [2] entry"


def test_drafts_open_no_tag_and_no_link() -> None:
    assert drafted("<b> [x](y) `z`") == "\\<b> \\[x](y) \\`z\\`"


@pytest.mark.parametrize(
    ("written", "heading"),
    [
        ("## 1. Towers at sea:", "Towers at sea"),
        ("**Lamps** [2]", "Lamps"),
        ("Lamps (Source 3)", "Lamps"),
        ("<b>Lamps</b>", "\\<b>Lamps\\</b>"),
        ("Two\nlines", "Two lines"),
        ("word " * 40, "word " * 14 + "word…"),
        ("[4]", ""),
        ("The tower (1807–1811) [1, 2]", "The tower (1807–1811)"),
        ("w" * 4000, "w" * 79 + "…"),
    ],
)
def test_headings_are_short_plain_lines(written: str, heading: str) -> None:
    assert heading_of(written) == heading
