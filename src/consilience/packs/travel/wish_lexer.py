"""Which words of a wish belong to closed classes or to the atlas, and what do they stand for?

A text becomes tokens, and tokens become chunks: numbers, durations, dates, clock times, money,
people, means of transport, negations and bounds, names of places (also misspelt ones), and the
atlas's own terms. A chunk says what the words are; `wish_parser` says what they ask for. At each
token the longest chunk wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, Literal

from rapidfuzz import process
from rapidfuzz.distance import OSA

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.constraints import MODES, MONTHS, WEEKDAYS
from consilience.packs.travel.terms import IGNORED, Lexicon, lexicon, plain, read_table
from consilience.packs.travel.terms import tokens as stems_of

TokenKind = Literal["word", "number", "sign"]
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,:]\d+)*|[^\w\s]|_")
_WORDS: Mapping[str, Any] = read_table("wish")
_NUMBERS: list[str] = _WORDS["numbers"].split()
_TENS: list[str] = _WORDS["tens"].split()
_ORDINALS: list[str] = _WORDS["ordinals"].split()
_VALUES: Mapping[str, int] = {
    **{word: value for value, word in enumerate(_NUMBERS)},
    **{word: 20 + 10 * value for value, word in enumerate(_TENS)},
    "dozen": 12,
    "couple": 2,
}
_SCALES: Mapping[str, int] = _WORDS["scales"]
_UNITS: Mapping[str, tuple[str, float]] = {
    word: (unit, factor)
    for unit, factors in _WORDS["units"].items()
    for factor, words in factors.items()
    for word in words
}
_WHOLE: Mapping[str, tuple[int, int]] = {"weekend": (2, 3), "fortnight": (14, 14)}
_CURRENCIES: Mapping[str, str] = {
    sign: code for code, signs in _WORDS["currencies"].items() for sign in signs
}
PEOPLE: Mapping[str, str] = {
    word: person for person, words in _WORDS["people"].items() for word in words
}
CHILDREN = frozenset(_WORDS["children"])
_SEASONS: Mapping[str, Sequence[int]] = _WORDS["seasons"]
_MODE_WORDS: Mapping[str, str] = {
    word: mode for mode, words in _WORDS["modes"].items() for word in words
}
_PREPOSITIONS = frozenset(("in", "on", "at", "by", "for", "near", "around", "with"))
_PARTS = ("morning", "afternoon", "evening")
_AFTER_CLOCK = frozenset(_WORDS["after clock"].split())
CUES: Mapping[str, frozenset[str]] = {
    name: frozenset(words) for name, words in _WORDS["cues"].items()
}
FUNCTION = frozenset(_WORDS["function"].split())
"""Words that ask for nothing by themselves."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a sign of the text; `plain` is without case and accents."""

    text: str
    plain: str
    stem: str
    kind: TokenKind
    start: int
    end: int
    breaks: bool
    """Whether a new line begins before it."""
    glued: bool
    """Whether no space is before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Tokens from `first` to `last` that stand for something of a class, the `tag`.

    `name` is what it is exactly (a unit, a currency, a person), `low` and `high` its numbers,
    `names` places, terms or ages, `dates` a first and a last day, `own` the tokens it has where
    there are others between them.
    """

    tag: str
    first: int
    last: int
    name: str = ""
    low: Decimal | None = None
    high: Decimal | None = None
    names: tuple[str, ...] = ()
    dates: tuple[date | None, date | None] = (None, None)
    own: tuple[int, ...] = ()

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens that it is made of."""
        return self.own or tuple(range(self.first, self.last + 1))


def tokenise(text: str) -> list[Token]:
    """The tokens of a text."""
    found: list[Token] = []
    whole = plain(text).replace("’", "'")
    for match in _TOKEN.finditer(whole):
        word, start, end = match[0], match.start(), match.end()
        kind: TokenKind = "number" if word[0].isdigit() else "word" if word[0].isalpha() else "sign"
        stems = stems_of(word) if kind == "word" else ()
        between = text[found[-1].end : start] if found else ""
        found.append(
            Token(
                text=text[start:end],
                plain=word,
                stem=stems[0].stem if stems else word,
                kind=kind,
                start=start,
                end=end,
                breaks="\n" in between,
                glued=bool(found) and not between,
            )
        )
    return found


class Scanner:
    """Finds the chunks of one text."""

    def __init__(self, text: str, atlas: Atlas, today: date) -> None:
        self.text = text
        self.tokens = tokenise(text)
        self._atlas = atlas
        self.today = today
        self._year_said = 0
        self._terms = self._find_terms()
        self._names = atlas.derive("wish names", _gazetteer)
        self._parts = atlas.derive("wish parts of names", _name_parts)
        self._shouts = not re.search(r"[A-Z][a-z]", text)  # capitals say nothing here

    def chunks(self) -> list[Chunk]:
        """All chunks in order; the longest at each token, the first class of equal ones."""
        scanners: tuple[Callable[[int], Chunk | None], ...] = (
            self._phrase, self._comparative, self._date, self._weekdays, self._clock, self._money,
            self._age,
            self._duration, self._day, self._person, self._name, self._mode, self._part,
            self._term, self._fuzzy_name, self._plain_number,
        )  # fmt: skip
        found: list[Chunk] = []
        at = 0
        while at < len(self.tokens):
            options = [chunk for scan in scanners if (chunk := scan(at)) is not None]
            best = max(options, key=lambda chunk: chunk.last, default=None)
            if best is not None:
                found.append(best)
                found += self._inside(best, scanners)
                at = best.last
            at += 1
        return sorted(found, key=lambda chunk: chunk.first)

    def _inside(
        self, outer: Chunk, scanners: Iterable[Callable[[int], Chunk | None]]
    ) -> list[Chunk]:
        """The chunks of the tokens that stand between those of another one."""
        found = []
        for at in range(outer.first, outer.last):
            options = [scan(at) for scan in scanners] if at not in outer.tokens else []
            inner = [c for c in options if c and not set(c.tokens) & set(outer.tokens)]
            found += inner[:1]
        return found

    # --- helpers --------------------------------------------------------------------------

    def word(self, at: int) -> str:
        """The plain text of a token; empty behind the end."""
        return self.tokens[at].plain if 0 <= at < len(self.tokens) else ""

    def _joins(self, at: int, words: tuple[str, ...]) -> bool:
        """Whether a token joins the two ends of a range: a dash that begins a line does not."""
        return self.word(at) in words and not self.tokens[at].breaks

    def _is_capital(self, at: int) -> bool:
        return self._shouts or self.tokens[at].text[:1].isupper()

    def number(self, at: int) -> tuple[Decimal, int] | None:
        """The number that begins at a token, and the token behind it."""
        word = self.word(at)
        if word and word[0].isdigit():
            value, after = _digits(word), at + 1
            if value is None or self.word(after) in ("st", "nd", "rd", "th"):
                return None
            while re.fullmatch(r"\d{3}", self.word(after)) and not self.tokens[after].glued:
                if not re.fullmatch(r"\d{1,3}", self.word(after - 1)):
                    break
                value, after = value * 1000 + int(self.word(after)), after + 1
            return self._scaled(value, after)
        couple = self.word(at + 1) == "of" and self.word(at - 1) not in ("we're", "are", "a")
        if word in _VALUES and (word != "couple" or couple):
            value, after = Decimal(_VALUES[word]), at + 1
            if word in _TENS:
                unit = after + (self.word(after) == "-")
                if self.word(unit) in _NUMBERS[1:10]:
                    value, after = value + _VALUES[self.word(unit)], unit + 1
            if word in ("couple", "dozen") and self.word(after) == "of":
                after += 1
            return self._scaled(value, after)
        if (
            word in ("a", "an")
            and self.word(at + 1) in ("couple", "dozen", "hundred", "thousand")
            and (
                self.word(at + 1) != "couple"
                or (self.word(at + 2) == "of" and self.word(at - 1) not in ("we're", "are", "as"))
            )
        ):
            return self.number(at + 1) or self._scaled(Decimal(1), at + 1)
        return None

    def _scaled(self, value: Decimal, after: int) -> tuple[Decimal, int]:
        scale = _SCALES.get(self.word(after))
        if scale and (self.word(after) not in ("m", "k") or self.tokens[after].glued):
            return value * scale, after + 1
        return value, after

    def numbers(self, at: int) -> tuple[Decimal, Decimal, int] | None:
        """A number or a range of two from a token on, and the token behind it."""
        first = self.number(at)
        if first is None:
            return None
        low, after = first
        if self._joins(after, ("-", "–", "—", "to", "or")):
            second = self.number(after + 1)
            if second is not None and second[0] > low:
                return low, second[0], second[1]
        return low, low, after

    # --- classes --------------------------------------------------------------------------

    def _comparative(self, at: int) -> Chunk | None:
        """`no dearer than`: whatever is compared, a limit from above."""
        compared = self.word(at + 1).endswith("er") and self.word(at + 1) != "later"
        if self.word(at) not in ("no", "not") or self.word(at + 2) != "than" or not compared:
            return None
        return Chunk(tag="most", first=at, last=at + 2, name="no dearer than")

    def _phrase(self, at: int) -> Chunk | None:
        for length, tag in _phrases_by_word().get(self.word(at).removesuffix("'s"), ()):
            words = tag[1]
            if all(self._spells(at + step, word) for step, word in enumerate(words)):
                return Chunk(tag=tag[0], first=at, last=at + length - 1, name=" ".join(words))
        return None

    def _spells(self, at: int, word: str) -> bool:
        return self.word(at) == word or self.word(at).removesuffix("'s") == word != "it"

    def _plain_number(self, at: int) -> Chunk | None:
        found = self.numbers(at)
        if found is None:
            return None
        low, high, after = found
        return Chunk(tag="number", first=at, last=after - 1, low=low, high=high)

    def _duration(self, at: int) -> Chunk | None:
        found, half = self.numbers(at), False
        if found is None and self.word(at) in ("a", "an", "half") and not self.number(at + 1):
            half = self.word(at) == "half"
            after = at + 1 + (half and self.word(at + 1) in ("a", "an", "-"))
            found = (Decimal(1), Decimal(1), after)
        if found is None and self.word(at) in (*_WHOLE, "week", "weeks"):
            found = (Decimal(1), Decimal(1), at)
        if found is None:
            return None
        low, high, after = found
        if self.word(after) == "of" and self.word(after + 1) in ("the", "those", "these", "our"):
            after += 2
        for gap in range(4):
            unit = self.word(after + gap)
            if gap and self.number(after + gap):
                return None
            if unit in _WHOLE:
                days = _WHOLE[unit]
                extra = int(self.word(after + gap - 1) == "long")
                low, high = low * (days[0] + extra), high * (days[1] + extra)
                own = gap - extra
                return self._unit(at, after, gap, "day", low, high, own)
            if unit in _UNITS and (len(unit) > 1 or self.tokens[after + gap].glued or unit == "h"):
                name, factor = _UNITS[unit]
                times = Decimal(str(factor)) / (2 if half else 1)
                return self._unit(at, after, gap, name, low * times, high * times)
            if not unit.isalpha() and unit != "-":
                return None
            if unit in FUNCTION and unit not in ("whole", "good", "nice", "rest", "more"):
                return None
        return None

    def _unit(
        self, at: int, after: int, gap: int, name: str, low: Decimal, high: Decimal, tail: int = -1
    ) -> Chunk:
        own = (*range(at, after), *range(after + (gap if tail < 0 else tail), after + gap + 1))
        own += tuple(step for step in range(after, after + gap) if self.word(step) == "-")
        return Chunk(
            tag="duration", first=at, last=after + gap, name=name, low=low, high=high,
            own=tuple(sorted(own)),
        )  # fmt: skip

    def _age(self, at: int) -> Chunk | None:
        found = self.number(at)
        if found is None:
            return None
        value, after = found
        steps = [self.word(after + step) for step in range(4)]
        words = [word for word in steps if word != "-"]
        if words[:1] and words[0] in ("year", "years", "yr", "yrs") and words[1:2] and words[1] in (
            "old", "olds",
        ):  # fmt: skip
            last = after + next(s for s, word in enumerate(steps) if word in ("old", "olds"))
            return Chunk(tag="age", first=at, last=last, low=value, high=value)
        return None

    def _day(self, at: int) -> Chunk | None:
        """`day 3`, `days 2-4`, `the second day`, `the last three days`."""
        if self.word(at) in ("day", "days"):
            found = self.numbers(at + 1)
            if found and found[1] <= 60:
                days = range(int(found[0]), int(found[1]) + 1)
                return Chunk(tag="days", first=at, last=found[2] - 1, names=tuple(map(str, days)))
        word, after = self.word(at), at + 1
        numbered = word.isdigit() and self.word(after) in ("st", "nd", "rd", "th")
        if numbered and self.word(after + 1) in ("day", "night"):
            return Chunk(tag="days", first=at, last=after + 1, names=(word,))
        if word in ("first", "last", "final") and self.word(after) in _PARTS:
            return Chunk(tag="days", first=at, last=at, names=("1" if word == "first" else "-1",))
        if word in ("final", "last", *_ORDINALS):
            found = self.numbers(after)
            count = int(found[0]) if found and found[0] <= 60 else 1
            after = found[2] if found else after
            unit = self.word(after) in ("day", "days") or (found and self.word(after) == "nights")
            elided = self.ends(after) or self.word(after) in _PREPOSITIONS
            if unit or (found and elided and word in ("first", "last", "final")):
                first = 1 if word == "first" else -count
                if word in _ORDINALS[1:]:
                    first, count = _ORDINALS.index(word) + 1, 1
                if self.word(after) == "nights" and word != "first":
                    first -= 1  # the night before the last day is the last one
                days = range(first, first + count)
                last = after if unit else after - 1
                return Chunk(tag="days", first=at, last=last, names=tuple(map(str, days)))
        return None

    def ends(self, at: int) -> bool:
        """Whether a clause ends before a token."""
        return at >= len(self.tokens) or self.tokens[at].breaks or self.word(at) in ".,;!?()"

    def _money(self, at: int) -> Chunk | None:
        code = self._currency(at)
        if code and (found := self.numbers(at + 1)):
            return Chunk(tag="money", first=at, last=found[2] - 1, name=code, low=found[0],
                         high=found[1])  # fmt: skip
        found = self.numbers(at)
        if found and (code := self._currency(found[2])):
            return Chunk(tag="money", first=at, last=found[2], name=code, low=found[0],
                         high=found[1])  # fmt: skip
        return None

    def _currency(self, at: int) -> str:
        word = self.word(at)
        if word in _CURRENCIES:
            return _CURRENCIES[word]
        code = word.upper()
        return code if code in self._atlas.rates or code == self._atlas.currency != "" else ""

    def _clock(self, at: int) -> Chunk | None:
        first = self._time(at)
        if first is None:
            return None
        minutes, after = first
        if self._joins(after, ("-", "–", "—", "to", "until", "till")):
            second = self._time(after + 1)
            if second is not None:
                return Chunk(tag="clock", first=at, last=second[1] - 1, name="range",
                             low=Decimal(minutes), high=Decimal(second[0]))  # fmt: skip
        return Chunk(tag="clock", first=at, last=after - 1, low=Decimal(minutes))

    def _time(self, at: int) -> tuple[int, int] | None:
        word = self.word(at)
        fixed = {"noon": 720, "midday": 720, "midnight": 1440}
        if word in fixed:
            return fixed[word], at + 1
        if word in ("half", "quarter") and self.word(at + 1) in ("past", "to"):
            hour = self.number(at + 2)
            if hour and hour[0] <= 24:
                shift = 30 if word == "half" else 15
                shift *= 1 if self.word(at + 1) == "past" else -1
                return self._half_of_day(int(hour[0]) * 60 + shift, hour[1])
        if match := re.fullmatch(r"(\d{1,2})[:.](\d\d)", word):
            hours, rest = int(match[1]), int(match[2])
            dotted = "." in word and self.word(at + 1) not in ("am", "pm")
            if hours <= 24 and rest < 60 and not dotted:
                return self._half_of_day(hours * 60 + rest, at + 1)
        found = self.number(at)
        if found is None or not 0 <= found[0] <= 24 or found[0] % 1:
            return None
        full_hour, after = int(found[0]), found[1]
        if self.word(after) in ("am", "pm", "o'clock") or (
            self.word(after) == "h" and self.tokens[after].glued and full_hour > 12
        ):
            clock = self._half_of_day(full_hour * 60, after)
            return clock[0], clock[1] + (self.word(clock[1]) in ("h", "o'clock"))
        before = self.word(at - 1)
        if before == "than" and self.word(at - 2) not in ("later", "earlier"):
            return None
        if before in ("at", "before", "after", "by", "until", "till", "than", "past") and (
            self.ends(after) or self.word(after) in _AFTER_CLOCK
        ):
            return self._half_of_day(full_hour * 60, after)
        return None

    def _half_of_day(self, minutes: int, after: int) -> tuple[int, int]:
        """The time by `am`, `pm`, `in the evening` behind it."""
        words = [self.word(after + step) for step in range(3)]
        late = words[0] == "pm" or (
            words[:2] == ["in", "the"] and words[2] in ("evening", "afternoon")
        )
        if late or words[:2] == ["at", "night"]:
            minutes += 720 if minutes < 720 else 0
        elif words[0] == "am" and minutes >= 720:
            minutes -= 720
        return minutes, after + (words[0] in ("am", "pm"))

    def _person(self, at: int) -> Chunk | None:
        found = self.number(at)
        count, after = (found[0], found[1]) if found else (None, at)
        for gap in range(3 if found else 1):
            token = self.tokens[after + gap] if after + gap < len(self.tokens) else None
            if token is None or token.kind != "word":
                return None
            who = PEOPLE.get(token.stem) or PEOPLE.get(token.plain)
            if who is not None and not self._is_part_of_name(after + gap):
                law = "".join(map(self.word, range(after + gap + 1, after + gap + 5))) == "-in-law"
                return Chunk(
                    tag="person",
                    first=at,
                    last=after + gap + 4 * law,
                    name=who,
                    low=count * (1 + (who == "couple"))
                    if count
                    else self._implied_count(after + gap, who),
                )
            if token.plain in FUNCTION or token.plain in _UNITS:
                return None
        return None

    def _implied_count(self, at: int, who: str) -> Decimal | None:
        """How many a person without a number is; None where nobody can tell."""
        token = self.tokens[at]
        plural = token.plain not in (token.stem, f"{token.stem}'s") or token.plain in (
            "children", "men", "women",
        )  # fmt: skip
        if who in ("parent", "grandparent") and plural:
            return Decimal(2)
        if who == "couple":
            return Decimal(2)
        said = {self.word(at - step) for step in range(1, 4)}
        owned = said & {"my", "our", "me", "with", "a", "and", "+", "&", "his", "her", "the"}
        if plural or who == "adult" or not (owned or token.text[:1].isupper()):
            return None
        return Decimal(1)

    def _is_part_of_name(self, at: int) -> bool:
        after = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        return self.tokens[at].text[:1].isupper() and bool(
            after and after.kind == "word" and after.text[:1].isupper() and not after.breaks
        )

    def _mode(self, at: int) -> Chunk | None:
        word, stem = self.word(at), self.tokens[at].stem
        singular = f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("es")
        mode = _MODE_WORDS.get(word) or _mode_of(stem) or _mode_of(singular)
        after = self.word(at + 1)
        ridden = _mode_of(after) or _mode_of(after.removesuffix("es")) or _mode_of(after[:-1])
        if (mode == "overnight" or word == "night") and ridden:
            return Chunk(tag="mode", first=at, last=at + 1, name="overnight")
        if mode in ("boat", "bicycle") and self._terms.get(at):
            ruled = self.word(at - 1) in ("by", "no", "without", "only") or word.startswith("ferr")
            mode = mode if ruled else ""
        if (mode == "foot" and word != "foot") or stem in ("transfer", "drive"):
            mode = "car" if word == "drive" else ""
        return Chunk(tag="mode", first=at, last=at, name=mode) if mode else None

    def _part(self, at: int) -> Chunk | None:
        name = self.word(at).removesuffix("s")
        if name not in _PARTS or self.word(at - 1) == "good":
            return None
        return Chunk(tag="part", first=at, last=at, name=name)

    # --- the calendar ---------------------------------------------------------------------

    def _date(self, at: int) -> Chunk | None:
        return self._iso(at) or self._day_month(at) or self._month(at) or self._relative(at)

    def _iso(self, at: int) -> Chunk | None:
        text = "".join(self.word(at + step) for step in range(5))
        match = re.match(r"(\d{4})-(\d\d)-(\d\d)$", text)
        if match:
            return self._dated(at, at + 4, _make_date(*map(int, match.groups())))
        match = re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", self.word(at))
        if match:
            day, month, year = map(int, match.groups())
            return self._dated(at, at, _make_date(year, month, day))
        return None

    def _day_month(self, at: int) -> Chunk | None:
        first, after = self._day_number(at)
        second = 0
        if first and self._joins(after, ("-", "–", "—", "to", "until", "till", "and")):
            second, behind = self._day_number(after + 1)
            after = behind if second else after
        if first:
            month_at = after + (self.word(after) == "of")
            month = _month_of(self.word(month_at))
            if month:
                year, last = self._year(month_at + 1)
                return self._dated_range(
                    at, last - 1, (first, month), (second or first, month), year
                )
            if (
                not second
                and self.word(at - 1) == "the"
                and self.word(at + 1) in ("st", "nd", "rd", "th")
            ):
                return self._dated(at, after - 1, self._next_day(first))
            return None
        month = _month_of(self.word(at))
        if month and self._is_month_word(at):
            first, after = self._day_number(at + 1)
            if first and self.word(after) not in _UNITS:
                if self._joins(after, ("-", "–", "—", "to")):
                    second, behind = self._day_number(after + 1)
                    after = behind if second else after
                year, last = self._year(after)
                return self._dated_range(
                    at, last - 1, (first, month), (second or first, month), year
                )
        return None

    def _day_number(self, at: int) -> tuple[int, int]:
        """A day of a month, and the token behind it; 0 for none."""
        word = self.word(at)
        if re.fullmatch(r"\d{1,2}", word) and 1 <= int(word) <= 31:
            return int(word), at + 1 + (self.word(at + 1) in ("st", "nd", "rd", "th"))
        return 0, at

    def _year(self, at: int) -> tuple[int, int]:
        comma = self.word(at) == ","
        word = self.word(at + comma)
        if re.fullmatch(r"20\d\d", word):
            return int(word), at + comma + 1
        return 0, at

    def _dated_range(
        self, first: int, last: int, start: tuple[int, int], end: tuple[int, int], year: int
    ) -> Chunk | None:
        name = "within" if self.word(first - 1) == "between" and start != end else ""
        begins = self._next_date(*start, year)
        ends = self._next_date(*end, year)
        if begins is None or ends is None:
            return None
        return Chunk(tag="date", first=first, last=last, dates=(begins, ends), name=name)

    def _dated(self, first: int, last: int, day: date | None) -> Chunk | None:
        return Chunk(tag="date", first=first, last=last, dates=(day, day)) if day else None

    def _next_date(self, day: int, month: int, year: int) -> date | None:
        self._year_said = year or self._year_said
        if self._year_said:
            return _make_date(self._year_said, month, day)
        found = _make_date(self.today.year, month, day)
        if found is not None and found < self.today:
            found = _make_date(self.today.year + 1, month, day)
        return found

    def _next_day(self, day: int) -> date | None:
        for step in range(62):
            found = self.today + timedelta(days=step)
            if found.day == day:
                return found
        return None

    def _month(self, at: int) -> Chunk | None:
        """A month or season, with `early`, `mid` or `late` before it."""
        start, name = at, ""
        parts = {
            "early": "early",
            "beginning": "early",
            "late": "late",
            "end": "late",
            "mid": "mid",
        }
        if self.word(at) in parts:
            name, at = parts[self.word(at)], at + 1
            while self.word(at) in ("-", "to", "of", "late"):
                at += 1
        elif self.word(at) in ("first", "second") and self.word(at + 1) == "half":
            name, at = ("early", "late")[self.word(at) == "second"], at + 3
        months = tuple(_SEASONS.get(self.word(at), ()))
        month = _month_of(self.word(at))
        if month and (name or self._is_month_word(at)):
            months = (month,)
        if not months:
            return None
        year, last = self._year(at + 1)
        return Chunk(tag="month", first=start, last=last - 1, name=name, low=Decimal(year) or None,
                     names=tuple(map(str, months)))  # fmt: skip

    def _is_month_word(self, at: int) -> bool:
        """Whether `may` or `march` are months here."""
        if self.word(at) not in ("may", "march", "mar", "sun", "dec", "jan", "sep"):
            return True
        before = self.word(at - 1)
        return (
            before
            in ("in", "on", "of", "during", "weeks", "days", "or", "and", "until", "by", "early")
            or before.isdigit()
            or (self.tokens[at].text[:1].isupper() and at > 0)
            or self.word(at + 1)[:1].isdigit()
        )

    def _relative(self, at: int) -> Chunk | None:
        words = (self.word(at), self.word(at + 1))
        monday = self.today - timedelta(days=self.today.weekday())
        found: dict[tuple[str, str], tuple[date, date]] = {
            ("this", "weekend"): (monday + timedelta(5), monday + timedelta(6)),
            ("next", "weekend"): (monday + timedelta(12), monday + timedelta(13)),
            ("next", "week"): (monday + timedelta(7), monday + timedelta(13)),
        }
        if words in found:
            return Chunk(tag="date", first=at, last=at + 1, dates=found[words], name="within")
        if words[0] == "tomorrow":
            return self._dated(at, at, self.today + timedelta(1))
        return None

    def _weekdays(self, at: int) -> Chunk | None:
        first = self._weekday(at)
        if first is None:
            return None
        after = at + 1 + (self.word(at + 1).removesuffix("s") in _PARTS)
        second = None
        if self._joins(after, ("-", "–", "to", "till", "until", "through")):
            second = self._weekday(after + 1, sure=True)
        if second is not None:
            span = [str((first + step) % 7) for step in range((second - first) % 7 + 1)]
            last = after + 1 + (self.word(after + 2).removesuffix("s") in _PARTS)
            return Chunk(tag="weekday", first=at, last=last, name="range", names=tuple(span))
        after = at + 1
        other = self._weekday(after + 1) if self.word(after) in ("or", "and") else None
        if other is not None:
            return Chunk(tag="weekday", first=at, last=after + 1, names=(str(first), str(other)))
        dated = self._day_month(after + (self.word(after) == ","))
        if dated is not None:
            return Chunk(tag="date", first=at, last=dated.last, dates=dated.dates)
        return Chunk(tag="weekday", first=at, last=at, names=(str(first),))

    def _weekday(self, at: int, *, sure: bool = False) -> int | None:
        word = self.word(at).removesuffix("s")
        for number, name in enumerate(WEEKDAYS):
            if word == name.lower():
                return number
            if word in (name[:3].lower(), name[:4].lower()) and len(word) < 5:
                ranged = self.word(at + 1) in ("-", "–") or sure
                return number if ranged or self.tokens[at].text[:1].isupper() else None
        return None

    # --- the atlas ------------------------------------------------------------------------

    def _name(self, at: int) -> Chunk | None:
        if self.tokens[at].kind == "sign":
            return None
        joined, best = "", None
        for last in range(at, min(at + 8, len(self.tokens))):
            token = self.tokens[last]
            if last > at and (token.breaks or (token.kind == "sign" and token.plain not in "-'.")):
                break
            joined += re.sub(r"\W", "", token.plain.removesuffix("'s"))
            places = self._names.get(joined) or (self._coded(token) if last == at else ())
            if not places and self.tokens[at].text[:1].isupper():
                places = self._partial(joined, at, last)
            if places and token.kind != "sign" and self._is_name(at, last):
                best = Chunk(tag="name", first=at, last=last, names=places)
        return best

    def _partial(self, joined: str, at: int, last: int) -> tuple[str, ...]:
        """The only place whose name has these words, where they are proper ones."""
        words = range(at, last + 1)
        proper = all(self.tokens[t].text[:1].isupper() for t in words)
        longer = [t for t in (at - 1, last + 1) if 0 <= t < len(self.tokens)
                  and self.tokens[t].kind == "word" and self.tokens[t].text[:1].isupper()
                  and self.word(t) not in FUNCTION
                  and not (t < at and (t == 0 or self.tokens[t - 1].plain in ".!?:"))]  # fmt: skip
        if longer and not any(t in self._terms for t in longer):
            return ()
        known = any(t in self._terms or self.word(t) in FUNCTION for t in words)
        return self._parts.get(joined, ()) if proper and not known else ()

    def _coded(self, token: Token) -> tuple[str, ...]:
        """The city of an airport by its code in capitals."""
        if len(token.text) != 3 or not token.text.isupper():
            return ()
        return next((found.places for found in self._atlas.find_names(token.text)), ())

    def _is_name(self, at: int, last: int) -> bool:
        """Whether words that also mean something else are a name: capitals say so."""
        words = [self.word(step) for step in range(at, last + 1)]
        common = all(word in FUNCTION or word in _UNITS for word in words)
        if last == at and (common or self._terms.get(at) or self.word(at) in PEOPLE):
            return self.tokens[at].text[:1].isupper() and not common
        return not common

    def _fuzzy_name(self, at: int) -> Chunk | None:
        """A name that is spelt a little otherwise."""
        token = self.tokens[at]
        if token.kind != "word" or not self._is_capital(at) or token.plain in FUNCTION:
            return None
        for length in (3, 2, 1):
            words = self.tokens[at : at + length]
            if len(words) < length or any(
                word.kind != "word" or word.breaks or word.plain in FUNCTION for word in words[1:]
            ):
                continue
            joined = "".join(word.plain for word in words)
            longer = at and self._is_proper(at - 1)
            if len(joined) < 5 or self._terms.get(at) or token.plain in _VALUES or longer:
                continue
            near = [name for name in self._names if name[0] == joined[0]]
            found = process.extractOne(joined, near, scorer=OSA.distance,
                                       score_cutoff=1 if len(joined) < 11 else 2)  # fmt: skip
            if found is not None and len(found[0]) >= 5:
                places = self._names[found[0]]
                return Chunk(
                    tag="name", first=at, last=at + length - 1, names=places, name="misspelt"
                )
        return None

    def _is_proper(self, at: int) -> bool:
        """Whether a token is part of a name that the atlas does not have."""
        token = self.tokens[at]
        return (
            token.kind == "word"
            and token.text[:1].isupper()
            and at > 0
            and self.word(at - 1) not in ".!?"
            and token.plain not in FUNCTION
            and token.plain not in self._names
        )

    def _find_terms(self) -> dict[int, list[Chunk]]:
        """Terms by their first token: themes, kinds, attributes and what the atlas offers."""
        starts = {token.start: at for at, token in enumerate(self.tokens)}
        ends = {token.end: at for at, token in enumerate(self.tokens)}
        found: dict[int, list[Chunk]] = {}
        own = self._atlas.derive("wish terms", _atlas_terms)
        tables = {
            "attribute": lexicon("attribute"),
            "kind": lexicon("kind"),
            "offer": own,
            "theme": lexicon("theme"),
        }
        for category, table in tables.items():
            for names, start, end in table.find(self.text):
                first, last = starts.get(start), ends.get(end)
                if first is None or last is None or IGNORED in names:
                    continue
                words = {token.plain for token in self.tokens[first : last + 1]}
                loose = category == "theme" and {self.word(first), self.word(last)} & FUNCTION
                if last > first and (loose or words & PEOPLE.keys()):
                    continue
                chunk = Chunk(tag="term", first=first, last=last, name=category, names=names)
                found.setdefault(first, []).append(chunk)
        return found

    def _term(self, at: int) -> Chunk | None:
        """The longest term at a token; of equal ones every reading, the most exact first."""
        options = self._terms.get(at, [])
        if not options or (self.word(at) in FUNCTION and options[0].last == at):
            return None
        last = max(chunk.last for chunk in options)
        names = tuple(
            f"{chunk.name}:{name}"
            for chunk in options
            if chunk.last == last
            for name in chunk.names
        )
        return Chunk(tag="term", first=at, last=last, names=names)


def _digits(word: str) -> Decimal | None:
    """A number in digits: `1,500` and `1.500` have thousands, `1.5` has none."""
    if ":" in word:
        return None
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", word):
        return Decimal(re.sub(r"[.,]", "", word))
    if re.fullmatch(r"\d+(?:[.,]\d+)?", word):
        return Decimal(word.replace(",", "."))
    return None


def _make_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


@cache
def _month_of(word: str) -> int:
    for number, name in enumerate(MONTHS, start=1):
        if word in (name.lower(), name[:3].lower()) or (word == "sept" and number == 9):
            return number
    return 0


@cache
def _mode_of(word: str) -> str:
    return next((mode for mode, words in MODES.items() if word in words), "")


@cache
def _phrases_by_word() -> Mapping[str, list[tuple[int, tuple[str, tuple[str, ...]]]]]:
    """The closed phrases by their first word, the longest first."""
    found: dict[str, list[tuple[int, tuple[str, tuple[str, ...]]]]] = {}
    for tag, phrases in _WORDS["phrases"].items():
        for phrase in phrases:
            for spelling in {phrase, phrase.replace(" ", " - ")}:
                words = tuple(spelling.split())
                found.setdefault(words[0], []).append((len(words), (tag, words)))
    return {word: sorted(options, reverse=True) for word, options in found.items()}


def _gazetteer(atlas: Atlas) -> Mapping[str, tuple[str, ...]]:
    """Places by their names without spaces and accents, cities first; also without the type."""
    found: dict[str, list[str]] = {}
    short: dict[str, list[str]] = {}
    for key, place in atlas.places.items():
        for name in (place.name, *place.names):
            words = [word for word in plain(name).replace("’", "'").split() if word != "the"]
            found.setdefault(_join(words), []).append(key)
            rest = [word for word in words if word not in plain(place.type).split()]
            rest = rest[1:] if rest[:1] == ["of"] else rest
            if len(rest) < len(words) and len(rest) > 1:
                short.setdefault(_join(rest), []).append(key)
    for name, keys in short.items():
        if name not in found and len(set(keys)) == 1:
            found[name] = keys
    kinds = ("city", "region", "country", "area")
    return {
        name: tuple(
            sorted(dict.fromkeys(keys), key=lambda key: _rank(atlas.places[key].kind, kinds))
        )
        for name, keys in found.items()
        if name
    }


def _name_parts(atlas: Atlas) -> Mapping[str, tuple[str, ...]]:
    """One or two words that are in the name of a single place, with that place."""
    found: dict[str, set[str]] = {}
    for key, place in atlas.places.items():
        for name in (place.name, *place.names):
            words = [word for word in re.findall(r"[^\W\d_]+", plain(name)) if len(word) > 2]
            for at, word in enumerate(words):
                for part in (word, "".join(words[at : at + 2])):
                    if len(part) > 4:
                        found.setdefault(part, set()).add(key)
    return {part: tuple(keys) for part, keys in found.items() if len(keys) == 1}


def _join(words: Iterable[str]) -> str:
    return re.sub(r"\W", "", "".join(words))


def _rank(kind: str, kinds: tuple[str, ...]) -> int:
    return kinds.index(kind) if kind in kinds else len(kinds)


def _atlas_terms(atlas: Atlas) -> Lexicon:
    """What places offer, serve and are known for, in their own words."""
    return Lexicon({name: [name] for name in _offered(atlas)})


def _offered(atlas: Atlas) -> Iterator[str]:
    seen = set[str]()
    for place in atlas.places.values():
        for name in (*place.offers, *place.serves, *place.known_for, place.type):
            key = plain(name)
            if key and key not in seen and key not in FUNCTION and len(key) > 2:
                seen.add(key)
                yield key
