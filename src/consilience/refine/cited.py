"""Which papers do the others here cite most? PageRank over their references, as a mild preference.

A paper stands high that is cited by many, and by those that stand high themselves. Works that are
cited and not here pass their standing on to nobody and count as works all the same.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from consilience.kinds import edge_kinds
from consilience.refine.steps import Refined, rescored
from consilience.types import Change, Hit

DAMPING = 0.85
ROUNDS = 100
CLOSE = 1e-10  # change of all ranks together, from which on they are taken as found
TOLD = 12  # digits: works whose ranks are nearer share a place


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """How a paper stands among the works here: by how many it is cited, and its place of how many.

    `share` is 1 for the one that stands highest, and nears 0 for one that is hardly cited.
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
    """How each document stands that another one cites; `works` gives the key of each document.

    Citations are pairs of keys, from the citing to the cited work. One that is given twice counts
    once, and a work's citation of itself does not. share = log(rank / r) / log(highest / r), where
    r is the rank of a work that nobody cites.
    """
    pairs = sorted({pair for pair in citations if pair[0] != pair[1]})
    citing: dict[str, int] = {}
    for _, target in pairs:
        citing[target] = citing.get(target, 0) + 1
    here = set(works.values())
    cited = sorted(here & citing.keys())
    if not cited:
        return {}
    ranks, least = page_ranks(pairs, here)
    places: dict[float, int] = {}
    for place, key in enumerate(sorted(cited, key=lambda key: -ranks[key]), start=1):
        places.setdefault(round(ranks[key], TOLD), place)
    most = math.log(max(ranks[key] for key in cited) / least)
    found = {
        key: Cited(
            by=citing[key],
            place=places[round(ranks[key], TOLD)],
            works=len(here),
            share=math.log(ranks[key] / least) / most,
        )
        for key in cited
    }
    return {document: found[key] for document, key in works.items() if key in found}


def page_ranks(
    pairs: Sequence[tuple[str, str]], others: Collection[str] = ()
) -> tuple[dict[str, float], float]:
    """The PageRank of every work of these citations and of `others`, and that of one uncited.

    Brin & Page 1998, with damping 0.85; what stands on a work that cites nothing is shared out
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
        given = np.bincount(targets, ranks[sources] / out[sources], minlength=size)
        after = least + DAMPING * given
        change = float(np.abs(after - ranks).sum())
        ranks = after
        if change < CLOSE:
            break
    return dict(zip(names, ranks.tolist(), strict=True)), least


def cite(refined: Refined, found: Mapping[str, Cited], *, weight: float) -> Refined:
    """A passage of a paper that others here cite gains `weight` times its share of the score.

    Its references gain nothing by that: they are other papers' words.
    """
    if not weight or not found:
        return refined
    return refined.then(rescored(refined.hits, lambda hit: _cited(hit, found, weight)))


def _cited(hit: Hit, found: Mapping[str, Cited], weight: float) -> Change | None:
    passage = hit.passage
    paper = found.get(passage.document)
    if paper is None or passage.kind in edge_kinds() | {"path"}:
        return None
    delta = abs(hit.score) * weight * paper.share
    return Change(step="citations", delta=delta, reason=str(paper))
