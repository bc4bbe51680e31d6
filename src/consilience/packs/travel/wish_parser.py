"""What does a wish ask for? Words go with the heads that they belong to; heads become constraints.

The text is cut into clauses. A clause without a predicate of its own goes on with the one before
it, and so does what follows a topic (`In Hue: …`). A head (a thing, a place, an amount, a time)
takes what governs it from this chain: its negation, when and where it holds, how much it is
wanted, and the stretch of the trip (`then three days …`) that it is in. Words that no head takes
are left over, and are shown as not understood. No rule is about one phrasing.
"""

from __future__ import annotations

import itertools
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from consilience.packs.travel import constraints as c
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.constraints import Constraint, Scope, Span, Thing
from consilience.packs.travel.terms import plain
from consilience.packs.travel.wish_lexer import CHILDREN, CUES, FUNCTION, Chunk, Scanner

_SENTENCE_ENDS = frozenset(".!?;•")
_CLAUSE_ENDS = frozenset(",():–—")
_JOINTS = frozenset(("and", "but", "while", "because", "plus", "+", "&", "n"))
_CHAINED = frozenset((",", ":", "and", "or", "nor", "&", "+", "plus", "n", "/", "(", "-"))
_SUBJECTS = frozenset(("we", "i", "my", "our", "it", "with", "is", "are", "but", "she", "he"))
_ABBREVIATIONS = frozenset(("max", "min", "approx", "ca", "incl", "st", "mr", "mrs", "dr"))
_SHORT_NEGATIONS = frozenset(("no", "not", "nothing", "never", "none", "neither", "nobody"))
_CONDITIONS = frozenset(("if", "unless", "whether"))
_PER = frozenset(("a", "an", "per", "each", "every", "any", "one", "/"))
_BOUNDING = ("before", "after", "by", "until", "till", "since")
_WHEN = ("days", "weekday", "date", "part")
_WHERE = frozenset(("in", "at", "inside", "within", "across", "around", "near", "of", "on", "for"))
_PREDICATES = frozenset(("want", "soft", "hard", "not", "money", "duration", "only", "except"))
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
_BOTH_WAYS = (["round", "trip", "from"], ["round", "trip", "to"], ["in", "and", "out"])
_SETTINGS = {"island": "island", "mountain": "mountains", "beach": "sea"}
"""Types of sights that say where a stretch of the trip is."""
_WIDE = frozenset(("city", "region", "country", "area"))
_RANKS = frozenset(("first", "last", "already", "until", "till"))
_PAIRING = frozenset(
    ("and", "&", "/", "+", "the", "at", "in", "to", "from", "my", "our", "its", "then")
)
"""What may stand between the two words of `start and end`."""
_TRIP = frozenset(("trip", "holiday", "vacation", "tour", "itinerary", "break"))


def read_constraints(
    text: str, atlas: Atlas, *, today: date
) -> tuple[tuple[Constraint, ...], tuple[Span, ...]]:
    """The constraints of a text, and the words that nothing covers."""
    parser = _Parser(text, atlas, today)
    parser.parse()
    return tuple(parser.found), parser.leftover()


@dataclass(slots=True, eq=False)
class _Clause:
    """Some tokens of a sentence, the joint before them, and the clause that they go on with."""

    sentence: int
    joint: str
    tokens: list[int]
    chunks: list[Chunk]
    head: _Clause | None = None


@dataclass(slots=True, eq=False)
class _Stretch:
    """A number of days or nights, the place or the term it belongs to, and its days if known."""

    chunk: Chunk
    place: Chunk | None = None
    term: Chunk | None = None
    scope: Scope = c.ALWAYS

    @property
    def nights(self) -> bool:
        return self.chunk.name == "night"

    @property
    def length(self) -> int:
        return len(self.chunk.names) if self.chunk.tag == "days" else int(self.chunk.low or 0)


