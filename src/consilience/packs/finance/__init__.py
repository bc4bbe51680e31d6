"""A pack for finance: reports by page, their tables by SQL, and every number with its cell.

PDF reports, spreadsheets and pages become the collection `reports`: prose by section, and each
row of a table as a passage with its headings. All of it is searched by meaning and by words; the
numbers are looked up and calculated with in DuckDB. What reads files needs the `finance` extra.
"""

from __future__ import annotations

from pathlib import Path

from consilience.pack import Answers, Files, Pack, Questions, Sample
from consilience.packs.finance.extra import later, needed

_HERE = Path(__file__).parent


PACK = Pack(
    name="finance",
    summary="Reports with tables: prose, words and SQL, to the page and the cell",
    files=Files(collections={"graph": "graph", "*": "reports"}),
    questions=Questions(
        route=later("routing", "route"),
        reads=frozenset({"sql"}),
        binding=frozenset({"company", "period", "kind"}),
        has=later("routing", "has"),
        boosts=later("routing", "boosts"),
        absent=later("routing", "absent"),
    ),
    answers=Answers(
        opens=later("openings", "opens"),
        labels={"row": later("openings", "label"), "calculation": later("openings", "label")},
        pages=later("page_pictures", "pages"),
        table=later("tables.items", "whole_table"),
    ),
    sample=Sample(
        folder=_HERE / "sample",
        examples=(
            "What was the EBITDA margin of Portugal in August 2025 against budget?",
            "How did Veldmark's EBITDA develop from March to August 2025?",
            "How does Tessenhof define net debt?",
        ),
        golden=_HERE / "golden.yaml",
    ),
    ready=needed,
)
