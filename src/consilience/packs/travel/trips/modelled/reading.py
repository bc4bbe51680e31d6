"""What may a language model say of a wish? A form in which everything has the words that say it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field

MOST = 8
"""How many of a kind a wish may name for a model."""
Words = Annotated[
    str, Field(description="the words of the wish that say so, copied exactly", max_length=160)
]
Name = Annotated[str, Field(description="the name of a place that is known", max_length=120)]
Term = Annotated[str, Field(max_length=40)]


class ThemeRead(BaseModel):
    """A theme of the trip and its share in per cent."""

    theme: Term
    share: float = Field(ge=0)
    words: Words


class CountRead(BaseModel):
    """A number that the wish says: of days, people, cities or a month from 1 to 12."""

    value: int
    words: Words


class DateRead(BaseModel):
    """A date that the wish says."""

    value: date
    words: Words


class BudgetRead(BaseModel):
    """What may be spent by all together, for the trip or a day."""

    amount: Decimal
    currency: str = Field(description="three letters, such as USD", max_length=8)
    per: Literal["trip", "day"] = "trip"
    words: Words


class LevelRead(BaseModel):
    """How one wants to stay."""

    value: Literal["budget", "mid-range", "luxury"]
    words: Words


class PaceRead(BaseModel):
    """How full the days may be."""

    value: Literal["relaxed", "balanced", "packed"]
    words: Words


class PlaceRead(BaseModel):
    """A place that the wish names."""

    name: Name
    words: Words


class TermRead(BaseModel):
    """A theme, feature, type of places or means of transport."""

    term: Term
    words: Words


class GroupRead(BaseModel):
    """Who travels."""

    adults: int = Field(ge=1, le=40)
    children: int = Field(default=0, ge=0, le=40)
    kind: str = Field(default="", description="solo, couple, family or friends", max_length=20)
    words: Words


class WishRead(BaseModel):
    """All that a wish says; what it does not say is left out."""

    themes: list[ThemeRead] = Field(default_factory=list, max_length=MOST)
    days: CountRead | None = None
    starts_on: DateRead | None = None
    month: CountRead | None = None
    budget: BudgetRead | None = None
    level: LevelRead | None = None
    pace: PaceRead | None = None
    group: GroupRead | None = None
    must: list[PlaceRead] = Field(
        default_factory=list, max_length=MOST, description="places to be in the trip"
    )
    avoid_places: list[PlaceRead] = Field(default_factory=list, max_length=MOST)
    avoid: list[TermRead] = Field(
        default_factory=list, max_length=MOST, description="what is not wanted"
    )
    needs: list[TermRead] = Field(
        default_factory=list, max_length=MOST, description="features that are needed"
    )
    start: PlaceRead | None = None
    end: PlaceRead | None = None
    region: PlaceRead | None = None
    most_cities: CountRead | None = None
