"""The report: it stands alone, says what was measured, and lets nothing through unescaped."""

import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from golden_shared import GOLDEN

from consilience.measure import report
from consilience.measure.data_model import (
    Answer,
    Control,
    Golden,
    Question,
    ResolvedLabels,
    Run,
    Way,
    judged_questions,
)
from consilience.measure.evaluation import evaluate
from consilience.measure.report import best_passage, evaluation_report, shell_command
from consilience.measure.runs import MERGED

EVIL = "Who built <script>alert(\"1\")</script> & 'the' tower off Arbroath?"
VOID = {"meta", "input", "wbr"}


class Page(HTMLParser):
    """Tags, their attributes, and whether every one that is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.rows, self.wrong = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.wrong.append(tag)

    def of(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module")
def evaluation(shared):
    first, *rest = GOLDEN.questions
    evil = replace(first, text=EVIL, category="<b>open</b>")
    return evaluate(shared, replace(GOLDEN, name="<i>lights</i>", questions=(evil, *rest)))


@pytest.fixture(scope="module")
def page(evaluation):
    return evaluation_report(evaluation)


def test_the_page_is_well_formed_and_needs_nothing_else(page):
    read = Page(page)
    assert not read.wrong
    assert not read.open
    assert len(read.of("script")) == 1
    assert not [one for one in read.of("script") if "src" in one]
    assert not read.of("link")
    assert not read.of("img")
    assert all(one["href"].startswith("#") for one in read.of("a"))
    assert not re.search(r"https?:|url\(|@import|fetch\(", page)


def test_what_comes_from_questions_is_escaped(page):
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "<b>open</b>" not in page
    assert "<i>lights</i>" not in page


def test_plots_and_tables_can_be_read_aloud(page):
    read = Page(page)
    drawn = [one for one in read.of("svg") if one.get("class") == "plot"]
    assert len(drawn) == 2
    assert all(one["role"] in ("img", "group") and one["aria-label"] for one in drawn)
    assert all("scope" in one for one in read.of("th"))
    assert len(read.of("caption")) == len(read.of("table"))
    assert {"lang": "en"} in read.of("html")
    assert any(one.get("name") == "viewport" for one in read.of("meta"))


def test_every_judged_question_is_a_row_with_the_command_that_explains_it(evaluation, page):
    read = Page(page)
    rows = [one for one in read.of("tr") if "data-kinds" in one]
    assert len(rows) == len(judged_questions(evaluation.golden.questions))
    assert "consilience why &#34;How tall is Cordouan?&#34;" in page


def test_what_was_missed_comes_with_the_command_that_says_why(workspace, evaluation):
    key = best_passage(evaluation.resolved, "cordouan")
    assert workspace.catalogue.resolve(key).document.endswith("lights.csv")
    assert f"why-not &#34;How tall is Cordouan?&#34; {key}" not in evaluation_report(evaluation)
    merged = evaluation.runs[MERGED]
    nothing = replace(merged.answers["cordouan"], passages=(), scores=())
    run = replace(merged, answers={**merged.answers, "cordouan": nothing})
    lost = replace(evaluation, runs={**evaluation.runs, MERGED: run})
    assert f"why-not &#34;How tall is Cordouan?&#34; {key}" in evaluation_report(lost)


def test_a_set_by_document_names_a_passage_of_the_best_document():
    resolved = ResolvedLabels(
        golden=Golden(name="", questions=(), by="document"),
        grades={"q": {"one": 1, "two": 3, "none": 0}},
        strict={},
        lenient={},
        homes={"a": "one", "b": "two", "c": "none", "d": "elsewhere"},
    )
    assert best_passage(resolved, "q") == "b"
    assert best_passage(resolved, "other") == ""


def test_a_red_control_stands_at_the_top(evaluation):
    green = replace(evaluation, controls=(Control(name="x", passed=True, message="fine"),))
    assert "Do not rely" not in evaluation_report(green)
    assert "All 1 controls passed" in evaluation_report(green)
    red = replace(evaluation, controls=(Control(name="x<y", passed=False, message="too <low>"),))
    text = evaluation_report(red)
    assert text.index("Do not rely") < text.index("<h2>")
    assert "x&lt;y: too &lt;low&gt;" in text


@pytest.mark.parametrize(
    "text", ["plain words?", 'a "quote"', "costs $5 `now`", "it's 100% — ok!", "-w is what?"]
)
def test_commands_can_be_pasted_whatever_the_question(text):
    words = shlex.split(shell_command("why", text))
    assert words[:2] == ["consilience", "why"]
    assert words[-1] == text
    assert ("--" in words) == text.startswith("-")


# --- figures ----------------------------------------------------------------------------


def case(*orders):
    """Runs of one question each, with `r1`, `r2` relevant and the rest not."""
    golden = Golden(name="", questions=(Question(id="q", text="q"),))
    met = {"r1": ("u1",), "r2": ("u2",)}
    resolved = ResolvedLabels(
        golden=golden,
        grades={"q": {"u1": 2, "u2": 1}},
        strict={"q": met},
        lenient={"q": met},
    )
    runs = [
        Run(
            way=Way(name="w", kind="source"),
            answers={"q": Answer(question="q", passages=tuple(order), scores=())},
        )
        for order in orders
    ]
    return resolved, runs


def test_reliability_compares_what_was_given_with_what_was_judged():
    resolved, (run,) = case(["r1", "x", "r2"])
    answer = replace(run.answers["q"], relevances=(0.95, 0.91, 0.15))
    bins = report.reliability_bins(replace(run, answers={"q": answer}), resolved)
    assert bins == [(pytest.approx(0.15), 1.0, 1), (pytest.approx(0.93), 0.5, 2)]
    assert report.reliability_bins(run, resolved) == []
    answer = replace(run.answers["q"], relevances=(0.95, None, 0.15))
    bins = report.reliability_bins(replace(run, answers={"q": answer}), resolved)
    assert bins == [(pytest.approx(0.15), 1.0, 1), (pytest.approx(0.95), 1.0, 1)]


# --- plots ------------------------------------------------------------------------------


def attributes(svg, tag, name):
    return [attrs[name] for attrs in Page(svg).of(tag) if name in attrs]


def test_the_forest_puts_better_ways_further_right():
    svg = report.render_chart(
        "forest", [("a<b", 0.5, 0.4, 0.6, True), ("c", 0.3, 0.2, 0.4, False)], title="t", unit="u"
    )
    right, left = map(float, attributes(svg, "circle", "cx"))
    assert right > left
    assert "a&lt;b" in svg


def test_empty_plots_do_not_break():
    assert "<svg" in report.render_chart("forest", [], title="t", unit="u")
    assert "<svg" in report.render_chart("gains", [], title="t", unit="u")
    assert "<svg" in report.render_chart("reliability", [], title="t")
