"""How do two ways of searching compare on one question? Settings, or collections, side by side.

Anybody who may search may compare, so a side can change only what is cheap: nothing that needs
another index, a download, another server, or much more work than one question.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Query as Param
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from consilience.engine.fusion import FUSERS
from consilience.errors import UsageError
from consilience.filters import parse_filter
from consilience.journal import Reaction, Unasked
from consilience.service.pages import reply, wants_page
from consilience.service.search import (
    MAX_FILTERS,
    MAX_RESULTS,
    Filters,
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
from consilience.service.service import Answering, Missing, Service, Space
from consilience.settings import TABLE, Settings
from consilience.types import Answer, Done, Hit, Length, Query, Result
from consilience.workspace.settings_variant import Variant, setting_differences, vary_settings

OWN, OTHER, WITHIN = "settings", "other", "in:"
FIRST = 10
"""Places that are compared."""
_KEPT = 8  # ways of asking that are kept ready, of each workspace
_FREE = frozenset(row.name for row in TABLE if row.name.startswith(("fusion.", "refine."))) - {
    "refine.rerank_ms"
}
_BOUNDED: Mapping[str, int] = {
    "retrieve.depth": 500,
    "refine.window": 200,
    "refine.rerank": 200,
    "answer.passages": 50,
    "answer.each": 50,
}
_LARGEST = 1_000_000  # of any number: far beyond what makes a difference
_OPEN = _FREE | set(_BOUNDED) | {"answer.length", "answer.relevant", "answer.unsupported"}
_TRIED = (
    ("fusion.method=rrf", "fused by ranks alone (rrf)"),
    ("fusion.alpha=1", "meaning before words"),
    ("fusion.alpha=0", "words before meaning"),
    ("models.rerank=none", "without the reranker"),
    ("refine.mmr=1", "without diversity"),
)
_DEFAULTS = {row.name: row.default for row in TABLE}
_RERANKERS = ("none", "late", "auto")
_MEANT = (
    f"`{OWN}` (the workspace's own), `{OTHER}` (those of `serve.other`), a collection "
    "(`in:books`), or changed settings (`fusion.method=rrf,refine.mmr=1`)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One way of asking: as it was named, what answers, and where."""

    named: str
    asking: Answering
    settings: Settings
    changes: Mapping[str, Any]
    collections: tuple[str, ...] = ()

    def query(self, query: Query) -> Query:
        """A query as this side asks it."""
        return replace(query, collections=self.collections) if self.collections else query


class Sides:
    """Ways of asking by name; the last few are kept ready."""

    def __init__(self) -> None:
        self._ready: OrderedDict[tuple[str, str], Variant] = OrderedDict()
        self._lock = Lock()

    def side(self, space: Space, named: str) -> Side:
        """The way of asking that a text names: `settings`, `other`, `in:books`, `fusion.k=10` or
        several of these with commas between.
        """
        base, collections, changes = _read(named)
        _check_collections(space, collections)
        own, other = space.workspace.settings, space.buckets.other
        if base == OTHER and other is None:
            raise UsageError(f"{OTHER!r}: the setting `serve.other` names no second settings here")
        start = other.settings if base == OTHER and other is not None else own
        settings = _changed(start, changes) if changes else start
        return Side(
            named=named,
            asking=self._asking(space, settings),
            settings=settings,
            changes=setting_differences(own, settings),
            collections=collections,
        )

    def _asking(self, space: Space, settings: Settings) -> Answering:
        other = space.buckets.other
        if settings == space.workspace.settings:
            return space.workspace
        if other is not None and settings == other.settings:
            return other
        key = (space.name, repr(settings))
        with self._lock:
            found = self._ready.pop(key, None) or Variant(space.workspace, settings)
            self._ready[key] = found
            while len(self._ready) > _KEPT:
                self._ready.popitem(last=False)
            return found


def second(space: Space) -> str:
    """The other side where nobody names one: the second settings, else what differs the most."""
    if space.buckets.other is not None:
        return OTHER
    own = space.workspace.settings
    changes = ((named, dict([named.split("=")])) for named, _ in _TRIED)
    return next((named for named, change in changes if vary_settings(own, change) != own), OWN)


def ways(space: Space) -> list[dict[str, str]]:
    """Ways of asking to choose from, each as it is named and in words."""
    own = [{"named": OWN, "words": "the settings of the workspace"}]
    if space.buckets.other is not None:
        other = space.workspace.settings.serve.other
        own.append({"named": OTHER, "words": f"the settings of {other}"})
    within = [
        {"named": f"{WITHIN}{name}", "words": f"the collection {name} alone"}
        for name in sorted(space.workspace.catalogue.counts())
    ]
    return [*own, *within, *({"named": named, "words": words} for named, words in _TRIED)]


