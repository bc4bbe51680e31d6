"""In which unit, and in how many of it, does a text say that numbers are?

A caption (`in € millions, except per share data`), a heading (`EUR '000`) or a label (`Volumes
(kt)`) says it; `narrowed` puts what a label says into what its caption says. A currency has its
ISO code. A quantity has one spelling and a scale: `kt` and `thousand tonnes` are both `t` in
thousands. Rates and shares (`%`, `EUR/t`, `USD/share`) are never in thousands: their scale is 1.
A scale of 0 means that nothing is said of it. The words stand in `words.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

LONGEST = 600
"""Letters of a text that are read: captions are shorter."""
PER_SHARE = "/share"
"""The unit of a value per share, where no currency is said."""
RATES = frozenset(("%", "pp", "bps", "x"))
"""Units that are never in thousands."""
_EXCEPT = re.compile(
    r"(?i)\b(?:except(?:ing)?(?:\s(?:for|where|as))?|excluding|other than|unless|außer|ausser|"
    r"sauf|excepto|exceto|salvo|eccetto)\b"
)
_EXEMPT = {
    PER_SHARE: r"per[\s-](?:\w+\s){0,2}(?:share|unit|ads)|\beps\b|je aktie|par action",
    "shares": r"(?<!per )(?<!per-)shares?\b(?! price)|aktien",
    "%": r"percent|%|prozent",
    "x": r"ratios?",
    "FTE": r"\bftes?\b|full[\s-]time[\s-]equivalent",
    "employees": r"employee|headcount|people|personnel",
    "t": r"tonn?e?s?\b|volumes?",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What a text says of numbers: their unit, their scale (0: nothing), and what is exempt.

    `exceptions` are units (`/share`, `shares`, `%`) that the scale does not hold for.
    """

    unit: str = ""
    scale: int = 0
    exceptions: tuple[str, ...] = ()


@cache
def words(table: str) -> Mapping[str, Any]:
    """A table of `words.toml`."""
    path = Path(__file__).with_name("words.toml")
    found: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))[table]
    return found


CURRENCIES = frozenset(words("plain")["codes"].split())
"""ISO codes that are known."""


def ways(names: Iterable[str], *, cased: int = 2) -> str:
    """Any of some ways to write a thing, the longest first; case counts in those of few letters."""
    ordered = sorted(names, key=len, reverse=True)
    each = [one if sum(map(str.isalpha, one)) <= cased else f"(?i:{one})" for one in ordered]
    return f"(?:{'|'.join(each)})"


def _named(table: Mapping[str, Any]) -> list[tuple[str, re.Pattern[str]]]:
    return [(name, re.compile(ways(found))) for name, found in table.items()]


def _every(table: Mapping[str, Any]) -> str:
    return ways(one for found in table.values() for one in found)


@cache
def _tables() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    names = ("signs", "currencies", "scales", "letters", "before", "rates", "quantities")
    return {name: _named(words(name)) for name in names}


def _called(text: str, *tables: str) -> str:
    """The name under which a table has a text; empty where none has."""
    for table in tables:
        for name, pattern in _tables()[table]:
            if pattern.fullmatch(text):
                return name
    return ""


