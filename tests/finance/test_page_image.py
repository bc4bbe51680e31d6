"""The page of a number is drawn as it is seen, and the right cell is outlined on it."""

from __future__ import annotations

import io
import json
import threading

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from consilience import page_pictures
from consilience.errors import UsageError
from consilience.packs.finance.data_model import Box
from consilience.packs.finance.files.pdf.page import read_page
from consilience.packs.finance.page_pictures import boxes_of, pages
from consilience.page_pictures import LIGHT, STRONG, page_image
from consilience.types import Locator, Passage
from report_shared import HEADINGS, HEIGHT, ROWS, WIDTH, box_of, row_passages, write_report

UPRIGHT = {  # so that what is drawn stands upright where the page is turned
    0: (1, 0, 0, 1, 0, 0),
    90: (0, 1, -1, 0, HEIGHT, 0),
    180: (-1, 0, 0, -1, WIDTH, HEIGHT),
    270: (0, -1, 1, 0, 0, WIDTH),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_report(tmp_path_factory.mktemp("report") / "report.pdf", pages=2)


def pixels(png):
    return np.array(Image.open(io.BytesIO(png)).convert("RGB"))


def lines(png, pen, scale=2.0):
    """The box around all pixels of an outline's colour, in points."""
    down, across = np.nonzero((pixels(png) == pen.line).all(axis=2))
    if not len(down):
        return None
    return tuple(float(one) / scale for one in (across.min(), down.min(), across.max(), down.max()))


def around(box, found):
    """Whether an outline is just around a box."""
    wanted = (box.left, box.top, box.right, box.bottom)
    outside = (found[0] <= wanted[0], found[1] <= wanted[1])
    near = [abs(one - other) <= 4 for one, other in zip(found, wanted, strict=True)]
    return all((*outside, *near))


def ink(png, box, scale=2.0):
    """The share of dark pixels in a box."""
    left, top, right, bottom = (
        round(one * scale) for one in (box.left, box.top, box.right, box.bottom)
    )
    return (pixels(png)[top:bottom, left:right].max(axis=2) < 120).mean()


def test_the_cell_that_answers_is_outlined_and_stays_readable(report):
    bare = page_image(report, 1, ())
    assert pixels(bare).shape == (HEIGHT * 2, WIDTH * 2, 3)
    assert lines(bare, STRONG) is None
    png = page_image(report, 1, [box_of(0, 0)], strong=[box_of(2, 1)])
    assert around(box_of(2, 1), lines(png, STRONG))
    assert around(box_of(0, 0), lines(png, LIGHT))
    assert ink(png, box_of(2, 1)) == pytest.approx(ink(bare, box_of(2, 1)), abs=0.01) != 0
    washed = pixels(png)[round(box_of(2, 1).top * 2) + 2, round(box_of(2, 1).left * 2) + 2]
    assert tuple(washed) == STRONG.wash


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [False, True])
def test_turned_and_cropped_pages_are_outlined_where_the_number_is_seen(tmp_path, turn, crop):
    def prepare(canvas):
        width, height = (WIDTH, HEIGHT) if turn in (0, 180) else (HEIGHT, WIDTH)
        canvas.setPageRotation(turn)
        canvas.transform(*UPRIGHT[turn])
        if crop:
            canvas.setCropBox((9, 16, width - 23, height - 31))

    path = write_report(tmp_path / "turned.pdf", prepare)
    document = pypdfium2.PdfDocument(path)
    page = read_page(document, 0)  # what the pack's own reader says of where words stand
    document.close()
    [word] = [one for one in page.words if one.text == "18.1%"]
    box = Box(left=word.left, top=word.top, right=word.right, bottom=word.bottom)
    if not crop:
        assert (box.right, box.bottom) == pytest.approx(
            (box_of(2, 1).right, box_of(2, 1).bottom), abs=2
        )
    bare, png = page_image(path, 1, ()), page_image(path, 1, [], strong=[box])
    height, width = pixels(png).shape[:2]
    assert (width / 2, height / 2) == (page.width, page.height)
    assert around(box, lines(png, STRONG))
    assert ink(bare, box) > 0.1
    below = Box(left=box.left, top=box.bottom + 2, right=box.right, bottom=box.bottom + 9)
    assert ink(bare, below) == 0  # the last row of the table


def test_a_picture_is_never_larger_than_is_bearable(tmp_path, report, monkeypatch):
    def prepare(canvas):
        canvas.setPageSize((14_000, 14_000))

    png = page_image(write_report(tmp_path / "huge.pdf", prepare), 1, ())
    height, width = pixels(png).shape[:2]
    assert max(height, width) <= page_pictures.LONGEST
    assert height * width <= page_pictures.MOST * 1.01
    assert pixels(page_image(report, 1, (), scale=50)).shape[1] <= page_pictures.LONGEST


