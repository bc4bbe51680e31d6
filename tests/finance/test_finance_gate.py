"""Does the gate of the pack let good reports through, and no report whose pages are wrong?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from wired_shared import COUNTRIES, PAGES, VALUES, write_files

from consilience.ingest import scan
from consilience.measure.evaluate.evaluating import evaluate
from consilience.measure.gate.deciding import decide
from consilience.measure.gate.soundness import Now
from consilience.measure.gate.thresholds import read_thresholds
from consilience.measure.seen import Seen
from consilience.measure.values import Fact, Golden, Judgement, Question
from consilience.packs.finance import PACK
from consilience.settings import build_settings
from consilience.types import Locator
from consilience.workspace import init_workspace, open_workspace

GATE = PACK.golden.parent / "gate.toml"
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


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """The evaluation of a workspace, as it is or with pages that are not those of the files."""

    def of(pages):
        folder = init_workspace(tmp_path_factory.mktemp("gated") / "space", pack="finance")
        settings = build_settings(PATIENT)
        with pytest.MonkeyPatch.context() as patched, open_workspace(
            folder, settings=settings
        ) as space:
            patched.setattr(scan, "load", _turning(scan.load, pages), raising=True)
            space.add([write_files(folder / "files")])
            return evaluate(space, golden()).as_json()

    return of
