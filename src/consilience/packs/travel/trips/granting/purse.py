"""Does the budget suffice for the level? The cheapest days are composed and added up.

The days are those that a composer makes where prices count most: the cheapest rooms of the level,
meals, sights and ways for this group.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal

from consilience.packs.travel.atlas import STAY
from consilience.packs.travel.money import rate, rounded, told
from consilience.packs.travel.trips.bill import whole
from consilience.packs.travel.trips.composing.thrift import STEPS, cost_of
from consilience.packs.travel.trips.composing.trip import survey_of, written
from consilience.packs.travel.trips.granting.talk import Talk, counted
from consilience.packs.travel.trips.reading.money.penniless import hardly_anything
from consilience.packs.travel.trips.reading.money.spending import level_said, read_budget
from consilience.packs.travel.trips.types import LEVELS, Budget, Level

_A_NIGHT = re.compile(r"^'(?P<price>[^']+)' is taken as (?P<level>budget|mid-range|luxury) level")
_EACH = re.compile(r"\b(?:person|head|each|pp|pax|adult)\b|p\.p", re.IGNORECASE)
_ROOM = Decimal("1.05")
"""What is asked for above the cheapest, since not all of it is liked."""


def settle_purse(talk: Talk) -> None:
    """Settle level and budget."""
    _missing_level(talk)
    _nightly(talk)
    _room(talk)
    _penniless(talk)
    budget, currency = talk.wish.budget, talk.atlas.currency
    worth = rate(budget.currency, currency, talk.atlas.rates) if budget and currency else None
    if budget is None or worth is None:
        return
    limit = whole(budget, talk.wish.days) * worth
    asked = talk.wish.level
    levels = LEVELS[: LEVELS.index(asked) + 1] if asked else LEVELS[:1]
    costs: dict[Level, Decimal] = {}
    for level in reversed(levels):
        costs[level] = least_cost(talk, level)
        if costs[level] <= limit:
            if level != asked and asked is not None:
                _lower(talk, costs, level, limit)
            return
    _raise(talk, costs, limit)


def _nightly(talk: Talk) -> None:
    """A price of a night for which the level that is said is not to be had."""
    said = level_said(talk.wanted.text)
    for one in talk.wish.assumed:
        found = _A_NIGHT.search(one)
        if found and said and LEVELS.index(said) > LEVELS.index(found["level"]):
            talk.settle(
                f"{said} for {found['price']}", f"usual there is more: {one}", found["level"]
            )


def _room(talk: Talk) -> None:
    """A price of a night for which there is no room at all."""
    sentence = talk.sentence()
    read_budget(sentence, talk.atlas, talk.wish.group)
    if sentence.nightly is None:
        return
    amount, code, said = sentence.nightly
    worth = rate(code, talk.atlas.currency, talk.atlas.rates) if talk.atlas.currency else None
    towns = talk.cities() or [one.id for one in talk.atlas.cities()]
    stays = [one for town in towns for one in talk.atlas.within(town, {STAY}) if one.price]
    cheapest = min(stays, key=lambda one: (one.price or 0, one.id), default=None)
    if worth is None or cheapest is None or cheapest.price is None:
        return
    people = talk.wish.group.people if _EACH.search(said) else 1
    if amount * people * worth < cheapest.price:
        price = told(cheapest.price, talk.atlas.currency)
        talk.settle(f"a room for {said}", f"the cheapest there is {price} a night", cheapest.name)


def _penniless(talk: Talk) -> None:
    """A purse that is told without a figure: nothing at all, a fiver."""
    found = hardly_anything(talk.wanted.text) if talk.wish.budget is None else None
    if found and rate("USD", talk.atlas.currency, talk.atlas.rates) is not None:
        talk.grant(budget=Budget(amount=found[0], currency="USD", said=found[1]))
    elif found and not found[0] and talk.atlas.currency:
        talk.grant(budget=Budget(amount=found[0], currency=talk.atlas.currency, said=found[1]))


def least_cost(talk: Talk, level: Level) -> Decimal:
    """What the cheapest days at a level cost all of them, in the currency of the places."""
    brief = replace(talk.brief(), level=level, thrift=STEPS[-1])
    return cost_of(written(survey_of(brief)), brief)


def _lower(talk: Talk, costs: dict[Level, Decimal], level: Level, limit: Decimal) -> None:
    wanted = talk.wish.level or LEVELS[-1]
    talk.grant(level=level)
    talk.settle(f"{wanted} {_for_budget(talk)}", _reason(talk, costs[wanted], wanted, limit), level)


def _raise(talk: Talk, costs: dict[Level, Decimal], limit: Decimal) -> None:
    """Not even the lowest level fits: the least budget that would do."""
    asked, least = talk.wish.level, costs[LEVELS[0]]
    budget = talk.wish.budget
    assert budget is not None  # noqa: S101 - asked for by the caller
    worth = rate(budget.currency, talk.atlas.currency, talk.atlas.rates) or Decimal(1)
    need = least * _ROOM / worth
    if budget.per == "day":
        need /= talk.wish.days
    amount = _upwards(need, budget.currency)
    days = int(talk.wish.days * limit / least) if least else 0
    reason = _reason(talk, costs[asked or LEVELS[0]], asked or LEVELS[0], limit)
    if asked and asked != LEVELS[0]:
        reason += f"; at {LEVELS[0]} level it is {told(least, talk.atlas.currency)}"
    fewer = (
        f"; or about {counted(days, 'day')} for that money" if days and budget.per == "trip" else ""
    )
    granted = Budget(amount=amount, currency=budget.currency, per=budget.per, said=budget.said)
    talk.settle(
        f"{counted(talk.wish.days, 'day')}{f' of {asked}' if asked else ''} {_for_budget(talk)}",
        reason,
        f"{LEVELS[0]} level for {_told(granted)}, the least that would do{fewer}",
    )
    talk.grant(budget=granted, level=LEVELS[0])


def _upwards(amount: Decimal, currency: str) -> Decimal:
    """An amount rounded up to two leading figures, or to the smallest unit."""
    step = Decimal(1).scaleb(max(0, amount.adjusted() - 1))
    return rounded((amount / step).to_integral_value(ROUND_CEILING) * step, currency)


def _reason(talk: Talk, cost: Decimal, level: str, limit: Decimal) -> str:
    currency, wish = talk.atlas.currency, talk.wish
    daily = cost / max(1, wish.days)
    people = "one person" if wish.group.people == 1 else f"{wish.group.people} people"
    return (
        f"the cheapest {counted(wish.days, 'day')} at {level} level that were found cost {people} "
        f"{told(cost, currency)} ({told(daily, currency)} a day), and the budget is "
        f"{told(limit, currency)}"
    )


def _for_budget(talk: Talk) -> str:
    budget = talk.wish.budget
    return f"for {_told(budget)}" if budget else ""


def _told(budget: Budget) -> str:
    return told(budget.amount, budget.currency) + (" a day" if budget.per == "day" else "")


def _missing_level(talk: Talk) -> None:
    """A level that no stay of the cities asked for has."""
    level = talk.wish.level
    for city in talk.cities() if level else ():
        stays = talk.atlas.within(city, {STAY})
        levels = {one.level for one in stays if one.level}
        if levels and level not in levels:
            talk.settle(
                f"{level} in {talk.atlas.name_of(city)}",
                f"its {counted(len(stays), 'stay')} are {', '.join(sorted(levels))}",
                "the level nearest to it there",
            )
