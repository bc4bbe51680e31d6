"""A small library of made-up words, with questions of which the answer is known by construction."""

import random
from pathlib import Path

from consilience.measure.data_model import Golden, Judgement, Question
from consilience.settings import build_settings
from consilience.workspace import Workspace, init_workspace, open_workspace
from tests_shared import WordVectors

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u")]
KINDS = ("short", "long")


def words(count, seed):
    chance = random.Random(seed)
    made = {}
    while len(made) < count:
        made["".join(chance.choice(SYLLABLES) for _ in range(3))] = None
    return list(made)


def sections(count=48, seed=3):
    """Texts whose words are drawn unevenly: some are rare, some stand nearly everywhere."""
    chance = random.Random(seed)
    known = words(500, seed)
    weights = [1 / (place + 4) for place in range(len(known))]
    return [" ".join(chance.choices(known, weights, k=30)) for _ in range(count)]


def write(folder: Path, count=48):
    lines = ["# Library"]
    for number, text in enumerate(sections(count)):
        lines += [f"## Part {number}", f"{text}."]
    (folder / "library.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8")


def golden(count=48, seed=11):
    """A question is some words of a section, and a few that stand elsewhere."""
    chance = random.Random(seed)
    texts = sections()
    questions = []
    for number, text in enumerate(texts[:count]):
        kind = KINDS[number % 2]
        own = chance.sample(text.split(), 3 if kind == "short" else 5)
        other = chance.sample(texts[(number + 7) % len(texts)].split(), 3)
        judgement = Judgement(
            document="library.md", grade=1 + number % 3, quote=" ".join(text.split()[:15])
        )
        questions.append(
            Question(
                id=f"q{number}",
                text=" ".join([*own, *other]),
                category=kind,
                judgements=(judgement,),
                pool=("a", "b"),
            )
        )
    return Golden(name="library", questions=tuple(questions))


def built(folder: Path, *, reranker=None, **values) -> Workspace:
    """An open workspace that holds the library."""
    files, home = folder / "files", folder / "space"
    files.mkdir()
    write(files)
    init_workspace(home)
    waiting = {"retrieve.soft_ms": 20_000, "retrieve.hard_ms": 30_000}
    chosen = build_settings({"models.rerank": "none", **waiting, **values})
    space = open_workspace(home, settings=chosen, embedder=WordVectors(), reranker=reranker)
    space.add([files])
    return space
