"""Plain text: paragraphs, encodings, titles."""

from __future__ import annotations

import pytest

from consilience.errors import LoadError
from consilience.evidence.loaders.text import LOADER

load = LOADER.load


def texts(document):
    return [block.text for block in document.blocks]


def test_blank_lines_part_paragraphs_and_a_short_first_line_is_the_title(write):
    found = load(write("a.txt", "A Short Title\n\nFirst one.\n \n\nSecond\none.\n"))
    assert found.title == "A Short Title"
    assert texts(found) == ["First one.", "Second\none."]
    assert (found.kind, found.notes) == ("document", ())


def test_a_first_sentence_is_text_and_the_file_gives_the_title(write):
    found = load(write("my-first_book.txt", "It was a dark night.\n\nIt rained.\n"))
    assert found.title == "my first book"
    assert texts(found) == ["It was a dark night.", "It rained."]


def test_lines_broken_at_a_margin_are_joined_and_verse_is_not(write):
    prose = (
        "The quick brown fox jumps over the lazy dog, and\n"
        "then it goes home to sleep until the morning comes\n"
        "again."
    )
    verse = "Roses are red\nviolets are blue"
    assert texts(load(write("a.txt", f"{prose}\n\n{verse}"))) == [prose.replace("\n", " "), verse]


@pytest.mark.parametrize(
    "data",
    [
        "Été".encode(),
        b"\xef\xbb\xbf" + "Été".encode(),
        "Été".encode("utf-16"),
        "\ufeffÉté".encode("utf-16-be"),
    ],
    ids=["utf-8", "utf-8 with a mark", "utf-16", "utf-16-be"],
)
def test_unicode_is_read_with_and_without_a_mark(write, data):
    found = load(write("a.txt", data))
    assert texts(found) == ["Été"]
    assert found.notes == ()


def test_another_encoding_is_guessed_and_said(write):
    found = load(write("a.txt", "caf\u00e9 \u20ac5".encode("cp1252")))
    assert texts(found) == ["café €5"]
    assert "Windows-1252" in found.notes[0]
    assert "Latin-1" in load(write("b.txt", b"caf\xe9 \x81")).notes[0]


def test_a_binary_file_is_refused(write):
    with pytest.raises(LoadError, match="not a text file"):
        load(write("a.txt", b"PK\x00\x01"))


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(LoadError, match=r"cannot open none\.txt"):
        load(tmp_path / "none.txt")
    with pytest.raises(LoadError, match="cannot open"):
        load(tmp_path)


def test_an_empty_file_is_said_to_be_empty(write):
    found = load(write("a.txt", " \n\n"))
    assert (found.blocks, found.notes) == ((), ("a.txt holds no text",))


def test_underlined_headings_of_rst_are_sections(write):
    text = (
        "Guide\n=====\n\nIntro.\n\nUse\n---\nDirectly below.\n\n"
        "Deep\n~~~~\n\nHere.\n\nEnd\n---\n\nBye.\n"
    )
    found = load(write("a.rst", text))
    assert found.title == "Guide"
    assert [(b.locator.section, b.text) for b in found.blocks] == [
        ((), "Intro."),
        (("Use",), "Directly below."),
        (("Use", "Deep"), "Here."),
        (("End",), "Bye."),
    ]


def test_rules_between_paragraphs_are_no_text(write):
    assert texts(load(write("a.txt", "One.\n\n* * *\n\nTwo.\n\n------\n"))) == ["One.", "Two."]


def test_long_items_of_a_list_keep_their_lines(write):
    items = "- an item that is long enough to look like wrapped prose\n- another one of them\n"
    assert texts(load(write("a.txt", items))) == [items.strip()]
