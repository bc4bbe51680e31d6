"""How are companies called? By their full names, without the legal form, and in short."""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.packs.finance.questions.spelling import forms_of

_LEGAL = re.compile(
    r"""(?ix)[\s,]+(?:&\s*)?(?:
    a\.?\s?g|s\.?\s?e|s\.?\s?a\.?(?:\s?s|\s?b)?|s\.?p\.?a|s\.?\s?l|n\.?\s?v|b\.?\s?v|a\.?\s?s|a\.?s\.?a|
    a\.?\s?b|o\.?y\.?j?|k\.?g\.?a\.?a|k\.?g|g\.?m\.?b\.?h|p\.?l\.?c|l\.?l\.?c|l\.?l\.?p|l\.?p|ltda?|limited|
    inc(?:orporated)?|corp(?:oration)?|co(?:mpany)?|companies|pty|pte|k\.?k|sgps|holdings?|group|groupe|
    gruppe|grupo|konzern|international|the
    )\.?$"""
)
_LEADING = re.compile(r"(?i)^(?:the|grupo|groupe|gruppo)\s+")
_STARTS = (
    "american british bank first general global international national new north south east west "
    "united royal standard state union central pacific atlantic european group grupo"
)
_COMMON_STARTS = frozenset(_STARTS.split())


def company_forms(name: str) -> Iterator[tuple[str, float]]:
    """The forms under which a company may be asked for, each with how near it is to its name."""
    for form, near in forms_of(name):
        yield form, near
        bare = form
        for bare in _without_legal_forms(form):
            yield bare, near * 0.99
        words = re.findall(r"[^\W_]+(?:[&'’.-][^\W_]+)*", bare)
        for most in range(len(words) - 1, 1, -1):
            yield " ".join(words[:most]), 0.95
        if len(words) > 1 and len(words[0]) >= 4 and words[0].casefold() not in _COMMON_STARTS:
            yield words[0], 0.85
        if len(words) > 2 and all(word[0].isupper() for word in words):
            yield "".join(word[0] for word in words), 0.85


def _without_legal_forms(name: str) -> Iterator[str]:
    """A name with fewer and fewer words of its legal form."""
    bare = _LEADING.sub("", name.strip())
    if bare != name:
        yield bare
    while (shorter := _LEGAL.sub("", bare)) != bare and re.search(r"\w{2}", shorter):
        yield shorter
        bare = shorter