class _Parser:
    """Parses one wish; `found` are its constraints, `used` the tokens that they cover."""

    def __init__(self, text: str, atlas: Atlas, today: date) -> None:
        self.text, self.atlas, self.today = text, atlas, today
        scanner = Scanner(text, atlas, today)
        self.tokens, self.word, self.ends = scanner.tokens, scanner.word, scanner.ends
        self.chunks = scanner.chunks()
        self.found: list[Constraint] = []
        self.used: set[int] = set()
        self._taken: set[Chunk] = set()
        self._spared: list[tuple[Chunk, Chunk]] = []
        self._stretches: list[_Stretch] = []
        self._scopes: set[Chunk] = set()
        self._divided: set[Chunk] = set()
        self._withdrawn: set[int] = set()
        self._clauses = self._cut()
        self.chunks = [k for k in self.chunks if k.tag != "name" or not self._is_in_name(k)]
        for clause in self._clauses:
            clause.chunks = [k for k in clause.chunks if k in self.chunks]
        self._withdraw_corrected()
        self._negated = {
            at: chunk for chunk in self.chunks if chunk.tag == "not" for at in self._reach(chunk)
        }

    def parse(self) -> None:
        """Every class in the order in which later ones need what earlier ones took."""
        steps: tuple[Callable[[], None], ...] = (
            *(self._read_affirmations, self._read_people, self._read_money),
            *(self._read_appointments, self._read_clocks, self._read_hours, self._read_dates),
            *(self._read_months, self._read_unknown_names, self._read_stretches),
            *(self._read_directions, self._read_counts, self._read_routes, self._read_names),
            *(self._read_modes, self._read_diets, self._read_free_time, self._read_terms),
            *(self._read_pace, self._read_ruled_out_words, self._read_elliptical_bans),
            *(self._withdraw_restricted, self._tidy),
        )
        for step in steps:
            step()

    # --- clauses: what goes with what -----------------------------------------------------

    def _cut(self) -> list[_Clause]:
        """The clause of each token, each with the one that it goes on with."""
        openers = {k.first for k in self.chunks if k.tag in ("then", "except")}
        inside = {at for chunk in self.chunks for at in range(chunk.first + 1, chunk.last + 1)}
        closing = {k.first for k in self.chunks if k.tag in ("most", "least")
                   and self.ends(k.last + 1)}  # fmt: skip
        found: list[_Clause] = []
        for at, token in enumerate(self.tokens):
            before = self.word(at - 1) if at else ""
            ends = before in _SENTENCE_ENDS and not (
                before == "." and self.word(at - 2) in _ABBREVIATIONS
            )
            joint = token.plain in _JOINTS or (token.plain == "-" and not token.glued)
            if not found:
                found.append(_Clause(0, "", [], []))
            elif at in inside:
                pass
            elif token.breaks or ends:
                found.append(_Clause(found[-1].sentence + 1, "", [], []))
            elif (joint or before in _CLAUSE_ENDS or at in openers) and at not in closing:
                found.append(_Clause(found[-1].sentence, token.plain if joint else before, [], []))
            found[-1].tokens.append(at)
        clauses = [clause for clause in found for _ in clause.tokens]
        for chunk in self.chunks:
            clauses[chunk.first].chunks.append(chunk)
        for before_it, clause in itertools.pairwise(found):
            same = before_it.sentence == clause.sentence
            if same and (self._is_topic(before_it) or self._goes_on(clause)):
                clause.head = before_it
        return clauses

    def _is_in_name(self, name: Chunk) -> bool:
        """Whether it is only a part of a longer proper name that no place has."""
        inside = {t for k in self.chunks for t in k.tokens}
        shouted = self.text.isupper()
        at = name.last + 1
        return at < len(self.tokens) and not shouted and at not in inside and (
            self._content(at) and self.tokens[at].text[:1].isupper()
            and not self.tokens[at].breaks and not self.tokens[at].glued
            and self.tokens[name.first].text[:1].isupper()
        )  # fmt: skip

    def _withdraw_corrected(self) -> None:
        """`ten days – no, make it nine`: what a sentence takes back is left over."""
        for negation in [k for k in self.chunks if k.name == "no"]:
            behind = negation.last + 1
            if self.word(behind) == "," and self.word(negation.first - 1) not in ("", ".", "!"):
                back = [t for t in range(negation.first) if self._same_sentence(t, negation.first)]
                self._withdrawn |= set(back)
                units = [k for k in self.chunks if k.tag == "duration" and k.first in back]
                later = [k for k in self.chunks if k.tag == "number" and k.first > behind
                         and self._same_sentence(k.first, behind)]  # fmt: skip
                if units and later and later[0].first <= behind + 4:
                    again = replace(later[0], tag="duration", name=units[-1].name)
                    self.chunks[self.chunks.index(later[0])] = again
                    self._clauses[again.first].chunks.append(again)
                self.chunks = [k for k in self.chunks if k.first not in back and k is not negation]
        for clause in self._clauses:
            clause.chunks = [k for k in clause.chunks if k in self.chunks]

    def _is_topic(self, clause: _Clause) -> bool:
        """Whether a clause only says when or where what follows is: `On day 2,`, `In Hue:`."""
        values = [k for k in clause.chunks if k.tag in _VALUES]
        first = self.word(clause.tokens[0])
        where = first in _WHERE or self.word(clause.tokens[-1]) == ":"
        return bool(values) and all(
            k.tag in _WHEN or (k.tag == "name" and where) for k in values
        ) and not any(self._is_open_word(t) for t in clause.tokens)  # fmt: skip

    def _goes_on(self, clause: _Clause) -> bool:
        """Whether a clause has no predicate of its own, so that the one before governs it."""
        words = {self.word(t) for t in clause.tokens}
        tags = {k.tag for k in clause.chunks}
        return clause.joint in _CHAINED and not (tags & _PREDICATES) and not (words & _SUBJECTS)

    def _is_open_word(self, at: int) -> bool:
        inside = any(at in k.tokens for k in self.chunks)
        return not inside and self._content(at)

    def _chain(self, at: int) -> Iterator[_Clause]:
        """The clause of a token and those that it goes on with, the nearest first."""
        clause: _Clause | None = self._clauses[at]
        while clause is not None:
            yield clause
            clause = clause.head

    def _reach(self, negation: Chunk) -> list[int]:
        """The tokens behind a negation up to the end of its clause or list."""
        lists = negation.name not in _SHORT_NEGATIONS and "'t" not in negation.name
        lists = lists and not negation.name.endswith((" than", " of"))
        lists = lists or self.word(negation.last + 1) in (":", "-")
        clause, reach, depth = self._clauses[negation.last], list[int](), 0
        for at in range(negation.last + 1, len(self.tokens)):
            if not self._same_sentence(at, negation.last):
                break
            depth += {"(": 1, ")": -1}.get(self.word(at), 0)
            if depth:
                if depth < 0:
                    break
                continue
            if self._clauses[at] is not clause and not self._continues(at, lists=lists):
                break
            clause = self._clauses[at]
            reach.append(at)
        return reach

    def _continues(self, at: int, *, lists: bool) -> bool:
        """Whether the clause at a token goes on with the list of the one before it."""
        clause = self._clauses[at]
        words = [self.word(t) for t in clause.tokens if t >= at and self.word(t) not in ",)"]
        tags = {k.tag for k in clause.chunks if k.first >= at}
        if not words:
            return True
        if tags & _PREDICATES or ("name" in tags and not lists) or len(words) > 6:
            return False
        if _SUBJECTS & set(words) - {"she", "he"} or words[0] in ("so", "because", "while"):
            return False
        later = {self.word(t) for t in range(at, len(self.tokens)) if self._same_sentence(t, at)}
        return lists or (words[0] not in ("and", "&", "+") and bool({"or", "nor"} & later))

    def _same_sentence(self, at: int, other: int) -> bool:
        return self._clauses[at].sentence == self._clauses[other].sentence

    def _clause_of(self, at: int) -> list[int]:
        return self._clauses[at].tokens

    def _words(self, chunk: Chunk) -> set[str]:
        return {self.word(at) for at in self._clause_of(chunk.first)}

    def _near(self, chunk: Chunk, *tags: str, free: bool = True, wide: bool = False) -> list[Chunk]:
        """The other chunks of its clause (or sentence) with these tags, the nearest first."""
        here = (self._clauses[chunk.first], self._clauses[chunk.last])
        found = [
            k for k in self.chunks
            if k.tag in tags and k is not chunk and not (free and k in self._taken)
            and (self._same_sentence(k.first, chunk.first) if wide
                 else self._clauses[k.first] in here or self._clauses[k.last] in here)
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

    def _every_day(self, chunk: Chunk) -> list[int]:
        """The words of its clause for every day."""
        return [t - step for t in self._per(chunk, "daily") for step in (0, 1)
                if self.word(t) == "daily" or self.word(t - 1) in ("each", "every")]  # fmt: skip

    def _before(self, chunk: Chunk, *words: str, reach: int = 1) -> list[int]:
        """The token with one of these words right before a chunk."""
        steps = range(chunk.first - 1, max(-1, chunk.first - 1 - reach), -1)
        return [at for at in steps if self.word(at) in words][:1]

    def _between(self, chunk: Chunk, other: Chunk) -> set[str]:
        low, high = sorted((chunk, other), key=lambda k: k.first)
        return {self.word(at) for at in range(low.last + 1, high.first)}

    def _bound(self, chunk: Chunk) -> tuple[str, tuple[int, ...]]:
        """`most`, `least`, `about` or nothing, and the tokens that say so."""
        counted = ("number", "duration", "money", "clock")
        for bound in self._near(chunk, "most", "least", "about", free=False):
            low, high = sorted((chunk, bound), key=lambda k: k.first)
            far = high.first - low.last > (3 if bound is low else 8)
            parted = any(k.tag in counted and k.low != 1 and low.last < k.first < high.first
                         for k in self.chunks)  # fmt: skip
            if far or parted or (bound.tag == "about" and bound is high):
                continue
            if bound is high and not self._closes(bound):
                continue
            negation = self._negated.get(bound.first)
            if negation is not None and bound.tag != "about":
                other = "least" if bound.tag == "most" else "most"
                return other, (*bound.tokens, *negation.tokens)
            return bound.tag, bound.tokens
        return "", ()

    def _closes(self, bound: Chunk) -> bool:
        """Whether a bound belongs to what is before it: nothing that it could limit follows it."""
        behind = bound.last + 1
        follows = self.word(behind) in ("the", "a", "an", "and") or any(
            k.first == behind and k.tag in ("number", "money", "duration", "clock", "name")
            for k in self.chunks
        )
        return self.ends(behind) or not (follows or self._content(behind))

    def _is_limited(self, chunk: Chunk) -> bool:
        """Whether its clause has an upper bound that nothing took: more of it is not asked for."""
        bounds = self._near(chunk, "most")
        return any(k not in self._negated.values() for k in bounds)

    def _softness(self, chunk: Chunk) -> tuple[bool, tuple[int, ...]]:
        """Whether it is rather wanted than must be, by the nearest word that governs it."""
        tags = ("soft", "yes", "want", "hard")
        nearest = self._near(chunk, *tags, free=False) or [
            k for k in self._near(chunk, *tags, free=False, wide=True)
            if k.last < chunk.first and k.tag != "yes"
        ]  # fmt: skip
        if nearest:
            return nearest[0].tag in ("soft", "yes"), nearest[0].tokens
        return any(k.tag == "yes" for k in self._shared(chunk)), ()

    def _shared(self, chunk: Chunk) -> list[Chunk]:
        """The chunks of later clauses whose predicate a bare one shares: `A and B are …`."""
        clause, found = self._clauses[chunk.first], list[Chunk]()
        while not any(self._content(t) and not any(t in k.tokens for k in clause.chunks)
                      for t in clause.tokens):  # fmt: skip
            after = clause.tokens[-1] + 1
            if after >= len(self.tokens) or self._clauses[after].joint not in (
                ",",
                "and",
                "or",
                "&",
            ):
                break
            clause = self._clauses[after]
            found += clause.chunks
        return found

    def _negation(self, chunk: Chunk) -> Chunk | None:
        """The negation in whose reach a chunk is, or that stands right behind it."""
        negation = self._negated.get(chunk.first)
        if negation is not None and negation.last < chunk.first:
            return negation
        for k in self._near(chunk, "not", free=False):
            rest = {self.word(t) for t in self._clause_of(k.last) if t > k.last}
            copula = self._between(chunk, k) <= {"is", "are", "and", "or"}
            tail = {"for", "us", "me", ".", ",", "!", "please"}
            tail |= {w for y in self._near(chunk, "yes", free=False) for w in y.name.split()}
            if k.first > chunk.last and copula and rest <= tail:
                return k
        clause = self._clauses[chunk.first]
        if not any(self._content(t) for t in clause.tokens if t not in chunk.tokens):
            others = [k for k in self._shared(chunk) if k.tag == chunk.tag]
            shared = self._negation(others[0]) if others else None
            return shared if shared and shared.first > others[0].last else None
        return None

    def _is_compared(self, chunk: Chunk) -> bool:
        """Whether it is what something else is rather wanted than: `by train than fly`."""
        clause = [t for t in self._clause_of(chunk.first) if t < chunk.first]
        than = [t for t in clause if self.word(t) == "than"]
        rather = [k for k in self._near(chunk, "soft", free=False) if k.name.startswith("prefer")]
        to = [t for t in clause if self.word(t) == "to" and rather and t == chunk.first - 1]
        bound = any(
            than and than[-1] in k.tokens for k in self.chunks if k.tag in ("most", "least")
        )
        return bool((than and not bound) or to)

    def _is_told(self, chunk: Chunk, since: int | None = None) -> bool:
        """Whether words before it in its clause say something of it that is not understood.

        An unknown word right before it only narrows it; one that a preposition or an article
        parts from it is a predicate (`I get seasick in a bathtub`).
        """
        begin = self._clause_of(chunk.first)[0] if since is None else since + 1
        governors = [k.last for k in self._near(chunk, "want", "soft", "hard", free=False)
                     if k.last < chunk.first]  # fmt: skip
        begin = max([begin, *governors]) if since is None else begin
        before = range(begin, chunk.first)
        unknown = [t for t in before if self._is_open_word(t) and t not in self.used]
        return any(
            self.tokens[t].kind != "sign" and not self._content(t) and t not in self.used
            for t in (range(unknown[0], chunk.first) if unknown else ())
        )

    def _restricts(self, chunk: Chunk, negation: Chunk | None) -> bool:
        """Whether it only limits another head (`no flight within a day of the dive`), or is half of
        a word (`non-diving`).
        """
        before = chunk.first - 1
        if (
            self.word(before) == "-"
            and self.tokens[before].glued
            and self._is_open_word(before - 1)
        ):
            return True
        heads = [k for k in self.chunks if negation is not None and k.tag in ("mode", "term")
                 and negation.last < k.first and k.last < chunk.first]  # fmt: skip
        last = heads[-1] if heads else None
        return last is not None and bool(
            self._between(last, chunk)
            & {*CUES["preposition"], "within", "after", "before", "during"}
            and not self._between(last, chunk) & {",", "and", "or", "nor"}
        )

    def _is_aside(self, chunk: Chunk) -> bool:
        """Whether its clause is about the past, or has a condition that is not understood."""
        old = any(k.low is not None and 1900 <= k.low < self.today.year
                  for k in self._near(chunk, "number", free=False))  # fmt: skip
        condition = _CONDITIONS & {
            self.word(t) for t in self._clause_of(chunk.first)
            if not any(k.tag == "soft" and t in k.tokens for k in self.chunks)
        }  # fmt: skip
        return old or bool(condition) or bool(self._near(chunk, "past", free=False))

    def _scope(self, chunk: Chunk) -> tuple[Scope, list[Chunk]]:
        """When a head holds: by its clause, the one that governs it, or its stretch."""
        for number, clause in enumerate(self._chain(chunk.first)):
            parts = [k for k in clause.chunks
                     if k.tag in _WHEN and k is not chunk
                     and (k not in self._taken or k in self._scopes)]  # fmt: skip
            opens = [k for k in clause.chunks if k.tag in _VALUES and k.tag != "part"][:1]
            if parts and (not number or parts[0] in opens or self._is_topic(clause)):
                scope, used = self._merge(parts)
                if used:
                    self._scopes |= set(used)
                    return scope, used
        after = self._clauses[chunk.first].tokens[-1] + 1
        if after < len(self.tokens) and self._is_topic(self._clauses[after]):
            trailing = self._clauses[after]
            parts = [k for k in trailing.chunks if k.tag in _WHEN and k not in self._taken]
            if trailing.head is self._clauses[chunk.first] and self.ends(trailing.tokens[-1]):
                return self._merge(parts)
        stretch = self._stretch_at(chunk.first)
        return (stretch.scope, [stretch.chunk]) if stretch and stretch.scope else (Scope(), [])

    def _merge(self, parts: Iterable[Chunk]) -> tuple[Scope, list[Chunk]]:
        scope, used = Scope(), list[Chunk]()
        for k in parts:
            if k.tag != "part" and self._before(k, *_BOUNDING, reach=2):
                continue  # some time before or after it
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

    def _place_of(self, chunk: Chunk) -> tuple[str, list[int]]:
        """The place that limits a head (`temples in Hue`, `In Hue: …`), and the words for it."""
        for number, clause in enumerate(self._chain(chunk.first)):
            names = [k for k in clause.chunks if k.tag == "name"]
            behind = [k for k in names if number == 0 and k.first > chunk.last]
            ahead = [k for k in names if k.first < chunk.first or number]
            for name in (*behind[:1], *ahead[:1]):
                preposition = self._before(name, *_WHERE - {"for"}, reach=2)
                heads = ("term", "mode", "name", "duration", "clock")
                parted = any(k.tag in heads and chunk.last < k.first < name.first
                             and (k.tag == "name" or self._between(chunk, k) - {"a", "the"} - {""})
                             and not self._between(chunk, k) <= {"and", "or", ",", "a", "the"}
                             for k in clause.chunks)  # fmt: skip
                first = name in ahead and (
                    clause.tokens[0] in preposition or self._is_topic(clause)
                )
                wide = self.atlas.places[name.names[0]].kind in _WIDE
                if wide and ((name in behind and preposition and not parted) or first):
                    start = preposition[0] if preposition else name.first
                    return name.names[0], list(range(start, name.last + 1))
        return "", []

    def _stretch_at(self, at: int) -> _Stretch | None:
        """The stretch of the trip that a token belongs to: the last one that begins before it."""
        found = None
        for stretch in self._stretches:
            clause = self._clauses[stretch.chunk.first]
            if clause.sentence == self._clauses[at].sentence and clause.tokens[0] <= at:
                found = stretch
        return found

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
        we = {"we", "us", "our", "we're", "we'd", "we'll"}
        speaker = bool(said & {"i", "me", "i'm", "i'd", "my", *we}) and not (
            "they" in said and not said & {"i", "me", "i'm", "i'd", "we", "us", "we're"}
        )
        joined = related = False
        for chunk in self._free("person"):
            found = self._ages_of(chunk)
            count = int(chunk.low) if chunk.low is not None else len(found)
            if self._is_aside(chunk) or not self._travels(chunk, found):
                continue
            if not count and chunk.name not in counts:
                continue
            own = [int(age.low or 0) for age in found]
            ages += own
            young, name = len([age for age in own if age < 18]), chunk.name
            if own and (young == len(own)) != (name in CHILDREN):
                name = "child" if young else "adult child"
            counts[name] = max(counts.get(name, 0), count)
            companion = self._before(chunk, "with", "and", "n", "+", "&", "my", reach=3)
            joined = joined or bool(companion)
            related = related or bool(companion) or name not in ("parent", "adult", *CHILDREN)
            parts += [chunk, *found]
        for age in (k for k in self._free("age") if k not in parts and (k.low or 0) < 18):
            counts["child"] = counts.get("child", 0) + 1
            related = joined = True
            ages.append(int(age.low or 0))
            parts.append(age)
        total = self._total_people(parts)
        parts += self._free("both", "alone")
        children = sum(counts.get(name, 0) for name in CHILDREN)
        adults = counts.get("adult", 0) or sum(counts.values()) - children
        alone = not counts.get("adult") and not counts.get("couple")
        if speaker and adults and alone and related and (joined or "friend" not in counts):
            adults += 1
        if not parts:
            if speaker and not said & we:
                self.found.append(c.Group(adults=1, hard=False, assumed=True))
            return
        pair = {"partner", "couple"} & counts.keys()
        company = "solo" if total == 1 else "couple" if pair else ""
        if total:
            children = min(children, total - 1)
            adults = total - children
        group = c.Group(adults=adults or 2, children=children, ages=tuple(ages), company=company)
        self._add(group, *parts, aside=self._spare_ages())

    def _travels(self, person: Chunk, ages: Sequence[Chunk]) -> bool:
        """Whether somebody is of the party, and is not only spoken of: `a friend told me`."""
        if self.word(person.last).endswith("'s"):
            return False
        clause = self._clauses[person.first]
        article = self.word(person.first - 1) in ("a", "an") or self.word(person.first) in (
            "a",
            "an",
        )
        joins = self._before(person, "with", "for", "and", "+", "&", "plus", "am", "are", reach=4)
        behind = [t for t in clause.tokens if t > person.last and self._is_open_word(t)]
        return bool(ages or joins) or not (article and behind)

    def _ages_of(self, person: Chunk) -> list[Chunk]:
        """Numbers that follow a person as ages: `kids (4, 7)`, `Gran 84`, `a 6-year-old son`."""
        starts = {k.first: k for k in self.chunks if k.tag in ("number", "age")}
        found = [k for k in self.chunks if k.tag == "age" and 0 < person.first - k.last <= 2]
        at = person.last + 1
        if self.word(at) in ("aged", "age", "is", "are", "(", "of"):
            at += 1
            self.used |= {at - 1} if at in starts else set()
        elif self.word(at) == "," and at + 1 in starts:
            at += self.word(starts[at + 1].last + 1) == ")"
        while at in starts and starts[at].low == starts[at].high and (starts[at].low or 0) <= 110:
            found.append(starts[at])
            at = starts[at].last + 1
            while self.word(at) in (",", "+", "and", "&", "/"):
                at += 1
        return found

    def _spare_ages(self) -> list[int]:
        """Ages of those who speak: `I'm 34`, `both seventy-one`; `she has 13 years`."""
        before = ("me", "i'm", "am", "both", "is", "aged", "has", "(")
        return [
            t for k in self._free("number", "age", "duration")
            if (k.tag != "duration" or k.name in ("year", "month")) and (k.low or 0) <= 110
            and (k.name or self.ends(k.last + 1)) and self._before(k, *before)
            for t in k.tokens
        ]  # fmt: skip

    def _total_people(self, parts: list[Chunk]) -> int:
        if self._free("alone"):
            return 1
        for k in self._free("number", "person"):
            behind = (self.word(k.last + 1), self.word(k.last + 2))
            ahead = (self.word(k.first - 2), self.word(k.first - 1))
            count, last = int(k.low or 0), self.ends(k.last + 1)
            we_are = ahead[1] == "we're" or ahead == ("we", "are")
            ours = behind == ("of", "us") or (we_are and (last or k.name in ("adult", "friend")))
            group = (ahead[0] in CUES["group"] and ahead[1] == "of") or (
                ahead[1] == "for" and (last or behind[0] in ("in", "with", "from"))
            )
            if 1 < count <= 60 and (k.tag == "person" or k.low == k.high) and (ours or group):
                parts.append(k)
                return count
        return 2 if self._free("both") else 0

    # --- money ----------------------------------------------------------------------------

    def _read_money(self) -> None:
        for chunk in self._free("money"):
            bound, bound_tokens = self._bound(chunk)
            compared = any(k.tag in ("least", "most") and k.first == chunk.last + 1
                           and not self._closes(k) for k in self.chunks)  # fmt: skip
            if bound == "least" or compared:
                continue
            without, excluded = self._excluded(chunk)
            per, things, cues = self._money_scope(chunk, excluded)
            least = chunk.low if chunk.low != chunk.high else None
            scope, used = self._scope(chunk)
            place, where = self._place_of(chunk)
            if place and not self._is_everything(place):
                scope = replace(scope, city=place)
            amount = (chunk.high or Decimal(0)).normalize() + 0
            money = c.Money(amount=amount, currency=chunk.name, per=per, least=least, things=things,
                            without=without, scope=scope)  # fmt: skip
            self._add(money, chunk, bound_tokens, cues, *used, where, aside=excluded)

    def _excluded(self, money: Chunk) -> tuple[tuple[c.Spent, ...], list[int]]:
        """What an amount does not cover: `without hotels`, `not counting flights`."""
        found, tokens = list[c.Spent](), list[int]()
        for negation in [k for k in self.chunks if k.tag in ("not", "except")]:
            if not self._is_of_money(negation) or money.first > negation.first:
                continue
            reach = [t for t in range(negation.last + 1, len(self.tokens))
                     if self._clauses[t] is self._clauses[negation.last]]  # fmt: skip
            heads: dict[c.Spent, list[int]] = {
                "bed": [t for t in reach if self.word(t) in CUES["bed"]],
                "meal": [t for t in reach if self.word(t) in CUES["meal"]],
                "plane": [t for k in self.chunks if k.name == "plane" for t in k.tokens
                          if t in reach],
            }  # fmt: skip
            named = {t for some in heads.values() for t in some}
            named |= {t for k in self.chunks if k.tag == "name" and k.first in reach
                      and self._is_everything(k.names[0]) for t in k.tokens}  # fmt: skip
            if named and not any(self._content(t) and t not in named for t in reach):
                found += [what for what, some in heads.items() if some]
                tokens += [*negation.tokens, *named]
        return tuple(found), tokens

    def _money_scope(
        self, chunk: Chunk, excluded: Sequence[int]
    ) -> tuple[c.MoneyScope, tuple[Thing, ...], list[int]]:
        """What an amount is for, by the head words of its clause."""
        daily, night = self._per(chunk, "daily"), self._per(chunk, "night")
        person = [t for t in self._per(chunk, "person") if t + 1 not in (*daily, *night)]
        heads = {name: self._cues(chunk, name) for name in ("bed", "meal", "ticket", "all")}
        before = self._clauses[self._clause_of(chunk.first)[0] - 1]
        if not any(heads.values()) and self._clauses[chunk.first].joint == ":":
            heads = {n: [t for t in before.tokens if self.word(t) in CUES[n]] for n in heads}
        heads = {n: [t for t in some if t not in excluded] for n, some in heads.items()}
        heads["bed"] = [t for t in heads["bed"] if self.word(t - 1) != "to"]
        heads["ticket"] += [t for t in self._cues(chunk, "visit") if t < chunk.first]
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
            bound = self._before(chunk, "before", "after", "by", "until", "till", reach=2)
            way = self._cues(chunk, "arrive", "depart", "rise", "retire") or bound
            if self._flight(chunk) or (
                not ranged and (way or not self._near(chunk, "date", "weekday", "days"))
            ):
                continue
            scope, used = self._scope(chunk)
            daily = self._every_day(chunk)
            if ranged and not used and not daily:
                times = self._near(chunk, "date", "weekday", "days", wide=True)
                if len(times) > 1:
                    continue  # on one of several days
                scope, used = self._merge(times)
                if times and not used:
                    continue
            names = self._near(chunk, "name")[:1]
            if names:
                scope = replace(scope, city=self._city(names[0]))
            values = {t for k in self.chunks if k.tag in _VALUES - {"term"} for t in k.tokens}
            titled = [t for t in self._clause_of(chunk.first)
                      if self._content(t) and t not in values]  # fmt: skip
            title = " ".join(self.tokens[t].text for t in titled)
            things = [thing for k in self._near(chunk, "term") if (thing := self._thing(k))]
            meal = {"lunch", "dinner"} & {self.word(t) for t in titled}
            thing = Thing(by="kind", name="food") if meal else things[0] if things else None
            appointment = c.Appointment(
                title=title or "appointment", start=int(chunk.low or 0), scope=scope,
                end=int(chunk.high) if ranged and chunk.high else None,
                thing=None if ranged else thing,
                each_day=bool(daily) or any(
                    k.tag == "weekday" and self.word(k.first).endswith("s") for k in used
                ),
            )  # fmt: skip
            self._add(appointment, chunk, *used, *names, titled, daily)
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
            head = self._clauses[chunk.first].head
            if (
                not travel
                and head is not None
                and (earliest is None) == bool({self.word(t) for t in head.tokens} & CUES["depart"])
                and not parts
            ) or (travel and (self._flight(chunk) or not self._cues(chunk, "rise"))):
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
            if rise and not retire:
                return None, None, []  # when a day begins at the latest
            return None, late, [*bound.tokens, *retire]
        at = self._before(chunk, "before", "after", "by", "until", "till", "at", "from", reach=2)
        word = self.word(at[0]) if at else ""
        negation = self._negation(chunk)
        if negation is not None and word in ("before", "after"):
            titled = [t for t in self._clause_of(chunk.first) if negation.last < t < chunk.first]
            parts = [*at, *negation.tokens, *titled]
            return (minutes, None, parts) if word == "before" else (None, late, parts)
        leaves = self._cues(chunk, "depart") or self._flight(chunk)
        early = rise and rise[0] != (retire or [-1])[0]
        if (
            (word in ("until", "till") and {"sleep", "lie"} & {self.word(t) for t in rise})
            or (self._cues(chunk, "arrive") and word in ("at", "by", ""))
            or (word in ("after", "from", "at") and early and not leaves)
        ):
            return minutes, None, [*at, *rise]
        if leaves and word in ("at", "by", "before", ""):
            return None, minutes, at
        clause = self._clauses[chunk.first]
        if not at and clause.head and not any(self._content(t) for t in clause.tokens
                                              if t not in chunk.tokens):  # fmt: skip
            words = {self.word(t) for t in clause.head.tokens}
            if words & CUES["arrive"]:
                return minutes, None, []
            if words & CUES["depart"]:
                return None, minutes, []
        headless = not self._near(chunk, "name", "term", "date", "weekday") and not self._cues(
            chunk, "free"
        )
        if word in ("by", "before", "until", "till") and (
            retire or (headless and word != "before")
        ):
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
        """Days and nights: of the trip, in a place, or for a theme, one after another."""
        units = ("day", "night", "month")
        chunks = [k for k in self._free("duration") if k.name in units and not self._is_per(k)]
        chunks = [k for k in chunks if not self._is_free_day(k) and not self._is_counted_thing(k)]
        small = [
            k for k in chunks
            if k.name == "day" and k.low == 1 and not self._before(k, "then", "and", reach=2)
            and self.word(k.first) in ("a", "an", "one", "1", "day")
        ]  # fmt: skip
        partly = [k for k in small if self._bound(k)[0] == "least" or self.word(k.last + 1) == "of"]
        placing = ("in", "at", "on")
        chunks = [
            k for k in chunks
            if k not in partly
            and (len(chunks) == 1 or k not in small or self.word(k.last + 1) in placing)
        ]  # fmt: skip
        stretches = [
            s for k in chunks for s in self._shares(self._stretch(k), is_only=len(chunks) == 1)
        ]
        placed = [s for s in stretches if s.place]
        themed = [s for s in stretches if s.term and not s.place]
        whole = [s for s in stretches if not s.place and not s.term]
        ends = [_Stretch(k, term=self._themed(k)) for k in self._free("days")
                if len(k.names) > 1 and (self._themed(k) or self._near(k, "name"))]  # fmt: skip
        spent = sum(s.length for s in placed)
        if len(themed) == 1 and not whole and not ends and themed[0].length > spent:
            whole, themed = themed, []
        spent += sum(s.length for s in themed)
        listed = [
            s for s in whole if not _TRIP & self._words(s.chunk) and self._leads_on(s, placed)
        ]
        parts = [s for s in whole if (s.length < spent and themed) or s in listed]
        whole = [s for s in whole if s not in parts]
        only = len(placed) == 1 and not (whole or themed or parts or placed[0].nights)
        self._read_placed(placed, is_whole=only)
        self._read_whole(whole)
        sequence = sorted((*placed, *themed, *parts, *ends), key=lambda s: s.chunk.first)
        self._date_stretches(sequence, whole)
        fixed = any(isinstance(f, c.Length) or (isinstance(f, c.Dates) and f.start and f.end)
                    for f in self.found)  # fmt: skip
        if not only and not fixed:
            self._sum_up([*placed, *parts, *(themed if len(themed) > 1 or parts else [])])

    def _shares(self, stretch: _Stretch, *, is_only: bool) -> list[_Stretch]:
        """A stretch in several places: one in each where that is said, else their sum.

        A sum is the length of the trip where it is the only one; it is not understood otherwise.
        """
        places = [stretch.place] if stretch.place else []
        for name in (k for k in self.chunks if k.tag == "name" and places):
            behind = places[-1].last < name.first and self._link(places[-1], name) == "list"
            own = any(places[-1].last < k.first < name.first or (
                k.first > name.last and self._same_sentence(k.first, name.first)
            ) for k in self.chunks if k.tag in ("duration", "number"))  # fmt: skip
            if behind and not own and stretch.chunk.last < places[0].first:
                places.append(name)
        if len(places) < 2:
            return [stretch]
        if {"each", "every"} & self._words(stretch.chunk) or "each" in self._words(places[-1]):
            return [replace(stretch, place=place) for place in places]
        self._divided.add(stretch.chunk)
        return [_Stretch(stretch.chunk)] if is_only else []

    def _leads_on(self, stretch: _Stretch, others: Sequence[_Stretch]) -> bool:
        """Whether the next sentence goes on with `then` to another stretch: it is no total."""
        sentence = self._clauses[stretch.chunk.first].sentence
        then = [k for k in self.chunks if k.tag == "then"
                and self._clauses[k.first].sentence == sentence + 1]  # fmt: skip
        inner = self._clauses[stretch.chunk.first].joint == ","
        return inner and any(k.first < s.chunk.first for k in then for s in others)

    def _date_stretches(self, sequence: list[_Stretch], whole: Sequence[_Stretch]) -> None:
        """Stretches follow one another: each has its days, where they fill the trip."""
        if len(sequence) < 2:
            for stretch in sequence:
                if stretch.term and not stretch.place and stretch.chunk.tag == "duration":
                    thing = Thing(by="theme", name=self._theme(stretch.term))
                    want = c.Want(things=(thing,), least=max(1, stretch.length))
                    self._add(want, stretch.chunk, stretch.term)
            return
        total = sum(s.length for s in sequence)
        nights = [s for s in sequence if s.nights]
        stated = whole[0].length + whole[0].nights if whole else None
        counted = total + (bool(nights) and len(nights) == len(sequence))
        if stated is not None and stated not in (total, counted):
            return
        next_day = 1
        for stretch in sequence:
            if stretch.place and stretch.chunk.tag == "duration":
                stretch.scope = Scope(city=stretch.place.names[0])
            else:
                stretch.scope = Scope(days=tuple(range(next_day, next_day + stretch.length)))
            next_day += stretch.length
        self._stretches = sequence

    def _is_counted_thing(self, chunk: Chunk) -> bool:
        """`two museum days at most`, `one night in the train at most`: no length of the trip."""
        inside = any(k.tag in ("term", "mode") and chunk.first < k.first <= chunk.last
                     for k in self.chunks)  # fmt: skip
        modes = [k for k in self._near(chunk, "mode") if k.first > chunk.last]
        return bool(self._bound(chunk)[0]) and (inside or bool(modes))

    def _is_free_day(self, chunk: Chunk) -> bool:
        near = (t for t in self._cues(chunk, "free") if chunk.first < t <= chunk.last + 1)
        return chunk.name == "day" and (chunk.high or 0) <= 7 and any(near)

    def _is_per(self, chunk: Chunk) -> bool:
        """`a day` behind a count, `two days later`, `in Chau Doc`: no length of the trip."""
        before, after = self.word(chunk.first - 1), self.word(chunk.last + 1)
        if before in ("any", "per", "each", "every", "/") or after in ("later", "ago", "before"):
            return True
        if (chunk.low == 1 and after in ("trip", "out")) or chunk.low != int(chunk.low or 0):
            return True
        counted = self._near(chunk, "number", "money", "most", "least", free=False)
        return self.word(chunk.first) in ("a", "an") and any(k.last < chunk.first for k in counted)

    def _stretch(self, chunk: Chunk) -> _Stretch:
        for name in self._near(chunk, "name") if self.word(chunk.first - 1) != "in" else ():
            rivals = [k for k in self._near(name, "duration") if k.name in ("day", "night")]
            linked = self._between(chunk, name) & {"in", "at", "on", "for", "around", "near"}
            listed = any(self._link(*sorted((name, k), key=lambda k: k.first)) == "list"
                         for k in self._near(name, "name", wide=True))  # fmt: skip
            if rivals[:1] == [chunk] and (chunk.name == "night" or (linked and not listed)):
                return _Stretch(chunk, place=name)
            break
        if _TRIP & self._words(chunk) or self._near(chunk, "total") or chunk.name == "night":
            return _Stretch(chunk)
        return _Stretch(chunk, term=self._themed(chunk))

    def _themed(self, chunk: Chunk) -> Chunk | None:
        terms = [k for k in self._near(chunk, "term") if self._theme(k) and not self._negation(k)]
        return next(iter(terms), None)

    def _read_placed(self, placed: Sequence[_Stretch], *, is_whole: bool) -> None:
        totals: dict[str, tuple[int, int, list[Any]]] = {}
        for stretch in placed:
            bound, tokens = self._bound(stretch.chunk)
            low, high = int(stretch.chunk.low or 0), int(stretch.chunk.high or 0)
            if is_whole:
                self._add(c.Length(least=low, most=high), stretch.chunk)
            low = low if stretch.nights else max(1, low - 1)
            if bound in ("least", "most"):
                low, high = (low, 99) if bound == "least" else (1, high)
            key = stretch.place.names[0] if stretch.place else ""
            if self.atlas.places[key].kind not in ("region", "country", "stay"):
                key = self.atlas.city_of(key) or key
            before = totals.get(key, (0, 0, []))
            parts = [*before[2], stretch.chunk, stretch.place, tokens]
            totals[key] = (before[0] + low, min(99, before[1] + high), parts)
        for key, (low, high, parts) in totals.items():
            if self._is_everything(key):
                self._cover(*parts)
            elif not high or (is_whole and high == 1):
                self._add(c.GoTo(place=key), *parts)
            elif self.atlas.places[key].kind == "region" and is_whole:
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
                t for t in self._clause_of(chunk.first)
                if self.word(t) == "each"
                or (self.word(t) in CUES["city"] and self.word(t - 1) == "no" and t < chunk.first)
                or (self.word(t) in CUES["city"] and {self.word(t - 1), self.word(t - 2)} & _PER)
            ]  # fmt: skip
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
            elif (
                chunk not in self._divided
                and stretch.nights
                and not sea
                and self.word(chunk.last + 1) in ("in", "on", "at")
            ):
                continue  # somewhere that is not understood
            elif stretch.nights and sea:
                most = high if bound == "most" else 99 if bound == "least" else high
                thing = Thing(by="setting", name="sea")
                self._add(c.Nights(thing=thing, least=low, most=most), chunk, tokens, sea[0])
            else:
                low, high = low + stretch.nights, high + stretch.nights
                low, high = 1 if bound == "most" else low, 60 if bound == "least" else high
                length = c.Length(least=low, most=high, hard=bound != "about")
                if first is None:
                    first = length
                    self._add(length, chunk, tokens, *self._near(chunk, "total"))
                elif first.least == length.least:
                    self._cover(chunk)

    def _sum_up(self, stretches: Sequence[_Stretch]) -> None:
        """The length of a trip that only its stretches say."""
        nights = sum(s.length for s in stretches if s.nights)
        days = sum(s.length for s in stretches if not s.nights)
        if any(not s.place for s in stretches):
            days += sum(len(k.names) for k in self._free("days") if k.names[0].startswith("-"))
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
            ranged = chunk.name == "range" or first != last
            if ranged and others and self._near(chunk, "name"):
                continue  # when one is in that place
            if ranged:
                sides.setdefault("start", (first, weekdays[0]))
                sides.setdefault("end", (last, weekdays[-1]))
                within = within or chunk.name == "within"
                parts.append(chunk)
                units = [k for k in self._free("duration") if k.name in ("day", "night")]
                weekend = [k for k in units if self.word(k.last) == "weekend" and chunk.names]
                self._cover(*weekend)
                if chunk.names and not set(units) - set(weekend):
                    days = len(chunk.names)
                    self.found.append(c.Length(least=days, most=days, assumed=True))
                continue
            side, cues = self._side(chunk)
            if not side or side in sides or self._before(chunk, "around", "last", reach=2):
                continue
            sides[side] = (first, weekdays[0])
            late = [k for k in self._near(chunk, "part")
                    if k.first == chunk.last + 1
                    and (k.name, side) == ("evening", "end")]  # fmt: skip
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
        at = self._before(chunk, "from", "to", "until", "till", "by", "since", reach=2)
        word = self.word(at[0]) if at else ""
        bounds = self._near(chunk, "earliest", "latest", "least", "most")
        if self._before(chunk, "before", "after", reach=2) or any(
            k.last < chunk.first for k in bounds
        ):
            return "", []  # some day before or after it
        arrive, depart = self._cues(chunk, "arrive"), self._cues(chunk, "depart")
        begin, finish = ([t for t in self._cues(chunk, name) if t < chunk.first]
                         for name in ("begin", "finish"))  # fmt: skip
        flown = self._flight(chunk)
        if self._leaves_first(chunk):
            return "start", depart
        if word in ("from", "since") and (finish or depart) and not (arrive or begin):
            return "", []
        if word in ("to", "until", "till", "by") or finish:
            return "end", [*at, *finish, *depart, *flown]
        if depart and not arrive and not begin:
            home = {"home", "airport"} & {self.word(t) for t in depart}
            leaves = {"leave", "leaving", "leaves"} & self._words(chunk)
            others = [k for k in self.chunks if k.tag in ("date", "weekday") and k is not chunk]
            return ("end", [*depart, *flown]) if (home and not leaves) or others else ("", [])
        if word in ("from", "since") or arrive or begin:
            return "start", [*arrive, *begin, *flown]
        if flown and {"out", "home", "back"} & self._words(chunk):
            return "end", flown
        own = (t for t in self._clause_of(chunk.first) if t not in chunk.tokens)
        alone = not any(self._content(t) for t in own)
        alone = alone and not self._before(chunk, "on", reach=2)
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
            if self._before(chunk, "any", "each", "every", "the", "these", "of"):
                continue
            bound, tokens = self._bound(chunk)
            low, high, head = int(chunk.low or 0), int(chunk.high or 0), self.word(chunk.last + 1)
            days = [k for k in self._near(chunk, "duration")
                    if k.name == "day" and k.low == 1 and k.first > chunk.last]  # fmt: skip
            daily = [t for k in days for t in k.tokens] or [
                t for t in self._per(chunk, "daily") if t > chunk.last
            ]
            limits: dict[str, Any] = {"least": low} if bound == "least" else {"most": high}
            if not bound and not daily:
                limits = {"least": low, "most": high}
            noun = [chunk.last + 1]
            if daily and (head in CUES["visit"] or head in _PER or noun[0] in daily):
                terms = [k for k in self._near(chunk, "term", free=False, wide=True)
                         if self._thing(k)][:1]  # fmt: skip
                things = tuple(thing for k in terms if (thing := self._thing(k)))
                if head in CUES["visit"]:
                    things, terms = (), []
                elif not things:
                    continue
                scope, used = self._scope(chunk)
                pace = c.Pace(measure="visits", things=things, scope=scope, **limits)
                self._add(pace, chunk, tokens, noun, daily, *used, *terms)
            elif head in CUES["hotel"] and not self._near(chunk, "money", free=False):
                changes = {n: max(0, value - 1) for n, value in limits.items() if n == "most"}
                self._add(c.Pace(measure="beds", **changes), chunk, tokens, noun)
            elif head in CUES["city"]:
                self._add(c.Pace(measure="cities", **limits), chunk, tokens, noun)

    # --- places ---------------------------------------------------------------------------

    def _read_unknown_names(self) -> None:
        """Capitalised words behind `in` or `visit`, or in a list of names, that no place has."""
        proper = {"term", "person", "mode"}
        closed = {t for k in self.chunks if k.tag not in proper for t in k.tokens}
        closed |= self._withdrawn
        names = {k.last for k in self.chunks if k.tag == "name"}
        visits = ("in", "at", "visit", "see", "via", "near", "around", "on", "to")
        at = 0
        while at < len(self.tokens):
            first = at
            while at < len(self.tokens) and at not in closed | self.used and self._is_proper(
                at, first
            ):  # fmt: skip
                at += 1
            group, before = list(range(first, at)), self.word(first - 1)
            listed = before in (",", "and") and (first - 2 in names or first - 3 in names)
            article = before == "the" and (len(group) > 1 or self.word(first - 2) in ("in", "to"))
            if group and (before in visits or listed or article):
                self._read_unknown_name(group)
                names.add(at - 1)
            at = max(at, first + 1)

    def _is_proper(self, at: int, first: int) -> bool:
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
        after = group[-1] + 1
        event = self.word(after) in ("in", "at", "on") and any(
            k.tag == "name" and k.first in (after + 1, after + 2) for k in self.chunks
        )  # fmt: skip
        if event:
            return
        told = words & {"from", "live", "mrs", "mr", "ago", "was", "were", "lived", "born"}
        if told or (self.word(group[0] - 1) == "to" and not goes):
            return
        name = " ".join(self.tokens[t].text for t in group)
        thing = Thing(by="word", name=name)
        stay = [t for k in self._clauses[group[0]].chunks
                if k.tag == "duration" and k.name == "night" for t in k.tokens]  # fmt: skip
        if negation := self._negated.get(group[0]):
            self._cover(group, negation)
        elif len(group) > 1 and not stay and self._is_offered(thing):
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
            name = starts.get(at + 2) if self.word(at + 1) == "of" and word in _SIDES else None
            if name and self._is_everything(name.names[0]):
                tokens, cities = [at, at + 1], self.atlas.cities_of(word)
            elif name:
                tokens, cities = [at, at + 1], self._beyond(word, name.names[0])
            elif self.word(at - 1) in ("in", "whole") or (
                self.word(at - 1) == "the" and self.word(at - 2) in ("in", "on", "to", "of", "")
            ):  # fmt: skip
                tokens, cities = [at], self.atlas.cities_of(word)
            else:
                continue
            head = Chunk(tag="side", first=at, last=at)
            scope, used = self._scope(head)
            parts: list[Any] = [tokens, *(k for k in (name, negation) if k is not None), *used]
            said = self.text[token.start : self.tokens[name.last if name else at].end]
            if cities and negation is None:
                said = said if name else f"the {said}"
                self._add(c.Within(places=cities, name=said, scope=scope), *parts)
            elif cities:
                things = tuple(Thing(by="place", name=city) for city in cities)
                self._add(c.Avoid(things=things, scope=scope), *parts)

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
        idle = ("down", "up", "all", "the", "way")
        words = [self.word(t) for t in tokens if self.word(t) not in idle]
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
            self._cover(*ordered)
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
            if self._is_aside(name) or self._is_compared(name):
                continue
            if negation is not None and self._is_of_money(negation):
                continue
            if spared:
                self._spared.append((name, spared[0]))
            elif negation is not None and (self._limits(name, negation) or self._roles(name)):
                pass  # it says where something else, or an end of the trip, is ruled out
            elif negation is not None:
                scope, used = self._scope(name)
                thing = Thing(by="place", name=place)
                self._add(c.Avoid(things=(thing,), scope=scope), name, negation, *used)
            elif self._is_everything(place):
                self._cover(name)
            else:
                self._read_role(name, place)

    def _limits(self, name: Chunk, negation: Chunk) -> bool:
        """Whether a name says where a thing or a means of transport is ruled out."""
        heads = [k for k in self.chunks if k.tag in ("mode", "term")
                 and (self._negation(k) or negation) is negation]  # fmt: skip
        return any(name.first in self._place_of(k)[1] or name.last in self._place_of(k)[1]
                   for k in heads if self._negation(k) is negation)  # fmt: skip

    def _read_role(self, name: Chunk, place: str) -> None:
        roles = self._roles(name)
        for role, cues in roles:
            self._add(c.Start(place=place) if role == "start" else c.End(place=place), name, cues)
        kind = self.atlas.places[place].kind
        only = [k for k in self._near(name, "only")
                if not any(self._content(t) for t in range(k.last + 1, name.first))]  # fmt: skip
        near = self._before(name, "near", "around", reach=2)
        choices = [k for k in self._near(name, "name")
                   if k.first > name.last and self._between(name, k) == {"or"}]  # fmt: skip
        if roles or any(isinstance(f, c.Nights) and f.place == place for f in self.found):
            self._cover(name)
        elif kind in ("region", "country") or (only and kind == "city"):
            scope, used = self._scope(name)
            self._add(c.Within(places=(place,), scope=scope), name, *only, *used)
        elif near and kind == "city" and not self._cues(name, "bed") and not any(
            self._link(name, k) == "list" for k in self.chunks
            if k.tag == "name" and k.first > name.last
        ):  # fmt: skip
            self._add(c.Within(places=(place,), km=_NEAR_KM), name, near)
        elif choices:
            things = tuple(Thing(by="place", name=k.names[0]) for k in (name, choices[0]))
            self._add(c.Want(things=things), name, choices[0])
        else:
            soft, aside = self._softness(name)
            governed = any(
                {name.first, name.last} & set(self._place_of(k)[1])
                for k in self._free("term") if self._same_sentence(k.first, name.first)
                and self._thing(k) and self._scope(k)[0].part
            )  # fmt: skip
            scope, used = (Scope(), []) if governed else self._scope(name)
            trip = self._day_trip(name)
            whole = [t for t in self._clause_of(name.first) if self.word(t) == "whole"]
            whole = [t for t in whole if self.word(t + 1) in _TRIP | {"time", "stay"}]
            if kind == "city" and whole:
                self._add(c.Pace(measure="beds", most=0), name, whole)
            goal = c.GoTo(
                place=place,
                day_trip=bool(trip)
                and (self.word(name.first - 1) in ("to", "and") or trip[0] > name.last),
                scope=scope if scope.city != place else Scope(),
                hard=not soft or kind == "city",
            )
            self._add(goal, name, *used, trip, aside=aside)

    def _day_trip(self, name: Chunk) -> list[int]:
        head = self._clauses[name.first].head
        counted = {t for k in self.chunks if k.tag == "duration" and k.low != 1 for t in k.tokens}
        if head is not None and self._clause_of(name.first)[0] in (name.first, name.first - 1):
            listed = [k for k in head.chunks if k.tag == "name" and self._link(k, name) == "list"]
            if listed:
                return self._day_trip(listed[-1])
        others = [k.first for k in self._near(name, "name", free=False)]
        return [
            t for t in self._clause_of(name.first)
            if self.word(t) == "day" and t not in counted
            and not any(name.last < first < t for first in others)
            and self.word(t + 1) in ("trip", "trips", "excursion", "out")
        ]  # fmt: skip

    def _roles(self, name: Chunk) -> list[tuple[str, list[int]]]:
        """Whether the trip starts or ends in a place, by the head words of its clause."""
        if self._day_trip(name):
            return []
        words, at = self._words(name), self._before(name, "from", reach=2)
        others = self._near(name, "name", free=False)
        weak = ("from", "home", "airport", "until", "till")
        dated = {t for k in self._near(name, "days", free=False) for t in k.tokens}

        def heads(*cues: str) -> list[int]:
            return [
                t for t in self._cues(name, *cues)
                if self.word(t) not in weak and t not in dated
                and (t < name.first or self.word(t) in ("first", "last")
                     or self.word(t - 1) in ("to", "very") or self.word(t - 2) == "at")
                and not any(min(t, name.first) < k.first < max(t, name.first) for k in others)
            ]  # fmt: skip

        begin, finish = heads("begin", "arrive"), heads("finish", "depart")
        if self._leaves_first(name):
            begin, finish = [*begin, *finish], []
        if ends := self._both_ends(name):
            return [("start", ends), ("end", [])]
        first = self._clause_of(name.first)[0]
        both = [t for t in range(max(0, first - 2), name.first) if self._same_sentence(t, first)
                and [self.word(t + step) for step in range(3)] in _BOTH_WAYS]  # fmt: skip
        if both:
            return [("start", list(range(both[0], name.first))), ("end", [])]
        out = [t for t in self._clause_of(name.first) if self.word(t) == "out"]
        flight = self._flight(name) or (self._flight(name, wide=True) if out else [])
        home = [t for t in self._clause_of(name.first)
                if self.word(t) in ("home", "back", "out")
                and at and (flight or finish)]  # fmt: skip
        if finish or home or (flight and out):
            ending = ("end", [*finish, *flight, *out, *home])
            returns = any(self.word(t) == "back" for t in finish) and any(
                k.tag == "name" and k.names == name.names and k.last < name.first
                for k in self.chunks
            )  # fmt: skip
            if returns and not any(isinstance(f, c.Start) for f in self.found):
                return [ending, ("start", [])]
            return [ending, ("start", begin)] if begin and "and" in words else [ending]
        if out and self.word(out[0] + 1) in ("through", "via", "from"):
            return [("end", [*out, out[0] + 1])]
        if out and self.word(out[0] + 1) == "of":
            begin = begin or out
        if begin or (at and not {"come", "live", "are", "based"} & words):
            back = [t for t in range(name.last + 1, min(name.last + 4, len(self.tokens)))
                    if self.word(t) == "back" and self._same_sentence(t, name.last)]  # fmt: skip
            starting = ("start", [*begin, *at])
            return [starting, ("end", back)] if back else [starting]
        return []

    def _both_ends(self, name: Chunk) -> list[int]:
        """The words for the two ends of a trip, joined to a pair that is about one name."""
        begins = CUES["begin"] | CUES["arrive"] - {"into"}
        ends = CUES["finish"] | CUES["depart"] - {"home", "airport", "airside"}
        pairs: list[tuple[int, int]] = []
        heads = [t for t in range(len(self.tokens)) if self._same_sentence(t, name.first)
                 and self.word(t) in (begins | ends) - _RANKS and t not in name.tokens]  # fmt: skip
        for first, last in itertools.pairwise(heads):
            words = {self.word(first), self.word(last)}
            joined = {self.word(t) for t in range(first + 1, last)}
            unlike = words & begins and words & ends
            unlike = unlike or (words & CUES["depart"] and words & CUES["finish"])
            if unlike and joined & {"and", "&", "/", "+"} and joined <= _PAIRING:
                pairs.append((first, last))
        pairs += [(t - 1, t) for t in heads
                  if self.word(t) in ("end", "ends")
                  and self.word(t - 1) in ("both", "either", "each")]  # fmt: skip
        for first, last in pairs:
            low, high = (last, name.first) if last < name.first else (name.last, first)
            between = range(low + 1, high)
            parted = any(self._content(t) for t in between) or any(
                k.tag == "name" and k.first in between for k in self.chunks
            )
            if not parted and high > low:
                return list(range(first, last + 1))
        return []

    # --- means ----------------------------------------------------------------------------

    def _read_modes(self) -> None:
        for mode in self._free("mode"):
            if mode in self._taken or self._is_aside(mode):
                continue
            if self._is_compared(mode):
                self._cover(mode)
                continue
            if self._read_way_between(mode):
                continue
            words = self._words(mode)
            out = "out" in words and self.word(mode.last + 1) == "out"
            abroad = self.word(mode.last + 1) == "to" and any(
                k.tag == "name" and k.first == mode.last + 2 and self._is_everything(k.names[0])
                for k in self.chunks
            )  # fmt: skip
            if mode.name == "plane" and (abroad or out or {"into", "home", "back", "land"} & words):
                self._cover(mode)  # the way to the trip, not in it
                continue
            negation, only = self._negation(mode), self._near(mode, "only", free=False)
            permitted = self._near(mode, "yes", free=False)
            group = [mode, *(k for k in self._near(mode, "mode")
                             if self._between(mode, k) <= {"or", "and", "/", ","})]  # fmt: skip
            modes = tuple(dict.fromkeys(k.name for k in group))
            soft, aside = self._softness(mode)
            soft = soft and any(t in self._clause_of(mode.first) for t in aside)
            scope, used = self._scope(mode)
            place, where = self._place_of(mode)
            noun = self.word(mode.first) not in ("fly", "flying", "drive", "driving", "cycle")
            by = self._before(mode, "by", "with", "take", "on", reach=3)
            other = [k for k in self._near(mode, "clock", free=False) if k.first > mode.last]
            rest = {self.word(t) for t in self._clause_of(mode.first) if t not in mode.tokens}
            alone = not any(map(str.isalpha, rest - {"the", "a", "an", "please", "and"}))
            if self._is_narrowed(mode):
                continue
            if negation is not None and self._is_of_money(negation):
                continue
            if negation is not None and not other:
                little = {"much", "many"} & words
                if place and not self._is_everything(place):
                    scope = replace(scope, city=place)
                ride = [t for k in group for t in (k.last + 1,) if self.word(t) in CUES["ride"]]
                means = c.Means(modes=modes, rule="never", scope=scope, hard=not little)
                self._add(means, *group, negation, *used, where, ride)
            elif permitted and not only:
                self._add(c.Means(modes=modes, rule="may", hard=False), *group, *permitted)
            elif only or soft:
                means = c.Means(modes=modes, rule="only", scope=scope, hard=not soft)
                self._add(means, *group, *only, *used, aside=aside if soft else ())
            elif self._is_limited(mode):
                continue
            elif noun and (by or self.word(mode.last + 1) == "to" or alone):
                self._add(c.Means(modes=modes, rule="some", scope=scope), *group, *used)

    def _is_narrowed(self, mode: Chunk) -> bool:
        """Whether it is only a part of another thing: `flights of stairs`, `a bus stop`."""
        behind = mode.last + 1
        if self.word(behind) == "of":
            return True
        compound = behind < len(self.tokens) and self._content(behind)
        known = CUES["ride"] | _WHERE
        return compound and self.word(behind) not in known and self._is_open_word(behind)

    def _read_way_between(self, mode: Chunk) -> bool:
        """`by car between the towns`, `the train between Hue and Da Nang`."""
        at = [t for t in self._clause_of(mode.first) if self.word(t) == "between" and t > mode.last]
        if not at or self._negation(mode):
            return False
        names = [k for k in self.chunks if k.tag == "name" and self._same_sentence(k.first, at[0])
                 and k.first > at[0]][:2]  # fmt: skip
        if len(names) == 2 and self._between(*names) == {"and"}:
            ends = tuple(k.names[0] for k in names)
            self._add(c.Means(modes=(mode.name,), between=ends), mode, at)
            return True
        towns = [t for t in range(at[0] + 1, at[0] + 3) if self.word(t) in CUES["city"]]
        if towns:
            soft, aside = self._softness(mode)
            ride = list(self._cues(mode, "ride"))
            means = c.Means(modes=(mode.name,), hard=not soft)
            self._add(means, mode, at, towns, aside=[*aside, *ride])
        return bool(towns)

    def _is_of_money(self, negation: Chunk) -> bool:
        """`900 euros without flights`: what an amount does not cover is not ruled out."""
        before = [k for k in self.chunks if k.tag == "money" and k.last < negation.first
                  and self._same_sentence(k.last, negation.first)]  # fmt: skip
        heads = [k for k in self.chunks if before and k.tag in ("name", "mode", "term")
                 and before[-1].last < k.first < negation.first]  # fmt: skip
        excepts = negation.tag == "except" or negation.name == "without"
        return bool(before) and not heads and (excepts or "exclud" in negation.name)

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

    def _domain(self, term: Chunk) -> str:
        """`stay` for what a room or hotel is to have: the noun that it belongs to, by its chain."""
        behind = self._clauses[term.first].tokens
        alone = not any(self.word(t) in CUES["preposition"] for t in behind if t < term.first)
        for number, clause in enumerate(self._chain(term.first)):
            having = any(self.word(t) in ("with", "have", "has") for t in clause.tokens)
            if number and not (alone and having):
                return ""
            if any(k.tag == "term" and k is not term and "kind:stay" in _kinds(k)
                   for k in clause.chunks) or any(
                self.word(t) in CUES["bed"] and t not in term.tokens for t in clause.tokens
            ):  # fmt: skip
                return "stay"
        return ""

    def _read_diets(self) -> None:
        """Allergies, and what somebody does not eat."""
        for chunk in self._free("allergy"):
            for step in (range(chunk.last + 1, len(self.tokens)), range(chunk.first - 1, -1, -1)):
                foods = self._foods(step, chunk.first)
                begin = self._clause_of(chunk.first)[0]
                if step.step < 0 and begin and self.word(begin) in ("and", "or", "&"):
                    foods += [[begin - 1]] if self._content(begin - 1) else []
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
                for food in self._foods(range(eats[0] + 1, end), eats[0]):
                    self._add(c.Need(need=c.WITHOUT + self._text_of(food)), chunk, eats[:1], food)

    def _parts_list(self, at: int) -> bool:
        plain = ("or", "and", "nor", "any", "anything", "very", "too", "the", "a", ",")
        return not self._content(at) and self.word(at) not in plain

    def _foods(self, tokens: Iterable[int], start: int) -> list[list[int]]:
        """Groups of content words of a clause, parted by other words."""
        groups: list[list[int]] = [[]]
        for at in tokens:
            if self._clauses[at] is not self._clauses[start]:
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
            negation, thing = self._negation(term), self._thing(term)
            if term in self._taken or self._is_aside(term) or self._is_compared(term):
                continue
            if self._restricts(term, negation) or self._is_told(
                term, negation.last if negation else None
            ):
                continue
            attributes = [n[10:] for n in term.names if n.startswith("attribute:")]
            needs = sorted(set(attributes) & _NEEDS, key=lambda n: n != self.word(term.first))
            level = next((n for n in ("budget", "luxury") if f"theme:{n}" in term.names), "")
            if needs and negation is None:
                ease = [t for t in (term.last + 1, term.last + 2) if self.word(t) in CUES["ease"]]
                scope, used = self._scope(term)
                place, where = self._place_of(term)
                scope = replace(scope, city=place, part="") if place else replace(scope, part="")
                last = max([term.last, *ease])
                only = [k for k in self._near(term, "only")
                        if k.last < term.first or k.first == last + 1]  # fmt: skip
                self._add(c.Need(need=needs[0], scope=scope), term, ease, *used, where, *only)
            elif level and thing is None and negation is None:
                if self.word(term.first) != "budget" or not self._near(term, "money", free=False):
                    self._read_level(level, term)
            elif thing is not None and negation is not None:
                if not self._is_of_money(negation):
                    self._read_ban(term, thing, negation)
            elif thing is not None:
                self._read_want(term, thing)
        for chunk in self._free("mid"):
            self._read_level("mid-range", chunk)

    def _read_level(self, level: str, chunk: Chunk) -> None:
        scope, used = self._scope(chunk)
        place, where = self._place_of(chunk)
        scope = replace(scope, city=place) if place else scope
        meal = bool(self._cues(chunk, "meal")) and not self._cues(chunk, "bed")
        noun = [k for k in self._near(chunk, "term", free=False) if k.first == chunk.last + 1]
        stay = self.word(chunk.last + 1) in CUES["bed"] or any(
            "kind:stay" in _kinds(k) for k in noun
        )
        hard = stay and level != "budget" and not self._softness(chunk)[0]
        level_of = c.Level(levels=(level,), of="food" if meal else "stay", hard=hard, scope=scope)
        self._add(level_of, chunk, *used, where)

    def _read_ban(self, term: Chunk, thing: Thing, negation: Chunk) -> None:
        """A thing that is ruled out; a word before it makes it a narrower one."""
        compound = [k for k in self._near(term, "term", free=False) if k.first == term.last + 1]
        if thing == Thing(by="feature", name="night"):
            return  # a time of day that no clock is known for
        if compound and (self._thing(compound[0]) or thing.by not in ("feature", "offer")):
            return  # the first word of a compound
        narrow = [
            t for t in range(negation.last + 1, term.first)
            if self._content(t) and t not in self.used
            and self._clauses[t] is self._clauses[term.first]
        ]  # fmt: skip
        narrow = [*narrow[-1:], *term.tokens] if narrow and narrow[-1] == term.first - 1 else []
        if narrow or (thing.by == "theme" and self.word(term.first)[:4] != thing.name[:4]):
            thing = Thing(by="word", name=self._text_of(narrow or term.tokens))
            if not self._is_mentioned(thing):
                return
        scope, used = self._scope(term)
        place, where = self._place_of(term)
        if place and not self._is_everything(place):
            scope = replace(scope, city=place)
        spared = [pair for pair in self._spared if pair[0].first > term.last
                  and self._same_sentence(pair[0].first, term.last)]  # fmt: skip
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
        counts = [k for k in self._near(term, "number") if negation.last < k.first < term.first]
        bound, tokens = self._bound(counts[0]) if counts else ("", ())
        if counts and bound in ("most", "least"):
            few = int(counts[0].low or 0)
            limit = c.Want(things=(thing,), least=0, most=few, scope=scope)
            self._add(limit, term, negation, tokens, counts[0], narrow, where, *used)
            return
        soft = [k for k in self._near(term, "soft", free=False)
                if k.name.startswith("if") or k.last < negation.first]  # fmt: skip
        but = tuple(name.names[0] for name, _ in spared)
        ban = c.Avoid(things=(thing,), scope=scope, but=but, hard=not soft)
        self._add(ban, term, *compound, negation, *used, *parts, narrow, where, aside=[
            t for k in soft for t in k.tokens
        ])  # fmt: skip

    def _is_offered(self, thing: Thing) -> bool:
        """Whether a place is called so or offers it; what a text only mentions may be elsewhere."""
        words = plain(thing.name)
        return any(
            words in plain(" ; ".join((place.name, *place.offers, *place.known_for, *place.serves)))
            for place in self.atlas.places.values()
        )

    def _is_mentioned(self, thing: Thing) -> bool:
        return any(thing.fits(place, self.atlas) for place in self.atlas.places.values())

    def _read_want(self, term: Chunk, thing: Thing) -> None:
        soft, aside = self._softness(term)
        scope, used = self._scope(term)
        if thing.by == "feature" and thing.name in _UNWANTED:
            return
        others = [k for k in self.chunks if k.tag == "term" and self._between(term, k) == {"or"}]
        if any(self._thing(k) is None for k in others):
            return  # only one of two is understood
        stretch = self._stretch_at(term.first)
        place, where = self._place_of(term)
        if place and not self._is_everything(place) and not scope.city:
            scope = replace(scope, city=place)
        if stretch and stretch.scope and thing.by == "type" and thing.name in _SETTINGS:
            setting = Thing(by="setting", name=_SETTINGS[thing.name])
            self._add(c.Want(things=(setting,), scope=scope), term, *used)
            return
        theme_name = thing.name if thing.by == "theme" else ""
        if stretch and stretch.scope.days and stretch.chunk in used:
            theme_name = self._theme(term) or theme_name
        if theme_name:
            noun = [k for k in self._near(term, "term", free=False) if k.first == term.last + 1]
            soft = soft or bool(noun and _kinds(noun[0]) & {"kind:stay", "kind:food"})
            own = self.word(term.first)[:5] == theme_name[:5] or bool(stretch and stretch.scope)
            must = bool(self._near(term, "hard", free=False))
            if must and self._per(term, "daily", "part"):
                things = (Thing(by="theme", name=theme_name),)
                want = c.Want(things=things, each_day=True, scope=replace(scope, part=""))
                self._add(want, term, *used, where)
                return
            theme = c.Theme(theme=theme_name, scope=scope, hard=own and not soft)
            self._add(theme, term, *used, where, aside=aside)
            return
        domain = self._domain(term) if thing.by == "feature" else ""
        if domain and thing.name not in _UNWANTED:
            need = c.Need(need=thing.name, of="stay", scope=scope, hard=not soft)
            self._add(need, term, *used, where, aside=aside)
            return
        only = self._near(term, "only", free=False) if thing.by == "type" else []
        plural = self.tokens[term.last].plain != self.tokens[term.last].stem
        if thing.by == "type" and "kind:stay" in _kinds(term) and (only or plural):
            need = c.Need(need=thing.name, of="stay", scope=scope, hard=bool(only) or not soft)
            self._add(need, term, *only, *used, where, aside=aside)
            return
        counts = [k for k in self._near(term, "number", "duration")
                  if (0 <= term.first - k.last - 1 <= 2 and k.tag == "number"
                      and not self._between(k, term) & FUNCTION)
                  or k.first < term.first <= term.last < k.last]  # fmt: skip
        counts = counts or self._counts_behind(term)
        bound, tokens = self._bound(counts[0]) if counts else ("", ())
        if not counts and self._is_limited(term):
            return
        if bound == "most" and counts[0].tag == "duration":
            return  # so many days for it at most
        low = int(counts[0].low or 1) if counts and counts[0].tag == "number" else 1
        daily = self._every_day(term)
        want = c.Want(
            things=(thing,),
            least=0 if bound == "most" else low,
            scope=scope,
            most=low if bound == "most" else None,
            each_day=bool(daily),
            hard=not soft,
        )
        self._add(want, term, *used, tokens, *counts[:1], *only, where, aside=[*aside, *daily])

    def _counts_behind(self, term: Chunk) -> list[Chunk]:
        """`museums: no more than two`: the number that the next clause is all about."""
        after = self._clauses[term.last].tokens[-1] + 1
        if after >= len(self.tokens) or not self._same_sentence(after, term.last):
            return []
        clause = self._clauses[after]
        bounded = {k.tag for k in clause.chunks} in ({"number", "most"}, {"number", "least"})
        bare = not any(self._content(t) and self._is_open_word(t) for t in clause.tokens)
        return [k for k in clause.chunks if k.tag == "number" and bounded and bare]

    def _read_ruled_out_words(self) -> None:
        """`no karaoke`: a word that no list has, but that texts of places mention."""
        for negation in self._free("not"):
            if negation.name not in ("no", "without", "avoid", "avoiding", "skip", "skipping"):
                continue
            words = self._foods(range(negation.last + 1, len(self.tokens)), negation.last)
            for group in words[:1]:
                thing = Thing(by="word", name=self._text_of(group))
                unread = group[0] == negation.last + 1 and not set(group) & self.used
                unread = unread and not self._is_of_money(negation)
                if unread and self._is_mentioned(thing):
                    head = Chunk(tag="word", first=group[0], last=group[-1])
                    scope, used = self._scope(head)
                    self._add(c.Avoid(things=(thing,), scope=scope), negation, group, *used)

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

    def _read_elliptical_bans(self) -> None:
        """`… but not on Sunday`, `nothing on Sundays`: a negation that only has a time."""
        for negation in self._free("not"):
            reach = [at for at, own in self._negated.items() if own is negation]
            parts = [k for k in self._free(*_WHEN) if k.first in reach]
            if not parts or any(self._content(t) and not any(t in k.tokens for k in parts)
                                for t in reach):  # fmt: skip
                continue
            scope, used = self._merge(parts)
            start, here = self.tokens[negation.first].start, self._clauses[negation.first].sentence
            before = [f for f in self.found if isinstance(f, c.GoTo | c.Want) and f.span
                      and f.span.end <= start and self._sentence_at(f.span) == here]  # fmt: skip
            if negation.name in ("nothing", "none") or (negation.name == "not" and not before):
                if negation.name == "nothing":
                    count = max(1, len(scope.days))
                    self._add(c.FreeTime(count=count, scope=scope), negation, *used)
            elif before:
                last = max(before, key=lambda f: f.span.end if f.span else 0)
                things = last.things if isinstance(last, c.Want) else (
                    Thing(by="place", name=last.place),
                )  # fmt: skip
                self._add(c.Avoid(things=things, scope=scope), negation, *used)

    def _sentence_at(self, span: Span) -> int:
        at = next((t for t, token in enumerate(self.tokens) if token.end > span.start), 0)
        return self._clauses[at].sentence

    def _withdraw_restricted(self) -> None:
        """Leave out what is stronger than what was said, because words that limit it are unread.

        `no flight within 24 hours after the dive` is no ban of flights. What is weaker than said
        (`a beach that is easy to reach`) stays, and the unread words are listed either way.
        """
        for found in list(self.found):
            strict = isinstance(found, c.Avoid | c.ClockWindow | c.Need) or (
                isinstance(found, c.Means) and found.rule in ("never", "only")
            )
            if not strict or found.span is None or found.assumed:
                continue
            own = [t for t, token in enumerate(self.tokens)
                   if token.start >= found.span.start and token.end <= found.span.end]  # fmt: skip
            limits = [k for at in own[-1:] for k in self._limits_behind(at)]
            limits += [k for t in own[:1] for k in self._clauses[t].chunks if k.tag == "other"]
            if limits:
                self.found.remove(found)
                self.used -= set(own)
                self._taken -= {k for k in self.chunks if set(k.tokens) & set(own)}

    def _limits_behind(self, at: int) -> list[Chunk]:
        """Unread values, conditions and relative clauses that follow a token in its sentence."""
        clause = self._clauses[at]
        after = clause.tokens[-1] + 1
        following = self._clauses[after] if after < len(self.tokens) else None
        excepted = following is not None and following.sentence == clause.sentence and any(
            k.tag == "except" and k.first == after for k in following.chunks
        )  # fmt: skip
        opened = [t for t in clause.tokens if t > at and t not in self.used]
        opened += following.tokens if following is not None and excepted else []
        limits = [t for t in opened if self.word(t) in CUES["limit"] or (
            self.word(t) in CUES["preposition"] and self._is_open_word(t + 1)
            and t + 1 in opened
        ) or (self.word(t) in ("on", "near", "in", "at") and any(
            self._is_open(u) for u in (t + 1, t + 2, t + 3) if u in opened
        ))]  # fmt: skip
        rest = [t for t in opened if self._is_open(t)]
        if following is not None and excepted and set(following.tokens[1:]) <= self.used:
            return []
        return [Chunk(tag="limit", first=limits[0], last=limits[0])] if limits and rest else [
            k for k in clause.chunks
            if k.first > at and k not in self._taken and k.tag in ("duration", "clock", *_WHEN)
        ]  # fmt: skip

    def _tidy(self) -> None:
        """The same constraint once; several regions are alternatives; a late start has room."""
        unlike: dict[object, Constraint] = {}
        for found in self.found:
            key: object = replace(found, span=None)  # type: ignore[type-var]
            known = unlike.setdefault(key, found)
            if known is not found and known.span and found.span:
                start, end = known.span.start, max(known.span.end, found.span.end)
                if self._sentence_at(known.span) == self._sentence_at(found.span):
                    span = Span(start=start, end=end, text=self.text[start:end])
                    unlike[key] = replace(known, span=span)  # type: ignore[type-var]
        self.found = list(unlike.values())
        named = tuple(f.place for f in self.found if isinstance(f, c.GoTo | c.Start | c.End))
        for at, found in enumerate(self.found):
            if isinstance(found, c.Avoid) and found.things[0].by in ("word", "feature", "offer"):
                sights = [p for p in named if self.atlas.places[p].kind not in _WIDE
                          and found.rules_out(self.atlas.places[p], self.atlas)]  # fmt: skip
                self.found[at] = replace(found, but=tuple(dict.fromkeys((*found.but, *sights))))
            if isinstance(found, c.Within) and found.name in ("the coast", "the islands"):
                cities = tuple(city for p in named if (city := self.atlas.city_of(p)))
                self.found[at] = replace(found, places=tuple(dict.fromkeys(found.places + cities)))
        ends = [found for found in self.found if isinstance(found, c.End)]
        for found in ends[:-1]:
            self.found[self.found.index(found)] = c.GoTo(place=found.place, span=found.span)
        lengths = [found for found in self.found if isinstance(found, c.Length)]
        regions = [
            f for f in self.found if isinstance(f, c.Within) and f.km is None and not f.scope
        ]
        for at, found in enumerate(self.found):
            loose = isinstance(found, c.Dates) and found.within and found.start and found.end
            if loose and lengths and isinstance(found, c.Dates) and found.start and found.end:
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
            parted = any(t in self.used or self.word(t) in ",;:()" for t in between)
            if groups and self._same_sentence(groups[-1][-1], at) and not parted:
                groups[-1].append(at)
            else:
                groups.append([at])
        return tuple(self._span(self._widened(group)) for group in groups)

    def _widened(self, group: list[int]) -> list[int]:
        """A group with the prepositions and verbs before it, so that it can be understood."""
        first, last = group[0], group[-1]
        clause = self._clauses[first]
        while first and first - 1 not in self.used and self._clauses[first - 1] is clause:
            if self.tokens[first - 1].kind == "sign":
                break
            first -= 1
        while first < group[0] and self.word(first) in (*_JOINTS, "i", "we", "the", "a", "an"):
            first += 1
        conditional = any(self.word(at) in _CONDITIONS for at in group)
        while conditional and last + 1 < len(self.tokens) and last + 1 not in self.used:
            if self._clauses[last + 1] is not self._clauses[last] or (
                self.tokens[last + 1].kind == "sign"
            ):
                break
            last += 1
        return [first, *group, last]

    def _is_open(self, at: int) -> bool:
        token = self.tokens[at]
        if at in self.used or token.kind == "sign":
            return False
        chunk = next((k for k in self.chunks if at in k.tokens), None)
        if at in self._withdrawn:
            return True
        if chunk is None:
            return token.plain not in FUNCTION or token.plain in _CONDITIONS
        if chunk.tag in _VALUES:
            return not self._is_background(chunk)
        return chunk.tag in ("slow", "busy", "mid", "past", "order", "alone", "both", "other")

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


def _kinds(term: Chunk) -> set[str]:
    return {name.partition("/")[0] for name in term.names if name.startswith("kind:")}


def _part(name: str) -> c.Part:
    parts: tuple[c.Part, ...] = ("morning", "afternoon", "evening")
    return next((part for part in parts if part == name), "")
