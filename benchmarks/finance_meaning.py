"""What do the cells of the sample mean, once they are read: true to label, period and unit?"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from consilience.packs.finance.data_model import Datum
from consilience.packs.finance.files.reports import load
from consilience.packs.finance.tables.encoding import loaded
from consilience.packs.finance.tables.wording import is_only_unit, unmarked

PACK = Path(__file__).parents[1] / "src" / "consilience" / "packs" / "finance"
NAMES = {
    "net sales": "revenue",
    "net income": "net profit",
    "sales volume": "volume",
    "employees": "headcount",
    "net debt at end of period": "net debt",
}  # what reports call the measures of the truth
UNITS = {"US$": "USD", "€": "EUR", "VZÄ": "FTE"}
SAID = ("text", "label", "heading", "metric", "period", "basis", "scale", "unit")


def truth_by_document() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(PACK / "truth" / "tables.jsonl.gz", "rt", encoding="utf-8") as file:
        for row in file:
            table = json.loads(row)
            found[table["document"]].append(table)
    return found


def meant(cell: dict[str, Any]) -> bool:
    """Whether a true cell is a number: a dash, which stands for nil, and a unit are none."""
    return "basis" in cell and any(letter.isdecimal() for letter in cell["text"])


def agree(cell: dict[str, Any], datum: Datum | None, *, title: str) -> dict[str, bool]:
    """Which parts of a cell's meaning were understood; `title` stands over all columns."""
    if datum is None:
        return dict.fromkeys(SAID, False)
    label = [unmarked(part) for part in datum.label if not is_only_unit(part)]
    money, slash, base = cell["unit"].partition("/")
    return {
        "text": datum.text == cell["text"] and datum.value == Decimal(cell["value"]),
        "label": label == [unmarked(part) for part in cell["label"]],
        "heading": list(datum.header)
        in (cell["heading"], cell["heading"][cell["heading"][:1] == [title] :]),
        "metric": named(datum.metric) == named(cell["metric"]),
        "period": (datum.period.key if datum.period else None) == cell["period"],
        "basis": datum.basis == cell["basis"],
        "scale": datum.scale == cell["scale"],
        "unit": datum.unit == UNITS.get(money, money) + slash + base,
    }


def named(metric: str) -> str:
    return NAMES.get(metric.casefold(), metric.casefold())


def understood(document: str, tables: Sequence[dict[str, Any]]) -> dict[str, Counter[str]]:
    """How many numbers of a report, by the look of their tables, are right in which way."""
    data: dict[int | None, list[Datum]] = defaultdict(list)
    for block in load(PACK / "sample" / document).blocks:
        for one in loaded(str(block.metadata.get("cells", ""))):
            data[one.page].append(one)
    german = "monatsbericht" in document
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for table in tables:
        over = {cell["heading"][0] for cell in table["cells"] if cell["heading"]}
        title = over.pop() if len(over) == 1 else ""
        for cell in filter(meant, table["cells"]):
            right = agree(cell, at_box(data[cell["page"]], cell["box"]), title=title)
            if german:
                del right["metric"]
            counts = {name: int(good) for name, good in right.items()}
            counts |= {f"{name} of": 1 for name in right}
            counts |= {"all": int(all(right.values())), "all of": 1}
            for look in ("whole", table["look"]):
                found[look].update(counts)
    return found


def at_box(data: Iterable[Datum], box: Sequence[float]) -> Datum | None:
    """The number whose middle lies in a box."""
    left, top, right, bottom = box
    for one in data:
        if one.box is None:
            continue
        x, y = (one.box.left + one.box.right) / 2, (one.box.top + one.box.bottom) / 2
        if left - 2 <= x <= right + 2 and top - 2 <= y <= bottom + 2:
            return one
    return None


def meaning(only: Sequence[str] = ()) -> dict[str, Counter[str]]:
    """The counts of all reports of the sample that are PDFs, or of some."""
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for document, tables in sorted(truth_by_document().items()):
        if document.endswith(".pdf") and (not only or document in only):
            for look, counts in understood(document, tables).items():
                total[look].update(counts)
    return total


def meaning_lines(total: dict[str, Counter[str]]) -> list[dict[str, Any]]:
    """A line a look: how many numbers, and which share of them is right in which way."""
    return [
        {
            "look": look,
            "numbers": counts["all of"],
            **{name: share(counts, name) for name in (*SAID, "all")},
        }
        for look, counts in sorted(total.items(), key=lambda one: -one[1]["all of"])
    ]


def share(counts: Counter[str], name: str) -> float:
    return round(counts[name] / max(counts[f"{name} of"], 1), 4)
