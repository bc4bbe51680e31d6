"""A small graph of concepts with the notes it rests on, and a workspace of both."""

from __future__ import annotations

from pathlib import Path

import yaml

from consilience.settings import build_settings
from consilience.workspace import Workspace, init_workspace, open_workspace
from tests_shared import WordVectors

PATIENT = {"models.rerank": "none", "retrieve.soft_ms": 20_000, "retrieve.hard_ms": 30_000}
NOTES = """# Notes on learners

## Splitting

Double machine learning requires cross-fitting, so that no observation judges its own fit.
Cross-fitting requires sample splitting into folds that take turns.

## Problems

Double machine learning addresses confounding by what was measured.
Matching addresses confounding too, and it requires overlap of the groups.
Sample splitting addresses overfitting.

## Panels

Difference-in-differences requires parallel trends, and an event study tests parallel trends.
Synthetic control is an alternative to difference-in-differences and requires a donor pool.
Conditional trends generalize parallel trends.
Difference-in-differences uses clustered errors, and clustered errors require many clusters.
The wild bootstrap is an alternative to clustered errors.
"""


def relation(kind: str, to: str, quote: str, confidence: float = 1.0) -> dict[str, object]:
    return {
        "type": kind,
        "to": to,
        "confidence": confidence,
        "document": "notes.md",
        "quote": quote,
    }


def concept(name: str, kind: str, *relations: dict[str, object], aliases=()) -> dict[str, object]:
    return {"name": name, "kind": kind, "aliases": list(aliases), "relations": list(relations)}


CONCEPTS = [
    concept(
        "double machine learning",
        "method",
        relation("REQUIRES", "cross-fitting", "Double machine learning requires cross-fitting"),
        relation("ADDRESSES", "confounding", "Double machine learning addresses confounding", 0.9),
        aliases=["DML", "debiased machine learning"],
    ),
    concept(
        "cross-fitting",
        "method",
        relation("REQUIRES", "sample splitting", "Cross-fitting requires sample splitting", 0.9),
    ),
    concept(
        "sample splitting",
        "method",
        relation("ADDRESSES", "overfitting", "Sample splitting addresses overfitting"),
    ),
    concept("confounding", "problem"),
    concept("overfitting", "problem"),
    concept(
        "matching",
        "method",
        relation("ADDRESSES", "confounding", "Matching addresses confounding too"),
        relation("REQUIRES", "overlap", "it requires overlap of the groups"),
    ),
    concept("overlap", "assumption", aliases=["common support"]),
    concept(
        "difference-in-differences",
        "method",
        relation(
            "REQUIRES", "parallel trends", "Difference-in-differences requires parallel trends"
        ),
        relation("USES", "clustered errors", "Difference-in-differences uses clustered errors"),
        aliases=["DiD"],
    ),
    concept("parallel trends", "assumption"),
    concept(
        "event study",
        "method",
        relation("TESTS", "parallel trends", "an event study tests parallel trends"),
    ),
    concept(
        "synthetic control",
        "method",
        relation(
            "ALTERNATIVE_TO",
            "DiD",
            "Synthetic control is an alternative to difference-in-differences",
        ),
        relation("REQUIRES", "donor pool", "requires a donor pool"),
    ),
    concept("donor pool", "assumption"),
    concept(
        "conditional trends",
        "assumption",
        relation("GENERALIZES", "parallel trends", "Conditional trends generalize parallel trends"),
    ),
    concept(
        "clustered errors",
        "method",
        relation("REQUIRES", "many clusters", "clustered errors require many clusters"),
    ),
    concept("many clusters", "assumption"),
    concept(
        "wild bootstrap",
        "method",
        relation(
            "ALTERNATIVE_TO",
            "clustered errors",
            "The wild bootstrap is an alternative to clustered errors",
        ),
    ),
    concept("phlogiston", "problem"),
]


def write_concepts(path: Path, concepts: list[dict[str, object]]) -> Path:
    text = yaml.safe_dump({"concepts": concepts}, sort_keys=False, allow_unicode=True)
    path.write_text(text, encoding="utf-8")
    return path


def build(folder: Path, *, pack: str = "research") -> Path:
    """A closed workspace that holds the notes and the concepts."""
    files = folder / "files"
    files.mkdir(parents=True)
    (files / "notes.md").write_text(NOTES, encoding="utf-8")
    write_concepts(files / "small.concepts.yaml", CONCEPTS)
    home = init_workspace(folder / "space", pack=pack)
    with reopened(home) as space:
        space.add([files])
    return home


def reopened(home: Path) -> Workspace:
    settings = build_settings({**PATIENT, "pack": "research"})
    return open_workspace(home, settings=settings, embedder=WordVectors())


def names(chain) -> list[str]:
    """The names on a chain's way."""
    return [chain.links[0].start, *(link.end for link in chain.links)]
