"""Where are the answers to the questions? Every place that prints a figure, found in the truth.

Figures are looked up in the tables as they were drawn, in the sentences as they were told, and in
the spreadsheet and the CSV file; quotations on the pages of the PDFs. So a golden file names every
page on which its answer stands, and no page on which it does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pypdfium2
import yaml

from finance_sample import documents
from finance_sample.figures import rounded
from finance_sample.telling import Told

HERE = Path(__file__).parent
SLUGS = {"V": "veldmark", "T": "tessenhof"}
NAMES = {"veldmark": "Veldmark Materials", "tessenhof": "Tessenhof Group"}
SETS = {"golden-tuning.yaml": "tuning", "golden.yaml": "held-out"}
_PRINTED_UNITS = {"US$", "€", "%", "US$/t", "US$/m³", "€/t"}

Table = Mapping[str, Any]


class Answers:
    """Looks up what answers a question."""

    def __init__(self, tables: Sequence[Table], told: Mapping[str, Told], sample: Path) -> None:
        self.tables, self.told = tables, told
        self.cells: dict[tuple[str, ...], list[tuple[Table, Mapping[str, Any]]]] = {}
        for table in tables:
            for cell in table["cells"]:
                if cell["value"] and "entity" in cell:
                    place = (table["document"][0].upper(), *cell["entity"])
                    self.cells.setdefault(place, []).append((table, cell))
        self.pages = {path.name: _texts(path) for path in sorted(sample.glob("*.pdf"))}

    def question(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """A question as golden files have it."""
        made: dict[str, Any] = {"text": asked["text"]}
        made["category"] = asked.get("category", "unanswerable")
        if "language" in asked:
            made["language"] = asked["language"]
        if asked.get("unanswerable"):
            return made | {"unanswerable": True, "pool": ["reading"]}
        facts, values, unit = self._facts(asked)
        places = {(one["document"], one["page"]) for one in facts if "page" in one}
        judged = [{"document": name, "page": page, "grade": 3} for name, page in sorted(places)]
        judged += [one for quote in asked.get("quotes", ()) for one in self._quoted(quote)]
        judged += [
            {"document": one["document"], "grade": 2}
            for one in facts
            if "page" not in one and not places
        ]
        made["judgements"] = judged
        if "result" in asked:
            facts.append(_computed(asked["result"], values, unit))
        if facts:
            made["facts"] = facts
        return made | {"pool": ["reading"]}

    def _facts(self, asked: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[Decimal], str]:
        facts: list[dict[str, Any]] = []
        values: list[Decimal] = []
        unit = ""
        for figure in asked.get("figures", ()):
            found = list(self._figure(figure))
            if len({value for _, value in found}) != 1:
                raise ValueError(f"{asked['text']}: {figure} is printed as {found}")
            facts += _unique(fact for fact, _ in found)
            values.append(found[0][1])
            unit = found[0][0].get("unit", "")
            if _planned(figure):
                facts.append(_in_file(figure))
        for cell in asked.get("cells", ()):
            facts += list(self._cell(cell))
        for figure in asked.get("files", ()):
            facts.append(_in_file(figure))
        return facts, values, unit

    def _figure(self, figure: str) -> Iterator[tuple[dict[str, Any], Decimal]]:
        """Where a figure is printed; with a sixth part, in documents with that in their name."""
        slug, metric, place, period, *rest = figure.split("|")
        wanted = (rest[0] if rest else "") or "actual"
        entity = place.split("/") if place else []
        for table, cell in self.cells.get((slug, *entity), ()):
            if not re.search("".join(rest[1:]), table["document"]) or _basis(cell) != wanted:
                continue
            if (cell["metric"], cell["period"]) in _names(metric, period):
                yield _fact(table, cell), Decimal(cell["value"])
        yield from self._told("|".join(figure.split("|")[:5]).removesuffix("|"))

    def _told(self, figure: str) -> Iterator[tuple[dict[str, Any], Decimal]]:
        """The sentences that tell a figure; those in a table's own numbers come first."""
        for name, told in self.told.items():
            for key, phrase, value in told:
                if key != figure or phrase.startswith("minus"):
                    continue  # a minus in words is no number with a sign
                pages = [
                    number
                    for number, text in enumerate(self.pages[name], start=1)
                    if _plain(phrase) in text
                ]
                for page in pages[:1]:
                    number = re.search(r"[\d.,]*\d", phrase)
                    yield (
                        {"value": number[0] if number else "", "document": name, "page": page},
                        value,
                    )

    def _cell(self, named: str) -> Iterator[dict[str, Any]]:
        document, caption, label, heading = named.split("|")
        for table in self.tables:
            if table["document"] == document and caption in table["caption"]:
                for cell in table["cells"]:
                    if cell["label"][-1] == label and cell["heading"][-1] == heading:
                        yield _fact(table, cell)

    def _quoted(self, quote: str) -> Iterator[dict[str, Any]]:
        found = [
            (name, number)
            for name, pages in self.pages.items()
            for number, text in enumerate(pages, start=1)
            if _plain(quote) in text
        ]
        if not found:
            raise ValueError(f"no page has {quote!r}")
        for name, page in found:
            yield {"document": name, "page": page, "quote": quote, "grade": 3}


