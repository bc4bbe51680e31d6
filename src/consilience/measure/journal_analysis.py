"""What does a journal teach? Which of two settings people do better with, and possible labels.

Only questions that got their bucket by chance are compared, only those of the settings that each
bucket has now, and only of the days on which both were in use. A question is a text on a day: who
asks the same again on the same day gets the same bucket. Counted one by one, a question asked a
hundred times would look like a hundred independent ones; so it counts once, with the mean of its
values.

People open what ranks high and looks good; they cannot open what was not shown. So what they read
or praised is a hint, not a judgement: every proposed label names `journal` as the only method
behind it, and `consilience golden health` and the controls of an evaluation object until a person
has checked it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, Literal

from consilience.errors import UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.journal import Entry
from consilience.measure.data_model import Comparison, Golden, Interval, Judgement, Question
from consilience.measure.golden import unused_id
from consilience.measure.statistics import (
    correct_for_number,
    detectable_difference,
    format_p,
    interval,
    is_significant,
    share,
    unpaired_gain,
)
from consilience.measure.suggestions import LabelWriter

FEWEST = 30
"""Questions of each bucket below which nothing is concluded."""
A, B = "a", "b"
READ_S = 30.0
"""Seconds from which a passage that was opened counts as read."""
METHOD = "journal"
PRAISED, READ, REJECTED = 2, 1, 0
PROPOSALS_HEADER = (
    "# Proposals from a journal: what people read or praised, not what answers. For each question\n"
    "# check every judgement, add what they were not shown, then set `pool` to the methods whose\n"
    "# results you judged, or to [reading].\n"
)


# --- the measures of a question ---------------------------------------------------------


def _has_reaction(kind: str) -> Callable[[Entry], float]:
    return lambda entry: float(any(reaction.kind == kind for reaction in entry.reactions))


def _reciprocal_rank(entry: Entry) -> float:
    """1 / place of the passage that was opened first; 0 where none of the list was."""
    places = {shown.passage: place for place, shown in enumerate(entry.shown, start=1)}
    clicks = (reaction.passage for reaction in entry.reactions if reaction.kind == "click")
    return next((1 / places[passage] for passage in clicks if passage in places), 0.0)


def _thumbs_up(entry: Entry) -> float | None:
    thumbs = [
        reaction.kind == "up" for reaction in entry.reactions if reaction.kind in ("up", "down")
    ]
    return sum(thumbs) / len(thumbs) if thumbs else None


def _dwell_seconds(entry: Entry) -> float | None:
    """Seconds of reading, all passages together, to the second."""
    seconds = [reaction.value for reaction in entry.reactions if reaction.kind == "dwell"]
    return float(round(math.fsum(seconds))) if seconds else None


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalMeasure:
    """One measure: its name, its value for an entry (None where it says nothing), what is good."""

    name: str
    value: Callable[[Entry], float | None]
    is_share: bool = False
    good: Literal["more", "less", ""] = ""


MEASURES = (
    JournalMeasure(name="clicked", value=_has_reaction("click"), is_share=True, good="more"),
    JournalMeasure(name="MRR of first click", value=_reciprocal_rank, good="more"),
    JournalMeasure(name="kept", value=_has_reaction("kept"), is_share=True, good="more"),
    JournalMeasure(name="thumbs up", value=_thumbs_up, is_share=True, good="more"),
    JournalMeasure(name="dwell s", value=_dwell_seconds),
    JournalMeasure(name="abstained", value=lambda entry: float(entry.abstained), is_share=True),
    JournalMeasure(name="ms", value=lambda entry: entry.ms, good="less"),
)


@dataclass(slots=True, kw_only=True)
class AskedQuestion:
    """A question on a day in one bucket, with the values of every time it was asked."""

    bucket: str
    settings: str
    day: date
    asked: int = 0
    values: dict[str, list[float]] = field(default_factory=dict)

    def value(self, measure: str) -> float | None:
        """The mean of a measure; None where it says nothing here."""
        found = self.values.get(measure)
        return math.fsum(found) / len(found) if found else None


def group_questions(entries: Iterable[Entry]) -> tuple[list[AskedQuestion], int]:
    """The questions that got a bucket by chance, and how many were asked in one on purpose."""
    found: dict[tuple[str, str, date, str], AskedQuestion] = {}
    forced = 0
    for entry in entries:
        if entry.forced:
            forced += 1
            continue
        day = datetime.fromtimestamp(entry.time, UTC).date()
        key = (entry.bucket, entry.settings, day, _normalized(entry.text))
        question = found.setdefault(
            key, AskedQuestion(bucket=entry.bucket, settings=entry.settings, day=day)
        )
        question.asked += 1
        for measure in MEASURES:
            value = measure.value(entry)
            if value is not None:
                question.values.setdefault(measure.name, []).append(value)
    return list(found.values()), forced


def _normalized(text: str) -> str:
    return " ".join(text.casefold().split())


# --- comparing buckets ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A bucket: its settings, how many questions it had, and their measures."""

    bucket: str
    settings: str
    changes: Mapping[str, Any]
    questions: int
    asked: int
    measured: Mapping[str, Interval]

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "settings": self.settings,
            "changes": dict(self.changes),
            "questions": self.questions,
            "asked": self.asked,
            "measures": {name: asdict(mean) for name, mean in self.measured.items()},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketComparison:
    """Both buckets side by side. `smallest` is, by measure, the difference that would be seen."""

    groups: tuple[Bucket, ...]
    comparisons: tuple[Comparison, ...]
    smallest: Mapping[str, float]
    days: tuple[date, date] | None
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "buckets": {group.bucket: group.as_json() for group in self.groups},
            "comparisons": [
                {
                    **asdict(comparison),
                    "shown": is_significant(comparison),
                    "smallest": self.smallest[comparison.measure],
                }
                for comparison in self.comparisons
            ],
            "days": [day.isoformat() for day in self.days] if self.days else None,
            "notes": list(self.notes),
            "verdict": self.verdict(),
        }

    def verdict(self) -> str:
        """What the journal shows, in a sentence or two."""
        sizes = {group.bucket: group.questions for group in self.groups}
        if A not in sizes or B not in sizes:
            only = ", ".join(f"{count:,} in {name}" for name, count in sizes.items()) or "none"
            return (
                f"There is nothing to compare: of the questions that chance gave a bucket there "
                f"are {only}. `serve.other` names the second settings."
            )
        if min(sizes.values()) < FEWEST:
            return (
                f"Too little to tell: {sizes[A]:,} questions in a and {sizes[B]:,} in b; "
                f"wait for {FEWEST} in each."
            )
        significant = [comparison for comparison in self.comparisons if is_significant(comparison)]
        if significant:
            return f"b differs from a: {'; '.join(map(_describe, significant))}."
        first = MEASURES[0].name
        least = self.smallest.get(first, 0.0)
        limit = f" A difference below {least:.3f} in {first} can hardly be seen yet."
        return f"No difference is shown between a and b.{limit if least else ''}"


