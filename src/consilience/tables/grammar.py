"""Which typed query does a plain question ask? Words are placed on values, columns and operations.

Values of the table come first, then names of columns, then the closed words of `lexicon.toml`. An
adjective (`tallest`) finds its column by the nouns that it measures, or by meaning through `near`.
Words that nothing covers are listed in the query.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, cast

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from consilience.tables.query import (
    OPERATIONS,
    Condition,
    Operation,
    Operator,
    Rank,
    TableQuery,
)
from consilience.tables.schema import Column, Table, fold, months, parse_number, stem

Near = Callable[[str, Sequence[str]], Sequence[float]]
"""How near a word is in meaning to each of some names, 0 to 1."""
NEAR_ENOUGH = 0.45
ALIKE = 0.83
"""How alike (0 to 1) two words of six letters or more are spelt to be the same: one slip in six."""
LONGEST_VALUE = 10
_WORD = re.compile(r"[$€£]?\d+(?:[.,:]\d+)*%?|[^\W_]+")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_NUMBERED = frozenset({"rank", "no", "id", "position", "pos", "place", "number", "nr", "index"})
_PLACES = frozenset({"rank", "position", "pos", "place"})


@dataclass(frozen=True)
class Lexicon:
    """The closed words: phrases with their roles, adjectives, units."""

    data: Mapping[str, Any]

    @cached_property
    def plain(self) -> frozenset[str]:
        """Words that need no place."""
        return frozenset(self.data["plain"].split())

    @cached_property
    def phrases(self) -> Mapping[tuple[str, ...], tuple[str, str]]:
        """The role of a phrase, and what it means in it."""
        return {
            tuple(phrase.split()): (role, meaning)
            for role in ("words", "operations")
            for meaning, phrases in self.data[role].items()
            for phrase in phrases
        }

    @cached_property
    def bounds(self) -> Mapping[tuple[str, ...], Operator]:
        """The operator of a phrase beside a number."""
        return {
            tuple(phrase.split()): cast("Operator", operator)
            for operator, phrases in self.data["bounds"].items()
            for phrase in phrases
        }

    @cached_property
    def measures(self) -> Mapping[str, tuple[bool, tuple[str, ...]]]:
        """For an adjective: whether its superlative is the largest value, and its nouns."""
        return {
            word: (text.startswith("+"), tuple(text[1:].split()))
            for word, text in self.data["measures"].items()
        }

    @cached_property
    def moments(self) -> Mapping[str, bool]:
        """For an adjective of time: whether its superlative is the latest."""
        return {word: text == "+" for word, text in self.data["moments"].items()}

    @cached_property
    def closed(self) -> frozenset[str]:
        """Words that are no value unless they are written as a name."""
        said = {word for phrase in (*self.phrases, *self.bounds) for word in phrase}
        return frozenset(
            {*said, *self.moments, *self.data["counts"], *self.data["ordinals"], *months()}
        )

    def adjective(self, word: str, ending: str) -> str:
        """The adjective of a superlative (`est`) or comparative (`er`); empty where it is none."""
        if word in self.data["irregular"]:
            return str(self.data["irregular"][word])
        if not word.endswith(ending) or len(word) < len(ending) + 3:
            return "more" if word == "more" else "less" if word in ("less", "fewer") else ""
        base = word[: -len(ending)]
        forms = (base, base + "e", base[:-1], base[:-1] + "y")
        known = (form for form in forms if form in self.measures or form in self.moments)
        return next(known, "")

    def units(self, word: str) -> frozenset[str]:
        """A unit and its other names."""
        for name, others in self.data["units"].items():
            if word == name or word in others.split():
                return frozenset((name, *others.split()))
        return frozenset({word})


@cache
def lexicon() -> Lexicon:
    """The closed words of the package."""
    text = files("consilience.tables").joinpath("lexicon.toml").read_text(encoding="utf-8")
    return Lexicon(tomllib.loads(text))


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the question."""

    text: str
    folded: str

    @property
    def stem(self) -> str:
        """Without its ending."""
        return stem(self.folded)

    @property
    def number(self) -> float | None:
        """The number that it is."""
        return parse_number(self.text) if self.text[-1].isdigit() or self.text[-1] == "%" else None