def _texts(path: Path) -> list[str]:
    with pypdfium2.PdfDocument(path) as report:
        return [_plain(page.get_textpage().get_text_bounded()) for page in report]


def _plain(text: str) -> str:
    return " ".join(text.replace("\u00ad", "").replace("\ufffe", "-").split())


def _basis(cell: Mapping[str, Any]) -> str:
    basis: str = cell["basis"]
    return "actual" if basis == "last year" else basis


def _fact(table: Table, cell: Mapping[str, Any]) -> dict[str, Any]:
    made = {"value": re.sub(r"[¹²*]", "", cell["text"]).removesuffix("%").strip()}
    if cell["unit"] in _PRINTED_UNITS:
        made["unit"] = cell["unit"]
    return made | {"document": table["document"], "page": cell["page"]}


def _unique(facts: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """One fact a page: those of tables come first, and a sentence on the same page adds nothing."""
    seen: dict[tuple[str, int], dict[str, Any]] = {}
    for fact in facts:
        seen.setdefault((fact["document"], fact["page"]), fact)
    return list(seen.values())


def _names(metric: str, period: str) -> set[tuple[str, str]]:
    """The names under which a figure is printed: net debt is a balance and ends a flow."""
    found = {(metric, period)}
    if metric == "Net debt":
        year, month = period[:4], period[5:7]
        found |= {
            ("Net debt at end of period", one)
            for one in (
                f"{year}-{month}",
                f"{year}-YTD-{month}",
                *([year] if month == "12" else []),
            )
        }
        if month == "12":
            after = str(int(year) + 1)
            keys = (after, f"{after}-01", *(f"{after}-YTD-{one:02}" for one in range(1, 13)))
            found |= {("Net debt at start of period", one) for one in keys}
        else:
            found.add(("Net debt at start of period", f"{year}-{int(month) + 1:02}"))
    return found


def _planned(figure: str) -> bool:
    """Whether the spreadsheet of the budget has a figure too."""
    slug, metric, place, period, *rest = figure.split("|")
    known = slug == "V" and metric in ("Revenue", "EBITDA") and rest[:1] == ["budget"]
    return known and "YTD" not in period and (not place or "/" in place)


def _in_file(figure: str) -> dict[str, Any]:
    slug, metric, place, period, *rest = figure.split("|")
    group = documents.group(SLUGS[slug])
    names = tuple(place.split("/")) if place else ()
    value = group.value(metric, names, period, rest[0] if rest else "actual")
    if slug == "V":
        unit = {"unit": "US$"} if metric in ("Revenue", "EBITDA") else {}
        return {"value": str(value), **unit, "document": "veldmark-budget-2025.xlsx"}
    text = documents.STYLES["tessenhof"].number(value, 1)
    return {"value": text, "unit": "FTE", "document": "tessenhof-employees-2025.csv"}


def _computed(how: str, values: Sequence[Decimal], unit: str) -> dict[str, Any]:
    first, *others = values
    if how == "sum":
        value = sum(others, first)
    elif how == "mean":
        value = rounded(sum(others, first) / len(values))
    elif how == "ratio":
        value, unit = rounded(first / others[0], 2), ""
    elif how in ("share", "growth"):
        top = first if how == "share" else first - others[0]
        value, unit = rounded(100 * top / abs(others[0])), "%"
    else:
        value = first - others[0]
        unit = unit if how == "difference" else ""
    made = {"value": str(value)}
    return made | ({"unit": unit} if unit else {})


# --- the files --------------------------------------------------------------------------


def asked(name: str) -> list[dict[str, Any]]:
    """The questions of a set, as they were written."""
    text = (HERE / f"questions-{name}.yaml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = yaml.safe_load(text)
    return found


def golden(name: str, answers: Answers) -> str:
    """A golden file of a set."""
    questions = [answers.question(one) for one in asked(name)]
    head = (
        f"# Questions on the sample of reports, {name}, with every page that answers them.\n"
        f"# Written by scripts/build_finance_sample.py from questions-{name}.yaml beside it: edit\n"
        "# that. Several facts of one value are several places that print it; a fact without a\n"
        "# document is computed from the others.\n"
    )
    body = yaml.safe_dump(
        {"name": f"reports-{name}", "questions": questions},
        allow_unicode=True, sort_keys=False, width=10_000, default_flow_style=None,
    )  # fmt: skip
    return head + body
