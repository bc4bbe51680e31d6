"""What does a part of a label speak of: something counted, or someone it is counted for?

Words of measures and names of places stand in `roles.toml`. What has neither is open: the table
it stands in decides.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Literal

from consilience.packs.finance.notation.values import without_marks
from consilience.packs.finance.tables.lattice import is_unit, tidy, without_periods
from consilience.packs.finance.tables.lists import listed, table

Evidence = Literal["metric", "name", "open", "formal", ""]

_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]")
_BEHIND = re.compile(r",?\s+(in\s+[^,;]{1,30})$|[,;/]\s*([^,;]{1,20})$", re.IGNORECASE)
_PERCENT = re.compile(r"\s+(?:in\s+)?%$")
_BY = re.compile(r"(?i)(?:by|nach|par|por|of which|thereof|davon|dont|de los cuales)\b.*")
_LESS = re.compile(
    r"(?i)^(?:less|plus|add|deduct|thereof|of which|davon)\s*[:,]?\s+(?!than\b)(?=\w)"
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_AROUND = frozenset(
    {"other", "rest", "of", "the", "and", "excluding", "including", "total", "without"}
)
_BETWEEN = re.compile(r"\s+[–—-]\s+|:\s+|\s*[›>/|]\s+|,\s+")
_LINK = r"(?:in|of|for|from|at|für|von|en|de|em|do|da|di)"


@cache
def _places() -> re.Pattern[str]:
    names = sorted(table()["places"], key=len, reverse=True)
    short = "|".join(re.escape(one) for one in names if one.isupper() or "." in one)
    long = "|".join(re.escape(one) for one in names if not (one.isupper() or "." in one))
    return re.compile(rf"(?<![\w-])(?:{short}|(?i:{long}))(?![\w-])")


def words_of(text: str) -> list[str]:
    """The words of a text without case; hyphens hold words together."""
    return _WORD.findall(text.casefold())


def unmarked(text: str) -> str:
    """A label without the marks of its footnotes; `(Scope 1)` is no mark."""
    whole = tidy(text)
    bare, _ = without_marks(whole)
    return bare if bare.count("(") == bare.count(")") else whole


@lru_cache(maxsize=20_000)
def cleaned(text: str, *, heading: bool = False) -> str:
    """A label without note marks, units and periods: `Volumes (kt) ¹` is `Volumes`.

    A heading loses its basis too: `Revenue budget` is `Revenue`.
    """
    if is_only_unit(text):
        return ""
    text = _PERCENT.sub("", text)
    bare = _LESS.sub("", unmarked(text))
    bare = _BRACKETS.sub(lambda found: "" if _aside(found[1]) else found[0], bare)
    behind = _BEHIND.search(bare)
    if behind and is_unit(behind[1] or behind[2]):
        bare = bare[: behind.start()]
    timeless = without_periods(bare.strip(" :;,"), bases=heading).strip(" :;,")
    bare = timeless if timeless.count("(") == timeless.count(")") else bare
    return "" if is_only_unit(bare) else bare


def is_only_unit(text: str) -> bool:
    """Whether a text is a unit and does not say what is counted, as `Headcount` does."""
    return is_unit(text) and not has_measure(text)


def _aside(text: str) -> bool:
    return is_unit(text) or not without_periods(text)


@lru_cache(maxsize=20_000)
def evidence(text: str) -> Evidence:
    """What a cleaned part speaks of: `open` where its words do not tell, empty without words."""
    words = words_of(text)
    if not words:
        return ""
    if _is_formal(words) or _BY.fullmatch(text):
        return "formal"
    if is_generic(text):
        return "open"
    if has_measure(text):
        return "metric"
    return "name" if _is_place(text) or words[-1] in listed("bodies") else "open"


def _is_place(text: str) -> bool:
    """Whether a text names a place, with hardly anything else: `Spain`, `Portugal Cement`."""
    rest = _places().sub(" ", text)
    return rest != text and len([one for one in words_of(rest) if one not in _AROUND]) <= 1


def has_measure(text: str) -> bool:
    """Whether a text has a word that names something counted."""
    outside = _places().sub(" ", text)
    words = {part for word in words_of(outside) for part in (word, *word.split("-"))}
    if words & listed("measures"):
        return True
    return any(len(word) > 8 and word.endswith(tuple(listed("endings"))) for word in words)


def _is_formal(words: list[str]) -> bool:
    """Whether words name a kind of table, such as a balance sheet."""
    kinds = {"statement", "statements", "sheet", "sheets", "bilanz", "overview", "highlights"}
    if kinds & set(words) or words[-1] in listed("closing"):
        return True
    return set(words) <= listed("formal")


def is_generic(text: str) -> bool:
    """Whether a part says too little alone: `Other`, `Basic`, `Total`."""
    words = set(words_of(text))
    return bool(words) and words <= listed("generic")


def is_plain(text: str) -> bool:
    """Whether a section only sorts what stands in it: `Current assets`, `Operating expenses`."""
    words = {part for word in words_of(text) for part in word.split("-")}
    return words <= listed("classes")


def is_amount(text: str) -> bool:
    """Whether a heading says no more than that numbers stand there: `Amount`, `Value`."""
    words = set(words_of(text))
    return bool(words) and words <= listed("amounts")


@lru_cache(maxsize=20_000)
def parted(text: str) -> tuple[str, ...]:
    """A part that says both what is counted and where, as two: `Revenue – Spain`."""
    places = _places()
    if not (places.search(text) and has_measure(text)):
        return (text,)
    pieces = [piece for piece in _BETWEEN.split(text) if piece]
    if len(pieces) > 1 and {"metric", "name"} == {evidence(piece) for piece in pieces}:
        return tuple(pieces)
    for found in places.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        rest = re.sub(rf"\s+{_LINK}\s*(?:the\s+)?$", "", before.strip(" (")) if before else after
        at_end = bool(before.strip()) and not after.strip(" )")
        at_start = not before.strip() and not _is_short(found[0])
        if (at_end or at_start) and evidence(rest.strip()) == "metric":
            return (found[0], rest.strip())
    return (text,)


def _is_short(place: str) -> bool:
    """Whether a name is an abbreviation, which says what kind of thing follows: `U.S. bonds`."""
    return place.isupper() or "." in place


def place_in(text: str) -> str:
    """The place that a caption names, with what belongs to it: `Portugal – Cement` whole."""
    bare = cleaned(text)
    found = _places().search(bare)
    if found is None or found[0][0].islower() or (_is_short(found[0]) and found.start() > 0):
        return ""
    pieces = [piece for piece in _BETWEEN.split(bare) if piece]
    kept = [piece for piece in pieces if found[0] in piece or _is_name(piece)]
    whole = all(_is_name(piece) for piece in kept) and len(kept) <= 3
    return " › ".join(kept) if whole else found[0]


def _is_name(piece: str) -> bool:
    """Whether a piece of a caption may be a name: a few words in capitals, none of a measure."""
    words = piece.split()
    proper = all(word[:1].isupper() for word in words if len(word) > 3) and words[0][:1].isupper()
    return len(words) <= 3 and proper and evidence(piece) in ("name", "open")
