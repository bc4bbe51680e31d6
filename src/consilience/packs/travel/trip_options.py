"""Which constraints do options and form fields give? The same ones that words do.

What is chosen goes before the words of a wish, and an edited list of constraints before both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from consilience.errors import UsageError
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.constraints import (
    Constraint,
    Dates,
    End,
    Length,
    Money,
    Pace,
    Start,
    constraint_to_json,
)
from consilience.packs.travel.money import rate
from consilience.packs.travel.wish import Wish, change, read_wish, wish_from_json

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
