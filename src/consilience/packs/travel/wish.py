"""What does somebody wish of a trip: which constraints, and which words were not understood?

A wish comes from its text (by the grammar or a language model) or from a form; either way it is
the same list of constraints. `leftover` are the words that no constraint covers and that are
neither courtesy nor background: a plan is never as wished while there are any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from consilience.errors import UsageError
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.constraints import (
    Constraint,
    Dates,
    End,
    Group,
    Length,
    Money,
    Nights,
    Pace,
    Scope,
    Span,
    Start,
    constraint_from_json,
    constraint_to_json,
)
from consilience.packs.travel.money import rate

if TYPE_CHECKING:
    from consilience.packs.travel.atlas import Atlas

Kind = TypeVar("Kind", bound=Constraint)
ASSUMED_DAYS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A text, what it asks for, and the words of it that were not understood."""

    text: str
    constraints: tuple[Constraint, ...] = ()
    leftover: tuple[Span, ...] = ()

    def of(self, kind: type[Kind]) -> tuple[Kind, ...]:
        """The constraints of one kind."""
        return tuple(found for found in self.constraints if isinstance(found, kind))

    def first(self, kind: type[Kind]) -> Kind | None:
        """The first constraint of a kind."""
        return next(iter(self.of(kind)), None)


def read_wish(text: str, atlas: Atlas, *, today: date) -> Wish:
    """What a text asks for, read by the grammar; what it does not say and must be, is assumed."""
    from consilience.packs.travel.wish_parser import read_constraints  # noqa: PLC0415

    constraints, leftover = read_constraints(text, atlas, today=today)
    return complete(Wish(text=text, constraints=constraints, leftover=leftover))


def complete(wish: Wish) -> Wish:
    """The wish with what every trip needs and it does not say: a length and who travels.

    Where it speaks of a date or of a day of the week and of no other, the trip begins then.
    """
    added: list[Constraint] = []
    scopes = [(found.span, getattr(found, "scope", Scope())) for found in wish.constraints]
    dates = sorted(day for _, scope in scopes for day in scope.dates)
    weekdays = [
        scope.weekdays[0]
        for _, scope in sorted(scopes, key=lambda found: found[0].start if found[0] else 0)
        if len(scope.weekdays) == 1
    ]
    stated, days = wish.first(Dates), ASSUMED_DAYS
    if stated and stated.start_weekday is not None and stated.end_weekday is not None:
        days = (stated.end_weekday - stated.start_weekday) % 7 + 1
    elif not stated and dates:
        added.append(Dates(start=dates[0], hard=False, assumed=True))
        days = (dates[-1] - dates[0]).days + 1
    elif not stated and weekdays:
        added.append(Dates(start_weekday=weekdays[0], hard=False, assumed=True))
        days = max((day - weekdays[0]) % 7 for day in weekdays) + 1
    nights = sum(found.least for found in wish.of(Nights) if found.hard and found.place)
    numbered = [day for _, scope in scopes for day in scope.days]
    days = max(days, nights + 1 if nights else 0, *numbered)
    if not wish.of(Length) and not _is_dated(wish):
        added.append(Length(least=days, most=days, hard=False, assumed=True))
    if not wish.of(Group):
        added.append(Group(adults=2, hard=False, assumed=True))
    return replace(wish, constraints=(*wish.constraints, *added))


def _is_dated(wish: Wish) -> bool:
    return any(dates.start and dates.end and not dates.within for dates in wish.of(Dates))


def wish_to_json(wish: Wish, atlas: Atlas) -> dict[str, Any]:
    """A wish as a page and a program get it: each constraint with its statement and its words."""
    return {
        "text": wish.text,
        "constraints": [
            {**constraint_to_json(found), "statement": found.state(atlas)}
            for found in wish.constraints
        ],
        "leftover": [{"start": s.start, "end": s.end, "text": s.text} for s in wish.leftover],
    }


def wish_from_json(found: Mapping[str, Any]) -> Wish:
    """The wish that a form sends back: constraints may be changed, added and removed."""
    rows = found.get("constraints")
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise UsageError("a wish has a list `constraints`, each with its `kind`")
    constraints = (
        constraint_from_json({name: value for name, value in row.items() if name != "statement"})
        for row in rows
    )
    try:
        leftover = tuple(Span(**span) for span in found.get("leftover", ()))
    except TypeError as error:
        raise UsageError("`leftover` is a list of spans: start, end, text") from error
    return Wish(text=str(found.get("text", "")), constraints=tuple(constraints), leftover=leftover)


