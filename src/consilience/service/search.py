"""What does a workspace answer? Requests as pydantic models, handlers, and results as JSON.

Pages, JSON, event streams and tools all use these handlers. Everything that touches a workspace
runs in a pool of threads, so that the event loop only sends what is ready.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import asdict, replace
from itertools import zip_longest
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi.responses import Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from consilience import explain, json_output, passage_display
from consilience.engine.plan import LARGEST_LIMIT, LONGEST_QUERY
from consilience.errors import MissingExtra, UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.explain import shares_asked
from consilience.filters import parse_filter
from consilience.kinds import graph_kinds
from consilience.provenance import Provenance, decode_field, summarize_cells
from consilience.service.pages import MAX_HISTORY
from consilience.service.redaction import redact
from consilience.service.service import Missing, Service, Space
from consilience.settings import Fusion
from consilience.types import (
    Answer,
    Done,
    Drafted,
    Event,
    Exhibit,
    Figure,
    Length,
    Passage,
    Per,
    Query,
    Result,
    Said,
    Searched,
    Turn,
    Withdrawn,
)
from consilience.workspace import SAMPLE, Workspace
from consilience.workspace.supporting_passage import supporting_passages

Json = dict[str, Any]
MAX_RESULTS = 100
MAX_FILTERS = 20
"""Filters, or collections, of a request."""
MAX_PAGES = 24
"""The highest number of a printed page that can be requested."""
_EXAMPLE = "When do bees swarm?"
_SCANNED, _EXAMPLES = 400, 4  # passages that are read, and of them examples that are shown
_HEADING = re.compile(r"(?=.*[^\W\d_]{3})[^\W\d_][\w\s,'’–-]{1,80}")
_HEADING_WORDS = 7
_NUMBERED = re.compile(r"^(?:\d{1,2}\.)*\d{1,2}\.?\s+(?=[^\W\d_])|^[A-Z]\.\s+(?=\S)")  # 2.1 Results


# --- requests ---------------------------------------------------------------------------


def checked_text(text: str) -> str:
    """A text that is not empty and has no zero byte and no half of a surrogate pair."""
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("it contains a character that text cannot have")
    if not text.strip():
        raise ValueError("it is empty; ask something")
    return text


Text = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_QUERY),
    AfterValidator(checked_text),
]
Key = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(checked_text)]
Question = Annotated[Text, Field(description="The question, in words", examples=[_EXAMPLE])]
Limit = Annotated[int, Field(ge=1, le=MAX_RESULTS, description="Results at most")]
Offset = Annotated[
    int, Field(ge=0, le=LARGEST_LIMIT, description="Results that are left out before the first")
]
PerWhat = Annotated[
    Per, Field(description="What is counted: passages, or documents by their best passage")
]
Filters = Annotated[
    tuple[Key, ...],
    Field(
        max_length=MAX_FILTERS,
        description="Conditions such as `year>=1960 or kind in (row, node)`; all must hold",
    ),
]
Collections = Annotated[
    tuple[Key, ...],
    Field(max_length=MAX_FILTERS, description="Only these collections; none is all"),
]
Long = Annotated[Length | None, Field(description="How long the answer is; as in the settings")]
Model = Annotated[bool, Field(description="Let the language model of the settings write")]
PassageId = Annotated[
    Key, Field(description="The id of a passage, or its first letters", examples=["0123abcd"])
]


class Request(BaseModel):
    """A request whose fields are all known."""

    model_config = ConfigDict(extra="forbid")


class SearchRequest(Request):
    """A question for the search."""

    query: Question
    limit: Limit = 10
    filters: Filters = ()
    collections: Collections = ()
    offset: Offset = 0
    per: PerWhat = "passage"
    alpha: Annotated[
        float | None, Field(ge=0, le=1, description="Weight of meaning against words")
    ] = None
    expand: Annotated[bool, Field(description="Add synonyms and aliases")] = True
    rerank: Annotated[bool, Field(description="Use the reranker, where one is set")] = True

    def to_query(self) -> Query:
        """The query of the engine; a filter that cannot be parsed is a `UsageError`."""
        return Query(
            text=self.query,
            limit=self.limit,
            filters=tuple(map(parse_filter, self.filters)),
            collections=self.collections,
            offset=self.offset,
            per=self.per,
            alpha=self.alpha,
            expand=self.expand,
            rerank=self.rerank,
        )


class AnswerRequest(SearchRequest):
    """A question that gets a written answer."""

    length: Long = None
    model: Model = True
    history: Annotated[
        tuple[Text, ...],
        Field(
            max_length=MAX_HISTORY,
            description="The questions before this one, oldest first. A follow-up that leans on "
            "them is completed; a note of the answer says how it was understood",
        ),
    ] = ()

    def to_query(self) -> Query:
        """The query of the engine, after the questions that it follows."""
        turns = tuple(Turn(question=one) for one in self.history)
        return replace(super().to_query(), history=turns)


class WhyRequest(SearchRequest):
    """A question, and the result whose rank is explained."""

    passage: Annotated[
        str, Field(max_length=200, description="A rank (1, 2, …) or an id; else the first three")
    ] = ""


class WhyNotRequest(SearchRequest):
    """A question, and the passage that is missing among its results."""

    passage: PassageId


class PathRequest(Request):
    """Two nodes of a graph between which paths are searched."""

    start: Annotated[Key, Field(description="A name of the first", examples=["honey bee"])]
    end: Annotated[Key, Field(description="A name of the other", examples=["lime honey"])]
    limit: Annotated[int, Field(ge=1, le=10, description="Paths at most")] = 3


class PassageRequest(Request):
    """A passage; of a row perhaps one cell."""

    passage: PassageId
    column: Annotated[
        int | None, Field(ge=0, le=10_000, description="Of a row, the cell that is meant")
    ] = None


_PARAM_NAMES = {"query": "q", "filters": "where", "collections": "in"}
IN_ADDRESS = ConfigDict(
    extra="ignore",  # the guard refuses unknown parameters of every address
    alias_generator=lambda field: _PARAM_NAMES.get(field, field),
)
"""For a request whose fields are the parameters of an address: `?q=…&where=…&in=…`."""


# --- handlers ---------------------------------------------------------------------------


class Handlers:
    """What can be requested of a workspace."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def search(self, space: Space, asked: SearchRequest) -> Json:
        """The results of a question."""
        query, began = asked.to_query(), time.perf_counter()

        def work() -> Json:
            result = space.workspace.find(query)
            return {**result_json(space, result), **self._record(space, result, began=began)}

        return await self._run(space, work)

    async def answer(self, space: Space, asked: AnswerRequest) -> Json:
        """The written answer to a question."""
        *_, (_, answer) = [event async for event in self.events(space, asked, whole=True)]
        return answer

    async def events(
        self,
        space: Space,
        asked: AnswerRequest,
        *,
        whole: bool = False,
        to_html: Callable[[str, Json], str] | None = None,
    ) -> AsyncGenerator[tuple[str, Json]]:
        """The answer while it is written: each event by its name and as JSON, `done` last.

        With `whole` only the last event comes. `to_html` renders what a page shows of an event.
        """
        space.jobs.ready()
        query, began = asked.to_query(), time.perf_counter()

        def to_json(event: Event) -> Json:
            if not isinstance(event, Done):
                return redact(_event_json(space, event))
            answer = event.answer
            cited = [citation.passage.id for citation in answer.citations]
            entry = self._record(space, answer.result, began=began, cited=cited)
            self.service.metrics.answered(space.name, answer)
            return redact({**answer_json(space, answer), **entry})

        async def source() -> AsyncGenerator[tuple[str, Json]]:
            stream = space.workspace.events(query, length=asked.length, model=asked.model)
            async with aclosing(stream) as events:
                async for event in events:
                    if not whole or isinstance(event, Done):
                        name, data = type(event).__name__.lower(), to_json(event)
                        yield name, {**data, "html": to_html(name, data)} if to_html else data

        pool = self.service.pool(space.workspace, model=asked.model)
        async with aclosing(pool.stream(source)) as events:  # closing it stops the work
            async for event in events:
                yield event

    async def why(self, space: Space, asked: WhyRequest) -> Json:
        """How the ranks of a result came about."""
        query = asked.to_query()

        def work() -> Json:
            result = space.workspace.find(query)
            account = explain.explain_result(result, space.workspace.engine, asked.passage)
            return json_output.explanation_json(result, account)

        return await self._run(space, work)

    async def why_not(self, space: Space, asked: WhyNotRequest) -> Json:
        """At which step a passage was lost."""
        query = asked.to_query()

        def work() -> Json:
            absence = space.workspace.why_not(query, asked.passage, most=MAX_RESULTS)
            return json_output.absence_json(absence)

        return await self._run(space, work)

    async def plan(self, space: Space, asked: SearchRequest) -> Json:
        """What each source would be queried for, and by which rule."""
        query = asked.to_query()
        return await self._run(
            space,
            lambda: {"query": query.text, **json_output.plan_json(space.workspace.plan(query))},
        )

    async def path(self, space: Space, asked: PathRequest) -> Json:
        """How two nodes of a graph connect."""

        def work() -> Json:
            chains = space.workspace.paths(asked.start, asked.end, limit=asked.limit)
            return json_output.paths_json(chains, supporting_passages(space.workspace.catalogue))

        return await self._run(space, work)

    async def passage(self, space: Space, asked: PassageRequest) -> Json:
        """A whole passage and where it is."""

        def work() -> Json:
            passage = find_passage(space, asked.passage)
            origin = origin_json(space, passage, asked.column)
            is_row = "cells" in origin
            lines = (
                passage.text.replace("; ", ";\n") if is_row else passage_display.text_of(passage)
            )
            texts = {"text": passage.text, "told": lines}
            return {**json_output.passage_json(passage), **texts, **origin}

        return redact(await self.service.searching.run(work))

    async def _run(self, space: Space, work: Callable[[], Json]) -> Json:
        """Do the work of a question in a thread, unless the workspace is being rebuilt."""
        space.jobs.ready()
        return await self.service.searching.run(lambda: redact(work()))

    def _record(
        self, space: Space, result: Result, *, began: float, cited: Sequence[str] = ()
    ) -> Json:
        """Count a question and write it to the journal; gives its key there."""
        self.service.metrics.searched(space.name, result)
        ms = (time.perf_counter() - began) * 1000
        return {"asked": space.journal.asked(result, ms=ms, kept=cited)}


