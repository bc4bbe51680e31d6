"""Which documents do the others cite most? PageRank over their citations.

A document ranks high when many cite it, and when those rank high themselves. Works that are cited
but not in the workspace pass nothing on; they still count as works.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

DAMPING = 0.85
ROUNDS = 100
CLOSE = 1e-10  # total change of all ranks at which the iteration stops
DIGITS = 12  # works whose ranks agree to so many digits share a place


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """The standing of a document: how many works cite it, and its place among how many.

    `share` is 1 for the highest-ranked document, and close to 0 for one that is hardly cited.
    """

    by: int
    place: int
    works: int
    share: float

    def __str__(self) -> str:
        """`cited by 3 works here (rank 2 of 28)`."""
        citing = "1 work" if self.by == 1 else f"{self.by} works"
        return f"cited by {citing} here (rank {self.place} of {self.works})"


def cited_works(
    works: Mapping[str, str], citations: Collection[tuple[str, str]]
) -> dict[str, Cited]:
    """The standing of each document that another one cites; `works` gives the key of each document.

    Citations are pairs of keys, from the citing to the cited work. Duplicates count once,
    self-citations not at all. share = log(rank / r) / log(highest / r), where r is the rank of a
    work that nobody cites.
    """
    pairs = sorted({pair for pair in citations if pair[0] != pair[1]})
    citing = Counter(target for _, target in pairs)
    here = set(works.values())
    cited = sorted(here & citing.keys())
    if not cited:
        return {}
    ranks, least = page_ranks(pairs, here)
    places: dict[float, int] = {}
    for place, key in enumerate(sorted(cited, key=lambda key: -ranks[key]), start=1):
        places.setdefault(round(ranks[key], DIGITS), place)
    most = math.log(max(ranks[key] for key in cited) / least)
    standings = {
        key: Cited(
            by=citing[key],
            place=places[round(ranks[key], DIGITS)],
            works=len(here),
            share=math.log(ranks[key] / least) / most,
        )
        for key in cited
    }
    return {document: standings[key] for document, key in works.items() if key in standings}


def page_ranks(
    pairs: Sequence[tuple[str, str]], others: Collection[str] = ()
) -> tuple[dict[str, float], float]:
    """The PageRank of every work of these citations and of `others`, and that of one uncited.

    Brin & Page 1998, with damping 0.85; the rank of a work that cites nothing is distributed
    among all. The ranks add up to 1.
    """
    import numpy as np  # noqa: PLC0415 - only where there are citations

    names = sorted({*others, *(end for pair in pairs for end in pair)})
    numbers = {name: number for number, name in enumerate(names)}
    sources = np.array([numbers[source] for source, _ in pairs], dtype=np.intp)
    targets = np.array([numbers[target] for _, target in pairs], dtype=np.intp)
    size = len(names)
    out = np.bincount(sources, minlength=size)
    ranks, least = np.full(size, 1 / size), 1 / size
    for _ in range(ROUNDS):
        least = float(1 - DAMPING + DAMPING * ranks[out == 0].sum()) / size
        received = np.bincount(targets, ranks[sources] / out[sources], minlength=size)
        after = least + DAMPING * received
        change = float(np.abs(after - ranks).sum())
        ranks = after
        if change < CLOSE:
            break
    return dict(zip(names, ranks.tolist(), strict=True)), least
