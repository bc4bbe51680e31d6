"""What does a domain add to the engine? A pack: a few optional parts, each with one purpose.

A pack is declarative: tables of rules and names plus small functions. It registers a `Pack` under
the entry point group `consilience.packs`, whether it ships here or comes from somebody else.
Nothing in the core imports a pack; a workspace loads the one that its settings name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

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

# --- files: what becomes of a document ----------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """How files become passages.

    `collections` says which collection a document of a kind goes to (`*` for the rest). `prepare`
    changes a document before it is split, `annotate` adds metadata to its passages afterwards.
    `identities` gives, by kind of passage, the key that two copies of the same thing share, and
    `worth` decides which copy is kept.
    """

    collections: Mapping[str, str] = field(default_factory=lambda: {"*": "documents"})
    prepare: Callable[[Document, Path, Room], Document] = lambda document, path, room: document
    annotate: Callable[[Sequence[Passage]], Sequence[Passage]] = lambda passages: passages
    identities: Mapping[str, Callable[[Passage], str]] = field(default_factory=dict)
    worth: Mapping[str, Callable[[Passage], float]] = field(default_factory=dict)


# --- questions: how one is understood -----------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is known of a question before rules look at it: its text and the names in it.

    `known` gives all values that rows have in a field.
    """

    text: str
    mentions: tuple[Mention, ...] = ()
    known: Callable[[str], Sequence[str]] = lambda field: ()

    @property
    def nodes(self) -> int:
        """How many different graph nodes the question names."""
        return len({mention.value for mention in self.mentions if mention.role == "node"})

    @property
    def values(self) -> int:
        """How many different table values the question names."""
        roles = ("value", "number")
        return len({mention.surface for mention in self.mentions if mention.role in roles})

    @property
    def relations(self) -> int:
        """How many different graph relations the question names."""
        return len({mention.value for mention in self.mentions if mention.role == "relation"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When a question is of a kind, and what follows from it.

    The first rule that fires names the intent. `weights` (by kind of source) and `shares` (by
    collection) multiply those of the settings; `depths` multiplies how many passages a collection
    returns. `cover` names kinds of passages and the number of first places that must include one.
    `emphasis` is what an answer puts first. With `exact`, only passages that contain an identifier
    of the question answer it. `skips` gives the reason why sources of a kind are not queried.
    `prefers` are soft boosts. With `again`, text sources are queried a second time with this
    filter, so that other passages do not crowd out the ones that answer, and `window` times as
    many fused passages are refined. `relations` are the graph relations to follow when the question
    names none. Without `expands` no terms are added; without `reranks` the fused order stays.
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
    """The phrases that a question puts in double quotation marks."""
    return tuple(next(filter(None, match)).strip() for match in _QUOTED.findall(text))


def has_words(passage: Passage, identifier: str) -> bool:
    """Whether a passage contains these words in this order, whatever the punctuation."""
    wanted = f" {surface(identifier)} "
    return any(wanted in f" {surface(text)} " for text in (passage.title, passage.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A question and what was found for it, for a pack that decides what is missing.

    `absent` is what the question names that may not be here. `first` are the hits and the first
    passages of every source, `every` all that any source found. `chance` is the estimated chance
    that something among them answers, None where it is unknown. It is `placed` when the question
    names graph nodes.
    """

    text: str
    absent: tuple[str, ...]
    first: Sequence[Passage]
    every: Sequence[Passage]
    chance: float | None = None
    placed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """How questions are understood.

    `route`, or the first of the `rules` that fires, decides the kind of question. `identifiers`
    finds what is meant literally, `has` says whether a passage contains it and `certain` whether
    that alone answers. `synonyms` and `expand` add terms; `neighbours` is the weight of a
    neighbouring node's name against another name of the node itself (0 adds none). `means` says
    whether a name refers to the node with these names, `offers` lists the meanings of an ambiguous
    one. `boosts` are soft preferences.

    `absent` is what the question names that nothing here is known to be about: without a passage
    that has it the question is refused, as it is when nothing found mentions its `topics`. With
    `lacks` the pack lists what the passages do not say, in words for a person. `reads` are kinds of
    sources that parse the question themselves. For `binding` fields, an answer uses only evidence
    with the value that the question names, where there is any.
    """

    rules: tuple[Rule, ...] = ()
    route: Callable[[Reading], Rule | None] = lambda reading: None
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
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


def read_synonyms(folder: Path, pack: Pack) -> dict[str, tuple[str, ...]]:
    """The pack's synonyms and the workspace's own `synonyms.toml`: `word = ["other", …]`."""
    path = folder / "synonyms.toml"
    own: dict[str, object] = {}
    if path.exists():
        try:
            own = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is not valid TOML: {error}") from error
    table = {surface(word): tuple(others) for word, others in pack.questions.synonyms.items()}
    for word, others in own.items():
        if not isinstance(others, list) or not all(isinstance(other, str) for other in others):
            raise UsageError(f'{path}: {word!r} takes a list of words, like ["other", "another"]')
        table[surface(word)] = (*table.get(surface(word), ()), *others)
    return table


# --- answers: what is written and shown ---------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How figures are made.

    `draw` makes a figure, and `told` is the instruction that lets a language model request one.
    `picture` renders it as SVG, `turned` as seen from the other side where it has one, and
    `sketch` as lines of text for a terminal.
    """

    draw: Draw
    told: str
    picture: Callable[[Figure], str]
    sketch: Callable[[Figure], str]
    turned: Callable[[Figure], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A printed page that contains what a passage says.

    `draw` renders the whole page as PNG with the place outlined, `strip` only its surroundings.
    `caption` says what it shows, and `page` counts from 1.
    """

    document: str
    page: int
    caption: str
    draw: Callable[[], bytes]
    strip: Callable[[], bytes]


Known = Callable[[Sequence[str]], Mapping[str, Passage]]
"""Gives the passages of these ids; an unknown id is absent."""
Pages = Callable[[Path, Passage, Known, int | None], Sequence[Printed]]
"""Gives the printed pages of a passage from files in a folder; with a column, of that cell."""
Whole = Callable[[Sequence[Passage]], tuple[Sequence[str], Sequence[Sequence[str]]]]
"""Puts the rows of one table together: its headings, and the texts of each row."""
Opens = Callable[[str, Sequence[Exhibit], Mapping[str, Sequence[int]]], Sequence[Statement]]
"""Gives the statements that answer a question directly, from the exhibits and, by passage, the
numbers of the columns that a source is sure of.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The parts of answers that a domain knows.

    `opens` gives what answers a question directly where that is more than a sentence. `labels`
    names a passage of a kind to writers and readers (`Game - Petrosian–Pachman 1961, move 14`),
    `checks` verify more than the engine does, `drawing` makes figures, `pages` renders where a
    passage is printed, and `table` puts the rows of a table together.
    """

    opens: Opens = lambda question, exhibits, cells: ()
    labels: Mapping[str, Callable[[Passage], str]] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    drawing: Drawing | None = None
    pages: Pages | None = None
    table: Whole | None = None


# --- ways in: commands, addresses, tools --------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that a pack adds to the command line.

    `load` is `package.module:function`, a function with typer annotations or a `typer.Typer`. It is
    imported when the command runs, so that listing commands stays cheap.
    """

    name: str
    summary: str
    load: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address that queries some collections, declared without code.

    With `answers` an answer is written, without it only results are given. `merge` are the
    collections that a request with `merge` adds. `page` is the title of a page to try it out.
    """

    path: str
    summary: str
    collections: tuple[str, ...]
    answers: bool = True
    merge: tuple[str, ...] = ()
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """What a pack adds to the service.

    `endpoints` are declared addresses. `routes` is `package.module:function`, called with the
    service to get more routes; its pages come from the folders `templates` and `static`. `tools`
    is `package.module:function` and adds tools for assistants (MCP).
    """

    endpoints: tuple[Endpoint, ...] = ()
    routes: str = ""
    templates: Path | None = None
    static: Path | None = None
    tools: str = ""


# --- sample -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Files to try a pack with.

    `examples` are questions to ask of the files in `folder`. `golden` is a file of questions with
    their answers in the sample, and `labelled` one of questions with the metadata they name.
    """

    folder: Path
    examples: tuple[str, ...] = ()
    golden: Path | None = None
    labelled: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """What a domain adds to the engine; every part but the name is optional.

    `settings` are written into a new workspace's file, where they can be changed. `ready` raises
    `MissingExtra` where something is not installed.
    """

    name: str
    summary: str
    files: Files = field(default_factory=Files)
    questions: Questions = field(default_factory=Questions)
    answers: Answers = field(default_factory=Answers)
    commands: tuple[Command, ...] = ()
    web: Web = field(default_factory=Web)
    sample: Sample | None = None
    settings: Mapping[str, int | float | str] = field(default_factory=dict)
    ready: Callable[[], None] = lambda: None

    @property
    def examples(self) -> tuple[str, ...]:
        """Questions to ask of the sample; none without one."""
        return self.sample.examples if self.sample else ()


def load_reference(reference: str) -> Any:
    """Import what `package.module:name` refers to."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def deferred(package: str, ready: Callable[[], None]) -> Callable[[str, str], Callable[..., Any]]:
    """A way to name functions of a package that are imported when they are first called.

    `ready` runs before each call and raises `MissingExtra` where something is not installed.
    """

    def later(module: str, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            ready()
            return getattr(import_module(f"{package}.{module}"), name)(*arguments, **options)

        return call

    return later