def _event_json(space: Space, event: Event) -> Json:
    match event:
        case Searched():
            return result_json(space, event.result)
        case Drafted():
            cited = json_output.citation_json(event.citation) if event.citation else None
            return {"text": event.text, "citation": cited}
        case Said():
            return {
                "text": event.text,
                "citations": [json_output.citation_json(cited) for cited in event.citations],
                "faults": [asdict(fault) for fault in event.faults],
                "figures": [figure_json(space, figure) for figure in event.figures],
            }
        case Withdrawn():
            return {"reason": event.reason}
        case Done():
            raise AssertionError("the last event is the answer itself")


# --- results as JSON --------------------------------------------------------------------


def result_json(space: Space, result: Result) -> Json:
    """A result list with how it was fused, and a figure for each hit that can be drawn."""
    return {**json_output.result_json(result), **_details(space, result)}


def answer_json(space: Space, answer: Answer) -> Json:
    """A written answer with its figures, and the same details as its result list."""
    cited = {exhibit.mark: exhibit.passage.id for exhibit in answer.exhibits}
    figures = [figure_json(space, figure, cited[figure.mark]) for figure in answer.figures]
    details = _details(space, answer.result)
    return {**json_output.answer_json(answer), **details, "figures": figures}


def _details(space: Space, result: Result) -> Json:
    drawn = [figure_json(space, *pair) for pair in _draw_hits(space.workspace, result)]
    fusion = fusion_json(space.workspace.settings.fusion, result)
    return {"fusion": fusion, "drawn": drawn, "cells": _cells_json(result)}


