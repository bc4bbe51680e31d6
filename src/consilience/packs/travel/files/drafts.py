"""What does a record say of a place? Its facts, read from whatever spelling and form they have.

References to other places stay as they are said: they can only be followed once all are known.
What cannot be read (a price in words, hours of the tide) is kept under its own name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from consilience.evidence.loaders.common import one_line, tidy
from consilience.evidence.loaders.json_records import Json, flatten
from consilience.evidence.size_limits import short
from consilience.packs.travel.files.fields import Fields, as_text, sort_out, spelt, unaccented
from consilience.packs.travel.files.implied import (
    features_of,
    is_barred,
    is_free,
    level_of,
    level_tagged,
    prose_of,
    slots_of,
)
from consilience.packs.travel.files.languages import type_in_english
from consilience.packs.travel.files.opened import hours_of
from consilience.packs.travel.files.prices import Price, currency_in, is_currency, price_of
from consilience.packs.travel.files.records import (
    SOURCES,
    TARGETS,
    Record,
    Tally,
    end_of,
    name_in,
    named,
    reference,
)
from consilience.packs.travel.files.relating import Said, stated
from consilience.packs.travel.files.spots import spot_of
from consilience.packs.travel.files.suiting import Suit, implied_suits, suits_of
from consilience.packs.travel.files.values import days, items, minutes, months, number, truth
from consilience.packs.travel.files.words import WITHIN, kind_among, kind_of
from consilience.packs.travel.geography import Point
from consilience.packs.travel.vocabulary import kind_of as vocabulary_kind
from consilience.packs.travel.vocabulary import months_in
from consilience.types import Value
from consilience.understand.names import singular_or_plural

_MOST_ALIASES = 60
_TOPICS = ("season", "getting_around", "safety", "booking")
_STAYED = frozenset({"minimum_nights", "check_in", "checkin", "host_id", "bedrooms", "beds"})
_TROPIC = 23.5  # degrees; between the tropics seasons are others
_CODE_WORDS = (
    "iso iso2 iso3 iso_code iso_a2 iso_a3 cca2 cca3 ccn3 cioc alpha2 alpha3 alpha_2 alpha_3"
)
_COUNTRY_CODES = frozenset(_CODE_WORDS.split())
_NO_TYPES = frozenset({"", "feature", "node", "place", "poi", "root", "yes"})
_GENERAL = frozenset({"attraction", "attractions", "sight", "point_of_interest", "poi", "activity"})
_PREFIX = re.compile(r"^(?:city|place|hotel|attraction|activity|restaurant|region)[\s:]", re.I)


@dataclass(slots=True, kw_only=True)
class Draft:
    """A place as its record tells of it; `facts` are fields of its passage, by their names."""

    number: int
    where: str
    name: str
    id: str = ""
    keys: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    kind: str = "other"
    type: str = ""
    point: Point | None = None
    city: str = ""
    region: str = ""
    country: str = ""
    within: int | None = None
    description: str = ""
    suits: tuple[Suit, ...] = ()
    tags: tuple[str, ...] = ()
    price: Price | None = None
    currency: str = ""
    facts: dict[str, Value] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)
    said: tuple[Said, ...] = ()
    others: dict[str, Value] = field(default_factory=dict)


def draft_of(record: Record, tally: Tally) -> Draft | None:
    """The place that a record tells of; None, with the reason told, where it names none."""
    fields = sort_out(record.values)
    said, named_in = stated(fields, tally, record.where)
    for name in named_in:
        fields.others.pop(name, None)
    name, by = named(fields)
    if not name:
        half = end_of(record.values, SOURCES) or end_of(record.values, TARGETS)
        if half:
            told = f"; give it both (it has {short(half, 60)!r})"
            tally.leave_out(record.where, "it lacks one of its two ends", told)
        else:
            tally.leave_out(record.where, "it has no name", "; give it a field `name`")
        return None
    if by:
        _drop(fields, by)
        fields.others.pop(by, None)
    point, fault = spot_of(fields)
    if fault:
        tally.tell(record.where, f"{fault}; {short(name, 60)!r} is kept without them")
    draft = Draft(number=record.number, where=record.where, name=name, point=point, said=said)
    draft.within = record.within
    _identify(draft, fields)
    _locate(draft, fields)
    _classify(draft, fields, record.hint if kind_of(record.hint) else by)
    _own_codes(draft, fields)
    _describe(draft, fields)
    _tell(draft, fields)
    return draft


def _tell(draft: Draft, fields: Fields) -> None:
    """Read the facts of a place, and keep what is left."""
    for meaning, read in _READ.items():
        _take(draft, fields, meaning, read)
    _seasons(draft, fields)
    _price(draft, fields)
    _remark(draft, fields)
    _imply(draft, fields)
    draft.others = flatten(fields.others)


def _drop(fields: Fields, by: str) -> None:
    """Take away the field that gave the name, so that a city is not in itself."""
    for meaning in list(fields.known):
        kept = [(name, value) for name, value in fields.known[meaning] if name != by]
        if kept:
            fields.known[meaning] = kept
        else:
            del fields.known[meaning]


def _identify(draft: Draft, fields: Fields) -> None:
    ids = fields.texts("id")
    draft.id = next((short(one_line(one), 200) for one in ids if not one.isdigit()), "")
    codes = [one for _, value in fields.each("code") for one in items(value)]
    if draft.id:
        ids = [one for one in ids if one != draft.id]
    draft.keys = tuple(dict.fromkeys([*ids, *codes]))
    if codes:
        draft.facts["codes"] = tuple(dict.fromkeys(codes))
    found = [
        *_names(fields.first("local_name")),
        *(one for _, value in fields.each("aliases") for one in _names(value)),
        *(one for _, value in fields.each("name") for one in _names(value)),
    ]
    wanted = dict.fromkeys(one for one in map(short, found) if one and one != draft.name)
    draft.aliases = tuple(wanted)[:_MOST_ALIASES]


def _names(value: Json) -> Iterator[str]:
    """The names in a value, however deep; a text may list several."""
    if isinstance(value, dict):
        for one in value.values():
            yield from _names(one)
    elif isinstance(value, list):
        for one in value:
            yield from _names(one)
    elif isinstance(value, str):
        parts = re.split(r"[;|]", value) if len(value) < 200 else value.split(",")
        yield from (name for one in parts if (name := name_in(one)))


def _locate(draft: Draft, fields: Fields) -> None:
    cities = [reference(value) for _, value in fields.each("city")]
    places = [as_text(value) for _, value in fields.each("location")]
    if draft.point is not None:
        places = [one for one in places if re.search(r"[^\W\d_]{2}", one)]
    draft.city = next(filter(None, (*cities, *places)), "")
    regions = [reference(value) for _, value in fields.each("region")]
    draft.region = next(filter(None, regions), "")
    draft.country = next(filter(None, (reference(v) for _, v in fields.each("country"))), "")
    said = {draft.city, draft.region, draft.country}
    for meaning in ("city", "region", "country"):
        for name, value in fields.each(meaning):
            if reference(value) not in said:
                fields.others.setdefault(name, value)


def _classify(draft: Draft, fields: Fields, hint: str) -> None:
    given = [
        one
        for meaning in ("category", "type")
        for _, value in fields.each(meaning)
        for one in items(value)
        if one.casefold() not in _NO_TYPES
    ]
    exact = [one for _, value in fields.each("type") for one in items(value)]
    kind = kind_among(
        [*given, *_id_words(draft)],
        hint=hint,
        has_city=bool(draft.city) or draft.within is not None,
        stayed_in="suggested_days" in fields or "region" in fields,
    )
    if not kind and _STAYED & {spelt(name) for name in fields.others}:
        kind = "stay"
    if not kind and ("hours" in fields or "visit_minutes" in fields or "suits" in fields):
        kind = "attraction" if draft.city or draft.within is not None else ""
    draft.kind = kind or "other"
    types = [one for one in (*exact, *given) if one.casefold() not in _NO_TYPES]
    types.sort(key=lambda one: one.casefold() in _GENERAL)
    own = short(next(iter(types), ""), 60).replace("_", " ").lower()
    english = type_in_english(own) if not vocabulary_kind(own) else ""
    draft.type = _singular(english or unaccented(own) if vocabulary_kind(own) else english or own)
    if english:
        fields.known.setdefault("suits", []).append(("type", own))
    if draft.kind == "country":
        draft.keys += tuple(filter(None, (draft.country,)))
        draft.country = ""


def _singular(words: str) -> str:
    """A type in the singular where that is known as one: `restaurants`."""
    shorter = (one for one in singular_or_plural(words) if len(one) < len(words))
    return next((one for one in shorter if kind_of(one)), words) if kind_of(words) else words


def _own_codes(draft: Draft, fields: Fields) -> None:
    """Codes of countries and stars of what is no hotel say something else than they seem to."""
    if draft.kind != "country":
        foreign = [one for one in fields.each("code") if spelt(one[0]) in _COUNTRY_CODES]
        said = {as_text(value) for _, value in foreign}
        draft.keys = tuple(one for one in draft.keys if one not in said)
        codes = draft.facts.pop("codes", ())
        kept = tuple(one for one in codes if one not in said) if isinstance(codes, tuple) else ()
        draft.facts |= {"codes": kept} if kept else {}
        draft.country = draft.country or next(iter(sorted(said, key=len)), "")
        fields.others |= dict(foreign)
    if draft.kind != "stay":
        stars = [one for one in fields.each("level") if "star" in spelt(one[0])]
        fields.others |= dict(stars)
        rest = [one for one in fields.each("level") if one not in stars]
        fields.known["level"] = rest


def _id_words(draft: Draft) -> list[str]:
    """What an id tells of the kind: `city_hanoi`, `hotel:12`."""
    match = _PREFIX.match(draft.id.replace("_", " ").replace("-", " "))
    return [match[0].strip(" :")] if match else []


def _describe(draft: Draft, fields: Fields) -> None:
    texts: list[str] = []
    for text in sorted(fields.texts("description"), key=len, reverse=True):
        if not any(one_line(text) in one_line(kept) for kept in texts):
            texts.append(text)
    order = fields.texts("description")
    if not texts:
        texts = order = prose_of(fields)
    draft.description = "\n".join(sorted(texts, key=order.index))
    draft.suits, draft.tags = suits_of([value for _, value in fields.each("suits")])
    if not draft.suits and draft.kind in WITHIN | {"city", "area"}:
        draft.suits = implied_suits(draft.type, f"{draft.name}. {draft.description}")


# --- facts --------------------------------------------------------------------------------


def _take(draft: Draft, fields: Fields, meaning: str, read: Callable[[Json, str], Value]) -> None:
    """Read a fact from the first field that tells it; what cannot be read stays as it is."""
    for name, value in fields.each(meaning):
        found = read(value, name)
        if found not in ((), "", None) and meaning not in draft.facts:
            draft.facts[meaning] = found
        elif not (meaning == "best_months" and isinstance(value, list)):
            fields.others.setdefault(name, value)


def _minutes(value: Json, name: str) -> Value:
    return minutes(value, name) or ()


def _listed(value: Json, _: str) -> Value:
    return tuple(dict.fromkeys(short(one, 120) for one in items(value)))


def _slots(value: Json, _: str) -> Value:
    return slots_of(" ".join(items(value)))


def _word(value: Json, _: str) -> Value:
    return short(as_text(value), 40).lower()


_READ: Mapping[str, Callable[[Json, str], Value]] = {
    "hours": lambda value, _: hours_of(value),
    "suggested_days": lambda value, _: days(value),
    "visit_minutes": _minutes,
    "best_months": lambda value, _: months(value),
    "slots": _slots,
    "effort": _word,
    "features": _listed,
    "level": level_of,
    "offers": _listed,
    "serves": _listed,
    "known_for": _listed,
    "invented": lambda value, _: truth(value) or (),
}


def _seasons(draft: Draft, fields: Fields) -> None:
    """Months from a season, where it is known on which half of the earth; a time of day."""
    for name, value in fields.each("best_months"):
        text = as_text(value)
        if "best_months" not in draft.facts and draft.point and abs(draft.point.lat) > _TROPIC:
            turned = 0 if draft.point.lat > 0 else 6
            found = sorted({(one + turned - 1) % 12 + 1 for one in months_in(text)})
            draft.facts |= {"best_months": tuple(found)} if 0 < len(found) < 12 else {}
        if "slots" not in draft.facts and (slots := _slots(value, name)):
            draft.facts["slots"] = slots


def _price(draft: Draft, fields: Fields) -> None:
    currencies = [_currency(value) for _, value in fields.each("currency")]
    draft.currency = next(filter(None, currencies), "")
    priced = [*fields.each("price"), *(one for one in fields.each("level") if _has_digits(one[1]))]
    for name, value in priced:
        found = price_of(value, name)
        if found is not None and draft.price is None:
            draft.price = found
            fields.others.pop(name, None)
        elif name not in fields.others:
            fields.others[name] = value
            if set(as_text(value)) <= set("$€£ ") and (level := level_of(value, name)):
                draft.facts.setdefault("level", level)
    for name, value in fields.each("currency"):
        if isinstance(value, dict):
            fields.others[name] = value


def _has_digits(value: Json) -> bool:
    return bool(re.search(r"\d{2}", as_text(value))) and number(value) is None


def _currency(value: Json) -> str:
    if isinstance(value, dict):
        return next((code for code in value if is_currency(code)), "")
    if isinstance(value, list):
        return next((code for one in value if (code := _currency(one))), "")
    text = as_text(value)
    return text.upper() if is_currency(text.upper()) else currency_in(text)


def _imply(draft: Draft, fields: Fields) -> None:
    """What follows from fields of yes and no, and from tags."""
    if draft.price is None and is_free(fields):
        draft.price = Price(amount=0)
    timed = {"slots", "hours"} & draft.facts.keys() or draft.kind in ("stay", "food")
    if not timed and (slots := slots_of(draft.name)):
        draft.facts["slots"] = slots
    if is_barred(fields):
        draft.facts.setdefault("effort", "not for wheelchairs")
    given = draft.facts.get("features", ())
    if (found := features_of(fields)) and isinstance(given, tuple):
        draft.facts["features"] = tuple(dict.fromkeys([*map(str, given), *found]))
    if draft.kind in ("stay", "food") and "level" not in draft.facts:
        level = level_tagged([*(one.theme for one in draft.suits), *draft.tags])
        draft.facts |= {"level": level} if level else {}


def _remark(draft: Draft, fields: Fields) -> None:
    for topic in _TOPICS:
        for name, value in fields.each(topic):
            text = tidy(str(value)) if isinstance(value, str) else ""
            if isinstance(value, list) and all(isinstance(one, str) for one in value):
                text = tidy("; ".join(map(str, value)))
            if text and topic not in draft.remarks:
                draft.remarks[topic] = text
            elif value not in (True, False):
                fields.others.setdefault(name, value)