_CODE = f"(?:{'|'.join(sorted(CURRENCIES))}|(?i:eur|usd|gbp|chf))"
_END = r"(?![^\W_])"
_NO_GAP = r"(?![a-z](?!\w)|\(\w+\)[a-z]|[}%])"  # `%s` and `%(name)s` are left open, not shares


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    sign, name = _every(words("signs")), _every(words("currencies"))
    money = rf"(?:(?<![^\W\d_]){sign}|(?<![^\W\d_]){_CODE}{_END}|(?<![^\W\d_]){name}{_END})"
    first = rf"(?:(?<![^\W\d_]){sign}|(?<![^\W\d_]){_CODE}(?=[a-zA-Z']{{1,3}}{_END}|(?![^\W_])))"
    scale = rf"(?<!\d)(?<!\d )(?<!\d[,.])(?:{_every(words('scales'))})"
    letter, rates = _every(words("letters")), words("rates")
    quantity = _every(words("quantities"))
    per = r"\s?(?:/|\b(?:per|pro|je|par|por|a)\b)\s?"
    points = ways((*rates["pp"], *rates["bps"]))
    texts = {
        "ratio": rf"(?P<money>{money})(?:\s?(?P<scale>{scale}|{letter}){_END})?{per}"
        rf"(?P<base>{quantity}){_END}",
        "per money": rf"{per}(?P<whole>(?:{money})\s?(?:{scale}|{letter}){_END})",
        "glued": rf"(?<!\w)(?P<scale>{_every(words('before'))})(?P<money>{sign}|{_CODE}){_END}",
        "money first": rf"(?P<money>{first}|{money})\s?[-,('’]?\s?(?:in\s)?"
        rf"(?P<scale>{scale}|{letter}){_END}",
        "scale first": rf"(?<!\w)(?P<scale>{scale}){_END}\s?[-,]?\s?"
        rf"(?:(?i:of|de|di|in)\s|d')?(?P<money>{money})",
        "volume": rf"(?<!\w)(?P<scale>{scale}){_END}\s?(?:of\s)?(?P<unit>{quantity}){_END}",
        "reversed": rf"(?<!\w)(?P<unit>{quantity}){_END}\s(?:in\s)(?P<scale>{scale}){_END}",
        "scale": rf"(?:\b(?i:in|en|em)\s|[(\[,:]\s?|^)(?P<scale>{scale}){_END}",
        "money": rf"(?P<money>(?<![^\W\d_]){sign}(?!\s?\d)|(?<!\w){_CODE}(?![^\W_]|\s?\d))",
        "name": rf"(?:\b(?i:in|of)\s|[(\[,]\s?|^)(?P<money>{name})(?=\s?(?:[)\],;]|$))",
        "quantity": rf"(?:\b(?i:in)\s|[(\[,:–-]\s?|^)(?P<unit>{quantity})(?=\s?(?:[)\],;]|$))",
        "last": r"\s(?P<unit>kt|Mt|MWh|GWh|TWh|kWh|m³|m²|FTEs?|VZÄ|MW|GW)$",
        "points": rf"(?<![\w.-])(?<!\d )(?i:(?<!one ))(?P<rate>{points}){_END}",
        "times": r"(?:\bin\s|[(\[]|^)(?:x|times)(?=\s?(?:[)\],;]|$))",
    }
    texts["percent"] = (
        rf"(?<!\d)(?<!\d )(?<![{{%])%{_NO_GAP}|(?:\b(?i:in|as)\s(?:a\s)?|[(\[,]\s?|^)"
        rf"{ways(rates['%'])}(?=\s?(?:[)\],;]|$|of\b|change|increase|decrease))"
    )
    return {one: re.compile(text) for one, text in texts.items()}


_SHARE = re.compile(
    r"(?i)(?<!\w)(?:per|pro|je|par|por)[\s-](?:\w+\s){0,2}(?:share|aktie|action|acción|ação|ads)"
    r"(?!\w)|/\s?share(?!\w)|(?<!\w)EPS(?!\w)"
)
_COUNT_OF_SHARES = re.compile(
    r"(?i)\b(?:number|weighted|average|diluted|basic|outstanding)\b.{0,40}\bshares\b|"
    r"\bshares\b.{0,20}\boutstanding\b|\bshares\s(?:\(|in\s)(?:in\s)?(?:thousand|million)|^shares$"
)


@lru_cache(maxsize=20_000)
def measure_of(text: str) -> Measure:
    """The unit and the scale that a caption, a heading or a label says numbers are in."""
    text = re.sub(r"\s+", " ", text[:LONGEST]).strip()
    said, *rest = _EXCEPT.split(text)
    found = next(_said(said), Measure())
    if not rest or found.unit in RATES:
        return found
    return replace(found, exceptions=_exempt(" ".join(rest)))


def _said(text: str) -> Iterator[Measure]:
    """What a text says, the surest first."""
    patterns = _patterns()
    share = bool(_SHARE.search(text))
    if match := patterns["per money"].search(text):
        before = patterns["quantity"].search(f"{text[: match.start()]})")
        base = _quantity(before["unit"]).unit if before else ""
        yield Measure(unit=f"{base}/{match['whole'].strip()}", scale=1)
    if match := patterns["ratio"].search(text):
        base = _quantity(match["base"]).unit
        scale = _scale(match["scale"] or "") or 1
        yield Measure(unit=f"{_money(match['money'])}/{base}", scale=scale)
    for name in ("glued", "money first", "scale first"):
        if match := patterns[name].search(text):
            table = "before" if name == "glued" else ""
            scale = _scale(match["scale"], table)
            yield _money_measure(_money(match["money"]), scale, share=share)
    if match := patterns["points"].search(text):
        yield Measure(unit=_called(match["rate"], "rates"), scale=1)
    if patterns["percent"].search(text):
        yield Measure(unit="%", scale=1)
    yield from _said_quietly(text, share=share)


