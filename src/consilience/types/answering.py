"""What is answered: evidence as a writer sees it, statements that were checked, an answer.

An `Exhibit` is a passage with its mark, a `Statement` a sentence or a block with the marks it
cites and the faults found in it, an `Answer` all statements with their citations. While it is
written, an answer comes as events: drafts as a model writes them, statements once checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from consilience.types.asking import Emphasis
from consilience.types.evidence import Passage
from consilience.types.finding import Note, Result

Length = Literal["concise", "balanced", "in-depth"]
LENGTHS: tuple[Length, ...] = get_args(Length)
Form = Literal["heading", "prose", "table", "lines", "path"]
Action = Literal["removed", "marked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A passage as a writer sees it: by its mark and label, with as much text as fits.

    `label` is `Book - "Title", chapter › section`, without number and brackets. `text` is the
    passage's text made harmless: what looks like a mark or a label of ours is none.
    """

    mark: int
    passage: Passage
    label: str
    text: str
    relevance: float | None = None

    @property
    def introduced(self) -> str:
        """`[Source 3: Book - "Title", chapter › section]`."""
        return f"[Source {self.mark}: {self.label}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something in a statement that what it cites does not bear out, and what was done.

    `check` names what looked: mark, citation, number, date, name, quotation, code, move, path, or
    a pack's own.
    `value` is what was not found, as the statement spells it.
    """

    check: str
    value: str
    told: str
    action: Action = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check of one statement came to: how many facts were looked for, and which failed."""

    facts: int = 0
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence, a heading, or a block such as a table, of an answer, in Markdown.

    Its text cites exhibits as `[3]`. `quotes` are the words of an exhibit that it rests on, by
    mark, where the writer knows them. With `opens` a new paragraph begins. `within` are the
    exhibits that its section rests on: what it does not cite itself may be found in those.
    """

    text: str
    form: Form = "prose"
    opens: bool = False
    quotes: Mapping[int, str] = field(default_factory=dict)
    within: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of an outline: what it is about and which exhibits it rests on."""

    heading: str
    marks: tuple[int, ...]
    point: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The plan of an answer: the answer in a sentence or two, where known, then its sections."""

    sections: tuple[Section, ...]
    opening: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where a mark of an answer leads, with the words that it rests on."""

    mark: int
    passage: Passage
    label: str
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Something to look at beside the text: `kind` says what (`board`), `data` holds it (a FEN).

    It stands where the text says `[DIAGRAM 2]`, and shows what the exhibit of `mark` holds.
    `steps` are what leads there, one after the other, each by its name and its own data.
    """

    kind: str
    mark: int
    data: str
    caption: str
    number: int = 0
    steps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to a language model: for which stage, how long, how many tokens, what cost."""

    stage: str
    ms: float
    asked: int = 0
    written: int = 0
    cost: float | None = None
    retries: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a language model was given, for those who want to read it."""

    stage: str
    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Another question that was tried and found evidence, and how it differs from the first."""

    text: str
    reason: str
    relevance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A written answer with all that it rests on.

    `support` is the share of checked facts that what is cited bears out, before anything was
    removed; None where nothing was there to check. `writer` is `extractive` or a model's name.
    """

    text: str
    citations: tuple[Citation, ...]
    result: Result
    faults: tuple[Fault, ...] = ()
    support: float | None = None
    facts: int = 0
    abstained: bool = False
    suggestions: tuple[Suggestion, ...] = ()
    writer: str = "extractive"
    length: Length = "balanced"
    emphasis: Emphasis = "ideas"
    exhibits: tuple[Exhibit, ...] = ()
    figures: tuple[Figure, ...] = ()
    outline: Outline | None = None
    prompts: tuple[Prompt, ...] = ()
    calls: tuple[Call, ...] = ()
    notes: tuple[Note, ...] = ()
    timing_ms: Mapping[str, float] = field(default_factory=dict)


# --- while it is written ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """The search is done: what was found, and the evidence that the answer will rest on."""

    result: Result
    exhibits: tuple[Exhibit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """A few letters as a model writes them, not yet checked.

    A mark comes whole and alone, with the citation it leads to, None if it leads nowhere.
    """

    text: str
    citation: Citation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A statement that was checked, as it stands in the answer: `text` with what parts it from
    the one before. What failed is in `faults`; a statement removed has no text.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    faults: tuple[Fault, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """The model failed: what was said so far is taken back, and the answer begins anew."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The whole answer. Its text is that of the `Said` events since the last
    `Withdrawn`, one after the other.
    """

    answer: Answer


Event = Searched | Drafted | Said | Withdrawn | Done
