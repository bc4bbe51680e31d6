"""Which words of a text say what a number tells: what was, was planned, or by how much it changed?

Some words say so anywhere (`budget`, `prior year`); others only in a heading, where nothing else
is said (`Plan`, `Act.`), or behind a comparison (`vs. plan`): a pension plan is no budget. Two of
them, or a comparison with one, are a change against it: `Δ Bud.`, `Act. vs. LY`, `YoY`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from consilience.packs.finance.notation.measures import ways, words
from consilience.packs.finance.shapes import Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A phrase that names a basis; `short` ones count only where little else is said."""

    start: int
    end: int
    basis: Basis
    against: Basis | None = None
    short: bool = False


_VERSUS = (
    r"(?i:vs\.?|v\.|versus|against|compared?\s(?:to|with)|comparison\s(?:to|with)|relative\sto|"
    r"ggü\.?|gegenüber|gegen|zum|above|below|under|behind|ahead\sof|exceed(?:ed)?|miss(?:ed)?|gg\.|contre|contra|than|over|from|to)"
)
_THE = r"(?:(?i:the|that|those|of|in|its|our|dem|der|den|le|la|el)\s){0,3}"
_YEARLY = re.compile(
    r"(?<!\w)(?i:yoy|y-o-y|y/y|(?:year|yr\.?)[\s-](?:over|on|to)[\s-](?:year|yr)|im\sVorjahresvergleich)(?!\w)"
    r"(?:\s(?i:change|growth|variance|%))?"
)
_OTHERLY = re.compile(
    r"(?<!\w)(?i:qoq|q-o-q|q/q|mom|m/m|(?:quarter|month)[\s-](?:over|on)[\s-](?:quarter|month))(?!\w)"
)


@cache
def _short() -> Mapping[str, Any]:
    found: Mapping[str, Any] = words("bases")["short"]
    return found


@cache
def _long() -> Mapping[str, Any]:
    return {name: found for name, found in words("bases").items() if name != "short"}


def _word(table: Mapping[str, Any], group: str, *, but: str = "") -> str:
    found = [
        f"(?P<{group}_{name.replace(' ', '_')}>{ways(names, cased=3)})"
        for name, names in table.items()
        if name != but
    ]
    return rf"(?:{'|'.join(found)})\.?"


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    both = {name: [*_long()[name], *_short()[name]] for name in _long()}
    change = ways(both["change"], cased=3)
    one, other = _word(both, "one", but="change"), _word(both, "other", but="change")
    begin, end = r"(?<![\w&])", r"(?![\w&])"
    texts = [
        ("short pair", rf"{begin}{one}\s?(?:%\s?)?(?:{_VERSUS}\s|/)\s?{_THE}{other}{end}"),
        (
            "short change",
            rf"(?:{begin}|(?=[Δ∆±+])){change}\.?[\s%().,:-]{{0,4}}(?:{_VERSUS}\s)?{_THE}{other}{end}",
        ),
        ("short change", rf"{begin}{other}[\s%().,:-]{{1,4}}{change}(?!\w)"),
        ("change", rf"{begin}{_VERSUS}\s?{_THE}{other}{end}"),
        ("long", rf"(?:{begin}|(?=[Δ∆±+])){_word(_long(), 'other')}(?!\w)"),
        ("short", rf"{begin}{_word(_short(), 'other')}{end}"),
    ]
    return [(name, re.compile(text)) for name, text in texts]


def _named(match: re.Match[str], group: str) -> Basis | None:
    for name, found in match.groupdict().items():
        if found is not None and name.startswith(f"{group}_"):
            return cast("Basis", name.removeprefix(f"{group}_").replace("_", " "))
    return None


def told_in(text: str) -> Iterator[Told]:
    """Every phrase that names a basis, overlapping ones included."""
    for match in _YEARLY.finditer(text):
        yield Told(start=match.start(), end=match.end(), basis="change", against="last year")
    for match in _OTHERLY.finditer(text):
        yield Told(start=match.start(), end=match.end(), basis="change")
    for name, pattern in _patterns():
        for match in pattern.finditer(text):
            yield from _told(name, match)


def _told(name: str, match: re.Match[str]) -> Iterator[Told]:
    basis = _named(match, "other")
    if basis is None:
        return
    changed = name in {"short pair", "short change", "change"}
    yield Told(
        start=match.start(),
        end=match.end(),
        basis="change" if changed else basis,
        against=basis if changed else None,
        short=name.startswith("short"),
    )
