"""How are the reports of the `finance` sample made? From figures and texts, byte for byte.

Run `python scripts/build_finance_sample.py` after editing `scripts/finance_sample/`. It needs
reportlab (BSD) and openpyxl (MIT) beside the package. It writes the reports into the sample, and
what their tables say beside it: `truth/tables.jsonl.gz`, the golden questions with every page that
answers them, and what a reader takes from each question.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from finance_sample import asking, documents, truth

PACK = Path(__file__).parents[1] / "src/consilience/packs/finance"
SAMPLE, TRUTH = PACK / "sample", PACK / "truth"


def main() -> None:
    """Write the sample and what is true of it."""
    SAMPLE.mkdir(parents=True, exist_ok=True)
    TRUTH.mkdir(parents=True, exist_ok=True)
    tables: list[dict[str, Any]] = []
    told = {}
    for made in (*documents.reports(), *documents.others()):
        (SAMPLE / made.name).write_bytes(made.content)
        tables += truth.tables(made.name, made.sheets)
        told[made.name] = made.told
    lines = "".join(json.dumps(truth.keyed(one), ensure_ascii=False) + "\n" for one in tables)
    (TRUTH / "tables.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))
    answers = asking.Answers(tables, told, SAMPLE)
    for name, kind in asking.SETS.items():
        (PACK / name).write_text(asking.golden(kind, answers), encoding="utf-8")


if __name__ == "__main__":
    main()
