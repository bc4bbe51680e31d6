"""Which typed query does a plain question ask? Words are placed on values, columns and operations.

Values of the table come first, then names of columns, then words of a closed list: superlatives,
comparisons, counts, sums, averages, differences, neighbours. An adjective (`tallest`) finds its
column by the nouns that it measures, or by meaning through `near`. Words that nothing covers are
listed in the query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from consilience.tables.query import Condition, Operation, Operator, Query, Rank
from consilience.tables.schema import MONTHS, Column, Table, fold, parse_number, stem

Near = Callable[[str, Sequence[str]], Sequence[float]]
"""How near a word is in meaning to each of some names, 0 to 1."""
NEAR_ENOUGH = 0.45


def _split(words: str) -> list[str]:
    return words.split()


_PLAIN = frozenset(
    _split(
        "a an the of in on at to for from by with and or but is are was were be been being do "
        "does did has have had having that this these those it its he she they their his her "
        "him them i me my what which who whom whose where when how why there here as than "
        "then not no any all each every please tell show give list find name me us can could "
        "would will shall should may might if s t out up into about per only other also "
        "listed table row rows entry entries column according ever during within among "
        "amongst between both same one ones chart shown many much total number amount value "
        "values get got take took make made go went come came "
    )
)
_MORE = _split(
    "more greater higher larger bigger longer taller older later over above exceeding beyond "
)
_LESS = _split("less fewer lower smaller shorter younger earlier under below ")
_MEASURES: Mapping[str, tuple[bool, str]] = {
    # adjective: whether the superlative is the largest value, and the nouns it measures
    "tall": (True, "height elevation"),
    "high": (True, "height elevation altitude"),
    "low": (False, "height elevation altitude"),
    "long": (True, "length duration distance time span years"),
    "short": (False, "length duration distance height time"),
    "deep": (True, "depth"),
    "wide": (True, "width"),
    "heavy": (True, "weight mass"),
    "light": (False, "weight mass"),
    "big": (True, "size area population capacity"),
    "large": (True, "size area population capacity"),
    "small": (False, "size area population capacity"),
    "expensive": (True, "price cost amount fee"),
    "costly": (True, "price cost amount fee"),
    "cheap": (False, "price cost amount fee"),
    "rich": (True, "wealth income worth salary"),
    "populous": (True, "population inhabitants"),
    "near": (False, "distance"),
    "close": (False, "distance"),
    "far": (True, "distance"),
    "hot": (True, "temperature"),
    "warm": (True, "temperature"),
    "cold": (False, "temperature"),
    "popular": (True, "votes views sales visitors"),
    "busy": (True, "passengers traffic visitors"),
    "strong": (True, "strength magnitude power"),
    "slow": (False, "speed"),
    "fast": (True, "speed"),
}
_TIMES: Mapping[str, bool] = {  # by a date or year; whether the superlative is the latest
    "old": False,
    "early": False,
    "new": True,
    "young": True,
    "late": True,
    "recent": True,
    "first": False,
    "last": True,
    "final": True,
}
_AGES: Mapping[str, bool] = {"old": True, "young": False}
_MOST = frozenset(_split("most highest largest greatest top maximum max biggest best "))
_LEAST = frozenset(["least", "lowest", "smallest", "fewest", "minimum", "min", "worst"])
_ORDINALS: Mapping[str, int] = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
_NUMBERS: Mapping[str, int] = {
    word: number
    for number, word in enumerate(_split("zero one two three four five six seven eight nine ten "))
}
_IRREGULAR = {"best": "good", "worst": "bad", "farthest": "far", "furthest": "far"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the question."""

    text: str
    folded: str
    start: int

    @property
    def stem(self) -> str:
        """Without its ending."""
        return stem(self.folded)


@dataclass(frozen=True, slots=True)
class Mention:
    """A column or a value of one, at some words of the question."""

    column: str
    first: int
    last: int
    value: str = ""
    whole: bool = True

    def overlaps(self, other: Mention) -> bool:
        """Whether they share a word."""
        return self.first <= other.last and other.first <= self.last


_WORD = re.compile(r"[$€£]?\d+(?:[.,:]\d+)*%?|[^\W_]+")


