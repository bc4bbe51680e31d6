"""Does the gate of the pack let good reports through, and no report whose pages are wrong?"""

from __future__ import annotations

from dataclasses import replace

from wired_shared import COUNTRIES, PAGES, VALUES, write_files

from consilience.evidence import file_scan
from consilience.measure.data_model import Fact, Golden, Judgement, Question
from consilience.measure.evaluation import evaluate
from consilience.measure.gate import WorkspaceState, decide, read_thresholds
from consilience.measure.seen_questions import SeenQuestions
from consilience.packs.finance import PACK
from consilience.settings import build_settings
from consilience.types import Locator
from consilience.workspace import init_workspace, open_workspace

GATE = PACK.sample.golden.parent / "gate.toml"
ASKED = ("{metric} of {country} in {month} 2025", "Budget {metric} of {country} in {month} 2025")
SUM = "Sum of the {metric} of Portugal and Spain in {month} 2025"
PATIENT = {
    "pack": "finance",
    "models.embed": "fast",
    "models.rerank": "none",
    "retrieve.soft_ms": 20_000,
    "retrieve.hard_ms": 30_000,
}
SWAPPED = {2: 3, 3: 2}


def golden():
    """Every number of the files, asked for, and sums; the labels know the page of each."""
    questions = []
    for (month, metric), rows in VALUES.items():
        place = {"document": f"norvale-{month.lower()}.pdf"}
        page = PAGES[metric]
        judged = (Judgement(**place, locator=Locator(page=page), grade=3),)
        values = [(text, row[at]) for row in rows for at, text in enumerate(ASKED)]
        named = [country for country in COUNTRIES for _ in ASKED]
        for (text, value), country in zip(values, named, strict=True):
            asked = text.format(metric=metric, country=country, month=month)
            facts = (Fact(value=value, unit="€", page=page, **place),)
            questions.append(_question(asked, judged, facts))
        total = float(rows[0][0]) + float(rows[1][0])
        facts = (Fact(value=f"{total:.1f}"), Fact(value=rows[0][0], page=page, **place))
        questions.append(_question(SUM.format(metric=metric, month=month), judged, facts))
    return Golden(name="wired", questions=tuple(questions))


def _question(text, judgements, facts):
    key = "-".join(text.casefold().split())
    return Question(id=key, text=text, judgements=judgements, facts=facts, pool=("reading",))


def turned(format_, pages):
    """A loader that gives other page numbers than those of the file."""

    def load(path):
        document = format_.load(path)
        blocks = (
            replace(one, locator=replace(one.locator, page=pages.get(page, page)))
            for one in document.blocks
            for page in [one.locator.page]
        )
        return replace(document, blocks=list(blocks))

    return replace(format_, load=load)


def checks(folder, monkeypatch, pages):
    """What the gate says to the files, as they are or with pages that are not theirs."""
    known = file_scan.formats
    monkeypatch.setattr(
        file_scan,
        "formats",
        lambda *args: {
            key: (name, turned(one, pages)) for key, (name, one) in known(*args).items()
        },
    )
    init_workspace(folder, pack="finance")
    with open_workspace(folder, settings=build_settings(PATIENT)) as space:
        space.add([write_files(folder / "files")])
        found = evaluate(space, golden()).as_json()
    now = WorkspaceState(fingerprint="", settings={}, golden="", key="", seen=SeenQuestions())
    decision = decide(found, read_thresholds(GATE), now)
    return {one.name: one for one in decision.checks}


def test_the_gate_asks_for_pages_values_time_and_refusals():
    wanted = read_thresholds(GATE)
    assert (wanted.pages, wanted.on_page) == (0.7, 0.95)
    assert wanted.values >= 0.8
    assert wanted.latency_p95_ms == 500
    assert wanted.unanswerable >= 0.95
    assert wanted.answerable <= 0.1


def test_good_reports_pass(tmp_path, monkeypatch):
    found = checks(tmp_path / "space", monkeypatch, {})
    for name in ("page in the first five", "value in the first five", "value on the right page"):
        assert found[name].verdict == "pass", found[name].told


def test_reports_whose_pages_are_wrong_do_not(tmp_path, monkeypatch):
    found = checks(tmp_path / "space", monkeypatch, SWAPPED)
    assert found["value on the right page"].verdict == "fail", found["value on the right page"].told
    assert found["value in the first five"].verdict == "fail"
