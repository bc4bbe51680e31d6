"""What does a wish ask for? Chunks and the head words around them become constraints.

The text is cut into sentences and clauses. Each value (an amount, a duration, a clock time, a
date, a name, a term) is read by the head words of its own clause: bounds before it, units behind
it, negations whose reach it is in. What is read covers its words; content words that nothing
covers are left over, and are shown as not understood. No rule is about one phrasing.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from consilience.packs.travel import constraints as c
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.constraints import Constraint, Scope, Span, Thing
from consilience.packs.travel.wish_scan import CHILDREN, CUES, FUNCTION, Chunk, Scanner

_SENTENCE_ENDS = frozenset(".!?;•")
_CLAUSE_ENDS = frozenset(",():–—")
_JOINTS = frozenset(("and", "but", "while", "because", "plus", "+", "&", "n"))
_ABBREVIATIONS = frozenset(("max", "min", "approx", "ca", "incl", "st", "mr", "mrs", "dr"))
_SHORT_NEGATIONS = frozenset(("no", "not", "nothing", "never", "none", "neither", "nobody"))
_CONDITIONS = frozenset(("if", "unless", "whether"))
_PER = frozenset(("a", "an", "per", "each", "every", "any", "one", "/"))
_IN = frozenset(("in", "at", "visit", "see", "via", "near", "around", "on", "to"))
_VALUES = frozenset(
    (
        *("number", "duration", "date", "month", "weekday", "clock", "money", "name", "mode"),
        *("days", "term", "person", "age", "not", "only", "except", "most", "least", "allergy"),
        *("part", "earliest", "latest"),
    )
)
"""Classes that mean something: where nothing covers one, it is left over."""
_NEEDS = frozenset(("wheelchair", "pets", *c.STAY_NEEDS, *c.DIETS))
_UNWANTED = frozenset(("stairs", "steep", "crowds", "heights", "night", "motorbike", "war"))
"""Attributes that nobody asks for: only ruled out."""
_GENERIC = frozenset(("country", "town", "city", "region", "hotel", "restaurant", "day trips"))
_SLOW_VISITS, _BUSY_VISITS, _NEAR_KM, _KM_AN_HOUR = 3, 4, 60, 4
_SIDES = {"north": (0, 1), "south": (0, -1), "east": (1, 1), "west": (1, -1)}
_REGIONS = frozenset(("north", "south", "east", "west", "centre", "center", "coast", "islands"))


def read_constraints(
    text: str, atlas: Atlas, *, today: date
) -> tuple[tuple[Constraint, ...], tuple[Span, ...]]:
    """The constraints of a text, and the words that nothing covers."""
    reader = _Reader(text, atlas, today)
    reader.read()
    return tuple(reader.found), reader.leftover()


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A number of days or nights, and the place or the term that it belongs to."""

    chunk: Chunk
    place: Chunk | None
    term: Chunk | None

    @property
    def nights(self) -> bool:
        return self.chunk.name == "night"


