"""An answer on its way to the browser: stopped, cut off, copied, forgotten; and what is printed.

The language model here is a server of the test's own that begins to write and never ends, so that
there is an answer on its way for as long as a test needs one.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from consilience.journal import JOURNAL, read_entries
from consilience.workspace import STORE, init_workspace, open_workspace

QUESTION = "How often does the tide turn?"
TIDES = "# Tides\n\nThe tide turns twice a day.\n\nA tide clock loses fifty minutes a day.\n"
OAK = "Why did Smeaton shape his tower like an oak?"
LOST = ("net::ERR", "EventSource")
ASKED = re.compile("/ask/events")


@dataclass
class Endless:
    """A language model that begins and never ends; it knows when nobody listens any more."""

    address: str = ""
    asked: threading.Event = field(default_factory=threading.Event)
    left: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


class Writing(BaseHTTPRequestHandler):
    """Sends nothing that means anything, until whoever asked goes away."""

    state: Endless

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.state.asked.set()
        try:
            while not self.state.over.wait(0.05):
                self.wfile.write(b": still thinking\n\n")
                self.wfile.flush()
        except OSError:
            self.state.left.set()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endless() -> Iterator[Endless]:
    pytest.importorskip("openai")
    state = Endless()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Ours", (Writing,), {"state": state}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}/v1"
    yield state
    state.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`consilience serve` as a process that can be killed, with its address."""
    command = [sys.executable, "-m", "consilience", "serve", "--json", "--port", "0", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield json.loads(server.stdout.readline())["address"], server
        finally:
            server.kill()


@pytest.fixture
def writing(tmp_path: Path, endless: Endless) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server whose answers are on their way for ever."""
    folder = init_workspace(tmp_path / "sea", pack="general")
    models = f'embed = "fast"\ngenerate = "openai:m"\ngenerate_address = "{endless.address}"\n'
    (folder / "consilience.toml").write_text(f'pack = "general"\n[models]\n{models}')
    (folder / "tides.md").write_text(TIDES, encoding="utf-8")
    with open_workspace(folder) as space:
        space.add([folder / "tides.md"])
    with served(folder) as found:
        yield found


def begun(page: Page, endless: Endless) -> None:
    """Ask, and wait until the results are there and the answer is on its way."""
    page.goto("/w/sea")
    page.get_by_role("searchbox", name="Your question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("[data-result]").first).to_be_visible()
    assert endless.asked.wait(20)


def test_an_answer_that_is_stopped_stays_stopped_here_and_there(
    window: Callable[..., Page], writing: tuple[str, object], endless: Endless
):
    page = window(address=writing[0])
    begun(page, endless)
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    stop.click()
    expect(page.locator("#answer-text")).to_contain_text("Stopped.")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    expect(stop).to_be_hidden()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    assert endless.left.wait(20)  # the model is not made to go on for nobody
    expect(page.locator("[data-result]").first).to_be_visible()
    expect(page.get_by_role("button", name="Useful", exact=True).first).to_be_hidden()
    assert not asked


def test_a_connection_that_is_cut_is_told_and_nothing_is_asked_again(
    window: Callable[..., Page],
    writing: tuple[str, subprocess.Popen[str]],
    endless: Endless,
):
    address, server = writing
    page = window(address=address, allowed=LOST)
    begun(page, endless)
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    server.kill()
    server.wait(20)
    told = page.get_by_role("alert")
    expect(told).to_contain_text("The connection was lost before the answer was whole.")
    expect(told.get_by_role("link", name="Ask again")).to_be_visible()
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    page.wait_for_timeout(4000)  # an EventSource left to itself is back after three seconds
    assert not [one for one in asked if ASKED.search(one)]


def test_copy_takes_the_answer_and_what_it_cites(page: Page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/w/general/ask?q=Why+did+Smeaton+shape+his+tower+like+an+oak%3F")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    button = page.get_by_role("button", name="Copy")
    button.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    text = page.locator("[data-prose]").get_attribute("data-text")
    assert copied.startswith(text.strip())
    for one in page.locator("[data-source]").all():
        name = one.locator("[data-open]").inner_text()
        assert f"[{one.get_attribute('data-source')}] {name}" in copied


def test_a_result_can_be_called_useful_and_reading_it_is_measured(page: Page, spaces: Path):
    page.goto("/w/general/ask?q=Why+did+Smeaton+shape+his+tower+like+an+oak%3F")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    page.locator("[data-weak] > summary").click()
    first, second = (page.locator("[data-result]").nth(number) for number in (0, 1))
    good = first.get_by_role("button", name="Useful", exact=True)
    poor = second.get_by_role("button", name="Not useful")
    for button in (good, poor):
        with page.expect_response("**/feedback") as sent:
            button.click()
        assert sent.value.status == 204
        expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Good answer")).to_have_attribute(
        "aria-pressed", "false"
    )
    page.clock.install()
    with page.expect_response("**/feedback"):
        first.locator("h3 a").click()
    page.clock.fast_forward(12_000)
    with page.expect_response("**/feedback"):
        page.keyboard.press("Escape")
    key = page.locator("#found").get_attribute("data-asked")
    entries = {one.key: one for one in read_entries(spaces / "general" / STORE / JOURNAL)}
    seen = {(one.kind, one.passage): one.value for one in entries[key].reactions}
    ids = [one.get_attribute("data-passage") for one in (first, second)]
    assert {("up", ids[0]), ("down", ids[1]), ("click", ids[0])} < seen.keys()
    assert 12 <= seen["dwell", ids[0]] < 30


def test_what_is_missing_is_found_and_told_why(page: Page):
    page.goto("/w/general/ask?q=Why+did+Smeaton+shape+his+tower+like+an+oak%3F")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    page.get_by_text("Missing something?").click()
    page.get_by_label("Words from the passage that should be here").fill("Cordouan lit height")
    page.locator(".missing").get_by_role("button", name="Search").click()
    expect(page.locator("main")).to_contain_text(OAK)
    page.get_by_role("link", name="Why was this not found?").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("not among the results")
    expect(page.get_by_role("heading", name="What would have to change")).to_be_visible()


def test_a_game_is_told_for_people_where_it_opens(page: Page):
    page.goto("/w/chess/ask?q=What+is+the+plan+against+an+isolated+queen%27s+pawn%3F")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    game = page.locator('[data-source][data-kind="game"]').first
    game.locator("[data-open]").click()
    text = page.locator("[data-passage-text]")
    expect(text.locator("mark").first).to_be_visible()
    assert not re.search(r"[{}⩲⩱]|\$\d", text.inner_text())
    page.get_by_role("link", name="Open as a page").click()
    whole = page.locator("article .text")
    expect(whole).to_be_visible()
    assert not re.search(r"[{}⩲⩱]|\$\d", whole.inner_text())


def test_on_paper_there_is_the_answer_and_nothing_to_press(page: Page):
    page.goto("/w/general/ask?q=Why+did+Smeaton+shape+his+tower+like+an+oak%3F")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    page.emulate_media(media="print")
    expect(page.locator("#answer-text")).to_be_visible()
    expect(page.locator("[data-source]").first).to_be_visible()
    assert page.get_by_role("heading", level=1).bounding_box()["height"] > 20  # what was asked
    for name in ("Ask", "Copy", "Useful", "Dark colours"):
        expect(page.get_by_role("button", name=name, exact=True).first).to_be_hidden()


def test_a_file_that_is_too_large_is_not_even_sent(page: Page, tmp_path: Path):
    page.goto("/w/general/status")
    page.locator(".adding").evaluate("one => { one.dataset.most = '10' }")
    file = tmp_path / "large.md"
    file.write_text("# Large\n\nMore than ten bytes.\n", encoding="utf-8")
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.method))
    page.locator("[data-chosen]").set_input_files(file)
    expect(page.locator("[data-uploads] .state-failed")).to_contain_text("it is too large")
    assert "PUT" not in sent
