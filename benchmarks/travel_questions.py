r"""Is a question that nothing answers refused, and every other one answered?

    python benchmarks/travel_questions.py --json                # the half that is held out
    python benchmarks/travel_questions.py --half tuning --misses

The questions of `travel_questions.yaml` were written without sight of the system: off-topic ones,
such as ask for what the sample has not got (a way, a thing, a fact of a place), and such as it
answers. Of these the name of a place or file that answers is known: how often it is among the first
five hits is counted too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from travel_requests import sample

from consilience.types import Passage, Query, Result

QUESTIONS = Path(__file__).with_name("travel_questions.yaml")
FIRST = 5
Asked = list[tuple[Mapping[str, str], Result]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--half", default="held out", choices=("tuning", "held out"))
    parser.add_argument("--misses", action="store_true", help="for questions to tune on only")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    every = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))["questions"]
    questions = [one for one in every if one["half"] == options.half]
    with sample(options.workspace) as space:
        asked = [(one, space.find(Query(text=one["text"], limit=10))) for one in questions]
    if options.misses:
        for line in misses(asked):
            print(line)
    found = judged(asked)
    print(json.dumps(found, indent=2) if options.json else yaml.safe_dump(found, sort_keys=False))


def judged(asked: Asked) -> dict[str, Any]:
    """For each kind of question how many were refused, and how often the answer came first."""
    kinds: dict[str, dict[str, int]] = {}
    for one, result in asked:
        count = kinds.setdefault(one["kind"], {"of": 0, "refused": 0})
        count["of"] += 1
        count["refused"] += result.abstained
    answers = [(one["answer"], result) for one, result in asked if one["kind"] == "answerable"]
    vain = [count for kind, count in kinds.items() if kind != "answerable"]
    return {
        "kinds": kinds,
        "vain": {name: sum(one[name] for one in vain) for name in ("of", "refused")},
        "answer_in_first": {
            "of": len(answers),
            "found": sum(answers_it(named, result) for named, result in answers),
        },
    }


def answers_it(named: str, result: Result) -> bool:
    """Whether one of the places or files that answer is among the first hits."""
    names = {one.split("(")[0].strip() for one in named.split(";")}
    return any(names & set(names_of(hit.passage)) for hit in result.hits[:FIRST])


def names_of(passage: Passage) -> Iterator[str]:
    yield passage.document.rpartition("/")[2]
    yield passage.title
    yield str(passage.metadata.get("name", ""))
    yield from passage.locator.section[:1]


def misses(asked: Asked) -> Iterator[str]:
    for one, result in asked:
        if result.abstained == (one["kind"] == "answerable"):
            yield f"\n{one['kind']} ({one['why'] or one['answer']}): {one['text']}"
            yield from (f"  {hit.passage.text[:80]!r}" for hit in result.hits[:3])


if __name__ == "__main__":
    main()