class _Reader:
    """Reads one wish; `found` are its constraints, `used` the tokens that they cover."""

    def __init__(self, text: str, atlas: Atlas, today: date) -> None:
        self.text, self.atlas, self.today = text, atlas, today
        scanner = Scanner(text, atlas, today)
        self.tokens, self.word, self.ends = scanner.tokens, scanner.word, scanner.ends
        self.chunks = scanner.chunks()
        self.found: list[Constraint] = []
        self.used: set[int] = set()
        self._taken: set[Chunk] = set()
        self._unknown: list[list[int]] = []
        self._spared: list[tuple[Chunk, Chunk]] = []
        self._sentence, self._clause = self._cut()
        self._negated = {
            at: chunk for chunk in self.chunks if chunk.tag == "not" for at in self._reach(chunk)
        }

    def read(self) -> None:
        """Every class in the order in which later ones need what earlier ones took."""
        steps: tuple[Callable[[], None], ...] = (
            *(self._read_affirmations, self._read_people, self._read_money),
            *(self._read_appointments, self._read_clocks, self._read_hours, self._read_dates),
            *(self._read_months, self._read_unknown_names, self._read_directions),
            *(self._read_stretches, self._read_counts, self._read_routes, self._read_names),
            *(self._read_modes, self._read_diets, self._read_free_time, self._read_terms),
            *(self._read_pace, self._read_ruled_out_words, self._tidy),
        )
        for step in steps:
            step()

    # --- sentences, clauses, negations ----------------------------------------------------

    def _cut(self) -> tuple[list[int], list[int]]:
        """The number of the sentence and of the clause that each token is in."""
        openers = {k.first for k in self.chunks if k.tag in ("then", "except")}
        inside = {at for chunk in self.chunks for at in range(chunk.first + 1, chunk.last + 1)}
        sentences, clauses, sentence, clause = [], [], 0, 0
        for at, token in enumerate(self.tokens):
            before = self.word(at - 1) if at else ""
            if at and at not in inside:
                full_stop = before != "." or self.word(at - 2) not in _ABBREVIATIONS
                if token.breaks or (before in _SENTENCE_ENDS and full_stop):
                    sentence, clause = sentence + 1, clause + 1
                elif (
                    before in _CLAUSE_ENDS
                    or at in openers
                    or (token.plain in _JOINTS or (token.plain == "-" and not token.glued))
                ):
                    clause += 1
            sentences.append(sentence)
            clauses.append(clause)
        return sentences, clauses

    def _reach(self, negation: Chunk) -> list[int]:
        """The tokens behind a negation up to the end of its clause or list."""
        lists = negation.name not in _SHORT_NEGATIONS and "'t" not in negation.name
        lists = lists and not negation.name.endswith((" than", " of"))
        lists = lists or self.word(negation.last + 1) in (":", "-")
        clause, reach, depth = self._clause[negation.last], list[int](), 0
        if negation.name.startswith("exclud") and self._has(clause, "money"):
            return []
        for at in range(negation.last + 1, len(self.tokens)):
            if self._sentence[at] != self._sentence[negation.last]:
                break
            depth += {"(": 1, ")": -1}.get(self.word(at), 0)
            if depth:
                if depth < 0:
                    break
                continue
            if self._clause[at] != clause and not self._continues(at, lists=lists):
                break
            clause = self._clause[at]
            reach.append(at)
        return reach

    def _continues(self, at: int, *, lists: bool) -> bool:
        """Whether the clause at a token goes on with the list of the one before it."""
        items = [t for t in self._clause_of(at) if t >= at]
        words = [self.word(item) for item in items if self.word(item) not in ",)"]
        tags = {chunk.tag for chunk in self.chunks if chunk.first in items}
        if not words:
            return True
        if tags & {"want", "soft", "hard", "not", "money", "duration", "only", "except"}:
            return False
        if "name" in tags and not lists:
            return False
        if {"we", "i", "my", "our", "it", "with", "is", "are", "but"} & set(words):
            return False
        if len(words) > 6 or words[0] in ("so", "because", "while"):
            return False
        later = {self.word(t) for t in range(at, len(self.tokens)) if self._same_sentence(t, at)}
        return lists or (words[0] not in ("and", "&", "+") and bool({"or", "nor"} & later))

    def _has(self, clause: int, tag: str) -> bool:
        return any(k.tag == tag and self._clause[k.first] == clause for k in self.chunks)

    def _same_sentence(self, at: int, other: int) -> bool:
        return self._sentence[at] == self._sentence[other]

    def _clause_of(self, at: int) -> list[int]:
        return [t for t in range(len(self.tokens)) if self._clause[t] == self._clause[at]]

    def _words(self, chunk: Chunk) -> set[str]:
        return {self.word(at) for at in self._clause_of(chunk.first)}

    def _near(self, chunk: Chunk, *tags: str, free: bool = True, wide: bool = False) -> list[Chunk]:
        """The other chunks of its clause (or sentence) with these tags, the nearest first."""
        unit = self._sentence if wide else self._clause
        here = {unit[chunk.first], unit[chunk.last]}
        found = [
            k for k in self.chunks
            if k.tag in tags and k is not chunk and here & {unit[k.first], unit[k.last]}
            and not (free and k in self._taken)
        ]  # fmt: skip
        return sorted(found, key=lambda k: max(k.first - chunk.last, chunk.first - k.last))

    def _cues(self, chunk: Chunk, *names: str) -> list[int]:
        """The head words of its clause from these sets, the nearest first."""
        words = frozenset[str]().union(*(CUES[name] for name in names))
        found = [at for at in self._clause_of(chunk.first)
                 if self.word(at) in words and at not in chunk.tokens]  # fmt: skip
        return sorted(found, key=lambda at: min(abs(at - chunk.first), abs(at - chunk.last)))

    def _per(self, chunk: Chunk, *names: str) -> list[int]:
        """Head words behind `a`, `per` or `each`, and those that say it alone (`pp`)."""
        alone = ("each", "pp", "apiece", "daily", "nightly")
        return [at for at in self._cues(chunk, *names)
                if self.word(at) in alone or self.word(at - 1) in _PER]  # fmt: skip

    def _before(self, chunk: Chunk, *words: str, reach: int = 1) -> list[int]:
        """The token with one of these words right before a chunk."""
        steps = range(chunk.first - 1, max(-1, chunk.first - 1 - reach), -1)
        return [at for at in steps if self.word(at) in words][:1]

    def _between(self, chunk: Chunk, other: Chunk) -> set[str]:
        low, high = sorted((chunk, other), key=lambda k: k.first)
        return {self.word(at) for at in range(low.last + 1, high.first)}

    def _bound(self, chunk: Chunk) -> tuple[str, tuple[int, ...]]:
        """`most`, `least`, `about` or nothing, and the tokens that say so."""
        for bound in self._near(chunk, "most", "least", "about", free=False):
            low, high = sorted((chunk, bound), key=lambda k: k.first)
            far = high.first - low.last > (3 if bound is low else 8)
            if (
                far
                or (bound.tag == "about" and bound is high)
                or any(
                    k.tag in ("number", "duration", "money", "clock")
                    and low.last < k.first < high.first
                    for k in self.chunks
                    if k.low != 1
                )
            ):
                continue
            negation = self._negated.get(bound.first)
            if negation is not None and bound.tag != "about":
                other = "least" if bound.tag == "most" else "most"
                return other, (*bound.tokens, *negation.tokens)
            return bound.tag, bound.tokens
        return "", ()

    def _softness(self, chunk: Chunk) -> tuple[bool, tuple[int, ...]]:
        """Whether it is rather wanted than must be, by the nearest word that says so."""
        tags = ("soft", "yes", "want", "hard")
        nearest = self._near(chunk, *tags, free=False) or [
            k for k in self._near(chunk, *tags, free=False, wide=True)
            if k.last < chunk.first and k.tag != "yes"
        ]  # fmt: skip
        return (nearest[0].tag in ("soft", "yes"), nearest[0].tokens) if nearest else (False, ())

    def _negation(self, chunk: Chunk) -> Chunk | None:
        """The negation in whose reach a chunk is, or that stands right behind it."""
        negation = self._negated.get(chunk.first)
        if negation is not None and negation.last < chunk.first:
            return negation
        for k in self._near(chunk, "not", free=False):
            rest = {self.word(t) for t in self._clause_of(k.last) if t > k.last}
            copula = self._between(chunk, k) <= {"is", "are", "and", "or"}
            if (
                k.first > chunk.last
                and copula
                and rest <= {"for", "us", "me", ".", ",", "!", "please"}
            ):
                return k
        return None

    def _is_aside(self, chunk: Chunk) -> bool:
        """Whether its clause tells of the past, or of a condition that is not understood."""
        old = any(k.low is not None and 1900 <= k.low < self.today.year
                  for k in self._near(chunk, "number", free=False))  # fmt: skip
        condition = _CONDITIONS & {
            self.word(t) for t in self._clause_of(chunk.first)
            if not any(k.tag == "soft" and t in k.tokens for k in self.chunks)
        }  # fmt: skip
        return old or bool(condition) or bool(self._near(chunk, "past", free=False))

    def _scope(self, chunk: Chunk) -> tuple[Scope, list[Chunk]]:
        """The days, dates and part of the day that its clause names."""
        scope, used = Scope(), list[Chunk]()
        for k in self._near(chunk, "days", "weekday", "date", "part"):
            if k.tag == "days" and not scope.days:
                scope = replace(scope, days=tuple(map(int, k.names)))
            elif k.tag == "weekday" and not scope.weekdays and not self._before(k, "last"):
                scope = replace(scope, weekdays=tuple(map(int, k.names)))
            elif k.tag == "date" and not scope.dates and k.dates[0] and k.dates[1]:
                scope = replace(scope, dates=c.date_range(k.dates[0], k.dates[1]))
            elif k.tag == "part" and not scope.part:
                scope = replace(scope, part=_part(k.name))
            else:
                continue
            used.append(k)
        return scope, used

    def _add(
        self, constraint: Constraint, *parts: Chunk | Iterable[int], aside: Iterable[int] = ()
    ) -> None:
        """Keep a constraint; cover the words it was read from, and those that only colour it."""
        tokens = {t for part in parts for t in (part.tokens if isinstance(part, Chunk) else part)}
        self._cover(*parts, aside)
        if tokens:
            main = min(parts[0].tokens) if isinstance(parts[0], Chunk) else min(tokens)
            near = [t for t in tokens if self._same_sentence(t, main)]
            constraint = replace(constraint, span=self._span(near))  # type: ignore[type-var]
        self.found.append(constraint)

    def _cover(self, *parts: Chunk | Iterable[int]) -> None:
        for part in parts:
            self.used |= set(part.tokens if isinstance(part, Chunk) else part)
        self._taken |= {k for k in self.chunks if set(k.tokens) <= self.used}

    def _free(self, *tags: str) -> list[Chunk]:
        return [k for k in self.chunks if k.tag in tags and k not in self._taken]

    def _span(self, tokens: Sequence[int]) -> Span:
        first, last = self.tokens[min(tokens)].start, self.tokens[max(tokens)].end
        return Span(start=first, end=last, text=self.text[first:last])

    def _content(self, at: int) -> bool:
        return self.tokens[at].kind == "word" and self.word(at) not in FUNCTION

    # --- who ------------------------------------------------------------------------------

    def _read_affirmations(self) -> None:
        """`why not`, `don't worry`: negations that negate nothing."""
        self._cover(*self._free("affirm"))

    def _read_people(self) -> None:
        counts, ages, parts = dict[str, int](), list[int](), list[Chunk]()
        said = {t.plain for t in self.tokens}
        speaker = bool(said & {"i", "me", "i'm", "i'd", "we", "us", "we're"}) or (
            bool(said & {"my", "our"}) and "they" not in said
        )
        joined = False
        for chunk in self._free("person"):
            found = self._ages_of(chunk)
            count = int(chunk.low) if chunk.low is not None else len(found)
            if self._is_aside(chunk) or (not count and chunk.name not in counts):
                continue
            own = [int(age.low or 0) for age in found]
            ages += own
            young = len([age for age in own if age < 18])
            name = chunk.name
            if own and (young == len(own)) != (name in CHILDREN):
                name = "child" if young else "adult child"
            counts[name] = max(counts.get(name, 0), count)
            joined = joined or bool(
                self._before(chunk, "with", "and", "n", "+", "&", "my", reach=3)
            )
            parts += [chunk, *found]
        total = self._total_people(parts)
        parts += self._free("both", "alone")
        children = sum(counts.get(name, 0) for name in CHILDREN)
        adults = counts.get("adult", 0) or sum(counts.values()) - children
        alone = not counts.get("adult") and not counts.get("couple")
        if speaker and adults and alone and (joined or "friend" not in counts):
            adults += 1
        if not parts:
            if speaker and not said & {"we", "us", "our", "we're", "we'd", "we'll"}:
                self.found.append(c.Group(adults=1, hard=False, assumed=True))
            return
        company = (
            "solo" if total == 1 else "couple" if {"partner", "couple"} & counts.keys() else ""
        )
        if total:
            children = min(children, total - 1)
            adults = total - children
        group = c.Group(adults=adults or 2, children=children, ages=tuple(ages), company=company)
        self._add(group, *parts, aside=self._spare_ages())

    def _ages_of(self, person: Chunk) -> list[Chunk]:
        """Numbers that follow a person as ages: `kids (4, 7)`, `Gran 84`, `a 6-year-old son`."""
        starts = {k.first: k for k in self.chunks if k.tag in ("number", "age")}
        found = [k for k in self.chunks if k.tag == "age" and 0 < person.first - k.last <= 2]
        at = person.last + 1
        if self.word(at) in ("aged", "age", "is", "are", "(", "of"):
            at += 1
            self.used |= {at - 1} if at in starts else set()
        elif (
            self.word(at) == "," and at + 1 in starts and self.word(starts[at + 1].last + 1) == ")"
        ):
            at += 1
        while at in starts and starts[at].low == starts[at].high and (starts[at].low or 0) <= 110:
            found.append(starts[at])
            at = starts[at].last + 1
            while self.word(at) in (",", "+", "and", "&", "/"):
                at += 1
        return found

    def _spare_ages(self) -> list[int]:
        """Ages of those who speak: `I'm 34`, `both seventy-one`; `she has 13 years`."""
        return [
            t for k in self._free("number", "age", "duration")
            if (k.tag != "duration" or k.name in ("year", "month")) and (k.low or 0) <= 110
            and (k.name or self.ends(k.last + 1))
            and self._before(k, "me", "i'm", "am", "both", "is", "aged", "has", "(")
            for t in k.tokens
        ]  # fmt: skip

    def _total_people(self, parts: list[Chunk]) -> int:
        if any(k.tag == "alone" for k in self._free("alone")):
            return 1
        for k in self._free("number", "person"):
            behind = (self.word(k.last + 1), self.word(k.last + 2))
            ahead = (self.word(k.first - 2), self.word(k.first - 1))
            count = int(k.low or 0)
            ours = behind == ("of", "us") or (
                (ahead[1] == "we're" or ahead == ("we", "are"))
                and (self.ends(k.last + 1) or k.name in ("adult", "friend"))
            )
            group = (ahead[0] in CUES["group"] and ahead[1] == "of") or (
                ahead[1] == "for" and (self.ends(k.last + 1) or behind[0] in ("in", "with"))
            )
            if 1 < count <= 60 and (k.tag == "person" or k.low == k.high) and (ours or group):
                parts.append(k)
                return count
        return 2 if self._free("both") else 0

    # --- money ----------------------------------------------------------------------------

    def _read_money(self) -> None:
        for chunk in self._free("money"):
            bound, bound_tokens = self._bound(chunk)
            if bound == "least":
                continue
            per, things, cues = self._money_scope(chunk)
            least = chunk.low if chunk.low != chunk.high else None
            scope, used = self._scope(chunk)
            amount = (chunk.high or Decimal(0)).normalize() + 0
            money = c.Money(amount=amount, currency=chunk.name, per=per, least=least, things=things,
                            scope=scope)  # fmt: skip
            self._add(money, chunk, bound_tokens, cues, *used)

    def _money_scope(self, chunk: Chunk) -> tuple[c.MoneyScope, tuple[Thing, ...], list[int]]:
        """What an amount is for, by the head words of its clause."""
        person, daily = self._per(chunk, "person"), self._per(chunk, "daily")
        night = self._per(chunk, "night")
        heads = {name: self._cues(chunk, name) for name in ("bed", "meal", "ticket", "all")}
        budget = [t for t in self._clause_of(chunk.first) if self.word(t) == "budget"]
        used = [*person, *daily, *night, *budget, *(t for name in heads for t in heads[name])]
        if heads["bed"] or night:
            stays = (Thing(by="kind", name="stay"),)
            if {"month", "week", "weeks"} & self._words(chunk):
                return "trip", stays, used
            if person:
                return "person night", (), used
            return ("night" if heads["all"] else "bed"), (), used
        if heads["meal"]:
            food = (Thing(by="kind", name="food"),)
            if daily:
                return ("person day" if person else "day"), food, used
            return ("trip", food, used) if heads["all"] else ("meal", (), used)
        if heads["ticket"]:
            sights = (Thing(by="kind", name="attraction"), Thing(by="kind", name="activity"))
            if heads["all"]:
                return ("person" if person else "trip"), sights, used
            return "ticket", (), used
        if person:
            return ("person day" if daily else "person"), (), used
        return ("day" if daily else "trip"), (), used

    # --- the clock ------------------------------------------------------------------------

    def _flight(self, chunk: Chunk, *, wide: bool = False) -> list[int]:
        modes = self._near(chunk, "mode", free=False, wide=wide)
        return [t for k in modes if k.name == "plane" for t in k.tokens]

    def _read_appointments(self) -> None:
        """A clock time with a day and no way home, or a time range: something fixed."""
        for chunk in self._free("clock"):
            ranged = chunk.name == "range"
            if not ranged and (
                not self._near(chunk, "date", "weekday", "days")
                or self._cues(chunk, "arrive", "depart", "rise", "retire")
                or self._before(chunk, "before", "after", "by", "until", "till", reach=2)
            ):
                continue
            if self._flight(chunk):
                continue
            scope, used = self._scope(chunk)
            names = self._near(chunk, "name")[:1]
            if names:
                scope = replace(scope, city=self._city(names[0]))
            titled = [
                t
                for t in self._clause_of(chunk.first)
                if self._content(t)
                and not any(t in k.tokens for k in self.chunks if k.tag in _VALUES - {"term"})
            ]
            title = " ".join(self.tokens[t].text for t in titled)
            things = [thing for k in self._near(chunk, "term") if (thing := self._thing(k))]
            meal = {"lunch", "dinner"} & {self.word(t) for t in titled}
            thing = Thing(by="kind", name="food") if meal else things[0] if things else None
            appointment = c.Appointment(
                title=title or "appointment", start=int(chunk.low or 0), scope=scope,
                end=int(chunk.high) if ranged and chunk.high else None,
                thing=None if ranged else thing,
            )  # fmt: skip
            self._add(appointment, chunk, *used, *names, titled)
            if names:
                self.found.append(c.GoTo(place=scope.city, span=self.found[-1].span))

    def _city(self, name: Chunk) -> str:
        return self.atlas.city_of(name.names[0]) or name.names[0]

    def _read_clocks(self) -> None:
        for chunk in self._free("clock"):
            earliest, latest, parts = self._clock_sides(chunk)
            if earliest is None and latest is None:
                continue
            travel = [*self._cues(chunk, "arrive", "depart"), *self._flight(chunk)]
            scope, used = self._scope(chunk)
            if travel and not self._cues(chunk, "rise"):
                scope, used = Scope(days=(1,) if earliest is not None else (-1,)), []
            soft, aside = self._softness(chunk)
            meal = [t for t in self._clause_of(chunk.first) if self.word(t) in ("lunch", "dinner")]
            what: c.Hours = "all"
            if meal:
                what = "lunch" if self.word(meal[0]) == "lunch" else "dinner"
            window = c.ClockWindow(earliest=earliest, latest=latest, what=what, hard=not soft,
                                   scope=replace(scope, part=""))  # fmt: skip
            self._add(window, chunk, parts, travel, meal, *used, aside=aside)

    def _clock_sides(self, chunk: Chunk) -> tuple[int | None, int | None, list[int]]:
        """The earliest and the latest time that a clock time says, by the words before it."""
        minutes, late = int(chunk.low or 0), self._late(chunk)
        rise, retire = self._cues(chunk, "rise"), self._cues(chunk, "retire")
        for bound in self._near(chunk, "earliest", "latest", free=False):
            if bound.tag == "earliest":
                return minutes, None, [*bound.tokens, *rise]
            return None, late, [*bound.tokens, *retire]
        at = self._before(chunk, "before", "after", "by", "until", "till", "at", "from", reach=2)
        word = self.word(at[0]) if at else ""
        negation = self._negation(chunk)
        if negation is not None and word in ("before", "after"):
            titled = [t for t in self._clause_of(chunk.first) if negation.last < t < chunk.first]
            parts = [*at, *negation.tokens, *titled]
            return (minutes, None, parts) if word == "before" else (None, late, parts)
        if word in ("until", "till") and {"sleep", "lie"} & {self.word(t) for t in rise}:
            return minutes, None, [*at, *rise]
        if self._cues(chunk, "arrive") and word in ("at", "by", ""):
            return minutes, None, at
        if (self._cues(chunk, "depart") or self._flight(chunk)) and word in (
            "at",
            "by",
            "before",
            "",
        ):
            return None, minutes, at
        if word in ("after", "from", "at") and rise and rise[0] != (retire or [-1])[0]:
            return minutes, None, [*at, *rise]
        if word in ("by", "before", "until", "till") and retire:
            return None, late, [*at, *retire]
        return None, None, []

    def _late(self, chunk: Chunk) -> int:
        """An hour that ends a day is in its second half, unless it says otherwise."""
        minutes = int(chunk.low or 0)
        stated = self.word(chunk.last) in ("am", "pm") or ":" in self.word(chunk.first)
        return minutes if stated or minutes >= 720 else minutes + 720

    # --- durations ------------------------------------------------------------------------

    def _read_hours(self) -> None:
        """Hours and kilometres on the way or on foot."""
        for chunk in self._free("duration"):
            bound, tokens = self._bound(chunk)
            if chunk.name not in ("minute", "km") or bound not in ("most", "least"):
                continue
            modes = [k for k in self._near(chunk, "mode") if k.name != "overnight"]
            ride, walk = self._cues(chunk, "ride"), self._cues(chunk, "walk")
            single, amount = self._cues(chunk, "one ride"), int(chunk.high or 0)
            days = [k for k in self._near(chunk, "duration") if k.name == "day" and k.low == 1]
            daily = [t for k in days for t in k.tokens] or self._per(chunk, "daily")
            measure: c.Measure = "travel" if daily or not single else "ride"
            if walk and not ride:
                measure, modes = "walk", []
                amount = amount * _KM_AN_HOUR // 60 if chunk.name == "minute" else amount
            elif chunk.name == "km" or not (modes or ride):
                continue
            scope, used = self._scope(chunk)
            families = tuple(dict.fromkeys(mode.name for mode in modes))
            pace = c.Pace(measure=measure, modes=families, scope=scope,
                          most=amount if bound == "most" else None,
                          least=amount if bound == "least" else None)  # fmt: skip
            self._add(pace, chunk, tokens, *modes, daily, *used, ride, walk, single)

    def _read_stretches(self) -> None:
        """Days and nights: of the trip, in a place, or for a theme."""
        units = ("day", "night", "month")
        chunks = [k for k in self._free("duration") if k.name in units and not self._is_per(k)]
        small = [
            k for k in chunks if self._is_small(k) or (k.low == 1 and self.word(k.first) == "a")
        ]
        partly = [k for k in small if self._bound(k)[0] == "least" or self.word(k.last + 1) == "of"]
        chunks = [
            k for k in chunks
            if k not in partly
            and (len(chunks) == 1 or k not in small or self.word(k.last + 1) in ("in", "at", "on"))
        ]  # fmt: skip
        stretches = [self._stretch(k) for k in chunks]
        placed = [s for s in stretches if s.place]
        themed = [s for s in stretches if s.term and not s.place]
        whole = [s for s in stretches if not s.place and not s.term]
        spent = sum(s.chunk.high or 0 for s in placed)
        if len(themed) == 1 and not whole and (themed[0].chunk.high or 0) > spent:
            whole, themed = themed, []
        spent = sum(s.chunk.high or 0 for s in (*placed, *themed))
        parts = [s for s in whole if (s.chunk.high or 0) < spent and themed]
        whole = [s for s in whole if s not in parts]
        only = len(placed) == 1 and not whole and not placed[0].nights
        self._read_placed(placed, is_whole=only)
        self._read_whole(whole)
        self._read_themed(themed)
        fixed = any(isinstance(f, c.Length) or (isinstance(f, c.Dates) and f.start and f.end)
                    for f in self.found)  # fmt: skip
        if not only and not fixed:
            self._sum_up([*placed, *parts, *(themed if len(themed) > 1 or parts else [])])

    def _is_per(self, chunk: Chunk) -> bool:
        """`a day` behind a count, `two days later`, `in Chau Doc`: no length of the trip."""
        before, after = self.word(chunk.first - 1), self.word(chunk.last + 1)
        if before in ("any", "per", "each", "every", "/") or after in ("later", "ago", "before"):
            return True
        if chunk.low == 1 and after == "trip":
            return True
        if chunk.low != int(chunk.low or 0):
            return True
        counted = self._near(chunk, "number", "money", "most", "least", free=False)
        return self.word(chunk.first) in ("a", "an") and any(k.last < chunk.first for k in counted)

    def _is_small(self, chunk: Chunk) -> bool:
        return chunk.name == "day" and chunk.low == 1

    def _stretch(self, chunk: Chunk) -> _Stretch:
        for name in self._near(chunk, "name"):
            rivals = [k for k in self._near(name, "duration") if k.name in ("day", "night")]
            linked = self._between(chunk, name) & {"in", "at", "on", "for", "around", "near"}
            listed = any(self._link(*sorted((name, k), key=lambda k: k.first)) == "list"
                         for k in self._near(name, "name", wide=True))  # fmt: skip
            if rivals[:1] == [chunk] and (chunk.name == "night" or (linked and not listed)):
                return _Stretch(chunk, name, None)
            break
        head = {"trip", "holiday", "vacation", "tour", "itinerary", "break"} & self._words(chunk)
        if head or self._near(chunk, "total") or chunk.name == "night":
            return _Stretch(chunk, None, None)
        terms = [k for k in self._near(chunk, "term") if self._theme(k) and not self._negation(k)]

        return _Stretch(chunk, None, next(iter(terms), None))

    def _read_placed(self, placed: Sequence[_Stretch], *, is_whole: bool) -> None:
        totals: dict[str, tuple[int, int, list[Any]]] = {}
        for stretch in placed:
            bound, tokens = self._bound(stretch.chunk)
            low, high = int(stretch.chunk.low or 0), int(stretch.chunk.high or 0)
            if is_whole:
                self._add(c.Length(least=low, most=high), stretch.chunk)
            low = low if stretch.nights else max(1, low - 1)
            low, high = (
                (low, 99) if bound == "least" else (1, high) if bound == "most" else (low, high)
            )
            key = stretch.place.names[0] if stretch.place else ""
            if self.atlas.places[key].kind not in ("region", "country"):
                key = self.atlas.city_of(key) or key
            before = totals.get(key, (0, 0, []))
            parts = [*before[2], stretch.chunk, stretch.place, tokens]
            totals[key] = (before[0] + low, min(99, before[1] + high), parts)
        for key, (low, high, parts) in totals.items():
            if self._is_everything(key):
                self._cover(*parts)
            elif self.atlas.places[key].kind == "region":
                self._add(c.Within(places=(key,)), *parts)
            else:
                self._add(c.Nights(place=key, least=low, most=high), *parts)

    def _is_everything(self, place: str) -> bool:
        """Whether a place is all that the atlas has: a country with all cities in it."""
        return all(self.atlas.lies_in(city.id, place) for city in self.atlas.cities())

    def _read_whole(self, whole: Sequence[_Stretch]) -> None:
        first: c.Length | None = None
        for stretch in whole:
            chunk, (bound, tokens) = stretch.chunk, self._bound(stretch.chunk)
            each = [
                t
                for t in self._clause_of(chunk.first)
                if self.word(t) == "each"
                or (self.word(t) in CUES["city"] and {self.word(t - 1), self.word(t - 2)} & _PER)
            ]
            times = 30 if chunk.name == "month" else 1
            low, high = int(chunk.low or 0) * times, int(chunk.high or 0) * times
            sea = [k for k in self._near(chunk, "term") if "attribute:sea" in k.names]
            if each:
                cities = {f.names[0] for f in self._near(chunk, "name", free=False, wide=True)}
                nights = low - (not stretch.nights)
                limit = {"most": high} if bound == "most" else {"least": nights}
                self._add(c.Pace(measure="nights", **limit), chunk, tokens, each)  # type: ignore[arg-type]
                if cities and not stretch.nights:
                    total = low * len(cities)
                    self.found.append(c.Length(least=total, most=total, assumed=True))
            elif stretch.nights and not sea and self.word(chunk.last + 1) in ("in", "on", "at"):
                continue  # somewhere that is not understood
            elif stretch.nights and sea:
                most = high if bound == "most" else 99 if bound == "least" else high
                thing = Thing(by="setting", name="sea")
                self._add(c.Nights(thing=thing, least=low, most=most), chunk, tokens, sea[0])
            else:
                low, high = low + stretch.nights, high + stretch.nights
                low = 1 if bound == "most" else low
                length = c.Length(
                    least=low, most=60 if bound == "least" else high, hard=bound != "about"
                )
                if first is None:
                    first = length
                    self._add(length, chunk, tokens, *self._near(chunk, "total"))
                elif first.least == length.least:
                    self._cover(chunk)

    def _read_themed(self, themed: Sequence[_Stretch]) -> None:
        """Stretches for themes follow one another; a single one is something to be had."""
        next_day = 1
        for stretch in themed:
            days, term = int(stretch.chunk.low or 0), stretch.term
            theme = self._theme(term) if term else ""
            scope = Scope(days=tuple(range(next_day, next_day + days)))
            next_day += days
            if len(themed) > 1:
                self._add(
                    c.Theme(theme=theme, scope=scope), stretch.chunk, *([term] if term else [])
                )
            elif term:
                want = c.Want(things=(Thing(by="theme", name=theme),))
                self._add(want, stretch.chunk, term)

    def _sum_up(self, stretches: Sequence[_Stretch]) -> None:
        """The length of a trip that only its stretches say."""
        nights = sum(int(s.chunk.low or 0) for s in stretches if s.nights)
        days = sum(int(s.chunk.low or 0) for s in stretches if not s.nights)
        if any(not s.place for s in stretches):
            last = [k for k in self._free("days") if k.names[0].startswith("-")]
            days += sum(len(k.names) for k in last)
        total = days + nights + (1 if nights and not days else 0)
        if total:
            self.found.append(c.Length(least=total, most=total, assumed=True))

    # --- dates ----------------------------------------------------------------------------

    def _read_dates(self) -> None:
        sides: dict[str, tuple[date | None, int | None]] = {}
        parts, within = list[Any](), False
        for chunk in self._free("date", "weekday"):
            first, last = chunk.dates
            weekdays = [int(name) for name in chunk.names] or [None]  # type: ignore[list-item]
            others = [k for k in self._free("date", "weekday") if k is not chunk]
            if (chunk.name == "range" or first != last) and others and self._near(chunk, "name"):
                continue  # when one is in that place
            if chunk.name == "range" or first != last:
                sides.setdefault("start", (first, weekdays[0]))
                sides.setdefault("end", (last, weekdays[-1]))
                within = within or chunk.name == "within"
                parts.append(chunk)
                if chunk.names and not any(
                    k.name in ("day", "night") for k in self._free("duration")
                ):
                    days = len(chunk.names)
                    self.found.append(c.Length(least=days, most=days, assumed=True))
                continue
            side, cues = self._side(chunk)
            if not side or self._before(chunk, "around", "last", reach=2):
                continue
            if side not in sides:
                sides[side] = (first, weekdays[0])
                late = [
                    k
                    for k in self._near(chunk, "part")
                    if k.first == chunk.last + 1 and (k.name, side) == ("evening", "end")
                ]
                parts += [chunk, cues, *late]
        if sides:
            (start, start_day), (end, end_day) = (
                sides.get(s, (None, None)) for s in ("start", "end")
            )
            dates = c.Dates(start=start, end=end, within=within,
                            start_weekday=None if start else start_day,
                            end_weekday=None if end else end_day)  # fmt: skip
            self._add(dates, *parts)

    def _leaves_first(self, chunk: Chunk) -> bool:
        """`leaving X on Friday and back on Monday`: what one leaves is where it starts."""
        leaves = {"leave", "leaving", "leaves", "depart", "departing"} & self._words(chunk)
        later = (t for t in range(chunk.last + 1, len(self.tokens))
                 if self._same_sentence(t, chunk.last))  # fmt: skip
        return bool(leaves) and any(self.word(t) in ("back", "return", "returning") for t in later)

    def _side(self, chunk: Chunk) -> tuple[str, list[int]]:
        """Whether a date begins or ends the trip, by the head words before it."""
        at = self._before(chunk, "from", "to", "until", "till", "by", "since", "the", reach=2)
        word = self.word(at[0]) if at else ""
        arrive, depart = self._cues(chunk, "arrive"), self._cues(chunk, "depart")
        begin, finish = ([t for t in self._cues(chunk, name) if t < chunk.first]
                         for name in ("begin", "finish"))  # fmt: skip
        flown = self._flight(chunk)
        if self._leaves_first(chunk):
            return "start", depart
        if word in ("to", "until", "till", "by") or finish or (depart and not arrive):
            return "end", [*finish, *depart, *flown]
        if word in ("from", "since") or arrive or begin:
            return "start", [*arrive, *begin, *flown]
        if flown and {"out", "home", "back"} & self._words(chunk):
            return "end", flown
        alone = not any(
            self._content(t) for t in self._clause_of(chunk.first) if t not in chunk.tokens
        )
        return ("start", []) if alone and chunk.tag == "date" else ("", [])

    def _read_months(self) -> None:
        chunks = [k for k in self._free("month") if not self._is_aside(k)]
        if len(chunks) == 1 and chunks[0].name and len(chunks[0].names) == 1:
            month = int(chunks[0].names[0])
            year = int(chunks[0].low or 0) or self.today.year + (month < self.today.month)
            days = monthrange(year, month)[1]
            first, last = {"early": (1, 10), "mid": (11, 20), "late": (16, days)}[chunks[0].name]
            start, end = date(year, month, first), date(year, month, last)
            self._add(c.Dates(start=start, end=end, within=True), chunks[0])
        elif chunks:
            months = dict.fromkeys(int(month) for chunk in chunks for month in chunk.names)
            soft = any(self._softness(chunk)[0] for chunk in chunks)
            self._add(c.Season(months=tuple(months), hard=not soft), *chunks)

    # --- counts ---------------------------------------------------------------------------

    def _read_counts(self) -> None:
        """Numbers of sights a day, of cities, of hotels."""
        for chunk in self._free("number"):
            if self._before(chunk, "any", "each", "every"):
                continue
            bound, tokens = self._bound(chunk)
            low, high, head = int(chunk.low or 0), int(chunk.high or 0), self.word(chunk.last + 1)
            days = [
                k
                for k in self._near(chunk, "duration")
                if self._is_small(k) and k.first > chunk.last
            ]
            daily = [t for k in days for t in k.tokens] or [
                t for t in self._per(chunk, "daily") if t > chunk.last
            ]
            limits: dict[str, Any] = {"least": low} if bound == "least" else {"most": high}
            if not bound and not daily:
                limits = {"least": low, "most": high}
            noun = [chunk.last + 1]
            if daily and (head in CUES["visit"] or head in _PER or noun[0] in daily):
                terms = [
                    k for k in self._near(chunk, "term", free=False, wide=True) if self._thing(k)
                ]
                things = tuple(thing for k in terms[:1] if (thing := self._thing(k)))
                if head in CUES["visit"]:
                    things, terms = (), []
                elif not things:
                    continue
                scope, used = self._scope(chunk)
                pace = c.Pace(measure="visits", things=things, scope=scope, **limits)
                self._add(pace, chunk, tokens, noun, daily, *used, *terms[:1])
            elif head in CUES["hotel"] and not self._near(chunk, "money", free=False):
                changes = {
                    name: max(0, value - 1) for name, value in limits.items() if name == "most"
                }
                self._add(c.Pace(measure="beds", **changes), chunk, tokens, noun)
            elif head in CUES["city"]:
                self._add(c.Pace(measure="cities", **limits), chunk, tokens, noun)

    # --- places ---------------------------------------------------------------------------

    def _read_unknown_names(self) -> None:
        """Capitalised words behind `in` or `visit`, or in a list of names, that no place has."""
        proper = {"term", "person", "mode"}
        closed = {t for k in self.chunks if k.tag not in proper for t in k.tokens}
        names = {k.last for k in self.chunks if k.tag == "name"}
        at = 0
        while at < len(self.tokens):
            first = at
            while (
                at < len(self.tokens)
                and at not in closed | self.used
                and self._is_capital(at, first)
            ):
                at += 1
            group = list(range(first, at))
            before = self.word(first - 1)
            listed = before in (",", "and") and (first - 2 in names or first - 3 in names)
            if group and (before in _IN or listed or (before == "the" and len(group) > 1)):
                self._read_unknown_name(group)
                names.add(at - 1)
            at = max(at, first + 1)

    def _is_capital(self, at: int, first: int) -> bool:
        token = self.tokens[at]
        shouted = token.text.isupper() and len(token.text) > 1
        known = at == first and any(at in k.tokens for k in self.chunks)
        return (token.kind == "word" and token.text[:1].isupper() and token.plain not in FUNCTION
                and not token.breaks and not shouted and not known)  # fmt: skip

    def _read_unknown_name(self, group: list[int]) -> None:
        words = {self.word(t) for t in self._clause_of(group[0])}
        goes = words & {
            "go",
            "going",
            "travel",
            "get",
            "fly",
            "head",
            "way",
            "back",
            "trip",
            "down",
        }
        if words & {"from", "live", "mrs", "mr", "ago", "was", "were", "lived", "born"} or (
            self.word(group[0] - 1) == "to" and not goes
        ):
            return
        name = " ".join(self.tokens[t].text for t in group)
        thing = Thing(by="word", name=name)
        stay = [t for k in self.chunks if k.tag == "duration" and k.name == "night"
                and self._clause[k.last] == self._clause[group[0]] for t in k.tokens]  # fmt: skip
        self._unknown.append(group)
        if negation := self._negated.get(group[0]):
            self._cover(group, negation)
        elif len(group) > 1 and not stay and self._is_mentioned(thing):
            self._add(c.Want(things=(thing,)), group)
        else:
            self._add(c.Missing(name=name), group, stay)

    def _read_directions(self) -> None:
        """The north, the coast, north of a place: parts of the map."""
        starts = {k.first: k for k in self.chunks if k.tag == "name"}
        for at, token in enumerate(self.tokens):
            word = token.plain.removesuffix("ern") if token.plain != "central" else "centre"
            if word not in _REGIONS or (at in starts and self.word(at + 1) != "of"):
                continue
            negation = self._negated.get(at)
            if self.word(at + 1) == "of" and at + 2 in starts and word in _SIDES:
                name, tokens = starts[at + 2], [at, at + 1]
                cities = self._beyond(word, name.names[0])
            elif self.word(at - 1) in ("the", "in", "whole"):
                name, tokens, cities = None, [at], self.atlas.cities_of(word)
            else:
                continue
            parts: list[Any] = [tokens, *(k for k in (name, negation) if k is not None)]
            said = self.text[token.start : self.tokens[name.last if name else at].end]
            if cities and negation is None:
                self._add(c.Within(places=cities, name=f"the {said}" if not name else said), *parts)
            elif cities:
                things = tuple(Thing(by="place", name=city) for city in cities)
                self._add(c.Avoid(things=things), *parts)

    def _beyond(self, side: str, place: str) -> tuple[str, ...]:
        """The cities on one side of a place, by their coordinates."""
        axis, sign = _SIDES[side]
        here = self.atlas.places[place].point
        return tuple(
            city.id for city in self.atlas.cities()
            if here and city.point and (city.point[axis] - here[axis]) * sign > 0
        )  # fmt: skip

    def _read_routes(self) -> None:
        """Names that are joined by `to`, arrows, `then` or `in that order`."""
        routes: list[tuple[list[Chunk], list[str]]] = []
        for name in (k for k in self.chunks if k.tag == "name"):
            if self._negation(name) or self._is_everything(name.names[0]) or self._is_aside(name):
                continue
            link = self._link(routes[-1][0][-1], name) if routes else ""
            if link:
                routes[-1][0].append(name)
                routes[-1][1].append(link)
            else:
                routes.append(([name], []))
        for route, links in routes:
            if len(route) > 1:
                self._read_route(route, links)

    def _link(self, name: Chunk, other: Chunk) -> str:
        """How two names hang together: `to`, `then`, `list`, or not at all."""
        if not self._same_sentence(name.last, other.first):
            return ""
        tokens = range(name.last + 1, other.first)
        words = [
            self.word(t) for t in tokens if self.word(t) not in ("down", "up", "all", "the", "way")
        ]
        dash = words in (["-"], ["–"]) and not self.tokens[name.last + 1].glued
        if dash or words in (["to"], ["until"], ["till"], ["-", ">"], ["→"]):
            return "to"
        if any(k.tag == "then" and name.last < k.first < other.first for k in self.chunks):
            return "then"
        stays = {t for k in self.chunks if k.tag == "duration" for t in k.tokens}
        rest = [self.word(t) for t in tokens if t not in stays and self.word(t).isalpha()]
        spaced = [t for t in tokens if self.word(t) == "-" and not self.tokens[t].glued]
        if spaced and not set(rest) - {"back", "to", "in"}:
            return "then"
        if "after" in rest and set(rest) <= {"and", "after", "in"}:
            return "then"
        return "list" if not set(rest) - {"and", "in", "for"} else ""

    def _read_route(self, route: list[Chunk], links: list[str]) -> None:
        ids = tuple(name.names[0] for name in route)
        ordered = self._near(route[-1], "order", free=False, wide=True)
        modes = [k for k in self._near(route[0], "mode") if k.last < route[0].first]
        stays = {f.place for f in self.found if isinstance(f, c.Nights)}
        if links == ["to"] and modes and not self._before(route[0], "from", reach=2):
            self._add(c.Means(modes=(modes[0].name,), between=ids), *route, modes[0])
            self.found.append(c.Order(places=ids))
        elif set(links) == {"to"} and not stays & set(ids):
            self._add(c.Start(place=ids[0]), route[0])
            self._add(c.End(place=ids[-1]), route[-1])
            for name in route[1:-1]:
                self._add(c.GoTo(place=name.names[0]), name)
            if len(ids) > 2:
                self.found.append(c.Order(places=ids))
        elif ordered or (set(links) <= {"to", "then"} and len(set(ids)) > 1):
            for name in route:
                if name.names[0] not in stays:
                    self._read_role(name, name.names[0])
            back = [t for k in route for t in self._before(k, "back", reach=2)]
            if ids[0] == ids[-1]:
                self._add(c.End(place=ids[-1]), route[-1])
                self._add(c.Start(place=ids[0]), route[0])
                ids = ids[:-1]
            self._add(c.Order(places=ids), *route, *ordered, aside=back)
        elif "then" in links:
            at = links.index("then")
            if ids[at] != ids[at + 1]:
                self.found.append(c.Order(places=ids[at : at + 2]))

    def _read_names(self) -> None:
        for name in self._free("name"):
            place, negation = name.names[0], self._negation(name)
            spared = [k for k in self._near(name, "except", free=False) if k.first < name.first]
            if self._is_aside(name):
                continue
            if spared:
                self._spared.append((name, spared[0]))
            elif negation is not None and (inside := self._locates(name, negation)):
                if self._is_everything(place):
                    self._cover(name, inside)  # else it stays open: only a part is ruled out
            elif negation is not None:
                self._add(c.Avoid(things=(Thing(by="place", name=place),)), name, negation)
            elif self._is_everything(place):
                self._cover(name)
            else:
                self._read_role(name, place)

    def _locates(self, name: Chunk, negation: Chunk) -> list[int]:
        """The words by which a name says where something else is ruled out: `no buses in Hue`."""
        inside = self._before(name, "in", "inside", "within", "across", reach=2)
        ruled_out = any(
            k.tag in ("mode", "term") and negation.last < k.first and k.last < inside[0]
            for k in self.chunks
            if inside
        )
        return list(range(inside[0], name.first)) if ruled_out else []

    def _read_role(self, name: Chunk, place: str) -> None:
        roles = self._roles(name)
        for role, cues in roles:
            self._add(c.Start(place=place) if role == "start" else c.End(place=place), name, cues)
        kind, only = self.atlas.places[place].kind, self._near(name, "only")
        near = self._before(name, "near", "around", reach=2)
        choices = [k for k in self._near(name, "name")
                   if k.first > name.last and self._between(name, k) == {"or"}]  # fmt: skip
        if roles or any(isinstance(f, c.Nights) and f.place == place for f in self.found):
            self._cover(name)
        elif kind in ("region", "country") or (only and kind == "city"):
            self._add(c.Within(places=(place,)), name, *only)
        elif near and kind == "city" and not self._cues(name, "bed"):
            self._add(c.Within(places=(place,), km=_NEAR_KM), name, near)
        elif choices:
            things = tuple(Thing(by="place", name=k.names[0]) for k in (name, choices[0]))
            self._add(c.Want(things=things), name, choices[0])
        else:
            soft, aside = self._softness(name)
            scope, used = self._scope(name)
            trip = self._day_trip(name)
            goal = c.GoTo(
                place=place,
                day_trip=bool(trip) and self.word(name.first - 1) == "to",
                scope=scope,
                hard=not soft or kind == "city",
            )
            self._add(goal, name, *used, trip, aside=aside)

    def _day_trip(self, name: Chunk) -> list[int]:
        counted = {t for k in self.chunks if k.tag == "duration" and k.low != 1 for t in k.tokens}
        return [
            t
            for t in self._clause_of(name.first)
            if self.word(t) == "day"
            and self.word(t + 1) in ("trip", "trips", "excursion")
            and t not in counted
        ]

    def _roles(self, name: Chunk) -> list[tuple[str, list[int]]]:
        """Whether the trip starts or ends in a place, by the head words of its clause."""
        if self._day_trip(name):
            return []
        words, at = self._words(name), self._before(name, "from", reach=2)
        others = self._near(name, "name", free=False)

        def heads(*cues: str) -> list[int]:
            return [
                t for t in self._cues(name, *cues)
                if self.word(t) not in ("from", "home", "airport", "until", "till")
                and (t < name.first or self.word(t) in ("first", "last"))
                and not any(t in k.tokens for k in self._near(name, "days", free=False))
                and not any(min(t, name.first) < k.first < max(t, name.first) for k in others)
            ]  # fmt: skip

        begin, finish = heads("begin", "arrive"), heads("finish", "depart")
        if self._leaves_first(name):
            begin, finish = [*begin, *finish], []
        out = [t for t in self._clause_of(name.first) if self.word(t) == "out"]
        flight = self._flight(name) or (self._flight(name, wide=True) if out else [])
        home = at and (flight or finish) and {"home", "back", "out"} & words
        earlier = self._earlier_head(name)
        if finish or home or (flight and out):
            ending = ("end", [*finish, *flight, *out])
            if earlier and "begin" in earlier[0]:
                return [ending, ("start", earlier[1])]
            return [ending, ("start", begin)] if begin and "and" in words else [ending]
        if out and self.word(out[0] + 1) == "of":
            begin = begin or out
        if begin or (at and not {"come", "live", "are", "based"} & words):
            back = [t for t in range(name.last + 1, min(name.last + 4, len(self.tokens)))
                    if self.word(t) == "back" and self._same_sentence(t, name.last)]  # fmt: skip
            starting = ("start", [*begin, *at])
            return [starting, ("end", back)] if back else [starting]
        return []

    def _earlier_head(self, name: Chunk) -> tuple[str, list[int]] | None:
        """`start and end in X`: the other head word is all that the clause before has."""
        first = self._clause_of(name.first)[0]
        if first == 0 or not self._same_sentence(first - 1, first):
            return None
        words = [t for t in self._clause_of(first - 1) if self.word(t) in CUES["begin"]]
        named = any(k.tag == "name" and k.first in self._clause_of(first - 1) for k in self.chunks)
        return ("begin", words) if words and not named and self.word(first) == "and" else None

    # --- means ----------------------------------------------------------------------------

    def _read_modes(self) -> None:
        for mode in self._free("mode"):
            if mode in self._taken or self._is_aside(mode):
                continue
            if mode.name == "plane" and {"into", "out", "home", "back", "land"} & self._words(mode):
                self._cover(mode)  # the way to the trip, not in it
                continue
            negation, only = self._negation(mode), self._near(mode, "only", free=False)
            permitted = self._near(mode, "yes", free=False)
            group = [mode, *(k for k in self._near(mode, "mode")
                             if self._between(mode, k) <= {"or", "and", "/", ","})]  # fmt: skip
            modes = tuple(dict.fromkeys(k.name for k in group))
            soft, aside = self._softness(mode)
            scope, used = self._scope(mode)
            noun = self.word(mode.first) not in ("fly", "flying", "drive", "driving", "cycle")
            by = self._before(mode, "by", "with", "take", "on", reach=3)
            other = [k for k in self._near(mode, "clock", free=False) if k.first > mode.last]
            if negation is not None and not other:
                little = {"much", "many"} & self._words(mode)
                means = c.Means(modes=modes, rule="never", scope=scope, hard=not little)
                self._add(means, *group, negation, *used)
            elif permitted and not only:
                self._add(c.Means(modes=modes, rule="may", hard=False), *group, *permitted)
            elif only or soft:
                means = c.Means(modes=modes, rule="only", scope=scope, hard=not soft)
                self._add(means, *group, *only, *used, aside=aside if soft else ())
            elif noun and (
                by
                or self.word(mode.last + 1) == "to"
                or not any(
                    self._content(t) for t in self._clause_of(mode.first) if t not in mode.tokens
                )
            ):
                self._add(c.Means(modes=modes, rule="some", scope=scope), *group, *used)

    # --- things ---------------------------------------------------------------------------

    def _theme(self, term: Chunk) -> str:
        themes = [name.removeprefix("theme:") for name in term.names if name.startswith("theme:")]
        return next((t for t in themes if t not in ("family", "budget", "luxury")), "")

    def _thing(self, term: Chunk) -> Thing | None:
        """The most exact thing that a term means; None for one that asks for nothing."""
        readings = dict[str, str]()
        for name in term.names:
            category, _, value = name.partition(":")
            readings.setdefault(category, value)
        words = {self.word(t) for t in term.tokens}
        if words <= CUES["eat"] | CUES["meal"] | {"walk", "walks", "walking"} and words != {"food"}:
            return None
        kind, _, of_type = readings.get("kind", "").partition("/")
        offer, attribute = readings.get("offer", ""), readings.get("attribute", "")
        if of_type in _GENERIC or offer in _GENERIC or (kind and not of_type and not offer):
            return None
        if attribute == "children":
            return Thing(by="feature", name=attribute) if "friendly" in words else None
        if attribute == "sea" and not of_type:
            return Thing(by="setting", name="sea")
        if of_type:
            return Thing(by="type", name=of_type)
        if offer and offer not in FUNCTION:
            return Thing(by="offer", name=offer)
        if attribute:
            return Thing(by="feature", name=attribute)
        diets = [k for k in self._near(term, "term", free=False) if _has_diet(k)]
        if words == {"food"} and (diets or self.word(term.first - 1) not in FUNCTION):
            return None
        return Thing(by="theme", name=self._theme(term)) if self._theme(term) else None

    def _read_diets(self) -> None:
        """Allergies, and what somebody does not eat."""
        for chunk in self._free("allergy"):
            for step in (range(chunk.last + 1, len(self.tokens)), range(chunk.first - 1, -1, -1)):
                foods = self._foods(step, self._clause[chunk.first])
                for food in foods:
                    self._add(c.Need(need=c.WITHOUT + self._text_of(food)), chunk, food)
                if foods:
                    break
        for chunk in self._free("not"):
            reach = [at for at, negation in self._negated.items() if negation is chunk]
            eats = [at for at in reach if self.word(at) in CUES["eat"] and at - chunk.last <= 4]
            if eats:
                rest = range(eats[0] + 1, len(self.tokens))
                end = next((t for t in rest if self._parts_list(t)), len(self.tokens))
                for food in self._foods(range(eats[0] + 1, end), self._clause[eats[0]]):
                    self._add(c.Need(need=c.WITHOUT + self._text_of(food)), chunk, eats[:1], food)

    def _parts_list(self, at: int) -> bool:
        plain = ("or", "and", "nor", "any", "anything", "very", "too", "the", "a", ",")
        return not self._content(at) and self.word(at) not in plain

    def _foods(self, tokens: Iterable[int], clause: int) -> list[list[int]]:
        """Groups of content words of a clause, parted by other words."""
        groups: list[list[int]] = [[]]
        for at in tokens:
            if self._clause[at] != clause:
                break
            if self._content(at) and self.word(at) not in CUES["eat"]:
                groups[-1].append(at)
            elif groups[-1]:
                groups.append([])
        return [sorted(group) for group in groups if group]

    def _text_of(self, tokens: Sequence[int]) -> str:
        return " ".join(self.word(at) for at in tokens)

    def _read_terms(self) -> None:
        for term in self._free("term"):
            if term in self._taken or self._is_aside(term):
                continue
            negation, thing = self._negation(term), self._thing(term)
            attributes = [n[10:] for n in term.names if n.startswith("attribute:")]
            needs = sorted(set(attributes) & _NEEDS, key=lambda n: n != self.word(term.first))
            level = next((n for n in ("budget", "luxury") if f"theme:{n}" in term.names), "")
            if needs and negation is None:
                ease = [t for t in (term.last + 1, term.last + 2) if self.word(t) in CUES["ease"]]
                self._add(c.Need(need=needs[0]), term, ease)
            elif level and thing is None and negation is None:
                if self.word(term.first) != "budget" or not self._near(term, "money", free=False):
                    self._add(c.Level(levels=(level,), hard=False), term)
            elif thing is not None and negation is not None:
                self._read_ban(term, thing, negation)
            elif thing is not None:
                self._read_want(term, thing)
        for chunk in self._free("mid"):
            self._add(c.Level(levels=("mid-range",)), chunk)

    def _read_ban(self, term: Chunk, thing: Thing, negation: Chunk) -> None:
        """A thing that is ruled out; a word before it makes it a narrower one."""
        if any(k.first == term.last + 1 for k in self._near(term, "term", free=False)):
            return  # the first word of a compound
        narrow = [
            t
            for t in range(negation.last + 1, term.first)
            if self._content(t)
            and t not in self.used
            and self._clause[t] == self._clause[term.first]
        ]
        if narrow and narrow[-1] == term.first - 1:
            tokens = [*narrow[-1:], *term.tokens]
            thing = Thing(by="word", name=self._text_of(tokens))
            if not self._is_mentioned(thing):
                return
            narrow = tokens
        else:
            narrow = []
        if thing.by == "theme" and self.word(term.first)[:4] != thing.name[:4]:
            thing = Thing(by="word", name=self._text_of(term.tokens))
            if not self._is_mentioned(thing):
                return
        scope, used = self._scope(term)
        spared = [pair for pair in self._spared if pair[0].first > term.last]
        parts = [part for pair in spared for part in pair]
        self._spared = [pair for pair in self._spared if pair not in spared]
        dish = thing.by == "offer" and any(thing.name in map(str.casefold, p.serves)
                                           for p in self.atlas.places.values())  # fmt: skip
        diet = any(_has_diet(k) for k in self._near(term, "term", free=False, wide=True))
        mine = self.word(term.last + 1) == "for" and thing == Thing(by="feature", name="alcohol")
        dish = dish or mine or (diet and thing.by == "offer")
        if dish or thing == Thing(by="feature", name="seafood"):
            self._add(c.Need(need=c.WITHOUT + self._text_of(term.tokens)), term, negation)
            return
        ban = c.Avoid(things=(thing,), scope=scope, but=tuple(name.names[0] for name, _ in spared))
        self._add(ban, term, negation, *used, *parts, narrow)

    def _is_mentioned(self, thing: Thing) -> bool:
        return any(thing.fits(place, self.atlas) for place in self.atlas.places.values())

    def _read_want(self, term: Chunk, thing: Thing) -> None:
        soft, aside = self._softness(term)
        scope, used = self._scope(term)
        if thing.by == "feature" and thing.name in _UNWANTED:
            return
        if thing.by == "theme":
            own = self.word(term.first)[:5] == thing.name[:5]
            theme = c.Theme(theme=thing.name, scope=scope, hard=own and not soft)
            self._add(theme, term, *used, aside=aside)
            return
        counts = [k for k in self._near(term, "number", "duration")
                  if (0 <= term.first - k.last - 1 <= 2 and k.tag == "number"
                      and not self._between(k, term) & FUNCTION)
                  or k.first < term.first <= term.last < k.last]  # fmt: skip
        bound, tokens = self._bound(counts[0]) if counts else ("", ())
        low = int(counts[0].low or 1) if counts and counts[0].tag == "number" else 1
        cities = [k for k in self._near(term, "name", free=False) if k.first > term.last
                  and self._between(term, k) <= {"in", "at", "of", "the", "around"}]  # fmt: skip
        if cities and self.atlas.places[cities[0].names[0]].kind == "city":
            scope = replace(scope, city=cities[0].names[0])
        daily = [t - step for t in self._per(term, "daily") for step in (0, 1)
                 if self.word(t) == "daily" or self.word(t - 1) in ("each", "every")]  # fmt: skip
        only = self._near(term, "only", free=False) if thing.by == "type" else []
        want = c.Want(
            things=(thing,),
            least=0 if bound == "most" else low,
            scope=scope,
            most=low if bound == "most" else None,
            each_day=bool(daily),
            hard=not soft,
        )
        self._add(want, term, *used, tokens, *counts[:1], *only, aside=[*aside, *daily])

    def _read_ruled_out_words(self) -> None:
        """`no karaoke`: a word that no list has, but that texts of places mention."""
        for negation in self._free("not"):
            if negation.name not in ("no", "without", "avoid", "avoiding", "skip", "skipping"):
                continue
            words = self._foods(
                range(negation.last + 1, len(self.tokens)), self._clause[negation.last]
            )
            for group in words[:1]:
                thing = Thing(by="word", name=self._text_of(group))
                unread = group[0] == negation.last + 1 and not set(group) & self.used
                if unread and self._is_mentioned(thing):
                    self._add(c.Avoid(things=(thing,)), negation, group)

    def _read_free_time(self) -> None:
        """`a free afternoon`, `one rest day`, `do nothing on the last day`."""
        for chunk in self._free("days", "part", "duration"):
            if chunk.tag == "duration" and (chunk.name != "day" or (chunk.high or 0) > 7):
                continue
            near = [t for t in self._cues(chunk, "free")
                    if min(abs(t - chunk.first), abs(t - chunk.last)) <= 4]  # fmt: skip
            if near:
                scope, used = self._scope(chunk)
                if chunk.tag == "days":
                    scope = replace(scope, days=tuple(map(int, chunk.names)))
                elif chunk.tag == "part":
                    scope = replace(scope, part=_part(chunk.name))
                count = int(chunk.low or 1) if chunk.tag == "duration" else max(1, len(scope.days))
                self._add(c.FreeTime(count=count, scope=scope), chunk, near, *used)

    def _read_pace(self) -> None:
        for chunk in self._free("slow", "busy"):
            scope, used = self._scope(chunk)
            most, least = (_SLOW_VISITS, None) if chunk.tag == "slow" else (None, _BUSY_VISITS)
            pace = c.Pace(measure="visits", hard=False, scope=scope, most=most, least=least)
            self._add(pace, chunk, *used)

    # --- the rest -------------------------------------------------------------------------

    def _tidy(self) -> None:
        """The same constraint once; several regions are alternatives; a late start has room."""
        unlike: dict[object, Constraint] = {}
        for found in self.found:
            unlike.setdefault(replace(found, span=None), found)  # type: ignore[type-var]
        self.found = list(unlike.values())
        ends = [found for found in self.found if isinstance(found, c.End)]
        for found in ends[:-1]:
            self.found[self.found.index(found)] = c.GoTo(place=found.place, span=found.span)
        lengths = [found for found in self.found if isinstance(found, c.Length)]
        regions = [f for f in self.found if isinstance(f, c.Within) and f.km is None]
        for at, found in enumerate(self.found):
            if (
                isinstance(found, c.Dates)
                and found.within
                and found.start
                and found.end
                and lengths
            ):
                room = timedelta(days=lengths[0].most - 1)
                if found.end - found.start < room:
                    self.found[at] = replace(found, end=found.end + room)
        if len(regions) > 1:
            places = tuple(dict.fromkeys(place for region in regions for place in region.places))
            first = self.found.index(regions[0])
            names = " or ".join(dict.fromkeys(region.name for region in regions if region.name))
            self.found[first] = replace(regions[0], places=places, name=names)
            self.found = [found for found in self.found if found not in regions[1:]]

    def leftover(self) -> tuple[Span, ...]:
        """Content words that nothing covers, with the words around them that nothing covers."""
        groups: list[list[int]] = []
        for at in (t for t in range(len(self.tokens)) if self._is_open(t)):
            between = range(groups[-1][-1] + 1, at) if groups else range(0)
            if groups and self._same_sentence(groups[-1][-1], at) and not any(
                t in self.used or self.word(t) in ",;:()" for t in between
            ):  # fmt: skip
                groups[-1].append(at)
            else:
                groups.append([at])
        return tuple(self._span(self._widened(group)) for group in groups)

    def _widened(self, group: list[int]) -> list[int]:
        """A group with the prepositions and verbs before it, so that it can be understood."""
        first = group[0]
        while (
            first and first - 1 not in self.used and self._clause[first - 1] == self._clause[first]
        ):
            if self.tokens[first - 1].kind == "sign":
                break
            first -= 1
        while first < group[0] and self.word(first) in (*_JOINTS, "i", "we", "the", "a", "an"):
            first += 1
        last = group[-1]
        conditional = any(self.word(at) in _CONDITIONS for at in group)
        while conditional and last + 1 < len(self.tokens) and last + 1 not in self.used:
            if self._clause[last + 1] != self._clause[last] or self.tokens[last + 1].kind == "sign":
                break
            last += 1
        return [first, *group, last]

    def _is_open(self, at: int) -> bool:
        token = self.tokens[at]
        if at in self.used or token.kind == "sign":
            return False
        chunk = next((k for k in self.chunks if at in k.tokens), None)
        if chunk is None:
            return token.plain not in FUNCTION or token.plain in _CONDITIONS
        if chunk.tag in _VALUES:
            return not self._is_background(chunk)
        return chunk.tag in ("slow", "busy", "mid", "past", "order", "alone", "both")

    def _is_background(self, chunk: Chunk) -> bool:
        """Chunks that ask for nothing by themselves: a kind without a type, `one`, `a day`."""
        words = [self.word(at) for at in chunk.tokens]
        if chunk.tag == "number":
            return words == ["one"]
        if chunk.tag == "duration":
            return words[0] in ("a", "an") and self._is_per(chunk)
        if chunk.tag == "term" and self._thing(chunk) is None:
            generic = set(words) <= CUES["eat"] | CUES["meal"] | {"family"} | CUES["hotel"]
            return generic or all(name.startswith("kind:") for name in chunk.names)
        return False


def _has_diet(term: Chunk) -> bool:
    return any(name.removeprefix("attribute:") in c.DIETS for name in term.names)


def _part(name: str) -> c.Part:
    parts: dict[str, c.Part] = {
        "morning": "morning",
        "afternoon": "afternoon",
        "evening": "evening",
    }
    return parts.get(name, "")
