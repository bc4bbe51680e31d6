"""Which numbers of a time does a question mean: what was, what was planned, the year before?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from consilience.packs.finance.data_model import Basis
from consilience.packs.finance.questions.patterns import is_put, pattern

_NAMES: tuple[Basis, ...] = ("budget", "forecast", "last year", "actual")
_ARTICLES = r"(?:the |its |our |their |that of |those of |in |for |dem |den |der |des |das |im )*"


@cache
def _forms() -> tuple[tuple[Basis, re.Pattern[str]], ...]:
    """The words of each basis, with the word before them that sets something against it."""
    beside = rf"(?:(?P<other>{pattern('bases', 'beside').pattern})\s+{_ARTICLES})?"
    return tuple(
        (name, re.compile(f"{beside}(?:{pattern('bases', name).pattern})")) for name in _NAMES
    )


def is_basis(said: str) -> bool:
    """Whether words in small letters are the name of a basis, and of nothing else."""
    return said == "plan" or any(pattern("bases", name).fullmatch(said) for name in _NAMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bases:
    """The bases that a question names, what they are compared with, and the question without."""

    bases: tuple[Basis, ...]
    against: Basis | None
    told: str


def bases_in(told: str, spoken: Sequence[Basis] = ()) -> Bases:
    """The bases in a question with placeholders; `spoken` are those that its times say."""
    found = [
        (match.start(), basis, _is_beside(told, match))
        for basis, form in _forms()
        for match in form.finditer(told)
    ]
    for _, form in _forms():
        told = form.sub(lambda match: f"{match['other'] or ''} BASIS".strip(), told)
    named = [basis for _, basis, _ in sorted(found)]
    named += [basis for basis in spoken if basis not in ("actual", *named)]
    if not named:
        return Bases(bases=(), against=None, told=told)
    order = tuple(dict.fromkeys(named))
    others = [basis for _, basis, beside in sorted(found) if beside and basis != "actual"]
    if not others and not _is_varied(told, order):
        return Bases(bases=order, against=None, told=told)
    against = others[-1] if others else next(one for one in order if one != "actual")
    first = [one for one in order if one != against] or ["actual"]
    return Bases(bases=(*dict.fromkeys(first), against), against=against, told=told)


def _is_beside(told: str, match: re.Match[str]) -> bool:
    """Whether a basis is what something is compared with."""
    other, before = match["other"], told[: match.start()]
    if other in ("and", "or", "to"):
        return is_put(before, "bases", "between")
    if other in ("from", "on", "with"):
        return is_put(before, "bases", "changed")
    return other is not None or bool(re.match(r"y-?o-?y|y/y|year[- ]o", match[0]))


def _is_varied(told: str, order: Sequence[Basis]) -> bool:
    """Whether a question asks by how much a basis was missed."""
    planned = any(one in ("budget", "forecast") for one in order)
    return planned and is_put(told, "bases", "missed")
