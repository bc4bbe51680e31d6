"""How likely do the hits answer, and is the question held to be answerable at all?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from consilience.answer.covering import asked_kind, uncovered, windows
from consilience.answer.words import is_english
from consilience.kinds import record_kinds
from consilience.pack import Pack, Sought
from consilience.pipeline.engine import Engine, Gathered
from consilience.plan import kind_of
from consilience.relevance import FIRST, Meant, Weighed, weigh
from consilience.types import MISSING, Hit, Note, Passage, Plan, Topic

_NEAR = 0.05  # a chance from which on a pack that judges what is lacking has judged the words, too


def weighed_hits(
    hits: Sequence[Hit], first: Sequence[Hit], gathered: Gathered, engine: Engine
) -> Weighed:
    """The hits with their relevance; refused where only an exact find answers and none is, and
    where a source says that it lacks what the question names and nothing else has it.
    """
    todo, found, pack = gathered.plan, gathered.found, engine.knowledge.pack
    exactly = meant(hits, todo, pack, sure=found.sure)
    weighed = weigh(
        hits,
        todo.query.text,
        engine.calibration,
        first=first,
        floor=engine.settings.refine.floor,
        meant=exactly,
    )
    if weighed.abstained:
        return weighed
    if lacking := _lacking([*hits, *first], gathered, engine, weighed.answerable):
        return replace(weighed, abstained=True, notes=(*weighed.notes, lacking))
    strange = _unheard([*hits, *first], gathered, engine)
    if exactly.exact and not strange:
        return weighed
    told = ""
    if todo.exact:
        told = "nothing here holds what the question names, and it names nothing else"
    elif lost := (*_lost([*hits, *first], gathered, pack), *strange):
        told = f"nothing here has {' and '.join(map(repr, lost))} together with what is asked"
    elif pack.questions.lacks is None or (weighed.answerable or 0.0) < _NEAR:
        told = _unspoken([*hits, *first], todo)
    if not told:
        return weighed
    return replace(weighed, abstained=True, notes=(*weighed.notes, Note("search", told)))


def _lost(hits: Sequence[Hit], gathered: Gathered, pack: Pack) -> Sequence[str]:
    """What a source is missing, unless a sentence has it, together with all else that the
    question names. A row does not: those are what the source looked at.
    """
    missing = gathered.found.missing
    wanted = (*missing, *gathered.found.named)
    prose = [hit.passage for hit in hits if hit.passage.kind not in record_kinds()]
    told = (replace(one, text=window.text) for one in prose for window in windows(one))
    if missing and any(all(pack.questions.has(passage, one) for one in wanted) for passage in told):
        missing = ()
    return missing


def _unheard(hits: Sequence[Hit], gathered: Gathered, engine: Engine) -> Sequence[str]:
    """What the pack knows to be absent, unless some prose has it, among the hits or the first of
    a source: the fused order may leave the one passage outside that does.
    """
    has = engine.knowledge.pack.questions.has
    strange: Sequence[str] = () if engine.knowledge.pack.questions.lacks else gathered.plan.absent
    for passages in (_passages(hits), _firsts(gathered, engine)) if strange else ():
        prose = [one for one in passages if one.kind not in record_kinds()]
        strange = [one for one in strange if not any(has(passage, one) for passage in prose)]
    return strange


def _lacking(
    hits: Sequence[Hit], gathered: Gathered, engine: Engine, chance: float | None
) -> Note | None:
    """What the pack says that nothing tells, where it judges that itself."""
    lacks, todo = engine.knowledge.pack.questions.lacks, gathered.plan
    if lacks is None:
        return None
    every = dict.fromkeys(one.id for ranking in gathered.found.rankings for one in ranking.found)
    known = {hit.passage.id: hit.passage for hit in hits}
    first = {**known, **{one.id: one for one in _firsts(gathered, engine)}}
    sought = Sought(
        text=todo.query.text,
        absent=todo.absent,
        first=tuple(first.values()),
        every=tuple({**first, **engine.lookup([*every])}.values()),
        chance=chance,
        placed=any(ask.request.seeds for ask in todo.asks),
    )
    told = lacks(sought)
    return Note(MISSING, "; ".join(told)) if told else None


def _passages(hits: Sequence[Hit]) -> Iterable[Passage]:
    return (hit.passage for hit in hits)


def _firsts(gathered: Gathered, engine: Engine) -> Iterable[Passage]:
    """What every source put first."""
    found = (one for ranking in gathered.found.rankings for one in ranking.found[:FIRST])
    return engine.lookup(list(dict.fromkeys(one.id for one in found))).values()


def _unspoken(hits: Sequence[Hit], todo: Plan) -> str:
    """What no passage speaks of that the question is about, told; empty where one does.

    Rows tell nothing where no figure is asked for.
    """
    if not todo.topics or not is_english(todo.query.text):
        return ""
    passages = [hit.passage for hit in hits]
    if any(one.skip and kind_of(one.source) == "sql" for one in todo.asks):
        passages = [one for one in passages if one.kind not in record_kinds()]
    if lost := uncovered(todo.topics, passages):
        return _not_told(lost)
    kind = asked_kind(todo.query.text, todo.topics, passages)
    return f"nothing here says {kind}" if kind else ""


def _not_told(lost: Sequence[Topic]) -> str:
    names = " or ".join(f"“{one.names[0]}”" for one in lost)
    return f"nothing here that could answer speaks of {names}"


def meant(hits: Sequence[Hit], todo: Plan, pack: Pack, *, sure: Sequence[str] = ()) -> Meant:
    """The hits that have an identifier of the question exactly, as the pack says, those that a
    source is sure of, chains between two things that the question names, and the relations that it
    wants of one.
    """
    wanted = todo.identifiers
    certain = [one for one in wanted if pack.questions.certain(one)]
    known = {hit.passage.id for hit in hits}.intersection(sure) | _joining(hits, todo)
    return Meant(
        exact=_having_one(hits, wanted, pack) | known,
        certain=_having_one(hits, certain, pack) | known,
    )


def _joining(hits: Sequence[Hit], todo: Plan) -> set[str]:
    """The chains whose two ends are both named, where a chain is asked for, and the relations that
    are wanted of what is named.
    """
    seeds = {seed for ask in todo.asks for seed in ask.request.seeds}
    wanted = {one for ask in todo.asks for one in ask.request.intents}
    found = set()
    for passage in (hit.passage for hit in hits):
        ends = {passage.metadata.get("source"), passage.metadata.get("target")}
        if passage.kind == "path" and "path" in todo.cover and ends <= seeds:
            found.add(passage.id)
        if passage.kind == "edge" and passage.metadata.get("relation") in wanted and ends & seeds:
            found.add(passage.id)
    return found


def _having_one(hits: Sequence[Hit], wanted: Sequence[str], pack: Pack) -> frozenset[str]:
    return frozenset(
        hit.passage.id
        for hit in hits
        if any(pack.questions.has(hit.passage, one) for one in wanted)
    )
