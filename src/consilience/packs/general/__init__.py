"""A pack for mixed files of any subject: documents, tables and graphs side by side."""

from __future__ import annotations

import re
from pathlib import Path

from consilience.pack import Files, Pack, Questions, Reading, Rule, Sample
from consilience.types import Passage

_RELATION = re.compile(
    r"\b(relat\w*|connect\w*|link\w*|between|depend\w*|influenc\w*|inspir\w*|led to|lead to)\b",
    re.IGNORECASE,
)
_LOOKUP = re.compile(
    r"\b(how (many|much|tall|high|long|old|far|deep|big|large|heavy|fast)|when|which year|"
    r"what year|height|length|date|number of|tallest|oldest|highest|longest|list)\b",
    re.IGNORECASE,
)


def _relates(reading: Reading) -> bool:
    return reading.nodes >= 2 and bool(_RELATION.search(reading.text))


def _looks_up(reading: Reading) -> bool:
    return reading.values >= 1 and bool(_LOOKUP.search(reading.text))


def _row(passage: Passage) -> str:
    """A row is the same thing wherever it stands when all its cells are the same."""
    return repr(sorted(passage.metadata.items()))


PACK = Pack(
    name="general",
    summary="Documents, tables and graphs of any subject",
    files=Files(
        collections={"table": "tables", "graph": "graph", "*": "documents"},
        identities={"row": _row},
    ),
    questions=Questions(
        rules=(
            Rule(
                name="two named things and a word of relation",
                intent="relation",
                fires=_relates,
                weights={"paths": 3.0},
                shares={"graph": 1.3},
                cover={"path": 1},
            ),
            Rule(
                name="a named value and a word of measure",
                intent="lookup",
                fires=_looks_up,
                shares={"tables": 1.3},
                cover={"row": 1},
            ),
        )
    ),
    sample=Sample(
        folder=Path(__file__).parent / "sample",
        examples=(
            "Why did Smeaton shape his tower like the trunk of an oak?",
            "How tall is Cordouan Lighthouse, and when was it first lit?",
            "How is the Bell Rock connected to John Smeaton?",
        ),
        golden=Path(__file__).parent / "golden.yaml",
    ),
)
