"""What moves between the steps of a trip: frozen values, standard library only.

Read in the order in which they arise: a `Wish` is what somebody wants, a `RetrievalPlan` what is
searched for it, `Candidates` what was found, an `Itinerary` the days, `Advice` what to know on the
way, a `Finding` what is wrong with it, and a `Trip` all of that. Amounts are exact: `Decimal`, in
the currency of the places (`Itinerary.currency`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal

from consilience.types import Filter, Note

Slot = Literal["morning", "afternoon", "evening"]
SLOTS: tuple[Slot, ...] = ("morning", "afternoon", "evening")
MEAL_MIN = 60
"""Minutes that a meal takes."""
CAR = 4
"""People that one car takes."""
Level = Literal["budget", "mid-range", "luxury"]
LEVELS: tuple[Level, ...] = ("budget", "mid-range", "luxury")
Pace = Literal["relaxed", "balanced", "packed"]
Status = Literal["planned", "negotiated", "refused"]
Per = Literal["trip", "day"]

# --- what is wanted ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Who travels. `kind` is how they call themselves: solo, couple, family, friends; or empty."""

    adults: int = 2
    children: int = 0
    kind: str = ""

    @property
    def people(self) -> int:
        """All of them."""
        return self.adults + self.children

    @property
    def cars(self) -> int:
        """Cars that they need."""
        return -(-self.people // CAR)

    @property
    def rooms(self) -> int:
        """Rooms that they need: two adults share one, and two children one with them."""
        return max(1, -(-self.adults // 2), -(-self.people // 4))


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What may be spent, by all together: `amount` for the whole trip or `per` day.

    `said` is how the question put it.
    """

    amount: Decimal
    currency: str
    per: Per = "trip"
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Avoid:
    """What a trip must not have: places by id, themes, features and types of places by name.

    `words` are nouns that no table has and that no place may tell of. `said` are the words of the
    question that were understood so.
    """

    places: frozenset[str] = frozenset()
    themes: frozenset[str] = frozenset()
    features: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    modes: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants of a trip, as it was understood.

    `themes` are per cent and add up to 100. `cities` are places to stay in that are asked for, in
    the order asked, `must` all places that have to be in it (cities among them), by id. `nights`
    are those asked for in a city. `assumed` tells what was not said and taken so, `unknown` names
    that nothing here has, `unclear` words that were not understood. `off_topic` says why it is no
    wish for a trip; then the rest means nothing.
    """

    text: str
    days: int = 3
    themes: Mapping[str, int] = field(default_factory=dict)
    starts_on: date | None = None
    month: int | None = None
    budget: Budget | None = None
    level: Level | None = None
    pace: Pace = "balanced"
    group: Group = Group()
    cities: tuple[str, ...] = ()
    nights: Mapping[str, int] = field(default_factory=dict)
    must: tuple[str, ...] = ()
    avoid: Avoid = Avoid()
    start: str = ""
    end: str = ""
    region: str = ""
    most_cities: int | None = None
    needs: frozenset[str] = frozenset()
    assumed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    off_topic: str = ""


# --- what is searched -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search: in these words, of these places, so deep, with this weight; for a theme or a
    purpose (`stays`, `food`, `must`).
    """

    purpose: str
    text: str
    weight: float = 1.0
    depth: int = 30
    filters: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalPlan:
    """What is searched for a wish, before anything is: searches, and what may not come of them.

    `cities` bounds the search to places in these, where the wish names them.
    """

    searches: tuple[Search, ...]
    exclusions: Avoid = Avoid()
    cities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A place that searches found: `score` is Σ weight / (60 + rank) over them, by `reasons`.

    `passage` is the one that tells of it: its citation.
    """

    place: str
    passage: str
    score: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What was found, best first; `excluded` tells what was left out, and why."""

    found: tuple[Candidate, ...]
    excluded: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


# --- what is planned --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A place in a part of a day, from `begins` to `ends` (minutes after midnight).

    `price` is for one person; `passage` is what is cited for it, `why` the reason it was chosen.
    """

    slot: Slot
    place: str
    name: str
    begins: int
    ends: int
    price: Decimal
    passage: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meal:
    """A meal at a place that was found; `price` is for one person."""

    slot: Slot
    place: str
    name: str
    begins: int
    price: Decimal
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """Where a night is spent; `price` is for a room and a night, and so many `rooms` are taken."""

    place: str
    name: str
    rooms: int
    price: Decimal
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """A way from one place to another: `minutes` long from `begins`, at `price` for one person.

    Between cities it is a connection that a passage tells of. Within a city `passage` is empty,
    `km` is computed, and `price` is for a car of up to four. An `overnight` leg leaves on the
    evening of its day and takes the night.
    """

    start: str
    end: str
    mode: str
    minutes: int
    begins: int
    price: Decimal
    km: float = 0.0
    passage: str = ""
    overnight: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """One day: where it is spent (`city` is where its night is), and what is done in order."""

    number: int
    city: str
    visits: tuple[Visit, ...] = ()
    meals: tuple[Meal, ...] = ()
    legs: tuple[Leg, ...] = ()
    stay: Stay | None = None
    on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Itinerary:
    """The days in order, in the currency of the places; `gaps` tells what could not be filled."""

    days: tuple[Day, ...]
    currency: str
    gaps: tuple[str, ...] = ()


# --- what is advised --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """A line of the budget table: `count` times `each` is `total`."""

    what: str
    count: int
    each: Decimal
    total: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The budget table. `total` is the sum of the lines, in the currency of the places.

    `wanted` is the budget of the wish for the whole trip, and `converted` the total, both in the
    currency that the wish speaks of (`in_currency`), at `rate` of the places' currency for one.
    """

    costs: tuple[Cost, ...]
    total: Decimal
    currency: str
    wanted: Decimal | None = None
    converted: Decimal | None = None
    in_currency: str = ""
    rate: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tip:
    """A sentence of advice and the passages that bear it out."""

    text: str
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to know on the way, by subject, and what it costs."""

    transport: tuple[Tip, ...] = ()
    season: tuple[Tip, ...] = ()
    booking: tuple[Tip, ...] = ()
    safety: tuple[Tip, ...] = ()
    bill: Bill | None = None


# --- what is found wrong ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something wrong with a trip. `rule` names which promise is broken (see `checking.RULES`).

    `day` counts from 1 and is 0 for the trip as a whole; `place` is what is at fault, by id.
    """

    rule: str
    message: str
    day: int = 0
    slot: Slot | None = None
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compromise:
    """A wish that cannot be met: what was wanted, why not, and what is planned instead."""

    wanted: str
    reason: str
    instead: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One round of composing and checking: what the check found in it."""

    number: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """All of it. A refused one has no days, and says why in `refusal` and what can be had instead.

    `granted` is the wish as it was planned for, after compromises; `findings` are what could not be
    mended. `steps` tells which implementation made each step, and `notes` what went otherwise.
    """

    wish: Wish
    status: Status
    granted: Wish | None = None
    refusal: str = ""
    offers: tuple[str, ...] = ()
    compromises: tuple[Compromise, ...] = ()
    plan: RetrievalPlan | None = None
    candidates: Candidates | None = None
    itinerary: Itinerary | None = None
    advice: Advice | None = None
    rounds: tuple[Round, ...] = ()
    findings: tuple[Finding, ...] = ()
    steps: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
