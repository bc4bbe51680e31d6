"""Where in this workspace is the text that a golden set points at? Judgements become passages.

A judgement names text, so it stays valid however documents are split: its passage is the one that
contains the quotation or, where a cut goes through the quotation, those that contain a good share
of it. Judgements that match the very same passages are one unit, so that a perfect ranking always
scores 1. A judgement that matches nothing is an error: it must not count as a miss.

Quotations are compared by letters and digits only. Case, spaces, line breaks, hyphens at line
ends, quotation marks, dashes and ligatures differ between a quotation and a file, and between one
way of reading the file and the next. A quotation matches from the start of a word to the end of
one.

A sealed quotation consists of digests instead of words. So a golden set on books that may not be
copied can be shared: who has the books finds the quoted places, others cannot read them. A seal
has three parts, the whole quotation and its two halves, so that it is found across a cut. Each
part is its number of letters, a digest of its first letters, used for lookup, and a digest of all.

Paths are created for each question and are in no catalogue. They are judged by their edges: a
judgement names the edge (`fields: {source: …, relation: …, target: …}`).
"""

from __future__ import annotations

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple

from consilience.errors import UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.filters import holds
from consilience.measure.data_model import Golden, Judgement, Question, ResolvedLabels, Units
from consilience.measure.derived_passages import edges_of
from consilience.passage_display import preview
from consilience.types import Filter, Locator, Passage, Value

PLACES = ("row", "node", "page", "table")
"""The parts of a locator that are a single name or number, the most selective first."""
SEALED = "sealed:"
_HEAD_LETTERS = 12  # letters of a sealed part by which a place is looked up
_DIGEST_DIGITS = 16
_GOOD_SHARE = 0.5
_SHOWN_PATHS = 5
_SHOWN_MISSING = 20
_CUT_HEADING = "…"  # ends a heading that was too long for its passages
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = "\u0e00"  # from here on scripts put no spaces between words, or need none

Checks = dict[str, Callable[[Passage], bool]]
"""What a judgement requires of a passage, each by its description."""
MissingLabel = tuple[Question, Judgement, str]
"""A judgement that matches nothing, and why."""


class UnresolvedJudgements(UsageError):
    """Judgements that match nothing in this workspace, each with the reason."""

    def __init__(self, golden: Golden, missing: Sequence[MissingLabel]) -> None:
        self.missing = tuple(missing)
        count = sum(len(question.judgements) for question in golden.questions)
        lines = [f"  {question.id}: {reason}" for question, _, reason in missing[:_SHOWN_MISSING]]
        if len(missing) > _SHOWN_MISSING:
            rest = len(missing) - _SHOWN_MISSING
            lines.append(f"  and {rest} more; `consilience golden health` lists them all")
        super().__init__(
            f"{len(missing)} of {count} judgements of {golden.name} point at nothing in this "
            "workspace; correct them, or add the files they name:\n" + "\n".join(lines)
        )


def resolve(golden: Golden, catalogue: Catalogue) -> ResolvedLabels:
    """The golden set with its judgements found; raises `UnresolvedJudgements` for the others."""
    return resolve_in(golden, Corpus(catalogue))


def resolve_in(golden: Golden, corpus: Corpus) -> ResolvedLabels:
    """`resolve`, in a corpus that was read already."""
    resolved, missing = _resolve(golden, corpus)
    if missing:
        raise UnresolvedJudgements(golden, missing)
    return resolved


def unresolved_in(golden: Golden, corpus: Corpus) -> list[MissingLabel]:
    """The judgements that match nothing."""
    return _resolve(golden, corpus)[1]