@dataclass(frozen=True, slots=True)
class Span:
    """Words of the question that stand for something: a column, or a value of one."""

    column: str
    first: int
    last: int
    value: str = ""
    is_whole: bool = True

    def overlaps(self, others: Sequence[Span]) -> bool:
        """Whether it shares a word with one of the others."""
        return any(self.first <= other.last and other.first <= self.last for other in others)


def tokenize(question: str) -> list[Token]:
    """The words and numbers of a question."""
    plain = re.sub(r"['’]s\b", "", question)
    return [Token(match[0], fold(match[0])) for match in _WORD.finditer(plain)]


def parse_question(question: str, table: Table, near: Near | None = None) -> TableQuery:
    """The query that a question asks of a table, with what could not be placed."""
    return _Parser(tokenize(question), table, near, lexicon()).parse()


def _is_alike(word: str, other: str) -> float:
    """How surely two words are the same: by stem, spelling, or one shortened."""
    if stem(word) == stem(other):
        return 1.0
    if (
        min(len(word), len(other)) >= 6
        and DamerauLevenshtein.normalized_similarity(word, other) >= ALIKE
    ):
        return 0.9
    short, long = sorted((word, other), key=len)
    return 0.8 if len(short) >= 3 and len(long) >= 6 and long.startswith(short) else 0.0


