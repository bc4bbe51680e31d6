r"""How many planted errors does the checker of answers catch, and how often is it wrong?

    python benchmarks/planted.py ../shared/data/ir_squad11_dev --json

Real sentences of the sample of the pack `general`, and of collections in BEIR's layout, are
statements that cite their passage: true as they stand and lightly reworded. Then one error each
is planted: a wrong number, sign, decimal, unit, date, name, quotation, source, move, a mark that
leads nowhere, or, in two sentences of two passages joined to one, numbers that change places.
`caught` is the share of planted errors that fault the statement, by class; `wrongly_faulted` the
share of true statements that are faulted.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from consilience.types import Passage
from consilience.workspace import copy_sample, init_workspace, open_workspace

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "answer"))

from planted_shared import Case, cases, game_cases, tally

Counts = Mapping[str, tuple[int, int]]
LONGEST = 6000  # characters of a document that is one passage


def sample() -> list[Passage]:
    """The passages of the sample, as they are split by default."""
    with tempfile.TemporaryDirectory() as place:
        home = init_workspace(Path(place) / "space")
        folder = copy_sample(home, "general")
        with open_workspace(home) as workspace:
            workspace.add([folder])
            return [
                one
                for collection in sorted(workspace.catalogue.counts())
                for one in workspace.catalogue.each(collection)
            ]


def collection(folder: Path) -> list[Passage]:
    """The documents of a collection, each a passage; those of one title are one document."""
    found = []
    with (folder / "corpus.jsonl").open(encoding="utf-8") as stream:
        for line in stream:
            one = json.loads(line)
            title = one.get("title") or "Untitled"
            found.append(
                Passage(
                    id=one["_id"],
                    collection=folder.name,
                    document=title,
                    kind="document",
                    title=title,
                    text=one["text"][:LONGEST],
                )
            )
    return found


def shares(counts: Counts) -> dict[str, object]:
    """What the counts come to, as shares."""
    faulted, true = counts.get("", (0, 0))
    planted = {name: pair for name, pair in sorted(counts.items()) if name}
    caught, of = (sum(pair[at] for pair in planted.values()) for at in (0, 1))
    return {
        "true_statements": true,
        "wrongly_faulted": round(faulted / true, 4) if true else None,
        "planted": of,
        "caught": round(caught / of, 4) if of else None,
        "by_class": {
            name: {"planted": pair[1], "caught": round(pair[0] / pair[1], 4)}
            for name, pair in planted.items()
        },
    }


def together(several: Sequence[Counts]) -> dict[str, tuple[int, int]]:
    whole: dict[str, tuple[int, int]] = {}
    for counts in several:
        for name, (hit, of) in counts.items():
            before = whole.get(name, (0, 0))
            whole[name] = (before[0] + hit, before[1] + of)
    return whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=500, help="statements of each collection")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", action="store_true", help="print what is judged wrongly")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    def show(case: Case, told: tuple[str, ...]) -> None:
        if options.show:
            print(case.planted or "TRUE", "|", case.statement.text, "|", told, file=sys.stderr)

    found: dict[str, Counts] = {}
    found["games"] = tally(game_cases(options.count, options.seed), show)
    found["sample"] = tally(cases(sample(), options.count, options.seed), show)
    for folder in options.folders:
        passages = collection(folder)
        found[folder.name] = tally(cases(passages, options.count, options.seed), show)
    result = {
        "corpora": {name: shares(counts) for name, counts in found.items()},
        "overall": shares(together(list(found.values()))),
    }
    print(json.dumps(result, indent=2) if options.json else result)


if __name__ == "__main__":
    main()
