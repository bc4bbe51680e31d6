"""Pages for owners and around: workspaces, status and uploads, reports, settings, paths, keys."""

from __future__ import annotations

import re

from playwright.sync_api import expect

BREAD = "# Bread\n\nThe sourdough of Oxwich rests nineteen hours in a cellar before it is baked.\n"
READ, WRITE = "read-key-for-the-tests", "write-key-for-the-tests"  # as in conftest
NOT_FOUND = ("status of 404", "status of 400", "status of 401", "status of 403")


def test_the_first_page_lists_the_workspaces_and_leads_into_them(sized, shot):
    page = sized
    page.goto("/")
    expect(page.get_by_role("heading", level=2)).to_have_count(3)
    shot(page, "home")
    page.get_by_role("link", name="chess", exact=True).click()
    expect(page).to_have_url(re.compile("/w/chess$"))
    shot(page, "ask")
    page.locator("details.switch summary").click()
    page.locator("details.switch").get_by_role("link", name="general").click()
    expect(page).to_have_url(re.compile("/w/general$"))


def test_a_file_comes_in_is_found_and_goes_again(sized, tmp_path, shot):
    page = sized
    wide = page.viewport_size["width"] > 500
    name = "oxwich.md" if wide else "oxwich-phone.md"
    page.goto("/w/general/status")
    before = page.locator(".tile dd").first.inner_text()
    if wide:
        shot(page, "status")
    file = tmp_path / name
    file.write_text(BREAD if wide else BREAD.replace("nineteen", "thirty-one"), encoding="utf-8")
    page.locator("[data-chosen]").set_input_files(file)
    expect(page.get_by_role("cell", name="uploads")).to_have_count(0)
    expect(page.locator(".tile dd").first).not_to_have_text(before)  # the page comes anew when done
    page.goto(f"/w/general/status?find={name}")
    expect(page.locator("table.files")).to_contain_text(name)
    page.goto("/w/general/ask?q=How+long+does+the+sourdough+of+Oxwich+rest%3F")
    expect(page.locator("#answer-text")).to_contain_text("nineteen" if wide else "thirty-one")

    page.goto(f"/w/general/status?find={name}")
    page.get_by_role("button", name=re.compile("^Remove")).first.click()
    asking = page.get_by_role("dialog")
    expect(asking).to_contain_text(name)
    asking.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No file has these words")).to_be_visible()


def test_a_file_that_cannot_be_read_says_why(window, tmp_path):
    page = window(allowed=("status of 415", "status of 400"))
    page.goto("/w/general/status")
    file = tmp_path / "photo.jpeg"
    file.write_bytes(b"\xff\xd8\xff")
    page.locator("[data-chosen]").set_input_files(file)
    told = page.locator("[data-uploads] .state-failed")
    expect(told).to_contain_text("jpeg")


def test_jobs_can_be_looked_at(page, tmp_path):
    file = tmp_path / "job.md"
    file.write_text("# Jobs\n\nA job that is looked at.\n", encoding="utf-8")
    page.goto("/w/hostile/status")
    with page.expect_navigation():
        page.locator("[data-chosen]").set_input_files(file)
    page.goto("/w/hostile/jobs")
    page.get_by_role("link", name="Add").first.click()
    expect(page.locator("main")).to_contain_text("job.md")
    expect(page.locator("main")).to_contain_text("done")


def test_settings_are_shown_with_their_meaning_and_what_was_changed(page, shot):
    page.goto("/w/general/settings")
    changed = page.locator(".setting.changed")
    expect(changed.filter(has_text="embed")).to_contain_text("fast")
    expect(page.locator(".setting").filter(has_text="hard_ms").first).to_contain_text("left out")
    shot(page, "settings")


def test_a_report_of_an_evaluation_is_listed_and_opens_with_its_plots(sized, shot):
    page = sized
    page.goto("/w/general/reports")
    report = page.locator(".report").first
    expect(report).to_contain_text("merged")
    shot(page, "reports")
    report.get_by_role("link").first.click()
    expect(page.locator("svg").first).to_be_visible()
    shot(page, "report")