def _resolve(golden: Golden, corpus: Corpus) -> tuple[ResolvedLabels, list[MissingLabel]]:
    if golden.by != "passage":
        return _resolve_by_home(golden, corpus)
    missing: list[MissingLabel] = []
    grades: dict[str, dict[str, int]] = {}
    strict: dict[str, Units] = {}
    for question in golden.questions:
        units: dict[frozenset[str], str] = {}
        marks: dict[str, int] = {}
        matches: dict[str, list[str]] = {}
        for number, judgement in enumerate(question.judgements, start=1):
            match = corpus.find(judgement)
            if not match.passages:
                missing.append((question, judgement, match.reason))
                continue
            ids = [passage.id for passage in match.passages]
            unit = units.setdefault(frozenset(ids), f"{question.id}#{number}")
            if unit not in marks:
                for key in ids:
                    matches.setdefault(key, []).append(unit)
            marks[unit] = max(marks.get(unit, 0), judgement.grade)
        grades[question.id] = marks
        strict[question.id] = {key: tuple(found) for key, found in matches.items()}
    resolved = ResolvedLabels(
        golden=golden,
        grades=grades,
        strict=strict,
        lenient={key: _UnitsByPlace(units, corpus) for key, units in strict.items()},
        edges=edges_of(corpus),
    )
    return resolved, missing


class _UnitsByPlace(Mapping[str, tuple[str, ...]]):
    """The units of every passage at a place where a judged passage is.

    A place may be a whole document and a question one of thousands, so they are looked up lazily.
    """

    def __init__(self, strict: Units, corpus: Corpus) -> None:
        self._corpus = corpus
        units: dict[Hashable, dict[str, None]] = {}
        for key, own in strict.items():
            units.setdefault(corpus.places[key], {}).update(dict.fromkeys(own))
        self._units = {place: tuple(own) for place, own in units.items()}

    def __getitem__(self, key: str) -> tuple[str, ...]:
        return self._units[self._corpus.places[key]]

    def __iter__(self) -> Iterator[str]:
        for place in self._units:
            yield from self._corpus.ids_at[place]

    def __len__(self) -> int:
        return sum(len(self._corpus.ids_at[place]) for place in self._units)


def _resolve_by_home(golden: Golden, corpus: Corpus) -> tuple[ResolvedLabels, list[MissingLabel]]:
    """The units are documents, or the values of a field; every passage has one at most."""
    by = golden.by
    homes: dict[str, str] = {}
    members: dict[str, list[str]] = {}
    for passage in corpus:
        value = passage.document if by == "document" else passage.value(by)
        if value is not None:
            homes[passage.id] = str(value)
            members.setdefault(str(value), []).append(passage.id)
    missing: list[MissingLabel] = []
    grades: dict[str, dict[str, int]] = {}
    for question in golden.questions:
        marks = grades[question.id] = {}
        for judgement in question.judgements:
            if by == "document":
                documents, reason = corpus.documents_named(judgement.document)
                home = "" if reason else documents[0].path
            else:
                home = str(judgement.fields.get(by, judgement.document))
                reason = "" if home in members else f"no passage has {by} = {home!r}"
            if reason:
                missing.append((question, judgement, reason))
            else:
                marks[home] = max(marks.get(home, 0), judgement.grade)
    units: dict[str, Units] = {
        question: {key: (home,) for home in marks for key in members[home]}
        for question, marks in grades.items()
    }
    resolved = ResolvedLabels(
        golden=golden, grades=grades, strict=units, lenient=units, homes=homes
    )
    return resolved, missing


