"""Which typed query does a plain question ask? Words are placed on values, columns and operations.

Values of the table come first, then names of columns, then the closed words of the lexicon. An
adjective (`tallest`) finds its column by the nouns that it measures, or by meaning through `near`.
Words that nothing covers are listed in the query.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from consilience.tables.lexicon import lexicon
from consilience.tables.query import (
    AGGREGATES,
    OPERATIONS,
    Condition,
    Operation,
    Operator,
    Rank,
    TableQuery,
)
from consilience.tables.schema import LONGEST_VALUE, Column, Table, fold, months, parse_number, stem
from consilience.understand.amounts import units_named

Near = Callable[[str, Sequence[str]], Sequence[float]]
"""How near a word is in meaning to each of some names, 0 to 1."""
NEAR_ENOUGH = 0.45
ALIKE = 0.83
"""How alike (0 to 1) two words of six letters or more are spelt to be the same: one slip in six."""
_WORD = re.compile(r"[$€£]?(?:\d+(?:[.,:]\d+)*|(?<!\w)\.\d+)%?|[^\W_]+")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_OPPOSITES: Mapping[Operator, Operator] = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
_IDENTIFIERS = frozenset(["rank", "no", "id", "position", "pos", "place", "number", "nr", "index"])
_PLACES = frozenset(["rank", "position", "pos", "place"])
_SMALL = frozenset(
    [
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
    ]
)


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

    @property
    def is_year(self) -> bool:
        """Whether it may be a year."""
        return bool(_YEAR.fullmatch(self.folded))


@dataclass(frozen=True, slots=True)
class Span:
    """Words of the question that stand for something: a column, or a value of one."""

    column: str
    first: int
    last: int
    value: str = ""
    is_whole: bool = True

    @property
    def places(self) -> range:
        """The places of its words."""
        return range(self.first, self.last + 1)

    def overlaps(self, others: Sequence[Span]) -> bool:
        """Whether it shares a word with one of the others."""
        return any(self.first <= other.last and other.first <= self.last for other in others)


def tokenize(question: str) -> list[Token]:
    """The words and numbers of a question."""
    plain = re.sub(r"['’]s\b", "", question)
    return [Token(match[0], fold(match[0])) for match in _WORD.finditer(plain)]


def parse_question(question: str, table: Table, near: Near | None = None) -> TableQuery:
    """The query that a question asks of a table, with what could not be placed."""
    return _Parser(tokenize(question), table, near).parse()


def find_values(tokens: Sequence[Token], table: Table) -> list[Span]:
    """The cells, and parts of cells, that some words say."""
    return _Parser(list(tokens), table).find_values()


def _alike(word: str, other: str) -> float:
    """How surely two words are the same: by stem, unit, spelling, or one shortened."""
    if word == other:
        return 1.0
    if stem(word) == stem(other) or units_named(word) & units_named(other):
        return 0.95
    if min(len(word), len(other)) >= 6:
        return 0.9 * (DamerauLevenshtein.normalized_similarity(word, other) >= ALIKE)
    short, long = sorted((word, other), key=len)
    return 0.8 * (len(short) >= 3 and len(long) >= 6 and long.startswith(short))


def _is_amount(column: Column) -> bool:
    """Whether numbers of a column can be added: not years, places or numbers of rows."""
    return column.kind == "number" and not column.is_year and not _IDENTIFIERS & set(column.words)


@dataclass
class _Parser:
    tokens: list[Token]
    table: Table
    near: Near | None = None
    placed: set[int] = field(default_factory=set)
    guesses: list[str] = field(default_factory=list)
    values: list[Span] = field(default_factory=list)
    columns: list[Span] = field(default_factory=list)

    def parse(self) -> TableQuery:
        self.values = self.find_values()
        self.columns = self._find_columns()
        bounds = [*self._date_ranges(), *self._bounds()]
        rank = self._rank()
        operation = self._operation()
        if rank and self._is_choice:
            operation = "select"
        conditions = [*bounds, *self._conditions(), *self._dates()]
        if rank or operation in AGGREGATES:
            conditions += self._without_totals(conditions)
        if self._word(0) in lexicon().data["yes_or_no"].split() and not self._is_choice:
            self.guesses.append("a question of yes or no is answered with what was found")
        step = "" if bounds else self._step(conditions)
        if step and operation == "select":
            query = self._new(step, self._asked_column(conditions, None, is_step=True))
        else:
            query = self._assemble(operation, conditions, rank)
        return self._finish(query, conditions)

    def _new(self, operation: Operation, column: str = "") -> TableQuery:
        return TableQuery(table=self.table.name, operation=operation, column=column)

    def _assemble(
        self, operation: Operation, conditions: list[Condition], rank: Rank | None
    ) -> TableQuery:
        """The query of an operation; a rank without column and quote ranks groups."""
        frequent = rank if rank and not rank.column and not rank.quote else None
        rank = None if frequent else rank
        group = self._group()
        if operation in ("difference", "ratio"):
            if sides := self._sides(conditions):
                column = self._measured(conditions, guessing=False)
                if not column and self._starts("how", "much"):
                    return self._new("sum", self._measured(conditions))
                return replace(self._new(operation, column), sides=sides)
            self.guesses.append("two things to compare were not found")
            operation = "count" if self._starts("how", "many") else "select"
        if operation in ("sum", "average"):
            query = self._new(operation, self._measured(conditions))
            asked = [span.column for span in self._named("text") if self._is_asked(span)]
            if rank and rank.limit == 1 and rank.column == query.column and asked:
                return replace(query, group=asked[0], rank=replace(rank, column=""))
            return replace(query, group=group, rank=frequent if group else rank)
        if operation == "count":
            return self._count(conditions, rank, group)
        if frequent:
            group = self._asked_column(conditions, None)
            if self.table.columns[group].is_unique:
                self.guesses.append("no column was named to rank by")
            return replace(self._new("count"), group=group, rank=frequent)
        return replace(self._new("select", self._asked_column(conditions, rank)), rank=rank)

    def _finish(self, query: TableQuery, conditions: Sequence[Condition]) -> TableQuery:
        """The query with its conditions, and the words without a place."""
        if query.sides:
            conditions = [c for c in conditions if c.column != query.sides[0].column]
        given = {c.column for c in conditions if c.operator in ("=", "contains")}
        asks = query.operation != "select" or query.rank or query.column not in given
        self._place_subjects(is_computed=query.operation != "select" or query.rank is not None)
        telling = [at for at, t in enumerate(self.tokens) if t.folded not in lexicon().plain]
        unplaced = tuple(self.tokens[at].text for at in telling if at not in self.placed)
        return replace(
            query,
            conditions=tuple(conditions),
            unplaced=unplaced,
            guesses=tuple(self.guesses),
            covered=1 - len(unplaced) / len(telling) if telling and asks else 0.0,
        )

    def _place_subjects(self, *, is_computed: bool) -> None:
        """Words for what the table is about, and in a calculation those that lead to a value."""
        about = self.table.subjects
        named = {word for span in self.columns for word in self.table.columns[span.column].words}
        stems = {stem(word) for word in (*about, *named)}
        for at, token in enumerate(self.tokens):
            if at in self.placed or token.folded in lexicon().plain:
                continue
            if token.stem in stems or self._nearest(token.folded, about):
                self.placed.add(at)
            behind = at + 1
            while behind < len(self.tokens) and self.tokens[behind].folded in lexicon().plain:
                behind += 1
            if is_computed and self._in_value(behind):
                self.placed.add(at)

    # --- values and columns ---------------------------------------------------------------

    def find_values(self) -> list[Span]:
        """The cells that the question says, longest first, then parts of cells."""
        found: list[Span] = []
        for first, last, run in self._runs(LONGEST_VALUE):
            homes = list(self.table.values.get(" ".join(run), ()))
            if homes and (last > first or self._is_value(first, homes)):
                self._keep(found, Span(self._home(homes, first), first, last, " ".join(run)))
        for first, last, run in self._runs(4):
            if self._may_be_part(run) and (homes := self._homes_of_part(run)):
                self._keep(found, Span(homes[0], first, last, " ".join(run), is_whole=False))
        for at, token in enumerate(self.tokens):
            if not Span("", at, at).overlaps(found) and (word := self._respelt(token)):
                found.append(Span(self.table.vocabulary[word][0], at, at, word, is_whole=False))
        return sorted(found, key=lambda span: span.first)

    def _keep(self, found: list[Span], span: Span) -> None:
        if not span.overlaps(found):
            found.append(span)

    def _runs(self, longest: int) -> Iterator[tuple[int, int, list[str]]]:
        words = [token.folded for token in self.tokens]
        for size in range(min(longest, len(words)), 0, -1):
            for first in range(len(words) - size + 1):
                yield first, first + size - 1, words[first : first + size]

    @cached_property
    def _header_stems(self) -> frozenset[str]:
        return frozenset(stem(word) for c in self.table.columns.values() for word in c.words)

    def _is_value(self, at: int, homes: Sequence[str]) -> bool:
        """Whether a single word that is a cell is meant as one."""
        token = self.tokens[at]
        is_name = token.text[0].isupper() and at > 0
        if token.folded in lexicon().plain:
            return False
        if token.number is not None:
            named = {stem(word) for home in homes for word in self.table.columns[home].words}
            is_named = bool(named & {t.stem for t in self.tokens[max(0, at - 2) : at]})
            return is_named or (token.is_year and token.stem not in self._header_stems)
        return is_name or not (token.folded in lexicon().closed or token.stem in self._header_stems)

    def _may_be_part(self, run: Sequence[str]) -> bool:
        if run[0] in lexicon().plain or run[-1] in lexicon().plain:
            return False
        known = {*self._header_stems, *map(stem, self.table.subjects)}
        if all(stem(word) in known or word in lexicon().closed for word in run):
            return False
        return len(run) > 1 or (len(run[0]) >= 3 and not run[0][0].isdigit())

    def _homes_of_part(self, run: Sequence[str]) -> list[str]:
        """The columns with cells that contain these words next to one another."""
        sets = [set(self.table.vocabulary.get(word, ())) for word in run]
        homes = [name for name in self.table.header if all(name in each for each in sets)]
        text = f" {' '.join(run)} "
        return [
            name
            for name in homes
            if len(run) == 1 or any(text in f" {fold(cell)} " for cell in self.table.cells(name))
        ]

    def _respelt(self, token: Token) -> str:
        """The word of the table that a long word, which is no other, is nearly spelt like."""
        word = token.folded
        known = word in lexicon().closed or word in lexicon().plain
        if known or len(word) < 6 or not word.isalpha():
            return ""
        if any(_alike(word, other) for other in self._header_stems):
            return ""
        scorer = DamerauLevenshtein.normalized_similarity
        words = self.table.vocabulary.keys()
        found = process.extractOne(word, words, scorer=scorer, score_cutoff=ALIKE)
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
        scored: list[tuple[float, Span]] = []
        for column in self.table.columns.values():
            places = [
                (at, skip) for at in range(len(self.tokens)) for skip in range(len(column.words))
            ]
            options = [
                option for at, skip in places if (option := self._named_at(column, at, skip))
            ]
            scored += [max(options, key=lambda option: option[0])] if options else []
        kept: list[Span] = []
        for _, span in sorted(scored, key=lambda entry: (-entry[0], entry[1].first)):
            self._keep(kept, span)
        for at in range(1, len(self.tokens)):  # `how tall` names the column that it measures
            word = self.tokens[at].folded
            if self.tokens[at - 1].folded == "how" and word in {*lexicon().measures, "old"}:
                times = self._times() if word == "old" else []
                measured = [name for name in (self._by_adjective(word), *times) if name]
                kept += [Span(name, at, at) for name in measured[:1]]
        for span in kept:
            self.placed.update(span.places)
        return sorted(kept, key=lambda span: span.first)

    def _named_at(self, column: Column, at: int, skip: int) -> tuple[float, Span] | None:
        """How well the words from one on say a column's name from one of its words on."""
        alike, size = 0.0, 0
        for word, token in zip(column.words[skip:], self.tokens[at:], strict=False):
            score = 0.0 if self._in_value(at + size) else _alike(token.folded, word)
            if not score:
                break
            alike, size = alike + score, size + 1
        said = [token.folded for token in self.tokens[at : at + size]]
        if all(word in _SMALL or len(word) < 2 for word in said):
            return None
        return alike + size / len(column.words), Span(column.name, at, at + size - 1)

    def _in_value(self, at: int) -> bool:
        return Span("", at, at).overlaps(self.values)

    def _named(self, kind: str = "") -> list[Span]:
        """The named columns of a kind: numbers, dates, texts, or points in time."""
        columns = self.table.columns
        return [
            span
            for span in self.columns
            if kind in ("", columns[span.column].kind)
            or (kind == "time" and columns[span.column].is_time)
        ]

    def _ages(self) -> list[str]:
        return [name for name in self._amounts() if "age" in self.table.columns[name].words]

    def _times(self) -> list[str]:
        return [column.name for column in self.table.columns.values() if column.is_time]

    def _amounts(self) -> list[str]:
        return [column.name for column in self.table.columns.values() if _is_amount(column)]

    # --- bounds ---------------------------------------------------------------------------

    def _bounds(self) -> list[Condition]:
        """Comparisons with numbers: `more than 3`, `3 or more`, `between 3 and 5`."""
        found: list[Condition] = []
        for at, token in enumerate(self.tokens):
            number = token.number
            if number is None and at:
                number = lexicon().data["counts"].get(token.folded)
            if number is None or at in self.placed:
                continue
            first, operator, last = self._bound_around(at)
            column = self._bounded_column(at, first, float(number)) if operator else ""
            if not operator or not column:
                continue
            if self.tokens[first].folded == "between" and (other := self._next_number(at)):
                last = other[0]
                found.append(Condition(column, "<=", (other[1],), self._text(first, last)))
            last += bool(units_named(self._word(last + 1)) & self._units(column))
            if self._is_negated(first, 2):
                operator = _OPPOSITES[operator]
            self._take(first, last)
            found.append(Condition(column, operator, (float(number),), self._text(first, last)))
        return found

    def _take(self, first: int, last: int) -> None:
        """Place words that are no values then."""
        self.placed.update(range(first, last + 1))
        self.values = [span for span in self.values if not first <= span.first <= last]

    def _bound_around(self, at: int) -> tuple[int, Operator | None, int]:
        """The words of a comparison around a number: its first, the operator, its last."""
        words = [token.folded for token in self.tokens]
        if after := lexicon().bounds.get(tuple(words[at + 1 : at + 3])):
            return at, after, at + 2
        for size in (4, 3, 2, 1):
            if at >= size and (before := lexicon().bounds.get(tuple(words[at - size : at]))):
                return at - size, before, at
        if at and words[at - 1] == "between":
            return at - 1, ">=", at
        adjective = (
            lexicon().adjective(words[at - 2], "er") if words[at - 1 : at] == ["than"] else ""
        )
        if not adjective:
            return at, None, at
        is_more = lexicon().measures.get(adjective, (False,))[0]
        if adjective in lexicon().moments:
            by_age = adjective in ("old", "young") and bool(self._ages())
            is_more = lexicon().moments[adjective] != by_age
        return at - 2, ">" if is_more else "<", at

    def _next_number(self, at: int) -> tuple[int, float] | None:
        for other in range(at + 1, min(at + 4, len(self.tokens))):
            if (number := self.tokens[other].number) is not None:
                return other, number
        return None

    def _bounded_column(self, at: int, first: int, number: float) -> str:
        """The column that a bound is on: named nearby, a time, by adjective, unit, or alone."""
        times = self._times()
        if self.tokens[at].is_year and times:
            close = [s.column for s in self.columns if abs(s.first - at) <= 3]
            close = [name for name in close if self.table.columns[name].kind != "text"]
            if set(close) <= set(times):
                return (close or times)[0]
        numbers = self._named("number")
        after = [span.column for span in numbers if 0 < span.first - at <= 3]
        before = sorted((s for s in numbers if s.last < at), key=lambda span: at - span.last)
        adjective = lexicon().adjective(self.tokens[first].folded, "er")
        units = units_named(self._word(at + 1))
        of_unit = [name for name in self._amounts() if units & self._units(name)]
        if adjective in ("old", "young") and self._ages():
            return self._ages()[0]
        found = [*after, *(span.column for span in before), self._by_adjective(adjective), *of_unit]
        return next(filter(None, found), "") or self._only_amount("the bound")

    def _units(self, column: str) -> set[str]:
        return {unit for word in self.table.columns[column].words for unit in units_named(word)}

    def _by_adjective(self, adjective: str) -> str:
        """The column of numbers that an adjective measures, by its nouns or by meaning."""
        nouns = lexicon().measures.get(adjective, (True, ()))[1]
        for noun in nouns:
            for name in self._amounts():
                if stem(noun) in {stem(word) for word in self.table.columns[name].words}:
                    return name
        return self._nearest(" ".join((adjective, *nouns)), self._amounts()) if nouns else ""

    def _nearest(self, words: str, names: Sequence[str]) -> str:
        """The name that is nearest in meaning, if any is near enough."""
        if not self.near or not names:
            return ""
        score, name = max(zip(self.near(words, names), names, strict=True))
        return name if score >= NEAR_ENOUGH else ""

    def _only_amount(self, what: str) -> str:
        """The only column of numbers; of several none is taken."""
        names = self._amounts()
        if len(names) > 1:
            self.guesses.append(f"no column was named for {what}; there are {', '.join(names[:5])}")
        return names[0] if len(names) == 1 else ""

    # --- dates ----------------------------------------------------------------------------

    def _date_ranges(self) -> list[Condition]:
        """`From July to October 2024`: the first day of one month to the last of another."""
        dates = self._dated()
        found = [at for at in range(len(self.tokens)) if self._is_month(at)]
        years = [token.folded for token in self.tokens if token.is_year]
        if not dates or len(found) != 2 or len(years) > 2 or not years:
            return []
        first, last = found
        joined = self._word(last - 1) in ("to", "and", "until", "till", "through")
        if not joined or self._word(first - 1) not in ("from", "between", "since"):
            return []
        from_month, to_month = (months()[self.tokens[at].folded] for at in found)
        to_year = int(years[-1])
        last_day = calendar.monthrange(to_year, to_month)[1]
        end = last + (last + 1 < len(self.tokens) and self.tokens[last + 1].is_year)
        self._take(first - 1, end)
        quote = self._text(first - 1, end)
        return [
            Condition(dates[0], ">=", (f"{years[0]}-{from_month:02}-01",), quote),
            Condition(dates[0], "<=", (f"{to_year}-{to_month:02}-{last_day}",), quote),
        ]

    def _dated(self) -> list[str]:
        return [column.name for column in self.table.columns.values() if column.kind == "date"]

    def _is_month(self, at: int) -> bool:
        token = self.tokens[at]
        return token.folded in months() and (token.text[0].isupper() or len(token.text) > 3)

    def _dates(self) -> list[Condition]:
        """A month or a year that the question names, of a column of dates."""
        found: list[Condition] = []
        for at, token in enumerate(self.tokens):
            if at in self.placed or not (dates := self._dated()):
                continue
            if self._is_month(at):
                number = float(months()[token.folded])
                found.append(Condition(dates[0], "month", (number,), token.text))
                self.placed.add(at)
            elif token.is_year:
                found.append(Condition(dates[0], "year", (float(token.folded),), token.text))
                self.placed.add(at)
        return found

    # --- ranks ----------------------------------------------------------------------------

    def _rank(self) -> Rank | None:
        """What a superlative, or a comparison of two values, sorts by.

        A rank without column and quote asks for the most frequent value.
        """
        for at, token in enumerate(self.tokens):
            if at in self.placed or self._in_value(at):
                continue
            before, following = self._word(at - 1), self._word(at + 1)
            place = lexicon().data["ordinals"].get(before, 1)
            meaning = lexicon().phrases.get((token.folded,), "")
            is_own = following not in lexicon().measures and following not in lexicon().moments
            if meaning in ("high", "low") and before != "at" and is_own:
                return self._by_value(at, place, descending=meaning == "high")
            adjective = lexicon().adjective(token.folded, "est")
            if before in ("most", "least") or token.folded in ("first", "last", "final"):
                adjective = adjective or token.folded
            if self._is_choice:
                adjective = adjective or lexicon().adjective(token.folded, "er")
            if adjective and (rank := self._by_meaning(at, adjective, place, before)):
                return rank
        return None

    @cached_property
    def _is_choice(self) -> bool:
        return len({span.value for span in self.values}) > 1 and bool(self._said("or"))

    def _by_meaning(self, at: int, adjective: str, place: int, before: str) -> Rank | None:
        """What an adjective sorts by: `oldest`, `heaviest`, `first`."""
        quote = self.tokens[at].text
        if adjective in lexicon().moments:
            column, descending = self._by_time(adjective)
        elif adjective in lexicon().measures:
            descending = lexicon().measures[adjective][0] != (before == "least")
            column = self._named_number(at) or self._by_adjective(adjective)
            if adjective in ("fast", "slow"):  # by speed, or the other way round by time
                timed = [n for n in self._amounts() if "time" in self.table.columns[n].words]
                column, descending = (column or "".join(timed[:1])), descending ^ bool(timed)
            column = column or self._only_amount(f"“{quote}”")
            if not column:
                return None
        else:
            return None
        self.placed.add(at)
        self.placed |= {at - 1} if before in ("most", "least") or place > 1 else set()
        return Rank(column, descending, self._limit(at), place, quote)

    def _limit(self, at: int) -> int:
        """How many are asked for: `the two tallest`, `top 5`."""
        for place in (at - 1, at + 1):
            word = self._word(place)
            number = lexicon().data["counts"].get(word) or (int(word) if word.isdecimal() else 0)
            is_behind = place > at and self._word(at) not in ("top", "first", "last")
            if 1 < number < 1000 and not is_behind:
                self.placed.add(place)
                return int(number)
        return 1

    def _by_time(self, adjective: str) -> tuple[str, bool]:
        """The column of an adjective of time, and whether the latest comes first."""
        aged = self._ages()
        if adjective in ("old", "young") and aged:
            return aged[0], adjective == "old"
        times = [span.column for span in self._named("time")] or self._times()
        is_order = adjective in ("first", "last", "final") and bool(self._said("order"))
        return "" if is_order or not times else times[0], lexicon().moments[adjective]

    def _named_number(self, at: int) -> str:
        """The column of numbers that is named after a word, else before it and not asked for."""
        spans = self._named("number")
        after = [span.column for span in spans if span.first > at]
        before = [s.column for s in spans if s.last < at and not self._is_asked(s)]
        return (after or before or [""])[0]

    def _is_asked(self, span: Span) -> bool:
        """Whether a column is what `which` or `what` asks for."""
        return self._word(span.first - 1) in lexicon().data["asking"].split()

    def _by_value(self, at: int, place: int, *, descending: bool) -> Rank | None:
        """What `most`, `highest` or `top` sorts by; without any column the most frequent value."""
        quote = self.tokens[at].folded
        self.placed |= {at} | ({at - 1} if place > 1 else set())
        following = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        limit = self._limit(at)
        column = self._named_number(at)
        column = column or self._by_adjective(lexicon().adjective(quote, "est"))
        is_amount = quote in ("most", "least", "fewest")
        if column and not is_amount:
            descending ^= bool(_PLACES & set(self.table.columns[column].words))
        if not column and following and following.folded not in lexicon().plain:
            column = self._nearest(following.folded, self._amounts())
            self.placed |= {at + 1} if column else set()
        times = [span.column for span in self._named("time") if span.first > at]
        if not column and not times and not is_amount:
            column = self._only_amount(f"“{quote}”")
        column = column or "".join(times[:1])
        return Rank(column, descending, limit, place, self.tokens[at].text if column else "")

    # --- operations -----------------------------------------------------------------------

    def _said(self, meaning: str) -> int:
        """The end of the first phrase of this meaning, or this word, outside values; else 0."""
        for at in range(len(self.tokens)):
            for size in (4, 3, 2, 1):
                run = tuple(token.folded for token in self.tokens[at : at + size])
                if len(run) < size or (lexicon().phrases.get(run) != meaning and run != (meaning,)):
                    continue
                if not any(self._in_value(place) for place in range(at, at + size)):
                    return at + size
        return 0

    def _starts(self, *words: str) -> bool:
        return tuple(token.folded for token in self.tokens[: len(words)]) == words

    def _word(self, at: int) -> str:
        return self.tokens[at].folded if 0 <= at < len(self.tokens) else ""

    def _operation(self) -> Operation:
        counted = self._said("count")
        for meaning in OPERATIONS:
            end = (
                self._said(meaning)
                if any(meaning in n for n in lexicon().data["operations"])
                else 0
            )
            amounts = [s for s in self.columns if _is_amount(self.table.columns[s.column])]
            if end and not (meaning == "sum" and counted and not amounts):
                self.placed.add(end - 1)
                return meaning
        is_how = self._starts("how", "much") or self._starts("how", "many")
        if is_how and (adjective := lexicon().adjective(self._word(2), "er")):
            self.placed.add(2)
            column = self._by_adjective(adjective)
            if adjective in lexicon().measures and lexicon().measures[adjective][1]:
                column = column or self._only_amount(f"“{self._word(2)}”")
            self.columns += [Span(column, 2, 2)] if column else []
            return "difference"
        return "select"

    def _step(self, conditions: Sequence[Condition]) -> Operation | None:
        """Whether the row before or after another is asked for."""
        steps: tuple[Operation, ...] = ("previous", "next") if conditions else ()
        for meaning in steps:
            end = self._said(meaning)
            is_before_value = any(span.first >= end for span in self.values)
            if end and (
                is_before_value or self._word(end - 1) in ("next", "previous", "following")
            ):
                self.placed |= {end - 1, max(0, end - 2)}
                return meaning
        return None

    def _group(self) -> str:
        """The column that `per` or `for each` groups by."""
        end = self._said("group")
        named = [span.column for span in self.columns if end and span.first == end]
        self.placed |= {end - 1} if named else set()
        return named[0] if named else ""

    def _conditions(self) -> list[Condition]:
        """What values the rows have; two values of one column are alternatives."""
        found: list[Condition] = []
        for column in dict.fromkeys(span.column for span in self.values):
            spans = [span for span in self.values if span.column == column]
            quote = ", ".join(self._text(span.first, span.last) for span in spans)
            for span in spans:
                self.placed.update(span.places)
            is_negated = self._is_negated(spans[0].first)
            if is_negated:
                cells = [cell for span in spans for cell in self._cells(span)]
                found.append(Condition(column, "!=", tuple(dict.fromkeys(cells)), quote))
                continue
            wholes = dict.fromkeys(span.value for span in spans if span.is_whole)
            cells = [min(self.table.spellings(column, value)) for value in wholes]
            found += [Condition(column, "=", tuple(cells), quote)] if cells else []
            parts = dict.fromkeys(span.value for span in spans if not span.is_whole)
            found += [Condition(column, "contains", (part,), quote) for part in parts]
        return found

    def _without_totals(self, conditions: Sequence[Condition]) -> list[Condition]:
        """Without the rows that add up others, where no other condition names the row."""
        label, names = self.table.label, lexicon().data["totals"]["names"].split()
        totals = sorted({cell for cell in self.table.cells(label) if fold(cell) in names})
        is_given = any(condition.column == label for condition in conditions)
        return [Condition(label, "!=", tuple(totals))] if totals and not is_given else []

    def _cells(self, span: Span) -> list[str]:
        """The cells that a value or a part of one means."""
        if span.is_whole:
            return sorted(self.table.spellings(span.column, span.value))
        cells = dict.fromkeys(self.table.cells(span.column))
        return [cell for cell in cells if f" {span.value} " in f" {fold(cell)} "]

    def _is_negated(self, at: int, reach: int = 4) -> bool:
        """Whether a word that negates stands right before."""
        words = [token.folded for token in self.tokens[max(0, at - reach) : at]]
        negations = lexicon().data["negations"].split()
        said = [word for word in words if word in negations]
        self.placed |= {at - len(words) + words.index(word) for word in said}
        return bool(said) or words[-2:] == ["other", "than"]

    def _sides(self, conditions: Sequence[Condition]) -> tuple[Condition, ...]:
        """The two values that are compared."""
        for condition in conditions:
            if condition.operator == "=" and len(condition.values) == 2:
                return tuple(replace(condition, values=(value,)) for value in condition.values)
        return ()

    def _measured(self, conditions: Sequence[Condition], *, guessing: bool = True) -> str:
        """The column of numbers that is computed: named, near in meaning, or the only one.

        Without guessing, for a comparison, it may be points in time.
        """
        bound = {condition.column for condition in conditions}
        columns = [self.table.columns[s.column] for s in self._named() if s.column not in bound]
        for column in sorted(columns, key=lambda column: column.is_time):
            if _is_amount(column) or (column.is_time and not guessing):
                return column.name
        for at, token in enumerate(self.tokens):
            is_free = at not in self.placed and token.folded not in lexicon().plain
            if is_free and (name := self._nearest(token.folded, self._amounts())):
                self.placed.add(at)
                return name
        return self._only_amount("the calculation") if guessing else ""

    def _count(self, conditions: Sequence[Condition], rank: Rank | None, group: str) -> TableQuery:
        """What `how many` asks: a cell of numbers, different values, or rows."""
        end = self._said("count")
        bound = {condition.column for condition in conditions}
        amounts = [
            span.column
            for span in self._named("number")
            if 0 <= span.first - end <= 3 and span.column not in bound
            if _is_amount(self.table.columns[span.column])
        ]
        is_ranked = rank is not None and bool(rank.column)
        if amounts and not group and not (is_ranked and rank and amounts[0] == rank.column):
            if is_ranked:
                return replace(self._new("select", amounts[0]), rank=rank)
            if any(condition.operator in ("=", "contains") for condition in conditions):
                return self._new("select", amounts[0])
            if not conditions:
                return self._new("sum", amounts[0])
        distinct = self._said("distinct")
        texts = [span.column for span in self.columns if span.first >= end]
        kinds = [span.column for span in self._named("text") if span.first == end]
        if kinds and not conditions and not rank and not self.table.columns[kinds[0]].is_unique:
            return replace(self._new("count", kinds[0]), distinct=True)
        if distinct and texts:
            self.placed.add(distinct - 1)
            return replace(self._new("count", texts[0]), distinct=True)
        return replace(self._new("count"), group=group)

    def _asked_column(
        self, conditions: Sequence[Condition], rank: Rank | None, *, is_step: bool = False
    ) -> str:
        """The column that the question wants: named after `which` or `what`, else by its word."""
        single = [
            c for c in conditions if len(c.values) == 1 and not isinstance(c.values[0], float)
        ]
        used = {condition.column for condition in single}
        free = [span for span in self.columns if span.column not in used]
        ranked = {c.column for c in conditions if c.operator in _OPPOSITES}
        ranked |= {rank.column} if rank else set()
        first = [span for span in free if span.column not in ranked]
        compared = [c.column for c in conditions if c.operator == "=" and len(c.values) > 1]
        is_time = bool(self._said("when")) or (bool(self._said("year")) and not first)
        subjects = {stem(word) for word in self.table.subjects}
        is_row = any(self.tokens[at].stem in subjects for at in range(min(2, len(self.tokens))))
        leading = (
            [] if is_row else first if not rank or self._word(0) not in ("which", "who") else []
        )
        is_value = rank and rank.column and self._word(0) == "what" and self._word(2) == "the"
        follows = [s for s in self.columns if rank and s.column == rank.column]
        is_value = is_value and any(
            self.tokens[s.first - 1].text == rank.quote for s in follows if rank
        )
        for columns in (
            [span.column for span in free if self._is_asked(span)],
            [rank.column] if rank and is_value else [],
            self._times() if is_time else [],
            [span.column for span in leading],
            [span.column for span in free] if rank is None and not ranked else compared,
            [span.column for span in first if span.first <= 3 and not is_row],
        ):
            if columns:
                return columns[0]
        label = self.table.label
        is_given = any(c.operator == "=" and c.column == label for c in conditions)
        if is_given and not rank and not is_step:
            others = [name for name in self.table.header if name != label]
            self.guesses.append(f"no column was named; there are {', '.join(others[:5])}")
        return label

    def _text(self, first: int, last: int) -> str:
        return " ".join(token.text for token in self.tokens[first : last + 1])