def test_what_lies_off_the_page_is_left_out(report):
    off = Box(left=9000, top=9000, right=9100, bottom=9100)
    half = Box(left=WIDTH - 10, top=-50, right=WIDTH + 90, bottom=20)
    png = page_image(report, 1, [off], strong=[half])
    assert lines(png, LIGHT) is None
    assert lines(png, STRONG)[2] == WIDTH - 0.5


def test_a_strip_shows_what_is_around_the_cell(report):
    whole, strip = (page_image(report, 1, [], strong=[box_of(0, 0)], crop=one) for one in (0, 1))
    assert pixels(strip).shape[0] < pixels(whole).shape[0]
    assert pixels(strip).shape[1] == pixels(whole).shape[1]
    assert lines(strip, STRONG) is not None
    assert page_image(report, 1, (), crop=True) == page_image(report, 1, ())


@pytest.mark.parametrize(("page", "told"), [(0, "no page 0"), (3, "has 2 pages")])
def test_a_page_that_is_not_there_is_refused(report, page, told):
    with pytest.raises(UsageError, match=told):
        page_image(report, page, ())


def test_what_is_no_pdf_is_refused(tmp_path):
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7 and nothing more")
    with pytest.raises(UsageError, match=r"page 1 of broken\.pdf cannot be drawn"):
        page_image(path, 1, ())


def test_pages_can_be_drawn_by_several_threads(report):
    found = []
    draw = [
        threading.Thread(target=lambda: found.append(page_image(report, 1, ()))) for _ in "abcd"
    ]
    for one in draw:
        one.start()
    for one in draw:
        one.join()
    assert len(found) == 4
    assert len(set(found)) == 1


# --- which pages, which cells ---------------------------------------------------------------


def test_the_cells_of_a_row_and_where_they_stand():
    row = row_passages("report.pdf", page=2)[1]
    assert boxes_of(row) == [
        (2, box_of(1, column), text) for column, text in enumerate(ROWS["Cost of sales"])
    ]
    assert boxes_of(row_passages("report.xlsx", page=None)[1]) == []


def test_a_row_has_its_page_with_the_cell_that_is_meant(report):
    row = row_passages("report.pdf")[2]
    [found] = pages(report.parent, row, lambda ids: {}, 2)
    assert (found.document, found.page) == ("report.pdf", 1)
    assert found.caption == f"page 1, outlined: EBITDA margin, {HEADINGS[1]} (18.1%)"
    assert around(box_of(2, 1), lines(found.draw(), STRONG))
    [plain] = pages(report.parent, row, lambda ids: {}, None)
    assert plain.caption == "page 1, outlined: EBITDA margin"
    assert lines(plain.draw(), STRONG) is None
    left, top, right, _ = lines(plain.draw(), LIGHT)
    assert (left, top, right) == pytest.approx((box_of(2, 0).left, box_of(2, 0).top, 380), abs=4)


def test_a_calculation_has_each_page_of_its_operands(report):
    first, second = row_passages("report.pdf")[0], row_passages("report.pdf", page=2)[0]
    known = {one.id: one for one in (first, second)}
    operands = [{"passage": first.id, "column": 1}, {"passage": second.id, "column": 3},
                {"passage": first.id, "column": 2}, {"passage": "gone", "column": 1}]  # fmt: skip
    made = Passage(id="m", collection="reports", document="report.pdf", kind="calculation",
                   title="Growth", text="9.6 %",
                   metadata={"operands": json.dumps(operands)})  # fmt: skip
    asked = []

    def lookup(ids):
        asked.extend(ids)
        return {one: known[one] for one in ids if one in known}

    found = pages(report.parent, made, lookup, None)
    assert [one.page for one in found] == [1, 2]
    assert asked == [first.id, second.id, first.id, "gone"]
    assert found[0].caption == (
        "page 1, outlined: Revenue, 2025 (1,204); Revenue, Budget 2025 (1,180)"
    )
    assert around(box_of(0, 2), lines(found[1].draw(), STRONG))
    left, _, right, _ = lines(found[0].draw(), STRONG)
    assert (left, right) == pytest.approx((box_of(0, 0).left, box_of(0, 1).right), abs=4)


def test_prose_has_its_page_and_a_spreadsheet_none(report):
    prose = Passage(id="p", collection="reports", document="report.pdf", kind="document",
                    title="Report", text="Revenue grew.", locator=Locator(page=2))  # fmt: skip
    [found] = pages(report.parent, prose, lambda ids: {}, None)
    assert (found.page, found.caption) == (2, "page 2")
    assert found.draw() == page_image(report, 2, ())
    sheet = row_passages("numbers.xlsx", page=None)[0]
    assert pages(report.parent, sheet, lambda ids: {}, 1) == []
    assert pages(report.parent, row_passages("page.html", page=1)[0], lambda ids: {}, 1) == []