def change(wish: Wish, changes: Iterable[Constraint]) -> Wish:
    """The wish with constraints from options or a form: each goes before those of its kind.

    Only kinds of which a trip has one are replaced; of others it is one more.
    """
    constraints = list(wish.constraints)
    for added in changes:
        if type(added).single:
            constraints = [found for found in constraints if type(found) is not type(added)]
        constraints.append(added)
    return replace(wish, constraints=tuple(constraints))


# --- options ----------------------------------------


LONGEST_DAYS = 30
VISITS_BY_PACE: Mapping[str, int] = {"relaxed": 3, "balanced": 4, "packed": 5}
"""Visits of a day at most, by the name of a pace."""
_BUDGET = re.compile(
    r"\s*([\d.,' ]*\d)\s*([A-Za-z]{3})?\s*(?:(?:a|per)\s+(day|person|trip))?\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is chosen beside the words; None and empty for what is not."""

    days: int | None = None
    starts_on: date | None = None
    budget: str = ""
    pace: str = ""
    start: str = ""
    end: str = ""

    def constraints(self, atlas: Atlas) -> tuple[Constraint, ...]:
        """The constraints that they mean."""
        found: list[Constraint] = []
        if self.days is not None:
            if not 1 <= self.days <= LONGEST_DAYS:
                raise UsageError(f"trips go up to {LONGEST_DAYS} days, and {self.days} were chosen")
            found.append(Length(least=self.days, most=self.days))
        if self.starts_on is not None:
            found.append(Dates(start=self.starts_on))
        if self.budget:
            found.append(read_budget(self.budget, atlas))
        if self.pace:
            if self.pace not in VISITS_BY_PACE:
                known = ", ".join(VISITS_BY_PACE)
                raise UsageError(f"unknown pace {self.pace!r}; known: {known}")
            found.append(Pace(measure="visits", most=VISITS_BY_PACE[self.pace]))
        if self.start:
            found.append(Start(place=_city(self.start, atlas)))
        if self.end:
            found.append(End(place=_city(self.end, atlas)))
        return tuple(found)


def read_budget(text: str, atlas: Atlas) -> Money:
    """`500 USD`, `40 EUR a day`, `300 USD per person`; without a currency, that of the places."""
    found = _BUDGET.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} is no budget; write it as '500 USD' or '40 EUR a day'")
    amount, currency, per = found.groups()
    try:
        value = Decimal(re.sub(r"[,' ]", "", amount))
    except InvalidOperation as error:
        raise UsageError(f"{text!r} is no budget; write it as '500 USD'") from error
    code = (currency or atlas.currency).upper()
    if rate(code, atlas.currency, atlas.rates) is None:
        raise UsageError(f"no rate is known from {code} to {atlas.currency or 'any currency'}")
    scopes: dict[str, Literal["trip", "day", "person"]] = {"day": "day", "person": "person"}
    return Money(
        amount=value,
        currency=code,
        per=scopes.get((per or "trip").lower(), "trip"),
    )


def _city(name: str, atlas: Atlas) -> str:
    known = atlas.find(name)
    if not known:
        raise UsageError(f"no place {name!r} is known here")
    return known[0]


def edited_wish(
    text: str, edited: Mapping[str, Any], say: str, atlas: Atlas, *, today: date
) -> Wish:
    """The wish that a form sends back, with words that were added to it."""
    wish = wish_from_json({**edited, "text": text})
    if not say.strip():
        return wish
    added = read_wish(say, atlas, today=today)
    changed = change(wish, [one for one in added.constraints if not one.assumed])
    return replace(changed, leftover=(*wish.leftover, *added.leftover))


def edited_json(constraints: Iterable[Constraint], leftover: Sequence[str]) -> dict[str, Any]:
    """Constraints and words not understood as a form sends them: what is usual is left out."""
    return {
        "constraints": [_compact(one) for one in constraints],
        "leftover": [{"text": words} for words in leftover],
    }


def _compact(constraint: Constraint) -> dict[str, Any]:
    usual = {
        field.name: field.default
        for field in fields(constraint)  # type: ignore[arg-type]  # every constraint is one
        if field.default is not MISSING
    }
    kept = {
        name
        for name in (field.name for field in fields(constraint))  # type: ignore[arg-type]
        if name not in usual or getattr(constraint, name) != usual[name]
    }
    found = constraint_to_json(constraint)
    return {name: value for name, value in found.items() if name == "kind" or name in kept}
