"""What would other settings have given? Sources are asked once, fusing is done over and over.

All that the sources said to a question, at the largest depth, is kept in memory. Settings that act
after that (fuser, weights, depth, reranker, diversity) are then tried on it by the same code that
answers a search, without asking any engine again. The reranker reads a passage once a question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from consilience.errors import UsageError
from consilience.ingest.progress import Progress, Silent
from consilience.measure.conditions import DEADLINES, LIMIT, value_of
from consilience.measure.golden.walking import by_edges, made_for, order_of
from consilience.measure.scoring.measures import PRIMARY, score
from consilience.measure.seen import Seen
from consilience.measure.tune.remembering import remembered
from consilience.measure.values import DEPTH, Answer, Question, Resolved, Run, Way, judged
from consilience.pipeline import Engine, Gathered, gather, settle
from consilience.plan import plan
from consilience.protocols import Scorer
from consilience.retrieve import Retrieved
from consilience.settings import TABLE, Settings, build_settings
from consilience.threads import finished
from consilience.types import Found, Plan, Query, Ranking

Changes = Mapping[str, Any]
"""Settings by dotted name that differ from the current ones; `fusion.weights.bm25` is a weight."""
Values = NDArray[np.float64]

DEEPEST = 100
WEIGHTS = "fusion.weights."
_NOTHING = Seen()


def flat(settings: Settings) -> dict[str, Any]:
    """The settings by dotted name."""
    return {row.name: value_of(settings, row.name) for row in TABLE}


def changed(settings: Settings, changes: Changes) -> Settings:
    """The settings with changes made to them."""
    values = flat(settings)
    for name, value in changes.items():
        if name.startswith(WEIGHTS):
            weights = {**values["fusion.weights"], name.removeprefix(WEIGHTS): value}
            values["fusion.weights"] = weights
        else:
            values[name] = value
    return build_settings(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A judged question with what every source said to it; None if it cannot be asked."""

    question: Question
    query: Query
    gathered: Gathered | None


class _Known(NamedTuple):
    """What is known of a question under some settings; orders as numbers, to be compared."""

    value: float
    ranking: int
    fused: int


class Replay:
    """Judged questions that can be answered again under other settings.

    `before` says which of them were chosen on or kept out earlier.
    """

    def __init__(
        self,
        engine: Engine,
        resolved: Resolved,
        cases: Sequence[Case],
        before: Seen = _NOTHING,
    ) -> None:
        self.engine = engine
        self.before = before
        self.cases = tuple(cases)
        self.trouble: dict[str, None] = {}
        self._resolved = resolved
        self._scorers = {name for name, one in engine.sources.items() if isinstance(one, Scorer)}
        self._known: dict[str, dict[int, _Known]] = {}
        self._plans: dict[tuple[str, int], Plan] = {}

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def intents(self) -> list[str]:
        """The intent of each question, by rule."""
        return [case.gathered.plan.intent if case.gathered else "" for case in self.cases]

    def scores(self, changes: Changes, which: Sequence[int] | None = None) -> Values:
        """The nDCG@10 of each question under changed settings."""
        return np.array([one.value for one in self._known_of(changes, which)])

    def rankings(self, changes: Changes, which: Sequence[int] | None = None) -> list[int]:
        """The ranking of each question as a number: the same order gives the same number."""
        return [one.ranking for one in self._known_of(changes, which)]

    def fused(self, changes: Changes, which: Sequence[int] | None = None) -> list[int]:
        """The same of the fused order, before anything is refined."""
        return [one.fused for one in self._known_of(changes, which)]

    def orders(self, changes: Changes, which: Sequence[int] | None = None) -> list[list[str]]:
        """The passages that each question gets under changed settings, best first."""
        return [order for order, _ in self._settled(changes, self._all(which))]

    def single(self, source: str, which: Sequence[int] | None = None) -> Values:
        """The nDCG@10 of each question by one source alone, as it ranked them.

        Edges stand for the paths that walk them, as in an evaluation: no label points at a path.
        """
        orders = []
        for case in (self.cases[one] for one in self._all(which)):
            rankings = case.gathered.found.rankings if case.gathered else ()
            own = [one for one in rankings if one.source == source]
            found = [(hit.id, hit.score) for one in own for hit in one.found]
            order = by_edges(found, made_for(own), self._resolved.edges)[:DEPTH]
            orders.append([key for key, _ in order])
        return np.array(self._judge(self._all(which), orders))

    def _all(self, which: Sequence[int] | None) -> Sequence[int]:
        return range(len(self)) if which is None else which

    def _known_of(self, changes: Changes, which: Sequence[int] | None) -> list[_Known]:
        wanted = self._all(which)
        known = self._known.setdefault(self._key(changes), {})
        new = [one for one in wanted if one not in known]
        if new:
            settled = self._settled(changes, new)
            values = self._judge(new, [order for order, _ in settled])
            for one, (order, fused), value in zip(new, settled, values, strict=True):
                known[one] = _Known(value, hash(tuple(order)), fused)
        return [known[one] for one in wanted]

    def _settled(self, changes: Changes, which: Sequence[int]) -> list[tuple[list[str], int]]:
        """The order of each question, and the fused order before it as a number."""
        return finished(self._settle(self._engine(changes), which))

    def _key(self, changes: Changes) -> str:
        """Changes as one word, whatever their order; what is as it is already is no change."""
        now, then = flat(self.engine.settings), flat(changed(self.engine.settings, changes))
        other = {name: value for name, value in then.items() if value != now[name]}
        return repr(sorted((name, _plain(value)) for name, value in other.items()))

    def _engine(self, changes: Changes) -> Engine:
        settings = changed(self.engine.settings, {**changes, **DEADLINES})
        reranker = self.engine.reranker
        if changes.get("models.rerank", "") == "none":
            reranker = None
        knowledge = replace(self.engine.knowledge, settings=settings)
        return replace(self.engine, settings=settings, knowledge=knowledge, reranker=reranker)

    async def _settle(self, engine: Engine, which: Sequence[int]) -> list[tuple[list[str], int]]:
        name = engine.reranker.name if engine.reranker else ""
        settled: list[tuple[list[str], int]] = []
        for one in which:
            case = self.cases[one]
            if case.gathered is None:
                settled.append(([], 0))
                continue
            todo = self._plan(one, engine)
            found = shallower(case.gathered.found, todo, self._scorers)
            result = await settle(replace(case.gathered, plan=todo, found=found), engine)
            self.trouble.update({str(note): None for note in result.notes if note.origin == name})
            fused = hash(tuple(key for key, _ in result.trace.fused))
            settled.append(([key for key, _ in order_of(result, self._resolved.edges)], fused))
        return settled

    def _plan(self, one: int, engine: Engine) -> Plan:
        """The plan of a question; most settings leave it as it is."""
        fusion = engine.settings.fusion
        key = repr((engine.settings.retrieve, dict(fusion.weights), fusion.expansion))
        if (key, one) not in self._plans:
            self._plans[key, one] = plan(self.cases[one].query, engine.knowledge)
        return self._plans[key, one]

    def _judge(self, which: Sequence[int], orders: Sequence[Sequence[str]]) -> list[float]:
        questions = [self.cases[one].question for one in which]
        answers = {
            one.id: Answer(
                question=one.id,
                passages=tuple(order),
                scores=tuple(-float(place) for place in range(len(order))),
            )
            for one, order in zip(questions, orders, strict=True)
        }
        golden = replace(self._resolved.golden, questions=tuple(questions))
        grades = {one.id: self._resolved.grades[one.id] for one in questions}
        resolved = replace(self._resolved, golden=golden, grades=grades)
        run = Run(way=Way(name="merged", kind="merged"), answers=answers)
        values = score(run, resolved, names=(PRIMARY,))[PRIMARY]
        return [values[one.id] for one in questions]


