"""What does a wish ask for? Chunks and the head words around them become constraints.

The text is cut into sentences and clauses. Each value (an amount, a duration, a clock time, a
date, a name, a term) is read by the head words of its own clause: bounds before it, units behind
it, negations whose reach it is in. What is read covers its words; content words that nothing
covers are left over, and are shown as not understood. No rule is about one phrasing.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.constraints import (
    DIETS,
    WITHOUT,
    Appointment,
    Avoid,
    ClockWindow,
    Constraint,
    Dates,
    End,
    FreeTime,
    GoTo,
    Group,
    Length,
    Level,
    Means,
    Measure,
    Missing,
    Money,
    MoneyScope,
    Need,
    Nights,
    Order,
    Pace,
    Part,
    Scope,
    Season,
    Span,
    Start,
    Theme,
    Thing,
    Want,
    Within,
)
from consilience.packs.travel.wish_scan import CHILDREN, CUES, FUNCTION, Chunk, Scanner

_SENTENCE_ENDS = frozenset(".!?;•")
_CLAUSE_ENDS = frozenset(",():–—")
_JOINTS = frozenset(("and", "but", "while", "so", "because", "plus", "+", "&", "n"))
_ABBREVIATIONS = frozenset(("max", "min", "approx", "ca", "incl", "st", "no", "mr", "mrs", "dr"))
_LIST_NEGATIONS = frozenset(("no", "not", "nothing", "never", "none", "neither", "nobody"))
_VALUES = frozenset(
    ("number", "duration", "date", "month", "weekday", "clock", "money", "name", "mode", "days",
     "term", "person", "age", "not", "only", "except", "most", "least", "allergy", "part", "earliest",
     "latest")
)  # fmt: skip
"""Classes that mean something: where nothing covers one, it is left over."""
_ACCESS = frozenset(("wheelchair", "pets"))
_UNWANTED = frozenset(("stairs", "steep", "crowds", "heights", "night", "motorbike", "war"))
"""Attributes that nobody asks for: only ruled out."""
_SLOW_VISITS, _BUSY_VISITS = 3, 4
_SHORT_WALK_KM_PER_HOUR = 4


def read_constraints(
    text: str, atlas: Atlas, *, today: date
) -> tuple[tuple[Constraint, ...], tuple[Span, ...]]:
    """The constraints of a text, and the words that nothing covers."""
    reader = _Reader(text, atlas, today)
    reader.read()
    return tuple(reader.found), reader.leftover()


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A number of days or nights that belongs to a place or to terms."""

    chunk: Chunk
    nights: bool
    place: Chunk | None
    terms: tuple[Chunk, ...]


