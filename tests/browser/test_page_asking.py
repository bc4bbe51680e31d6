"""Somebody asks in the browser: the answer, its sources, the results and the reasons."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, quote_plus, urlsplit

from playwright.sync_api import Locator, Page, expect

from consilience.journal import JOURNAL, read_entries
from consilience.workspace import STORE

ISOLATED = "What is the plan against an isolated queen's pawn?"
OAK = "Why did Smeaton shape his tower like an oak?"
BELL = "How is the Bell Rock connected to John Smeaton?"
FOCUSED = """(() => { const one = document.activeElement;
  return (one.getAttribute('aria-label') || one.innerText || one.id).trim() })()"""
CORDOUAN = "How tall is Cordouan Lighthouse, and when was it first lit?"


def asked(page: Page, space: str, question: str, **more: str) -> None:
    """Ask by the address, and wait until the answer is whole."""
    parts = "".join(f"&{name}={quote_plus(value)}" for name, value in more.items())
    page.goto(f"/w/{space}/ask?q={quote_plus(question)}{parts}")
    whole(page)


def shown(picture: Locator) -> None:
    """Wait until a picture is there."""
    picture.page.wait_for_function(
        "one => one.complete && one.naturalWidth > 0", arg=picture.element_handle()
    )


def whole(page: Page) -> None:
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")


def test_an_answer_is_written_while_one_waits_and_each_mark_opens_its_passage(sized, shot):
    page = sized
    page.goto("/w/general")
    box = page.get_by_role("searchbox", name="Your question")
    expect(box).to_be_focused()
    box.fill(OAK)
    seen: list[str] = []
    page.expose_function("seen", lambda text: seen.append(str(text)))
    page.evaluate(
        """() => new MutationObserver(() => seen(document.querySelector('#answer').innerText))
             .observe(document.querySelector('#found'), {subtree: true, childList: true})"""
    )
    box.press("Enter")
    whole(page)
    expect(page).to_have_url(re.compile(r"/w/general/ask\?q=Why"))
    expect(page).to_have_title(re.compile(re.escape(OAK)))
    answer = page.locator("#answer-text")
    expect(answer).to_contain_text("oak")
    assert any("Searching" in one for one in seen)
    assert len(set(seen)) > 2  # it came piece by piece
    expect(page.locator("[data-support]")).to_contain_text("match the sources")

    mark = answer.get_by_role("link").first
    mark.focus()
    mark.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.locator("mark").first).to_be_visible()  # the quoted words
    quoted = page.locator("#sources [data-open]").first.get_attribute("data-quote")
    assert quoted
    shot(page, "answer-passage")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(mark).to_be_focused()


def test_a_question_without_an_answer_says_so_and_proposes_others(page, shot):
    asked(page, "general", "What is the boiling point of tungsten?")
    expect(page.locator("#answer-text .abstained")).to_be_visible()
    expect(page.locator("[data-nearest]")).not_to_have_attribute("open", "")
    shot(page, "nothing-found")


def test_results_are_cards_by_kind_with_badges_and_what_belongs_to_the_kind(page, shot):
    asked(page, "general", CORDOUAN)
    row = page.locator('[data-result][data-kind="row"]').first
    expect(row.locator(".badge").first).to_have_text("Table row")
    expect(row.locator("dl.fields")).to_contain_text("67.5")
    book = page.locator('[data-result]:not([data-kind="row"])').first
    expect(book.locator(".badge").first).not_to_have_text("Table row")
    edges = {one.evaluate("card => getComputedStyle(card).borderLeftColor") for one in (row, book)}
    assert len(edges) == 2
    expect(row.locator(".meter")).to_have_attribute("aria-label", re.compile(r"Relevance 0\.\d+"))
    expect(page.locator("[data-mixture] li").first).to_contain_text(re.compile(r"\d"))
    shot(page, "answer")


def test_a_path_is_drawn_as_a_row_of_things(page, shot):
    asked(page, "general", BELL)
    chain = page.locator('[data-result][data-kind="path"] .chain').first
    expect(chain).to_contain_text("Robert Stevenson")
    shot(page, "answer-path")


def test_why_this_rank_is_bars_that_add_up_to_the_score(page, shot):
    asked(page, "general", CORDOUAN)
    card = page.locator("[data-result]").first
    card.get_by_text("Why this rank").click()
    expect(card.locator("[data-why]")).to_contain_text(re.compile(r"Found .*by words at \d"))
    chart = card.locator("table.bars").last
    expect(chart).to_be_hidden()
    card.get_by_text("Show the arithmetic").click()
    expect(chart).to_be_visible()
    number = lambda one: float(one.inner_text().replace("−", "-").replace("+", "") or 0)  # noqa: E731
    total = number(chart.locator("[data-total]"))
    parts = [number(one) for one in chart.locator("[data-value]").all()]
    assert parts
    assert abs(sum(parts) - total) < 0.0005 * (len(parts) + 1)
    card.scroll_into_view_if_needed()
    shot(page, "why-this-rank")
    card.get_by_role("link", name="Every number behind this rank").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Why")
    expect(page.get_by_text("What each source did")).to_be_visible()


def test_what_each_source_did_is_told_with_milliseconds(page):
    asked(page, "general", OAK)
    page.locator("[data-sources] summary").first.click()
    table = page.locator("[data-sources] table").first
    expect(table).to_contain_text(re.compile(r"\d+(\.\d+)? ms"))
    states = table.locator("tbody td:nth-child(3)").all_inner_texts()
    assert set(states) <= {"ok", "empty", "slow", "failed", "skipped"}
    assert "ok" in states


def test_pills_filter_by_collection_and_all_takes_it_back(sized):
    page = sized
    asked(page, "chess", "Sicilian Najdorf main line")
    page.get_by_role("link", name=re.compile("^Games")).click()
    whole(page)
    assert parse_qs(urlsplit(page.url).query)["in"] == ["games"]
    expect(page.locator("[data-result]").first).to_be_visible()
    assert set(
        page.locator("[data-result]").evaluate_all("all => all.map(one => one.dataset.kind)")
    ) == {"game"}
    expect(page.get_by_role("link", name=re.compile("^Games"))).to_have_attribute(
        "aria-current", "true"
    )
    page.get_by_role("link", name="All", exact=True).click()
    whole(page)
    assert "in" not in parse_qs(urlsplit(page.url).query)


def test_the_length_that_is_chosen_is_the_length_that_comes(page):
    sizes = {}
    for length in ("concise", "in-depth"):
        asked(page, "chess", ISOLATED)
        page.get_by_label("Length").select_option(length)
        page.get_by_role("button", name="Ask", exact=True).click()
        page.wait_for_url(f"**length={length}**")
        whole(page)
        sizes[length] = len(page.locator("#answer-text").inner_text())
    assert sizes["concise"] < sizes["in-depth"]


def test_searching_alone_shows_results_and_no_answer(page):
    page.goto("/w/general")
    page.get_by_role("searchbox").fill(OAK)
    page.get_by_role("button", name="Search only").click()
    expect(page).to_have_url(re.compile("/search"))
    expect(page.locator("[data-result]").first).to_be_visible()
    expect(page.locator("#answer")).to_have_count(0)


def test_a_follow_up_carries_the_question_before_it_and_an_answer_can_be_saved(page):
    asked(page, "general", OAK)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Markdown").click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert text.startswith(f"# {OAK}")
    assert "- [1] " in text
    follow_up = page.get_by_role("textbox", name="Follow-up question")
    follow_up.fill("Who copied it?")
    follow_up.press("Enter")
    whole(page)
    params = parse_qs(urlsplit(page.url).query)
    assert params["q"] == ["Who copied it?"]
    assert params["history"] == [OAK]
    expect(page.get_by_role("searchbox")).to_have_value("Who copied it?")
    expect(page.locator("#history").get_by_role("link", name=OAK)).to_be_visible()


def test_results_are_folded_after_three_and_marks_count_from_one(sized):
    page = sized
    asked(page, "general", CORDOUAN)
    visible = page.locator("[data-result]:visible")
    expect(visible).to_have_count(3)
    page.locator("[data-more] > summary").click()
    assert visible.count() > 3
    marks = page.locator("#answer-text [data-cite]").evaluate_all(
        "all => all.map(one => +one.dataset.cite)"
    )
    assert list(dict.fromkeys(marks)) == list(range(1, len(set(marks)) + 1))


def test_an_example_can_be_asked_and_history_keeps_it_until_it_is_forgotten(page):
    page.goto("/w/general")
    example = page.locator("#examples a").first
    question = example.inner_text()
    example.click()
    whole(page)
    asked(page, "general", BELL)
    history = page.locator("#history")
    expect(history.get_by_role("link", name=question)).to_be_visible()
    page.goto("/w/general")
    expect(history.get_by_role("link", name=BELL)).to_be_visible()
    history.get_by_role("link", name=question).click()
    whole(page)
    page.goto("/w/general")
    history.get_by_role("button", name="Clear").click()
    expect(history).to_be_hidden()
    page.reload()
    expect(history).to_be_hidden()


def test_back_shows_the_answer_before_without_asking_again(page):
    page.goto("/w/general")
    box = page.get_by_role("searchbox")
    for question in (OAK, BELL):
        box.fill(question)
        box.press("Enter")
        expect(page).to_have_title(re.compile(re.escape(question)))
        whole(page)
    requests: list[str] = []
    page.on("request", lambda one: requests.append(one.url))
    page.go_back()
    expect(page).to_have_title(re.compile(re.escape(OAK)))
    expect(box).to_have_value(OAK)
    expect(page.locator("#answer-text")).to_contain_text("oak")
    assert not [one for one in requests if "/ask/events" in one]
    page.go_forward()
    expect(page.locator("#answer-text")).to_contain_text("Robert Stevenson")
    page.go_back()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/w/general$"))
    expect(page.locator("#examples")).to_be_visible()


def test_the_colours_that_are_chosen_stay(page):
    page.goto("/w/general")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    button = page.get_by_role("button", name="Dark colours")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    dark = page.evaluate(ground)
    assert dark != light
    page.goto("/w/chess/settings")
    assert page.evaluate(ground) == dark


def test_everything_can_be_done_by_keys(page):
    asked(page, "general", CORDOUAN)
    page.locator("body").press("j")
    first = page.locator("[data-result]").first
    expect(first).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("[data-result]").nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    dialog = page.locator("dialog#passage")
    expect(dialog).to_be_visible()
    expect(dialog.locator("[data-passage-text]")).not_to_be_empty()
    page.keyboard.press("Escape")
    expect(first).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("and ?")  # what is typed is typed
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_tab_goes_from_the_skip_link_through_the_head_to_the_box(page):
    asked(page, "general", OAK)
    order = []
    for _ in range(14):
        page.keyboard.press("Tab")
        order.append(page.evaluate(FOCUSED))
    assert order[0] == "Skip to the content"
    wanted = ["Consilience", "Ask", "Status", "Dark colours", "question"]
    places = [order.index(one) for one in wanted]
    assert places == sorted(places), order


def test_a_board_is_stepped_through_by_buttons_moves_and_keys(sized, shot):
    page = sized
    asked(page, "chess", "Sicilian Najdorf main line")
    figure = page.locator("[data-figure]:has([data-step])").first
    figure.scroll_into_view_if_needed()
    picture, told = figure.locator("img"), figure.locator("[data-caption]")
    shown(picture)
    last = picture.get_attribute("src")
    figure.get_by_role("button", name="First").click()
    shown(picture)
    first, name = picture.get_attribute("src"), told.inner_text()
    assert first != last
    figure.get_by_role("button", name="Next").click()
    shown(picture)
    expect(told).not_to_have_text(name)
    figure.focus()
    page.keyboard.press("ArrowLeft")
    expect(told).to_have_text(name)
    page.keyboard.press("End")
    shown(picture)
    figure.locator("summary").click()
    figure.locator("[data-step]").first.click()
    expect(told).to_have_text(name)
    figure.get_by_role("button", name="Last").click()
    shown(picture)
    figure.evaluate("one => one.scrollIntoView({block: 'center'})")
    shot(page, "board")
    flip = figure.get_by_role("button", name="From the other side")
    flip.click()
    expect(flip).to_have_attribute("aria-pressed", "true")
    shown(picture)


def test_thumbs_and_what_is_opened_reach_the_journal(page, spaces):
    asked(page, "general", CORDOUAN)
    good = page.get_by_role("button", name="Good answer")
    with page.expect_response("**/feedback") as sent:
        good.click()
    assert sent.value.status == 204
    expect(good).to_have_attribute("aria-pressed", "true")
    card = page.locator("[data-result]").first
    with page.expect_response("**/feedback"):
        card.locator("h3 a").click()
    with page.expect_response("**/feedback"):
        page.keyboard.press("Escape")
    key = page.locator("#found").get_attribute("data-asked")
    entries = {one.key: one for one in read_entries(spaces / "general" / STORE / JOURNAL)}
    seen = [(one.kind, one.passage) for one in entries[key].reactions]
    opened = card.get_attribute("data-passage")
    assert seen == [("up", ""), ("click", opened), ("dwell", opened)]