def _describe(comparison: Comparison) -> str:
    measure = next(measure for measure in MEASURES if measure.name == comparison.measure)
    gain = comparison.gain
    direction = "more" if gain.mean > 0 else "less"
    good = {"": "", direction: ", better"}.get(measure.good, ", worse")
    ends = f"[{gain.low:+.3f}, {gain.high:+.3f}]"
    return f"{measure.name} {gain.mean:+.3f} {ends}, {format_p(comparison.p_corrected)}{good}"


def compare_buckets(
    entries: Iterable[Entry], settings: Mapping[str, Mapping[str, Any]] | None = None
) -> BucketComparison:
    """What people did with the answers of either bucket, and whether that could be chance.

    `settings` gives by digest the settings that differ from the default.
    """
    questions, forced = group_questions(entries)
    if not questions and not forced:
        raise UsageError("the journal holds no question yet; ask some, with `consilience serve`")
    notes = []
    if forced:
        notes.append(f"{forced} questions were asked in a bucket on purpose; they are left out")
    chosen, days = _comparable(questions, notes)
    smallest: dict[str, float] = {}
    comparisons = []
    for measure in MEASURES if A in chosen and B in chosen else ():
        ours, theirs = (_values(chosen[name], measure) for name in (B, A))
        if not ours or not theirs or len({*ours, *theirs}) < 2:
            continue  # nobody did this in one of them, or nothing differs
        smallest[measure.name] = detectable_difference(ours, theirs)
        gain, p = unpaired_gain(ours, theirs)
        comparisons.append(
            Comparison(ours=B, theirs=A, measure=measure.name, gain=gain, p=p, p_corrected=p)
        )
    return BucketComparison(
        groups=tuple(_bucket(name, chosen[name], settings or {}) for name in sorted(chosen)),
        comparisons=tuple(correct_for_number(comparisons)),
        smallest=smallest,
        days=days,
        notes=tuple(notes),
    )