def told(
    query: Query, a: tuple[Side, dict[str, Any], Result], b: tuple[Side, dict[str, Any], Result]
) -> dict[str, Any]:
    """Both sides as JSON: what each found, how many of the first ten they share, who moved."""
    ours, theirs = (one[2].hits for one in (a, b))
    first = [{hit.passage.id for hit in hits[:FIRST]} for hits in (ours, theirs)]
    return {
        "query": query.text,
        "a": _view(*a),
        "b": _view(*b),
        "same": len(first[0] & first[1]),
        "moved": _moved(ours, theirs),
    }


def _view(side: Side, found: dict[str, Any], result: Result) -> dict[str, Any]:
    """What a side found, with what it did otherwise than the workspace by itself."""
    return {
        "named": side.named,
        "settings": dict(side.changes),
        "collections": list(side.collections),
        **found,
        "fusion": fusion_json(side.settings.fusion, result),
    }


def _moved(ours: Sequence[Hit], theirs: Sequence[Hit]) -> list[dict[str, Any]]:
    """Every passage with its place on either side, None where it is not shown there."""
    places = [
        {hit.passage.id: place for place, hit in enumerate(hits, start=1)}
        for hits in (ours, theirs)
    ]
    titles = {hit.passage.id: hit.passage.title for hit in (*theirs, *ours)}
    keys = dict.fromkeys(hit.passage.id for hit in (*ours, *theirs))
    return [
        {"passage": key, "title": titles[key], "a": places[0].get(key), "b": places[1].get(key)}
        for key in keys
    ]


# --- reading what a side is -------------------------------------------------------------


def _read(named: str) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """`in:books,fusion.k=10` in its parts; weights have commas of their own."""
    base, collections, changes, last = OWN, list[str](), dict[str, str](), ""
    for part in filter(None, (one.strip() for one in named.split(","))):
        name, equals, value = (one.strip() for one in part.partition("="))
        if part in (OWN, OTHER):
            base = part
        elif part.startswith(WITHIN):
            collections.append(part.removeprefix(WITHIN).strip())
        elif equals and "." in name:
            last, changes[name] = name, value
        elif equals and isinstance(_DEFAULTS.get(last), dict):
            changes[last] += f",{part}"
        else:
            raise UsageError(f"{part[:100]!r} is no way of asking; name {_MEANT}")
    return base, tuple(collections), changes


def _changed(settings: Settings, changes: Mapping[str, str]) -> Settings:
    """Settings with changes that anybody may make for one question."""
    for name, value in changes.items():
        if name not in _DEFAULTS:
            raise UsageError(f"unknown setting {name[:60]!r}; `consilience settings` lists them")
        if name == "models.rerank":
            if value not in _RERANKERS:
                raise UsageError(f"{name} can be compared with {', '.join(_RERANKERS)} here")
        elif name not in _OPEN:
            raise UsageError(
                f"{name} cannot be changed for one question: it decides what is built, reached or "
                "spent. Whoever runs the server can, in the file of `serve.other`"
            )
    changed = vary_settings(settings, changes)
    for name in changes:
        section, _, last = name.partition(".")
        value, most = getattr(getattr(changed, section), last), _BOUNDED.get(name, _LARGEST)
        if isinstance(value, (int, float)) and value > most:
            raise UsageError(f"{name} is {changes[name]}; for one question it is {most:,} at most")
    for fuser in (changed.fusion.method, changed.fusion.across):
        if fuser not in FUSERS:
            raise UsageError(f"unknown fusion method {fuser[:60]!r}; known: {', '.join(FUSERS)}")
    return changed


def _check_collections(space: Space, wanted: Sequence[str]) -> None:
    known = space.workspace.catalogue.counts()
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"there is no collection {name[:60]!r}; there are {', '.join(sorted(known))}"
            )


# --- addresses --------------------------------------------------------------------------

_DAY_S = 86_400
_SIDE = "`settings`, `other`, a collection `in:books`, or changes `fusion.method=rrf,refine.mmr=1`"
Way = Annotated[Key, Field(description=f"One side: {_SIDE}", examples=["fusion.method=rrf"])]


class Reacted(BaseModel):
    """What somebody did with a result, or with the answer as a whole."""

    model_config = ConfigDict(extra="forbid")

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


