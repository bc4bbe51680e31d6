"""Are the length, the date and the number of people ones that a trip can have?"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from consilience.packs.travel.money import rate
from consilience.packs.travel.trips.granting.calendars import settle_calendar
from consilience.packs.travel.trips.granting.talk import Talk, counted
from consilience.packs.travel.trips.reading.times.dating import months_told
from consilience.packs.travel.trips.reading.times.feasting import feast_in, is_far
from consilience.packs.travel.trips.types import Group

MOST_DAYS = 30
MOST_PEOPLE = 20


def settle_bounds(talk: Talk) -> None:
    """Settle days, people, date and currency."""
    _days(talk)
    settle_calendar(talk)
    _people(talk)
    _date(talk)
    _feast(talk)
    _currency(talk)
    _nights(talk)


def _days(talk: Talk) -> None:
    days = talk.wish.days
    granted = min(max(days, 1), MOST_DAYS)
    if granted == days:
        return
    if days < 0:
        _turned(talk)
        return
    reason = (
        f"{days} days are none to travel on"
        if days < 1
        else f"plans go up to {MOST_DAYS} days, and {days} are {days - MOST_DAYS} more"
    )
    talk.settle(counted(days, "day"), reason, counted(granted, "day"))
    talk.grant(days=granted)


def _turned(talk: Talk) -> None:
    """A last day before the first: the days between them, the other way round."""
    first, days = talk.wish.starts_on, min(2 - talk.wish.days, MOST_DAYS)
    begins = first + timedelta(days=talk.wish.days - 1) if first else None
    when = f" from {_told(begins)}" if begins else ""
    reason = "the last day is before the first"
    talk.settle("a trip that ends before it begins", reason, f"{counted(days, 'day')}{when}")
    talk.grant(days=days, starts_on=begins)


def _people(talk: Talk) -> None:
    group = talk.wish.group
    if group.people < 1:
        talk.settle("a trip for nobody", "0 people need no plan", "a trip for two adults")
        talk.grant(group=Group(kind=group.kind))
    elif group.adults < 1:
        alone = counted(group.children, "child").replace("childs", "children")
        talk.settle(f"{alone} alone", "no adult is with them", f"{alone} with two adults")
        talk.grant(group=replace(group, adults=2))
    elif group.people > MOST_PEOPLE:
        children = min(group.children, MOST_PEOPLE // 2)
        granted = replace(group, adults=MOST_PEOPLE - children, children=children)
        talk.settle(
            f"a trip for {group.people} people",
            f"rooms, tables and seats are planned for up to {MOST_PEOPLE}",
            f"a plan for {MOST_PEOPLE}; book for the other {group.people - MOST_PEOPLE} alike",
        )
        talk.grant(group=granted)


def _date(talk: Talk) -> None:
    starts_on, today = talk.wish.starts_on, talk.today
    if starts_on is None or today is None or starts_on >= today:
        return
    later = _again(starts_on, today)
    talk.settle(
        f"a trip from {_told(starts_on)}",
        f"that was {counted((today - starts_on).days, 'day')} ago, by {_told(today)}",
        f"the same from {_told(later)}",
    )
    talk.grant(starts_on=later, month=later.month)


def _again(day: date, today: date) -> date:
    """The next such day of the year."""
    for year in (today.year, today.year + 1):
        leap = day.month == 2 and day.day == 29
        found = date(year, 2, 28) if leap else day.replace(year=year)
        if found >= today:
            return found
    return today


def _told(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _feast(talk: Talk) -> None:
    """A feast in a month in which it is not."""
    found = feast_in(talk.wanted.text, talk.today) if talk.today else None
    if found is None or talk.today is None:
        return
    feast, rest = found
    starts_on = talk.wanted.starts_on
    months = set(months_told(rest))
    if not months and starts_on and starts_on != feast.first:
        months = {starts_on.month}
    if months and all(is_far(feast, one) for one in months):
        what = f"{feast.called} in {date(2000, min(months), 1):%B}"
        talk.settle(what, f"it is about {_told(feast.first)}", "planned for the feast")


def _currency(talk: Talk) -> None:
    budget, atlas = talk.wish.budget, talk.atlas
    if budget is None:
        return
    if not atlas.currency:
        talk.settle(
            f"a budget of {budget.said or budget.amount}",
            "nothing here has a price",
            "planned without counting money",
        )
        talk.grant(budget=None)
        return
    if rate(budget.currency, atlas.currency, atlas.rates) is None:
        talk.settle(
            f"a budget of {budget.said or budget.amount}",
            f"no rate is known from {budget.currency} to {atlas.currency}; give one in rates.toml",
            "planned without a budget",
        )
        talk.grant(budget=None)


def _nights(talk: Talk) -> None:
    """More nights in cities than the trip has."""
    nights, have = dict(talk.wish.nights), max(1, talk.wish.days - 1)
    asked = sum(nights.values())
    if asked <= have or not nights:
        return
    left = have
    granted: dict[str, int] = {}
    for place, (city, wanted) in enumerate(nights.items()):
        others = len(nights) - place - 1
        granted[city] = max(0, min(wanted, left - others))
        left -= granted[city]
    granted = {city: count for city, count in granted.items() if count}
    listed = ", ".join(f"{count} in {talk.atlas.name_of(city)}" for city, count in granted.items())
    talk.settle(
        counted(asked, "night"),
        f"{counted(talk.wish.days, 'day')} have {counted(have, 'night')}",
        f"nights: {listed}",
    )
    talk.grant(nights=granted)
