"""What might a journal's questions be labelled with? Proposals, for a person to check.

People open what stands high and looks good; they cannot open what was not shown. So what they read
or praised is a hint, not a judgement: every proposal names `journal` as the only method behind it,
and `consilience golden health` and the controls of an evaluation object until a person has
looked, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from consilience.catalogue import Catalogue
from consilience.journal import Entry
from consilience.measure.golden.files import question_id
from consilience.measure.golden.pointing import Pointer
from consilience.measure.values import Golden, Judgement, Question
from consilience.types import Passage

LONG_S = 30.0
"""Seconds from which a passage that was opened counts as read."""
METHOD = "journal"
PRAISED, READ, REJECTED = 2, 1, 0
HEAD = (
    "# Proposals from a journal: what people read or praised, not what answers. For each question\n"
    "# check every judgement, add what they were not shown, then set `pool` to the methods whose\n"
    "# finds you judged, or to [reading].\n"
)


@dataclass(slots=True)
class _Asked:
    """A question with what people said of its passages, over all the times it was asked."""

    text: str
    praised: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        for one in entry.reactions:
            if not one.passage:
                continue
            if one.kind in ("up", "kept"):
                self.praised.add(one.passage)
            elif one.kind == "down":
                self.rejected.add(one.passage)
            elif one.kind == "click":
                self.opened.add(one.passage)
            else:
                self.seconds[one.passage] = max(self.seconds.get(one.passage, 0.0), one.value)

    def grades(self) -> dict[str, int]:
        """The passages worth a look; those of which people think differently are left out."""
        read = {key for key in self.opened if self.seconds.get(key, 0.0) >= LONG_S}
        liked = dict.fromkeys(sorted(self.praised), PRAISED)
        good = {**dict.fromkeys(sorted(read), READ), **liked}
        found = {key: grade for key, grade in good.items() if key not in self.rejected}
        bad = sorted(self.rejected - self.praised - read)
        return {**found, **dict.fromkeys(bad, REJECTED)} if found else {}


def proposals(entries: Iterable[Entry], catalogue: Catalogue, *, name: str) -> tuple[Golden, int]:
    """Questions with what was read or praised, none of it checked; and how much is gone since."""
    asked: dict[str, _Asked] = {}
    for entry in entries:
        if entry.reactions:
            key = " ".join(entry.text.casefold().split())
            asked.setdefault(key, _Asked(" ".join(entry.text.split()))).add(entry)
    pointer, questions, gone = Pointer(catalogue), dict[str, Question](), 0
    for one in asked.values():
        grades = one.grades()
        known = catalogue.get(list(grades))
        found = _judgements(one.text, grades, known, pointer)
        gone += len(grades) - len(found)
        if any(each.grade > 0 for each in found):
            key = _free(question_id(one.text), questions)
            questions[key] = Question(
                id=key, text=one.text, judgements=tuple(found), pool=(METHOD,)
            )
    fingerprint = catalogue.fingerprint()
    return Golden(name=name, questions=tuple(questions.values()), fingerprint=fingerprint), gone


def _judgements(
    text: str, grades: Mapping[str, int], known: Mapping[str, Passage], pointer: Pointer
) -> list[Judgement]:
    """Labels that lead back to the passages; one that would not is left out."""
    found = []
    for key, grade in grades.items():
        passage = known.get(key)
        if passage is None:
            continue
        one = replace(pointer.judgement(passage, text), grade=grade)
        if key in {each.id for each in pointer.corpus.find(one).passages}:
            found.append(one)
    return found


def _free(key: str, taken: Mapping[str, Question]) -> str:
    numbered = (f"{key}-{number}" for number in range(2, len(taken) + 3))
    return next(one for one in (key, *numbered) if one not in taken)