def _comparable(
    questions: Sequence[AskedQuestion], notes: list[str]
) -> tuple[dict[str, list[AskedQuestion]], tuple[date, date] | None]:
    """The questions of each bucket's present settings, on the days on which both were in use."""
    chosen: dict[str, list[AskedQuestion]] = {}
    for name in sorted({question.bucket for question in questions}):
        own = [question for question in questions if question.bucket == name]
        present = own[-1].settings  # a journal is in order of time
        chosen[name] = [question for question in own if question.settings == present]
        if earlier := len(own) - len(chosen[name]):
            notes.append(f"{earlier} questions of {name} were answered with earlier settings")
    if A not in chosen or B not in chosen:
        return chosen, None
    spans = [[question.day for question in chosen[name]] for name in (A, B)]
    first, last = max(map(min, spans)), min(map(max, spans))
    for name in (A, B):
        kept = [question for question in chosen[name] if first <= question.day <= last]
        if outside := len(chosen[name]) - len(kept):
            notes.append(f"{outside} questions of {name} are of days when the other was not in use")
        chosen[name] = kept
    return chosen, (first, last)


def _values(questions: Sequence[AskedQuestion], measure: JournalMeasure) -> list[float]:
    values = (question.value(measure.name) for question in questions)
    return [value for value in values if value is not None]


def _bucket(
    name: str, questions: Sequence[AskedQuestion], settings: Mapping[str, Mapping[str, Any]]
) -> Bucket:
    def measured(measure: JournalMeasure) -> Interval:
        values = _values(questions, measure)
        return share(values) if measure.is_share else interval(values)

    digest = questions[-1].settings if questions else ""
    return Bucket(
        bucket=name,
        settings=digest,
        changes=settings.get(digest, {}),
        questions=len(questions),
        asked=sum(question.asked for question in questions),
        measured={measure.name: measured(measure) for measure in MEASURES},
    )


# --- proposing labels -------------------------------------------------------------------


@dataclass(slots=True)
class _Reactions:
    """What people did with the passages of a question, over all the times it was asked."""

    text: str
    praised: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        for reaction in entry.reactions:
            passage = reaction.passage
            if not passage:
                continue
            if reaction.kind in ("up", "kept"):
                self.praised.add(passage)
            elif reaction.kind == "down":
                self.rejected.add(passage)
            elif reaction.kind == "click":
                self.opened.add(passage)
            else:
                self.seconds[passage] = max(self.seconds.get(passage, 0.0), reaction.value)

    def grades(self) -> dict[str, int]:
        """Grades by passage; those about which people disagree are left out."""
        read = {key for key in self.opened if self.seconds.get(key, 0.0) >= READ_S}
        good = {
            **dict.fromkeys(sorted(read), READ),
            **dict.fromkeys(sorted(self.praised), PRAISED),
        }
        found = {key: grade for key, grade in good.items() if key not in self.rejected}
        bad = sorted(self.rejected - self.praised - read)
        return {**found, **dict.fromkeys(bad, REJECTED)} if found else {}


def propose_labels(
    entries: Iterable[Entry], catalogue: Catalogue, *, name: str
) -> tuple[Golden, int]:
    """Questions with what was read or praised, unchecked; and how many passages are gone since."""
    asked: dict[str, _Reactions] = {}
    for entry in entries:
        if entry.reactions:
            text = " ".join(entry.text.split())
            asked.setdefault(_normalized(entry.text), _Reactions(text)).add(entry)
    labels, questions, gone = LabelWriter(catalogue), dict[str, Question](), 0
    for reactions in asked.values():
        grades = reactions.grades()
        known = catalogue.get(list(grades))
        judgements: list[Judgement] = []
        for key, grade in grades.items():
            if key in known:
                judgement = replace(labels.judgement(known[key], reactions.text), grade=grade)
                if key in {passage.id for passage in labels.corpus.find(judgement).passages}:
                    judgements.append(judgement)
        gone += len(grades) - len(judgements)
        if any(judgement.grade > 0 for judgement in judgements):
            key = unused_id(reactions.text, questions)
            questions[key] = Question(
                id=key, text=reactions.text, judgements=tuple(judgements), pool=(METHOD,)
            )
    fingerprint = catalogue.fingerprint()
    return Golden(name=name, questions=tuple(questions.values()), fingerprint=fingerprint), gone