def tokenize(question: str) -> list[Token]:
    """The words and numbers of a question."""
    plain = re.sub(r"['’]s\b", "", question)
    return [Token(one[0], fold(one[0]), one.start()) for one in _WORD.finditer(plain)]


def parse(question: str, table: Table, near: Near | None = None) -> Query:
    """The query that a question asks of a table, with what could not be placed."""
    return _Parser(question, table, near).parse()


@dataclass(slots=True)
class _Parser:
    question: str
    table: Table
    near: Near | None = None
    tokens: list[Token] = field(default_factory=list)
    placed: set[int] = field(default_factory=set)
    guesses: list[str] = field(default_factory=list)
    values: list[Mention] = field(default_factory=list)
    columns: list[Mention] = field(default_factory=list)

    def parse(self) -> Query:
        self.tokens = tokenize(self.question)
        self.values = self._find_values()
        self.columns = self._find_columns()
        subjects = {stem(one) for one in fold(f"{self.table.name} {self.table.title}").split()}
        self.placed |= {at for at, one in enumerate(self.tokens) if one.stem in subjects}
        self._name_by_adjective()
        bounds = self._bounds()
        rank = self._rank()
        neighbour = self._neighbour()
        operation = self._operation(rank)
        conditions = (*bounds, *self._conditions(bounds))
        asks = bool(bounds or rank or neighbour or operation != "select")
        column = ""
        distinct = False
        if neighbour and len(conditions) >= 1 and operation == "select" and not bounds:
            operation, rank = neighbour, None
        if operation in ("sum", "average"):
            column = self._measured(conditions)
            if not column:
                self.guesses.append(f"no column of numbers was named for the {operation}")
                operation = "select"
        elif operation == "count":
            operation, column, distinct, rank = self._counted(conditions, rank)
        elif operation in ("difference", "ratio"):
            column = self._measured(conditions)
            if not column or not any(one.operator == "in" for one in conditions):
                self.guesses.append("two rows to compare were not found")
                operation = "count" if self._said("how many") else "select"
                column = "" if operation == "count" else column
        if operation == "select" and rank and not rank.column and rank.words == "?":
            group = self._asked_column(conditions, None)
            operation, column = "most_frequent", group
        elif operation in ("select", "previous", "next"):
            column = self._asked_column(
                conditions, rank, stepping=operation in ("previous", "next")
            )
        if rank and rank.words == "?" and operation != "most_frequent":
            rank = None
        return Query(
            table=self.table.name,
            operation=operation,
            column=column,
            conditions=tuple(conditions),
            rank=rank,
            distinct=distinct,
            unplaced=tuple(
                one.text
                for at, one in enumerate(self.tokens)
                if at not in self.placed and one.folded not in _PLAIN
            ),
            guesses=tuple(self.guesses),
            asks=asks or bool(conditions and self.columns),
        )

    # --- values and columns ---------------------------------------------------------------

    def _find_values(self) -> list[Mention]:
        """The cells that the question says, longest first, each word once."""
        found: list[Mention] = []
        words = [one.folded for one in self.tokens]
        for size in range(min(10, len(words)), 0, -1):
            for first in range(len(words) - size + 1):
                last = first + size - 1
                text = " ".join(words[first : last + 1])
                names = self.table.values.get(text, ())
                if not names or (size == 1 and not self._is_value(first, names)):
                    continue
                mention = Mention(self._best_home(names, first), first, last, text)
                if not any(mention.overlaps(one) for one in found):
                    found.append(mention)
        header = {stem(word) for one in self.table.columns.values() for word in one.words}
        for size in (4, 3, 2, 1):
            for first in range(len(words) - size + 1):
                run = words[first : first + size]
                if run[0] in _PLAIN or run[-1] in _PLAIN:
                    continue
                if all(stem(one) in header or one in _WORDS_OF_OPERATIONS for one in run):
                    continue
                if size == 1 and (len(run[0]) < 3 or parse_number(run[0]) is not None):
                    continue
                mention = Mention("", first, first + size - 1, " ".join(run), whole=False)
                homes = self._homes_of_part(run)
                if homes and not any(mention.overlaps(one) for one in found):
                    found.append(
                        Mention(homes[0], first, first + size - 1, mention.value, whole=False)
                    )
        return sorted(found, key=lambda one: one.first)

    def _is_value(self, at: int, names: Sequence[str]) -> bool:
        token = self.tokens[at]
        if token.folded in _PLAIN or token.folded in _WORDS_OF_OPERATIONS:
            return token.text[0].isupper() and at > 0 and token.folded not in _PLAIN
        if parse_number(token.text) is not None:
            before = self.tokens[at - 1].folded if at else ""
            year = re.fullmatch(r"1\d{3}|20\d{2}", token.folded)
            return bool(year) or before in {word for name in names for word in self._words(name)}
        header = {stem(word) for one in self.table.columns.values() for word in one.words}
        return token.stem not in header or token.text[0].isupper()

    def _words(self, name: str) -> tuple[str, ...]:
        return self.table.columns[name].words

    def _best_home(self, names: Sequence[str], first: int) -> str:
        """Of several columns with a value the one named right before it, else the row's name."""
        before = {one.stem for one in self.tokens[max(0, first - 3) : first]}
        named = [one for one in names if before & {stem(word) for word in self._words(one)}]
        if named:
            return named[0]
        years = [one for one in names if self.table.columns[one].is_time]
        if years:
            return years[0]
        return self.table.label if self.table.label in names else names[0]

    def _homes_of_part(self, run: Sequence[str]) -> list[str]:
        """The columns with cells that contain these words next to one another."""
        homes = set(self.table.vocabulary.get(run[0], ()))
        for word in run[1:]:
            homes &= set(self.table.vocabulary.get(word, ()))
        text = f" {' '.join(run)} "
        return [
            name
            for name in self.table.header
            if name in homes
            and self.table.columns[name].kind == "text"
            and any(text in f" {fold(cell)} " for cell in self.table.cells(name))
        ]

    def _find_columns(self) -> list[Mention]:
        """The columns that the question names, by the words of their names."""
        free = [at for at in range(len(self.tokens)) if not self._in_value(at)]
        found: list[tuple[float, Mention]] = []
        for name, column in self.table.columns.items():
            stems = [stem(word) for word in column.words]
            best: tuple[float, Mention] | None = None
            for at in free:
                for skip in range(len(stems)):
                    size = 0
                    while (
                        at + size in free
                        and skip + size < len(stems)
                        and self.tokens[at + size].stem == stems[skip + size]
                    ):
                        size += 1
                    words = [self.tokens[at + one].folded for one in range(size)]
                    if not size or all(one in _FUNCTION_WORDS or len(one) < 2 for one in words):
                        continue
                    share = size + size / len(stems)
                    if best is None or share > best[0]:
                        best = (share, Mention(name, at, at + size - 1))
            if best:
                found.append(best)
        kept: list[Mention] = []
        for _, mention in sorted(found, key=lambda one: (-one[0], one[1].first)):
            if not any(mention.overlaps(one) for one in kept):
                kept.append(mention)
                self.placed.update(range(mention.first, mention.last + 1))
        return sorted(kept, key=lambda one: one.first)

    def _name_by_adjective(self) -> None:
        """`How tall` names the column that the adjective measures."""
        for at, token in enumerate(self.tokens[1:], start=1):
            if self.tokens[at - 1].folded != "how":
                continue
            times = [one.name for one in self.table.columns.values() if one.is_time]
            column = self._by_adjective(token.folded) if token.folded in _MEASURES else ""
            column = column or (times[0] if token.folded == "old" and times else "")
            if column:
                self.columns.append(Mention(column, at, at))
                self.placed.add(at)

    def _in_value(self, at: int) -> bool:
        return any(one.first <= at <= one.last for one in self.values)

    # --- parts ----------------------------------------------------------------------------

    def _said(self, phrase: str) -> int | None:
        """The place of the last word of a phrase; None where it is not said, 0 never counts."""
        words = phrase.split()
        for at in range(len(self.tokens) - len(words) + 1):
            if [one.folded for one in self.tokens[at : at + len(words)]] == words:
                self.placed.update(range(at, at + len(words)))
                return at + len(words)
        return None

    def _bounds(self) -> list[Condition]:
        found: list[Condition] = []
        for at, token in enumerate(self.tokens):
            number = parse_number(token.text)
            if number is None and token.folded in _NUMBERS and at:
                number = float(_NUMBERS[token.folded])
            if number is None or at == 0:
                continue
            start, operator = self._bound_before(at)
            if operator is None:
                continue
            column = self._bounded_column(at, number, operator)
            if not column:
                continue
            self.placed.update(range(start, at + 1))
            self._place_unit(at, column)
            self.values = [one for one in self.values if not start <= one.first <= at]
            found.append(Condition(column, operator, number, self._text(start, at)))
            if self._text(start, start) == "between":
                other = next(
                    (
                        (one, value)
                        for one in range(at + 1, min(at + 4, len(self.tokens)))
                        if (value := parse_number(self.tokens[one].text)) is not None
                    ),
                    None,
                )
                if other:
                    self.placed.update(range(at, other[0] + 1))
                    self.values = [one for one in self.values if one.first != other[0]]
                    found.append(Condition(column, "<=", other[1], self._text(start, other[0])))
        return found

    def _bound_before(self, at: int) -> tuple[int, Operator | None]:
        words = [one.folded for one in self.tokens[:at]]
        first, second = (words[-1] if words else ""), " ".join(words[-2:])
        if second in ("at least", "no less", "not less", "no fewer"):
            return at - 2, ">="
        if second in ("at most", "up to", "no more", "not more"):
            return at - 2, "<="
        three = " ".join(words[-3:])
        if three in ("no more than", "not more than"):
            return at - 3, "<="
        if three in ("no less than", "no fewer than", "not less than"):
            return at - 3, ">="
        if first == "than" and len(words) > 1:
            word = words[-2]
            if word in _MORE:
                return at - 2, ">"
            if word in _LESS:
                return at - 2, "<"
            adjective = _adjective(word, "er")
            if adjective in _TIMES and adjective in _AGES:
                return at - 2, ">" if _AGES[adjective] else "<"
            if adjective in _MEASURES:
                return at - 2, ">" if _MEASURES[adjective][0] else "<"
        plain: Mapping[str, Operator] = {
            "over": ">", "above": ">", "exceeding": ">", "after": ">", "since": ">=",
            "under": "<", "below": "<", "before": "<", "until": "<=", "between": ">=",
        }  # fmt: skip
        after: Sequence[str] = [one.folded for one in self.tokens[at + 1 : at + 3]]
        if list(after) == ["or", "more"]:
            self.placed.update((at + 1, at + 2))
            return at, ">="
        if list(after) in (["or", "less"], ["or", "fewer"]):
            self.placed.update((at + 1, at + 2))
            return at, "<="
        return at - 1, plain.get(first)

    def _bounded_column(self, at: int, number: float, operator: Operator) -> str:
        """The column that a bound is on: named nearby, by the adjective, years, or the only one."""
        word = self.tokens[at - 2].folded if at >= 2 else ""
        numeric = [one for one in self.columns if self.table.columns[one.column].kind != "text"]
        if 1000 <= number <= 2100 and number == int(number):
            times = [one.name for one in self.table.columns.values() if one.is_time]
            named = [one.column for one in numeric if abs(one.first - at) <= 3]
            if times and not [one for one in named if one not in times]:
                return next((one for one in named if one in times), times[0])
        after = [one for one in numeric if 0 < one.first - at <= 3]
        before = sorted((one for one in numeric if one.last < at), key=lambda one: at - one.last)
        for mention in (*after, *before):
            if self.table.columns[mention.column].kind == "number":
                return mention.column
        if by_adjective := self._by_adjective(_adjective(word, "er")):
            return by_adjective
        unit = self.tokens[at + 1].folded if at + 1 < len(self.tokens) else ""
        by_unit = [
            one.name
            for one in self.table.columns.values()
            if one.kind == "number" and unit and _units(unit) & set(one.words)
        ]
        return by_unit[0] if by_unit else self._only_number("the bound")

    def _place_unit(self, at: int, column: str) -> None:
        if at + 1 < len(self.tokens):
            unit = self.tokens[at + 1].folded
            if _units(unit) & set(self._words(column)):
                self.placed.add(at + 1)

    def _by_adjective(self, adjective: str) -> str:
        """The column of numbers that an adjective measures, by its nouns or by meaning."""
        numeric = [
            one for one in self.table.columns.values() if one.kind == "number" and not one.is_year
        ]
        nouns = _MEASURES.get(adjective, (True, ""))[1].split()
        for noun in nouns:
            for one in numeric:
                if stem(noun) in {stem(word) for word in one.words}:
                    return one.name
        if adjective and self.near and numeric and adjective not in ("good", "bad"):
            scores = self.near(" ".join((adjective, *nouns)), [one.name for one in numeric])
            best = max(range(len(numeric)), key=lambda one: scores[one])
            if scores[best] >= NEAR_ENOUGH:
                return numeric[best].name
        return ""

    def _only_number(self, what: str) -> str:
        """The only column of numbers; of several none is taken."""
        numeric = [one for one in self.table.columns.values() if _counts(one)]
        if len(numeric) == 1:
            return numeric[0].name
        if numeric:
            offered = ", ".join(one.name for one in numeric[:5])
            self.guesses.append(f"no column was named for {what}; there are {offered}")
        return ""

    def _rank(self) -> Rank | None:
        """What a superlative, or a comparison of two values, sorts by."""
        chosen = len({one.value for one in self.values}) >= 2 and self._has("or")
        for at, token in enumerate(self.tokens):
            word = token.folded
            if self._in_value(at) or any(one.first <= at <= one.last for one in self.columns):
                continue
            place = _ORDINALS.get(self.tokens[at - 1].folded, 1) if at else 1
            if word in ("most", "least", "more", "less", "fewer") and at + 1 < len(self.tokens):
                following = self.tokens[at + 1].folded
                if following in _MEASURES or following in _TIMES:
                    continue  # `most expensive` is handled at its adjective
            if word in _MOST or word in _LEAST:
                if word == "most" and at >= 1 and self.tokens[at - 1].folded == "at":
                    continue
                if word == "least" and at >= 1 and self.tokens[at - 1].folded == "at":
                    continue
                adjective = _adjective(word, "est")
                return self._ranked_by(at, adjective, place, descending=word in _MOST)
            adjective = _adjective(word, "est") if word.endswith("st") else ""
            if not adjective and at and self.tokens[at - 1].folded in ("most", "least"):
                adjective = word if word in _MEASURES or word in _TIMES else ""
            if not adjective and word in ("first", "last", "final"):
                adjective = word
            if not adjective and chosen and (word.endswith("er") or word in (*_MORE, *_LESS)):
                adjective = _adjective(word, "er") or word
            if not adjective:
                continue
            reversed_ = bool(at) and self.tokens[at - 1].folded == "least"
            if rank := self._by_meaning(at, adjective, place, reversed_=reversed_):
                return rank
        return None

    def _has(self, word: str) -> bool:
        return any(one.folded == word for one in self.tokens)

    def _by_meaning(self, at: int, adjective: str, place: int, *, reversed_: bool) -> Rank | None:
        words = self.tokens[at].text
        self.placed.update({at} | ({at - 1} if reversed_ or place > 1 else set()))
        if at and self.tokens[at - 1].folded == "most":
            self.placed.add(at - 1)
        if adjective in _TIMES:
            return self._by_time(at, adjective, place)
        if adjective in _MEASURES or self.near:
            descending = _MEASURES.get(adjective, (True, ""))[0]
            if adjective in _MORE:
                return self._ranked_by(at, "", place, descending=True)
            if adjective in _LESS:
                return self._ranked_by(at, "", place, descending=False)
            named = self._named_number(at)
            if adjective in ("fast", "slow") and not named:
                named, descending = self._fastness(adjective)
            column = named or self._by_adjective(adjective) or self._only_number(f"“{words}”")
            if column:
                return Rank(column, descending != reversed_, 1, words, place)
            if adjective in _MEASURES:
                return None
        self.placed.discard(at)
        return None

    def _fastness(self, adjective: str) -> tuple[str, bool]:
        for one in self.table.columns.values():
            if one.kind == "number" and "time" in one.words:
                return one.name, adjective == "slow"
        return "", adjective == "fast"

    def _by_time(self, at: int, adjective: str, place: int) -> Rank | None:
        words, latest = self.tokens[at].text, _TIMES[adjective]
        if adjective in _AGES:
            aged = [one.name for one in self.table.columns.values() if "age" in one.words]
            if aged:
                return Rank(aged[0], _AGES[adjective], 1, words, place)
        named = [one for one in self.columns if self.table.columns[one.column].is_time]
        times = [one.column for one in named] or [
            one.name for one in self.table.columns.values() if one.is_time
        ]
        ordered = self._has("listed") or not times
        if adjective in ("first", "last", "final") and ordered:
            return Rank("", latest, 1, words, place)
        return Rank(times[0], latest, 1, words, place) if times else None

    def _named_number(self, at: int) -> str:
        """The column of numbers that is named after a word, else before it."""
        numeric = [one for one in self.columns if self.table.columns[one.column].kind == "number"]
        after = [one.column for one in numeric if one.first > at]
        before = [one.column for one in numeric if one.last < at and not self._is_asked(one)]
        return (after or before or [""])[0]

    def _is_asked(self, mention: Mention) -> bool:
        """Whether a column is what `which` or `what` asks for."""
        before = {one.folded for one in self.tokens[max(0, mention.first - 1) : mention.first]}
        return bool(before & {"which", "what", "whose"})

    def _ranked_by(self, at: int, adjective: str, place: int, *, descending: bool) -> Rank | None:
        words = self.tokens[at].text
        self.placed.update({at} | ({at - 1} if place > 1 else set()))
        limit = 1
        if at + 1 < len(self.tokens) and words.casefold() == "top":
            count = parse_number(self.tokens[at + 1].text)
            limit = int(count) if count else _NUMBERS.get(self.tokens[at + 1].folded, 1)
            self.placed.update({at + 1} if limit > 1 else set())
        if named := self._named_number(at):
            places = {"rank", "position", "place", "pos"}
            if words.casefold() in ("top", "best", "highest", "worst", "lowest"):
                descending ^= bool(places & set(self._words(named)))
            return Rank(named, descending, limit, words, place)
        if column := self._by_adjective(adjective):
            return Rank(column, descending, limit, words, place)
        following = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        if following and self.near and following.folded not in _PLAIN:
            numeric = [one for one in self.table.columns.values() if _counts(one)]
            scores = self.near(following.folded, [one.name for one in numeric]) if numeric else []
            best = max(range(len(numeric)), key=lambda one: scores[one]) if numeric else 0
            if numeric and scores[best] >= NEAR_ENOUGH:
                self.placed.add(at + 1)
                return Rank(numeric[best].name, descending, limit, words, place)
        times = [one for one in self.columns if self.table.columns[one.column].is_time]
        later = [one for one in times if one.first > at]
        if later:
            return Rank(later[0].column, descending, limit, words, place)
        if words.casefold() in ("most", "least", "fewest"):
            return Rank("", descending, 1, "?")  # the most frequent value
        if column := self._only_number(f"“{words}”"):
            return Rank(column, descending, limit, words, place)
        return Rank("", descending, 1, "?")

    def _neighbour(self) -> Operation | None:
        """Whether the row before or after another is asked for."""
        for at, token in enumerate(self.tokens):
            word = token.folded
            if self._in_value(at) or word not in _NEIGHBOURS:
                continue
            behind = [one for one in self.values if one.first > at]
            if word in ("next", "previous", "following", "preceding") or behind:
                self.placed.add(at)
                for one in ("directly", "right", "immediately", "just", "comes", "came"):
                    self._said(one)
                return _NEIGHBOURS[word]
        return None

    def _operation(self, rank: Rank | None) -> Operation:
        if self._said("difference") or self._said("how many more") or self._said("how much more"):
            return "difference"
        for phrase in _DIFFERENCES:
            if self._said(phrase):
                return "difference"
        if self._said("ratio") or self._said("how many times more"):
            return "ratio"
        if self._said("average") or self._said("mean") or self._said("on average"):
            return "average"
        counted = self._said("how many") or self._said("number of") or self._said("how often")
        numbers = [one for one in self.columns if _counts(self.table.columns[one.column])]
        for phrase in ("sum", "sums", "total", "combined", "altogether", "overall", "in all"):
            if self._said(phrase):
                if numbers or not counted:
                    return "sum"
                return "count"
        return "count" if counted or self._said("count") else "select"

    def _conditions(self, bounds: Sequence[Condition]) -> list[Condition]:
        """What values the rows have; two values of one column are alternatives."""
        by_column: dict[str, list[Mention]] = {}
        for mention in self.values:
            by_column.setdefault(mention.column, []).append(mention)
            self.placed.update(range(mention.first, mention.last + 1))
        found: list[Condition] = []
        for column, mentions in by_column.items():
            words = ", ".join(self._text(one.first, one.last) for one in mentions)
            wholes = tuple(dict.fromkeys(one.value for one in mentions if one.whole))
            if len(wholes) > 1:
                found.append(Condition(column, "in", wholes, words))
            elif wholes:
                negated = self._negated(mentions[0].first)
                found.append(Condition(column, "!=" if negated else "=", wholes[0], words))
            found += [
                Condition(column, "contains", one.value, words) for one in mentions if not one.whole
            ]
        return found + self._dates(bounds)

    def _negated(self, at: int) -> bool:
        words = [one.folded for one in self.tokens[max(0, at - 3) : at]]
        return bool({"not", "besides", "except", "excluding"} & set(words)) or (
            words[-2:] == ["other", "than"]
        )

    def _dates(self, bounds: Sequence[Condition]) -> list[Condition]:
        """A month or a year that the question names, of a column of dates."""
        dates = [one.name for one in self.table.columns.values() if one.kind == "date"]
        found: list[Condition] = []
        for at, token in enumerate(self.tokens):
            if at in self.placed or not dates:
                continue
            if token.folded in MONTHS and (token.text[0].isupper() or len(token.text) > 3):
                found.append(Condition(dates[0], "month", float(MONTHS[token.folded]), token.text))
                self.placed.add(at)
            elif re.fullmatch(r"1\d{3}|20\d{2}", token.folded):
                found.append(Condition(dates[0], "year", float(token.folded), token.text))
                self.placed.add(at)
        return found

    def _measured(self, conditions: Sequence[Condition]) -> str:
        """The column of numbers that is computed: named, near in meaning, or the only one."""
        bound = {one.column for one in conditions}
        named = [
            one.column
            for one in self.columns
            if self.table.columns[one.column].kind == "number" and one.column not in bound
        ]
        if named:
            return named[0]
        times = [one.column for one in self.columns if self.table.columns[one.column].is_time]
        if times and times[0] not in bound:
            return times[0]
        numeric = [one.name for one in self.table.columns.values() if _counts(one)]
        for at, token in enumerate(self.tokens):
            if self.near and numeric and at not in self.placed and token.folded not in _PLAIN:
                scores = self.near(token.folded, numeric)
                best = max(range(len(numeric)), key=lambda one: scores[one])
                if scores[best] >= NEAR_ENOUGH:
                    self.placed.add(at)
                    return numeric[best]
        return self._only_number("the calculation")

    def _counted(
        self, conditions: Sequence[Condition], rank: Rank | None
    ) -> tuple[Operation, str, bool, Rank | None]:
        """What `how many` asks: a cell of numbers, different values, or rows."""
        after = self._said("how many") or self._said("number of") or 0
        numeric = [
            one
            for one in self.columns
            if self.table.columns[one.column].kind == "number"
            and one.column not in {each.column for each in conditions}
            and 0 <= one.first - after <= 3
        ]
        named = {one.column for one in conditions if one.operator in ("=", "contains")}
        if rank and rank.column and numeric and numeric[0].column != rank.column:
            return "select", numeric[0].column, False, rank
        if numeric and not (rank and rank.column) and named:
            return "select", numeric[0].column, False, None
        if numeric and not conditions and not rank:
            return "sum", numeric[0].column, False, None
        if {"different", "distinct", "unique", "various"} & {one.folded for one in self.tokens}:
            for word in ("different", "distinct", "unique", "various"):
                self._said(word)
            columns = [one.column for one in self.columns if one.first >= after]
            if columns:
                return "count", columns[0], True, None
        if not conditions:
            texts = [one.column for one in self.columns if 0 <= one.first - after <= 2]
            if texts:
                return "count", texts[0], True, None
        return "count", "", False, None

    def _asked_column(
        self, conditions: Sequence[Condition], rank: Rank | None, *, stepping: bool = False
    ) -> str:
        """The column that the question wants: named after `which` or `what`, else by its word."""
        used = {one.column for one in conditions if one.operator not in ("in", ">", "<")}
        free = [one for one in self.columns if one.column not in used]
        for mention in free:
            if self._is_asked(mention):
                return mention.column
        first = [one for one in free if not rank or one.column != rank.column]
        starts = self.tokens[0].folded if self.tokens else ""
        words = {one.folded for one in self.tokens}
        if "when" in words or ("year" in words and not first):
            times = [one.name for one in self.table.columns.values() if one.is_time]
            if times:
                return times[0]
        if rank is None and not first and free:
            return free[0].column
        if first and (rank is None or starts not in ("which", "who")):
            return first[0].column
        label = self.table.label
        compared = [one.column for one in conditions if one.operator == "in"]
        if compared and rank:
            return compared[0]
        if first and first[0].first <= 3:
            return first[0].column
        identified = any(one.operator == "=" and one.column == label for one in conditions)
        if identified and not rank and not stepping:
            others = [one for one in self.table.header if one != label]
            self.guesses.append(f"no column was named; there are {', '.join(others[:5])}")
        return label

    def _text(self, first: int, last: int) -> str:
        return " ".join(one.text for one in self.tokens[first : last + 1])