def fusion_json(fusion: Fusion, result: Result) -> Json:
    """How the ranking came about: intent, weights, candidates of each collection, copies."""
    plan, trace = result.trace.plan, result.trace
    candidates: dict[str, set[str]] = {}
    for ranking in trace.rankings:
        ids = candidates.setdefault(ranking.collection, set())
        ids.update(found.id for found in ranking.found)
    return {
        "intent": plan.intent,
        "rule": plan.rule,
        "method": fusion.method,
        "across": fusion.across,
        "weights": {ask.vote: ask.weight for ask in plan.asks},
        "shares": shares_asked(trace),
        "candidates": {name: len(ids) for name, ids in sorted(candidates.items())},
        "merged": sum(bool(loss.into) for loss in trace.losses),
        "kinds": dict(Counter(hit.passage.kind for hit in result.hits)),
    }


def _cells_json(result: Result) -> dict[str, Json]:
    """The label and cells of each row, and the operands of each calculation, shortened.

    A cell is `sure` when a source is sure that it answers.
    """
    sure = {cell for outcome in result.trace.outcomes for cell in outcome.cells}
    rows = {}
    for passage in (hit.passage for hit in result.hits):
        row = summarize_cells(
            passage.text, decode_field(passage, "cells"), decode_field(passage, "operands")
        )
        for cell in row.get("cells", ()):
            cell["sure"] = (passage.id, cell["column"]) in sure
        if row:
            rows[passage.id] = row
    return rows


