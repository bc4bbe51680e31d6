"""How much of a graph that people wrote do proposals from its texts find again, and how truly?

    python benchmarks/research_proposals.py [--workspace DIR] [--show 60] [--seed 1]

The research sample has concepts and relations written by hand, each relation with words of a text.
Once the concepts are given and the relations hidden: how many of the relations whose words name
both ends are proposed (recall), and how many of the proposals are in the file, with that type or
with another. Once all is hidden: how many of the concepts that the texts name are proposed, and how
many of those proposed are in the file. A proposal that the file lacks may still be right: `--show`
prints some of them, to be judged by eye.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from consilience.packs.research.proposing import Source, read_source
from consilience.packs.research.proposing.naming import propose_concepts
from consilience.packs.research.proposing.relating import propose_relations
from consilience.packs.research.proposing.values import SYMMETRIC, TYPES, Concept, Relation
from consilience.packs.research.proposing.vocabulary import Vocabulary
from consilience.types import Passage
from consilience.understand.sentences import sentences
from consilience.workspace import Workspace, copy_sample, init_workspace, open_workspace

SURE = 0.6
Key = tuple[str, str, str]


def sample(folder: Path) -> Path:
    """A workspace with the sample of the pack."""
    init_workspace(folder, pack="research")
    files = copy_sample(folder, "research")
    with open_workspace(folder) as space:
        space.add([files])
    return folder


def held(folder: Path) -> list[Passage]:
    catalogue = Workspace.peek(folder)
    try:
        return [one for name in catalogue.counts() for one in catalogue.each(name)]
    finally:
        catalogue.close()


def written(passages: Sequence[Passage], known: Vocabulary) -> Iterator[tuple[Key, str]]:
    """The relations of the file with the words behind them."""
    names = {
        one.metadata.get("node"): one.metadata["name"] for one in passages if one.kind == "node"
    }
    for one in passages:
        if one.kind == "edge" and one.metadata["relation"] in TYPES:
            kind = str(one.metadata["relation"])
            ends = [str(names[one.metadata[side]]) for side in ("source", "target")]
            first, last = sorted(ends) if kind in SYMMETRIC else ends
            yield (first, kind, last), str(one.metadata.get("quote", ""))


def names_both(quote: str, key: Key, known: Vocabulary) -> bool:
    named = {one.name for one in known.mentions(quote)}
    return {key[0], key[2]} <= named


def relations(
    source: Source, passages: Sequence[Passage]
) -> tuple[dict[str, object], list[Relation]]:
    known = source.known
    gold = list(written(passages, known))
    hidden = Vocabulary(kinds=dict(known.kinds))
    found = propose_relations(source.texts, known, known=hidden)
    keys = {one.key for one in found}
    fair = [key for key, quote in gold if names_both(quote, key, known)]
    hit = Counter(key[1] for key in fair if key in keys)
    whole = Counter(key[1] for key in fair)
    stated = {key for key, _ in gold}
    pairs = {frozenset((first, last)) for first, _, last in stated}
    others = [one for one in found if one.key not in stated]
    return {
        "written, both named": len(fair),
        "recall": round(sum(hit.values()) / len(fair), 3),
        "recall by type": {kind: round(hit[kind] / whole[kind], 2) for kind in whole},
        "proposed": len(found),
        "in the file": round(1 - len(others) / len(found), 3),
        "in the file with any type": round(sum(one.pair in pairs for one in found) / len(found), 3),
    }, others


def concepts(source: Source) -> tuple[dict[str, object], list[Concept]]:
    known = source.known
    found = propose_concepts(source.texts, Vocabulary())
    named = {
        one.name for text in source.texts for line in text.sentences for one in known.mentions(line)
    }
    meant = {one: _meant(one, known) for one in found}
    sure = [one for one in found if one.confidence >= SURE]
    kinds = [one.kind == known.kinds[name] for one, name in meant.items() if name]
    return {
        "named in the texts": len(named),
        "recall": round(len({name for name in meant.values() if name} & named) / len(named), 3),
        "proposed": len(found),
        "in the file": round(sum(map(bool, meant.values())) / len(found), 3),
        f"proposed with {SURE} or more": len(sure),
        "of these in the file": round(sum(bool(meant[one]) for one in sure) / len(sure), 3),
        "kind right": round(sum(kinds) / len(kinds), 3),
    }, [one for one in found if not meant[one]]


def _meant(one: Concept, known: Vocabulary) -> str:
    return next((name for spelt in (one.name, *one.aliases) if (name := known.meaning(spelt))), "")


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--workspace", type=Path)
    reader.add_argument("--show", type=int, default=0)
    reader.add_argument("--seed", type=int, default=1)
    given = reader.parse_args()
    with tempfile.TemporaryDirectory() as place:
        passages = held(given.workspace or sample(Path(place) / "space"))
    source = read_source(passages, lambda text: [one.text for one in sentences(text)])
    told, others = relations(source, passages)
    named, strange = concepts(source)
    print(json.dumps({"relations": told, "concepts": named}, indent=2))
    drawn = random.Random(given.seed)
    for one in drawn.sample(others, min(given.show, len(others))):
        print(f"{one.confidence} {one.source} {one.type} {one.target} ({one.why})")
        print(f"    {one.evidence.quote}")
    for this in drawn.sample(strange, min(given.show, len(strange))):
        print(f"{this.confidence} {this.name} [{this.kind}] ({this.why})")
        print(f"    {this.evidence.quote}")


if __name__ == "__main__":
    main()
