"""How does an author of a source test it? Contracts to inherit, and scripted fakes.

    class TestMine(RetrieverContract):
        case = WORDS  # or MEANING, ROWS, NODES, PATHS, or a Case of yours

        @pytest.fixture
        def retriever(self):
            return Mine("shelf/mine", WORDS.corpus)

Needs no engine and no test library; a test fails by `AssertionError`.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from consilience.errors import UsageError
from consilience.protocols import Chunk, FederatedPassage, FederatedSource, Retriever
from consilience.types import Filter, Found, Locator, Passage, Prompt, Request, Value, passage_id

COLLECTION = "shelf"


class Scripted:
    """A fake source that gives what it was told to, late or with an error if so told.

    It keeps what it was asked in `asked`; filters are not applied.
    """

    blocks = False

    def __init__(
        self,
        name: str,
        collection: str,
        *,
        found: Sequence[Found] = (),
        delay_s: float = 0.0,
        error: Exception | None = None,
    ) -> None:
        self.name = name
        self.collection = collection
        self.asked: list[Request] = []
        self._found = tuple(found)
        self._delay_s = delay_s
        self._error = error

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """The first `limit` of the script, after the delay; or the error."""
        self.asked.append(request)
        if self._delay_s:
            await asyncio.sleep(self._delay_s)
        if self._error is not None:
            raise self._error
        return self._found[:limit]


Reply = str | Exception | Sequence[str | Exception]
"""What a scripted model writes: a text, an error, or a text and then an error in its midst."""


class ScriptedGenerator:
    """A fake language model: for each stage the reply that it was told, a few letters at a time.

    `replies` are by the beginning of a stage's name (`outline`, `expand`, `expand 2`, `assemble`),
    the longest counts; or a function of the prompt. A stage that comes again takes the next of
    several replies in a tuple. It keeps what it was given in `prompts` and `schemas`, and in
    `stopped` the stages whose reader went away.
    """

    def __init__(
        self,
        replies: Mapping[str, Reply | tuple[Reply, ...]] | Callable[[Prompt], Reply],
        *,
        name: str = "scripted",
        delay_s: float = 0.0,
        size: int = 5,
    ) -> None:
        self.name = name
        self.prompts: list[Prompt] = []
        self.schemas: list[Mapping[str, Any] | None] = []
        self.stopped: list[str] = []
        self._replies = replies
        self._delay_s = delay_s
        self._size = size

    async def generate(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Chunk]:
        """The reply of the stage, then its count: a token is a word."""
        self.prompts.append(prompt)
        self.schemas.append(schema)
        reply = self._reply(prompt)
        parts = reply if isinstance(reply, list) else [reply]
        written = 0
        try:
            for part in parts:
                if isinstance(part, Exception):
                    await asyncio.sleep(self._delay_s)
                    raise part
                written += len(part.split())
                for start in range(0, len(part), self._size):
                    await asyncio.sleep(self._delay_s)
                    yield Chunk(text=part[start : start + self._size])
        except (asyncio.CancelledError, GeneratorExit):
            self.stopped.append(prompt.stage)
            raise
        yield Chunk(asked=len(f"{prompt.system} {prompt.user}".split()), written=written)

    def _reply(self, prompt: Prompt) -> Any:
        if callable(self._replies):
            return self._replies(prompt)
        known = [stage for stage in self._replies if prompt.stage.startswith(stage)]
        if not known:
            raise AssertionError(f"no reply was told for stage {prompt.stage!r}")
        stage = max(known, key=len)
        reply = self._replies[stage]
        if not isinstance(reply, tuple):
            return reply
        before = [prompt for prompt in self.prompts[:-1] if prompt.stage.startswith(stage)]
        return reply[min(len(before), len(reply) - 1)]


def _passage(
    kind: str, title: str, text: str, *, locator: Locator | None = None, **metadata: Value
) -> Passage:
    place = locator or Locator()
    return Passage(
        id=passage_id(COLLECTION, kind, title, place, text),
        collection=COLLECTION,
        document=title.lower(),
        kind=kind,
        title=title,
        text=text,
        locator=place,
        metadata=metadata,
    )


PROSE = {
    "den": _passage("text", "Den", "red fox fox", year=1900, place="Kent"),
    "field": _passage("text", "Field", "red fox hen", year=1950, place="Kent"),
    "barn": _passage("text", "Barn", "red hen hen", year=1900, place="Bath"),
    "twin": _passage("text", "Twin", "red hen hen", year=1999),
    "sea": _passage("text", "Sea", "blue blue whale", year=1950, place="Bath"),
}
TABLE = {
    "bath": _passage(
        "row", "Cities", "Bath", locator=Locator(table="cities", row=1), people=94000, spa=True
    ),
    "kent": _passage(
        "row", "Cities", "Deal", locator=Locator(table="cities", row=2), people=29000, spa=False
    ),
    "york": _passage(
        "row", "Cities", "York", locator=Locator(table="cities", row=3), people=141000, spa=False
    ),
    "hull": _passage(
        "row", "Cities", "Hull", locator=Locator(table="cities", row=4), people=267000
    ),
}
GRAPH = {
    **{
        name: _passage("node", name.title(), f"A {name}.", node=name, name=name.title())
        for name in ("fox", "hen", "corn", "field", "whale")
    },
    **{
        f"{source}-{target}": _passage(
            "edge",
            f"{source} {relation} {target}",
            f"A {source} {relation} {target}.",
            source=source,
            relation=relation,
            target=target,
            weight=weight,
        )
        for source, relation, target, weight in (
            ("fox", "eats", "hen", 1.0),
            ("hen", "eats", "corn", 0.5),
            ("corn", "grows in", "field", 1.0),
            ("fox", "crosses", "field", 0.5),
        )
    },
}
QUESTION = "red fox"
VECTORS: Mapping[str, tuple[float, float]] = {
    QUESTION: (1.0, 0.0),
    PROSE["den"].id: (1.0, 0.0),
    PROSE["field"].id: (0.8, 0.6),
    PROSE["barn"].id: (0.6, 0.8),
    PROSE["twin"].id: (0.6, 0.8),
    PROSE["sea"].id: (-1.0, 0.0),
}
"""Vectors of the prose by id, and of the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What the contract asks of a source over `corpus`.

    `request` finds the ids `expected`, best first; among them `tied`, whose scores are equal.
    With the filter `bound` only `kept` remains. `nothing` finds nothing.
    """

    corpus: tuple[Passage, ...]
    request: Request
    expected: tuple[str, ...]
    tied: tuple[str, ...]
    bound: Filter
    kept: tuple[str, ...]
    nothing: Request


def _ids(passages: Mapping[str, Passage], *names: str) -> tuple[str, ...]:
    return tuple(passages[name].id for name in names)


def _told(title: str, *lines: str) -> str:
    return passage_id(COLLECTION, "path", title, Locator(), "\n".join(lines))


_TWINS = tuple(sorted(_ids(PROSE, "barn", "twin")))
MEANING = Case(
    corpus=tuple(PROSE.values()),
    request=Request(text=QUESTION),
    expected=(*_ids(PROSE, "den", "field"), *_TWINS, *_ids(PROSE, "sea")),
    tied=_TWINS,
    bound=Filter("place", "=", "KENT"),
    kept=_ids(PROSE, "den", "field"),
    nothing=Request(text=QUESTION, filters=(Filter("place", "=", "Rome"),)),
)
"""A source by meaning: cosines 1, 0.8, 0.6, 0.6 and -1."""

WORDS = Case(
    corpus=tuple(PROSE.values()),
    request=Request(text=QUESTION),
    expected=(*_ids(PROSE, "den", "field"), *_TWINS),
    tied=_TWINS,
    bound=Filter("year", ">", 1940),
    kept=_ids(PROSE, "field", "twin"),
    nothing=Request(text="zebra"),
)
"""A source by words: `fox` twice, once, never; the sea has none of the words."""

_TOWNS = tuple(sorted(_ids(TABLE, "kent", "york")))
ROWS = Case(
    corpus=tuple(TABLE.values()),
    request=Request(
        text="a spa that is not too large",
        criteria=(Filter("spa", "=", value=True), Filter("people", "<", 200_000)),
    ),
    expected=(*_ids(TABLE, "bath"), *_TOWNS),
    tied=_TOWNS,
    bound=Filter("spa", "!=", value=True),
    kept=_TOWNS,
    nothing=Request(text="Rome", criteria=(Filter("people", ">", 1_000_000),)),
)
"""A source of rows: Bath meets two criteria, two towns meet one, Hull none."""

_NEAREST = tuple(sorted(_ids(GRAPH, "fox", "hen")))
NODES = Case(
    corpus=tuple(GRAPH.values()),
    request=Request(text="fox", seeds=("fox",)),
    expected=(*_NEAREST, *_ids(GRAPH, "field", "corn")),
    tied=_NEAREST,
    bound=Filter("name", "!=", "hen"),
    kept=_ids(GRAPH, "fox", "field", "corn"),
    nothing=Request(text="unicorn", seeds=("unicorn",)),
)
"""A source of nodes: 1 and 1, the field 0.5, the corn 1 · 0.5 · 0.5 = 0.25."""

_TO_CORN = tuple(
    sorted(
        (
            _told(
                "Fox → Corn",
                "Fox → (eats) → Hen → (eats) → Corn",
                "A fox eats hen.",
                "A hen eats corn.",
            ),
            _told(
                "Fox → Corn",
                "Fox → (crosses) → Field ← (grows in) ← Corn",
                "A fox crosses field.",
                "A corn grows in field.",
            ),
        )
    )
)
PATHS = Case(
    corpus=tuple(GRAPH.values()),
    request=Request(text="fox", seeds=("fox",)),
    expected=(
        *_ids(GRAPH, "fox-hen", "fox-field"),
        *_TO_CORN,
        _told(
            "Fox → Field",
            "Fox → (eats) → Hen → (eats) → Corn → (grows in) → Field",
            "A fox eats hen.",
            "A hen eats corn.",
            "A corn grows in field.",
        ),
        _told(
            "Fox → Hen",
            "Fox → (crosses) → Field ← (grows in) ← Corn ← (eats) ← Hen",
            "A fox crosses field.",
            "A corn grows in field.",
            "A hen eats corn.",
        ),
    ),
    tied=_TO_CORN,
    bound=Filter("length", "=", 2),
    kept=_TO_CORN,
    nothing=Request(text="whale", seeds=("whale",)),
)
"""A source of paths: 1, 0.5, twice 0.25, then 1 · 0.5 · 1 · 0.25 and 0.5 · 1 · 0.5 · 0.25."""


class RetrieverContract:
    """Subclass it, set `case`, give a `retriever` fixture over `case.corpus`; inherit the tests."""

    case: Case

    def test_best_first(self, retriever: Retriever) -> None:
        """The right passages in the right order, scores never rising."""
        found = _ask(retriever, self.case.request)
        _same([hit.id for hit in found], list(self.case.expected), "the ranking")
        scores = [hit.score for hit in found]
        _same(scores, sorted(scores, reverse=True), "the order of scores")

    def test_limit_is_respected(self, retriever: Retriever) -> None:
        """A smaller limit gives the same beginning; only equal scores may change places."""
        scores = [hit.score for hit in _ask(retriever, self.case.request)]
        for limit in range(1, len(scores) + 1):
            cut = _ask(retriever, self.case.request, limit=limit)
            _same([hit.score for hit in cut], scores[:limit], f"scores with limit {limit}")

    def test_limit_below_one_is_refused(self, retriever: Retriever) -> None:
        """Asking for nothing is a mistake of the caller."""
        for limit in (0, -1):
            try:
                _ask(retriever, self.case.request, limit=limit)
            except UsageError:
                continue
            raise AssertionError(f"limit {limit} was not refused with a UsageError")

    def test_each_id_once(self, retriever: Retriever) -> None:
        """No passage is given twice."""
        found = [hit.id for hit in _ask(retriever, self.case.request)]
        _same(found, list(dict.fromkeys(found)), "the ids")

    def test_no_match_is_empty(self, retriever: Retriever) -> None:
        """No match is an answer, not an error."""
        _same(list(_ask(retriever, self.case.nothing)), [], "what is found for no match")

    def test_filters_bind(self, retriever: Retriever) -> None:
        """What fails a filter is not found; what passes keeps its score."""
        scores = {hit.id: hit.score for hit in _ask(retriever, self.case.request)}
        bound = replace(self.case.request, filters=(self.case.bound,))
        found = [(hit.id, hit.score) for hit in _ask(retriever, bound)]
        _same(found, [(key, scores[key]) for key in self.case.kept], f"with {self.case.bound}")

    def test_ties_by_id(self, retriever: Retriever) -> None:
        """Equal scores stand in the order of their ids."""
        found = [hit for hit in _ask(retriever, self.case.request) if hit.id in self.case.tied]
        _same(len({hit.score for hit in found}), 1, "the number of different scores in a tie")
        _same([hit.id for hit in found], sorted(self.case.tied), "the order of a tie")

    def test_the_same_again(self, retriever: Retriever) -> None:
        """The same question has the same answer, alone and beside others."""
        once = list(_ask(retriever, self.case.request))
        _same(list(_ask(retriever, self.case.request)), once, "the second answer")
        for answer in asyncio.run(_ask_at_once(retriever, self.case.request, times=8)):
            _same(list(answer), once, "an answer given beside others")


class FederatedContract:
    """Subclass it, give a `federated` fixture, a `question` that finds at least two passages and
    one that finds `nothing`; inherit the tests.
    """

    question: str
    nothing: str

    def test_best_first(self, federated: FederatedSource) -> None:
        """At least two passages, finite scores that never rise."""
        scores = [found.score for found in _search(federated, self.question)]
        if len(scores) < 2 or not all(map(math.isfinite, scores)):
            raise AssertionError(f"scores {scores} instead of two or more finite ones")
        _same(scores, sorted(scores, reverse=True), "the order of scores")

    def test_every_passage_can_be_cited(self, federated: FederatedSource) -> None:
        """Each has a text, a title and a link, and comes once."""
        found = _search(federated, self.question)
        for passage in found:
            if not all(map(str.strip, (passage.text, passage.title, passage.link))):
                raise AssertionError(f"{passage!r} lacks a text, a title or a link")
        places = [(passage.link, passage.text) for passage in found]
        _same(places, list(dict.fromkeys(places)), "the passages")

    def test_limit_is_respected(self, federated: FederatedSource) -> None:
        """A smaller limit gives the same beginning."""
        found = _search(federated, self.question)
        for limit in range(1, len(found) + 1):
            cut = _search(federated, self.question, limit=limit)
            _same(cut, found[:limit], f"with limit {limit}")

    def test_no_match_is_empty(self, federated: FederatedSource) -> None:
        """No match is an answer, not an error."""
        _same(_search(federated, self.nothing), [], "what is found for no match")

    def test_the_same_again(self, federated: FederatedSource) -> None:
        """The same question has the same answer, also beside others."""

        async def search_at_once() -> list[Sequence[FederatedPassage]]:
            searches = (federated.search(self.question, limit=20) for _ in range(4))
            return list(await asyncio.gather(*searches))

        once = _search(federated, self.question)
        for answer in asyncio.run(search_at_once()):
            _same(list(answer), once, "an answer given beside others")


def _search(federated: FederatedSource, text: str, *, limit: int = 20) -> list[FederatedPassage]:
    async def search() -> Sequence[FederatedPassage]:
        return await federated.search(text, limit=limit)

    return list(asyncio.run(search()))


def _ask(retriever: Retriever, request: Request, *, limit: int = 20) -> Sequence[Found]:
    return asyncio.run(_retrieve(retriever, request, limit))


async def _retrieve(retriever: Retriever, request: Request, limit: int) -> Sequence[Found]:
    return await retriever.retrieve(request, limit=limit)


async def _ask_at_once(
    retriever: Retriever, request: Request, *, times: int
) -> Sequence[Sequence[Found]]:
    return await asyncio.gather(*(retriever.retrieve(request, limit=20) for _ in range(times)))


def _same(found: object, expected: object, what: str) -> None:
    if found != expected:
        raise AssertionError(f"{what}: {found!r} instead of {expected!r}")