def space_json(space: Space) -> Json:
    """What a workspace is and holds, with example questions."""
    workspace = space.workspace
    return {
        "name": space.name,
        "pack": workspace.pack.name,
        "summary": workspace.pack.summary,
        "collections": workspace.catalogue.counts(),
        "examples": _examples(workspace),
        "length": workspace.settings.answer.length,
        "model": workspace.settings.models.generate,
        "jobs": space.jobs.unfinished(),
    }


def _examples(workspace: Workspace) -> list[str]:
    """Example questions: those of the sample while it is alone, else from the documents."""
    roots = workspace.catalogue.roots()
    if roots and set(roots) <= {SAMPLE}:
        return list(workspace.pack.examples)
    return list(dict.fromkeys(_document_questions(workspace.catalogue)))[:_EXAMPLES]


def _document_questions(catalogue: Catalogue) -> Iterator[str]:
    """Questions that the documents answer, of each kind in turn: headings that are questions, cells
    of tables, and what a document says under a heading. No two are about one document.
    """
    asked: list[str] = []
    cells: dict[str, str] = {}
    said: dict[str, str] = {}
    for passage in catalogue.sample(_SCANNED):
        heading = _plain_heading(passage.locator.section[-1]) if passage.locator.section else ""
        if heading.endswith("?"):
            asked.append(heading)
        elif passage.kind == "row":
            if question := _cell_question(passage):
                cells.setdefault(passage.document, question)
        elif passage.kind in graph_kinds():
            continue
        elif _HEADING.fullmatch(heading) and len(heading.split()) <= _HEADING_WORDS:
            title = _plain_heading(passage.title)
            said.setdefault(passage.document, f"What does “{title}” say about {heading}?")
        elif _HEADING.fullmatch(passage.title):
            said.setdefault(passage.document, f"What is “{_plain_heading(passage.title)}” about?")
    for questions in zip_longest(asked, cells.values(), said.values()):
        yield from filter(None, questions)


def _cell_question(passage: Passage) -> str:
    """A question for a number of a row: `What is the Height of Bell Rock?`"""
    fields = [
        (name, value)
        for name, value in passage.metadata.items()
        if _HEADING.fullmatch(name) and f"{name}: {value}" in passage.text
    ]
    names = [value for _, value in fields if isinstance(value, str) and _HEADING.fullmatch(value)]
    columns = [name for name, value in fields if type(value) in (int, float)]
    if not names or not columns:
        return ""
    return f"What is the {columns[-1].replace('_', ' ')} of {names[0]}?"


def _plain_heading(text: str) -> str:
    """A heading on one line, without its number."""
    return _NUMBERED.sub("", " ".join(text.split()))


# --- figures ----------------------------------------------------------------------------


def _draw_hits(workspace: Workspace, result: Result) -> list[tuple[Figure, str]]:
    """A figure for each hit that can be drawn: what the question names, else what the pack says."""
    drawing = workspace.pack.answers.drawing
    if drawing is None:
        return []
    pairs = []
    for mark, hit in enumerate(result.hits, start=1):
        passage = hit.passage
        exhibit = Exhibit(mark=mark, passage=passage, label=passage.title, text=passage.text)
        subjects = (*result.trace.plan.identifiers, *workspace.pack.web.drawn(passage))
        drawn = (drawing.draw(subject, [exhibit]) for subject in subjects)
        figure = next((figure for figure in drawn if isinstance(figure, Figure)), None)
        if figure is not None:
            pairs.append((replace(figure, number=mark), passage.id))
    return pairs


