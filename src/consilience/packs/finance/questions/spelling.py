"""When are two ways to write a name the same? When their telling words are.

Case, accents, hyphens, the plural, articles and the marks of footnotes say nothing, and neither
does a unit behind a name: "EBITDA margin (%)" is "EBITDA margin". Some names hold in several
forms: "Total revenue" may be asked for as "revenue", "Net income (loss)" as "net income".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from consilience.understand.amounts import is_unit

_SHORT = r"[^\W\d_]{1,3}"
_TOKEN = re.compile(rf"(?<!\w){_SHORT}(?:\s?&\s?{_SHORT})+(?!\w)|(?:[^\W\d_]\.){{2,}}|[^\W_]+")
_ARTICLES = "a an and as at de der des die das du el et for in la las le les los of on the und y"
_DROPPED = frozenset(_ARTICLES.split())
_LIGHT = frozenset(("by", "from", "per", "to", "total", "with"))
_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]")
_UNITS = re.compile(
    r"""in|of|and|million|mn|mio|mill|m|billion|bn|mrd|b|thousand|k|hundred|000|s|usd|us|eur|gbp|chf|
    jpy|sek|nok|dkk|pln|brl|cny|inr|cad|aud|dollar|euro|pound|cent|percent|per\ cent|pct|percentage|
    point|pp|bps|bp|basis|share|amount|except|data|unit|number|fte|ton|tonne|kt|mt|x|time|day|note|
    unaudited|audited|restated|reported|year|ended|loss|see|\d+|[a-z]|teur|meur|tsd|millionen|tausend
    """,
    re.VERBOSE,
)
_SCALES = "usd eur gbp chf jpy sek nok dkk million billion thousand mn bn mio teur meur percent bps"
_MONEY = frozenset(_SCALES.split())
_SHORT_NAME = re.compile(
    r"([A-Z][A-Z0-9&]{1,6}s?)|(?:the\s)?[\"“”'‘’](?:the\s)?([^\"“”'‘’]{3,30})[\"“”'‘’]"
)
_MARKS = re.compile(r"[*†‡§¹²³⁰⁴⁵⁶⁷⁸⁹]+")
_GLUED = re.compile(r"(?<=[^\W\d_]{4})\d{1,2}$")
_TAIL = re.compile(r"[\s,:–—-]+(?:in\s+)?(?P<unit>\S+(?:\s\S+)?)$")


@dataclass(frozen=True, slots=True)
class Word:
    """A word where it stands in a text, and `key`, what it is compared by.

    `capital` says how it is written: "" for small letters, "A" for the first, "AA" for all.
    """

    key: str
    start: int
    end: int
    capital: str = ""


def words_of(text: str) -> list[Word]:
    """The words of a text that tell something, in order."""
    found = []
    for match in _TOKEN.finditer(text):
        if text[match.end() : match.end() + 1] == "$":  # US$
            continue
        if _is_possessive(text, match) or not (key := key_of(match[0])):
            continue
        capital = "AA" if match[0].isupper() else "A" if match[0][0].isupper() else ""
        if key not in _DROPPED or (capital == "AA" and len(key) > 1 and not text.isupper()):
            found.append(Word(key, match.start(), match.end(), capital))
    return found


@lru_cache(maxsize=1 << 16)
def key_of(word: str) -> str:
    """What a word is compared by: small letters, no accents, one spelling, in the singular."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    bare = "".join(letter for letter in plain if letter.isalnum())
    return _one_spelling(_singular(bare))


def is_light(key: str) -> bool:
    """Whether a word tells little of a name: `total`, `by`."""
    return key in _LIGHT


def forms_of(name: str) -> Iterator[tuple[str, float]]:
    """The forms under which a name may be asked for, each with how near it is to the name."""
    bare = _MARKS.sub(" ", name)
    plain = _without_units(bare)
    yield plain, 1.0
    for other in (_BRACKETS.sub(" ", plain), _GLUED.sub("", plain.strip())):
        if other.strip() != plain.strip():
            yield other, 0.98
    for match in _BRACKETS.finditer(plain):
        if called := _SHORT_NAME.fullmatch(match[1].strip()):
            yield called[1] or called[2], 0.97
            yield (called[1] or called[2]) + plain[match.end() :], 0.97
    short = _without_total(_BRACKETS.sub(" ", plain))
    if short:
        yield short, 0.96


def joined(words: list[Word]) -> str:
    """The keys of words, as they are looked up."""
    return " ".join(word.key for word in words)


def _is_possessive(text: str, match: re.Match[str]) -> bool:
    """Whether a word is the `s` of "Portugal's" or the `d` of "d'affaires"."""
    before = text[match.start() - 1 : match.start()]
    after = text[match.end() : match.end() + 1]
    return len(match[0]) == 1 and (before in ("'", "’") or after in ("'", "’"))


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1]


def _one_spelling(word: str) -> str:
    """British endings as American ones: `amortisation`, `recognised`."""
    if len(word) > 6:
        word = re.sub(r"is(ation|ed|ing)$", r"iz\1", word)
        word = re.sub(r"(?<=[^l])l(ed|ing)$", r"ll\1", word) if word.startswith("cancel") else word
        return re.sub(r"(?<=[bv])our$", "or", word)
    return {"labour": "labor", "centre": "center"}.get(word, word)


def _without_units(name: str) -> str:
    """A name without brackets that hold only a unit or a mark, and without a unit behind it."""
    kept = _BRACKETS.sub(lambda match: " " if _is_aside(match[1]) else match[0], name)
    tail = _TAIL.search(kept.rstrip(" .:"))
    if tail and tail.start() and _is_measure(tail["unit"]):
        kept = kept[: tail.start()]
    return kept if words_of(kept) else name


def _is_aside(inside: str) -> bool:
    keys = [key_of(match[0]) for match in _TOKEN.finditer(inside)]
    return all(_UNITS.fullmatch(key) for key in keys if key) and "loss" not in keys


def _is_measure(text: str) -> bool:
    """Whether the end of a name is a unit: `%`, `€m`, `EUR million`; a lone letter is none."""
    keys = [key_of(match[0]) for match in _TOKEN.finditer(text)]
    if not all(_UNITS.fullmatch(key) for key in keys if key):
        return False
    return bool(re.search(r"[%€$£]", text) or _MONEY.intersection(keys)) or (
        len(text) > 2 and is_unit(text)
    )


def _without_total(name: str) -> str:
    """A name without `Total` before or behind it, if more is left."""
    short = re.sub(r"(?i)^\s*(?:sub-?)?total\s+(?:of\s+)?|[\s,–—-]+total\s*$", "", name)
    return short if short != name and words_of(short) else ""
