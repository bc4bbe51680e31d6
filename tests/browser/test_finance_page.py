"""A number on a page leads to its cell: marked in its row, in its table, and in print."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from test_page_reach import examine

from consilience.types import Passage, identified
from consilience.workspace import init_workspace, open_workspace
from report_shared import write_report

SEARCH = "/w/reports/search?q=What+was+the+budgeted+EBITDA+margin+in+2025%3F"


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A server over a small report: its address, and that of a calculation."""
    folder = init_workspace(tmp_path_factory.mktemp("finance") / "reports", pack="finance")
    text = 'pack = "finance"\n[models]\nembed = "fast"\n'
    (folder / "consilience.toml").write_text(text, encoding="utf-8")
    write_report(folder / "report.pdf", pages=2)
    with open_workspace(folder) as space:
        space.add([folder / "report.pdf"])
        made = _made([one for one in space.catalogue.each("reports") if one.kind == "row"])
        space.catalogue.keep_made([made])
    with _serving(folder) as server:
        address = json.loads(server.stdout.readline())["address"]
        yield address, f"/w/reports/passages/{made.id}"
        server.terminate()
        assert "Traceback" not in server.communicate(timeout=30)[1]


def _serving(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "consilience", "serve", "--json", "--port", "0", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _made(rows: list[Passage]) -> Passage:
    operands = [
        {"passage": one.id, "row": 2, "column": 1, "text": "1,204", "label": "Revenue",
         "header": "2025", "page": one.locator.page, "document": one.document}
        for one in rows
        if "Item: Revenue;" in one.text
    ]  # fmt: skip
    known = {"result": "2,408", "operands": json.dumps(operands)}
    return identified(
        Passage(id="", collection="reports", document="report.pdf", kind="calculation",
                title="Report", text="Revenue, 2025: 1,204 + 1,204 = 2,408", metadata=known)
    )  # fmt: skip


def _is_drawn(page: Page, image: str) -> None:
    """Wait for a picture, once it is looked at."""
    page.locator(image).first.scroll_into_view_if_needed()
    page.wait_for_function("one => document.querySelector(one).naturalWidth > 400", arg=image)


def test_a_card_leads_to_the_cell_in_print(window, reports):
    page = window(address=reports[0])
    page.goto(SEARCH)
    card = page.locator("[data-result][data-kind=row]", has_text="EBITDA margin").first
    expect(card.locator("td mark")).to_have_text("18.1%")
    expect(card.locator("th.meant")).to_have_text("Budget 2025")
    card.get_by_role("link", name="EBITDA margin").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".printed img")).to_have_attribute("alt", re.compile("18.1%"))
    _is_drawn(page, "dialog .printed img")
    dialog.get_by_role("link", name="Open as a page").click()
    expect(page.locator("tr.here mark")).to_have_text("18.1%")
    _is_drawn(page, ".printed img")
    with page.context.expect_page() as opened:
        page.locator(".printed a").click()
    assert "/page.png?" in opened.value.url
    assert not examine(page)


def test_a_calculation_shows_what_it_is_made_of(window, reports):
    page = window(address=reports[0])
    page.goto(reports[1])
    expect(page.locator(".comes-to")).to_have_text("2,408")
    expect(page.locator(".printed")).to_have_count(2)
    _is_drawn(page, ".printed img")
    assert not examine(page)
    page.locator(".operands a").first.click()
    expect(page.locator("tr.here mark")).to_have_text("1,204")


def test_a_wide_table_is_scrolled_to_the_cell_on_a_phone(window, reports):
    page = window({"width": 260, "height": 500}, dark=True, address=reports[0])
    page.goto(reports[1])
    address = page.locator(".operands a").first.get_attribute("href")
    page.goto(address.replace("column=1", "column=3"))
    table = page.locator("[data-whole-table]")
    page.wait_for_function("document.querySelector('[data-whole-table]').scrollLeft > 0")
    inside = table.evaluate(
        """(one) => { const box = one.getBoundingClientRect();
             const cell = one.querySelector('.meant').getBoundingClientRect();
             return cell.left >= box.left && cell.right <= box.right + 1; }"""
    )
    assert inside
