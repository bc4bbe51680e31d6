"""The page of a question: what the JSON says, cited, explained, harmless whatever it holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from fastapi.testclient import TestClient

from consilience.service.app import create_app
from consilience.service.pages import Renderer
from consilience.service.service import Service
from consilience.workspace import Workspace, init_workspace, open_workspace

PAGE = {"Accept": "text/html,application/xhtml+xml"}
ASKED = "/w/apiary/ask?q=when does a colony swarm"


class Tags(HTMLParser):
    """Every tag of a page with its attributes, in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def having(self, attribute: str) -> list[dict[str, str]]:
        return [attrs for _, attrs in self.found if attribute in attrs]


@pytest.fixture(scope="module")
def browser(space: Workspace) -> Iterator[TestClient]:
    """Whoever looks at the shared workspace with a browser."""
    with TestClient(create_app(Service([space])), headers=PAGE) as client:
        yield client


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A browser at a workspace whose file, title, headings and words are meant to do harm."""
    folder = init_workspace(tmp_path_factory.mktemp("hostile") / "evil")
    (folder / "consilience.toml").write_text('pack = "general"\n[models]\nembed = "fast"\n')
    text = (
        '# Bees "onmouseover=alert(1) <script>alert(2)</script>\n\n'
        "## <img src=x onerror=alert(3)> hives\n\n"
        "The colony <script>alert(4)</script> swarms in June, see [here](javascript:alert(5)) "
        'and <a href="javascript:alert(6)">there</a>. [DIAGRAM 1] [99] A colony "swarms" often.\n'
    )
    (folder / "<b onclick=x>.md").write_text(text, encoding="utf-8")
    with open_workspace(folder) as space:
        space.add([folder / "<b onclick=x>.md"])
        with TestClient(create_app(Service([space])), headers=PAGE) as client:
            yield client


def harmless(page: str) -> bool:
    """Whether a page has no script, style or handler of its own, and no link that runs one."""
    tags = Tags(page)
    names = {tag for tag, _ in tags.found}
    inside = re.findall(r"<script(?![^>]*\bsrc=)", page)
    handlers = [name for _, attrs in tags.found for name in attrs if name.startswith("on")]
    links = [one["href"] for one in tags.having("href")]
    wrong = [one for one in links if not re.match(r"/(?!/)|#|https?://|mailto:", one)]
    return not (inside or handlers or wrong or tags.having("style") or "style" in names)


def test_a_page_that_comes_whole_says_what_the_json_says(browser):
    page = browser.get(f"{ASKED}&whole=1")
    found = browser.get(ASKED, headers={"Accept": "application/json"}).json()
    tags = Tags(page.text)
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["vary"] == "Accept"
    assert "A colony that lacks room swarms." in page.text
    marks = {one["data-cite"] for one in tags.having("data-cite")}
    assert marks == {str(one["mark"]) for one in found["citations"]}
    for mark in marks:
        assert [one for one in tags.having("id") if one["id"] == f"source-{mark}"]
    shown = [one["data-passage"] for one in tags.having("data-result")]
    assert shown == [one["passage"] for one in found["results"]]
    assert f"All {found['facts']} numbers, dates, names and quotations match" in page.text
    assert tags.having("data-json")[0]["href"].endswith("format=json")
    assert browser.get(tags.having("data-json")[0]["href"]).json()["text"] == found["text"]


def test_a_page_with_scripts_is_filled_by_events_and_leads_on_without(browser):
    page = browser.get(ASKED).text
    [stream] = Tags(page).having("data-stream")
    assert stream["data-stream"] == "/w/apiary/ask/events?q=when+does+a+colony+swarm&html=1"
    assert browser.get(stream["data-stream"]).headers["content-type"].startswith("text/event")
    refresh = re.search(r'<noscript><meta http-equiv="refresh" content="0; url=([^"]+)">', page)
    assert refresh
    whole = browser.get(refresh[1].replace("&amp;", "&")).text
    assert "A colony that lacks room swarms." in whole
    assert not Tags(whole).having("data-stream")


def test_every_event_brings_its_piece_of_the_page(browser):
    told = browser.get(f"{ASKED.replace('/ask?', '/ask/events?')}&html=1").text
    events = re.findall(r"event: (\w+)\ndata: (.*)\n\n", told)
    pieces: dict[str, list[str]] = {}
    for name, data in events:
        pieces.setdefault(name, []).append(json.loads(data)["html"])
    assert Tags(pieces["searched"][0]).having("data-result")
    assert "A colony that lacks room swarms." in "".join(pieces["said"])
    [done] = pieces["done"]
    assert [one["data-part"] for one in Tags(done).having("data-part")] == ["answer", "sources"]
    assert Tags(done).having("data-support")
    plain = json.loads(browser.get(f"{ASKED}&format=json").text)
    assert plain["asked"] != ""
    assert "html" not in plain


def event(name, found):
    return Renderer().render(f"events/{name}.html", found=found, name="apiary", asked=None).strip()


def test_a_sentence_that_goes_on_joins_its_paragraph():
    said = {"text": " It swarms.", "citations": [], "faults": [], "figures": []}
    assert "data-joins" in event("said", said)
    begun = {**said, "text": "\n\nIt swarms."}
    assert event("said", begun) == "<p>It swarms.</p>"


def test_cards_are_fitted_to_their_kind(browser):
    page = browser.get("/w/apiary/search?q=How is the honey bee connected to lime honey").text
    kinds = {one["data-kind"] for one in Tags(page).having("data-result")}
    assert {"path", "edge", "node"} <= kinds
    relations = re.findall(r'class="relation">([^<]+)<', page)
    assert relations[:2] == ["visits →", "gives →"]
    row = browser.get("/w/apiary/search?q=honey of the hive Oak in 2024").text
    assert "<dt>honey kg</dt><dd>25</dd>" in row
    assert '<span class="badge">Table row</span>' in row
    assert "<mark>honey</mark>" in page


def test_bars_add_up_to_the_score(browser):
    page = browser.get("/w/apiary/search?q=when does a colony swarm").text
    charts = re.findall(r'<table class="bars">.*?</table>', page, re.DOTALL)
    assert len(charts) >= 2
    for chart in charts:
        values = [
            float(one.replace("−", "-").replace("+", ""))
            for one in re.findall(r"data-value>([^<]+)<", chart)
        ]
        [total] = re.findall(r"data-total>([^<]+)<", chart)
        assert sum(values) == pytest.approx(float(total), abs=1e-9)
        widest = max(map(float, re.findall(r'class="fill"[^>]*width="([^"]+)"', chart)))
        assert widest == (100 if any(values) else 0)
    found = browser.get("/w/apiary/search?q=when does a colony swarm&format=json").json()
    scores = [f"{one['score']:.6f}" for one in found["results"]]
    assert [score for score in scores if f"data-total>{score}<" in page] == scores
    assert re.search(r"Found .*by meaning at \d", page)


def test_pills_ask_one_collection_and_stay(browser):
    page = browser.get(f"{ASKED}&whole=1&length=concise").text
    pills = {one["data-pill"]: one for one in Tags(page).having("data-pill")}
    assert set(pills) == {"", "documents", "graph", "tables"}
    assert "aria-current" in pills[""]
    only = browser.get(f"{pills['tables']['href']}&whole=1").text
    assert {one["data-kind"] for one in Tags(only).having("data-result")} <= {"row"}
    assert (
        "aria-current"
        in {one["data-pill"]: one for one in Tags(only).having("data-pill")}["tables"]
    )
    assert '<input type="hidden" name="in" value="tables">' in only
    assert '<option value="concise" selected>' in only
    before = browser.get("/w/apiary?in=graph").text
    assert '<input type="hidden" name="in" value="graph">' in before


def test_nothing_that_answers_is_folded_away_and_nothing_at_all_is_said(browser):
    page = browser.get("/w/apiary/ask?q=zygomorphic quasar telemetry&whole=1").text
    assert Tags(page).having("data-nearest")
    assert "is likely to answer this question" in page
    assert not Tags(page).having("data-support")
    empty = browser.get("/w/apiary/search?q=swarm&where=year>3000").text
    assert Tags(empty).having("data-empty")
    assert not Tags(empty).having("data-result")


def test_the_box_shows_examples_and_what_there_is_to_ask(browser, space):
    page = browser.get("/w/apiary").text
    [box] = Tags(page).having("data-examples")
    offered = json.loads(box["data-examples"])
    # questions about these files, never about the sample
    assert "What does “The keeper's year” say about Winter?" in offered
    assert all(question.endswith("?") for question in offered)
    assert not set(offered) & set(space.pack.examples)
    assert "autofocus" in box
    for one in offered:
        assert one.replace("'", "&#39;") in page
    links = [one["href"] for one in Tags(page).having("href")]
    assert {f"/w/apiary/{one}" for one in ("compare", "path", "status", "settings", "reports")} <= {
        *links
    }


@pytest.mark.parametrize(
    "address",
    [
        "/w/evil/ask?whole=1&q=when does a colony swarm",
        "/w/evil/ask?q=<script>alert(1)</script>",
        '/w/evil/ask?whole=1&q="onmouseover=alert(1) <script>colony</script>',
        "/w/evil/search?q=bees <img src=x onerror=alert(1)> colony&where=x!=<b>",
        "/w/evil",
        "/w/evil?in=<script>",
        "/w/<script>alert(1)</script>",
        "//evil.example/x",
    ],
)
def test_what_is_meant_to_do_harm_is_text(hostile, address):
    page = hostile.get(address)
    assert harmless(page.text)
    assert "<b onclick" not in page.text
    policy = page.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_hostile_words_are_shown_as_they_are(hostile):
    page = hostile.get("/w/evil/ask?whole=1&q=when does a colony swarm").text
    assert "&lt;b onclick=x&gt;.md" in page
    assert "onmouseover=alert(1)" in page
    assert not [one for one in Tags(page).having("href") if "javascript" in one["href"]]
    told = hostile.get("/w/evil/ask/events?html=1&q=when does a colony swarm").text
    for data in re.findall(r"data: (.*)\n\n", told):
        assert harmless(json.loads(data)["html"])


def test_other_workspaces_can_be_chosen(space, made, serving):
    with open_workspace(made) as other:
        page = serving(space, other).get("/w/apiary", headers=PAGE).text
    assert '<a href="/w/apiary-2">apiary-2</a>' in page
    assert "apiary-2" not in serving(space).get("/w/apiary", headers=PAGE).text


def test_all_that_a_page_loads_is_here(browser):
    page = browser.get("/w/apiary").text
    wanted = [one["src"] for one in Tags(page).having("src")]
    wanted += [one["href"] for one in Tags(page).having("rel")]
    scripts = [browser.get(one).text for one in wanted if one.endswith("page.js")]
    wanted += [f"/static/{one}" for one in re.findall(r'from "\./(\w+\.js)"', scripts[0])]
    assert len(wanted) >= 9
    for one in wanted:
        assert browser.get(one).status_code == 200