def figure_json(space: Space, figure: Figure, passage: str = "") -> Json:
    """A figure with the addresses of its pictures: of itself, and of the steps that lead to it."""
    before = ("", *(data for _, data in figure.steps))
    steps = [
        {"name": name, "data": data, "image": _image_address(space, figure.kind, data, name, last)}
        for (name, data), last in zip(figure.steps, before, strict=False)
    ]
    drawing = space.workspace.pack.answers.drawing
    arrived = steps and steps[-1]["data"] == figure.data
    own = _image_address(space, figure.kind, figure.data)
    return {
        "number": figure.number,
        "kind": figure.kind,
        "data": figure.data,
        "caption": figure.caption,
        "mark": figure.mark,
        "passage": passage,
        "image": steps[-1]["image"] if arrived else own,
        "steps": steps,
        "turns": drawing is not None and drawing.turned is not None,
    }


def _image_address(space: Space, kind: str, data: str, name: str = "", before: str = "") -> str:
    params = {"kind": kind, "data": data, "name": name, "before": before}
    query = urlencode({key: value for key, value in params.items() if value})
    return f"/w/{space.name}/figures?{query}"


def draw_picture(
    workspace: Workspace,
    kind: str,
    data: str,
    *,
    name: str = "",
    before: str = "",
    turned: bool = False,
) -> str:
    """A step of a figure as SVG, or as seen from the other side."""
    drawing = workspace.pack.answers.drawing
    if drawing is None:
        raise UsageError(f"the pack {workspace.pack.name!r} draws no figures")
    steps = ((("", before),) if before else ()) + (((name, data),) if name else ())
    draw = (drawing.turned if turned else None) or drawing.picture
    try:
        return draw(Figure(kind=kind, mark=0, data=data, caption="", steps=steps))
    except ValueError as error:
        raise UsageError(f"{data[:100]!r} cannot be drawn: {error}") from error


# --- where a passage is -----------------------------------------------------------------


class Png(Response):
    """A printed page."""

    media_type = "image/png"


# A picture that is opened by itself: browsers show it on a page of their own, which has a style.
_PNG_POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
)


def find_passage(space: Space, key: str) -> Passage:
    """The passage of an id, or of its first letters."""
    try:
        return space.workspace.catalogue.resolve(key)
    except UsageError as error:
        raise Missing(str(error)) from error


def origin_json(space: Space, passage: Passage, column: int | None) -> Json:
    """The cells, operands, table and printed pages of a passage; empty fields are left out."""
    attribution = _attribute(space, passage, column)
    try:
        table, pages = attribution.table, _pages_json(space, attribution)
    except MissingExtra:  # the passage itself can be read without
        table, pages = None, []
    fields = {
        "cells": attribution.cells,
        "operands": attribution.operands,
        "table": asdict(table) if table else None,
        "printed": pages,
        "column": column if attribution.cells else None,
    }
    return {name: value for name, value in fields.items() if value not in (None, [])}


def page_image(
    space: Space, key: str, number: int, *, column: int | None, strip: bool, etags: str
) -> Response:
    """A printed page with the cells of a passage outlined, or only the strip around them.

    Status 304 where `etags` (`If-None-Match`) names the same picture.
    """
    attribution = _attribute(space, find_passage(space, key), column)
    try:
        page = attribution.page(number)
        etag = f'"{attribution.image_key(number, strip)}"'
        headers = {"ETag": etag, "Cache-Control": "private, max-age=3600"}
        known = {known.strip().removeprefix("W/") for known in etags.split(",")}
        if "*" in known or etag in known:
            return Response(status_code=304, headers=headers)
        image = page.strip() if strip else page.draw()
        return Png(image, headers={**headers, "Content-Security-Policy": _PNG_POLICY})
    except MissingExtra:
        raise
    except UsageError as error:
        raise Missing(str(error)) from error


def _attribute(space: Space, passage: Passage, column: int | None) -> Provenance:
    workspace = space.workspace
    return Provenance(
        passage,
        folder=workspace.folder,
        catalogue=workspace.catalogue,
        pack=workspace.pack,
        column=column,
    )


def _pages_json(space: Space, attribution: Provenance) -> list[Json]:
    """The printed pages of a passage, each with the address of its picture."""
    base = f"/w/{quote(space.name, safe='')}/passages/{attribution.passage.id}/page.png"
    column = f"&column={attribution.column}" if attribution.column is not None else ""
    return [
        {
            "document": page.document,
            "page": page.page,
            "caption": page.caption,
            "image": f"{base}?n={number}{column}",
        }
        for number, page in enumerate(attribution.pages, start=1)
    ]
