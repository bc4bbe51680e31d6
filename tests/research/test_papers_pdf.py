"""Papers in PDF: columns, headings without other type, running heads, references."""

from __future__ import annotations

from pathlib import Path

import pytest
from papers_shared import STEP, TOP, Sheet

from consilience.packs.research.papers.loading import load
from consilience.types import Document

LOREM = (
    "The estimate is the difference between two means and it is read as an effect only where the "
    "groups would have been alike without the treatment, which no table of results can show. "
)


def texts(document: Document, *section: str) -> str:
    """The words under a heading."""
    return " ".join(
        block.text
        for block in document.blocks
        if block.locator.section == section and not block.kind
    )


def sections(document: Document) -> list[tuple[str, ...]]:
    """The paths of headings, in order."""
    return list(dict.fromkeys(block.locator.section for block in document.blocks if not block.kind))


def targets(document: Document) -> list[str]:
    """The works that a paper cites."""
    return [str(one.metadata["target"]) for one in document.blocks if one.kind == "citation"]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """A paper in one type throughout, with numbered headings, items, heads and page numbers."""
    sheet = Sheet(tmp_path_factory.mktemp("plain") / "plain.pdf")
    sheet.line("On the meaning of a small difference", size=16, x=150)
    sheet.line("Ada Quill and Bo Marsh", x=220, gap=2)
    sheet.line("University of Nowhere, Springfield", x=200)
    sheet.line("March 2017", x=260)
    sheet.line("Abstract", x=270, gap=2)
    sheet.text(LOREM * 2)
    sheet.line("1 Introduction", gap=2)
    sheet.text(LOREM * 3)
    sheet.line("Three things are needed:", gap=1)
    sheet.line("1. a group that was treated,")
    sheet.line("2. a group that was not, and")
    sheet.line("3. a reason why both are alike.")
    sheet.line("2 Methods", gap=2)
    sheet.text(LOREM)
    sheet.line("2.1 Data", gap=2)
    sheet.line("We have observa-")
    sheet.line("tions of 1,200 firms and their offices.")
    sheet.turn()
    sheet.at(72, 810, "Quill and Marsh", 8)
    sheet.at(300, 30, "2", 8)
    sheet.y = TOP
    sheet.line("2.2 Estimation")
    sheet.text(LOREM * 2)
    sheet.line("3 Results", gap=2)
    sheet.text(LOREM * 2 + "The sentence goes on over the")
    sheet.turn()
    sheet.at(72, 810, "On the meaning of a small difference", 8)
    sheet.at(300, 30, "3", 8)
    sheet.y = TOP
    sheet.line("end of the page and stops here.")
    sheet.line("References", gap=2)
    sheet.text(
        "Rubin, D. B. (1974). Estimating causal effects of treatments in randomized and "
        "nonrandomized studies. Journal of Educational Psychology, 66, 688-701.",
        hang=14,
    )
    sheet.text(
        "Imbens, G. W. and Angrist, J. D. (1994). Identification and estimation of local average "
        "treatment effects. Econometrica, 62, 467-475.",
        hang=14,
    )
    sheet.text("van der Laan, M. J. & Rubin, D. (2006). Targeted learning. Journal X.", hang=14)
    sheet.line("A Proofs", gap=2, font="Times-Bold", size=12)
    sheet.text(LOREM)
    return load(sheet.done())


def test_the_head_of_the_first_page_says_title_authors_and_year(plain: Document) -> None:
    assert plain.title == "On the meaning of a small difference"
    assert plain.metadata["authors"] == ("Ada Quill", "Bo Marsh")
    assert plain.metadata["year"] == 2017
    assert plain.metadata["key"] == "quill 2017"


def test_numbered_headings_need_no_other_type_and_items_are_none(plain: Document) -> None:
    assert sections(plain)[1:] == [
        ("Abstract",),
        ("1 Introduction",),
        ("2 Methods",),
        ("2 Methods", "2.1 Data"),
        ("2 Methods", "2.2 Estimation"),
        ("3 Results",),
        ("A Proofs",),
    ]
    assert "2. a group that was not, and" in texts(plain, "1 Introduction")


def test_cut_words_are_mended(plain: Document) -> None:
    assert texts(plain, "2 Methods", "2.1 Data") == (
        "We have observations of 1,200 firms and their offices."
    )


