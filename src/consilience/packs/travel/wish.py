"""What does somebody wish of a trip: which constraints, and which words were not understood?

A wish comes from its text (by the grammar or a language model) or from a form; either way it is
the same list of constraints. `leftover` are the words that no constraint covers and that are
neither courtesy nor background: a plan is never as wished while there are any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from consilience.errors import UsageError
from consilience.packs.travel.constraints import (
    Constraint,
    Dates,
    Group,
    Length,
    Scope,
    Span,
    constraint_from_json,
    constraint_to_json,
)

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