# --- the corpus -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Match:
    """The passages that a judgement points at, or why there are none."""

    passages: tuple[Passage, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class Document:
    """The passages of one document, with indexes that are built when needed."""

    path: str
    passages: list[Passage] = field(default_factory=list)
    _values: dict[str, dict[Hashable, list[Passage]]] = field(default_factory=dict)
    _continuations: dict[Hashable, list[Passage]] = field(default_factory=dict)
    seals: dict[str, list[tuple[Passage, int]]] = field(default_factory=dict)
    """By a digest of the letters there: where words begin."""

    def candidates(self, judgement: Judgement) -> list[Passage]:
        """The passages that agree with the first place or field that a judgement names."""
        places: list[tuple[str, Value]] = [
            (name, value)
            for name in (*PLACES, *(name for name, _ in judgement.locator.extra))
            if (value := judgement.locator.get(name)) is not None
        ]
        for name, value in (*places, *judgement.fields.items()):
            if not isinstance(value, tuple):
                known = self._by_value(name)
                found = {
                    passage.id: passage
                    for key in _value_keys(value)
                    for passage in known.get(key, ())
                }
                return list(found.values())
        return self.passages

    def _by_value(self, name: str) -> dict[Hashable, list[Passage]]:
        if name not in self._values:
            known = self._values[name] = {}
            for passage in self.passages:
                values = (passage.locator.get(name), passage.value(name))
                keys = {key for value in values if value is not None for key in _value_keys(value)}
                for key in keys:
                    known.setdefault(key, []).append(passage)
        return self._values[name]

    def continuations(self, passage: Passage) -> list[Passage]:
        """The passages in which a text that ends here may continue: the next part or page."""
        if not self._continuations:
            for other in self.passages:
                place = other.locator
                if place.part is not None:
                    key = (replace(place, part=None), place.part)
                    self._continuations.setdefault(key, []).append(other)
                if place.page is not None and place.part in (None, 1):
                    self._continuations.setdefault(place.page, []).append(other)
        here, found = passage.locator, []
        if here.part is not None:
            found += self._continuations.get((replace(here, part=None), here.part + 1), [])
        if here.page is not None:
            found += self._continuations.get(here.page + 1, [])
        return found


class Corpus:
    """All passages of a workspace, read once.

    `places` gives each passage's place for lenient scoring, `ids_at` the ids at each place.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.documents: dict[str, Document] = {}
        self.places: dict[str, Hashable] = {}
        self.ids_at: dict[Hashable, list[str]] = {}
        for collection in catalogue.counts():
            for passage in catalogue.each(collection):
                document = self.documents.setdefault(passage.document, Document(passage.document))
                document.passages.append(passage)
                place = (passage.document, place_of(passage.locator))
                self.places[passage.id] = place
                self.ids_at.setdefault(place, []).append(passage.id)
        self._letters: dict[str, Letters] = {}
        self._words: dict[str, list[Passage]] = {}
        self._paths: dict[str, str] = {}
        self._by_name: dict[str, list[str]] = {}
        # Every document is known by its name; of copies, the one that passages are cited from.
        cited: dict[str, str] = {}
        digests = {record.path: record.sha256 for record in catalogue.documents()}
        for path in self.documents:
            cited.setdefault(digests.get(path, "") or path, path)
        for path in dict.fromkeys((*digests, *self.documents)):
            copy = cited.get(digests.get(path, "") or path, path)
            self._paths[_normalized(path)] = path if path in self.documents else copy
            name = PurePosixPath(_normalized(path)).name
            self._by_name.setdefault(name, []).append(_normalized(path))

    def __iter__(self) -> Iterator[Passage]:
        for document in self.documents.values():
            yield from document.passages

    def letters(self, passage: Passage) -> Letters:
        """A passage's text as quotations are compared with it."""
        known = self._letters.get(passage.id)
        if known is None:
            known = self._letters[passage.id] = letters_of(passage.text)
        return known

    def with_quote(self, quote: Letters) -> list[Passage]:
        """The passages of all documents that contain a whole quotation and all its words."""
        if not self._words:
            for passage in self:
                for word in set(self.letters(passage).words):
                    self._words.setdefault(word, []).append(passage)
        likely = min((self._words.get(word, []) for word in quote.words), key=len, default=[])
        return [passage for passage in likely if contains(self.letters(passage), quote)]

    def match_quote(self, document: Document, quote: Letters, checks: Checks) -> list[Passage]:
        """The passages with a quotation; where it is cut, those with a good share of it."""
        passages = document.passages
        whole = [passage for passage in passages if contains(self.letters(passage), quote)]
        if fitting := [passage for passage in whole if fits(passage, checks)]:
            return fitting
        for passage in passages:
            for share in overlaps_at_end(quote, self.letters(passage)):
                pieces = self._continue(document, quote, [(passage, share)])
                if any(fits(piece, checks) for piece, _ in pieces):
                    least = min(max(part for _, part in pieces), _GOOD_SHARE * len(quote))
                    return [piece for piece, part in pieces if part >= least]
        return []

    def _continue(
        self, document: Document, quote: Letters, pieces: list[tuple[Passage, int]]
    ) -> list[tuple[Passage, int]]:
        """The passages over which a quotation runs, with the letters of each; [] if it breaks."""
        done = sum(part for _, part in pieces)
        if done == len(quote):
            return pieces
        seen = {passage.id for passage, _ in pieces}
        for following in document.continuations(pieces[-1][0]):
            part = continues_with(quote, done, self.letters(following))
            if part and following.id not in seen:
                found = self._continue(document, quote, [*pieces, (following, part)])
                if found:
                    return found
        return []

    def with_seal(self, document: Document, quote: str) -> list[Passage]:
        """The passages with a sealed quotation, or with half of it where none has the whole."""
        if not document.seals:
            for passage in document.passages:
                row = self.letters(passage).row
                for start in self.letters(passage).starts:
                    head = _head_digest(row[start : start + _HEAD_LETTERS])
                    document.seals.setdefault(head, []).append((passage, start))
        whole, *halves = [list(self._find_seal(document, part)) for part in seals_of(quote)] or [[]]
        return list(
            {passage.id: passage for passage in whole or chain.from_iterable(halves)}.values()
        )

    def _find_seal(self, document: Document, wanted: Seal) -> Iterator[Passage]:
        likely: Iterable[tuple[Passage, int]] = document.seals.get(wanted.head, ())
        if wanted.length < _HEAD_LETTERS:  # too short for the index
            likely = chain.from_iterable(document.seals.values())
        for passage, start in likely:
            text, end = self.letters(passage), start + wanted.length
            if text.is_boundary(end) and _digest(text.row[start:end]) == wanted.whole:
                yield passage

    def documents_named(self, name: str) -> tuple[list[Document], str]:
        """The document of this path or end of a path, or why there is none; all for ""."""
        if not name:
            return list(self.documents.values()), ""
        wanted = _normalized(name)
        ends = [
            path
            for path in self._by_name.get(PurePosixPath(wanted).name, [])
            if path.endswith("/" + wanted)
        ]
        paths = sorted(
            {self._paths[path] for path in ([wanted] if wanted in self._paths else ends)}
        )
        if len(paths) > 1:
            shown = ", ".join(paths[:_SHOWN_PATHS]) + (", …" if len(paths) > _SHOWN_PATHS else "")
            return [], f"{len(paths)} documents end in {name!r} ({shown}); give more of the path"
        if not paths:
            known = [*self._by_name, *self._paths]
            near = difflib.get_close_matches(wanted, known, n=1, cutoff=0.5)
            hint = f"; the nearest is {near[0]!r}" if near else ""
            return [], f"there is no document {name!r}{hint}"
        document = self.documents.get(paths[0])
        return ([document], "") if document else ([], f"{paths[0]} holds no text")

    def find(self, judgement: Judgement) -> Match:
        """The passages that a judgement points at, or why there are none."""
        documents, reason = self.documents_named(judgement.document)
        if reason:
            return Match(reason=reason)
        checks, quote = checks_of(judgement), judgement.quote
        if not quote:
            likely = [
                candidate for document in documents for candidate in document.candidates(judgement)
            ]
            found = [passage for passage in likely if fits(passage, checks)]
            return Match(tuple(found)) if found else Match(reason=_why_no_fit(documents, judgement))
        if is_sealed(quote):
            sealed = [
                passage for document in documents for passage in self.with_seal(document, quote)
            ]
            found = [passage for passage in sealed if fits(passage, checks)]
            problem = "is elsewhere in it" if sealed else "is not there; is it another edition?"
            reason = f"{_scope(documents)}: the sealed quotation {problem}"
            return Match(tuple(found)) if found else Match(reason=reason)
        wanted = letters_of(quote)
        if not wanted.row:
            return Match(reason=f"the quotation {quote!r} has no letter or digit")
        found = [passage for doc in documents for passage in self.match_quote(doc, wanted, checks)]
        return Match(tuple(found), "" if found else self._why_no_quote(documents, judgement))

    def _why_no_quote(self, documents: Sequence[Document], judgement: Judgement) -> str:
        """Why a quotation was not found: it is in another place, or in other words."""
        wanted, checks = letters_of(judgement.quote), checks_of(judgement)
        passages = [passage for document in documents for passage in document.passages]
        elsewhere = [passage for passage in passages if contains(self.letters(passage), wanted)]
        if elsewhere:
            place = str(elsewhere[0].locator) or "another place"
            misfit = next(
                (text for text, check in checks.items() if not any(map(check, elsewhere))), ""
            )
            return f"the quotation is at {place}, which is not {misfit or 'there'}"
        if checks and not any(fits(passage, checks) for passage in passages):
            return _why_no_fit(documents, judgement)
        words = set(judgement.quote.casefold().split())
        shared = [len(words & set(passage.text.casefold().split())) for passage in passages]
        if not any(shared):
            return "the quotation is not there"
        nearest = passages[shared.index(max(shared))]
        return f"the quotation is not there; the nearest is {preview(nearest, judgement.quote)!r}"


def _scope(documents: Sequence[Document]) -> str:
    return documents[0].path if len(documents) == 1 else "the workspace"


def _why_no_fit(documents: Sequence[Document], judgement: Judgement) -> str:
    """The first requirement of a judgement that no passage fulfils."""
    left = [passage for document in documents for passage in document.passages]
    for description, check in checks_of(judgement).items():
        kept = [passage for passage in left if check(passage)]
        if not kept:
            reason = f"nothing in {_scope(documents)} is {description}"
            known = sorted({name for passage in left for name in passage.metadata})
            unknown = any(name not in known for name in judgement.fields)
            if description.startswith("with ") and unknown and known:
                reason += f"; its fields are {', '.join(known)}"
            return reason
        left = kept
    return f"{_scope(documents)} holds no text"


def _normalized(path: str) -> str:
    """A path as it is compared: one kind of slash, one way to write an accent."""
    return unicodedata.normalize("NFC", path.replace("\\", "/").removeprefix("./"))


# --- places -----------------------------------------------------------------------------


def place_of(locator: Locator) -> Hashable:
    """The place that a passage shares with others in lenient scoring."""
    if locator.row is not None or locator.node is not None or locator.extra:
        return ("whole", locator.table, locator.row, locator.node, locator.extra[:1])
    if locator.page is not None:
        return ("page", locator.page)
    return ("section", locator.section)


def fits(passage: Passage, checks: Checks) -> bool:
    """Whether a passage is where a judgement says, and has the fields that it names."""
    return all(check(passage) for check in checks.values())


def checks_of(judgement: Judgement) -> Checks:
    """What a judgement requires of a passage beside its quotation."""
    place = judgement.locator
    checks: Checks = {}
    if place.section:
        description = f"under the heading {' › '.join(place.section)!r}"
        checks[description] = partial(_is_under, wanted=place.section)
    for name in (*PLACES, *(name for name, _ in place.extra)):
        value = place.get(name)
        if value is not None:
            checks[f"at {name} {value}"] = partial(_is_at, name=name, value=value)
    for name, wanted in judgement.fields.items():
        checks[f"with {name} = {wanted}"] = partial(_has_field, name=name, wanted=wanted)
    return checks


def _is_at(passage: Passage, name: str, value: object) -> bool:
    found = passage.locator.get(name)
    return bool(found == value or (isinstance(value, str) and str(found) == value))


def _has_field(passage: Passage, name: str, wanted: Value) -> bool:
    """Whether a field has this value; of several values, each of them."""
    values = wanted if isinstance(wanted, tuple) else (wanted,)
    found = passage.value(name)
    return all(
        holds(Filter(name, "=", value), found) or str(found) == str(value) for value in values
    )


def _is_under(passage: Passage, wanted: Sequence[str]) -> bool:
    """Whether the headings follow one another in a passage's path; long ones may be cut."""
    path = passage.locator.section
    if len(wanted) > 1 and path[:1] == (_CUT_HEADING,):
        return _same_heading(path[-1], wanted[-1])
    return any(
        all(map(_same_heading, path[at:], wanted)) for at in range(len(path) - len(wanted) + 1)
    )


def _same_heading(heading: str, wanted: str) -> bool:
    ours, theirs = letters_of(heading).row, letters_of(wanted).row
    return theirs.startswith(ours) if heading.endswith(_CUT_HEADING) else ours == theirs


def _value_keys(value: Value) -> list[Hashable]:
    """What equal values have in common, however they are written."""
    values = value if isinstance(value, tuple) else (value,)
    keys: list[Hashable] = [str(value).casefold() for value in values]
    return [
        *keys,
        *(("number", float(value)) for value in values if isinstance(value, int | float)),
    ]


# --- quotations -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Letters:
    """A text as a row of its letters and digits, with its words and the places they begin at."""

    row: str
    starts: frozenset[int]
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.row)

    def is_boundary(self, place: int) -> bool:
        """Whether one word ends and another begins here."""
        if place in self.starts or place in (0, len(self.row)):
            return True
        if place > len(self.row):
            return False
        return max(self.row[place - 1 : place + 1]) >= _UNSPACED


