"""Where in this workspace is what the golden set points at? Judgements become passages.

A judgement names text, so it holds however documents are split: its passage is the one that has
the quotation, or, where the cut goes through it, those that have a good share of it. Judgements
that mean the very same passages here are one unit, so that a perfect ranking always scores 1.
What is not found is an error: a label that points nowhere must not count as a miss.

Paths are made for each question and stand in no catalogue. They are judged by their edges: a
judgement names the edge (`fields: {source: …, relation: …, target: …}`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from consilience.catalogue import Catalogue
from consilience.errors import UsageError
from consilience.measure.golden.corpus import Corpus
from consilience.measure.golden.walking import edges_of
from consilience.measure.values import Golden, Judgement, Question, Resolved, Units
from consilience.types import Passage

Missing = tuple[Question, Judgement, str]
_SHOWN = 20


class UnresolvedJudgements(UsageError):
    """Judgements that point at nothing in this workspace, each with the reason."""

    def __init__(self, golden: Golden, missing: Sequence[Missing]) -> None:
        self.missing = tuple(missing)
        count = sum(len(one.judgements) for one in golden.questions)
        lines = [f"  {question.id}: {reason}" for question, _, reason in missing[:_SHOWN]]
        if len(missing) > _SHOWN:
            rest = len(missing) - _SHOWN
            lines.append(f"  and {rest} more; `consilience golden health` lists them all")
        super().__init__(
            f"{len(missing)} of {count} judgements of {golden.name} point at nothing in this "
            "workspace; correct them, or add the files they speak of:\n" + "\n".join(lines)
        )


def resolve(golden: Golden, catalogue: Catalogue) -> Resolved:
    """The golden set with its judgements found; `UnresolvedJudgements` names those that are not."""
    return resolve_in(golden, Corpus(catalogue))


def resolve_in(golden: Golden, corpus: Corpus) -> Resolved:
    """`resolve`, in a corpus that was read already."""
    if golden.by != "passage":
        return _by_home(golden, corpus)
    missing: list[Missing] = []
    grades: dict[str, dict[str, int]] = {}
    strict: dict[str, Units] = {}
    lenient: dict[str, Units] = {}
    for question in golden.questions:
        meant: dict[frozenset[str], tuple[str, list[Passage]]] = {}
        marks: dict[str, int] = {}
        for number, one in enumerate(question.judgements, start=1):
            found = corpus.find(one)
            if not found.passages:
                missing.append((question, one, found.reason))
                continue
            key = frozenset(passage.id for passage in found.passages)
            unit, _ = meant.setdefault(key, (f"{question.id}#{number}", list(found.passages)))
            marks[unit] = max(marks.get(unit, 0), one.grade)
        grades[question.id] = marks
        strict[question.id] = _units(dict(meant.values()))
        lenient[question.id] = _Near(strict[question.id], corpus)
    if missing:
        raise UnresolvedJudgements(golden, missing)
    return Resolved(
        golden=golden, grades=grades, strict=strict, lenient=lenient, edges=edges_of(corpus)
    )


def missing_in(golden: Golden, corpus: Corpus) -> list[Missing]:
    """`unresolved`, in a corpus that was read already."""
    try:
        resolve_in(golden, corpus)
    except UnresolvedJudgements as error:
        return list(error.missing)
    return []


def _units(passages: dict[str, list[Passage]]) -> Units:
    met: dict[str, list[str]] = {}
    for unit, some in passages.items():
        for one in some:
            met.setdefault(one.id, []).append(unit)
    return {key: tuple(units) for key, units in met.items()}


class _Near(Mapping[str, tuple[str, ...]]):
    """The units by every passage at a place where a judged one stands.

    A place may be a whole document and a question one of thousands, so they are looked up.
    """

    def __init__(self, strict: Units, corpus: Corpus) -> None:
        self._corpus = corpus
        units: dict[Hashable, dict[str, None]] = {}
        for key, met in strict.items():
            units.setdefault(corpus.places[key], {}).update(dict.fromkeys(met))
        self._units = {place: tuple(met) for place, met in units.items()}

    def __getitem__(self, key: str) -> tuple[str, ...]:
        return self._units[self._corpus.places[key]]

    def __iter__(self) -> Iterator[str]:
        for place in self._units:
            yield from self._corpus.at[place]

    def __len__(self) -> int:
        return sum(len(self._corpus.at[place]) for place in self._units)


# --- sets by document or field ----------------------------------------------------------


def _by_home(golden: Golden, corpus: Corpus) -> Resolved:
    """The units are documents, or the values of a field; every passage has one at most."""
    homes = {one.id: home for one in corpus if (home := _home(one, golden.by)) is not None}
    inside: dict[str, list[str]] = {}
    for key, home in homes.items():
        inside.setdefault(home, []).append(key)
    missing: list[Missing] = []
    grades: dict[str, dict[str, int]] = {}
    strict: dict[str, Units] = {}
    for question in golden.questions:
        marks: dict[str, int] = {}
        for one in question.judgements:
            home, reason = _home_of(one, golden.by, corpus, inside)
            if reason:
                missing.append((question, one, reason))
            else:
                marks[home] = max(marks.get(home, 0), one.grade)
        grades[question.id] = marks
        strict[question.id] = {key: (home,) for home in marks for key in inside[home]}
    if missing:
        raise UnresolvedJudgements(golden, missing)
    return Resolved(golden=golden, grades=grades, strict=strict, lenient=strict, homes=homes)


def _home(passage: Passage, by: str) -> str | None:
    if by == "document":
        return passage.document
    value = passage.value(by)
    return None if value is None else str(value)


def _home_of(
    judgement: Judgement, by: str, corpus: Corpus, inside: dict[str, list[str]]
) -> tuple[str, str]:
    """The unit that a judgement means, or why there is none."""
    if by == "document":
        shelves, reason = corpus.named(judgement.document)
        return ("", reason) if reason else (shelves[0].path, "")
    wanted = str(judgement.fields.get(by, judgement.document))
    return (wanted, "") if wanted in inside else ("", f"no passage has {by} = {wanted!r}")
