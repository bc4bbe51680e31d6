"""Which reports does a question mean? Those of the company that it names, by any of its names.

A company is known by what its own reports say of it (the front matter, the title, the name of the
file), by short forms of that, and by a ticker made of its letters. A name that stands where a
company would, and is none of these, is unknown: no figure of another company answers then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from consilience.packs.finance.figures.vocabulary import (
    LIGHT,
    Token,
    frame,
    known_words,
    stem,
    stems_of,
)

_LEGAL = frozenset(
    [
        "inc",
        "incorporated",
        "corp",
        "corporation",
        "company",
        "co",
        "plc",
        "ltd",
        "limited",
        "llc",
        "lp",
        "ag",
        "se",
        "sa",
        "spa",
        "nv",
        "bv",
        "gmbh",
        "kgaa",
        "as",
        "asa",
        "ab",
        "oyj",
        "group",
        "holding",
        "wholesale",
        "international",
        "industry",
        "store",
        "the",
        "and",
        "of",
    ]
)
"""Words of names that many companies share."""
_GENERIC = frozenset(
    [
        "report",
        "annual",
        "monthly",
        "quarterly",
        "form",
        "10k",
        "10q",
        "k",
        "q",
        "file",
        "filing",
        "book",
    ]
)
_SHORT, _TICKER = 4, 5
_FAR = 6  # letters from which on a misspelt name may differ


@dataclass(frozen=True, slots=True)
class Named:
    """A company that a question names: tokens `start` to `end`."""

    company: str
    start: int
    end: int


class Companies:
    """The companies of a workspace, by what people call them.

    `same` says under which name a company counts whose reports spell it in several ways.
    """

    def __init__(
        self,
        names: Iterable[str],
        other: Iterable[tuple[str, str]] = (),
        tickers: Mapping[str, str] | None = None,
    ) -> None:
        """`other` are further names of a company, such as those of its files."""
        self._tickers = dict(tickers or {})
        self._by_stems: dict[tuple[str, ...], set[str]] = {}
        known = tuple(dict.fromkeys(one for one in names if one))
        first: dict[str, str] = {}
        self.same = {one: first.setdefault(_letters(one), one) for one in known}
        self.names = tuple(dict.fromkeys(self.same.values()))
        for company in known:
            for form in _forms(company):
                self._by_stems.setdefault(form, set()).add(self.same[company])
        for company, text in other:
            words = tuple(one for one in stems_of(text) if one not in _GENERIC)
            words = tuple(one for one in words if one.isalpha() and len(one) > 2)
            if words and words[0] in stems_of(company) and words[0] not in known_words():
                self._by_stems.setdefault(words[:1], set()).add(self.same.get(company, company))
        self._letters = {company: _letters(company) for company in self.names}
        self.words = frozenset(one for form in self._by_stems for one in form)

    def find(
        self, tokens: Sequence[Token], known: frozenset[str], acronyms: frozenset[str]
    ) -> list[Named]:
        """The companies that a question names; `known` are stems that mean something else, and
        `acronyms` short forms that do, also in capitals.
        """
        found: list[Named] = []
        if sum(one.text.isupper() for one in tokens) * 2 > len(tokens) > 3:
            acronyms |= known  # all in capitals
        at = 0
        while at < len(tokens):
            match = self._exact(tokens, at) or self._short(tokens[at], at, known, acronyms)
            if match:
                found.append(match)
            at = match.end if match else at + 1
        return found

    def _exact(self, tokens: Sequence[Token], at: int) -> Named | None:
        for length in range(min(6, len(tokens) - at), 0, -1):
            stems = tuple(one.stem for one in tokens[at : at + length])
            companies = self._by_stems.get(stems, set())
            if len(companies) == 1:
                company, end = next(iter(companies)), at + length
                own = {*stems_of(company)} & _LEGAL - {"the", "and", "of"}
                while end < len(tokens) and tokens[end].stem in own:
                    end += 1
                return Named(company, at, end)
        return None

    def _short(
        self, token: Token, at: int, known: frozenset[str], acronyms: frozenset[str]
    ) -> Named | None:
        """A ticker (`COST`) or a misspelt name (`walmrt`), where it can only be one company."""
        text = token.text
        if company := self._tickers.get(text):
            return Named(company, at, at + 1)
        if not text.isalpha():
            return None
        if text.isupper() and 3 <= len(text) <= _TICKER and token.stem not in acronyms:
            near = [name for name, letters in self._letters.items() if _is_ticker(text, letters)]
        elif len(text) >= _FAR - 1 and token.stem not in known and token.stem not in frame():
            far = 1 if len(text) < 2 * _SHORT else 2
            near = [
                name
                for name, letters in self._letters.items()
                if OSA.distance(token.stem, letters, score_cutoff=far) <= far
            ]
        else:
            near = []
        return Named(near[0], at, at + 1) if len(near) == 1 else None


def _forms(company: str) -> set[tuple[str, ...]]:
    """A name without its legal form, its first word, its initials."""
    whole = stems_of(company)
    bare = tuple(one for one in whole if one not in _LEGAL) or whole
    forms = {whole, bare, bare[:1]}
    words = [one for one in re.findall(r"\w+", company) if stem(one) not in LIGHT]
    if len(words) > 2:
        forms.add(("".join(one[0] for one in words).casefold(),))
    return {one for one in forms if len(one) > 1 or (one and one[0] not in known_words())}


def _letters(company: str) -> str:
    """The first word that tells a company from others."""
    words = [one for one in stems_of(company) if one not in _LEGAL]
    return (words or [*stems_of(company), ""])[0]


def _is_ticker(text: str, letters: str) -> bool:
    """Whether the letters of a ticker stand in a name in this order, from its first on."""
    wanted, rest = text.casefold(), iter(letters)
    return letters[:1] == wanted[:1] and all(one in rest for one in wanted)
