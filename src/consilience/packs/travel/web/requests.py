"""What does a request for a trip contain? A wish in words, and fields that override its words."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic import StringConstraints as Constraints

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.wish import LONGEST_DAYS, Options, Wish, edited_wish
from consilience.service.search import Text, checked_text

_FIRST, _LAST = date(2000, 1, 1), date(2100, 12, 31)
_MOST = Decimal(10) ** 12
_WISH = "A romantic four-day trip, good food, no hiking, mid-range"


def _or_none(value: Any) -> Any:
    """A value; None for a field of a form that nobody filled in."""
    return None if isinstance(value, str) and not value.strip() else value


def _day(value: Any) -> Any:
    """A day, written as 2027-03-01 and not otherwise."""
    if _or_none(value) is None or isinstance(value, date):
        return _or_none(value)
    try:
        found = date.fromisoformat(str(value).strip())
    except ValueError as error:
        raise ValueError(f"{str(value)[:40]!r} is no day; write one as 2027-03-01") from error
    if not _FIRST <= found <= _LAST:
        raise ValueError(f"{found} is not between {_FIRST} and {_LAST}")
    return found


def _currency(text: str) -> str:
    if text and not (len(text) == 3 and text.isascii() and text.isalpha()):
        raise ValueError(f"{text[:40]!r} is no currency; write three letters, such as EUR")
    return text


def _json_object(text: str) -> str:
    try:
        found = json.loads(text) if text else {}
    except ValueError as error:
        raise ValueError(f"{text[:40]!r} is no JSON") from error
    if not isinstance(found, dict):
        raise ValueError(f"{text[:40]!r} is no JSON object")
    return text


def _named(text: str) -> str:
    return checked_text(text) if text.strip() else ""


Days = Annotated[
    Annotated[int, Field(ge=1, le=LONGEST_DAYS)] | None,
    BeforeValidator(_or_none),
    Field(description="How many days"),
]
StartsOn = Annotated[
    date | None, BeforeValidator(_day), Field(description="The first day, as 2027-03-01")
]
Amount = Annotated[
    Annotated[Decimal, Field(gt=0, le=_MOST)] | None,
    BeforeValidator(_or_none),
    Field(description="What may be spent by all together"),
]
Currency = Annotated[
    str,
    AfterValidator(_currency),
    Field(
        description="Its currency, as EUR; that of the places where none is given",
        json_schema_extra={"pattern": r"^([A-Za-z]{3})?$"},
    ),
]
Per = Annotated[Literal["trip", "day"], Field(description="For the whole trip, or for each day")]
Pace = Annotated[
    Literal["relaxed", "balanced", "packed"] | None,
    BeforeValidator(_or_none),
    Field(description="How much a day holds"),
]
Name = Annotated[str, Constraints(max_length=200), AfterValidator(_named)]
Start = Annotated[Name, Field(description="The city where it begins, by name")]
End = Annotated[Name, Field(description="The city where it ends, by name")]
ByModel = Annotated[bool, Field(description="Let the language model of the settings read the wish")]
Edited = Annotated[
    dict[str, Any] | None,
    Field(description="`constraints` and `leftover` as a trip gave them, changed; for the words"),
]
Say = Annotated[
    str,
    Constraints(max_length=500),
    Field(description="More words, read and added to what is edited"),
]
Wished = Annotated[Text, Field(description="What is wanted, in words", examples=[_WISH])]


class Budget(BaseModel):
    """What may be spent."""

    model_config = ConfigDict(extra="forbid")

    amount: Annotated[Decimal, Field(gt=0, le=_MOST, description="By all together")]
    currency: Currency = ""
    per: Per = "trip"


class TripRequest(BaseModel):
    """A wish for a trip. What is given beside its words goes before them."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"wish": _WISH, "starts_on": "2027-03-01"}}
    )

    wish: Wished
    days: Days = None
    starts_on: StartsOn = None
    budget: Budget | None = None
    pace: Pace = None
    start: Start = ""
    end: End = ""
    model: ByModel = False
    edited: Edited = None
    say: Say = ""

    def options(self, atlas: Atlas) -> Options:
        """What goes before the words."""
        spent = self.budget
        return Options(
            days=self.days,
            starts_on=self.starts_on,
            budget=f"{spent.amount:f} {spent.currency or atlas.currency} a {spent.per}"
            if spent
            else "",
            pace=self.pace or "",
            start=self.start,
            end=self.end,
        )

    def edited_wish(self, atlas: Atlas) -> Wish | None:
        """The wish as it was edited; None where its words are to be read."""
        if self.edited is None:
            return None
        return edited_wish(self.wish, self.edited, self.say, atlas, today=date.today())


class TripParams(BaseModel):
    """A wish whose fields stand in the address, as those of `TripRequest`."""

    q: Wished
    days: Days = None
    starts_on: StartsOn = None
    amount: Amount = None
    currency: Currency = ""
    per: Per = "trip"
    pace: Pace = None
    start: Start = ""
    end: End = ""
    model: ByModel = False
    edited: Annotated[
        str,
        AfterValidator(_json_object),
        Field(description="The edited wish as JSON: `constraints` and `leftover`"),
    ] = ""
    say: Say = ""

    def asked(self) -> TripRequest:
        """The same as a request."""
        spent = {"amount": self.amount, "currency": self.currency, "per": self.per}
        return TripRequest(
            wish=self.q,
            days=self.days,
            starts_on=self.starts_on,
            budget=Budget.model_validate(spent) if self.amount is not None else None,
            pace=self.pace,
            start=self.start,
            end=self.end,
            model=self.model,
            edited=json.loads(self.edited) if self.edited else None,
            say=self.say,
        )


class TripPageParams(TripParams):
    """The same for a page, which may be there before anything is wished."""

    q: Wished | None = None  # type: ignore[assignment]  # none is a page to begin with
    whole: Annotated[bool, Field(description="A page that is whole when it comes")] = False


class TripEventParams(TripParams):
    """The same for the events of a trip."""

    html: Annotated[bool, Field(description="With what a page shows of each event")] = False


def trip_address(space: str, what: str, asked: TripRequest, **more: str) -> str:
    """An address at which the same is wished: `what` is `trip`, `trip/events`, `trip.ics` …"""
    spent = asked.budget
    parts = {
        "q": asked.wish,
        "days": asked.days,
        "starts_on": asked.starts_on,
        "amount": spent.amount if spent else None,
        "currency": spent.currency if spent else "",
        "per": spent.per if spent and spent.per != "trip" else "",
        "pace": asked.pace,
        "start": asked.start,
        "end": asked.end,
        "model": "true" if asked.model else "",
        "edited": json.dumps(asked.edited, ensure_ascii=False, separators=(",", ":"))
        if asked.edited is not None
        else "",
        "say": asked.say,
        **more,
    }
    kept = {name: str(value) for name, value in parts.items() if value not in (None, "")}
    return f"/w/{quote(space, safe='')}/{what}?{urlencode(kept)}"
