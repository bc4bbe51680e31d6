"""What is given beside the words of a wish? Days, a date, a budget: they go before the words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import get_args

from consilience.errors import UsageError
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.types import Budget, Pace, Per, Wish

_BUDGET = re.compile(r"([\d,]*\.?\d+)\s*([a-z]{3})(?:\s*(?:a|per|/)\s*(day|trip))?", re.IGNORECASE)
_SOME = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What goes before the words, as it was typed: a budget as `500 USD` or `40 EUR a day`, for
    all together, and places by name.
    """

    days: int | None = None
    starts_on: date | None = None
    budget: str = ""
    pace: str = ""
    start: str = ""
    end: str = ""

    def applied(self, wish: Wish, atlas: Atlas) -> Wish:
        """The wish with what is given in the place of what was read."""
        wish = replace(wish, assumed=self._still_assumed(wish.assumed))
        if self.days is not None:
            wish = replace(wish, days=self.days)
        if self.starts_on is not None:
            wish = replace(wish, starts_on=self.starts_on, month=self.starts_on.month)
        if self.budget:
            wish = replace(wish, budget=read_budget(self.budget, atlas))
        if self.pace:
            wish = replace(wish, pace=_pace(self.pace))
        if self.start:
            wish = replace(wish, start=_city(self.start, atlas))
        if self.end:
            wish = replace(wish, end=_city(self.end, atlas))
        return wish

    def _still_assumed(self, assumed: tuple[str, ...]) -> tuple[str, ...]:
        """What was assumed for want of words, but for what is given now."""
        said = {"no length": self.days is not None, "no level": bool(self.budget)}
        moot = tuple(start for start, is_given in said.items() if is_given)
        return tuple(one for one in assumed if not one.startswith(moot))


def read_budget(text: str, atlas: Atlas) -> Budget:
    """A budget as it was typed; refused where the amount or the currency is none."""
    found = _BUDGET.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"the budget {text!r} is not like `500 USD` or `40 EUR a day`")
    amount, currency = Decimal(found[1].replace(",", "")), found[2].upper()
    if currency not in atlas.rates:
        raise UsageError(
            f"no rate is known for {currency!r}; known are {', '.join(atlas.rates)}; give others "
            "in the workspace's rates.toml"
        )
    per: Per = "day" if (found[3] or "").lower() == "day" else "trip"
    return Budget(amount=amount, currency=currency, per=per, said=text.strip())


def _pace(text: str) -> Pace:
    known: tuple[Pace, ...] = get_args(Pace)
    for one in known:
        if one == text.strip().lower():
            return one
    raise UsageError(f"the pace {text!r} is none of {', '.join(known)}")


def _city(name: str, atlas: Atlas) -> str:
    found = [city for one in atlas.find(name) if (city := atlas.city_of(one))]
    if not found:
        some = ", ".join(one.name for one in atlas.cities()[:_SOME])
        raise UsageError(f"no city {name!r} is known here; some that are: {some}")
    return found[0]
