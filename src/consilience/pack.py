"""What does a domain add to the engine? A pack: a few optional parts, each with one purpose.

A pack is declarative: tables of rules and names plus small functions. It registers a `Pack` under
the entry point group `consilience.packs`, whether it ships here or comes from somebody else.
Nothing in the core imports a pack; a workspace loads the one that its settings name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from consilience.errors import UsageError
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
from consilience.understand.names import Mention, surface

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
    names none. Without `expands` no terms are added; without `reranks` the fused order stays;
    without `damps` a collection keeps its share however little of it is similar to the question.
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
    damps: bool = True


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


class PassageWriter(Protocol):
    """Writes from passages of one kind that are not cut into sentences, such as games.

    A passage may be a piece of a larger whole.
    """

    @property
    def heading(self) -> str:
        """The title of their part of an answer."""

    def identity(self, passage: Passage) -> Hashable:
        """What the passage is a piece of: pieces of one whole have the same identity."""

    def is_asked_for(self, question: str) -> bool:
        """Whether a question asks for such passages themselves."""

    def find_whole(self, exhibits: Sequence[Exhibit], question: str) -> Sequence[Exhibit]:
        """The pieces of the one whole that a question is about, in order; none if it is not."""

    def match(self, exhibit: Exhibit, question: str) -> int:
        """How exactly an exhibit has what a question names; from 2 on it has it itself."""

    def is_related(self, exhibit: Exhibit, question: str) -> bool:
        """Whether an exhibit is about what is asked, however low its relevance."""

    def is_telling(self, exhibit: Exhibit, written: Sequence[Statement], question: str) -> bool:
        """Whether what was written from an exhibit explains something of what is asked."""

    def rank(self, exhibits: Sequence[Exhibit], question: str) -> Sequence[Exhibit]:
        """The exhibits that fit a question, best first."""

    def levels(self, exhibit: Exhibit) -> tuple[str, ...]:
        """What an exhibit is about, from the nearest heading to the widest."""

    def joins(self, passage: Passage, sides: Sequence[Callable[[str], bool]]) -> bool:
        """Whether a passage brings the two sides of a question together, so that they are not
        compared.
        """

    def write_opening(
        self, exhibits: Sequence[Exhibit], question: str, *, comments: int, figure: bool
    ) -> tuple[Sequence[Statement], set[int]]:
        """What an answer begins with, and the marks of the exhibits that it is about."""

    def write(
        self, exhibit: Exhibit, question: str, *, comments: int, figure: bool
    ) -> Sequence[Statement]:
        """What is written from one exhibit, with so many comments, and a figure if wanted."""

    def arrange(
        self, written: Sequence[tuple[Exhibit, Sequence[Statement]]]
    ) -> Sequence[tuple[Exhibit, Sequence[Statement]]]:
        """The parts in the order of reading, pieces of one whole together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """How passages of a kind are shown to people; by default as they are stored.

    `name` is what lists call it, and `place` where in its document it is. `text` is the whole text
    and `quote` the words of a quotation from it, made readable. `excerpt` gives the few lines of a
    passage that suit a question.
    """

    name: Callable[[Passage], str] = lambda passage: passage.title
    place: Callable[[Passage], str] = lambda passage: str(passage.locator)
    text: Callable[[Passage], str] = lambda passage: passage.text
    quote: Callable[[str], str] = lambda quote: quote
    excerpt: Callable[[Passage, str], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The parts of answers that a domain knows.

    `opens` gives what answers a question directly where that is more than a sentence. `labels`
    names a passage of a kind to writers and readers (`Game - Petrosian–Pachman 1961, move 14`),
    `writers` write from passages of a kind that are not cut into sentences, and `emphasis` tells a
    language model what to put first where their lines are wanted. `checks` verify more than the
    engine does, `drawing` makes figures, `pages` renders where a passage is printed, and `table`
    puts the rows of a table together. `displays` says by kind how passages are shown in lists and
    on pages.
    """

    opens: Opens = lambda question, exhibits, cells: ()
    labels: Mapping[str, Callable[[Passage], str]] = field(default_factory=dict)
    writers: Mapping[str, PassageWriter] = field(default_factory=dict)
    emphasis: str = ""
    checks: tuple[Check, ...] = ()
    drawing: Drawing | None = None
    pages: Pages | None = None
    table: Whole | None = None
    displays: Mapping[str, Display] = field(default_factory=dict)


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
    """An address that queries some collections, or all if it names none, declared without code.

    With `answers` an answer is written, without it only results are given. `merge` are the
    collections that a request with `merge` adds. `page` is the title of a page to try it out.
    """

    path: str
    summary: str
    collections: tuple[str, ...] = ()
    answers: bool = True
    merge: tuple[str, ...] = ()
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindView:
    """How pages show passages of one kind. Functions get a passage as its JSON.

    `label` is the text of its badge. `name` is the title of a card where it differs from the
    passage's own, `facts` (of a passage and that title) are shown below it, and `place` shortens
    where in its document a passage is. Passages with the same `group` share a card, where `others`
    names the places of all but the best. `file` is added to the name of its file, and `quote`
    makes quoted text readable.
    """

    label: str = ""
    name: Callable[[Mapping[str, Any]], str] = lambda passage: ""
    facts: Callable[[Mapping[str, Any], str], Sequence[str]] | None = None
    place: Callable[[str], str] | None = None
    group: Callable[[Mapping[str, Any]], object | None] = lambda passage: None
    others: Callable[[Sequence[str]], str] = lambda places: ", ".join(dict.fromkeys(places))
    file: Callable[[Mapping[str, Any]], str] = lambda passage: ""
    quote: Callable[[str], str] = lambda text: text


def _matched(pairs: Sequence[tuple[str, str]]) -> Sequence[str]:
    return [text for _, text in pairs]


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """What a pack adds to the service.

    `endpoints` are declared addresses, and `endpoint_fields` adds fields to their JSON, from the
    figures of an answer and a function that draws one as SVG. `routes` is
    `package.module:function`, called with the service to get a router with more addresses. Its
    pages come from the folder `templates`, under the pack's name (`travel/plan.html`), and load
    files of the folder `static` from `/static/<pack>/`. `css` is the file in it that every page of
    a workspace loads. `menu` are pages for the menu, each with its path and its label. `tools` is
    `package.module:function`, called with the service to get tools for assistants (MCP).

    `kinds` says how passages of the pack's kinds are shown. `caption` completes the caption of a
    figure from its data, `drawn` says what is drawn of a passage that was found, and `matches`
    shortens what a rule saw in a question, given as pairs of what it is and its words.
    """

    endpoints: tuple[Endpoint, ...] = ()
    endpoint_fields: Callable[
        [Sequence[Mapping[str, Any]], Callable[..., str]], Mapping[str, Any]
    ] = lambda figures, draw: {}
    routes: str = ""
    templates: Path | None = None
    static: Path | None = None
    css: str = ""
    menu: tuple[tuple[str, str], ...] = ()
    tools: str = ""
    kinds: Mapping[str, KindView] = field(default_factory=dict)
    caption: Callable[[str, str], str] = lambda caption, data: caption
    drawn: Callable[[Passage], Sequence[str]] = lambda passage: ("",)
    matches: Callable[[Sequence[tuple[str, str]]], Sequence[str]] = _matched


# --- sample -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Files to try a pack with.

    `examples` are questions to ask of the files in `folder`. `golden` is a file of questions with
    their answers in the sample.
    """

    folder: Path
    examples: tuple[str, ...] = ()
    golden: Path | None = None


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
