"""Which names does a place have that is called after two? `Hoan Kiem Lake and Ngoc Son Temple`.

A question names one of them. A part that only says of which kind something is (`and Night Market`)
is no name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from consilience.packs.travel.files.drafts import Draft
from consilience.packs.travel.files.implied import slots_of
from consilience.packs.travel.vocabulary import kinds_in, themes_in
from consilience.understand.names import surface

_AND = re.compile(r"\s+(?:and|&|et|und|y)\s+")
_NAMED = frozenset({"attraction", "area", "other"})
_LEAST = 3  # words of a name that neither comes first nor has an article


def named_by_parts(drafts: Sequence[Draft]) -> None:
    """Give places that are called after two things the names of each, where none else has it."""
    taken = {surface(one.name) for one in drafts}
    for draft in drafts:
        if draft.kind in _NAMED:
            parts = (one for one in _parts(draft.name) if surface(one) not in taken)
            draft.aliases = tuple(dict.fromkeys([*draft.aliases, *parts]))


def _parts(name: str) -> Iterator[str]:
    parts = _AND.split(name)
    for at, part in enumerate(parts if len(parts) > 1 else ()):
        bare = re.sub(r"^the\s+", "", part, flags=re.IGNORECASE)
        words = bare.split()
        least = 2 if at == 0 or bare != part else _LEAST
        if len(words) >= least and _is_proper(bare):
            yield bare


def _is_proper(part: str) -> bool:
    """Whether a part has a word with a capital that names no kind, theme or part of the day."""
    met = [one.word for one in kinds_in(part)] + [one.word for one in themes_in(part)]
    general = {word for one in met for word in surface(one).split()}
    return any(
        word[:1].isupper() and surface(word) not in general and not slots_of(word)
        for word in part.split()
    )
