"""How do two ways of searching compare on one question? Settings, or collections, side by side.

Anybody who may search may compare, so a side can change only what is cheap: nothing that needs
another index, a download, another server, or much more work than one question.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Query as Param
from fastapi.responses import Response
from pydantic import Field

from consilience.engine.fusion import FUSERS
from consilience.errors import UsageError
from consilience.filters import parse_filter
from consilience.journal import Reaction, Unasked
from consilience.service.pages import reply, wants_page
from consilience.service.redaction import redact
from consilience.service.search import (
    IN_ADDRESS,
    Filters,
    Json,
    Key,
    Limit,
    Long,
    Model,
    Question,
    Text,
    answer_json,
    fusion_json,
    result_json,
    space_json,
)
from consilience.service.search import Request as Body
from consilience.service.service import Answering, Missing, Service, Space
from consilience.settings import TABLE, Settings
from consilience.types import Answer, Done, Hit, Query
from consilience.workspace.settings_variant import Variant, setting_differences, vary_settings

OWN, WITHIN = "settings", "in:"
COMPARED = 10
"""Ranks that are compared."""
_MAX_VARIANTS = 8  # variants that are kept ready, of each workspace
_FREE = frozenset(row.name for row in TABLE if row.name.startswith(("fusion.", "refine."))) - {
    "refine.rerank_ms"
}
_MAXIMA: Mapping[str, int] = {
    "retrieve.depth": 500,
    "refine.window": 200,
    "refine.rerank": 200,
    "answer.passages": 50,
    "answer.each": 50,
}
_LARGEST = 1_000_000  # of any number: far beyond what makes a difference
_OPEN = _FREE | set(_MAXIMA) | {"answer.length", "answer.relevant", "answer.unsupported"}
_SUGGESTED = (
    ("fusion.method=rrf", "fused by ranks alone (rrf)"),
    ("fusion.alpha=1", "meaning before words"),
    ("fusion.alpha=0", "words before meaning"),
    ("models.rerank=none", "without the reranker"),
    ("refine.mmr=1", "without diversity"),
)
_DEFAULTS = {row.name: row.default for row in TABLE}
_RERANKERS = ("none", "late", "auto")
_DAY_S = 86_400
_SIDE = "`settings`, a collection `in:books`, or changes `fusion.method=rrf,refine.mmr=1`"
Way = Annotated[Key, Field(description=f"One side: {_SIDE}", examples=["fusion.method=rrf"])]


class ReactionRequest(Body):
    """What somebody did with a result, or with the answer as a whole."""

    asked: Annotated[Key, Field(description="The `asked` of the answer that this is about")]
    kind: Annotated[
        Reaction,
        Field(description="A passage opened, read for some seconds, kept; a thumb up or down"),
    ]
    passage: Annotated[
        str, Field(max_length=200, description="Which passage; none is the answer as a whole")
    ] = ""
    value: Annotated[
        float, Field(ge=0, le=_DAY_S, allow_inf_nan=False, description="Seconds of `dwell`")
    ] = 1.0


class CompareRequest(Body):
    """A question, and the two ways in which it is asked."""

    query: Question
    a: Way = OWN
    b: Annotated[Way | None, Field(description="The other side; without it, rank fusion (rrf)")] = (
        None
    )
    limit: Limit = 10
    filters: Filters = ()
    answer: Annotated[bool, Field(description="Compare written answers, not only results")] = False
    length: Long = None
    model: Model = True

    def to_query(self, collections: tuple[str, ...]) -> Query:
        """The query as it is asked of these collections, or of all."""
        filters = tuple(map(parse_filter, self.filters))
        return Query(text=self.query, limit=self.limit, filters=filters, collections=collections)


class CompareParams(CompareRequest):
    """The same in an address; a page without a question has an empty form."""

    model_config = IN_ADDRESS

    query: Annotated[Text, Field(description="The question, in words")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One way of asking: its name, what answers, and in which collections."""

    name: str
    engine: Answering
    settings: Settings
    changes: Mapping[str, Any]
    collections: tuple[str, ...] = ()


