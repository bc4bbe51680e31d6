r"""How often is the way between two concepts right, borne out, and not made up?

    python benchmarks/research_chains.py --json
    python benchmarks/research_chains.py --workspace DIR --misses

The pairs of `research_pairs.yaml` are asked of the sample of the pack `research`, built from
nothing (or of a workspace that holds it). A chain is right where it passes a concept that the label
names, in at most four steps; it is borne out where the words behind every step stand in a passage
of the papers. A pair that is labelled as unrelated is right where nothing is found.

Beside it stand the same graph walked by the number of steps alone, and a control: the same chains
under labels that belong to other pairs. `--misses` lists what went wrong on the tuning half.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from consilience.errors import UsageError
from consilience.stores.graph_paths import GraphPath as Walk
from consilience.stores.graph_paths import Step, find_paths, read_edge, read_node
from consilience.types import Chain
from consilience.understand.names import singular_or_plural, surface
from consilience.workspace import Workspace, copy_sample, init_workspace, open_workspace
from consilience.workspace.graph_paths import chain_factors
from consilience.workspace.supporting_passage import supporting_passages

PAIRS = Path(__file__).with_name("research_pairs.yaml")
HALVES = ("tuning", "held out")
STEPS = 4
DRAWN = 300
Names = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of a pair."""

    pair: Mapping[str, Any]
    chains: tuple[Chain, ...]
    right: bool
    among: bool
    borne: bool
    adds_up: bool
    ms: float
    refused: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pairs = yaml.safe_load(PAIRS.read_text(encoding="utf-8"))
    with sample(options.workspace) as space:
        names = names_in(space)
        related = [judged(space, one, names) for one in pairs["related"]]
        apart = [judged(space, one, names) for one in pairs["unrelated"]]
        plain = by_steps(space, [*pairs["related"], *pairs["unrelated"]], names)
        chance = by_chance(space)
    found = {half.replace(" ", "_"): figures(half, related, apart, plain, names) for half in HALVES}
    found["all"] = {**figures("", related, apart, plain, names), **chance}
    if options.misses:
        for line in misses(related, apart):
            print(line)
    print(json.dumps(found, indent=2) if options.json else yaml.safe_dump(found, sort_keys=False))


@contextmanager
def sample(folder: Path | None) -> Iterator[Workspace]:
    if folder is not None:
        with open_workspace(folder) as space:
            yield space
        return
    with tempfile.TemporaryDirectory() as place:
        home = init_workspace(Path(place) / "space", pack="research")
        files = copy_sample(home, "research")
        with open_workspace(home) as space:
            space.add([files])
            yield space


def names_in(space: Workspace) -> Names:
    """The name of the concept that each surface means."""
    found: dict[str, str] = {}
    passages = [one for one in space.catalogue.each("concepts") if one.kind == "node"]
    for one in passages:
        found[surface(str(one.metadata["name"]))] = str(one.metadata["name"])
    for one in passages:
        aliases = one.metadata.get("aliases", ())
        for alias in aliases if isinstance(aliases, tuple) else ():
            found.setdefault(surface(str(alias)), str(one.metadata["name"]))
    return found


def judged(space: Workspace, pair: Mapping[str, Any], names: Names) -> Judged:
    start = time.perf_counter()
    refused = ""
    try:
        chains = tuple(space.paths(pair["from"], pair["to"], limit=3))
    except UsageError as error:
        chains, refused = (), str(error)
    ms = 1000 * (time.perf_counter() - start)
    borne = supporting_passages(space.catalogue)
    best = chains[:1]
    return Judged(
        pair=pair,
        chains=chains,
        right=any(is_right(passed(one), pair, names) for one in best),
        among=any(is_right(passed(one), pair, names) for one in chains),
        borne=bool(best) and all(borne(link.passage) for one in best for link in one.links),
        adds_up=all(
            math.isclose(math.prod(part.product for part in chain_factors(one)), one.score)
            for one in chains
        ),
        ms=ms,
        refused=refused,
    )


def passed(chain: Chain) -> list[str]:
    """The names between the two ends."""
    return [link.end for link in chain.links[:-1]]


def is_right(between: Sequence[str], pair: Mapping[str, Any], names: Names) -> bool:
    wanted = {meant(one, names) for one in pair.get("any_of", ())}
    return len(between) < STEPS and any(meant(one, names) in wanted for one in between)


def meant(name: str, names: Names) -> str:
    forms = (surface(name), *singular_or_plural(surface(name)))
    return next((names[one] for one in forms if one in names), name)


