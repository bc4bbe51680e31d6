"""Which ways of travelling does a text rule out? By families: a speedboat is a boat."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from consilience.packs.travel.trips.reading.sentence import Sentence, either

_FAMILIES = {
    "flight": r"flights?|fly|flying|planes?|aeroplanes?|airplanes?|aircrafts?|air travel|by air"
    r"|air",
    "bus": r"bus(?:es)?|coach(?:es)?|minibus(?:es)?|sleeper bus(?:es)?|busses",
    "train": r"trains?|rail|railways?|sleeper trains?",
    "boat": r"boats?|ferr(?:y|ies)|ships?|speedboats?|cruises?|hydrofoils?|catamarans?|sailing"
    r"|by sea|sea crossings?",
    "motorbike": r"motorbikes?|motorcycles?|scooters?|mopeds?|motos?",
    "car": r"cars?|driving|drives?|taxis?|road trips?|hire cars?|rental cars?",
    "van": r"vans?|limousine vans?|shuttles?|minivans?",
    "bicycle": r"bicycles?|bikes?|cycling",
}
_ANY = "|".join(_FAMILIES.values())
_NOT = either(r"""
no|not|n't|without|avoid|avoiding|hate|hates|dislikes?|never
(?:scared|afraid|frightened|terrified|fear|phobia) of|can't stand|cannot stand|won't|refuses? to
rather than|instead of|sick (?:on|in|of)|skip|nor|not a fan of|nothing by|nervous about|rule out
except(?: for)?|excluding|don't like|do not like|rather not|ill on
""")  # fmt: skip
_FILLER = either("""
any|long|longer|short|domestic|internal|overnight|night|sleeper|local|public|more|to|take|taking
travel|travelling|traveling|go|going|by|on|in|the|a|want|like|ride|rides|riding|use|using|be
endless|big|small|too many|many|please|fancy|all|getting
""")  # fmt: skip
_RIDE = r"(?:\s+(?:rides?|trips?|journeys?|travel|transfers?|hours))?"
_MORE = r"(?:(?:any|long|domestic|night|overnight|no)\s+)*"
_RULED = re.compile(
    rf"(?:\b|(?<=\w)(?=n't)){_NOT}(?:\s+{_FILLER}){{0,5}}\s+(?P<modes>(?:{_ANY})\b{_RIDE}"
    rf"(?:(?:\s*,\s*{_MORE}(?:{_ANY})\b{_RIDE})*\s*,?\s*(?:or|and|nor|&"
    rf"|/)\s*{_MORE}(?:{_ANY})\b)?)",
    re.IGNORECASE,
)
_SICK = re.compile(r"\b(?:sea[- ]?sick\w*|sick (?:at sea|on boats?))\b", re.IGNORECASE)
_FEAR = re.compile(
    r"\b(?:aerophobi\w*|fear of flying|overland(?: only)?|by land only|flight-free)\b", re.I
)
_ONLY = re.compile(
    rf"\b(?:only (?:by|use|take|want|(?:travel|go|move)(?:l?ing)? by) (?P<first>{_ANY})"
    rf"|(?P<last>{_ANY})s? only|by (?P<by>{_ANY}) only)\b",
    re.I,
)
OVERNIGHT = "overnight"
"""Before a mode: only those of it that take a night."""
_NIGHTLY = re.compile(r"\b(?:overnight|night|sleeper)\b", re.IGNORECASE)
_LONG = re.compile(r"\b(?:long|overnight|night|sleeper)\b", re.IGNORECASE)
_HOURS = re.compile(
    r"\b(?:max(?:imum)?|at most|no more than|not more than|under|less than"
    r"|up to)\s+\w+\s+hours?\s+(?:of\s+)?"
    r"(?:travel\w*|driv\w+|transfers?|on the road|in the (?:car|bus)|a day)\b[^,.;]{0,12}",
    re.IGNORECASE,
)
_OFFERED = re.compile(
    r"^\s*(?:crowds|licen[cs]e|parks?|tours?|sickness|museum|spotting|dealers?)", re.IGNORECASE
)


def family_of(mode: str) -> str:
    """The family that a way of travelling belongs to; itself where none is known."""
    for family, words in _FAMILIES.items():
        if re.search(rf"\b(?:{words})\b", mode, re.IGNORECASE):
            return family
    return mode


def read_modes(sentence: Sentence, known: Iterable[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The modes that are ruled out, as the atlas calls them and by family; and in which words."""
    modes = sorted(set(known))
    _unbounded(sentence)
    families: dict[str, str] = {}
    for family, said in _ruled(sentence):
        families.setdefault(family, said)
    kept = _only(sentence)
    if kept:
        said = f"all but {kept}"
        families |= {family_of(one): said for one in modes if family_of(one) != kept}
    found = {one for one in modes if family_of(one) in families} | set(families)
    found |= {f"{OVERNIGHT} {one}" for one in modes if f"{OVERNIGHT} {family_of(one)}" in families}
    return frozenset(found), tuple(dict.fromkeys(families.values()))


def _unbounded(sentence: Sentence) -> None:
    """Bounds on the hours of a day's travel, which no plan keeps: told as not understood."""
    sentence.unclear += [match[0].strip() for match in sentence.find(_HOURS)]


def _ruled(sentence: Sentence) -> Iterator[tuple[str, str]]:
    for match in list(sentence.find(_RULED)):
        if _OFFERED.match(sentence.rest[match.end() :]) or _is_kept(sentence.rest, match.start()):
            continue
        said = match[0].strip()
        nightly = _NIGHTLY.search(said)
        for word in re.finditer(rf"\b(?:{_ANY})\b", match["modes"], re.IGNORECASE):
            night = f"{OVERNIGHT} " if nightly else ""
            yield night + family_of(word[0]), night + word[0]
        if _LONG.search(said) and not nightly:
            sentence.assumed.append(f"'{said}' is taken as none of them at all")
    for form, family in ((_SICK, "boat"), (_FEAR, "flight")):
        if sentence.has(form):
            yield family, f"{family}s"


def _is_kept(text: str, start: int) -> bool:
    """Whether the word before turns it round: "don't mind flights", "why not"."""
    return (
        re.match(r"(?:n't|not) (?:mind|only|just|include|including)", text[start:], re.I)
        is not None
    )


def _only(sentence: Sentence) -> str:
    for match in sentence.find(_ONLY):
        return family_of(match["first"] or match["last"] or match["by"])
    return ""
