"""What is known of a place, from where, and in which words? What nobody says is unknown: no fact.

An attribute (`wheelchair`, `vegetarian`, `stairs` …) is known from a field or tag of the place,
from what it is, from another attribute that excludes it, or from a sentence of its own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

from consilience.packs.travel.terms import Lexicon, attributes, is_absent, read_table, tokens
from consilience.types import Value

if TYPE_CHECKING:
    from consilience.packs.travel.atlas import Place

Origin = Literal["field", "type", "implied", "text"]
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_LISTED = ("Suits ", "Offers: ", "Known for: ", "Tags: ", "Features: ", "Codes: ", "Price: ")
_SIGHTS = frozenset({"attraction", "activity", "area"})
_YES = frozenset({"yes", "true", "1", "only", "designated", "official", "y"})
_NO = frozenset({"no", "false", "0", "none", "n"})
_PARTLY = frozenset({"limited", "partial", "partly", "some"})
_VALUES = ("price", "hours", "level", "effort", "minutes", "months", "slots", "themes")


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a place, where it comes from, and the words that say so.

    `passage` is the passage that can be cited for it.
    """

    value: bool | str | int | Decimal | tuple[str, ...] | tuple[int, ...]
    source: Origin
    quote: str
    passage: str = ""


def read_fact(place: Place, name: str) -> Fact | None:
    """What is known of a place under a name; None where nobody says anything about it.

    `name` is an attribute of `words/attributes.yaml`, or `price`, `hours`, `level`, `effort`,
    `minutes`, `months`, `slots` or `themes`.
    """
    if name in _VALUES:
        return _read_value(place, name)
    name = attribute_of(name) or name
    return _from_field(place, name) or _from_type(place, name) or _from_text(place, name)


def attribute_of(tag: str) -> str:
    """The attribute that a tag or field of other people's data means; empty for none."""
    key = " ".join(token.stem for token in tokens(tag.replace("_", " ").replace(":", " ")))
    return _spellings().get(key, "")


def truth_of(value: Value) -> bool | None:
    """Yes or no as data spells it; None for anything else, such as `limited`."""
    word = str(value).strip().casefold()
    return True if word in _YES else False if word in _NO else None


def _read_value(place: Place, name: str) -> Fact | None:
    value = getattr(place, name)
    if value is None or (not value and name != "price"):
        return None
    if name == "price" and place.price is not None:
        quote = place.price_text or f"{place.price.normalize():f} {place.currency}".strip()
        return Fact(place.price, "field", quote, place.passage)
    value = tuple(value) if isinstance(value, Mapping) else value
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return Fact(value, "field", shown, place.passage)


def _from_field(place: Place, name: str) -> Fact | None:
    if name in place.features:
        return Fact(value=True, source="field", quote=name, passage=place.passage)
    if name in place.lacks:
        return Fact(value=False, source="field", quote=f"no {name}", passage=place.passage)
    for tag, value in place.fields.items():
        if attribute_of(tag) != name:
            continue
        known = truth_of(value)
        if known is not None:
            return Fact(known, "field", f"{tag}: {value}", place.passage)
        if str(value).strip().casefold() in _PARTLY:
            return None
    for other in _excluding().get(name, ()):
        if other in place.features:
            return Fact(value=False, source="implied", quote=other, passage=place.passage)
    return None


def _from_type(place: Place, name: str) -> Fact | None:
    """A vegetarian restaurant is vegetarian, and what is called a museum is one."""
    called = (place.name,) if place.kind in _SIGHTS else ()
    for words in (place.type, *place.tags, *called):
        if any(name in names for names, _, _ in _lexicon().find(words)):
            return Fact(value=True, source="type", quote=words, passage=place.passage)
    return None


def _from_text(place: Place, name: str) -> Fact | None:
    """What the sentences about a place agree on; nothing where they contradict each other."""
    if read_table("attributes").get(name, {}).get("from_text", True) is False:
        return None
    found = _text_facts(place.texts).get(name, ())
    return found[0] if len({fact.value for fact in found}) == 1 else None


@lru_cache(8192)
def _text_facts(texts: tuple[tuple[str, str], ...]) -> Mapping[str, tuple[Fact, ...]]:
    """What the sentences of some texts say, by attribute."""
    found: dict[str, list[Fact]] = {}
    for text, passage in texts:
        for sentence in _sentences(text):
            for names, start, end in _lexicon().find(sentence):
                absent = is_absent(sentence, start, end)
                for name in names:
                    value = name.startswith("-") == absent
                    fact = Fact(value, "text", sentence, passage)
                    found.setdefault(name.lstrip("-"), []).append(fact)
                    for other in _excludes().get(name, ()) if value else ():
                        denied = Fact(value=False, source="text", quote=sentence, passage=passage)
                        found.setdefault(other, []).append(denied)
    return {name: tuple(facts) for name, facts in found.items()}


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a place's text that are prose, without lists of what else is known."""
    for line in text.split("\n"):
        if not line.startswith(_LISTED):
            yield from _SENTENCE.split(line)


@cache
def _lexicon() -> Lexicon:
    table = read_table("attributes")
    present = {name: entry["words"] for name, entry in table.items()}
    absent = {f"-{name}": entry.get("absent", ()) for name, entry in table.items()}
    return Lexicon({**present, **absent})


@cache
def _spellings() -> Mapping[str, str]:
    found = {}
    for name in attributes():
        for spelling in (name, *read_table("attributes")[name].get("spelt", ())):
            found[" ".join(token.stem for token in tokens(spelling))] = name
    return found


@cache
def _excludes() -> Mapping[str, tuple[str, ...]]:
    table = read_table("attributes")
    return {name: tuple(entry.get("excludes", ())) for name, entry in table.items()}


@cache
def _excluding() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, others in _excludes().items():
        for other in others:
            found[other] = (*found.get(other, ()), name)
    return found
