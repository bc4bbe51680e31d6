"""Who wrote it, and under which key do papers meet? A surname and a year.

Names are written in many ways ("Donald B. Rubin", "Rubin, D. B.", "Rubin DB"), and all of these
must give the surname Rubin: the key of a work is its first author's surname and its year.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.evidence.loaders.common import one_line
from consilience.understand.names import surface

_PARTICLES_NAMES = """
van von der den de del della di da do dos du la le el al ter ten st bin ibn zu zur
"""
_PARTICLES = frozenset(_PARTICLES_NAMES.split())
_BODIES = (
    r"\b(?:Team|Organi[sz]ation|Committee|Institutes?|Foundation|Departments?|Bureau|Association|"
    r"Council|Agency|Consortium|Collaboration|Group|Commission|Office|Ministry|Society|Center|"
    r"Centre|University|Bank|Nations|Network|Union|Initiative|Investigators|Contributors|"
    r"Developers|Administration|Academy|College|School|Laborator(?:y|ies)|Company|Inc|Ltd|Corp)\b"
)
_BODY = re.compile(_BODIES, re.IGNORECASE)
INITIALS = r"(?:[A-Z]\.[\s-]?|[A-Z]{1,3}(?![\w.])\s?){1,4}"
_ONLY_INITIALS = re.compile(rf"{INITIALS}(?:{'|'.join(sorted(_PARTICLES))}|\s)*")
_VANCOUVER = re.compile(r"(?P<name>[^\d,.]+?)\s+[A-Z]{1,3}")
_SUFFIX = re.compile(r",?\s+(?:Jr|Sr|II|III|IV|PhD|MD)\b\.?|\s*\((?:eds?|hrsg)\.?\)", re.IGNORECASE)
_ET_AL = re.compile(r",?\s*(?:\bet\s+al\b\.?|\band others\b|…|\.\.\.)\s*$", re.IGNORECASE)
_AND = re.compile(r",?\s+(?:and|und|et|y)\s+|\s*[&;]\s*", re.IGNORECASE)
_MARKS = re.compile(r"[*†‡§¶∗⋆#✉]+|(?<=[^\W\d])[\d,]*\d\b|[⁰¹²³⁴-⁹]+|\$\^.*?\$")
HONOURS = re.compile(r"^(?:(?:Prof(?:essor)?|Dr|Mr|Mrs|Ms)\b\.?\s+)+")
_LAST_INITIAL = re.compile(r"((?:[.,]\s*|\.-)[A-Z])$")
_WORD = re.compile(r"[^\W\d_][\w.'’`-]*")
_LONGEST = 60  # letters of one name


def key_of(authors: Sequence[str], year: int | None) -> str:
    """The key of a work: `rubin 1974`; empty where one of the two is not known."""
    name = surface(surname(authors[0])) if authors else ""
    return f"{name} {year}" if name and year else ""


def aliases_of(authors: Sequence[str], year: int | None) -> tuple[str, ...]:
    """How a text refers to a work: `Rubin (1974)`, and with several authors `Rubin et al.`."""
    if not authors or not year:
        return ()
    names = [surname(one) for one in authors]
    known = [f"{names[0]} ({year})"]
    if len(names) == 2:
        known.append(f"{names[0]} and {names[1]} ({year})")
    if len(names) > 1:
        known.append(f"{names[0]} et al. ({year})")
    return tuple(known)


def surname(name: str) -> str:
    """The surname in one name, whichever way round it is written."""
    name = _SUFFIX.sub("", one_line(name)).strip(" ,.")
    if "," in name:
        return name.split(",")[0].strip()
    if _BODY.search(name):
        return name
    if match := _VANCOUVER.fullmatch(name):
        return match["name"].strip()
    words = name.split()
    if not words:
        return ""
    start = len(words) - 1
    while start > 1 and words[start - 1].casefold() in _PARTICLES:
        start -= 1
    if start > 1 and words[start - 1] == words[start]:  # Tchetgen Tchetgen
        start -= 1
    return " ".join(words[start:])


def people(text: str) -> tuple[str, ...]:
    """The names in a list of authors, each as it is written there.

    Between names stand commas, semicolons and `and`; a comma also stands between a surname and
    its initials, and which it is follows from the first of them.
    """
    text = _ET_AL.sub("", _SUFFIX.sub("", one_line(text)).strip(" .,;:"))
    if not text:
        return ()
    if ";" in text:
        return _named(text.split(";"))
    parts = [part.strip() for part in _AND.sub(",", text).split(",") if part.strip()]
    if not parts:
        return ()
    return _named(_turned(parts) if _surname_first(parts) else parts)


def _surname_first(parts: Sequence[str]) -> bool:
    """Whether "Rubin, Donald" stands there rather than "Donald Rubin"."""
    if len(parts) < 2 or _BODY.search(parts[0]):
        return False
    if _ONLY_INITIALS.fullmatch(parts[1]):
        return True
    alone = [word for word in parts[0].split() if word.casefold() not in _PARTICLES]
    return len(alone) == 1 and not _VANCOUVER.fullmatch(parts[0])


def _turned(parts: Sequence[str]) -> list[str]:
    """Surnames with the initials or given names behind them; who is written the other way
    round, as later authors of a list may be, stays as he is.
    """
    found: list[str] = []
    at = 0
    while at < len(parts):
        rest = parts[at + 1] if at + 1 < len(parts) else ""
        if _ONLY_INITIALS.fullmatch(parts[at]) and found:  # a stray second group of initials
            found[-1] = f"{found[-1]} {parts[at]}"
            at += 1
        elif rest and (_ONLY_INITIALS.fullmatch(rest) or not _given_first(parts[at])):
            found.append(f"{parts[at]}, {rest}")
            at += 2
        else:
            found.append(parts[at])
            at += 1
    return found


def _given_first(part: str) -> bool:
    words = [word for word in part.split() if word.casefold() not in _PARTICLES]
    return len(words) > 1


def _named(parts: Sequence[str]) -> tuple[str, ...]:
    tidy = (HONOURS.sub("", one_line(_MARKS.sub(" ", part)).strip(" ,;:")) for part in parts)
    tidy = (_LAST_INITIAL.sub(r"\1.", one) for one in tidy)
    return tuple(dict.fromkeys(one for one in tidy if _is_name(one)))


def _is_name(text: str) -> bool:
    return 1 < len(text) <= _LONGEST and _WORD.search(text) is not None


def is_person(text: str) -> bool:
    """Whether a text reads as the name of one person: two to five capitalised words."""
    words = text.replace(",", " ").split()
    telling = [word for word in words if word.casefold() not in _PARTICLES]
    return (
        2 <= len(telling) <= 5
        and len(text) <= _LONGEST
        and all(word[0].isupper() and _WORD.fullmatch(word) for word in telling)
        and any(len(word.strip(".")) > 1 for word in telling)
        and not _BODY.search(text)
    )
