"""The smaller pages: workspaces, passages, reasons, paths as a picture, comparing, errors."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from consilience.service import search
from consilience.service.pages import Renderer
from consilience.service.pages.graph_layout import layout_paths, wrap
from consilience.types import Locator
from consilience.workspace import init_workspace, open_workspace
from tests_shared import make_passage

PAGE = {"Accept": "text/html"}
HOSTILE = "<script>alert(1)</script>"
QUESTION = "What do bees eat in winter?"


class Checked(HTMLParser):
    """What a strict policy would refuse, and which ids a page has."""

    def __init__(self, text):
        super().__init__()
        self.refused, self.ids, self.labelled = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        if "style" in known or tag == "style" or any(name.startswith("on") for name in known):
            self.refused.append((tag, known))
        if tag == "script" and not known.get("src", "").startswith("/static/"):
            self.refused.append((tag, known))
        if "id" in known:
            self.ids.append(known["id"])
        if "aria-labelledby" in known:
            self.labelled.extend(known["aria-labelledby"].split())


def opened(client, address, **params):
    reply = client.get(address, params=params, headers=PAGE)
    assert reply.headers["content-type"].startswith("text/html"), reply.text
    checked = Checked(reply.text)
    assert checked.refused == []
    assert len(checked.ids) == len(set(checked.ids))
    assert set(checked.labelled) <= set(checked.ids)
    assert reply.text.count("<h1") == 1
    assert HOSTILE not in reply.text
    return reply


def hit(client, question=QUESTION):
    return client.post("/w/apiary/search", json={"query": question}).json()["results"][0]


@pytest.mark.parametrize("what", ["status", "settings", "reports", "jobs", "path", "compare"])
def test_every_page_of_a_workspace_keeps_to_the_policy(served, what):
    assert opened(served, f"/w/apiary/{what}").status_code == 200


def test_workspaces_are_cards_with_questions_to_begin_with(space, made, serving):
    with open_workspace(made) as second:
        client = serving(space, second)
        found = client.get("/").json()["workspaces"]
        text = opened(client, "/").text
    assert [one["name"] for one in found] == ["apiary", "apiary-2"]
    for one in found:
        assert f'href="/w/{one["name"]}"' in text
        for question in one["examples"][:3]:
            assert question in unescape(text)


def test_a_passage_is_shown_whole_and_as_text(made, serving):
    path = made / "odd.md"
    path.write_text(f"# Notes {HOSTILE}\n\nA {HOSTILE} in the zebra text.\n", encoding="utf-8")
    with open_workspace(made) as space:
        space.add([path])
        client = serving(space)
        found = hit(client, "zebra text")
        text = opened(client, f"/w/apiary/passages/{found['passage']}").text
        whole = client.get(f"/w/apiary/passages/{found['passage']}").json()
        for address, more in (
            ("why", {"q": f"zebra {HOSTILE}"}),
            ("why-not", {"q": f"zebra {HOSTILE}", "passage": found["passage"]}),
            ("compare", {"q": f"zebra {HOSTILE}", "b": "in:documents"}),
            ("path", {"start": HOSTILE, "end": HOSTILE}),
        ):
            told = opened(client, f"/w/apiary/{address}", **more)
            assert told.status_code == (400 if address == "path" else 200), told.text
            assert "&lt;script&gt;alert(1)&lt;/script&gt;" in told.text
    assert whole["text"] in unescape(text)
    assert whole["document"] in text


def test_why_shows_the_arithmetic_that_its_json_has(served):
    found = served.get("/w/apiary/why", params={"q": QUESTION}).json()
    text = unescape(opened(served, "/w/apiary/why", q=QUESTION).text)
    assert found["results"]
    for one in found["results"]:
        assert f"/w/apiary/passages/{one['passage']}" in text
        for line in one["lines"]:
            assert line in text
    for line in found["told"]["plan"]:
        assert line.strip() in text


def test_why_not_says_where_a_passage_was_lost_and_what_would_have_to_change(served):
    shown = served.post("/w/apiary/search", json={"query": QUESTION, "limit": 1}).json()
    other = hit(served, "sugar syrup for a weak colony in spring")
    assert other["passage"] != shown["results"][0]["passage"]
    asked = {"q": QUESTION, "limit": 1, "passage": other["passage"]}
    found = served.get("/w/apiary/why-not", params=asked).json()
    text = unescape(opened(served, "/w/apiary/why-not", **asked).text)
    assert found["step"] in text
    for reason in found["reasons"]:
        assert reason.split("`")[0][1:] in text


def test_why_not_advises_nothing_that_cannot_be_asked(made, serving):
    folder = made / "many"
    folder.mkdir()
    for number in range(130):
        text = f"# Hive {number}\n\nBees of hive {number} swarm {'again ' * (number % 7)}in May.\n"
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    with open_workspace(made) as space:
        space.add([folder])
        client = serving(space)
        first = client.post("/w/apiary/search", json={"query": "bees swarm", "limit": 100}).json()
        shown = {one["passage"] for one in first["results"]}
        every = [one.id for one in space.catalogue.each("documents") if one.id not in shown]
        assert every
        told = [
            client.post("/w/apiary/why-not", json={"query": "bees swarm", "passage": one}).json()
            for one in every[:8]
        ]
    limits = [int(one) for each in told for one in re.findall(r"limit of (\d+)", each["remedy"])]
    assert all(one <= 100 for one in limits)


def test_what_is_missing_can_be_looked_for_and_asked_about(served):
    asked = {"q": QUESTION, "limit": 1, "in": "documents"}
    text = opened(served, "/w/apiary/search", **asked).text
    handed = unescape(re.search(r'name="for" value="([^"]+)"', text)[1])
    found = opened(served, "/w/apiary/search", **{"q": "sugar syrup", "for": handed}).text
    assert f"<q>{QUESTION}</q>" in unescape(found)
    link = unescape(re.search(r'href="([^"]+)" data-missing', found)[1])
    told = served.get(link).json()
    assert {"step", "reasons", "remedy"} <= set(told)
    assert "limit=1" in link
    assert "in=documents" in link
    whole = opened(served, f"/w/apiary/passages/{told['passage']['passage']}").text
    form = re.search(r'<form[^>]*action="/w/apiary/why-not".*?</form>', whole, re.DOTALL)[0]
    assert told["passage"]["passage"] in form
    evil = opened(served, "/w/apiary/search", **{"q": "syrup", "for": f"q={HOSTILE}&x=1&in=a"}).text
    assert "x=1&amp;passage" not in evil


def test_a_workspace_without_a_graph_has_no_link_to_paths(served, made, serving, tmp_path):
    assert ">Paths</a>" in opened(served, "/w/apiary/status").text
    bare = init_workspace(tmp_path / "bare")
    (bare / "consilience.toml").write_text('pack = "general"\n[models]\nembed = "fast"\n')
    with open_workspace(bare) as space:
        client = serving(space)
        for what in ("/status", "/settings", "", "/nothing"):
            assert ">Paths</a>" not in opened(client, f"/w/bare{what}").text


# --- paths ------------------------------------------------------------------------------


def step(start, relation, end, *, forward=True):
    return {"start": start, "relation": relation, "end": end, "forward": forward}


def test_a_path_is_a_picture_and_a_list(served):
    asked = {"start": "honey bee", "end": "lime honey"}
    found = served.get("/w/apiary/path", params=asked).json()
    text = opened(served, "/w/apiary/path", **asked).text
    steps = found["paths"][0]["steps"]
    assert [one["relation"].lower() for one in steps] == ["visits", "gives"]
    picture, _, listed = text.partition("</svg>\n</div>")
    assert picture.count('class="thing') == 3
    assert picture.count('class="way"') == 2
    for one in steps:
        assert f"/w/apiary/passages/{one['passage']}" in listed
        assert one["relation"].lower() in picture


def test_a_name_that_no_graph_knows_stays_in_its_box(served):
    reply = opened(served, "/w/apiary/path", start="honey bee", end="moon")
    assert reply.status_code == 400
    assert 'value="moon"' in reply.text
    assert 'role="alert"' in reply.text
    near = unescape(opened(served, "/w/apiary/path", start="honey bea", end="lime").text)
    assert "did you mean" in near
    assert "?." not in near
    told = served.get("/w/apiary/path", params={"start": "honey bee", "end": "moon"})
    assert (told.status_code, told.json()["error"]["kind"]) == (400, "UsageError")
    nothing = Renderer().render(
        "path.html", found={"paths": []}, asked={"start": "a", "end": "b"}, space="x", drawing=None
    )
    assert "No path leads" in nothing


def test_shared_things_are_drawn_once_and_columns_go_from_left_to_right():
    paths = [
        {"steps": [step("a", "R", "b"), step("b", "S", "z")]},
        {"steps": [step("a", "R", "b"), step("b", "T", "c", forward=False), step("c", "R", "z")]},
        {"steps": [step("a", "DIRECTLY_TO", "z")]},
    ]
    found = layout_paths(paths)
    left = {one["name"]: one["x"] for one in found["boxes"]}
    assert sorted(left) == ["a", "b", "c", "z"]
    assert left["a"] < left["b"] < left["c"] < left["z"]
    assert [one["end"] for one in found["boxes"]].count(True) == 2
    assert len(found["arrows"]) == 5  # a-b stands in two paths
    assert "directly to" in {line["text"] for one in found["arrows"] for line in one["lines"]}
    boxes = [(one["x"], one["y"], one["height"]) for one in found["boxes"]]
    for x, y, height in boxes:
        for other in boxes:
            if other != (x, y, height) and other[0] == x:
                assert y + height < other[1] or other[1] + other[2] < y
    for one in found["boxes"]:
        assert one["x"] + one["width"] <= found["width"]
        assert one["y"] + one["height"] <= found["height"]


def test_paths_that_disagree_on_the_order_or_go_both_ways_are_drawn():
    paths = [
        {"steps": [step("a", "R", "b"), step("b", "R", "c"), step("c", "R", "z")]},
        {"steps": [step("a", "R", "c"), step("c", "BACK", "b"), step("b", "R", "z")]},
    ]
    found = layout_paths(paths)
    assert len({one["x"] for one in found["boxes"]}) == 4
    both = [one for one in found["arrows"] if len(one["heads"]) == 2]
    assert [[line["text"] for line in one["lines"]] for one in both] == [["r →", "← back"]]
    assert layout_paths([{"steps": [step("a", "R", "a")]}])["arrows"] == []
    assert layout_paths([]) is None


def test_long_names_are_wrapped_and_cut():
    assert wrap("Bell Rock Lighthouse", 15, 3) == ["Bell Rock", "Lighthouse"]
    assert wrap("x" * 40, 15, 2) == ["x" * 15, "x" * 14 + "…"]
    assert wrap("灯台" * 6, 15, 3) == ["灯台灯台灯台灯", "台灯台灯台"]
    assert wrap("  ", 15, 3) == ["?"]


# --- comparing --------------------------------------------------------------------------


def test_two_ways_stand_side_by_side_with_places(served):
    asked = {"q": QUESTION, "a": "settings", "b": "in:tables"}
    found = served.get("/w/apiary/compare", params=asked).json()
    text = opened(served, "/w/apiary/compare", **asked).text
    sides = re.split(r'<section class="side side-[ab]"', text)[1:]
    for side, key in zip(sides, ("a", "b"), strict=True):
        for one in found[key]["results"]:
            assert one["passage"] in side
    alone = sum(one["b"] is None for one in found["moved"])
    assert sides[0].count("only in A") == alone > 0
    assert f"{found['same']} of the first" in text
    plain = served.get("/w/apiary/compare", params={"q": QUESTION}).json()
    assert plain["b"]["named"] == "fusion.method=rrf"
    assert plain["b"]["settings"] == {"fusion.method": "rrf"}
    posted = served.post("/w/apiary/compare", json={"query": QUESTION}).json()
    assert posted["b"]["named"] == "fusion.method=rrf"
    assert "on both sides" in opened(served, "/w/apiary/compare", q=QUESTION).text
    same = opened(served, "/w/apiary/compare", q=QUESTION, a="settings", b="settings").text
    assert "only in" not in same
    assert "same place in B" in same


def test_what_cannot_be_compared_stays_in_its_boxes(served):
    asked = {"q": "bees & hives", "b": "in:nowhere"}
    reply = opened(served, "/w/apiary/compare", **asked)
    assert reply.status_code == 400
    assert 'value="bees &amp; hives"' in reply.text
    assert '<option value="in:nowhere" selected>' in reply.text
    assert re.search(r'role="alert">.*nowhere', reply.text)
    told = served.get("/w/apiary/compare", params=asked)
    assert (told.status_code, told.json()["error"]["kind"]) == (400, "UsageError")


# --- jobs and errors --------------------------------------------------------------------


def test_a_job_is_shown_with_how_far_it_is_and_what_went_wrong():
    job = {
        "id": "7",
        "kind": "add",
        "what": [HOSTILE],
        "status": "running",
        "stage": "Indexing",
        "done": 64,
        "total": 2100,
        "unit": "passages",
        "inside": [{"path": f"papers/{HOSTILE}", "done": 12, "total": 300, "unit": "pages"}],
        "asked": "2026-01-31T12:00:00+00:00",
        "began": "2026-01-31T12:00:01+00:00",
        "ended": None,
        "report": None,
        "error": "",
    }
    report = {"read": 1, "failed": [[HOSTILE, f"because {HOSTILE}"]], "notes": [], "ignored": []}
    for found in (job, {**job, "status": "done", "report": report, "error": HOSTILE}):
        for text in (
            Renderer().render("job.html", found=found, space="apiary"),
            Renderer().render("jobs.html", found={"jobs": [found]}, space="apiary"),
        ):
            assert Checked(text).refused == []
            assert HOSTILE not in text
            assert found["status"] in text
    text = Renderer().render("job.html", found=job, space="apiary")
    assert 'max="2100" value="64"' in text
    assert "64 of 2,100 passages, 12 of 300 pages of" in text


def test_an_error_is_a_page_with_a_way_home():
    found = {"error": {"kind": "UsageError", "message": f"no {HOSTILE}; run `consilience add`"}}
    text = Renderer().render("error.html", found=found, status=404)
    assert Checked(text).refused == []
    assert HOSTILE not in text
    assert "<code>consilience add</code>" in text
    assert 'href="/"' in text


def test_nothing_at_an_address_is_said_to_people_in_their_words(served):
    reply = opened(served, "/w/apiary/nothing")
    assert reply.status_code == 404
    assert "There is nothing at this address." in reply.text
    assert 'href="/"' in reply.text
    for word in ("HTTPError", "GET /", "openapi.json lists"):
        assert word not in reply.text


def test_every_refusal_has_a_heading_of_its_own():
    found = {"error": {"kind": "TooLong", "message": "because"}}
    headings = set()
    for status in (400, 401, 403, 404, 405, 408, 409, 411, 413, 414, 415, 421, 429, 503, 504, 507):
        text = Renderer().render("error.html", found=found, status=status)
        headings.add(re.search(r"<h1>([^<]+)</h1>", text)[1])
        assert "TooLong" not in text
        assert "Because." in text
    assert len(headings) == 16
    assert "Something went wrong" not in headings
    assert 'href="/login"' in Renderer().render("error.html", found=found, status=401)


def test_an_unknown_address_is_a_page_for_a_browser_and_json_for_a_program(served):
    reply = opened(served, "/w/apiary/reports/nothing")
    assert reply.status_code == 404
    assert "no report is called" in unescape(reply.text).lower()
    told = served.get("/w/apiary/reports/nothing")
    assert (told.status_code, set(told.json()["error"])) == (404, {"kind", "message"})


def test_a_page_says_where_its_json_is(space, serving):
    client = serving(space)
    text = opened(client, "/w/apiary/why", q=QUESTION).text
    address = unescape(re.search(r'href="([^"]+)">This page as JSON', text)[1])
    told = client.get(address, headers=PAGE)
    assert told.json() == json.loads(told.text)
    assert told.json()["query"] == QUESTION


def test_questions_to_begin_with_are_made_of_headings_and_cells():
    passages = [
        told("Handbook", document="a.md", locator=Locator(section=("3 The backdoor criterion",))),
        told("Handbook", document="a.md", locator=Locator(section=("Results",))),
        told("Guide", document="b.md", locator=Locator(section=("When do bees swarm?",))),
        told(
            "x",
            document="c.csv",
            kind="row",
            text="Name: Bell Rock; Height: 35.5",
            metadata={"author": "Nobody", "Name": "Bell Rock", "Height": 35.5},
        ),
        told("x", document="d.py", locator=Locator(section=("def f(x)",))),
    ]
    catalogue = SimpleNamespace(roots=list, sample=lambda number: passages)
    assert search._examples(SimpleNamespace(catalogue=catalogue)) == [
        "When do bees swarm?",
        "What is the Height of Bell Rock?",
        "What does “Handbook” say about The backdoor criterion?",
    ]


def told(title, **more):
    return make_passage(title, more.pop("text", title), title=title, **more)