class CompareRequest(BaseModel):
    """A question, and the two ways in which it is asked."""

    model_config = ConfigDict(extra="forbid")

    query: Question
    a: Way = OWN
    b: Annotated[
        Way | None, Field(description="The other side; none: `other`, or where there is none rrf")
    ] = None
    limit: Limit = 10
    filters: Filters = ()
    answer: Annotated[bool, Field(description="Compare written answers, not only results")] = False
    length: Long = None
    model: Model = True

    def wanted(self) -> Query:
        """The query, before either side makes it its own."""
        filters = tuple(map(parse_filter, self.filters))
        return Query(text=self.query, limit=self.limit, filters=filters)


def router(service: Service) -> APIRouter:
    """The addresses below a workspace at which people react and compare."""
    router = APIRouter(tags=["compare"])
    _reactions(router, service)
    _comparisons(router, Comparing(service))
    return router


def _reactions(router: APIRouter, service: Service) -> None:
    @router.post(
        "/w/{name}/feedback",
        summary="Say what was done with a result; kept on this machine alone",
        status_code=204,
        response_class=Response,
    )
    async def feedback(name: str, done: Reacted) -> Response:
        journal = service.space(name).journal
        try:
            await asyncio.to_thread(
                journal.reacted, done.asked, done.kind, passage=done.passage, value=done.value
            )
        except Unasked as error:
            raise Missing(str(error)) from error
        return Response(status_code=204)


def _comparisons(router: APIRouter, comparing: Comparing) -> None:
    service = comparing.service

    @router.post("/w/{name}/compare", summary="One question, asked in two ways")
    async def compare(name: str, asked: CompareRequest) -> dict[str, Any]:
        return await comparing.compared(service.space(name), asked)

    @router.get("/w/{name}/compare", summary="The same, asked in the address")
    async def compare_page(
        request: Request,
        name: str,
        q: Annotated[Text | None, Param(description="The question, in words")] = None,
        a: Annotated[Key, Param(description=f"One side: {_SIDE}")] = OWN,
        b: Annotated[Key | None, Param(description="The other side, named likewise")] = None,
        limit: Annotated[int, Param(ge=1, le=MAX_RESULTS, description="Results at most")] = 10,
        where: Annotated[list[Key], Param(max_length=MAX_FILTERS, description="Conditions")] = [],  # noqa: B006
        answer: Annotated[bool, Param(description="Compare written answers")] = False,
        length: Annotated[Length | None, Param(description="How long the answers are")] = None,
        model: Annotated[bool, Param(description="Let a language model write")] = True,
    ) -> Response:
        space, page = service.space(name), wants_page(request)
        if q is None and not page:
            raise UsageError("what is to be compared? Ask something: ?q=…&a=…&b=…")
        asked = q and CompareRequest(
            query=q, a=a, b=b or second(space), limit=limit, filters=tuple(where),
            answer=answer, length=length, model=model,
        )  # fmt: skip
        found, trouble = dict[str, Any](), ""
        try:
            found = await comparing.compared(space, asked) if asked else {}
        except UsageError as error:
            if not page:
                raise
            trouble = str(error)  # the question stays in its box, to be asked in another way
        if not page:
            return reply(request, found, "compare.html")
        more = await service.searching.run(
            lambda: {"space": space_json(space), "ways": ways(space), "other": second(space)}
        )
        status = 400 if trouble else 200
        told = {"asked": asked or None, "trouble": trouble}
        return reply(request, found, "compare.html", status=status, **more, **told)


class Comparing:
    """Asks a question in two ways."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._sides = Sides()

    async def compared(self, space: Space, asked: CompareRequest) -> dict[str, Any]:
        """What both sides found, and where they differ. Nothing of it is kept in the journal."""
        space.jobs.ready()
        query = asked.wanted()
        named = (asked.a, asked.b or second(space))
        ours, theirs = await self.service.searching.run(
            lambda: [self._sides.side(space, one) for one in named]
        )
        one = await self._found(space, ours, asked, query)
        other = await self._found(space, theirs, asked, query)
        return told(query, (ours, *one), (theirs, *other))

    async def _found(
        self, space: Space, side: Side, asked: CompareRequest, query: Query
    ) -> tuple[dict[str, Any], Result]:
        if asked.answer:
            answer = await self._answer(side, asked, query)
            view = await self.service.searching.run(lambda: answer_json(space, answer))
            return view, answer.result
        result = await self.service.searching.run(lambda: side.asking.find(side.query(query)))
        view = await self.service.searching.run(lambda: result_json(space, result))
        return view, result

    async def _answer(self, side: Side, asked: CompareRequest, query: Query) -> Answer:
        pool = self.service.pool(side.asking, model=asked.model)
        *_, last = [
            event
            async for event in pool.stream(
                lambda: side.asking.events(
                    side.query(query), length=asked.length, model=asked.model
                )
            )
        ]
        assert isinstance(last, Done)  # noqa: S101 - the last event, always
        return last.answer
