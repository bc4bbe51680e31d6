"""Where do the methods disagree about a question? All of them side by side, with raw scores.

The sources are asked once, with completed scores; every fuser then fuses the same rankings by the
code that answers a search. No labels are needed: the diagnosis shows what each method does, not
which is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, Literal

from consilience.engine import Engine, Gathered, fuse_and_refine, gather
from consilience.engine.fusion import FUSERS
from consilience.engine.plan import kind_of
from consilience.json_output import passage_json
from consilience.measure.derived_passages import derived_in
from consilience.measure.runs import patient_engine
from consilience.types import Note, Passage, Query, Ranking, Result

FIRST = 10
"""Places over which overlap is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One method's order: ids with its own scores, best first; `completed` were only scored."""

    name: str
    kind: Literal["source", "fuser", "merged"]
    order: tuple[tuple[str, float], ...]
    completed: int = 0

    @property
    def spread(self) -> dict[str, float] | None:
        """Highest, lowest and their distance, and the gaps to the second and the tenth."""
        scores = [score for _, score in self.order]
        if not scores:
            return None
        at = {place: scores[min(place, len(scores)) - 1] for place in (2, FIRST)}
        return {
            "max": scores[0],
            "min": scores[-1],
            "spread": scores[0] - scores[-1],
            "gap_to_2": scores[0] - at[2],
            f"gap_to_{FIRST}": scores[0] - at[FIRST],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Two sources of one collection: what their first places share, and in which order.

    `tau` is Kendall's over what both found: 1 the same order, -1 the reverse; None below two.
    """

    one: str
    other: str
    jaccard: float
    common: int
    tau: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All methods side by side for one question."""

    result: Result
    columns: tuple[Column, ...]
    overlaps: tuple[Overlap, ...]
    passages: Mapping[str, Passage]
    method: str
    notes: tuple[Note, ...] = ()

    def columns_of(self, kind: str) -> list[Column]:
        """The columns of a kind."""
        return [column for column in self.columns if column.kind == kind]

    def shared(self, fuser: Column) -> int:
        """How many of the first places a fuser shares with the one in use."""
        used = next(column for column in self.columns_of("fuser") if column.name == self.method)
        return len(set(_first_ids(fuser.order)) & set(_first_ids(used.order)))

    def as_json(self, places: int) -> dict[str, Any]:
        """For `--json`; only the first places of each method."""
        return {
            "question": self.result.query.text,
            "intent": self.result.trace.plan.intent,
            "rule": self.result.trace.plan.rule,
            "abstained": self.result.abstained,
            "answerable": self.result.answerable,
            "trusts": {name: asdict(trust) for name, trust in self.result.trace.trusts.items()},
            "told": {
                outcome.source: {
                    "steps": list(outcome.steps),
                    "missing": list(outcome.missing),
                    "sure": list(outcome.sure),
                    "query": outcome.query,
                }
                for outcome in self.result.trace.outcomes
                if outcome.query or outcome.steps or outcome.missing
            },
            "methods": [self._column_json(column, places) for column in self.columns],
            "overlaps": [asdict(overlap) for overlap in self.overlaps],
            "passages": {key: passage_json(passage) for key, passage in self.passages.items()},
            "notes": [str(note) for note in self.notes],
        }

    def _column_json(self, column: Column, places: int) -> dict[str, Any]:
        return {
            "name": column.name,
            "kind": column.kind,
            "found": len(column.order),
            "completed": column.completed,
            "scores": column.spread,
            "first": [{"passage": key, "score": score} for key, score in column.order[:places]],
            **({"shared_with_used": self.shared(column)} if column.kind == "fuser" else {}),
        }


async def diagnose(query: Query, engine: Engine, *, places: int = 5) -> Diagnosis:
    """Ask once, fuse in every way, and compare; `places` of each method are looked up."""
    engine = patient_engine(engine)
    gathered = await gather(query, engine, completing=True)
    merged = await fuse_and_refine(gathered, engine)
    # Without reranking: fusers are compared by what they themselves do.
    query = replace(gathered.plan.query, rerank=False)
    unreranked = replace(gathered, plan=replace(gathered.plan, query=query))
    method = engine.settings.fusion.method
    columns = [
        *(_source_column(ranking) for ranking in gathered.found.rankings),
        *[await _fuse(name, unreranked, engine) for name in sorted(FUSERS)],
        Column(
            name="merged",
            kind="merged",
            order=tuple((hit.passage.id, hit.score) for hit in merged.hits),
        ),
    ]
    wanted = [key for column in columns for key, _ in column.order[:places]]
    return Diagnosis(
        result=merged,
        columns=tuple(columns),
        overlaps=tuple(_overlaps(gathered.found.rankings)),
        passages=_passages(wanted, gathered, engine),
        method=method,
        notes=merged.notes,
    )


def kendall(order: Sequence[str], other: Sequence[str]) -> float | None:
    """Kendall's tau of what two orders share; None below two."""
    from scipy.stats import kendalltau  # noqa: PLC0415 (takes long to load)

    places = {key: place for place, key in enumerate(other)}
    common = [places[key] for key in order if key in places]
    return float(kendalltau(range(len(common)), common).statistic) if len(common) > 1 else None


def _source_column(ranking: Ranking) -> Column:
    return Column(
        name=ranking.source,
        kind="source",
        order=tuple((hit.id, hit.score) for hit in ranking.found),
        completed=len(ranking.completed),
    )


async def _fuse(method: str, gathered: Gathered, engine: Engine) -> Column:
    fusion = replace(engine.settings.fusion, method=method)
    using = replace(engine, settings=replace(engine.settings, fusion=fusion))
    result = await fuse_and_refine(gathered, using)
    return Column(name=method, kind="fuser", order=result.trace.fused)


def _first_votes(rankings: Sequence[Ranking]) -> list[Ranking]:
    """Without second votes (`books/dense+terms`): a source agrees with itself."""
    return [ranking for ranking in rankings if "+" not in kind_of(ranking.source)]


def _overlaps(rankings: Sequence[Ranking]) -> list[Overlap]:
    found = []
    for left, right in combinations(_first_votes(rankings), 2):
        if left.collection != right.collection:
            continue
        ours, theirs = [hit.id for hit in left.found], [hit.id for hit in right.found]
        first, second = set(ours[:FIRST]), set(theirs[:FIRST])
        found.append(
            Overlap(
                one=left.source,
                other=right.source,
                jaccard=len(first & second) / len(first | second) if first | second else 0.0,
                common=len(set(ours) & set(theirs)),
                tau=kendall(ours, theirs),
            )
        )
    return found


def _passages(keys: Sequence[str], gathered: Gathered, engine: Engine) -> dict[str, Passage]:
    wanted = dict.fromkeys(keys)
    known = {**derived_in(gathered.found.rankings), **engine.lookup(list(wanted))}
    return {key: known[key] for key in wanted if key in known}


def _first_ids(order: Sequence[tuple[str, float]]) -> list[str]:
    return [key for key, _ in order[:FIRST]]
