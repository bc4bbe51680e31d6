"""A pack for research: papers and notes, a graph of concepts, and chains that explain.

Papers become the collection `papers`, with what they cite; a file of concepts becomes `concepts`,
a graph whose relations carry the words that bear them out. A question's abbreviations are spelt
out, and chains of relations stand beside passages in one ranking.
"""

from __future__ import annotations

from pathlib import Path

from consilience.pack import Answers, Command, Files, Pack, Questions, Sample
from consilience.packs.research.expanding import expand, means, offers
from consilience.packs.research.intents import RULES
from consilience.packs.research.opening import opens

_HERE = Path(__file__).parent

PACK = Pack(
    name="research",
    summary="Papers and notes, a graph of concepts, and chains that explain",
    files=Files(collections={"table": "tables", "graph": "concepts", "*": "papers"}),
    questions=Questions(
        rules=RULES,
        expand=expand,
        means=means,
        offers=offers,
        neighbours=0.2,
        reads=frozenset({"chains"}),
    ),
    answers=Answers(opens=opens),
    commands=(
        Command(
            name="neighbourhood",
            summary="Show what is around a concept in the graph, with the evidence for each "
            "relation.",
            load="consilience.packs.research.commands:neighbourhood",
        ),
        Command(
            name="audit-assumptions",
            summary="Show what a method requires, how each is tested, and what to use when it "
            "fails.",
            load="consilience.packs.research.commands:audit_assumptions",
        ),
        Command(
            name="concepts",
            summary="The graph of concepts: propose what texts say, accept what is right.",
            load="consilience.packs.research.commands:concepts_app",
        ),
    ),
    sample=Sample(
        golden=_HERE / "golden.yaml",
        folder=_HERE / "sample",
        examples=(
            "What does IV assume?",
            "How does DML relate to sample splitting?",
            "What can be used when parallel trends fail?",
        ),
    ),
    settings={
        "fusion.expansion": 0.6,
        "passages.target": 240,
        "refine.blend": 0.6,
        "refine.floor": 0.05,
        "refine.rerank": 50,
    },
)