def router(service: Service) -> APIRouter:
    """The addresses below a workspace at which people react and compare."""
    router, comparison = APIRouter(tags=["compare"]), Comparison(service)

    @router.post(
        "/w/{name}/feedback",
        summary="Say what was done with a result; kept on this machine alone",
        status_code=204,
        response_class=Response,
    )
    async def feedback(name: str, done: ReactionRequest) -> Response:
        journal = service.space(name).journal
        try:
            await asyncio.to_thread(
                journal.reacted, done.asked, done.kind, passage=done.passage, value=done.value
            )
        except Unasked as error:
            raise Missing(str(error)) from error
        return Response(status_code=204)

    @router.post("/w/{name}/compare", summary="One question, asked in two ways")
    async def compare(name: str, asked: CompareRequest) -> Json:
        return await comparison.compare(service.space(name), asked)

    @router.get("/w/{name}/compare", summary="The same, asked in the address")
    async def compare_page(
        request: Request, name: str, asked: Annotated[CompareParams, Param()]
    ) -> Response:
        space, page = service.space(name), wants_page(request)
        asked.b = asked.b or default_side(space)
        if not page:
            if not asked.query:
                raise UsageError("what is to be compared? Ask something: ?q=…&a=…&b=…")
            return reply(request, await comparison.compare(space, asked), "compare.html")
        found, trouble = dict[str, Any](), ""
        try:
            found = await comparison.compare(space, asked) if asked.query else {}
        except UsageError as error:
            trouble = str(error)  # the question stays in its box, to be asked in another way
        form: Json = await service.searching.run(
            lambda: {
                "space": space_json(space),
                "ways": suggested_sides(space),
                "other": default_side(space),
            }
        )
        form |= {"asked": asked if asked.query else None, "trouble": trouble}
        return reply(request, found, "compare.html", status=400 if trouble else 200, **form)

    return router


