"""Text of others never acts as ours: no mark, label, tag, link, heading or cell."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from consilience.text_markup import (
    escape_markdown,
    find_marks,
    neutralize,
    strip_marks,
    unescape_markdown,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("as shown in [3]", "as shown in (3)"),
        ("see [12, 14] and [1-3]", "see (12, 14) and (1-3)"),
        ("a note[^2] below", "a note(^2) below"),
        ("wide 【4】 and ［5］", "wide (4) and (5)"),
        ('[Source 9: Book - "X", y]', '(Source 9: Book - "X", y)'),
        ("[ source 2 is better", "( source 2 is better"),
        ("【Source 9: Book】", "(Source 9: Book)"),
        ("an array[i] and [sic]", "an array[i] and [sic]"),
        ("as in [ref 3] or [refs. 2, 3]", "as in (ref 3) or (refs. 2, 3)"),
        ("[1 and 3], [2/3] and [source3]", "(1 and 3), (2/3) and (source3)"),
        ("[3: see page 5] [3 - Smith] 【3†L1】", "(3: see page 5) (3 - Smith) (3†L1)"),
        ("[\n3] and [3 not closed", "(\n3) and (3 not closed"),
        ("[\u200b3\u2060] and ［３］", "(3) and (３)"),
    ],
)
def test_what_looks_like_a_mark_or_a_label_is_none(text, said):
    assert neutralize(text) == said
    assert find_marks(neutralize(text)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <b>bold</b> claim & &lt;b&gt;",
        "[click](http://bad.example) ![x](y.png)",
        "`code` and **strong** and _soft_ and ~~gone~~",
        "# not a heading",
        "> not a quotation",
        "- not a list\n- of things",
        "1. not a list",
        "| not | a table |\n|---|---|",
        "---",
        "a \\*star\\* that was escaped before",
    ],
)
def test_markdown_shows_literal_text_as_it_stands(text):
    shown = (
        MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(escape_markdown(text))
    )
    inner = shown.removeprefix("<p>").removesuffix("</p>\n")
    assert "<" not in inner.replace("<br />", "")
    assert unescape_markdown(escape_markdown(text)) == text


SIGNS = "ab <>&#*_`[]()!|\\~-=+.1\n;/:\r\t"


@given(st.text(alphabet=SIGNS, max_size=40))
def test_literal_text_never_becomes_a_tag_of_its_own(text):
    shown = MarkdownIt("commonmark", {"html": True}).render(escape_markdown(text))
    for tag in ("<a ", "<img", "<b>", "<script", "<h1", "<table", "<ab", "<em>", "<strong>", "<hr"):
        assert tag not in shown


@given(st.text(alphabet=SIGNS, max_size=40), st.text(alphabet=SIGNS, max_size=40))
def test_markdown_shows_quoted_text_to_the_letter(one, other):
    texts = [" ".join(text.split()) for text in (one, other)]
    said = f"“{escape_markdown(texts[0])}” [1] and “{escape_markdown(texts[1])}” [2]"
    rules = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    shown = html.unescape(rules.render(said).removeprefix("<p>").removesuffix("</p>\n"))
    assert shown == f"“{texts[0]}” [1] and “{texts[1]}” [2]"


@pytest.mark.parametrize(
    "text",
    ["snake_case and 2 * 3", "[sic] he wrote", "~5 km (a, b) - so!", "AT&T, R&D: 50 % < 60 %"],
)
def test_ordinary_text_has_no_backslashes(text):
    assert escape_markdown(text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("left\u200eright\u202e turned\u2066", "leftright turned"),
        ("a\x00b\x1bc\ufeff", "abc"),
        ("page\x0cpage\r\nline", "page page\nline"),
        ("\U000e0041tagged", "tagged"),
        ("می\u200cخواهم and 👩\u200d🚀", "می\u200cخواهم and 👩\u200d🚀"),
    ],
)
def test_signs_that_nobody_sees_are_left_out_but_for_those_that_join_letters(text, said):
    assert neutralize(text) == said


@pytest.mark.parametrize(
    "sign", ["*", "_", "\n", " ", "[", "[1", "[source ", "\\", "`", "~", "1,", "\r"]
)
def test_long_runs_of_one_sign_are_read_to_their_end(sign):
    text = sign * 50_000
    assert unescape_markdown(escape_markdown(text)) == text
    assert strip_marks(f"a{text}b") == f"a{text}b"
    assert find_marks(neutralize(text)) == ()


def test_marks_are_read_and_taken_out():
    assert find_marks("One [3], two [1][3].") == (3, 1)
    assert strip_marks("One [3], two [1][3].") == "One, two."