@dataclass
class _Parser:
    tokens: list[Token]
    table: Table
    near: Near | None
    lexicon: Lexicon
    placed: set[int] = field(default_factory=set)
    guesses: list[str] = field(default_factory=list)
    values: list[Span] = field(default_factory=list)
    columns: list[Span] = field(default_factory=list)

    def parse(self) -> TableQuery:
        self.values = self._find_values()
        self.columns = self._find_columns()
        about = {stem(word) for word in fold(f"{self.table.name} {self.table.title}").split()}
        self.placed |= {at for at, token in enumerate(self.tokens) if token.stem in about}
        self._find_measured_adjectives()
        bounds = self._bounds()
        rank = self._rank()
        operation = self._operation()
        conditions = [*bounds, *self._conditions()]
        step = self._step(conditions, bounds)
        if step and operation == "select":
            query = TableQuery(table=self.table.name, operation=step)
            return self._finish(query, conditions, self._asked_column(conditions, None, step=True))
        return self._assemble(operation, conditions, rank)

    def _assemble(
        self, operation: Operation, conditions: list[Condition], rank: Rank | None
    ) -> TableQuery:
        query = TableQuery(table=self.table.name, operation=operation)
        frequent = rank if rank and not rank.column and not rank.quote else None
        rank = None if frequent else rank
        group = self._group()
        if operation in ("difference", "ratio"):
            sides, rest = self._sides(conditions)
            column = self._measured(conditions, guessing=False)
            if sides:
                return self._finish(query, rest, column, sides=sides)
            self.guesses.append("two things to compare were not found")
            operation = "count" if self._starts("how", "many") else "select"
        if operation in ("sum", "average"):
            column = self._measured(conditions)
            if column and group:
                return self._finish(query, conditions, column, group=group, rank=frequent)
            if column:
                return self._finish(query, conditions, column, rank=rank)
            return self._finish(query, conditions, "")
        query = TableQuery(table=self.table.name, operation=operation)
        if operation == "count":
            return self._finish_count(query, conditions, rank, group)
        if frequent:
            counted = TableQuery(table=self.table.name, operation="count")
            group = self._asked_column(conditions, None)
            return self._finish(counted, conditions, "", group=group, rank=frequent)
        return self._finish(query, conditions, self._asked_column(conditions, rank), rank=rank)

    def _finish(
        self,
        query: TableQuery,
        conditions: Sequence[Condition],
        column: str,
        *,
        sides: Sequence[Condition] = (),
        group: str = "",
        rank: Rank | None = None,
        distinct: bool = False,
    ) -> TableQuery:
        telling = [
            at for at, token in enumerate(self.tokens) if token.folded not in self.lexicon.plain
        ]
        unplaced = tuple(self.tokens[at].text for at in telling if at not in self.placed)
        given = {c.column for c in conditions if c.operator in ("=", "contains")}
        asks = query.operation != "select" or rank is not None or column not in given
        return TableQuery(
            table=query.table,
            operation=query.operation,
            column=column,
            conditions=tuple(conditions),
            sides=tuple(sides),
            group=group,
            rank=rank,
            distinct=distinct,
            unplaced=unplaced,
            guesses=tuple(self.guesses),
            covered=1 - len(unplaced) / len(telling) if telling and asks else 0.0,
        )

    # --- values and columns ---------------------------------------------------------------

    def _find_values(self) -> list[Span]:
        """The cells that the question says, longest first, then parts of cells."""
        found: list[Span] = []
        for first, last, run in self._runs(LONGEST_VALUE):
            homes = list(self.table.values.get(" ".join(run), ()))
            if homes and (last > first or self._is_value(first, homes)):
                span = Span(self._home(homes, first), first, last, " ".join(run))
                if not span.overlaps(found):
                    found.append(span)
        for first, last, run in self._runs(4):
            if self._may_be_part(run) and (homes := self._homes_of_part(run)):
                span = Span(homes[0], first, last, " ".join(run), is_whole=False)
                if not span.overlaps(found):
                    found.append(span)
        for at, token in enumerate(self.tokens):
            span = Span("", at, at)
            if not span.overlaps(found) and (word := self._respelt(token)):
                found.append(Span(self.table.vocabulary[word][0], at, at, word, is_whole=False))
        return sorted(found, key=lambda span: span.first)

    def _runs(self, longest: int) -> Iterator[tuple[int, int, list[str]]]:
        words = [token.folded for token in self.tokens]
        for size in range(min(longest, len(words)), 0, -1):
            for first in range(len(words) - size + 1):
                yield first, first + size - 1, words[first : first + size]

    @cached_property
    def _header_stems(self) -> frozenset[str]:
        return frozenset(stem(word) for c in self.table.columns.values() for word in c.words)

    def _is_value(self, at: int, homes: Sequence[str]) -> bool:
        token = self.tokens[at]
        is_name = token.text[0].isupper() and at > 0
        if token.folded in self.lexicon.plain:
            return False
        if token.folded in self.lexicon.closed:
            return is_name
        if token.number is not None:
            before = self.tokens[at - 1].folded if at else ""
            named = {word for home in homes for word in self.table.columns[home].words}
            return bool(_YEAR.fullmatch(token.folded)) or before in named
        return token.stem not in self._header_stems or is_name

    def _may_be_part(self, run: Sequence[str]) -> bool:
        plain, closed = self.lexicon.plain, self.lexicon.closed
        if run[0] in plain or run[-1] in plain:
            return False
        if all(stem(word) in self._header_stems or word in closed for word in run):
            return False
        return len(run) > 1 or (len(run[0]) >= 3 and not run[0][0].isdigit())

    def _homes_of_part(self, run: Sequence[str]) -> list[str]:
        """The columns with cells that contain these words next to one another."""
        sets = [set(self.table.vocabulary.get(word, ())) for word in run]
        homes = [name for name in self.table.header if all(name in each for each in sets)]
        if len(run) == 1:
            return homes
        text = f" {' '.join(run)} "
        return [
            name
            for name in homes
            if any(text in f" {fold(cell)} " for cell in self.table.cells(name))
        ]

    def _respelt(self, token: Token) -> str:
        """The word of the table that a long word, which is no other, is nearly spelt like."""
        word = token.folded
        if len(word) < 6 or not word.isalpha() or word in self.lexicon.closed:
            return ""
        if word in self.lexicon.plain or any(_is_alike(word, o) for o in self._header_stems):
            return ""
        found = process.extractOne(
            word,
            self.table.vocabulary.keys(),
            scorer=DamerauLevenshtein.normalized_similarity,
            score_cutoff=ALIKE,
        )
        return str(found[0]) if found and stem(found[0]) != stem(word) else ""

    def _home(self, names: Sequence[str], first: int) -> str:
        """Of several columns with a value the one named before it, a time, or the row's name."""
        before = {token.stem for token in self.tokens[max(0, first - 3) : first]}
        columns = [self.table.columns[name] for name in names]
        named = [c.name for c in columns if before & {stem(word) for word in c.words}]
        times = [c.name for c in columns if c.is_time]
        label = [self.table.label] if self.table.label in names else []
        return [*named, *times, *label, *names][0]

    def _find_columns(self) -> list[Span]:
        """The columns that the question names, by the words of their names; the best first."""
        free = {at for at in range(len(self.tokens)) if not self._in_value(at)}
        scored: list[tuple[float, Span]] = []
        for column in self.table.columns.values():
            options = [
                self._named_at(column, at, skip)
                for at in sorted(free)
                for skip in range(len(column.words))
            ]
            best = max((o for o in options if o), key=lambda option: option[0], default=None)
            if best:
                scored.append(best)
        kept: list[Span] = []
        for _, span in sorted(scored, key=lambda entry: (-entry[0], entry[1].first)):
            if not span.overlaps(kept):
                kept.append(span)
                self.placed.update(range(span.first, span.last + 1))
        return sorted(kept, key=lambda span: span.first)

    def _named_at(self, column: Column, at: int, skip: int) -> tuple[float, Span] | None:
        """How well the words from one on say a column's name from one of its words on."""
        alike, size = 0.0, 0
        for word, token in zip(column.words[skip:], self.tokens[at:], strict=False):
            score = _is_alike(word, token.folded) if not self._in_value(at + size) else 0.0
            if not score:
                break
            alike, size = alike + score, size + 1
        said = [token.folded for token in self.tokens[at : at + size]]
        if all(word in _SMALL or len(word) < 2 for word in said):
            return None
        return alike + size / len(column.words), Span(column.name, at, at + size - 1)

    def _find_measured_adjectives(self) -> None:
        """`How tall` names the column that the adjective measures."""
        for at in range(1, len(self.tokens)):
            word = self.tokens[at].folded
            if self.tokens[at - 1].folded != "how":
                continue
            column = self._by_adjective(word) if word in self.lexicon.measures else ""
            times = self._times()
            if column or (word == "old" and times):
                self.columns.append(Span(column or times[0], at, at))
                self.placed.add(at)

    def _in_value(self, at: int) -> bool:
        return Span("", at, at).overlaps(self.values)

    def _times(self) -> list[str]:
        return [column.name for column in self.table.columns.values() if column.is_time]

    def _numeric(self) -> list[str]:
        return [column.name for column in self.table.columns.values() if _is_amount(column)]

    # --- bounds ---------------------------------------------------------------------------

    def _bounds(self) -> list[Condition]:
        """Comparisons with numbers: `more than 3`, `3 or more`, `between 3 and 5`."""
        found: list[Condition] = []
        for at, token in enumerate(self.tokens):
            number = token.number
            if number is None and at:
                number = self.lexicon.data["counts"].get(token.folded)
            if number is None or at in self.placed:
                continue
            first, operator, last = self._bound_around(at)
            column = self._bounded_column(at, first, float(number)) if operator else ""
            if not operator or not column:
                continue
            if self.tokens[first].folded == "between":
                other = self._next_number(at)
                if other:
                    found.append(Condition(column, "<=", (other[1],), self._text(first, other[0])))
                    last = other[0]
            unit = self.tokens[last + 1].folded if last + 1 < len(self.tokens) else ""
            if unit and self.lexicon.units(unit) & set(self.table.columns[column].words):
                last += 1
            self.placed.update(range(first, last + 1))
            self.values = [span for span in self.values if not first <= span.first <= last]
            found.append(Condition(column, operator, (float(number),), self._text(first, at)))
        return found

    def _bound_around(self, at: int) -> tuple[int, Operator | None, int]:
        """The words of a comparison around a number: its first, the operator, its last."""
        words = [token.folded for token in self.tokens]
        after = self.lexicon.bounds.get(tuple(words[at + 1 : at + 3]))
        if after:
            return at, after, at + 2
        for size in (4, 3, 2, 1):
            if at >= size and (before := self.lexicon.bounds.get(tuple(words[at - size : at]))):
                return at - size, before, at
        if at and words[at - 1] == "between":
            return at - 1, ">=", at
        if at > 1 and words[at - 1] == "than":
            adjective = self.lexicon.adjective(words[at - 2], "er")
            if adjective in self.lexicon.measures:
                return at - 2, ">" if self.lexicon.measures[adjective][0] else "<", at
            if adjective:
                is_later = self.lexicon.moments[adjective] != (adjective in ("old", "young"))
                return at - 2, ">" if is_later else "<", at
        return at, None, at

    def _next_number(self, at: int) -> tuple[int, float] | None:
        for other in range(at + 1, min(at + 4, len(self.tokens))):
            if (number := self.tokens[other].number) is not None:
                return other, number
        return None

    def _bounded_column(self, at: int, first: int, number: float) -> str:
        """The column that a bound is on: named nearby, a time, by adjective, unit, or alone."""
        spans = [span for span in self.columns if self.table.columns[span.column].kind != "text"]
        times = self._times()
        if _YEAR.fullmatch(str(int(number))) and number == int(number) and times:
            close = [span.column for span in spans if abs(span.first - at) <= 3]
            if not [name for name in close if name not in times]:
                return next((name for name in close if name in times), times[0])
        after = [span for span in spans if 0 < span.first - at <= 3]
        before = sorted((s for s in spans if s.last < at), key=lambda span: at - span.last)
        for span in (*after, *before):
            if self.table.columns[span.column].kind == "number":
                return span.column
        adjective = self.lexicon.adjective(self.tokens[first].folded, "er")
        unit = self.tokens[at + 1].folded if at + 1 < len(self.tokens) else ""
        units = self.lexicon.units(unit) if unit else frozenset()
        of_unit = [n for n in self._numeric() if units & set(self.table.columns[n].words)]
        return (
            self._by_adjective(adjective) or (of_unit or [""])[0] or self._only_number("the bound")
        )

    def _by_adjective(self, adjective: str) -> str:
        """The column of numbers that an adjective measures, by its nouns or by meaning."""
        numeric = self._numeric()
        nouns = self.lexicon.measures.get(adjective, (True, ()))[1]
        for noun in nouns:
            for name in numeric:
                if stem(noun) in {stem(word) for word in self.table.columns[name].words}:
                    return name
        return self._nearest(" ".join((adjective, *nouns)), numeric) if nouns else ""

    def _nearest(self, words: str, names: Sequence[str]) -> str:
        """The name that is nearest in meaning, if any is near enough."""
        if not self.near or not names:
            return ""
        score, name = max(zip(self.near(words, names), names, strict=True))
        return name if score >= NEAR_ENOUGH else ""

    def _only_number(self, what: str) -> str:
        """The only column of numbers; of several none is taken."""
        numeric = self._numeric()
        if len(numeric) > 1:
            self.guesses.append(
                f"no column was named for {what}; there are {', '.join(numeric[:5])}"
            )
        return numeric[0] if len(numeric) == 1 else ""

    # --- ranks ----------------------------------------------------------------------------

    def _rank(self) -> Rank | None:
        """What a superlative, or a comparison of two values, sorts by.

        A rank without column and quote asks for the most frequent value.
        """
        is_choice = len({span.value for span in self.values}) > 1 and self._has("or")
        for at, token in enumerate(self.tokens):
            if at in self.placed or self._in_value(at):
                continue
            before = self.tokens[at - 1].folded if at else ""
            place = self.lexicon.data["ordinals"].get(before, 1)
            following = self.tokens[at + 1].folded if at + 1 < len(self.tokens) else ""
            meaning = self.lexicon.phrases.get((token.folded,), ("", ""))[1]
            is_own = (
                following not in self.lexicon.measures and following not in self.lexicon.moments
            )
            if meaning in ("high", "low") and before != "at" and is_own:
                adjective = self.lexicon.adjective(token.folded, "est")
                return self._by_value(at, adjective, place, descending=meaning == "high")
            adjective = self.lexicon.adjective(token.folded, "est")
            if before in ("most", "least") or token.folded in ("first", "last", "final"):
                adjective = adjective or token.folded
            if is_choice:
                adjective = adjective or self.lexicon.adjective(token.folded, "er")
            if adjective and (rank := self._by_adjective_at(at, adjective, place, before)):
                return rank
        return None

    def _by_adjective_at(self, at: int, adjective: str, place: int, before: str) -> Rank | None:
        quote, reverse = self.tokens[at].text, before == "least"
        rank: Rank | None = None
        if adjective in self.lexicon.moments:
            rank = self._by_time(adjective, place, quote)
        elif adjective in self.lexicon.measures:
            descending = self.lexicon.measures[adjective][0]
            column = self._named_number(at) or self._by_adjective(adjective)
            if adjective in ("fast", "slow") and (not column or "time" in column.casefold()):
                timed = [n for n in self._numeric() if "time" in self.table.columns[n].words]
                column, descending = (timed or [column])[0], descending ^ bool(timed)
            column = column or self._only_number(f"“{quote}”")
            rank = Rank(column, descending != reverse, 1, place, quote) if column else None
        if rank:
            self.placed.add(at)
            self.placed |= {at - 1} if before in ("most", "least") or place > 1 else set()
        return rank

    def _by_time(self, adjective: str, place: int, quote: str) -> Rank | None:
        latest = self.lexicon.moments[adjective]
        aged = [n for n in self._numeric() if "age" in self.table.columns[n].words]
        if adjective in ("old", "young") and aged:
            return Rank(aged[0], adjective == "old", 1, place, quote)
        times = [s.column for s in self.columns if self.table.columns[s.column].is_time]
        times = times or self._times()
        if adjective in ("first", "last", "final") and (self._has("listed") or not times):
            return Rank("", latest, 1, place, quote)
        return Rank(times[0], latest, 1, place, quote) if times else None

    def _named_number(self, at: int) -> str:
        """The column of numbers that is named after a word, else before it and not asked for."""
        spans = [span for span in self.columns if self.table.columns[span.column].kind == "number"]
        after = [span.column for span in spans if span.first > at]
        before = [s.column for s in spans if s.last < at and not self._is_asked(s)]
        return (after or before or [""])[0]

    def _is_asked(self, span: Span) -> bool:
        """Whether a column is what `which` or `what` asks for."""
        before = self.tokens[span.first - 1].folded if span.first else ""
        return before in self.lexicon.data["asking"].split()

    def _by_value(self, at: int, adjective: str, place: int, *, descending: bool) -> Rank | None:
        """What `most`, `highest` or `top` sorts by; without any column the most frequent value."""
        quote, limit = self.tokens[at].text, 1
        self.placed |= {at} | ({at - 1} if place > 1 else set())
        following = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        if following and quote.casefold() == "top":
            number = following.number or self.lexicon.data["counts"].get(following.folded, 1)
            limit = int(number)
            self.placed |= {at + 1} if limit > 1 else set()
        column = self._named_number(at) or self._by_adjective(adjective)
        if column and quote.casefold() not in ("most", "least"):
            descending ^= bool(_PLACES & set(self.table.columns[column].words))
        if not column and following and following.folded not in self.lexicon.plain:
            column = self._nearest(following.folded, self._numeric())
            self.placed |= {at + 1} if column else set()
        later = [s.column for s in self.columns if s.first > at]
        times = [name for name in later if self.table.columns[name].is_time]
        if not column and not times and quote.casefold() not in ("most", "least", "fewest"):
            column = self._only_number(f"“{quote}”")
        column = column or (times or [""])[0]
        return Rank(column, descending, limit, place, quote if column else "")

    def _has(self, word: str) -> bool:
        return any(token.folded == word for token in self.tokens)

    def _starts(self, *words: str) -> bool:
        return tuple(token.folded for token in self.tokens[: len(words)]) == words

    # --- operations -----------------------------------------------------------------------

    def _said(self, role: str, meaning: str = "") -> tuple[str, int]:
        """The first phrase of a role (and meaning) outside values: its meaning and its end."""
        for at in range(len(self.tokens)):
            for size in (4, 3, 2, 1):
                run = tuple(token.folded for token in self.tokens[at : at + size])
                found = self.lexicon.phrases.get(run, ("", ""))
                if len(run) == size and found[0] == role and meaning in ("", found[1]):
                    if any(self._in_value(place) for place in range(at, at + size)):
                        continue
                    return found[1], at + size
        return "", 0

    def _operation(self) -> Operation:
        _, counted = self._said("operations", "count")
        for meaning in OPERATIONS:
            end = self._said("operations", meaning)[1]
            if end and not (meaning == "sum" and counted and not self._named_amounts()):
                self.placed.add(end - 1)
                return meaning
        if self._starts("how", "much") or self._starts("how", "many"):
            adjective = (
                self.lexicon.adjective(self.tokens[2].folded, "er") if self.tokens[2:] else ""
            )
            if adjective:
                self.placed.add(2)
                return "difference"
        return "select"

    def _named_amounts(self) -> list[str]:
        return [s.column for s in self.columns if _is_amount(self.table.columns[s.column])]

    def _step(
        self, conditions: Sequence[Condition], bounds: Sequence[Condition]
    ) -> Operation | None:
        """Whether the row before or after another is asked for."""
        if bounds or not conditions:
            return None
        for meaning in ("previous", "next"):
            _, end = self._said("words", meaning)
            if (end and any(span.first >= end for span in self.values)) or (
                end and self.tokens[end - 1].folded in ("next", "previous", "following")
            ):
                self.placed |= {end - 1, max(0, end - 2)}
                return meaning
        return None

    def _group(self) -> str:
        """The column that `per` or `for each` groups by."""
        _, end = self._said("words", "group")
        named = [span for span in self.columns if end and span.first == end]
        if named:
            self.placed.add(end - 1)
        return named[0].column if named else ""

    def _conditions(self) -> list[Condition]:
        """What values the rows have; two values of one column are alternatives."""
        found: list[Condition] = []
        for column in dict.fromkeys(span.column for span in self.values):
            spans = [span for span in self.values if span.column == column]
            quote = ", ".join(self._text(span.first, span.last) for span in spans)
            for span in spans:
                self.placed.update(range(span.first, span.last + 1))
            wholes = tuple(dict.fromkeys(span.value for span in spans if span.is_whole))
            if wholes:
                operator: Operator = "!=" if self._is_negated(spans[0].first) else "="
                found.append(Condition(column, operator, self._written(column, wholes), quote))
            parts = tuple(dict.fromkeys(span.value for span in spans if not span.is_whole))
            found += [Condition(column, "contains", (part,), quote) for part in parts]
        return [*found, *self._dates()]

    def _written(self, column: str, values: Sequence[str]) -> tuple[str, ...]:
        """Values as the table writes them."""
        return tuple(min(self.table.spellings(column, value)) for value in values)

    def _is_negated(self, at: int) -> bool:
        words = [token.folded for token in self.tokens[max(0, at - 3) : at]]
        negations = self.lexicon.data["negations"].split()
        return bool(set(negations) & set(words)) or words[-2:] == ["other", "than"]

    def _dates(self) -> list[Condition]:
        """A month or a year that the question names, of a column of dates."""
        dates = [column.name for column in self.table.columns.values() if column.kind == "date"]
        found: list[Condition] = []
        for at, token in enumerate(self.tokens):
            if at in self.placed or not dates:
                continue
            if token.folded in months() and (token.text[0].isupper() or len(token.text) > 3):
                number = float(months()[token.folded])
                found.append(Condition(dates[0], "month", (number,), token.text))
                self.placed.add(at)
            elif _YEAR.fullmatch(token.folded):
                found.append(Condition(dates[0], "year", (float(token.folded),), token.text))
                self.placed.add(at)
        return found

    def _sides(
        self, conditions: Sequence[Condition]
    ) -> tuple[tuple[Condition, ...], list[Condition]]:
        """The two values that are compared, and the other conditions."""
        for condition in conditions:
            if condition.operator == "=" and len(condition.values) == 2:
                sides = tuple(
                    Condition(condition.column, "=", (value,), condition.quote)
                    for value in condition.values
                )
                return sides, [other for other in conditions if other is not condition]
        return (), list(conditions)

    def _measured(self, conditions: Sequence[Condition], *, guessing: bool = True) -> str:
        """The column of numbers that is computed: named, near in meaning, or the only one."""
        bound = {condition.column for condition in conditions}
        named = [span.column for span in self.columns if span.column not in bound]
        amounts = [name for name in named if self.table.columns[name].kind == "number"]
        times = [name for name in named if self.table.columns[name].is_time]
        if amounts or times:
            return (amounts or times)[0]
        for at, token in enumerate(self.tokens):
            is_free = at not in self.placed and token.folded not in self.lexicon.plain
            if is_free and (name := self._nearest(token.folded, self._numeric())):
                self.placed.add(at)
                return name
        return self._only_number("the calculation") if guessing else ""

    def _finish_count(
        self, query: TableQuery, conditions: list[Condition], rank: Rank | None, group: str
    ) -> TableQuery:
        """What `how many` asks: a cell of numbers, different values, or rows."""
        _, end = self._said("operations", "count")
        bound = {condition.column for condition in conditions}
        close = [span.column for span in self.columns if 0 <= span.first - end <= 3]
        numbers = [
            name
            for name in close
            if self.table.columns[name].kind == "number" and name not in bound
        ]
        select = TableQuery(table=query.table)
        if group:
            return self._finish(query, conditions, "", group=group)
        if rank and rank.column and numbers and numbers[0] != rank.column:
            return self._finish(select, conditions, numbers[0], rank=rank)
        if numbers and not (rank and rank.column):
            named = any(condition.operator in ("=", "contains") for condition in conditions)
            if named:
                return self._finish(select, conditions, numbers[0])
            if not conditions and not rank:
                total = TableQuery(table=query.table, operation="sum")
                return self._finish(total, conditions, numbers[0])
        _, distinct = self._said("words", "distinct")
        texts = [span.column for span in self.columns if span.first >= end]
        if distinct and texts:
            self.placed.add(distinct - 1)
            return self._finish(query, conditions, texts[0], distinct=True)
        return self._finish(query, conditions, "")

    def _asked_column(
        self, conditions: Sequence[Condition], rank: Rank | None, *, step: bool = False
    ) -> str:
        """The column that the question wants: named after `which` or `what`, else by its word."""
        used = {
            c.column
            for c in conditions
            if c.operator in ("=", "!=", "contains") and len(c.values) == 1
        }
        free = [span for span in self.columns if span.column not in used]
        for span in free:
            if self._is_asked(span):
                return span.column
        first = [span.column for span in free if not rank or span.column != rank.column]
        words = {token.folded for token in self.tokens}
        wants_time = "when" in words or ("year" in words and not first)
        if wants_time and self._times():
            return self._times()[0]
        if rank is None and not first and free:
            return free[0].column
        if first and (rank is None or self.tokens[0].folded not in ("which", "who")):
            return first[0]
        compared = [c.column for c in conditions if c.operator == "=" and len(c.values) > 1]
        if compared and rank:
            return compared[0]
        if first and any(s.first <= 3 for s in free if s.column == first[0]):
            return first[0]
        label = self.table.label
        is_named = any(c.operator == "=" and c.column == label for c in conditions)
        if is_named and not rank and not step:
            others = [name for name in self.table.header if name != label]
            self.guesses.append(f"no column was named; there are {', '.join(others[:5])}")
        return label

    def _text(self, first: int, last: int) -> str:
        return " ".join(token.text for token in self.tokens[first : last + 1])


def _is_amount(column: Column) -> bool:
    """Whether numbers of a column can be added: not years, places or numbers of rows."""
    return column.kind == "number" and not column.is_year and not _NUMBERED & set(column.words)


_SMALL = frozenset(
    {
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "and",
        "or",
        "is",
        "no",
        "per",
    }
)