def test_heads_and_numbers_of_few_pages_are_left_out(plain: Document) -> None:
    whole = " ".join(block.text for block in plain.blocks[1:] if not block.kind)
    assert "Quill" not in whole
    assert "The sentence goes on over the end of the page and stops here." in whole
    assert any("Quill and Marsh" in note for note in plain.notes)


def test_references_are_set_apart_and_meet_by_their_keys(plain: Document) -> None:
    assert targets(plain) == ["rubin 1974", "imbens 1994", "van der laan 2006"]
    work = next(block for block in plain.blocks if block.kind == "work")
    assert work.metadata["node"] == "quill 2017"
    assert work.metadata["aliases"] == (
        "Quill (2017)",
        "Quill and Marsh (2017)",
        "Quill et al. (2017)",
    )
    cited = next(block for block in plain.blocks if block.kind == "citation")
    assert cited.metadata["source"] == "quill 2017"
    assert cited.locator.page == 3
    assert "Educational Psychology" not in texts(plain, "3 Results")


LEFT = [f"left line {number} is one of many lines that fill it" for number in range(1, 31)]
RIGHT = [f"right line {number} is one of many lines to fill it" for number in range(1, 31)]


@pytest.mark.parametrize("across", [True, False])
def test_two_columns_are_read_one_after_the_other(tmp_path: Path, across: bool) -> None:
    """Some programs write down the columns, others across them."""
    sheet = Sheet(tmp_path / "columns.pdf")
    for number in (1, 2):
        sheet.y = TOP
        if number == 1:
            sheet.line("A title over both of the columns", size=16, x=150)
        rows = [(72.0, sheet.y - 40 - STEP * at, one) for at, one in enumerate(LEFT)]
        rows += [(310.0, sheet.y - 40 - STEP * at, one) for at, one in enumerate(RIGHT)]
        for x, y, one in sorted(rows, key=lambda row: -row[1]) if across else rows:
            sheet.at(x, y, one)
        sheet.turn()
    found = " ".join(block.text for block in load(sheet.done()).blocks)
    places = [found.index(one) for one in (*LEFT, *RIGHT)]
    assert places == sorted(places)


def test_roman_headings_a_run_in_abstract_and_numbered_references(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "roman.pdf")
    sheet.line("Weak signals in long records", size=18, x=140)
    sheet.line("Jan de Vries1, Mia O'Hara2 and K. L. Osei1,*", x=180, gap=2)
    sheet.line("1Institute of Signals, Utrecht, The Netherlands", x=180, size=8)
    sheet.line("Abstract—We look for weak signals and find that most of them are noise, as", gap=2)
    sheet.line("others did before us in shorter records.")
    for heading in ("I. INTRODUCTION", "II. THE RECORDS", "III. CONCLUSION"):
        sheet.line(heading, gap=2)
        sheet.text(LOREM * 2)
    sheet.line("REFERENCES", gap=2)
    sheet.line("[1] J. Doe and K. Roe, “Noise in long records,” Signals, vol. 3, pp. 1–9, 2009.")
    sheet.line("[2] M. Poe, A. Loe, and B. Zoe, “Short records,” in Proc. Records, 1999, pp. 3–8.")
    sheet.line("and a second line of the same entry.", x=90)
    sheet.line("[3] H. Foe, The Book of Signals, 2nd ed. Oxford: Press, 2011.")
    document = load(sheet.done())
    assert document.metadata["authors"] == ("Jan de Vries", "Mia O'Hara", "K. L. Osei")
    assert [path[0] for path in sections(document)[1:]] == [
        "Abstract",
        "I Introduction",
        "II The records",
        "III Conclusion",
    ]
    assert texts(document, "Abstract").startswith("We look for weak signals")
    assert targets(document) == ["doe 2009", "poe 1999", "foe 2011"]


def test_a_page_of_notes_without_any_of_this_stays_a_note(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "memo.pdf")
    sheet.text(LOREM * 4)
    document = load(sheet.done())
    assert document.title == "memo"
    assert {"authors", "key"}.isdisjoint(document.metadata)
    assert not [block for block in document.blocks if block.kind]
    assert document.blocks[0].text.startswith("The estimate is the difference")