def test_a_path_is_asked_for_and_drawn(sized, shot):
    page = sized
    page.goto("/w/general/path")
    page.get_by_label("From").fill("Bell Rock Lighthouse")
    page.get_by_label("To").fill("John Smeaton")
    page.get_by_role("button", name="Find paths").click()
    graph = page.locator(".graph svg")
    expect(graph).to_be_visible()
    assert graph.locator("rect").count() >= 3
    expect(page.get_by_role("heading", level=2).first).to_contain_text("paths from")
    shot(page, "path")
    page.get_by_role("link", name=re.compile("^evidence")).first.click()
    expect(page.get_by_role("heading", name="About this passage")).to_be_visible()


def test_two_ways_of_asking_stand_side_by_side(sized, shot):
    page = sized
    page.goto("/w/general/compare")
    page.get_by_label("Question").fill("Why did Smeaton shape his tower like an oak?")
    page.get_by_label("A", exact=True).select_option("settings")
    page.get_by_label("B", exact=True).select_option("fusion.method=rrf")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".summary")).to_contain_text("are the same on both sides")
    first, second = page.locator(".side-a"), page.locator(".side-b")
    expect(second.locator(".changes")).to_contain_text("fusion.method = rrf")
    if page.viewport_size["width"] > 500:
        expect(first).to_be_visible()
    else:
        page.locator("label[for=show-b]").click()
        expect(first).to_be_hidden()
    expect(second.locator(".moved").first).to_be_visible()
    shot(page, "compare")


def test_a_passage_has_a_page_of_its_own(page):
    page.goto("/w/general/search?q=Why+did+Smeaton+shape+his+tower+like+an+oak%3F")
    card = page.locator("[data-result]").first
    passage = card.get_attribute("data-passage")
    page.goto(f"/w/general/passages/{passage}")
    expect(page.locator("article.passage")).to_contain_text(passage)
    expect(page.locator("article .text")).to_contain_text("oak")


def test_what_is_wrong_is_a_page_that_leads_on(window, shot):
    page = window(allowed=NOT_FOUND)
    assert page.goto("/w/nowhere").status == 404
    expect(page.locator("main")).to_contain_text("nowhere")
    page.get_by_role("link", name="All workspaces").click()
    expect(page).to_have_url(re.compile("/$"))
    assert page.goto("/w/general/passages/0000").status in {400, 404}
    shot(page, "error")
    assert page.goto("/w/general/nothing").status == 404
    expect(page.get_by_role("link", name="Ask general")).to_be_visible()


def test_the_json_of_a_page_is_one_click_away(window):
    page = window(allowed=("status of 404",))  # JSON has no icon of its own
    page.goto("/w/general/status")
    page.get_by_role("link", name="This page as JSON").click()
    assert "passages" in page.locator("body").inner_text()


def test_a_key_opens_a_locked_server(window, locked, shot):
    page = window(address=locked, allowed=NOT_FOUND)
    page.goto("/w/library/ask?q=How+often+does+the+tide+turn%3F")
    expect(page).to_have_url(re.compile("/login"))
    shot(page, "login")
    page.get_by_label("Key").fill("no such key at all")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("is not valid here")
    page.get_by_label("Key").fill(WRITE)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#answer-text")).to_contain_text("twice a day")
    page.goto("/w/library/status")
    expect(page.get_by_role("heading", name="Add files")).to_be_visible()


def test_a_key_to_read_may_look_and_not_add(window, locked):
    page = window(address=locked)
    page.goto("/login?next=/w/library/status")
    page.get_by_label("Key").fill(READ)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile("/status$"))
    expect(page.get_by_text("but not change it")).to_be_visible()
    expect(page.locator("[data-chosen]")).to_have_count(0)