class Comparison:
    """Asks a question in two ways; the last few variants of settings are kept ready."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._variants: OrderedDict[tuple[str, str], Variant] = OrderedDict()
        self._lock = Lock()

    async def compare(self, space: Space, asked: CompareRequest) -> Json:
        """What both sides found, and where they differ. Nothing of it is kept in the journal."""
        space.jobs.ready()
        names = (asked.a, asked.b or default_side(space))
        sides = await self._service.searching.run(
            lambda: [self.parse_side(space, name) for name in names]
        )
        (view, ours), (other, theirs) = [await self._search(space, side, asked) for side in sides]
        ids = [{hit.passage.id for hit in hits[:COMPARED]} for hits in (ours, theirs)]
        return {
            "query": asked.query,
            "a": view,
            "b": other,
            "same": len(ids[0] & ids[1]),
            "moved": _moved(ours, theirs),
        }

    async def _search(
        self, space: Space, side: Side, asked: CompareRequest
    ) -> tuple[Json, Sequence[Hit]]:
        """What a side found, with what it did otherwise than the workspace by itself."""
        query, run = asked.to_query(side.collections), self._service.searching.run
        if asked.answer:
            answer = await self._answer(side, asked, query)
            found = await run(lambda: redact(answer_json(space, answer)))
            result = answer.result
        else:
            result = await run(lambda: side.engine.find(query))
            found = await run(lambda: redact(result_json(space, result)))
        view = {
            "named": side.name,
            "settings": dict(side.changes),
            "collections": list(side.collections),
            **found,
            "fusion": fusion_json(side.settings.fusion, result),
        }
        return view, result.hits

    def parse_side(self, space: Space, name: str) -> Side:
        """The way of asking that a text names: `settings`, `in:books`, `fusion.k=10` or several of
        these with commas between.
        """
        collections, changes = _parse(name)
        known = space.workspace.catalogue.counts()
        if unknown := [wanted for wanted in collections if wanted not in known]:
            there = ", ".join(sorted(known))
            raise UsageError(f"there is no collection {unknown[0][:60]!r}; there are {there}")
        own = space.workspace.settings
        settings = _change(own, changes) if changes else own
        return Side(
            name=name,
            engine=self._engine(space, settings),
            settings=settings,
            changes=setting_differences(own, settings),
            collections=collections,
        )

    def _engine(self, space: Space, settings: Settings) -> Answering:
        if settings == space.workspace.settings:
            return space.workspace
        key = (space.name, repr(settings))
        with self._lock:
            variant = self._variants.pop(key, None) or Variant(space.workspace, settings)
            self._variants[key] = variant
            while len(self._variants) > _MAX_VARIANTS:
                self._variants.popitem(last=False)
            return variant

    async def _answer(self, side: Side, asked: CompareRequest, query: Query) -> Answer:
        pool = self._service.pool(side.engine, model=asked.model)
        stream = pool.stream(
            lambda: side.engine.events(query, length=asked.length, model=asked.model)
        )
        *_, last = [event async for event in stream]
        assert isinstance(last, Done)  # noqa: S101 - the last event, always
        return last.answer


def default_side(space: Space) -> str:
    """The other side where nobody names one: what differs the most."""
    own = space.workspace.settings
    changes = ((name, dict([name.split("=")])) for name, _ in _SUGGESTED)
    return next((name for name, change in changes if vary_settings(own, change) != own), OWN)


def suggested_sides(space: Space) -> list[dict[str, str]]:
    """Ways of asking to choose from, each by its name and in words."""
    sides = {
        OWN: "the settings of the workspace",
        **{
            f"{WITHIN}{name}": f"the collection {name} alone"
            for name in sorted(space.workspace.catalogue.counts())
        },
        **dict(_SUGGESTED),
    }
    return [{"named": name, "words": words} for name, words in sides.items()]


def _moved(ours: Sequence[Hit], theirs: Sequence[Hit]) -> list[Json]:
    """Every passage with its rank on either side, None where it is not shown there."""
    ranks = [
        {hit.passage.id: rank for rank, hit in enumerate(hits, start=1)} for hits in (ours, theirs)
    ]
    titles = {hit.passage.id: hit.passage.title for hit in (*ours, *theirs)}
    return [
        {"passage": key, "title": title, "a": ranks[0].get(key), "b": ranks[1].get(key)}
        for key, title in titles.items()
    ]


# --- what a side is -----------------------------------------------------------------------


def _parse(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """`in:books,fusion.k=10` in its parts; weights have commas of their own."""
    collections, changes, last = list[str](), dict[str, str](), ""
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = map(str.strip, part.partition("="))
        if part == OWN:
            continue
        if part.startswith(WITHIN):
            collections.append(part.removeprefix(WITHIN).strip())
        elif equals and "." in name:
            last, changes[name] = name, value
        elif equals and isinstance(_DEFAULTS.get(last), dict):
            changes[last] += f",{part}"
        else:
            raise UsageError(
                f"{part[:100]!r} is not a way of asking; name `{OWN}` (the workspace's own), "
                "a collection (`in:books`), or changed settings (`fusion.method=rrf,refine.mmr=1`)"
            )
    return tuple(collections), changes


def _change(settings: Settings, changes: Mapping[str, str]) -> Settings:
    """Settings with changes that anybody may make for one question."""
    for name, value in changes.items():
        if name not in _DEFAULTS:
            raise UsageError(f"unknown setting {name[:60]!r}; `consilience settings` lists them")
        if name == "models.rerank":
            if value not in _RERANKERS:
                raise UsageError(f"{name} can be compared with {', '.join(_RERANKERS)} here")
        elif name not in _OPEN:
            raise UsageError(
                f"{name} cannot be changed for one question: it affects what is built, "
                "contacted or spent"
            )
    changed = vary_settings(settings, changes)
    for name in changes:
        section, _, last = name.partition(".")
        value, most = getattr(getattr(changed, section), last), _MAXIMA.get(name, _LARGEST)
        if isinstance(value, (int, float)) and value > most:
            raise UsageError(f"{name} is {changes[name]}; for one question it is {most:,} at most")
    for fuser in (changed.fusion.method, changed.fusion.across):
        if fuser not in FUSERS:
            raise UsageError(f"unknown fusion method {fuser[:60]!r}; known: {', '.join(FUSERS)}")
    return changed
