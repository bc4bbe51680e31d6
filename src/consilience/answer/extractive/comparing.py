"""Which two things does a question hold against each other? `A and B`, `A than B`, `A or B`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.answer.extractive.asking import terms

_ONE, _OTHER = r"(?P<one>.+?)", r"(?P<other>.+?)[?.!]*$"
_MORE = r"(?:\w+er|worse|(?:more|less|as)\s+\w+)"
_YES_NO = r"^(?:is|are|was|were|do|does|did|has|have)"
_BETWEEN = r"(?:differen\w+|relation\w*|distinction|similarit\w+|comparison|connection|choice)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\bcompar(?:e|ing)\s+{_ONE}\s+(?:and|with|to|against|versus|vs\.?)\s+{_OTHER}",
        rf"\b{_BETWEEN}\s+between\s+{_ONE}\s+and\s+{_OTHER}",
        rf"^{_ONE}\s+(?:versus|vs\.?)\s+{_OTHER}",
        rf"^how\s+\w+\s+{_ONE}\s+(?:differ|different|compare)\s+(?:from|to|with)\s+{_OTHER}",
        rf"{_YES_NO}\s+{_ONE}\s+{_MORE}(?:\s+\w+)?\s+(?:than|as)\s+{_OTHER}",
        rf"^is\s+it\s+{_MORE}\s+to\s+\w+\s+{_ONE}\s+or\s+{_OTHER}",
        rf"^(?:which|who|what)\b.*\b{_MORE}\s*[,:]\s*{_ONE}\s+or\s+{_OTHER}",
    )
)
_NAME = re.compile(r"\b[A-ZÀ-ÖØ-Þ][\w’'-]*(?:\s+[A-ZÀ-ÖØ-Þ][\w’'-]*)*")
_CALLED = re.compile(  # `the French defence`: the word is a part of what it is called
    rf"{_NAME.pattern}\s+(?P<what>[a-z]+)(?=\s*(?:[?.!]*$|(?:and|or|vs|versus|than|with|from)\b))"
)
_COMPARING = frozenset(
    terms("compare comparison differ difference different relation between versus vs than from how")
)
_CONTRAST = re.compile(
    r"\b(?:differ\w*|unlike|whereas|while|than|but|separat\w+|distinguish\w*|distinct\w*|compared?|"
    r"comparison|contrast\w*|reverse|opposite|instead of|rather than|similar\w*|alike|both)\b",
    re.IGNORECASE,
)
_TELLING = 4  # letters from which the first word of a name tells it apart


@dataclass(frozen=True, slots=True)
class Side:
    """One of two things that are compared: its words as they are compared."""

    terms: tuple[str, ...]
    named: bool

    def within(self, text: str) -> bool:
        """Whether a text speaks of it: by all its words, or by the first of its name."""
        held = set(terms(text))
        first = self.named and len(self.terms[0]) > _TELLING and self.terms[0] in held
        return first or held.issuperset(self.terms)


def sides(question: str) -> tuple[Side, Side] | None:
    """The two things that a question compares; None where it compares none."""
    for form in _FORMS:
        found = form.search(question.strip())
        if found is None:
            continue
        one, other = _side(found["one"]), _side(found["other"])
        shared = set(one.terms) & set(other.terms)
        pair = tuple(
            Side(tuple(term for term in side.terms if term not in shared), side.named)
            for side in (one, other)
        )
        if all(side.terms for side in pair):
            return pair[0], pair[1]
    return None


def side_of(levels: Sequence[str], pair: tuple[Side, Side]) -> Side | None:
    """Which of two things a text is about: by the nearest of its `levels`, the text itself first
    and then what stands above it, that speaks of one of them; None where that speaks of both, or
    stands under the other.
    """
    named = [[side for side in pair if side.within(text)] for text in levels]
    nearest = next((found for found in named if found), [])
    alone = [found[0] for found in named if len(found) == 1]
    return alone[0] if len(nearest) == 1 and alone[:2].count(alone[0]) == len(alone[:2]) else None


def contrasts(text: str) -> bool:
    """Whether a text sets one thing against another."""
    return _CONTRAST.search(text) is not None


def aspect(question: str, pair: tuple[Side, Side]) -> frozenset[str]:
    """The words of a question that say in what respect two things are compared."""
    own = {term for side in pair for term in side.terms}
    own |= {term for found in _CALLED.finditer(question) for term in terms(found["what"])}
    return frozenset(term for term in terms(question) if len(term) > 3) - own - _COMPARING


def _side(text: str) -> Side:
    """A side by its name, where it has one; `the economies of Japan` is Japan."""
    named = _NAME.findall(text)
    words = named[0] if named else text
    found = tuple(dict.fromkeys(term for term in terms(words) if len(term) > 1))
    return Side(found, bool(named))