class _Reader:
    """Reads one wish; `found` are its constraints, `used` the tokens that they cover."""

    def __init__(self, text: str, atlas: Atlas, today: date) -> None:
        self.text = text
        self.atlas = atlas
        self.scanner = Scanner(text, atlas, today)
        self.tokens = self.scanner.tokens
        self.chunks = self.scanner.chunks()
        self.found: list[Constraint] = []
        self.used: set[int] = set()
        self._taken: set[Chunk] = set()
        self._sentence, self._clause = self._cut()
        self._negated = self._reach_of_negations()

    def read(self) -> None:
        """Every class in the order in which later ones need earlier ones."""
        steps: tuple[Callable[[], None], ...] = (
            self._read_affirmations, self._read_people, self._read_money, self._read_appointments,
            self._read_clocks, self._read_hours, self._read_dates, self._read_months,
            self._read_stretches, self._read_counts, self._read_routes, self._read_names,
            self._read_modes, self._read_allergies, self._read_terms, self._read_sides,
            self._read_free_time, self._read_pace, self._read_ruled_out_words, self._read_missing,
        )  # fmt: skip
        for step in steps:
            step()
        self._tidy()

    # --- structure ------------------------------------------------------------------------

    def _cut(self) -> tuple[list[int], list[int]]:
        """The number of the sentence and of the clause that each token is in."""
        starts = {chunk.first: chunk for chunk in self.chunks}
        inside = {at for chunk in self.chunks for at in range(chunk.first + 1, chunk.last + 1)}
        sentences, clauses, sentence, clause = [], [], 0, 0
        for at, token in enumerate(self.tokens):
            before = self.tokens[at - 1] if at else None
            dash = token.plain == "-" and not token.glued
            if before is not None and at not in inside:
                ended = before.plain in _SENTENCE_ENDS and not (
                    before.plain == "." and self.scanner.word(at - 2) in _ABBREVIATIONS
                )
                if token.breaks or ended:
                    sentence, clause = sentence + 1, clause + 1
                elif before.plain in _CLAUSE_ENDS or token.plain in _JOINTS or dash:
                    clause += 1
                elif at in starts and starts[at].tag in ("then", "except"):
                    clause += 1
            sentences.append(sentence)
            clauses.append(clause)
        return sentences, clauses

    def _reach_of_negations(self) -> dict[int, Chunk]:
        """For every token, the negation whose reach it is in."""
        found: dict[int, Chunk] = {}
        for chunk in self.chunks:
            if chunk.tag == "not":
                for at in self._reach(chunk):
                    found[at] = chunk
        return found

    def _reach(self, negation: Chunk) -> list[int]:
        """The tokens behind a negation up to the end of its clause or list."""
        after, reach = negation.last + 1, list[int]()
        lists = negation.name not in _LIST_NEGATIONS and "'t" not in negation.name
        clause = self._clause[negation.last]
        at = after
        while at < len(self.tokens) and self._sentence[at] == self._sentence[negation.last]:
            if self._clause[at] != clause:
                if not self._continues(at, lists=lists or self.tokens[after].plain in ":-"):
                    break
                clause = self._clause[at]
            reach.append(at)
            at += 1
        return reach

    def _continues(self, at: int, *, lists: bool) -> bool:
        """Whether the clause at a token goes on with the list of the one before it."""
        items = self._clause_tokens(at)
        words = [self.tokens[item].plain for item in items]
        tags = {chunk.tag for chunk in self.chunks if chunk.first in items}
        if tags & {"want", "soft", "hard", "not", "money", "duration", "only", "except", "clock"}:
            return "not" in tags and lists and False
        if any(
            word in ("we", "i", "my", "our", "it", "with", "is", "are", "but") for word in words
        ):
            return False
        if len(words) > 6 or words[0] in ("so", "because", "while"):
            return False
        joint = words[0] in _JOINTS or "or" in words or "nor" in words
        if words[0] in ("and", "&", "+") and not lists:
            return False
        later = [self.tokens[t].plain for t in self._sentence_tokens(at) if t >= at]
        return lists or joint or "or" in later or "nor" in later

    def _clause_tokens(self, at: int) -> list[int]:
        return [t for t in range(len(self.tokens)) if self._clause[t] == self._clause[at]]

    def _sentence_tokens(self, at: int) -> list[int]:
        return [t for t in range(len(self.tokens)) if self._sentence[t] == self._sentence[at]]

    def _in_clause(self, chunk: Chunk, *tags: str, free: bool = True) -> list[Chunk]:
        """The other chunks of its clause with these tags, the nearest first."""
        clause = {self._clause[at] for at in (chunk.first, chunk.last)}
        found = [
            other
            for other in self.chunks
            if other.tag in tags
            and other is not chunk
            and clause & {self._clause[other.first], self._clause[other.last]}
            and not (free and other in self._taken)
        ]
        return sorted(found, key=lambda other: self._distance(chunk, other))

    def _in_sentence(self, chunk: Chunk, *tags: str, free: bool = True) -> list[Chunk]:
        found = [
            other
            for other in self.chunks
            if other.tag in tags
            and other is not chunk
            and self._sentence[other.first] == self._sentence[chunk.first]
            and not (free and other in self._taken)
        ]
        return sorted(found, key=lambda other: self._distance(chunk, other))

    @staticmethod
    def _distance(chunk: Chunk, other: Chunk) -> int:
        return max(other.first - chunk.last, chunk.first - other.last)

    def _cues(self, chunk: Chunk, *names: str, wide: bool = False) -> list[int]:
        """The head words of its clause (or sentence) from these sets, the nearest first."""
        words = frozenset[str]().union(*(CUES[name] for name in names))
        tokens = self._sentence_tokens(chunk.first) if wide else self._clause_tokens(chunk.first)
        found = [at for at in tokens if self.tokens[at].plain in words and at not in chunk.tokens]
        return sorted(found, key=lambda at: min(abs(at - chunk.first), abs(at - chunk.last)))

    def _before(self, chunk: Chunk, *words: str, reach: int = 1) -> int | None:
        """The token with one of these words right before a chunk."""
        for at in range(chunk.first - 1, max(-1, chunk.first - 1 - reach), -1):
            if self.scanner.word(at) in words:
                return at
        return None

    def _bound(self, chunk: Chunk) -> tuple[str, tuple[int, ...]]:
        """`most`, `least`, `about` or nothing, and the tokens that say so."""
        for bound in self._in_clause(chunk, "most", "least", "about", free=False):
            if bound.last < chunk.first and chunk.first - bound.last > 3:
                continue
            if bound.first > chunk.last and bound.first - chunk.last > 8:
                continue
            between = range(min(bound.last, chunk.last) + 1, max(bound.first, chunk.first))
            if any(o.tag in ("number", "duration", "money", "clock") and o.first in between
                   for o in self.chunks):  # fmt: skip
                continue
            negation = self._negated.get(bound.first)
            if negation is not None and bound.tag in ("most", "least"):
                return {"most": "least", "least": "most"}[bound.tag], (
                    *bound.tokens,
                    *negation.tokens,
                )
            return bound.tag, bound.tokens
        return "", ()

    def _is_soft(self, chunk: Chunk) -> tuple[bool, tuple[int, ...]]:
        """Whether it is rather wanted than must be, by the nearest word that says so."""
        nearest = self._in_clause(chunk, "soft", "yes", "want", "hard", free=False)
        nearest = nearest or [
            other
            for other in self._in_sentence(chunk, "soft", "want", "hard", free=False)
            if other.last < chunk.first
        ]
        if not nearest:
            return False, ()
        return nearest[0].tag in ("soft", "yes"), nearest[0].tokens

    def _negation(self, chunk: Chunk) -> Chunk | None:
        """The negation that a chunk is in the reach of, before it or right behind it."""
        negation = self._negated.get(chunk.first)
        if negation is not None and negation.last < chunk.first:
            return negation
        for other in self._in_clause(chunk, "not", free=False):
            between = [self.tokens[at].plain for at in range(chunk.last + 1, other.first)]
            if other.first > chunk.last and set(between) <= {"is", "are", "and", "or", "'re"}:
                if all(self._clause[at] != self._clause[chunk.last] or self.tokens[at].plain in
                       ("for", "us", "me", "please", "thanks", "an", "option", ".", ",", "!")
                       for at in range(other.last + 1, len(self.tokens))
                       if self._clause[at] == self._clause[other.last]):  # fmt: skip
                    return other
        return None

    def _is_past(self, chunk: Chunk) -> bool:
        return bool(self._in_clause(chunk, "past", free=False))

    def _scope(self, chunk: Chunk) -> tuple[Scope, tuple[Chunk, ...]]:
        """The days, dates and part of the day that its clause names."""
        scope, used = Scope(), list[Chunk]()
        for other in self._in_clause(chunk, "days", "weekday", "date", "part"):
            if other.tag == "days" and not scope.days:
                scope = replace(scope, days=tuple(map(int, other.names)))
            elif other.tag == "weekday" and not scope.weekdays:
                scope = replace(scope, weekdays=tuple(map(int, other.names)))
            elif other.tag == "date" and not scope.dates and other.dates[0] == other.dates[1]:
                scope = replace(scope, dates=tuple(day for day in other.dates[:1] if day))
            elif other.tag == "part" and not scope.part:
                scope = replace(scope, part=_part(other.name))
            else:
                continue
            used.append(other)
        return scope, tuple(used)

    def _add(self, constraint: Constraint, *parts: Chunk | int | Iterable[int]) -> None:
        """Keep a constraint, and cover the chunks and tokens that it was read from."""
        tokens = set[int]()
        for part in parts:
            if isinstance(part, Chunk):
                self._taken.add(part)
                tokens |= set(part.tokens)
            else:
                tokens |= {part} if isinstance(part, int) else set(part)
        self.used |= tokens
        if tokens:
            first, last = self.tokens[min(tokens)].start, self.tokens[max(tokens)].end
            span = Span(start=first, end=last, text=self.text[first:last])
            constraint = replace(constraint, span=span)  # type: ignore[type-var]
        self.found.append(constraint)

    def _free(self, *tags: str) -> list[Chunk]:
        return [chunk for chunk in self.chunks if chunk.tag in tags and chunk not in self._taken]

    def _cover(self, *parts: Chunk | Iterable[int]) -> None:
        for part in parts:
            if isinstance(part, Chunk):
                self._taken.add(part)
            self.used |= set(part.tokens if isinstance(part, Chunk) else part)

    # --- who --------------------------------------------------------------------------------

    def _read_affirmations(self) -> None:
        """`why not`, `don't worry`: negations that negate nothing."""
        for chunk in self._free("affirm"):
            self._cover(chunk)

    def _read_people(self) -> None:
        adults, children, ages, parts = self._count_people()
        total, total_parts = self._total_people()
        parts += total_parts
        if not parts:
            return
        company = ""
        if any(chunk.tag == "alone" for chunk in parts):
            total, company = 1, "solo"
        elif any(chunk.name in ("partner", "couple") for chunk in parts):
            company = "couple"
        if total:
            children = min(children, total - 1) if total > 1 else 0
            if not children and any(
                self.scanner.word(c.first - 2) == "family" for c in total_parts
            ):
                children = max(0, total - 2)
            adults = total - children
        elif not adults:
            adults = 2
        self._add(
            Group(adults=adults, children=children, ages=ages, company=company),
            *parts, *[chunk for chunk in self._age_chunks],
        )  # fmt: skip

    _age_chunks: tuple[Chunk, ...] = ()

    def _count_people(self) -> tuple[int, int, tuple[int, ...], list[Chunk]]:
        """Adults, children and ages of those who are mentioned; the same person once."""
        counts: dict[str, int] = {}
        ages: list[int] = []
        parts: list[Chunk] = []
        age_chunks: list[Chunk] = []
        for chunk in self._free("person"):
            found = self._ages_of(chunk)
            count = int(chunk.low) if chunk.low is not None else len(found)
            if not count and chunk.name not in counts:
                continue
            own = [int(age.low or 0) for age in found]
            grown = sum(age >= 18 for age in own) if chunk.name in CHILDREN else 0
            name = "adult" if grown and grown == count else chunk.name
            counts[name] = max(counts.get(name, 0), count)
            ages += own
            age_chunks += found
            parts.append(chunk)
        speakers = [
            t.plain for t in self.tokens if t.plain in ("i", "me", "my", "i'm", "we", "i'd", "us")
        ]
        kin = {name for name in counts if name not in ("adult", "couple", "friend", *CHILDREN)}
        friends = counts.get("friend", 0) and ("me" in speakers or "with" in
                                               (t.plain for t in self.tokens))  # fmt: skip
        adults = sum(count for name, count in counts.items() if name not in CHILDREN)
        if speakers and (kin or friends) and "adult" not in counts:
            adults += 1
        self._age_chunks = tuple(age_chunks)
        return adults, sum(counts.get(name, 0) for name in CHILDREN), tuple(ages), parts

    def _ages_of(self, person: Chunk) -> list[Chunk]:
        """Numbers that follow a person as ages: `kids (4, 7)`, `Gran 84`, `a 6-year-old son`."""
        by_first = {chunk.first: chunk for chunk in self.chunks}
        found, at = list[Chunk](), person.last + 1
        if self.scanner.word(at) in ("aged", "age", "is", "are", "'s", "(", "of"):
            at += 1
        while (
            at in by_first and by_first[at].tag in ("number", "age") and self._is_age(by_first[at])
        ):
            found.append(by_first[at])
            at = by_first[at].last + 1
            while self.scanner.word(at) in (",", "+", "and", "&", "/"):
                at += 1
        before = [
            c
            for c in self.chunks
            if c.tag == "age" and c.last in (person.first - 1, person.first - 2)
        ]
        return before + found

    @staticmethod
    def _is_age(chunk: Chunk) -> bool:
        return chunk.low is not None and chunk.low == chunk.high and 0 <= chunk.low <= 110

    def _total_people(self) -> tuple[int, list[Chunk]]:
        for chunk in self._free("both", "alone"):
            return 1 + (chunk.tag == "both"), [chunk]
        for chunk in self._free("number"):
            word = self.scanner.word
            behind = (word(chunk.last + 1), word(chunk.last + 2))
            ahead = (word(chunk.first - 2), word(chunk.first - 1))
            group = ahead[0] in CUES["group"] and ahead[1] == "of"
            count = int(chunk.low or 0)
            ours = behind == ("of", "us") or (
                (ahead[1] == "we're" or ahead == ("we", "are"))
                and self.scanner.ends(chunk.last + 1)
            )
            if 1 < count <= 60 and chunk.low == chunk.high and (group or ours):
                return count, [chunk]
        return 0, []

    # --- money ------------------------------------------------------------------------------

    def _read_money(self) -> None:
        for chunk in self._free("money"):
            bound, bound_tokens = self._bound(chunk)
            per, things, cues = self._money_scope(chunk)
            least = chunk.low if chunk.low != chunk.high else None
            if bound == "least" and per in ("trip", "person"):
                continue
            scope, used = self._scope(chunk)
            self._add(
                Money(amount=chunk.high or Decimal(0), currency=chunk.name, per=per, least=least,
                      things=things, scope=scope),
                chunk, bound_tokens, cues, *used,
            )  # fmt: skip

    def _money_scope(self, chunk: Chunk) -> tuple[MoneyScope, tuple[Thing, ...], list[int]]:
        """What an amount is for, by the head words of its clause."""
        cues = {
            name: self._cues(chunk, name)
            for name in ("bed", "meal", "ticket", "ride price", "person", "daily", "all")
        }
        if not any(cues[name] for name in ("bed", "meal", "ticket", "person", "daily")):
            cues = {name: [at for at in self._cues(chunk, name, wide=True) if at < chunk.first
                           and chunk.first - at < 4] for name in cues}  # fmt: skip
        used = [at for name in cues for at in cues[name]]
        person, daily, every = cues["person"], cues["daily"], cues["all"]
        if cues["bed"]:
            if person:
                return "person", (Thing(by="kind", name="stay"),), used
            return ("night" if every else "bed"), (), used
        if cues["meal"]:
            food = (Thing(by="kind", name="food"),)
            return (
                ("day", food, used)
                if daily
                else ("trip", food, used)
                if every
                else ("meal", (), used)
            )
        if cues["ticket"]:
            if every:
                sights = (Thing(by="kind", name="attraction"), Thing(by="kind", name="activity"))
                return ("person" if person else "trip"), sights, used
            return "ticket", (), used
        if cues["ride price"] and not (person or daily):
            return "ride", (), used
        return ("person day" if person and daily else "person" if person else "day" if daily else "trip",
                (), used)  # fmt: skip

    # --- the clock --------------------------------------------------------------------------

    def _read_appointments(self) -> None:
        """A clock time with a day and no way home, or a time range: something fixed."""
        for chunk in self._free("clock"):
            ranged = chunk.name == "range"
            days = self._in_clause(chunk, "date", "weekday", "days")
            travel = self._cues(chunk, "arrive", "depart") + self._cues(chunk, "rise", "retire")
            flies = [c for c in self._in_clause(chunk, "mode") if c.name == "plane"]
            before = self._before(chunk, "before", "after", "by", "until", "till")
            if flies or (not ranged and (not days or travel or before is not None)):
                continue
            scope, used = self._scope(chunk)
            names = self._in_clause(chunk, "name")
            if names:
                scope = replace(
                    scope, city=self.atlas.city_of(names[0].names[0]) or names[0].names[0]
                )
            title = self._title(
                chunk, {*chunk.tokens, *(t for c in (*used, *names) for t in c.tokens)}
            )
            terms = [c for c in self._in_clause(chunk, "term") if self._thing(c) is not None]
            thing = self._thing(terms[0]) if terms and not ranged else None
            meal = next((w for w in ("lunch", "dinner") if w in title), "")
            if meal and not ranged:
                thing = Thing(by="kind", name="food")
            covered = self._title_tokens(chunk)
            self._add(
                Appointment(title=title or "appointment", start=int(chunk.low or 0),
                            end=int(chunk.high) if ranged and chunk.high else None,
                            thing=thing, scope=scope),
                chunk, *used, *names, covered,
            )  # fmt: skip

    def _title_tokens(self, chunk: Chunk) -> list[int]:
        """The content words of a clause: what an appointment is called."""
        other = {t for c in self.chunks if c.tag in _VALUES - {"term"} for t in c.tokens}
        return [
            at for at in self._clause_tokens(chunk.first)
            if at not in other and self.tokens[at].kind == "word"
            and self.tokens[at].plain not in FUNCTION
        ]  # fmt: skip

    def _title(self, chunk: Chunk, without: set[int]) -> str:
        return " ".join(
            self.tokens[at].text for at in self._title_tokens(chunk) if at not in without
        )

    def _read_clocks(self) -> None:
        for chunk in self._free("clock"):
            earliest, latest, parts = self._clock_sides(chunk)
            if earliest is None and latest is None:
                continue
            scope, used = self._scope(chunk)
            soft, soft_tokens = self._is_soft(chunk)
            fly = [c for c in self._in_clause(chunk, "mode") if c.name == "plane"]
            ends = self._cues(chunk, "depart") or (
                fly and self._before(chunk, "by", "before", "at")
            )
            lands = self._cues(chunk, "arrive")
            if lands and not scope.days:
                scope, earliest, latest = replace(scope, days=(1,)), earliest or latest, None
            elif ends and latest is not None and not scope.days and not self._cues(chunk, "rise"):
                scope = replace(scope, days=(-1,))
            what: Any = next(
                (m for m in ("lunch", "dinner") if m in self._words(chunk)), "all"
            )  # fmt: skip
            self._add(
                ClockWindow(earliest=earliest, latest=latest, what=what, scope=scope,
                            hard=not soft),
                chunk, parts, soft_tokens if soft else (), *used, *fly, lands,
                self._cues(chunk, "depart"), [t for t in self._clause_tokens(chunk.first)
                                              if self.tokens[t].plain == what],
            )  # fmt: skip

    def _words(self, chunk: Chunk) -> set[str]:
        return {self.tokens[at].plain for at in self._clause_tokens(chunk.first)}

    def _clock_sides(self, chunk: Chunk) -> tuple[int | None, int | None, list[int]]:
        """The earliest and the latest time that a clock time says, by the words before it."""
        minutes = int(chunk.low or 0)
        for bound in self._in_clause(chunk, "earliest", "latest", free=False):
            if bound.tag == "earliest":
                return minutes, None, [*bound.tokens, *self._cues(chunk, "rise")]
            return None, self._late(minutes, chunk), [*bound.tokens, *self._cues(chunk, "retire")]
        at = self._before(
            chunk, "before", "after", "by", "until", "till", "at", "from", "past", reach=2
        )
        word = self.scanner.word(at) if at is not None else ""
        negation = self._negation(chunk)
        parts = [at] if at is not None else []
        rise, retire = self._cues(chunk, "rise"), self._cues(chunk, "retire")
        travel = self._cues(chunk, "arrive", "depart")
        if negation is not None and word in ("before", "after"):
            early = minutes if word == "before" else None
            late = self._late(minutes, chunk) if word == "after" else None
            return (
                early,
                late,
                [*parts, *negation.tokens, *self._title_tokens(chunk), *rise, *retire],
            )
        sleeps = {"sleep", "lie"} & {self.scanner.word(t) for t in rise}
        if word in ("until", "till") and sleeps:
            return minutes, None, [*parts, *rise]
        if word in ("after", "from", "at", "past") and rise and not retire[:1] == rise[:1]:
            return minutes, None, [*parts, *rise]
        if travel and word in ("at", "by", "before", ""):
            return None, minutes, [*parts, *travel]
        if word in ("by", "before", "until", "till") and (retire or travel):
            return None, self._late(minutes, chunk), [*parts, *retire, *travel]
        return None, None, []

    def _late(self, minutes: int, chunk: Chunk) -> int:
        """An hour that ends a day is in its second half."""
        stated = (
            self.scanner.word(chunk.last) in ("am", "pm") or ":" in self.tokens[chunk.first].text
        )
        return minutes if stated or minutes >= 720 else minutes + 720

    # --- durations --------------------------------------------------------------------------

    def _read_hours(self) -> None:
        """Hours and kilometres on the way or on foot."""
        for chunk in self._free("duration"):
            if chunk.name not in ("minute", "km"):
                continue
            bound, bound_tokens = self._bound(chunk)
            modes = self._in_clause(chunk, "mode")
            ride, walk = self._cues(chunk, "ride"), self._cues(chunk, "walk")
            if bound not in ("most", "least") or not (modes or ride or walk):
                continue
            daily = [
                c for c in self._in_clause(chunk, "duration") if c.name == "day" and c.low == 1
            ]
            each = self._cues(chunk, "daily")
            measure: Measure = "travel" if daily or each else "ride"
            if not (daily or each) and not self._cues(chunk, "one ride"):
                measure = "travel"
            amount = int(chunk.high or 0)
            if walk and not ride:
                measure = "walk"
                amount = (
                    amount * _SHORT_WALK_KM_PER_HOUR // 60 if chunk.name == "minute" else amount
                )
                modes = []
            elif chunk.name == "km":
                continue
            scope, used = self._scope(chunk)
            families = tuple(dict.fromkeys(mode.name for mode in modes if mode.name != "foot"))
            limit = {"most": amount} if bound == "most" else {"least": amount}
            self._add(
                Pace(measure=measure, modes=families, scope=scope, **limit),  # type: ignore[arg-type]
                chunk, bound_tokens, *modes, *daily, *used, ride, walk, each,
                self._cues(chunk, "one ride"),
            )  # fmt: skip

    def _read_stretches(self) -> None:
        """Days and nights: of the trip, in a place, or for a theme."""
        stretches = [
            self._stretch(chunk)
            for chunk in self._free("duration")
            if chunk.name in ("day", "night") and not self._is_per(chunk)
        ]
        placed = [s for s in stretches if s.place is not None]
        themed = [s for s in stretches if s.place is None and s.terms]
        whole = [s for s in stretches if s.place is None and not s.terms]
        if len(themed) == 1 and not whole and not placed:
            whole, themed = themed, []
        if len(placed) == 1 and not whole and not placed[0].nights:
            self._read_placed(placed, whole_trip=True)
            placed = []
        else:
            self._read_placed(placed, whole_trip=False)
        self._read_whole(whole)
        self._read_themed(themed)
        self._sum_up(placed, themed)

    def _is_per(self, chunk: Chunk) -> bool:
        """`a day` behind a count, `on any one day`: not a length."""
        word = self.scanner.word(chunk.first)
        before = self.scanner.word(chunk.first - 1)
        if (
            before in ("any", "per", "each", "every", "/")
            or self.scanner.word(chunk.first + 1) == "trip"
        ):
            return True
        return word in ("a", "an") and bool(
            [c for c in self._in_clause(chunk, "number", "money", "most", "least", free=False)
             if c.last < chunk.first]
        )  # fmt: skip

    def _stretch(self, chunk: Chunk) -> _Stretch:
        place = None
        for name in self._in_clause(chunk, "name"):
            kind = self.atlas.places[name.names[0]].kind
            nearer = [o for o in self._in_clause(name, "duration") if o.name in ("day", "night")]
            if kind in ("city", "area", "region") and nearer and nearer[0] == chunk:
                linked = self._between(chunk, name) <= {
                    "in", "at", "on", "for", "near", "around", "of", "-", "just", "the", "to", "only",
                    "all", "least", "most", "private", "boat", "night", "nights", "beach",
                } or chunk.name == "night"  # fmt: skip
                place = name if linked else None
                break
        terms = [
            term for term in self._in_clause(chunk, "term", "slow")
            if place is None and self._distance(chunk, term) <= 4 and term.tag == "term"
            and not self._negation(term) and self._theme_of(term)
        ]  # fmt: skip
        head = {"trip", "holiday", "vacation", "tour", "itinerary", "break"} & self._words(chunk)
        total = self._in_clause(chunk, "total")
        terms = [] if head or total else terms
        return _Stretch(chunk, chunk.name == "night", place, tuple(terms[:1]))

    def _between(self, chunk: Chunk, other: Chunk) -> set[str]:
        low, high = sorted((chunk, other), key=lambda c: c.first)
        return {self.tokens[at].plain for at in range(low.last + 1, high.first)}

    def _read_placed(self, placed: Sequence[_Stretch], *, whole_trip: bool) -> None:
        totals: dict[str, tuple[int, int, list[Any]]] = {}
        for stretch in placed:
            assert stretch.place is not None  # noqa: S101 - of those with a place
            chunk = stretch.chunk
            bound, tokens = self._bound(chunk)
            low, high = int(chunk.low or 0), int(chunk.high or 0)
            if not stretch.nights:
                low = max(1, low - 1)
            low, high = (
                (low, 99) if bound == "least" else (1, high) if bound == "most" else (low, high)
            )
            key = stretch.place.names[0]
            before = totals.get(key, (0, 0, []))
            parts = [*before[2], chunk, stretch.place, tokens]
            totals[key] = (before[0] + low, before[1] + high, parts)
            if whole_trip:
                self._add(Length(least=int(chunk.low or 0), most=int(chunk.high or 0)), chunk)
        for key, (low, high, parts) in totals.items():
            if self._is_whole(key):
                self._cover(*parts)
            elif self.atlas.places[key].kind == "region":
                self._add(Within(places=(key,)), *parts)
            else:
                self._add(Nights(place=key, least=low, most=high), *parts)

    def _is_whole(self, place: str) -> bool:
        """Whether a place is all that the atlas has: a country with all cities in it."""
        return all(self.atlas.lies_in(city.id, place) for city in self.atlas.cities())

    def _read_whole(self, whole: Sequence[_Stretch]) -> None:
        lengths = []
        for stretch in whole:
            chunk = stretch.chunk
            bound, tokens = self._bound(chunk)
            each = [
                at for at in self._clause_tokens(chunk.first) if self.tokens[at].plain == "each"
            ]
            low, high = int(chunk.low or 0), int(chunk.high or 0)
            if low != chunk.low:
                continue  # half a day is no length
            if stretch.nights and each:
                limit = {"least": low} if bound != "most" else {"most": high}
                self._add(Pace(measure="nights", **limit), chunk, tokens, each)  # type: ignore[arg-type]
                continue
            setting = self._setting_near(chunk) if stretch.nights else None
            if setting is not None:
                most = 99 if bound == "least" else high
                self._add(Nights(thing=setting[0], least=low, most=most), chunk, tokens, setting[1])
                continue
            extra = 1 if stretch.nights else 0
            low, high = low + extra, high + extra
            low, high = (
                (low, 60) if bound == "least" else (1, high) if bound == "most" else (low, high)
            )
            total = self._in_clause(chunk, "total")
            lengths.append((Length(least=low, most=high, hard=bound != "about"),
                            [chunk, tokens, *total]))  # fmt: skip
        for length, parts in lengths[:1] or ():
            self._add(length, *parts)
        for length, parts in lengths[1:]:
            if length.least == lengths[0][0].least:
                self._cover(*parts)

    def _setting_near(self, chunk: Chunk) -> tuple[Thing, Chunk] | None:
        for term in self._in_clause(chunk, "term"):
            if "attribute:sea" in term.names:
                return Thing(by="setting", name="sea"), term
        return None

    def _read_themed(self, themed: Sequence[_Stretch]) -> None:
        """Stretches follow one another; one that is said to be last counts from the end."""
        next_day, several = 1, len(themed) > 1
        for stretch in themed:
            days = int(stretch.chunk.low or 0)
            term = stretch.terms[0]
            theme = self._theme_of(term)
            scope = Scope(days=tuple(range(next_day, next_day + days))) if several else Scope()
            next_day += days
            if several:
                self._add(Theme(theme=theme, scope=scope), stretch.chunk, term)
            else:
                self._add(
                    Want(things=(Thing(by="theme", name=theme),), least=1), stretch.chunk, term
                )

    def _sum_up(self, placed: Sequence[_Stretch], themed: Sequence[_Stretch]) -> None:
        """The length of a trip whose stretches are all that says it."""
        if any(isinstance(found, Length | Dates) for found in self.found):
            return
        nights = sum(int(s.chunk.low or 0) for s in placed if s.nights)
        days = sum(int(s.chunk.low or 0) for s in (*placed, *themed) if not s.nights)
        later = [chunk for chunk in self._free("days") if chunk.names[0].startswith("-")]
        days += sum(len(chunk.names) for chunk in later) if len(themed) > 1 else 0
        if len(themed) == 1 and not placed:
            return
        if nights or days:
            length = days + nights + (1 if nights and not days else 0)
            self.found.append(Length(least=length, most=length, assumed=True))

    # --- dates ------------------------------------------------------------------------------

    def _read_dates(self) -> None:
        starts: list[tuple[date | None, int | None, Chunk, list[int]]] = []
        ends: list[tuple[date | None, int | None, Chunk, list[int]]] = []
        within = False
        for chunk in self._free("date", "weekday"):
            first, last = chunk.dates
            weekday = int(chunk.names[0]) if chunk.names else None
            if chunk.name == "range" or first != last:
                starts.append((first, weekday, chunk, []))
                ends.append((last, int(chunk.names[-1]) if chunk.names else None, chunk, []))
                within = within or chunk.name == "within"
                if chunk.name == "range" and not any(
                    c.name == "day" for c in self._free("duration")
                ):
                    self.found.append(Length(least=len(chunk.names), most=len(chunk.names)))
                continue
            about = self._before(chunk, "around", "about", reach=2)
            side, cues = self._side(chunk)
            if about is not None or (not side and chunk.tag == "weekday"):
                continue
            if not side and self._in_clause(chunk, "name", "term"):
                continue
            (ends if side == "end" else starts).append((first, weekday, chunk, cues))
        if len(starts) > 1 or len(ends) > 1:
            starts, ends = starts[:1], ends[:1]
        if not starts and not ends:
            return
        start, end = (found[0] if found else (None, None, None, []) for found in (starts, ends))
        if start[0] and end[0] and not within and end[0] < start[0]:
            within = False
        parts = [part for _, _, chunk, cues in (*starts, *ends) for part in (chunk, cues)]
        self._add(
            Dates(start=start[0], end=end[0], within=within,
                  start_weekday=None if start[0] else start[1],
                  end_weekday=None if end[0] else end[1]),
            *parts,
        )  # fmt: skip

    def _side(self, chunk: Chunk) -> tuple[str, list[int]]:
        """Whether a date begins or ends the trip, by the head words before it."""
        at = self._before(chunk, "from", "to", "until", "till", "by", "since", reach=3)
        word = self.scanner.word(at) if at is not None else ""
        fly = [c for c in self._in_clause(chunk, "mode") if c.name == "plane"]
        arrive = self._cues(chunk, "arrive")
        depart = self._cues(chunk, "depart")
        begin = [t for t in self._cues(chunk, "begin") if t < chunk.first]
        finish = [t for t in self._cues(chunk, "finish") if t < chunk.first]
        flown = [t for c in fly for t in c.tokens]
        if word in ("to", "until", "till", "by") or finish:
            return "end", [*finish, *depart, *flown]
        if word in ("from", "since") or arrive or begin:
            return "start", [*arrive, *begin, *flown]
        if depart or (fly and {"out", "home", "back"} & self._words(chunk)):
            return "end", [*depart, *flown]
        return "", []

    def _read_months(self) -> None:
        chunks = [c for c in self._free("month") if not self._is_past(c)]
        if not chunks:
            return
        exact = [chunk for chunk in chunks if chunk.name and len(chunk.names) == 1]
        if exact and len(chunks) == 1:
            chunk = exact[0]
            first, last = self._part_of_month(chunk)
            self._add(Dates(start=first, end=last, within=True), chunk)
            return
        months = dict.fromkeys(int(month) for chunk in chunks for month in chunk.names)
        soft = any(self._is_soft(chunk)[0] for chunk in chunks)
        self._add(Season(months=tuple(months), hard=not soft), *chunks)

    def _part_of_month(self, chunk: Chunk) -> tuple[date, date]:
        month = int(chunk.names[0])
        today = self.scanner.today
        year = int(chunk.low) if chunk.low else today.year + (month < today.month)
        days = monthrange(year, month)[1]
        first, last = {"early": (1, 10), "mid": (11, 20), "late": (16, days)}[chunk.name]
        return date(year, month, first), date(year, month, last)

    # --- counts -----------------------------------------------------------------------------

    def _read_counts(self) -> None:
        """Numbers of sights a day, of cities, of hotels."""
        for chunk in self._free("number"):
            bound, tokens = self._bound(chunk)
            low, high = int(chunk.low or 0), int(chunk.high or 0)
            head = self.scanner.word(chunk.last + 1)
            daily = self._in_clause(chunk, "duration")
            a_day = [c for c in daily if c.name == "day" and c.low == 1 and c.first > chunk.last]
            per_day = [at for c in a_day for at in c.tokens] or [
                at for at in self._cues(chunk, "daily") if at > chunk.last
            ]
            limits: dict[str, Any] = {"most": high} if bound != "least" else {"least": low}
            if bound == "" and not per_day:
                limits = {"least": low, "most": high}
            things: tuple[Thing, ...] = ()
            parts: list[Any] = [chunk, tokens, chunk.last + 1]
            if per_day and head not in CUES["visit"]:
                terms = [c for c in self._in_sentence(chunk, "term", free=False) if self._thing(c)]
                thing = self._thing(terms[0]) if terms else None
                if thing is None or terms[0].first > chunk.last + 2:
                    continue
                things, parts = (thing,), [chunk, tokens, terms[0]]
            if per_day and (things or head in CUES["visit"]):
                scope, used = self._scope(chunk)
                self._add(Pace(measure="visits", things=things, scope=scope, **limits), *parts,
                          per_day, *used)  # fmt: skip
                self._taken |= set(a_day)
            elif head in CUES["hotel"] and not self._in_clause(chunk, "money", free=False):
                limits = {name: value - 1 for name, value in limits.items() if name == "most"}
                self._add(Pace(measure="beds", **limits), *parts)
            elif head in CUES["city"]:
                self._add(Pace(measure="cities", **limits), *parts)

    # --- places -----------------------------------------------------------------------------

    def _read_routes(self) -> None:
        """Names that are joined by `to`, arrows, `then` or `in that order`."""
        names = [c for c in self.chunks if c.tag == "name" and not self._negation(c)
                 and not self._is_whole(c.names[0]) and not self._is_past(c)]  # fmt: skip
        route: list[Chunk] = []
        links: list[str] = []
        routes: list[tuple[list[Chunk], list[str]]] = []
        for name in names:
            link = self._link(route[-1], name) if route else ""
            if route and link:
                route, links = [*route, name], [*links, link]
            else:
                routes.append((route, links))
                route, links = [name], []
        routes.append((route, links))
        for route, links in routes:
            if len(route) > 1:
                self._read_route(route, links)

    def _link(self, name: Chunk, other: Chunk) -> str:
        """How two names hang together: `to`, `then`, `list`, or not at all."""
        if self._sentence[name.last] != self._sentence[other.first] and not self._both_stays(
            name, other
        ):
            return ""
        between = [self.tokens[at].plain for at in range(name.last + 1, other.first)]
        plain = [
            word
            for word in between
            if word not in ("down", "up", "all", "the", "way", "on", "over")
        ]
        if plain in (["to"], ["until"], ["till"], ["-"], ["–"], ["->"], ["-", ">"], ["→"]):
            return "to"
        then = [c for c in self.chunks if c.tag == "then" and name.last < c.first < other.first]
        if then or "after" in between:
            return "then"
        words = [word for word in between if word.isalpha() and word not in ("and", "or", "nights", "night",
                 "in", "days", "two", "three", "one", "four", "five")]  # fmt: skip
        return "list" if not words and "or" not in between else ""

    def _both_stays(self, name: Chunk, other: Chunk) -> bool:
        stays = {found.place for found in self.found if isinstance(found, Nights)}
        return {name.names[0], other.names[0]} <= stays

    def _read_route(self, route: list[Chunk], links: list[str]) -> None:
        ids = [name.names[0] for name in route]
        ordered = self._in_sentence(route[-1], "order", free=False)
        mode = [c for c in self._in_clause(route[0], "mode") if c.name != "overnight"]
        if len(route) == 2 and links == ["to"]:
            if (
                mode
                and mode[0].last < route[0].first
                and not self._before(route[0], "from", reach=2)
            ):
                self._add(Means(modes=(mode[0].name,), between=tuple(ids)), *route, mode[0])
                self.found.append(Order(places=tuple(ids)))
                return
            self._add(Start(place=ids[0]), route[0])
            self._add(End(place=ids[1]), route[1])
        elif ordered or set(links) <= {"to", "then"}:
            arrows = all(link == "to" for link in links)
            if arrows:
                self._add(Start(place=ids[0]), route[0])
                self._add(End(place=ids[-1]), route[-1])
            for name in route:
                if not any(isinstance(f, Nights) and f.place == name.names[0] for f in self.found):
                    self._add(GoTo(place=name.names[0]), name)
            tokens = [t for c in ordered for t in c.tokens]
            self._add(Order(places=tuple(ids)), *route, tokens)
        elif "then" in links:
            at = links.index("then")
            self.found.append(Order(places=(ids[at], ids[at + 1])))

    def _read_names(self) -> None:
        for name in self._free("name"):
            if self._is_past(name):
                continue
            place = name.names[0]
            negation = self._negation(name)
            spared = self._in_clause(name, "except", free=False)
            if spared and spared[0].first < name.first:
                self._spare(name, spared[0])
            elif negation is not None:
                self._add(Avoid(things=(Thing(by="place", name=place),)), name, negation)
            elif self._is_whole(place):
                self._cover(name)
            else:
                self._read_role(name, place)

    def _spare(self, name: Chunk, word: Chunk) -> None:
        """`except NAME`: spared of the last ban."""
        for at in range(len(self.found) - 1, -1, -1):
            found = self.found[at]
            if isinstance(found, Avoid):
                self.found[at] = replace(found, but=(*found.but, name.names[0]))
                self._cover(name, word)
                return
        self._spared = [*self._spared, (name, word)]

    _spared: list[tuple[Chunk, Chunk]] = []

    def _read_role(self, name: Chunk, place: str) -> None:
        roles = self._roles(name)
        for role, cues in roles:
            self._add(Start(place=place) if role == "start" else End(place=place), name, cues)
        if roles:
            return
        kind = self.atlas.places[place].kind
        only = self._in_clause(name, "only")
        near = self._before(name, "near", "around", reach=2)
        soft, soft_tokens = self._is_soft(name)
        choice = self._alternative(name)
        if any(isinstance(found, Nights) and found.place == place for found in self.found):
            self._cover(name)
        elif kind in ("region", "country"):
            self._add(Within(places=(place,)), name, *only)
        elif only and kind == "city":
            self._add(Within(places=(place,)), name, *only)
        elif near is not None and kind == "city" and not self._cues(name, "bed"):
            self._add(Within(places=(place,), km=60), name, near)
        elif choice is not None:
            things = tuple(Thing(by="place", name=c.names[0]) for c in (name, choice))
            self._add(Want(things=things), name, choice)
        else:
            day_trip = {"day", "trip"} <= self._words(name)
            scope, used = self._scope(name)
            trip = (
                [c for c in self._in_clause(name, "duration") if c.name == "day"]
                if day_trip
                else []
            )
            hard = not soft or kind == "city"
            self._add(GoTo(place=place, day_trip=day_trip, scope=scope, hard=hard), name, *used, *trip,
                      soft_tokens if soft else ())  # fmt: skip

    def _alternative(self, name: Chunk) -> Chunk | None:
        for other in self._in_clause(name, "name"):
            if other.first > name.last and self._between(name, other) == {"or"}:
                return other
        return None

    def _roles(self, name: Chunk) -> list[tuple[str, list[int]]]:
        """Whether the trip starts or ends in a place, by the head words of its clause."""
        found = []
        at = self._before(name, "from", reach=2)
        come = {"come", "comes", "live", "are", "based"} & self._words(name)
        flies = [c for c in self._in_clause(name, "mode", free=False) if c.name == "plane"]
        words = self._words(name)
        begin = [t for t in self._cues(name, "begin", "arrive") if self.scanner.word(t) != "from"]
        finish = self._cues(name, "finish") + [
            t for t in self._cues(name, "depart") if self.scanner.word(t) not in ("home", "airport")
        ]
        out = [t for t in self._clause_tokens(name.first) if self.scanner.word(t) == "out"]
        if not self._plainly_joined(name):
            begin, finish, out = [], [], []
        if (flies and out) or (finish and not begin) or (finish and {"and"} & words):
            found.append(("end", [*finish, *(t for c in flies for t in c.tokens)]))
        elif out and self.scanner.word(out[0] + 1) == "of":
            begin = begin or out
        if begin or (at is not None and not finish and not (flies and out) and not come):
            found.append(("start", [*begin, *([at] if at is not None else [])]))
            back = [t for t in self._sentence_tokens(name.first)
                    if self.scanner.word(t) == "back" and 0 < t - name.last <= 3]  # fmt: skip
            if at is not None and back:
                found.append(("end", back))
        before = self._before_clause(name)
        if not found and before:
            found = [before]
        return found

    def _plainly_joined(self, name: Chunk) -> bool:
        """Whether a head word can mean this name: no other name is between them."""
        others = self._in_clause(name, "name", free=False)
        cues = self._cues(name, "begin", "finish", "arrive", "depart")
        return not cues or not any(
            min(cues[0], name.first) < other.first < max(cues[0], name.first) for other in others
        )

    def _before_clause(self, name: Chunk) -> tuple[str, list[int]] | None:
        """`start and end in X`: the first head word is in the clause before."""
        return None

    def _read_sides(self) -> None:
        """The north, the coast, the islands: parts of the map."""
        words = ("north", "south", "east", "west", "centre", "center", "northern", "southern",
                 "eastern", "western", "central", "coast", "islands", "highlands")  # fmt: skip
        for at, token in enumerate(self.tokens):
            if token.plain not in words or at in self.used or self.scanner.word(at + 1) == "of":
                continue
            if self.scanner.word(at - 1) not in ("the", "in", "to", "of") or at in self._negated:
                continue
            cities = self.atlas.cities_of(token.plain)
            if cities:
                self._add(Within(places=cities, name=f"the {token.text}"), [at])

    # --- means ------------------------------------------------------------------------------

    def _read_modes(self) -> None:
        for mode in self._free("mode"):
            negation = self._negation(mode)
            only = self._in_clause(mode, "only", free=False)
            permitted = self._in_clause(mode, "yes", free=False)
            others = [c for c in self._in_clause(mode, "mode") if self._distance(mode, c) <= 3]
            soft, soft_tokens = self._is_soft(mode)
            scope, used = self._scope(mode)
            group = [mode, *others]
            modes = tuple(dict.fromkeys(chunk.name for chunk in group))
            by = self._before(mode, "by", "with", "on", "a", "private", reach=3)
            if negation is not None and not self._negation_of_other(mode):
                little = {"much", "many", "so", "too"} & self._words(mode)
                self._add(Means(modes=modes, rule="never", scope=scope, hard=not little), *group,
                          negation, *used)  # fmt: skip
            elif permitted and not only:
                self._add(Means(modes=modes, rule="may", hard=False), *group, *permitted)
            elif only:
                self._add(Means(modes=modes, rule="only", scope=scope), *group, *only, *used)
            elif soft:
                self._add(Means(modes=modes, rule="only", hard=False, scope=scope), *group,
                          soft_tokens, *used)  # fmt: skip
            elif by is not None or self.scanner.ends(mode.last + 1):
                self._add(Means(modes=modes, rule="some", scope=scope), *group, *used)

    def _negation_of_other(self, mode: Chunk) -> bool:
        """A negated clock or number in the same clause: the means itself is not ruled out."""
        return bool([c for c in self._in_clause(mode, "clock", free=False) if c.first > mode.last])

    # --- things -----------------------------------------------------------------------------

    def _theme_of(self, term: Chunk) -> str:
        themes = [name.removeprefix("theme:") for name in term.names if name.startswith("theme:")]
        themes = [theme for theme in themes if theme not in ("family", "budget", "luxury")]
        return themes[0] if themes else ""

    def _thing(self, term: Chunk) -> Thing | None:
        """The most exact thing that a term means."""
        readings = dict[str, str]()
        for name in term.names:
            category, _, value = name.partition(":")
            readings.setdefault(category, value)
        if "kind" in readings:
            kind, _, of_type = readings["kind"].partition("/")
            if of_type:
                return Thing(by="type", name=of_type)
            if set(readings) == {"kind"}:
                return None
        if "offer" in readings and not self._is_generic(readings["offer"]):
            return Thing(by="offer", name=readings["offer"])
        if "attribute" in readings:
            return Thing(by="feature", name=readings["attribute"])
        theme = self._theme_of(term)
        return Thing(by="theme", name=theme) if theme else None

    @staticmethod
    def _is_generic(offer: str) -> bool:
        return offer in FUNCTION or offer in (
            "country",
            "town",
            "city",
            "region",
            "hotel",
            "restaurant",
        )

    def _read_allergies(self) -> None:
        for chunk in self._free("allergy"):
            words = self._content(chunk, range(chunk.last + 1, len(self.tokens))) or self._content(
                chunk, range(chunk.first - 1, -1, -1)
            )
            if words:
                name = " ".join(self.tokens[at].plain for at in sorted(words))
                self._add(Need(need=f"{WITHOUT}{name}"), chunk, words)
                self._take_terms(words)

    def _content(self, chunk: Chunk, tokens: Iterable[int]) -> list[int]:
        """The nearest content words of the clause along these tokens, at most two."""
        found = list[int]()
        for at in tokens:
            token = self.tokens[at]
            inside = self._clause[at] == self._clause[chunk.first]
            content = token.kind == "word" and token.plain not in FUNCTION
            if not inside or (found and not content) or len(found) == 2:
                break
            if content:
                found.append(at)
        return found

    def _take_terms(self, tokens: Iterable[int]) -> None:
        covered = set(tokens)
        self._taken |= {c for c in self.chunks if c.tag == "term" and covered & set(c.tokens)}

    def _read_terms(self) -> None:
        for term in self._free("term"):
            negation = self._negation(term)
            levels = [n for n in ("budget", "luxury") if f"theme:{n}" in term.names]
            if self._read_diet(term, negation):
                continue
            if levels and negation is None and not self._in_clause(term, "money", free=False):
                soft, _ = self._is_soft(term)
                if self._thing(term) is None or self._thing(term) == Thing(
                    by="theme", name=levels[0]
                ):
                    self._add(Level(levels=(levels[0],), hard=False), term)
                    continue
            thing = self._thing(term)
            if thing is None:
                continue
            if negation is not None:
                self._read_ban(term, thing, negation)
            else:
                self._read_want(term, thing)
        for chunk in self._free("mid"):
            self._add(Level(levels=("mid-range",)), chunk)

    def _read_diet(self, term: Chunk, negation: Chunk | None) -> bool:
        """Diets, access, and what somebody does not eat."""
        attributes = [
            n.removeprefix("attribute:") for n in term.names if n.startswith("attribute:")
        ]
        needs = [name for name in attributes if name in DIETS or name in _ACCESS]
        if needs and negation is None:
            need = (
                "vegan"
                if "vegan" in needs and "vegan" in self.tokens[term.first].plain
                else needs[0]
            )
            self._add(Need(need=need), term)
            return True
        if negation is not None and self._cues(term, "eat"):
            cues = self._cues(term, "eat")
            name = " ".join(self.tokens[at].plain for at in term.tokens)
            if term.first not in cues:
                self._add(Need(need=f"{WITHOUT}{name}"), term, negation, cues)
                self._take_terms(cues)
                return True
        return False

    def _read_ban(self, term: Chunk, thing: Thing, negation: Chunk) -> None:
        scope, used = self._scope(term)
        spared = [(name, word) for name, word in self._spared if name.first > term.last]
        but = tuple(name.names[0] for name, _ in spared)
        parts = [part for pair in spared for part in pair]
        self._spared = [pair for pair in self._spared if pair not in spared]
        self._add(Avoid(things=(thing,), scope=scope, but=but), term, negation, *used, *parts)

    def _read_want(self, term: Chunk, thing: Thing) -> None:
        soft, soft_tokens = self._is_soft(term)
        scope, used = self._scope(term)
        if thing.by == "feature" and thing.name in _UNWANTED:
            return
        if thing.by == "feature" and thing.name == "sea":
            thing = Thing(by="setting", name="sea")
        count = next(
            (c for c in self._in_clause(term, "number") if 0 <= term.first - c.last - 1 <= 2), None
        )
        hard = not soft
        if thing.by == "theme":
            self._add(Theme(theme=thing.name, scope=scope, hard=hard), term, *used, soft_tokens)
            return
        bound, tokens = self._bound(count) if count else ("", ())
        low = int(count.low or 1) if count else 1
        most = low if bound == "most" else None
        name = next(
            (c for c in self._in_clause(term, "name", free=False)
             if c.first > term.last and self._between(term, c) <= {"in", "at", "of", "the", "around"}),
            None,
        )  # fmt: skip
        if name is not None and self.atlas.places[name.names[0]].kind == "city":
            scope = replace(scope, city=name.names[0])
        daily = [c for c in self._in_clause(term, "duration") if c.name == "day" and c.low == 1
                 and self.scanner.word(c.first) in ("each", "every", "a")]  # fmt: skip
        only = self._in_clause(term, "only", free=False)
        self._add(
            Want(things=(thing,), least=0 if bound == "most" else low, most=most, scope=scope,
                 each_day=bool(daily), hard=hard),
            term, *used, tokens, soft_tokens, *([count] if count else []), *daily,
            *(only if thing.by == "type" else ()),
        )  # fmt: skip

    def _read_ruled_out_words(self) -> None:
        """`no karaoke`: a word that no list has, but that texts of places mention."""
        for negation in self._free("not"):
            if negation.name not in ("no", "without", "avoid", "avoiding", "skip", "skipping"):
                continue
            if set(negation.tokens) <= self.used:
                continue
            words = self._content(negation, range(negation.last + 1, len(self.tokens)))
            if not words or words[0] != negation.last + 1 or any(at in self.used for at in words):
                continue
            name = " ".join(self.tokens[at].plain for at in words)
            thing = Thing(by="word", name=name)
            if any(thing.fits(place, self.atlas) for place in self.atlas.places.values()):
                self._add(Avoid(things=(thing,)), negation, words)

    def _read_free_time(self) -> None:
        """`a free afternoon`, `one rest day`, `do nothing on the last day`."""
        for chunk in self._free("days", "part", "duration"):
            if chunk.tag == "duration" and (chunk.name != "day" or (chunk.high or 0) > 7):
                continue
            cues = self._cues(chunk, "free")
            near = [at for at in cues if abs(at - chunk.first) <= 4 or abs(at - chunk.last) <= 4]
            if not near:
                continue
            scope, used = self._scope(chunk)
            if chunk.tag == "days":
                scope = replace(scope, days=tuple(map(int, chunk.names)))
            elif chunk.tag == "part":
                scope = replace(scope, part=_part(chunk.name))
            count = int(chunk.low or 1) if chunk.tag == "duration" else max(1, len(scope.days))
            self._add(FreeTime(count=count, scope=scope), chunk, near, *used)

    def _read_pace(self) -> None:
        for chunk in self._free("slow", "busy"):
            scope, used = self._scope(chunk)
            limits: dict[str, Any] = {"most": _SLOW_VISITS}
            if chunk.tag == "busy":
                limits = {"least": _BUSY_VISITS}
            self._add(Pace(measure="visits", hard=False, scope=scope, **limits), chunk, *used)

    def _read_missing(self) -> None:
        """Capitalised words behind `in`, `to` or `visit` that no place is called."""
        taken = {at for chunk in self.chunks for at in chunk.tokens}
        at = 0
        while at < len(self.tokens):
            words = list[int]()
            while at < len(self.tokens) and self._is_proper(at, taken):
                words.append(at)
                at += 1
            before = self.scanner.word(words[0] - 1) if words else ""
            if words and before in (
                "in",
                "to",
                "at",
                "visit",
                "see",
                "via",
                "on",
                "of",
                "the",
                "and",
            ):
                if not self._is_home(words[0]):
                    name = " ".join(self.tokens[t].text for t in words)
                    self._add(Missing(name=name), words)
            at += 1

    def _is_proper(self, at: int, taken: set[int]) -> bool:
        token = self.tokens[at]
        return (
            token.kind == "word" and at not in taken and at not in self.used
            and token.text[:1].isupper() and len(token.text) > 1
            and token.plain not in FUNCTION and not token.text.isupper()
        )  # fmt: skip

    def _is_home(self, at: int) -> bool:
        words = {self.tokens[t].plain for t in self._clause_tokens(at)}
        return bool(words & {"from", "live", "home", "mrs", "mr", "last"})

    # --- the rest ---------------------------------------------------------------------------

    def _tidy(self) -> None:
        """The same constraint once; a place that has nights or is an end need not be named again."""
        unlike: dict[object, Constraint] = {}
        for found in self.found:
            unlike.setdefault(replace(found, span=None), found)  # type: ignore[type-var]
        self.found = list(unlike.values())

    def leftover(self) -> tuple[Span, ...]:
        """Content words that nothing covers, neighbours together."""
        open_ones = [at for at in range(len(self.tokens)) if self._is_open(at)]
        groups: list[list[int]] = []
        for at in open_ones:
            joined = (
                groups
                and self._sentence[groups[-1][-1]] == self._sentence[at]
                and not any(
                    step in self.used or self.tokens[step].plain in ",;:()"
                    for step in range(groups[-1][-1] + 1, at)
                )
            )
            if joined:
                groups[-1].append(at)
            else:
                groups.append([at])
        return tuple(self._span(group) for group in groups)

    def _is_open(self, at: int) -> bool:
        token = self.tokens[at]
        if at in self.used or token.kind == "sign":
            return False
        chunk = next((c for c in self.chunks if at in c.tokens), None)
        if chunk is not None and chunk.tag in _VALUES:
            return not self._is_background(chunk)
        if chunk is not None and chunk.tag in (
            "soft",
            "want",
            "hard",
            "yes",
            "total",
            "then",
            "about",
        ):
            return False
        return token.plain not in FUNCTION or chunk is not None

    def _is_background(self, chunk: Chunk) -> bool:
        """Chunks that ask for nothing by themselves: a kind without a type, `one`, `a day`."""
        words = [self.tokens[at].plain for at in chunk.tokens]
        if chunk.tag == "number":
            return words == ["one"]
        if chunk.tag == "duration":
            return words[0] in ("a", "an") and self._is_per(chunk)
        if chunk.tag == "term":
            return self._thing(chunk) is None and all(n.startswith("kind:") for n in chunk.names)
        return False

    def _span(self, tokens: Sequence[int]) -> Span:
        first, last = self.tokens[tokens[0]].start, self.tokens[tokens[-1]].end
        return Span(start=first, end=last, text=self.text[first:last])


def _part(name: str) -> Part:
    parts: dict[str, Part] = {"morning": "morning", "afternoon": "afternoon", "evening": "evening"}
    return parts.get(name, "")


def _unused(found: Iterator[Constraint]) -> list[Constraint]:
    return list(found)
