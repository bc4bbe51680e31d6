"""Text of others never acts as ours: no mark, label, tag, link, heading or cell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from consilience.answer.markup import harmless, literal, marks_in, plain, without_marks


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
    ],
)
def test_what_looks_like_a_mark_or_a_label_is_none(text, said):
    assert harmless(text) == said
    assert marks_in(harmless(text)) == ()


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
    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(literal(text))
    inner = shown.removeprefix("<p>").removesuffix("</p>\n")
    assert "<" not in inner.replace("<br />", "")
    assert plain(literal(text)) == text


@given(st.text(alphabet="ab <>&#*_`[]()!|\\~-=+.1\n;/", max_size=40))
def test_literal_text_never_becomes_a_tag_of_its_own(text):
    shown = MarkdownIt("commonmark", {"html": True}).render(literal(text))
    for tag in ("<a ", "<img", "<b>", "<script", "<h1", "<table", "<ab"):
        assert tag not in shown


def test_marks_are_read_and_taken_out():
    assert marks_in("One [3], two [1][3].") == (3, 1)
    assert without_marks("One [3], two [1][3].") == "One, two."
