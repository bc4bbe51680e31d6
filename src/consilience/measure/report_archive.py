"""Which evaluations were made here? Each is archived as a page and as JSON.

A report is three files beside the catalogue, in `reports`: the page (`.html`), the evaluation as
`--json` prints it (`.json`), and a card (`.card.json`) with what a list of reports shows. The card
is written last and removed first, so that a report with a card is complete.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from consilience.errors import StoreError, UsageError
from consilience.measure.data_model import judged_questions
from consilience.measure.evaluation import Evaluation, verdict
from consilience.measure.golden import write_atomically
from consilience.measure.report import evaluation_report
from consilience.measure.runs import MERGED
from consilience.workspace import STORE

REPORTS = "reports"
"""The folder beside the catalogue in which evaluations are archived."""
MOST_REPORTS = 50
_CARD = ".card.json"
_ENDINGS = (_CARD, ".json", ".html")
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCard:
    """What a list of reports shows of one.

    `merged` is the mean of the measure by which ways are compared, with its interval; `best` is
    the best single source, `single` its mean. `passed` of `controls` passed.
    """

    id: str
    date: str
    golden: str
    questions: int
    judged: int
    measure: str
    merged: float
    low: float
    high: float
    best: str
    single: float | None
    verdict: str
    controls: int
    passed: int
    fingerprint: str


def archive_report(
    folder: Path, evaluation: Evaluation, *, now: datetime | None = None
) -> ReportCard:
    """Archive an evaluation of a workspace: its page, its JSON and its card."""
    archive, now = folder / STORE / REPORTS, now or datetime.now(UTC)
    golden, singles = evaluation.golden, evaluation.singles
    mean = evaluation.ways[MERGED].means[evaluation.primary]["strict"]
    name = _UNSAFE.sub("-", golden.name)[:40].strip("-") or "golden"
    wanted = f"{now:%Y-%m-%d-%H%M%S}-{name}"
    numbered = (f"{wanted}-{number}" for number in range(2, MOST_REPORTS + 3))
    names = (wanted, *numbered)  # two reports may be made within one second
    card = ReportCard(
        id=next(one for one in names if not (archive / f"{one}{_CARD}").exists()),
        date=now.isoformat(timespec="seconds"),
        golden=golden.name,
        questions=len(golden.questions),
        judged=len(judged_questions(golden.questions)),
        measure=evaluation.primary,
        merged=mean.mean,
        low=mean.low,
        high=mean.high,
        best=singles[0] if singles else "",
        single=evaluation.mean(singles[0]) if singles else None,
        verdict=verdict(evaluation),
        controls=len(evaluation.controls),
        passed=sum(control.passed for control in evaluation.controls),
        fingerprint=evaluation.fingerprint,
    )
    values = json.dumps(evaluation.as_json(), ensure_ascii=False)
    write_atomically(archive / f"{card.id}.html", evaluation_report(evaluation))
    write_atomically(archive / f"{card.id}.json", values + "\n")
    card_text = json.dumps(asdict(card), ensure_ascii=False)
    write_atomically(archive / f"{card.id}{_CARD}", card_text + "\n")
    for old in list_reports(folder)[MOST_REPORTS:]:
        for ending in _ENDINGS:
            with suppress(OSError):
                (archive / f"{old.id}{ending}").unlink(missing_ok=True)
    return card


def list_reports(folder: Path) -> list[ReportCard]:
    """The archived evaluations, the newest first; a card that cannot be read is left out."""

    def age(card: ReportCard) -> tuple[datetime, str]:
        return datetime.fromisoformat(card.date), card.id

    return sorted(_read_cards(folder / STORE / REPORTS), key=age, reverse=True)


def read_report_page(folder: Path, key: str) -> str:
    """The page of a report, by an id from the list; any other is refused."""
    return _read(folder, key, ".html")


def read_report_json(folder: Path, key: str) -> dict[str, Any]:
    """The evaluation that a report shows, as `consilience evaluate --json` prints it."""
    try:
        found: dict[str, Any] = json.loads(_read(folder, key, ".json"))
    except ValueError as error:
        raise StoreError(f"the report {key!r} is damaged: {error}; evaluate again") from error
    return found


def _read(folder: Path, key: str, ending: str) -> str:
    """A file of a report. The id is compared with a list, it is never used as a path."""
    known = next((card.id for card in list_reports(folder) if card.id == key), None)
    if known is None:
        raise UsageError(f"no report is called {key[:100]!r}; the list of reports has their names")
    try:
        return (folder / STORE / REPORTS / f"{known}{ending}").read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"the report {known} cannot be read: {error.strerror}; evaluate again"
        ) from error


def _read_cards(archive: Path) -> Iterator[ReportCard]:
    from pydantic import TypeAdapter  # noqa: PLC0415 (slow to load)

    cards = TypeAdapter(ReportCard)
    for path in sorted(archive.glob(f"*{_CARD}")):
        with suppress(OSError, ValueError):  # somebody may have edited the card
            card = cards.validate_json(path.read_bytes(), strict=True)
            has_zone = datetime.fromisoformat(card.date).tzinfo is not None
            if card.id == path.name.removesuffix(_CARD) and has_zone:
                yield card
