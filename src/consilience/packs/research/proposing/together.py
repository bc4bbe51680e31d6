"""Which concepts stand together more often than chance would have it?

That says that they have to do with each other, and not how: such a pair is proposed without a
type, and a person is asked for it. Measured by Dunning's log-likelihood ratio over passages.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations

from consilience.packs.research.proposing.values import Evidence, Relation, Text
from consilience.packs.research.proposing.vocabulary import Vocabulary
from consilience.understand.names import surface

THRESHOLD = 10.83
"""The ratio that chance reaches once in a thousand times."""
FEWEST = 3
LEAST, SUREST = 0.15, 0.35
MOST_NAMES = 12
"""A passage that names more concepts than this is a list."""


def propose_pairs(
    texts: Sequence[Text], vocabulary: Vocabulary, *, apart: Collection[frozenset[str]]
) -> list[Relation]:
    """Pairs of concepts that share passages, and at least one sentence; the closest first.

    `apart` are pairs of which more is known already.
    """
    alone: Counter[str] = Counter()
    shared: Counter[tuple[str, str]] = Counter()
    quotes: dict[tuple[str, str], Evidence] = {}
    for text in texts:
        named: dict[str, None] = {}
        for sentence in text.sentences:
            here = sorted({one.name for one in vocabulary.mentions(sentence)})
            named.update(dict.fromkeys(here))
            for pair in combinations(here, 2) if len(here) <= MOST_NAMES else ():
                quotes.setdefault(pair, text.evidence(sentence))
        alone.update(named.keys())
        if len(named) <= MOST_NAMES:
            shared.update(combinations(sorted(named), 2))
    found = []
    for pair, together in shared.items():
        ratio = likelihood_ratio(together, alone[pair[0]], alone[pair[1]], len(texts))
        if together < FEWEST or ratio < THRESHOLD or frozenset(pair) in apart:
            continue
        if pair in quotes and not _nested(*pair):
            found.append(_pair(pair, together, ratio, quotes[pair]))
    return sorted(found, key=lambda one: (-one.confidence, one.key))


def _pair(pair: tuple[str, str], together: int, ratio: float, evidence: Evidence) -> Relation:
    sure = LEAST + (SUREST - LEAST) * min(1.0, math.log10(ratio / THRESHOLD))
    return Relation(
        source=pair[0],
        type="",
        target=pair[1],
        confidence=round(sure, 2),
        why=f"together in {together} passages, log-likelihood ratio {ratio:.0f}; of which type?",
        evidence=evidence,
    )


def likelihood_ratio(both: int, one: int, other: int, total: int) -> float:
    """How far counts are from chance; 0 where the two stand together less often than by chance."""
    if total == 0 or both * total <= one * other:
        return 0.0
    rest = total - one - other + both
    cells = (
        (both, one, other),
        (one - both, one, total - other),
        (other - both, total - one, other),
        (rest, total - one, total - other),
    )
    return 2 * sum(
        count * math.log(count * total / (row * column)) for count, row, column in cells if count
    )


def _nested(one: str, other: str) -> bool:
    """Whether one name is a part of the other: they share their words, not their sense."""
    short, long = sorted((surface(one), surface(other)), key=len)
    return f" {short} " in f" {long} "