def _said_quietly(text: str, *, share: bool) -> Iterator[Measure]:
    patterns = _patterns()
    for name in ("volume", "reversed"):
        if match := patterns[name].search(text):
            found = _quantity(match["unit"])
            yield replace(found, scale=(found.scale or 1) * _scale(match["scale"]))
    scaled = patterns["scale"].search(text)
    scale = _scale(scaled["scale"]) if scaled else 0
    for name in ("money", "name"):
        if match := patterns[name].search(text):
            yield _money_measure(_money(match["money"]), scale, share=share)
    if share:
        yield Measure(unit=PER_SHARE, scale=1)
    if patterns["times"].search(text):
        yield Measure(unit="x", scale=1)
    for name in ("quantity", "last"):
        if match := patterns[name].search(text):
            found = _quantity(match["unit"])
            yield replace(found, scale=found.scale * scale) if scale else found
    if scale:
        yield Measure(scale=scale)


def _money_measure(unit: str, scale: int, *, share: bool) -> Measure:
    return Measure(unit=f"{unit}{PER_SHARE}", scale=1) if share else Measure(unit=unit, scale=scale)


def _money(text: str) -> str:
    return text.upper() if text.upper() in CURRENCIES else _called(text, "signs", "currencies")


def _scale(text: str, table: str = "") -> int:
    nought = _called(text, *((table,) if table else ("scales", "letters"))) if text else ""
    return int(10 ** int(nought)) if nought else 0


def _quantity(text: str) -> Measure:
    unit, _, noughts = _called(text, "quantities").partition(" ")
    return Measure(unit=unit, scale=10 ** int(noughts or 0))


def unit_by_number(text: str) -> Measure | None:
    """The unit and scale that stand right by a number: `Mio. €`, `%`, `bps`; None for others."""
    text = text.strip()
    if not text:
        return Measure()
    if rate := _called(text, "rates") or (PER_SHARE if _SHARE.fullmatch(text) else ""):
        return Measure(unit=rate, scale=1)
    if scale := _scale(text):
        return Measure(scale=scale)
    if unit := _money(text):
        return Measure(unit=unit)
    if _called(text, "quantities"):
        return _quantity(text)
    several = ("ratio", "glued", "money first", "scale first", "volume")
    return measure_of(text) if any(_patterns()[one].fullmatch(text) for one in several) else None


def narrowed(outer: Measure, *texts: str) -> Measure:
    """What numbers are in, where these texts (the innermost last) say it more closely."""
    for text in texts:
        outer = _within(outer, measure_of(text), text)
    return outer


def _within(outer: Measure, inner: Measure, text: str) -> Measure:
    money = outer.unit if outer.unit in CURRENCIES else ""
    if inner.unit == PER_SHARE:
        return replace(outer, unit=f"{money}{PER_SHARE}", scale=1)
    if inner.unit in CURRENCIES:
        kept = outer.scale if money or not outer.unit else 0
        return replace(outer, unit=inner.unit, scale=inner.scale or kept)
    if inner.unit and inner.unit != "shares":
        return replace(outer, unit=inner.unit, scale=inner.scale or 1)
    if _COUNT_OF_SHARES.search(text):
        kept = 1 if "shares" in outer.exceptions else outer.scale
        return replace(outer, unit="shares", scale=inner.scale or kept)
    return replace(outer, scale=inner.scale) if inner.scale else _exempted(outer, text)


def _exempted(outer: Measure, text: str) -> Measure:
    """What a label is in that its caption exempts."""
    money = outer.unit if outer.unit in CURRENCIES else ""
    exempt = next((one for one in outer.exceptions if re.search(_EXEMPT[one], text, re.I)), "")
    if not exempt:
        return outer
    return replace(outer, unit=f"{money}{exempt}" if exempt == PER_SHARE else exempt, scale=1)


def _exempt(text: str) -> tuple[str, ...]:
    return tuple(unit for unit, way in _EXEMPT.items() if re.search(way, text, re.IGNORECASE))
