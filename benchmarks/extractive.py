r"""How good are answers without a language model? What they open with, and what they hold.

    python benchmarks/extractive.py --json
    python benchmarks/extractive.py ../shared/data/ir_squad11_dev ../shared/data/ir_xquad --json

Of the sample: the share of its golden questions of which a judged quotation stands in the
opening, and in the whole answer, at each length. Of collections whose questions have answers
(`answers` in queries.jsonl): the share whose answer stands in the first sentence, and in the first
three, by each way of choosing sentences from the same passages:

- `first`: the beginning of the best passage
- `words`, `meaning`: by the question's words alone, by nearness in meaning alone
- `no model`: as answers are written, without an embedder
- `chosen`: as answers are written
- `opening`, `concise`, `balanced`: what the written answers hold

The weights of sentences were chosen on every second question of SQuAD, by id; what is shown is
the others (`--chosen` shows those). Which signs are weighed, and how many quotations an answer
holds, was decided with a look at questions of both halves and at the sample, so these numbers are
not those of questions that nobody has seen. That a reason or a meaning counts twice as much as a
name or a number was decided by reading answers from the sample and four other corpora. XQuAD's
questions are a part of SQuAD's.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from quality import build, lines, settings_of

from consilience.answer import extractive_writer
from consilience.answer.excerpts import WEIGHTS, Candidate, Signs, read
from consilience.answer.exhibits import choose, emphasis, exhibits_of
from consilience.answer.task import Log, Task
from consilience.answer.transcript import Transcript
from consilience.measure.golden import read_golden
from consilience.types import LENGTHS, Exhibit, Length, Result
from consilience.understand.names import surface
from consilience.workspace import Workspace, copy_sample, init_workspace, open_workspace

SQUAD = "ir_squad11_dev"
DEPTH = 30
Order = Callable[[Candidate], float]


def weighed(weights: Signs) -> Order:
    return lambda one: sum(a * b for a, b in zip(weights, one.signs, strict=True))


WAYS: dict[str, Order] = {
    "first": lambda one: -one.mark,
    "words": weighed(Signs(0, 1, 0, 0, 0)),
    "meaning": weighed(Signs(1, 0, 0, 0, 0)),
    "no model": weighed(WEIGHTS._replace(meaning=0.0)),
    "chosen": weighed(WEIGHTS),
}


def exhibits(result: Result, workspace: Workspace, length: Length) -> tuple[Exhibit, ...]:
    return exhibits_of(
        choose(result.hits, workspace.settings.answer, length=length, question=result.query.text)
    )


def written(
    text: str, evidence: tuple[Exhibit, ...], workspace: Workspace, length: Length
) -> tuple[str, str]:
    """The opening of an answer, and all of it."""
    task = Task(question=text, exhibits=evidence, length=length, emphasis=emphasis(evidence))
    transcript = Transcript(evidence)
    said = [
        one.text for one in extractive_writer.write(task, transcript, workspace.embedder, Log())
    ]
    return next((one for one in said if one), ""), transcript.text


def holds(text: str, wanted: Sequence[str]) -> bool:
    """Whether a text has one of the answers, as whole words."""
    words = f" {surface(text)} "
    return any(f" {surface(one)} " in words for one in wanted if surface(one))


# --- collections whose questions have answers -------------------------------------------


def questions(folder: Path, options: argparse.Namespace) -> list[dict[str, object]]:
    found = sorted(lines(folder / "queries.jsonl"), key=lambda one: one["_id"])
    if folder.name == SQUAD:
        found = found[:: 2 if options.chosen else 1] if options.chosen else found[1::2]
    random.Random(5).shuffle(found)
    return found[: options.questions]


def collection(folder: Path, options: argparse.Namespace, stack: ExitStack) -> dict[str, object]:
    place = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
    home = place / f"{folder.name}-{options.embed}"
    fresh = not home.exists()
    if fresh:
        init_workspace(home)
    with open_workspace(home, settings=settings_of(options.embed, {})) as workspace:
        if fresh:
            build(folder, workspace)
        found = [held(one["text"], one["answers"], workspace) for one in questions(folder, options)]
    return {"questions": len(found), **shares(found)}


def held(text: str, wanted: Sequence[str], workspace: Workspace) -> dict[str, bool]:
    result = workspace.search(text, limit=DEPTH)
    evidence = exhibits(result, workspace, "balanced")
    reading = read(text, evidence, workspace.embedder)
    found: dict[str, bool] = {}
    for name, order in WAYS.items():
        best = sorted(reading.candidates, key=order, reverse=True)[:3]
        found[f"{name} 1"] = holds(best[0].sentence.text if best else "", wanted)
        found[f"{name} 3"] = any(holds(one.sentence.text, wanted) for one in best)
    for length in ("concise", "balanced"):
        seen = exhibits(result, workspace, length)
        opening, text_of = written(text, seen, workspace, length)
        found.setdefault("opening", holds(opening, wanted))
        found[length] = holds(text_of, wanted)
    found["possible"] = any(holds(one.passage.text, wanted) for one in evidence)
    return found


def shares(found: Sequence[dict[str, bool]]) -> dict[str, float]:
    names = dict.fromkeys(name for one in found for name in one)
    return {name: round(sum(one[name] for one in found) / max(1, len(found)), 4) for name in names}


# --- the sample -------------------------------------------------------------------------


def sample(embed: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as place:
        home = init_workspace(Path(place) / "space")
        folder = copy_sample(home, "general")
        with open_workspace(home, settings=settings_of(embed, {})) as workspace:
            workspace.add([folder])
            golden = read_golden(home / "golden.yaml")
            found = [
                judged
                for question in golden.questions
                if (judged := quoted(question, workspace)) is not None
            ]
    return {"questions": len(found), **shares(found)}


def quoted(question: object, workspace: Workspace) -> dict[str, bool] | None:
    """Whether the best judged quotations of a question are quoted, or a good part of one."""
    quotes = list(judged_quotes(question))
    if not quotes:
        return None
    text = str(getattr(question, "text", ""))
    result = workspace.search(text, limit=DEPTH)
    found = {}
    for length in LENGTHS:
        evidence = exhibits(result, workspace, length)
        opening, whole = written(text, evidence, workspace, length)
        found.setdefault("opening", any(part_of(one, opening) for one in quotes))
        found[length] = any(part_of(one, whole) for one in quotes)
        if length == "balanced":
            texts = [one.passage.text for one in evidence]
            found["possible"] = any(part_of(one, text) for one in quotes for text in texts)
            first = read(text, evidence[:1], None).candidates[:1]
            found["first"] = any(
                part_of(quote, one.sentence.text) for one in first for quote in quotes
            )
    return found


def judged_quotes(question: object) -> Iterator[str]:
    for one in getattr(question, "judgements", ()):
        if getattr(one, "quote", "") and one.grade >= 2:
            yield one.quote


def part_of(quote: str, text: str) -> bool:
    """Whether a text has a quotation, or six of its words in a row."""
    words = re.findall(r"\w+", quote.casefold())
    there = " ".join(re.findall(r"\w+", text.casefold()))
    size = min(6, len(words))
    return any(" ".join(words[at : at + size]) in there for at in range(len(words) - size + 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--embed", default="fine")
    parser.add_argument("--questions", type=int, default=500, help="ask so many of a collection")
    parser.add_argument("--chosen", action="store_true", help="those that weights were chosen on")
    parser.add_argument("--keep", type=Path, default=None, help="folder to keep workspaces in")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for folder in options.folders:
        if not (folder / "corpus.jsonl").exists():
            sys.exit(f"{folder} is not here; these numbers need the public collections")
    result: dict[str, object] = {}
    if not options.folders:
        result["sample"] = sample(options.embed)
    with ExitStack() as stack:
        for folder in options.folders:
            result[folder.name] = collection(folder, options, stack)
    print(json.dumps(result, indent=2) if options.json else result)


if __name__ == "__main__":
    main()
