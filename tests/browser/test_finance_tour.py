"""Somebody asks for a number in the browser: the calculation, what it cites, the cell in print.

The walk is the one of the tutorial, wide and on a phone; its pictures are those of the docs.
"""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterator

import pytest
from PIL import Image
from playwright.sync_api import Page, expect
from test_page_asking import asked, whole
from test_page_reach import examine, too_wide

from conftest import DESKTOP, PHONE, serving, workspace
from consilience.packs.finance import PACK
from consilience.page_pictures import STRONG
from consilience.workspace import open_workspace

REPORTS = ("veldmark-2025-08-monthly.pdf", "tessenhof-2025-08-monthly.pdf")
QUESTION = "What was the EBITDA margin of Portugal in August 2025 against budget?"
UNKNOWN = "What was Veldmark's EBITDA margin in Portugal in August 2031?"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over two reports of the sample."""
    patient = "[retrieve]\nsoft_ms = 30000\nhard_ms = 60000\n"  # no clock decides what is found
    folder = workspace(tmp_path_factory.mktemp("tour") / "finance", "finance", patient)
    sample = folder / "sample"
    sample.mkdir()
    for name in REPORTS:
        shutil.copy(PACK.sample.folder / name, sample)
    with open_workspace(folder) as space:
        space.add([sample])
    with serving(folder) as found:
        yield found


def drawn(page: Page, image: str) -> str:
    """Wait until a picture is there; gives its address."""
    picture = page.locator(image).first
    picture.scroll_into_view_if_needed()
    page.wait_for_function("one => document.querySelector(one).naturalWidth > 400", arg=image)
    return str(picture.get_attribute("src"))


def outlined(page: Page, address: str) -> int:
    """How many points of a picture are of the colour that outlines the cell that is meant."""
    reply = page.request.get(address)
    assert reply.headers["content-type"] == "image/png"
    with Image.open(io.BytesIO(reply.body())) as picture:
        colours = picture.convert("RGB").getcolors(maxcolors=1 << 24)
    return sum(count for count, colour in colours if colour == STRONG.line)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_question_leads_to_a_calculation_its_row_and_the_cell_in_print(
    window, shot, address, size
):
    page = window(size, dark=size is PHONE, address=address)
    page.goto("/w/finance")
    box = page.get_by_role("searchbox", name="Your question")
    box.fill(QUESTION)
    box.press("Enter")
    whole(page)
    answer = page.locator("#answer-text")
    expect(answer).to_contain_text("24.5 − 24.9 = −0.4 pp")
    expect(answer.locator("table")).to_contain_text("August 2025 › Budget")
    expect(page.locator("[data-support]")).to_contain_text("match the sources")
    assert not too_wide(page)
    shot(page, "finance-answer")

    answer.get_by_role("link", name=re.compile(r"\b1\b")).first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("−0.4 pp")
    assert outlined(page, drawn(page, "dialog .printed img"))
    shot(page, "finance-passage")

    dialog.get_by_role("link", name="Open as a page").click()
    expect(page.locator(".comes-to")).to_have_text("−0.4 pp")
    page.locator(".operands a").last.click()
    expect(page.locator("tr.here mark")).to_have_text("24.9")
    picture = drawn(page, ".printed img")
    assert outlined(page, picture)
    assert not too_wide(page)
    page.locator(".printed img").first.evaluate("one => one.scrollIntoView({block: 'start'})")
    shot(page, "finance-cell")


def test_a_calculation_is_a_card_that_leads_to_each_of_its_numbers(window, address):
    page = window(address=address)
    asked(page, "finance", QUESTION)
    card = page.locator('[data-result][data-kind="calculation"]').first
    expect(card).to_contain_text("−0.4 pp")
    expect(card.locator(".operands a")).to_have_count(2)
    card.locator(".operands a").last.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".printed img")).to_have_attribute("alt", re.compile(r"24\.9"))
    assert outlined(page, drawn(page, "dialog .printed img"))


def test_a_month_that_no_report_has_is_refused_by_name(window, address):
    page = window(address=address)
    asked(page, "finance", UNKNOWN)
    expect(page.locator("#answer-text .abstained")).to_be_visible()
    expect(page.locator("#answer-text")).to_contain_text("2031")
    assert not examine(page)
