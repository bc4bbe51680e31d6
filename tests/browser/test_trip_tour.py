"""Somebody plans a trip over the sample, wide and on a phone, as the docs show it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from test_page_reach import too_wide

from conftest import DESKTOP, PHONE, serving, workspace
from consilience.packs.travel import PACK
from consilience.workspace import open_workspace

CENTRE = ("cities-centre.json", "attractions-centre.geojson", "stays-centre.csv")
FILES = (*CENTRE, "food-centre.csv", "regions.json", "transport.csv")
WISH = "A romantic four-day trip, good food, no hiking, mid-range"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over the middle of the country."""
    folder = workspace(tmp_path_factory.mktemp("tour") / "travel", "travel")
    sample = folder / "sample"
    sample.mkdir()
    for name in FILES:
        shutil.copy(PACK.sample.folder / name, sample)
    with open_workspace(folder) as space:
        space.add([sample])
    with serving(folder) as found:
        yield found


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_wish_becomes_four_days_with_a_map_and_a_bill(window, shot, address, size):
    page = window(size, dark=size is PHONE, address=address)
    page.goto("/w/travel/trip")
    page.get_by_text("Days, dates, budget and more").click()
    page.get_by_label("First day").fill("2027-03-05")
    box = page.get_by_label("Your wish", exact=True)
    box.fill(WISH)
    box.press("Enter")
    page.wait_for_selector("#trip[aria-busy=false] .trip-day")
    expect(page.locator(".trip-day")).to_have_count(4)
    expect(page.locator("#trip")).to_contain_text("As wished")
    expect(page.locator("#trip svg").first).to_be_visible()
    expect(page.locator("#trip")).to_contain_text("Total")
    assert not too_wide(page)
    shot(page, "trip")
