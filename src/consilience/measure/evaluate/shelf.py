"""Which evaluations were made here, and what did they say? Each kept as a page and as JSON.

A report is three files beside the catalogue, in `reports`: the page (`.html`), the evaluation as
`--json` gives it (`.json`), and a card (`.card.json`) with what a list of reports shows. The card
is written last and removed first, so what has a card is whole.
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
from consilience.measure.evaluate.evaluating import Evaluation
from consilience.measure.evaluate.report import report
from consilience.measure.evaluate.running import MERGED
from consilience.measure.evaluate.verdict import verdict
from consilience.measure.seen import write_whole
from consilience.measure.values import judged
from consilience.workspace import STORE

REPORTS = "reports"
"""The folder beside the catalogue in which evaluations are kept."""
MOST = 50
"""So many are kept; the oldest goes."""
_CARD = ".card.json"
_ENDS = (_CARD, ".json", ".html")
_ODD = re.compile(r"[^A-Za-z0-9_-]+")
_SAID = ("id", "date", "golden", "measure", "verdict", "best", "fingerprint")
_COUNTED = ("questions", "judged", "merged", "controls", "passed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a list of reports shows of one.

    `merged` is the mean of the measure by which ways are compared, with its interval; `best` is
    the best single source, `single` its mean. `passed` of `controls` came out as they must.
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


def keep(folder: Path, evaluation: Evaluation, *, now: datetime | None = None) -> Card:
    """Keep an evaluation of a workspace: its page and its JSON. Each file is whole or not there."""
    shelf = folder / STORE / REPORTS
    try:
        shelf.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make {shelf}: {error.strerror}; is the disk read-only?"
        ) from error
    card = _card(shelf, evaluation, now or datetime.now(UTC))
    told = json.dumps(evaluation.as_json(), ensure_ascii=False)
    write_whole(shelf / f"{card.id}.html", report(evaluation))
    write_whole(shelf / f"{card.id}.json", told + "\n")
    write_whole(shelf / f"{card.id}{_CARD}", json.dumps(asdict(card), ensure_ascii=False) + "\n")
    _prune(shelf)
    return card


def kept(folder: Path) -> list[Card]:
    """The evaluations that are kept, the newest first; a card that cannot be read is left out."""
    return sorted(_cards(folder / STORE / REPORTS), key=_age, reverse=True)


def page_of(folder: Path, key: str) -> str:
    """The page of a report, by an id from the list; any other is refused."""
    return _text(folder, key, ".html")


def json_of(folder: Path, key: str) -> dict[str, Any]:
    """The evaluation that a report shows, as `consilience evaluate --json` gives it."""
    try:
        found: dict[str, Any] = json.loads(_text(folder, key, ".json"))
    except ValueError as error:
        raise StoreError(f"the report {key!r} is damaged: {error}; evaluate again") from error
    return found


def _text(folder: Path, key: str, end: str) -> str:
    """A file of a report. What is asked for is compared with a list, it is never a path."""
    known = next((one.id for one in kept(folder) if one.id == key), None)
    if known is None:
        raise UsageError(f"no report is called {key[:100]!r}; the list of reports has their names")
    try:
        return (folder / STORE / REPORTS / f"{known}{end}").read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"the report {known} cannot be read: {error.strerror}; evaluate again"
        ) from error


def _card(shelf: Path, evaluation: Evaluation, now: datetime) -> Card:
    golden, singles = evaluation.golden, evaluation.singles
    mean = evaluation.ways[MERGED].means[evaluation.primary]["strict"]
    return Card(
        id=_free(shelf, f"{now:%Y-%m-%d-%H%M%S}-{_plain(golden.name)}"),
        date=now.isoformat(timespec="seconds"),
        golden=golden.name,
        questions=len(golden.questions),
        judged=len(judged(golden.questions)),
        measure=evaluation.primary,
        merged=mean.mean,
        low=mean.low,
        high=mean.high,
        best=singles[0] if singles else "",
        single=evaluation.mean(singles[0]) if singles else None,
        verdict=verdict(evaluation),
        controls=len(evaluation.controls),
        passed=sum(one.passed for one in evaluation.controls),
        fingerprint=evaluation.fingerprint,
    )


def _plain(name: str) -> str:
    """A golden set's name as a part of a file's name."""
    return _ODD.sub("-", name)[:40].strip("-") or "golden"


def _free(shelf: Path, wanted: str) -> str:
    """A name that no report has: two may be made within one second."""
    names = (wanted, *(f"{wanted}-{number}" for number in range(2, MOST + 3)))
    return next(one for one in names if not (shelf / f"{one}{_CARD}").exists())


def _cards(shelf: Path) -> Iterator[Card]:
    for path in sorted(shelf.glob(f"*{_CARD}")):
        with suppress(OSError, ValueError, TypeError):
            card = Card(**json.loads(path.read_text(encoding="utf-8")))
            if card.id == path.name.removesuffix(_CARD) and _is_sound(card):
                yield card


def _is_sound(card: Card) -> bool:
    """Whether a card has what it should have: somebody may have written into it."""
    texts = all(isinstance(getattr(card, name), str) for name in _SAID)
    numbers = all(isinstance(getattr(card, name), int | float) for name in _COUNTED)
    return texts and numbers and datetime.fromisoformat(card.date).tzinfo is not None


def _age(card: Card) -> tuple[datetime, str]:
    return datetime.fromisoformat(card.date), card.id


def _prune(shelf: Path) -> None:
    for old in sorted(_cards(shelf), key=_age)[:-MOST]:
        for end in _ENDS:
            with suppress(OSError):
                (shelf / f"{old.id}{end}").unlink(missing_ok=True)