def letters_of(text: str) -> Letters:
    """A text in the form in which quotations are compared."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words = _WORD.findall(plain)
    starts, at = [], 0
    for word in words:
        starts.append(at)
        at += len(word)
    return Letters("".join(words), frozenset(starts), tuple(words))


def contains(text: Letters, quote: Letters) -> bool:
    """Whether a text contains a quotation, as whole words."""
    if not quote.row or quote.row not in text.row:
        return False
    return any(
        text.is_boundary(at) and text.is_boundary(at + len(quote))
        for at in _occurrences(quote.row, text.row)
    )


def contains_quote(text: str, quote: str) -> bool:
    """Whether a text contains these words."""
    return contains(letters_of(text), letters_of(quote))


def overlaps_at_end(quote: Letters, text: Letters) -> Iterator[int]:
    """How many letters of a quotation's beginning a text ends with."""
    tail = text.row[-len(quote) + 1 :] if len(quote) > 1 else ""
    offset = len(text) - len(tail)
    for at in _occurrences(quote.row[:1], tail):
        if quote.row.startswith(tail[at:]) and text.is_boundary(offset + at):
            yield len(tail) - at


def continues_with(quote: Letters, done: int, text: Letters) -> int:
    """How many letters of a quotation a text continues with, after `done`; 0 if it does not."""
    rest = quote.row[done:]
    if text.row.startswith(rest):
        return len(rest) if text.is_boundary(len(rest)) else 0
    return len(text) if rest.startswith(text.row) else 0


