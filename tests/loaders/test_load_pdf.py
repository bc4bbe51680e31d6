"""PDF: pages, paragraphs, what belongs to the paper and not to the text."""

from __future__ import annotations

import pytest
from loader_files import pdf_bytes

from consilience.errors import LoadError
from consilience.evidence.loaders.pdf import LOADER, Line, joined, vocabulary

load = LOADER.load


def pairs(document):
    return [(block.locator.page, block.text) for block in document.blocks]


def test_lines_become_paragraphs_by_page(write):
    found = load(
        write(
            "a-report.pdf",
            pdf_bytes(
                [["The first paragraph has", "two lines.", "", "The second."], ["Next page."]]
            ),
        )
    )
    assert found.title == "a report"
    assert found.kind == "document"
    assert pairs(found) == [
        (1, "The first paragraph has two lines."),
        (1, "The second."),
        (2, "Next page."),
    ]


FILLER = ["Many lines of running text", "stand close to one another", "and end with a stop."]
FILLED = " ".join(FILLER)


def test_a_paragraph_belongs_to_the_page_it_starts_on(write):
    pages = [[*FILLER, "", "This sentence goes on"], ["over the page.", "", *FILLER]]
    assert pairs(load(write("a.pdf", pdf_bytes(pages)))) == [
        (1, FILLED),
        (1, "This sentence goes on over the page."),
        (2, FILLED),
    ]


def test_running_heads_and_page_numbers_are_left_out_and_said(write):
    pages = [
        ["ANNUAL REPORT", "", f"Text of page {word}.", "", f"Page {n} of 4"]
        for n, word in enumerate(["one", "two", "three", "four"], start=1)
    ]
    found = load(write("a.pdf", pdf_bytes(pages)))
    assert [text for _, text in pairs(found)] == [
        "Text of page one.",
        "Text of page two.",
        "Text of page three.",
        "Text of page four.",
    ]
    assert "'ANNUAL REPORT'" in found.notes[0]
    assert "'Page # of 4'" in found.notes[0]


def test_figures_at_the_foot_of_pages_are_no_page_numbers(write):
    pages = [["Words here.", "", f"Sales {n * 37}"] for n in (3, 1, 4, 2)]
    assert "Sales 37" in [text for _, text in pairs(load(write("a.pdf", pdf_bytes(pages))))]


def test_bookmarks_are_sections(write):
    data = pdf_bytes(
        [[*FILLER, "", "1. Lenses", "", *FILLER], ["More.", "", "2. Eyes", "", *FILLER]],
        outline=(("Lenses", 0), ("Eyes", 1)),
    )
    found = load(write("a.pdf", data))
    assert [(b.locator.section, b.locator.page, b.text) for b in found.blocks] == [
        ((), 1, FILLED),
        (("Lenses",), 1, "1. Lenses"),
        (("Lenses",), 1, FILLED),
        (("Lenses",), 2, "More."),
        (("Eyes",), 2, "2. Eyes"),
        (("Eyes",), 2, FILLED),
    ]


@pytest.mark.parametrize(
    ("info", "title"),
    [
        ("/Title (On Light)", "On Light"),
        ("/Title (0000909832-17-000014)", "a"),
        ("", "The Large Title"),
        ("/Title (\\(anonymous\\))", "The Large Title"),
        ("/Title (Untitled document)", "The Large Title"),
    ],
    ids=["declared", "a number", "largest type", "left open", "untitled"],
)
def test_titles(write, info, title):
    lines = ["The Large Title", "", "Some words of text.", "", "And more of it.", "", "The end."]
    data = pdf_bytes([lines], info=info, sizes={"The Large Title": 20})
    assert load(write("a.pdf", data)).title == title


def test_what_a_program_writes_where_nobody_said_anything_is_not_said(write):
    info = "/Author (\\(anonymous\\)) /Subject (\\(unspecified\\)) /Keywords (Untitled)"
    assert load(write("a.pdf", pdf_bytes([["Words."]], info=info))).metadata == {}


def test_metadata(write):
    info = "/Author (Ann) /CreationDate (D:20200229120000Z)"
    found = load(write("a.pdf", pdf_bytes([["Words."]], info=info)))
    assert found.metadata == {"author": "Ann", "date": "2020-02-29"}


def test_pages_without_text_are_named(write):
    found = load(write("a.pdf", pdf_bytes([["Words."], [], [], ["More."], []])))
    assert found.notes == ("pages without text (blank or scanned): 2-3, 5",)


def test_a_scan_is_refused_with_what_to_do(write):
    with pytest.raises(LoadError, match="OCR"):
        load(write("a.pdf", pdf_bytes([[], []])))


def test_a_locked_file_is_refused(write):
    keys = f"/O <{'11' * 32}> /U <{'22' * 32}>"
    lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 {keys} >> /ID [<00> <00>]"
    with pytest.raises(LoadError, match="needs a password"):
        load(write("a.pdf", pdf_bytes([["Secret."]], encrypt=lock)))


def test_what_is_no_pdf_is_refused(write):
    with pytest.raises(LoadError, match="not a readable PDF"):
        load(write("a.pdf", "hello"))


def line(text: str, *, hyphen: bool = False) -> Line:
    return Line(text=text, left=0, right=1, top=1, bottom=0, hyphen=hyphen)


@pytest.mark.parametrize(
    ("known", "first", "second", "text"),
    [
        ("", "inter", "connected units", "interconnected units"),
        ("representation", "a represen", "tation", "a representation"),
        ("high and dimensional", "a high", "dimensional space", "a high-dimensional space"),
        ("well-known", "a well", "known fact", "a well-known fact"),
        ("wellbeing well being", "a well", "being", "a wellbeing"),
        ("", "in the mid", "1990s", "in the mid-1990s"),
        ("", "Anglo", "Saxon", "Anglo-Saxon"),
    ],
)
def test_words_cut_at_line_ends_are_joined_only_when_safe(known, first, second, text):
    lines = [line(first, hyphen=True), line(second)]
    assert joined(lines, vocabulary([[line(known)], lines])) == text


def test_rows_of_figures_keep_their_lines():
    lines = [line("Gold 38 36"), line("Business 10 (8)"), line("and words")]
    assert joined(lines, frozenset()) == "Gold 38 36\nBusiness 10 (8) and words"


def test_a_hyphen_at_a_line_end_reaches_the_joining(write):
    found = load(write("a.pdf", pdf_bytes([["The units are inter-", "connected here."]])))
    assert pairs(found) == [(1, "The units are interconnected here.")]