def _plain(value: Any) -> Any:
    return sorted(value.items()) if isinstance(value, Mapping) else value


def replay(
    engine: Engine, resolved: Resolved, *, progress: Progress | None = None, limit: int = LIMIT
) -> Replay:
    """Ask every source every judged question once, as deep as will be wanted."""
    watched = progress or Silent()
    questions = judged(resolved.golden.questions)
    if not questions:
        raise UsageError(
            f"the golden set {resolved.golden.name!r} has no question with a judgement above 0; "
            "settings cannot be compared on it"
        )
    remembering = remembered(engine)
    asked = replace(remembering, settings=_deepest(engine.settings))
    asked = replace(asked, knowledge=replace(remembering.knowledge, settings=asked.settings))
    watched.stage("asking", total=len(questions), unit="questions")
    cases = finished(_gather(asked, questions, watched, limit))
    made = Replay(remembering, resolved, cases)
    for case in cases:
        outcomes = case.gathered.found.outcomes if case.gathered else ()
        missed = [one for one in outcomes if one.left_out]
        made.trouble.update({f"{one.source}: {one.reason}": None for one in missed})
    return made


async def _gather(
    engine: Engine, questions: Sequence[Question], progress: Progress, limit: int
) -> list[Case]:
    cases = []
    for question in questions:
        query = Query(text=question.text, limit=limit)
        try:
            gathered = await gather(query, engine, completing=True)
        except UsageError:  # a question that cannot be asked finds nothing
            gathered = None
        cases.append(Case(question=question, query=query, gathered=gathered))
        progress.advance()
    return cases


def _deepest(settings: Settings) -> Settings:
    """Every source is asked, whatever its weight, as deep as any setting that is tried."""
    deepest = max(DEEPEST, settings.retrieve.depth)
    return changed(settings, {"fusion.weights": {}, "retrieve.depth": deepest, **DEADLINES})


def shallower(found: Retrieved, todo: Plan, scorers: set[str]) -> Retrieved:
    """What the sources of this plan would have said at its depths, from what they said deeper.

    A source that a plan skips is silent. Scores of what others found are completed anew: those
    that a source found too deep are scores it would have been asked for.
    """
    asks = {ask.vote: ask for ask in todo.asks if not ask.skip}
    heard = [one for one in found.rankings if one.source in asks]
    if len(heard) == len(found.rankings) and not any(
        len(one.found) > asks[one.source].depth for one in heard
    ):
        return found
    heads = {one.source: one.found[: asks[one.source].depth] for one in heard}
    union: dict[str, dict[str, None]] = {}
    for one in heard:
        union.setdefault(one.collection, {}).update({hit.id: None for hit in heads[one.source]})
    rankings = [
        _headed(
            one, heads[one.source], union[one.collection], scores=asks[one.source].source in scorers
        )
        for one in heard
    ]
    return replace(found, rankings=tuple(rankings))


def _headed(
    ranking: Ranking, head: tuple[Found, ...], union: Mapping[str, None], *, scores: bool
) -> Ranking:
    """A ranking cut to its head, with its scores of the rest of the union, best first."""
    if not scores:
        return replace(ranking, found=head, completed=())
    beyond = (*ranking.found[len(head) :], *ranking.completed)
    own = {one.id for one in head}
    rest = [Found(one.id, one.score) for one in beyond if one.id in union and one.id not in own]
    rest.sort(key=lambda one: (-one.score, one.id))
    return replace(ranking, found=head, completed=tuple(rest))
