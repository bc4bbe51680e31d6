"""A trip on its page: steps as they end, days that lead to their sources, narrow and on paper."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect
from test_page_reach import PHONE, examine

from places_shared import BAD, place_workspace

WISH = "Four romantic days with good food, mid-range"
HOME = "/w/shore/trip"
DATED = f"{HOME}?{urlencode({'q': WISH, 'starts_on': '2027-03-01'})}"
DONE = "#trip[aria-busy=false] .trip-day"


@pytest.fixture(scope="session")
def shore(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server over a small workspace of places."""
    folder = place_workspace(tmp_path_factory.mktemp("trips") / "shore")
    command = [sys.executable, "-m", "consilience", "serve", "--json", "--port", "0", str(folder)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        yield json.loads(server.stdout.readline())["address"]
        server.terminate()
        assert "Traceback" not in server.communicate(timeout=30)[1]


def planned(page: Page, address: str = DATED) -> Page:
    page.goto(address)
    page.wait_for_selector(DONE)
    return page


def test_a_wish_is_typed_and_becomes_days_that_lead_to_their_sources(window, shore):
    page = window(address=shore)
    page.goto(HOME)
    page.get_by_label("Your wish", exact=True).fill(WISH)
    page.get_by_text("Days, dates, budget and more").click()
    page.get_by_label("First day").fill("2027-03-01")
    page.get_by_label("Your wish", exact=True).press("Enter")
    page.wait_for_selector(DONE)
    assert "currency" not in page.url  # what nobody filled in is not in the address
    assert "starts_on=2027-03-01" in page.url
    expect(page.locator(".trip-day")).to_have_count(4)
    expect(page.locator("#day-1")).to_contain_text("Monday 1 March 2027")
    expect(page.get_by_role("status")).to_have_text("The plan is there.")
    first = page.locator("#day-1 .visit a").first
    name = first.inner_text().split("\n")[0]
    first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("[data-passage-text]")).to_contain_text(name.rsplit(" ", 1)[0])
    page.keyboard.press("Escape")
    expect(first).to_be_focused()


def test_how_it_was_planned_is_told_on_demand(window, shore):
    page = planned(window(address=shore))
    page.get_by_text("How this was planned").click()
    steps = page.locator(".trip-how .trip-step-name").all_inner_texts()
    assert steps[:3] == ["Understand the wish", "Decide what to search", "Search places"]
    expect(page.locator(".trip-how")).to_contain_text("0 broken")


def test_a_connection_that_breaks_is_said_and_the_steps_stay(window, shore):
    page = window(address=shore)
    html = '<li class="trip-step" data-next="Check">Compose the days</li>'
    told = json.dumps({"step": "compose", "summary": "4 days", "html": html})
    page.route(
        "**/trip/events**",
        lambda route: route.fulfill(
            content_type="text/event-stream", body=f"event: stage\ndata: {told}\n\n"
        ),
    )
    page.goto(DATED)
    expect(page.get_by_role("alert")).to_have_text(
        "The connection was lost before the plan was whole."
    )
    expect(page.locator("[data-steps] li")).to_have_text(["Compose the days"])
    expect(page.get_by_role("button", name="Plan")).to_be_visible()


def test_what_is_wrong_is_said_in_the_page(window, shore):
    page = window(address=shore)
    page.goto(f"{HOME}?{urlencode({'q': WISH, 'start': 'Atlantis'})}")
    expect(page.get_by_role("alert")).to_contain_text("No place 'Atlantis' is known here")
    expect(page.get_by_label("Your wish", exact=True)).to_have_value(WISH)


def test_without_scripts_the_page_comes_whole(window, shore):
    page = window(address=shore, scripts=False)
    page.goto(DATED)
    expect(page.locator(".trip-day")).to_have_count(4)
    assert "whole=1" in page.url
    page.get_by_label("Your wish", exact=True).fill("Two days of history")
    page.get_by_role("button", name="Plan").click()
    expect(page.locator(".trip-day")).to_have_count(2)


def test_a_constraint_is_seen_and_removed(window, shore):
    page = planned(window(address=shore))
    chips = page.locator(".trip-chip")
    count = chips.count()
    chip = chips.filter(has_text="mid-range").first
    chip.locator("summary").click()
    expect(chip).to_contain_text("From “mid-range”")
    chip.get_by_role("link", name="Remove").click()
    page.wait_for_selector(DONE)
    expect(page.locator(".trip-chip")).to_have_count(count - 1)
    expect(page.get_by_label("Your wish", exact=True)).to_have_value(WISH)


def test_words_not_understood_are_said_otherwise(window, shore):
    page = planned(window(address=shore), f"{HOME}?{urlencode({'q': WISH + ', and zorbing'})}")
    expect(page.locator(".trip-leftover")).to_contain_text("zorbing")
    page.locator(".trip-leftover").get_by_label("Say it otherwise").fill("no museums")
    page.locator(".trip-leftover").get_by_role("button", name="Plan again").click()
    page.wait_for_selector(DONE)
    expect(page.locator(".trip-leftover")).to_have_count(0)
    expect(page.locator(".trip-chips")).to_contain_text("no museum")


def test_days_are_reached_by_keys(window, shore):
    page = planned(window(address=shore))
    page.locator("#plan-title").focus()
    page.keyboard.press("j")
    expect(page.locator("#day-1")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#day-2")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("Your wish", exact=True)).to_be_focused()


def test_a_trip_is_taken_along(window, shore):
    page = planned(window(address=shore))
    with page.expect_download() as found:
        page.get_by_role("link", name="Calendar").click()
    assert found.value.suggested_filename.startswith("trip-4-days-")
    assert found.value.suggested_filename.endswith(".ics")


def test_the_map_has_the_colours_of_the_page(window, shore):
    page = planned(window(address=shore))
    paper = page.locator(".trip-route .map-paper").first
    light = paper.evaluate("one => getComputedStyle(one).fill")
    page.get_by_role("button", name="Dark colours").click()
    assert paper.evaluate("one => getComputedStyle(one).fill") != light


def test_on_paper_there_is_the_plan_and_no_form(window, shore):
    page = planned(window(address=shore))
    page.emulate_media(media="print")
    expect(page.locator("#wish")).to_be_hidden()
    expect(page.locator(".trip-links")).to_be_hidden()
    expect(page.locator("#day-4")).to_be_visible()
    expect(page.locator(".trip-bill tfoot")).to_be_visible()


def test_what_places_are_called_is_shown_and_does_nothing(window, shore):
    page = planned(window(address=shore))
    expect(page.locator(".trip-days")).to_contain_text(BAD)
    assert page.locator(".trip-days img").count() == 0


@pytest.mark.parametrize(
    "address",
    [HOME, DATED, f"{HOME}?{urlencode({'q': 'Who wrote Faust?'})}"],
    ids=["form", "plan", "refused"],
)
def test_everybody_can_use_the_page(window, shore, address):
    page = window(address=shore)
    page.goto(address)
    expect(page.locator("#trip")).to_have_attribute("aria-busy", "false")
    assert not examine(page)


def test_a_phone_shows_a_day_without_running_off_its_side(window, shore):
    page = planned(window(PHONE, address=shore))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator("#day-1").bounding_box()
    assert box["width"] <= 390
