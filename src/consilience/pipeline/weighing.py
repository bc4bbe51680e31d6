"""How likely do the hits answer, and is the question held to be answerable at all?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from consilience.answer.abstaining import word_in
from consilience.answer.naming import lacking
from consilience.packs import Pack
from consilience.pipeline.engine import Engine, Gathered
from consilience.relevance import Meant, Weighed, weigh
from consilience.types import Exhibit, Hit, Note, Plan

_LOOKED_UP = ("row", "node", "edge", "path")


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
    if exactly.exact or weighed.abstained:
        return weighed
    told = ""
    if todo.exact:
        told = "nothing here holds what the question names, and it names nothing else"
    elif lost := _lost([*hits, *first], gathered, pack):
        told = f"nothing here has {' and '.join(map(repr, lost))} together with what is asked"
    elif todo.strict and (lost := _unheard(todo.query.text, hits, engine)):
        told = f"nothing here mentions {' or '.join(map(repr, lost))}"
    if not told:
        return weighed
    return replace(weighed, abstained=True, notes=(*weighed.notes, Note("search", told)))


def _lost(hits: Sequence[Hit], gathered: Gathered, pack: Pack) -> Sequence[str]:
    """What a source is missing, unless some prose has it, together with all else that the question
    names, and what the pack knows to be absent, unless some prose has it. A row does not: those
    are what the source looked at.
    """
    missing = gathered.found.missing
    wanted = (*missing, *gathered.found.named)
    prose = [hit.passage for hit in hits if hit.passage.kind not in _LOOKED_UP]
    if any(all(pack.has(passage, one) for one in wanted) for passage in prose):
        missing = ()
    strange = gathered.plan.absent
    unheard = [one for one in strange if not any(pack.has(passage, one) for passage in prose)]
    return (*missing, *unheard)


def _unheard(question: str, hits: Sequence[Hit], engine: Engine) -> Sequence[str]:
    """The words of what a question asks about that stand nowhere, where no hit mentions much of
    it.
    """
    shown = [
        Exhibit(mark=at, passage=hit.passage, label=hit.passage.title, text=hit.passage.text)
        for at, hit in enumerate(hits, start=1)
    ]
    lost, stands = lacking(question, shown), word_in(engine.phrases)
    return [one for one in lost if not stands(one)] if len(lost) > 1 else ()


def meant(hits: Sequence[Hit], todo: Plan, pack: Pack, *, sure: Sequence[str] = ()) -> Meant:
    """The hits that have an identifier of the question exactly, as the pack says, and those that
    a source is sure of.
    """
    wanted = todo.identifiers
    certain = [one for one in wanted if pack.certain(one)]
    known = {hit.passage.id for hit in hits}.intersection(sure)
    return Meant(
        exact=_having_one(hits, wanted, pack) | known,
        certain=_having_one(hits, certain, pack) | known,
    )


def _having_one(hits: Sequence[Hit], wanted: Sequence[str], pack: Pack) -> frozenset[str]:
    return frozenset(
        hit.passage.id for hit in hits if any(pack.has(hit.passage, one) for one in wanted)
    )
