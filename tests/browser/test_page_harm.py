"""What means harm stays text, and a browser without scripts gets everything whole."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

BAD = "<img src=x onerror=alert(1)>"
PAGES = (
    f"/w/hostile/ask?q={quote('When does the tide of ' + BAD + ' turn?')}",
    f"/w/hostile/search?q={quote('tide ' + BAD)}",
    f"/w/hostile/why?q={quote('tide ' + BAD)}",
    f"/w/hostile/status?find={quote(BAD)}",
    f"/w/hostile/compare?q={quote('tide ' + BAD)}&a=settings&b={quote('fusion.method=rrf')}",
)


@pytest.mark.parametrize("address", PAGES, ids=lambda one: one.split("?")[0].split("/")[-1])
def test_files_and_questions_that_mean_harm_are_shown_as_text(page, address):
    page.goto(address)
    if "/ask" in address:
        expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    expect(page.locator("main")).to_contain_text("onerror=alert(1)")
    for wrong in (
        "img[onerror]",
        "svg[onload]",
        "main script",
        "a[href^='javascript:']",
        "main b > b",
    ):
        expect(page.locator(wrong)).to_have_count(0)
    for fold in page.locator("details > summary").all():
        if fold.is_visible():
            fold.click()
    if page.locator("a[data-open]:visible").count():
        page.locator("a[data-open]:visible").first.click()
        expect(page.get_by_role("dialog").locator("[data-passage-text]")).not_to_be_empty()


def test_the_passage_itself_is_shown_as_it_stands_in_the_file(page):
    page.goto("/w/hostile/search?q=tide+clock+loses+fifty+minutes")
    key = (
        page.locator("[data-result]")
        .filter(has_text="clock.txt")
        .first.get_attribute("data-passage")
    )
    page.goto(f"/w/hostile/passages/{key}")
    expect(page.locator("article")).to_contain_text("{{ 7 * 7 }}")
    expect(page.locator("article")).to_contain_text("<svg onload=alert(3)>")


@pytest.mark.parametrize(
    "question",
    [
        "</script><script>alert(6)</script>",
        '"><svg/onload=alert(7)>',
        "{{7*7}}${7*7}",
        "\u202etxt.exe",
    ],
)
def test_a_question_that_means_harm_is_shown_as_it_was_asked(window, question):
    page = window()
    page.goto("/w/hostile")
    box = page.get_by_role("searchbox")
    box.fill(question)
    box.press("Enter")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    assert question in page.title()
    page.reload()
    expect(box).to_have_value(question)
    page.goto("/w/hostile")
    expect(page.locator("#history")).to_contain_text(question)


def test_without_scripts_answers_come_whole(window):
    page = window(scripts=False)
    page.goto("/w/general")
    page.get_by_role("searchbox").fill("Why did Smeaton shape his tower like an oak?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#answer-text")).to_contain_text("oak")
    expect(page.locator("[data-result]").first).to_be_visible()
    expect(
        page.get_by_role("button", name="Copy")
    ).to_be_hidden()  # what needs scripts is not there
    page.locator("#answer-text a").first.click()  # a mark leads to its source …
    page.locator("#sources a").first.click()  # … and that to the passage
    expect(page.get_by_role("heading", name="About this passage")).to_be_visible()


def test_an_answer_that_fails_in_the_middle_says_so_and_can_be_asked_again(window):
    page = window(allowed=("status of 4", "status of 5", "ERR_FAILED"))
    page.route("**/ask/events**", lambda route: route.abort())
    page.goto("/w/general/ask?q=oak")
    expect(page.get_by_role("alert")).to_be_visible()
    page.unroute("**/ask/events**")
    page.get_by_role("link", name="Ask again").click()
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#answer-text")).to_contain_text("oak")
