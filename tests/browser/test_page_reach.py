"""Everybody can use every page: axe-core finds nothing serious, and nothing runs off a phone.

Each page is looked at wide in light colours and narrow in dark ones.
"""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

DESKTOP, PHONE, NARROW = ({"width": one, "height": 844} for one in (1280, 390, 360))
PAGES = {
    "home": "/",
    "ask": "/w/chess",
    "answer": "/w/chess/ask?q=Sicilian+Najdorf+main+line&length=concise&limit=2",
    "mixed": "/w/general/ask?q=How+tall+is+Cordouan+Lighthouse%2C+and+when+was+it+lit%3F&limit=3",
    "nothing": "/w/general/ask?q=What+is+the+boiling+point+of+tungsten%3F&limit=2",
    "search": "/w/general/search?q=How+is+the+Bell+Rock+connected+to+John+Smeaton%3F&limit=4",
    "missing": "/w/general/search?q=granite&limit=2&for=q%3DWho%2Bbuilt%2BCordouan%253F",
    "trouble": "/w/general/compare?q=Who+built+Cordouan%3F&b=nonsense",
    "why": "/w/general/why?q=Why+did+Smeaton+shape+his+tower+like+an+oak%3F&limit=2",
    "path": "/w/general/path?start=Bell+Rock+Lighthouse&end=John+Smeaton",
    "compare": "/w/general/compare?q=Who+built+Cordouan%3F&a=settings&b=other",
    "status": "/w/general/status",
    "jobs": "/w/general/jobs",
    "settings": "/w/general/settings",
    "reports": "/w/general/reports",
    "error": "/w/nowhere",
}
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"resultTypes": ["violations"], "elementRef": False, "runOnly": TAGS}


def faults(page: Page) -> list[str]:
    """What axe-core finds that is serious or worse, each with the first place."""
    found = Axe().run(page, options=OPTIONS).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {one['help']} — {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]


def too_wide(page: Page) -> list[str]:
    """What runs off the side of the page."""
    return page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] :
             [...document.querySelectorAll('body *')]
               .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
               .map((one) => one.outerHTML.slice(0, 120)).slice(-3)"""
    )


def examine(page: Page) -> list[str]:
    """Every fault of a page, wide and light, narrow and dark, with its folds open."""
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
    found = []
    for size, dark in ((DESKTOP, False), (PHONE, True)):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        where = f"{size['width']} {'dark' if dark else 'light'}"
        found += [f"{where}: {one}" for one in faults(page)]
    page.set_viewport_size(NARROW)
    return found + [f"too wide: {one}" for one in too_wide(page)]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_serious_fault(window, name):
    page = window(allowed=("status of 404", "status of 400"))
    page.goto(PAGES[name])
    if "/ask?" in PAGES[name]:
        expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    assert not examine(page)


def test_what_opens_over_a_page_has_no_serious_fault(page):
    page.goto(PAGES["mixed"])
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    page.locator("#answer-text a").first.click()
    expect(page.get_by_role("dialog").locator("[data-passage-text]")).not_to_be_empty()
    assert not examine(page)


def test_the_page_of_a_locked_server_has_no_serious_fault(window, locked):
    page = window(address=locked)
    page.goto("/")
    assert not examine(page)


def test_a_report_and_a_passage_have_no_serious_fault(page):
    page.goto("/w/general/reports")
    report = page.locator(".report a").first.get_attribute("href")
    page.goto("/w/general/search?q=Cordouan")
    passage = page.locator("[data-result] h3 a").first.get_attribute("href")
    for address in (report, passage):
        page.goto(address)
        assert not examine(page), address
