"""What does a text wish for, as a language model reads it? Nothing that its words do not say.

The reckoned reading comes first, and what it has read stays: the model weighs the themes, and fills
in what was left open. Everything that it says has to quote the words that say so, and places have
to be known; the rest is set aside. What is to be avoided only grows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal

from consilience.packs.travel.atlas import CITY, Atlas
from consilience.packs.travel.money import rate
from consilience.packs.travel.trips.modelled.asking import Asker, Task, Verdict
from consilience.packs.travel.trips.modelled.evidence import resolved, stands_in
from consilience.packs.travel.trips.modelled.reading import (
    BudgetRead,
    CountRead,
    PlaceRead,
    TermRead,
    WishRead,
)
from consilience.packs.travel.trips.steps import Analyse
from consilience.packs.travel.trips.types import Avoid, Budget, Group, Wish
from consilience.packs.travel.vocabulary import FEATURES, THEMES, theme_of, themes_in
from consilience.understand.amounts import find_number_words

STEP = "analyse"
MOST_DAYS = 60
_WEEK = 7
_TASK = f"""
Read what somebody wishes for a trip, and fill in the form. Give each value with the words of the
wish that say it, copied exactly. Themes are {", ".join(THEMES)}; their shares are per cent and add
up to 100. Features that may be needed or avoided are {", ".join(FEATURES)}. `read` is what a plain
reading has found: add what it missed.
"""
_ASSUMED = {"days": "length", "level": "level", "themes": "theme", "group": "adults"}
_DIGITS = re.compile(r"\d[\d,.]*")


class ModelledAnalyse:
    """The step `analyse` by a language model."""

    def __init__(self, asker: Asker, reckoned: Analyse) -> None:
        self._asker = asker
        self._reckoned = reckoned

    async def __call__(self, text: str, atlas: Atlas, *, today: date) -> Wish:
        """What the text wishes for."""
        read = await self._reckoned(text, atlas, today=today)
        if read.off_topic:
            return read
        data = {
            "today": today,
            "cities": [one.name for one in atlas.cities()],
            "read": {"days": read.days, "themes": dict(read.themes), "assumed": read.assumed},
        }
        task = Task(
            step=STEP,
            form=WishRead,
            instructions=_TASK,
            wish=text,
            data=data,
            judge=lambda reply: judged(reply, read, atlas),
            atlas=atlas,
        )
        return await self._asker.ask(task) or read


def judged(reply: WishRead, read: Wish, atlas: Atlas) -> Verdict[Wish]:
    """The wish with what the model adds to it, and what of the reply is set aside."""
    weighed = _Weighing(reply, read, atlas)
    parts = dict(weighed.parts())
    if not parts:
        return Verdict(None, (*weighed.faults, "nothing in it is said by the words of the wish"))
    found = replace(read, **parts)  # type: ignore[arg-type]  # each has the type of its field
    still = tuple(one for one in read.assumed if not _is_said(one, parts))
    return Verdict(replace(found, assumed=still), tuple(weighed.faults))


def _is_said(assumed: str, parts: Mapping[str, object]) -> bool:
    """Whether something that was assumed is read now."""
    return any(name in parts and word in assumed.casefold() for name, word in _ASSUMED.items())


def in_per_cent(shares: Mapping[str, float]) -> dict[str, int]:
    """Shares as whole per cent that add up to 100, by the largest remainders; greatest first."""
    whole = sum(shares.values())
    exact = {name: share * 100 / whole for name, share in shares.items()}
    found = {name: int(share) for name, share in exact.items()}
    left = 100 - sum(found.values())
    for name in sorted(exact, key=lambda one: (found[one] - exact[one], one))[:left]:
        found[name] += 1
    ordered = sorted(found, key=lambda one: (-found[one], one))
    return {name: found[name] for name in ordered if found[name]}


class _Weighing:
    """Holds what a model says against the words of the wish, the atlas and the plain reading."""

    def __init__(self, reply: WishRead, read: Wish, atlas: Atlas) -> None:
        self._reply = reply
        self._read = read
        self._atlas = atlas
        self.faults: list[str] = []

    def parts(self) -> Iterator[tuple[str, object]]:
        """The fields of the wish that the model's reading gives."""
        avoid = self._avoid()
        for name, value in (
            ("themes", self._themes(avoid)),
            ("avoid", avoid if avoid != self._read.avoid else None),
            ("needs", self._needs()),
            *self._lengths().items(),
            *self._manners().items(),
            *self._places(avoid).items(),
        ):
            if value is not None:
                yield name, value

    # --- themes and what is not wanted --------------------------------------------------

    def _themes(self, avoid: Avoid) -> dict[str, int] | None:
        """The mix: the model's, and whatever the wish names outright and the model left out."""
        shares: dict[str, float] = {}
        for one in self._reply.themes:
            theme = theme_of(one.theme)
            if theme is None:
                self.faults.append(f"no theme {one.theme!r} is known")
            elif theme in avoid.themes:
                self.faults.append(f"{theme} is to be avoided")
            elif self._said(one.words, f"theme {theme}") and one.share > 0:
                shares[theme] = shares.get(theme, 0.0) + one.share
        if not shares:
            return None
        whole = sum(shares.values())
        for word in themes_in(self._read.text):
            share = self._read.themes.get(word.theme, 0)
            if not word.negated and share and word.theme not in shares:
                shares[word.theme] = whole * share / 100
        return in_per_cent(shares)

    def _avoid(self) -> Avoid:
        old, read = self._read.avoid, self._reply
        wanted = {*self._read.must, *self._read.cities, self._read.start, self._read.end}
        places = {self._place(one) for one in read.avoid_places} - wanted - {""}
        terms = [one for one in read.avoid if self._said(one.words, f"avoiding {one.term}")]
        named = {word.theme for word in themes_in(self._read.text) if not word.negated}
        themes = {theme for one in terms if (theme := theme_of(one.term))} - named
        features = {one.term for one in terms} & set(FEATURES)
        types = {one.term for one in terms} & {place.type for place in self._atlas.places.values()}
        modes = {way.mode for ways in self._atlas.connections.values() for way in ways}
        modes &= {one.term for one in terms}
        used = themes | features | types | modes
        said = [one.words for one in terms if one.term in used or theme_of(one.term) in used]
        return Avoid(
            places=old.places | places,
            themes=old.themes | themes,
            features=old.features | (features - self._read.needs),
            types=old.types | (types - {""}),
            modes=old.modes | modes,
            words=old.words,
            said=tuple(dict.fromkeys((*old.said, *said))),
        )

    def _needs(self) -> frozenset[str] | None:
        terms = [one for one in self._reply.needs if self._known_feature(one)]
        more = {one.term for one in terms} - self._read.avoid.features
        return self._read.needs | more if more - self._read.needs else None

    def _known_feature(self, one: TermRead) -> bool:
        if one.term not in FEATURES:
            self.faults.append(f"no feature {one.term!r} is known")
            return False
        return self._said(one.words, f"needing {one.term}")

    # --- how long, when, for how much ---------------------------------------------------

    def _lengths(self) -> dict[str, object]:
        """Days, dates and money, each where the plain reading had to assume it."""
        read, reply = self._read, self._reply
        found: dict[str, object] = {}
        if reply.days and self._assumed("length") and self._counted(reply.days, "days"):
            found["days"] = min(max(1, reply.days.value), MOST_DAYS)
        dated = read.starts_on is not None or read.month is not None
        if reply.starts_on and not dated and self._said(reply.starts_on.words, "the date"):
            found["starts_on"] = reply.starts_on.value
            found["month"] = reply.starts_on.value.month
        elif reply.month and not dated and self._said(reply.month.words, "the month"):
            found["month"] = reply.month.value if 1 <= reply.month.value <= 12 else None
        if reply.budget and read.budget is None:
            found["budget"] = self._budget(reply.budget)
        return found

    def _budget(self, one: BudgetRead) -> Budget | None:
        currency = one.currency.strip().upper()
        if rate(currency, self._atlas.currency or "USD", self._atlas.rates) is None:
            self.faults.append(f"no currency {one.currency!r} is known")
            return None
        if one.amount <= 0 or one.amount not in _amounts(one.words):
            self.faults.append(f"{one.amount} is not what {one.words!r} says")
            return None
        if not self._said(one.words, "the budget"):
            return None
        return Budget(amount=one.amount, currency=currency, per=one.per, said=one.words)

    def _manners(self) -> dict[str, object]:
        """Level, pace and group, each where nothing was read of it."""
        read, reply = self._read, self._reply
        found: dict[str, object] = {}
        if reply.level and read.level is None and self._said(reply.level.words, "the level"):
            found["level"] = reply.level.value
        if reply.pace and read.pace == "balanced" and self._said(reply.pace.words, "the pace"):
            found["pace"] = reply.pace.value
        group = reply.group
        if group and read.group == Group() and self._said(group.words, "the group"):
            found["group"] = Group(adults=group.adults, children=group.children, kind=group.kind)
        most = reply.most_cities
        if most and read.most_cities is None and self._counted(most, "cities") and most.value > 0:
            found["most_cities"] = most.value
        return found

    # --- where ----------------------------------------------------------------------------

    def _places(self, avoid: Avoid) -> dict[str, object]:
        read, reply = self._read, self._reply
        found: dict[str, object] = {}
        must = [self._place(one) for one in reply.must]
        more = [one for one in must if one and one not in avoid.places and one not in read.must]
        if more:
            towns = [one for one in more if self._atlas.places[one].kind == CITY]
            found["must"] = tuple(dict.fromkeys((*read.must, *more)))
            found["cities"] = tuple(dict.fromkeys((*read.cities, *towns)))
        for name, old, one in (("start", read.start, reply.start), ("end", read.end, reply.end)):
            town = self._atlas.city_of(self._place(one)) if one and not old else ""
            if town and town not in avoid.places:
                found[name] = town
        if reply.region and not read.region:
            region = self._place(reply.region)
            found["region"] = region if region and self._is_region(region) else None
        return found

    def _is_region(self, place: str) -> bool:
        return self._atlas.places[place].kind in ("region", "country")

    def _place(self, one: PlaceRead) -> str:
        """The place that is meant, by id; empty where it is not known or the wish says no such."""
        place = resolved(one.name, self._atlas)
        if not place:
            self.faults.append(f"no place {one.name!r} is known")
            return ""
        return place if self._said(one.words, self._atlas.name_of(place)) else ""

    # --- whether it is said -----------------------------------------------------------------

    def _said(self, words: str, what: str) -> bool:
        if stands_in(words, self._read.text):
            return True
        self.faults.append(f"{words!r}, given for {what}, does not stand in the wish")
        return False

    def _counted(self, one: CountRead, what: str) -> bool:
        """Whether words that say a number say this one: as it is, in weeks, or in nights."""
        if not self._said(one.words, what):
            return False
        counts = [int(amount) for amount in _amounts(one.words)]
        if not counts or any(one.value in (n, n + 1, n * _WEEK, n * _WEEK + 1) for n in counts):
            return True
        self.faults.append(f"{one.value} is not what {one.words!r} says")
        return False

    def _assumed(self, word: str) -> bool:
        return any(word in one.casefold() for one in self._read.assumed)


def _amounts(words: str) -> set[Decimal]:
    """The numbers that words say, in digits or spelt out."""
    found = {Decimal(number) for _, _, number, _ in find_number_words(words)}
    for match in _DIGITS.finditer(words):
        digits = match[0].rstrip(".,")
        whole = re.sub(r"[,.](?=\d{3}(?!\d))", "", digits)
        if whole.count(".") + whole.count(",") <= 1:
            found.add(Decimal(whole.replace(",", ".")))
    return found
