"""How is a question put, apart from what it names? Its text with a placeholder for each name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from consilience.packs.finance.notation.periods import Spoken
from consilience.packs.finance.questions.mentions import Mentions
from consilience.packs.finance.questions.operations import Bound
from consilience.packs.finance.questions.vocabulary import Match

_SURE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A question in small letters with `METRIC`, `ENTITY`, `COMPANY`, `PERIOD` and `BOUND` in it.

    `places` pairs letters of it with letters of the question, in order.
    """

    text: str
    places: tuple[tuple[int, int], ...]

    def place(self, at: int) -> int:
        """Where in the question a letter of the template stands."""
        here = max((one for one in self.places if one[0] <= at), default=(0, 0))
        return here[1] + at - here[0]


def template_of(
    text: str, mentions: Mentions, spoken: Sequence[Spoken], bound: Bound | None
) -> Template:
    """A question with placeholders for what it names."""
    spans = [
        *_sure("METRIC", mentions.metrics),
        *_sure("ENTITY", mentions.entities),
        *_sure("COMPANY", mentions.companies),
        *((one.start, one.end, "PERIOD") for one in spoken if one.period),
        *([(bound.start, bound.end, "BOUND")] if bound else []),
    ]
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    done = length = 0
    for start, end, name in sorted(spans, key=lambda one: (one[0], -one[1])):
        if start < done:
            continue
        for piece, at in ((_small(text[done:start]), done), (name, start)):
            places.append((length, at))
            parts.append(piece)
            length += len(piece)
        done = end
    places.append((length, done))
    parts.append(_small(text[done:]))
    return Template(text="".join(parts), places=tuple(places))


def _sure(name: str, found: Iterable[Match]) -> list[tuple[int, int, str]]:
    """Names that are surely meant; part of a longer one leaves its words as they are."""
    return [
        (one.start, one.end, name) for one in found if one.how != "partial" or one.score >= _SURE
    ]


def _small(text: str) -> str:
    """Small letters, as many as before."""
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
