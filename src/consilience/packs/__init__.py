"""What does a domain add? A pack: where its evidence goes, how its questions are read.

A pack is declarative: tables of rules and names, plus small pure functions. Third-party packs
register a `Pack` under the entry point group `consilience.packs`, as the built-in ones do.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from consilience.errors import UsageError
from consilience.names import Mention, surface
from consilience.protocols import Check, Draw, Room
from consilience.types import (
    Boost,
    Document,
    Emphasis,
    Exhibit,
    Figure,
    Filter,
    Passage,
    Statement,
    Term,
    Topic,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is known of a question before rules look at it: its text and the names it mentions.

    `nodes` and `values` count the distinct nodes of graphs and values of tables it names, and
    `known` gives all values that rows have in a field.
    """

    text: str
    mentions: tuple[Mention, ...] = ()
    known: Callable[[str], Sequence[str]] = lambda field: ()

    @property
    def nodes(self) -> int:
        """How many nodes of graphs it names."""
        return len({one.value for one in self.mentions if one.role == "node"})

    @property
    def values(self) -> int:
        """How many values of tables it names."""
        return len({one.surface for one in self.mentions if one.role in ("value", "number")})

    @property
    def relations(self) -> int:
        """How many relations of graphs it names."""
        return len({one.value for one in self.mentions if one.role == "relation"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When a question is of this kind, and what follows from it.

    The first rule that fires names the intent. `weights` and `shares` multiply those of the
    settings, by source kind (`sql`) and by collection, and `depths` how many passages a
    collection is asked for; `cover` names kinds of passages and among how many first places at
    least one of them belongs, when there is one. `emphasis` is what an answer puts first, where
    the kind of question decides that. With `exact` only what has an identifier of the question
    answers it. `skips` says why sources of a kind are not asked, and `prefers` are soft
    preferences for where such questions are answered. With `again` the sources that compare texts
    are asked a second time, of such passages alone, so that the many others do not crowd them out,
    and `window` times as many of the fused are looked at. `relations` are those that are wanted of
    a graph where the question names none. Without `expands` no other words are added to such
    questions, without `reranks` the fused order stays.
    """

    name: str
    intent: str
    fires: Callable[[Reading], bool]
    weights: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    depths: Mapping[str, float] = field(default_factory=dict)
    cover: Mapping[str, int] = field(default_factory=dict)
    emphasis: Emphasis | None = None
    exact: bool = False
    skips: Mapping[str, str] = field(default_factory=dict)
    prefers: tuple[Boost, ...] = ()
    again: Filter | None = None
    window: int = 1
    relations: tuple[str, ...] = ()
    expands: bool = True
    reranks: bool = True


_QUOTED = re.compile(r'"([^"]{2,})"|“([^”]{2,})”|«([^»]{2,})»')


def quoted(text: str) -> tuple[str, ...]:
    """The phrases a question puts in double quotation marks: they are meant to the letter."""
    return tuple(next(filter(None, match)).strip() for match in _QUOTED.findall(text))


def has_words(passage: Passage, identifier: str) -> bool:
    """Whether a passage has these words in this order, whatever the punctuation."""
    wanted = f" {surface(identifier)} "
    return any(wanted in f" {surface(text)} " for text in (passage.title, passage.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How figures come about: `draw` makes one, `told` tells a language model how to ask for it.

    `picture` gives a figure as SVG, `turned` the same seen from the other side, where it has one,
    and `sketch` as lines of text for a terminal.
    """

    draw: Draw
    told: str
    picture: Callable[[Figure], str]
    sketch: Callable[[Figure], str]
    turned: Callable[[Figure], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A page on which what a passage says stands in print; `draw` gives it as a PNG, outlined.

    `strip` gives only what is around that, `caption` says what it is, and `page` counts from 1.
    """

    document: str
    page: int
    caption: str
    draw: Callable[[], bytes]
    strip: Callable[[], bytes]


Known = Callable[[Sequence[str]], Mapping[str, Passage]]
"""The passages of these ids; an unknown id is absent."""
Pages = Callable[[Path, Passage, Known, int | None], Sequence[Printed]]
"""The pages of a passage, of files below a folder: with a column, its cell is the one meant."""
Whole = Callable[[Sequence[Passage]], tuple[Sequence[str], Sequence[Sequence[str]]]]
"""The rows of one table as it is read: its headings, and a list of texts for each row."""


Opens = Callable[[str, Sequence[Exhibit], Mapping[str, Sequence[int]]], Sequence[Statement]]
"""What answers a question at once, from exhibits and the cells of them that a source is sure of,
by passage: the numbers of their columns.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A question, what it names that may not be here (`Pack.absent`), and what was found for it.

    `first` are the hits and the first passages of every source, `every` all that any found;
    `chance` is how likely something among them answers, None where that is not known. It is
    `placed` where the question names nodes of a graph.
    """

    text: str
    absent: tuple[str, ...]
    first: Sequence[Passage]
    every: Sequence[Passage]
    chance: float | None = None
    placed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address that a pack adds to the service: which collections it asks, and for what.

    With `answers` the answer is written, without it only the results are given. `merge` are the
    collections that come in as well where a request says `merge`. `page` gives the address a
    page for trying it out, under this title.
    """

    path: str
    summary: str
    collections: tuple[str, ...]
    answers: bool = True
    merge: tuple[str, ...] = ()
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """What a domain adds to the engine.

    Of evidence: `collections` says where a document of a kind goes (`*` for the rest), `prepare`
    what is made of a document before it is split, `annotate` what its passages are known to hold
    afterwards, `identities` what makes two passages of a kind the same thing, and `worth` which
    of two such copies is kept.

    Of questions: `route` or the first of the `rules` that fires says of what kind one is,
    `identifiers` finds in it what is meant exactly, `has` says whether a passage has such a thing
    and `certain` whether that alone answers, `expand` adds other words for what it names,
    `neighbours` is what the name of a node's neighbour weighs against another name of the node (0
    adds none), `means` says whether a name in it means the node of these names, `offers` what a
    name may mean where that is open, and `boosts` reads soft preferences, by the field they are
    about, and `absent` what it names that nothing here is known to be about: where no passage
    found has that either, it is refused; so it is where nothing found speaks of its `topics`.
    With `lacks` the pack itself says which of that the passages do not tell, as a person is told.
    `reads` are the kinds of sources that read a question themselves, whatever names it mentions.
    Of the fields that are `binding`, what a question names is what its answer is written from,
    where there is such evidence: of a report for May nobody wants to hear who asked for April.

    Of answers: `opens` says what answers a question at once, where that is more than a sentence;
    `labels` says how a passage of a kind is named to a writer (`Game - Petrosian–Pachman 1961,
    move 14`), `checks` look for more than the engine's own do, `drawing` makes
    figures, `pages` shows where a passage stands in print, and `table` puts the rows of a table
    together.

    `settings` are written into a new workspace's file, where they can be changed. `sample` is a
    folder of files to try, `examples` are questions to ask of it, `golden` is a
    file of questions with their answers in the sample, to measure with, `labelled` one of questions
    with what they are about, and `endpoints` are
    what the service gains. `ready` raises `MissingExtra` where something is not installed.
    """

    name: str
    summary: str
    collections: Mapping[str, str]
    prepare: Callable[[Document, Path, Room], Document] = lambda document, path, room: document
    annotate: Callable[[Sequence[Passage]], Sequence[Passage]] = lambda passages: passages
    rules: tuple[Rule, ...] = ()
    route: Callable[[Reading], Rule | None] = lambda reading: None
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    identities: Mapping[str, Callable[[Passage], str]] = field(default_factory=dict)
    worth: Mapping[str, Callable[[Passage], float]] = field(default_factory=dict)
    identifiers: Callable[[str], tuple[str, ...]] = quoted
    has: Callable[[Passage, str], bool] = has_words
    certain: Callable[[str], bool] = lambda identifier: False
    expand: Callable[[str], tuple[Term, ...]] = lambda text: ()
    neighbours: float = 0.0
    means: Callable[[str, str, Sequence[str]], bool] = lambda text, name, names: True
    offers: Callable[[str], tuple[str, ...]] = lambda text: ()
    boosts: Callable[[Reading], tuple[Boost, ...]] = lambda reading: ()
    absent: Callable[[Reading], tuple[str, ...]] = lambda reading: ()
    lacks: Callable[[Sought], Sequence[str]] | None = None
    topics: Callable[[Reading], tuple[Topic, ...]] = lambda reading: ()
    reads: frozenset[str] = frozenset()
    binding: frozenset[str] = frozenset()
    settings: Mapping[str, int | float | str] = field(default_factory=dict)
    sample: Path | None = None
    examples: tuple[str, ...] = ()
    golden: Path | None = None
    labelled: Path | None = None
    labels: Mapping[str, Callable[[Passage], str]] = field(default_factory=dict)
    opens: Opens = lambda question, exhibits, cells: ()
    checks: tuple[Check, ...] = ()
    drawing: Drawing | None = None
    pages: Pages | None = None
    table: Whole | None = None
    endpoints: tuple[Endpoint, ...] = ()
    ready: Callable[[], None] = lambda: None


def read_synonyms(folder: Path, pack: Pack) -> dict[str, tuple[str, ...]]:
    """The pack's table and the workspace's own `synonyms.toml`: `word = ["other", …]`."""
    path = folder / "synonyms.toml"
    own: dict[str, object] = {}
    if path.exists():
        try:
            own = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is not valid TOML: {error}") from error
    table = {surface(word): tuple(others) for word, others in pack.synonyms.items()}
    for word, others in own.items():
        if not isinstance(others, list) or not all(isinstance(one, str) for one in others):
            raise UsageError(f'{path}: {word!r} takes a list of words, like ["other", "another"]')
        table[surface(word)] = (*table.get(surface(word), ()), *others)
    return table