def _counts(column: Column) -> bool:
    """Whether numbers of a column can be added: not years, places or numbers of rows."""
    names = {"rank", "no", "id", "position", "pos", "place", "number", "row", "nr", "index"}
    return column.kind == "number" and not column.is_year and not names & set(column.words)


def _adjective(word: str, ending: str) -> str:
    """The adjective of a superlative or comparative; empty where it is none."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not word.endswith(ending) or len(word) < len(ending) + 3:
        return ""
    base = word[: -len(ending)]
    known = {*_MEASURES, *_TIMES}
    forms = (base, base + "e", base[:-1], base[:-1] + "y" if base.endswith("i") else base)
    for form in forms:
        if form in known:
            return form
    return base if ending == "est" and len(base) >= 4 and base not in _NOT_ADJECTIVES else ""


def _units(word: str) -> set[str]:
    """A unit and its short forms."""
    for group in _UNITS:
        if word in group:
            return set(group)
    return {word}


_UNITS = tuple(
    tuple(one.split())
    for one in (
        "m metre metres meter meters",
        "km kilometre kilometres kilometer kilometers",
        "cm centimetre centimetres centimeter centimeters",
        "ft foot feet",
        "mi mile miles",
        "kg kilogram kilograms kilo kilos",
        "lb lbs pound pounds",
        "usd dollar dollars",
        "eur euro euros",
        "s sec second seconds",
        "min minute minutes",
        "h hour hours",
        "percent pct",
    )
)
_NOT_ADJECTIVES = frozenset(_split(
    "contest protest request interest conquest harvest forest "
)) | {
    "cont", "prot", "requ", "inter", "conqu", "harv", "north", "south", "north w", "midw",
}  # fmt: skip
_NEIGHBOURS: Mapping[str, Operation] = {
    "next": "next", "after": "next", "following": "next", "below": "next", "under": "next",
    "previous": "previous", "before": "previous", "preceding": "previous", "above": "previous",
    "prior": "previous",
}  # fmt: skip
_DIFFERENCES = (
    "how much taller", "how much higher", "how much longer", "how many years between",
    "how much older", "how many years passed", "how much larger", "how much bigger",
    "how many fewer", "how much less",
)  # fmt: skip
_FUNCTION_WORDS = frozenset(_split("a an the of in on at to for from by with and or is no per "))
_WORDS_OF_OPERATIONS = frozenset(
    [
        *_MORE, *_LESS, *_TIMES, *_MOST, *_LEAST, *_NEIGHBOURS, *_ORDINALS, *_NUMBERS, *MONTHS,
        "average", "mean", "sum", "total", "difference", "ratio", "count", "different",
    ]
)  # fmt: skip