def by_chance(space: Workspace) -> dict[str, float]:
    """How many of some hundred pairs drawn by lot are joined, and how many by steps alone."""
    _, steps = graph_of(space, plain=True)
    _, stated = graph_of(space, plain=False)
    drawn = random.Random(9)
    pairs = [drawn.sample(sorted(steps), 2) for _ in range(DRAWN)]
    by_lot = [_ways(stated, *pair) for pair in pairs]
    alone = [_ways(steps, *pair) for pair in pairs]
    return {
        "drawn_by_lot": DRAWN,
        "lot_joined": _share([bool(one) for one in by_lot]),
        "lot_joined_by_steps_alone": _share(
            [any(len(path.steps) <= STEPS for path in one) for one in alone]
        ),
    }


def graph_of(space: Workspace, *, plain: bool) -> tuple[dict[str, str], dict[str, list[Step]]]:
    """Names by node, and the steps that lead out of each; `plain` are all alike."""
    passages = list(space.catalogue.each("concepts"))
    told = {node.id: node.name for node in map(read_node, passages) if node}
    steps: dict[str, list[Step]] = {}
    for edge in filter(None, map(read_edge, passages)):
        for forward in (True, False):
            alike = replace(edge, weight=1.0, stated=False) if plain else edge
            step = Step(alike, forward=forward)
            steps.setdefault(step.start, []).append(step)
    for out in steps.values():
        out.sort(key=lambda one: (-one.edge.weight, one.edge.passage))
    return told, steps


def _ways(steps: Mapping[str, list[Step]], start: str, end: str) -> list[Walk]:
    return find_paths(
        lambda nodes: {node: steps.get(node, []) for node in nodes}, [start], [end], limit=1
    )


def by_steps(space: Workspace, pairs: Sequence[Mapping[str, Any]], names: Names) -> list[bool]:
    """Whether the shortest way of four steps at most is right, all relations alike, no direction.

    Where a pair is labelled as unrelated, whether there is none.
    """
    told, steps = graph_of(space, plain=True)
    ids = {name: key for key, name in told.items()}
    right = []
    for one in pairs:
        ends = [ids.get(meant(one[end], names), "") for end in ("from", "to")]
        found = _ways(steps, *ends)
        near = [path for path in found if len(path.steps) <= STEPS]
        between = [told[node] for node in near[0].nodes[1:-1]] if near else []
        right.append(is_right(between, one, names) if one.get("any_of") else not near)
    return right


def figures(
    half: str,
    related: Sequence[Judged],
    apart: Sequence[Judged],
    plain: Sequence[bool],
    names: Names,
) -> dict[str, Any]:
    some = [one for one in related if half in ("", one.pair["half"])]
    other = [one for one in apart if half in ("", one.pair["half"])]
    every = zip((*related, *apart), plain, strict=True)
    alone = [(one, right) for one, right in every if half in ("", one.pair["half"])]
    shifted = [*some[7:], *some[:7]]
    control = [
        bool(one.chains) and is_right(passed(one.chains[0]), next_one.pair, names)
        for one, next_one in zip(some, shifted, strict=True)
    ]
    times = sorted(one.ms for one in (*some, *other))
    return {
        "pairs": len(some),
        "right_with_evidence": _share([one.right and one.borne for one in some]),
        "right_chain": _share([one.right for one in some]),
        "right_among_three": _share([one.among for one in some]),
        "evidence_found": _share([one.borne for one in some if one.chains]),
        "arithmetic_adds_up": _share([one.adds_up for one in some]),
        "by_steps_alone": _share([right for one, right in alone if one in some]),
        "control_other_labels": _share(control),
        "unrelated": len(other),
        "says_unrelated": _share([not one.chains and not one.refused for one in other]),
        "by_steps_alone_says_unrelated": _share([right for one, right in alone if one in other]),
        "p50_ms": round(times[len(times) // 2], 1),
    }


def _share(values: Sequence[bool]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def misses(related: Sequence[Judged], apart: Sequence[Judged]) -> Iterator[str]:
    """What went wrong on the half for tuning; the other half stays unseen."""
    for one in (*related, *apart):
        wanted = bool(one.pair.get("any_of"))
        fine = one.right and one.borne if wanted else not one.chains and not one.refused
        if one.pair["half"] == HALVES[0] and not fine:
            told = [" - ".join((x.links[0].start, *passed(x), x.links[-1].end)) for x in one.chains]
            yield f"{one.pair['from']} | {one.pair['to']}: {one.refused or told[:2]} {one.borne}"


if __name__ == "__main__":
    main()