def _occurrences(piece: str, row: str) -> Iterator[int]:
    at = row.find(piece) if piece else -1
    while at >= 0:
        yield at
        at = row.find(piece, at + 1)


# --- sealed quotations ------------------------------------------------------------------


class Seal(NamedTuple):
    """A run of letters, as its length and two digests."""

    length: int
    head: str
    whole: str


def is_sealed(quote: str) -> bool:
    """Whether a quotation is sealed."""
    return quote.startswith(SEALED)


def seal(quote: str) -> str:
    """A quotation, sealed; one that is sealed already stays as it is."""
    if is_sealed(quote) or not quote.strip():
        return quote
    words = letters_of(quote).words
    half = (len(words) + 1) // 2
    parts = [words, words[:half], words[half:]] if len(words) > 1 else [words]
    rows = ["".join(part) for part in parts]
    return SEALED + ",".join(f"{len(row)}.{_head_digest(row)}.{_digest(row)}" for row in rows)


def seal_golden(golden: Golden) -> Golden:
    """A golden set with every quotation sealed."""
    questions = tuple(
        replace(
            question,
            judgements=tuple(
                replace(judgement, quote=seal(judgement.quote)) for judgement in question.judgements
            ),
        )
        for question in golden.questions
    )
    return replace(golden, questions=questions)


def seals_of(quote: str) -> list[Seal]:
    """The parts of a sealed quotation: the whole, then its halves; none where it is damaged."""
    found = []
    for part in quote.removeprefix(SEALED).split(","):
        length, _, digests = part.partition(".")
        head, _, whole = digests.partition(".")
        if not length.isdecimal() or not head or not whole:
            return []
        found.append(Seal(int(length), head, whole))
    return found


def _head_digest(row: str) -> str:
    return _digest(row[:_HEAD_LETTERS])[: _DIGEST_DIGITS // 2]


def _digest(row: str) -> str:
    return hashlib.sha256(row.encode()).hexdigest()[:_DIGEST_DIGITS]
