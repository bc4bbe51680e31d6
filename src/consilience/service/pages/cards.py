"""How is a result shown to a person? As a card that fits its kind, with its cells and figures.

What only a pack knows about its kinds comes from the `KindView` that it declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple

from markupsafe import Markup

from consilience.pack import KindView, Web
from consilience.provenance import summarize_cells
from consilience.service.pages.words import WAYS, highlighted, listed, plural, relevance, way
from consilience.understand.names import surface

Json = Mapping[str, Any]
LABELS = {
    "book": "Book",
    "document": "Text",
    "report": "Report",
    "row": "Table row",
    "node": "Thing",
    "edge": "Link",
    "path": "Path",
    "calculation": "Calculation",
}
"""The labels of the kinds that every workspace may hold."""
MAX_CELLS = 6
"""The cells of a row that a card shows: first those that answer, then from the left."""
_MAX_FIELDS = 12  # of a row
_RULE_MATCH = re.compile(r"(\w+) \(([^()]+)\)")  # what a rule says it matched: `a year (1822)`
_STEP = re.compile(r" (→|←) \(([^()]*)\) [→←] ")
_SENTENCE_END = re.compile(r"(?<!\b\w)(?<!\bSt)(?<!\bMt)(?<!\bDr)\.(?:\s|$)")
_PART = re.compile(r"(?:, )?passage \d+$")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MIN_PREFIX = 3  # letters from which on `Aug` matches `August`


class KindViews:
    """The labels and colours of kinds, and what the pack declares about its own."""

    def __init__(self, views: Mapping[str, KindView]) -> None:
        self._views = views

    def view(self, kind: str) -> KindView:
        """What the pack declares about a kind."""
        return self._views.get(kind) or KindView()

    def label(self, kind: str) -> str:
        """The name of a kind; an unknown one by its own name."""
        known = self.view(kind).label or LABELS.get(kind)
        return known or kind.replace("_", " ").capitalize() or "Text"

    def css(self, kind: str) -> str:
        """The CSS class that gives a kind its colour."""
        return f"kind-{kind}" if kind in LABELS or kind in self._views else "kind-other"


class Step(NamedTuple):
    """One step of a chain: the relation that leads to a node, along or against its direction."""

    relation: str
    name: str
    forward: bool = True


class Cell(NamedTuple):
    """A cell of a row: its headings, its text, and whether it answers the question."""

    heading: tuple[str, ...]
    text: str
    column: int | None
    meant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A result as it is shown. `hit` is the best part of it, `also` names the other parts."""

    number: int
    hit: Json
    badge: str
    colour: str
    name: str
    facts: tuple[str, ...]
    place: str
    text: Markup
    fields: tuple[tuple[str, Any], ...]
    cells: tuple[Cell, ...]
    result: str
    operands: list[Json]
    column: int | None
    more: int
    chain: tuple[Step, ...]
    also: str
    rating: str
    ways: str
    file: str
    copies: str
    figure: Json | None


class Cards:
    """Makes cards of results, for the workspaces of one pack."""

    def __init__(self, kinds: KindViews, web: Web | None = None) -> None:
        self._kinds = kinds
        self._web = web or Web()

    def cards(self, found: Json) -> list[Card]:
        """The cards of a result list, best first. Parts of the same thing share a card."""
        figures = {figure["passage"]: figure for figure in found["drawn"]}
        numbers = found.get("cells", {})
        groups: dict[tuple[str, object], list[Json]] = {}
        for result in found["results"]:
            hit = {**result, "numbers": numbers.get(result["passage"], {})}
            part_of = self._kinds.view(hit["kind"]).group(hit)
            key = ("", hit["passage"]) if part_of is None else (hit["document"], part_of)
            groups.setdefault(key, []).append(hit)
        return [
            self._card(number, hits, figures, found["query"])
            for number, hits in enumerate(groups.values(), start=1)
        ]

    def alone(self, found: Json) -> Card:
        """The card of a passage on a page of its own."""
        hit = {**found, "preview": found["text"], "relevance": None, "merged": (), "sources": ()}
        numbers = summarize_cells(found["text"], found.get("cells", ()), found.get("operands", ()))
        results = {"results": [hit], "drawn": (), "query": ""}
        return self.cards({**results, "cells": {found["passage"]: numbers}})[0]

    def looked_for(self, found: Json) -> str:
        """What the rule matched in the question."""
        return ", ".join(self._web.matches(_RULE_MATCH.findall(found["fusion"]["rule"])))

    def source(self, citation: Json) -> dict[str, str]:
        """A citation as the list of sources names it."""
        kind, place, quote = citation["kind"], self._place(citation), str(citation["quote"])
        if kind in ("edge", "path"):
            name = str(citation["label"]).partition(" - ")[2]
            return {"name": name, "place": "", "quote": quote, "marked": quote}
        if kind == "row":
            printed = "page" in citation["locator"]
            table = citation["title"] if printed else f"table {citation['title']}"
            place = ", ".join(filter(None, (table, _page(citation) if printed else place)))
        readable = self._kinds.view(kind).quote(quote)
        # The opened passage shows both forms; the page marks whichever it finds there.
        marked = quote if readable == quote else f"{quote} … {readable.rstrip('”')}"
        return {
            "name": self._name(citation, ()),
            "place": place[:1].upper() + place[1:],
            "quote": readable,
            "marked": marked,
        }

    def figure(self, figure: Json) -> dict[str, Any]:
        """A figure with a caption for each of the steps that lead to it.

        `at` is the step that is shown first, -1 where none of them is.
        """
        caption = self._web.caption
        first, _, source = str(figure["caption"]).partition(", ")
        steps = [
            {
                "name": step["name"],
                "image": step["image"],
                "caption": caption(f"After {step['name']}", step["data"]),
            }
            for step in figure["steps"]
        ]
        arrived = bool(steps) and steps[-1]["image"] == figure["image"]
        return {
            "caption": caption(first, figure["data"]),
            "image": figure["image"],
            "source": source,
            "steps": steps,
            "at": len(steps) - 1 if arrived else -1,
            "turns": bool(figure["turns"]),
        }

    def _card(
        self, number: int, hits: Sequence[Json], figures: Mapping[str, Json], question: str
    ) -> Card:
        best, others = hits[0], hits[1:]
        kind, steps = best["kind"], chain(best)
        view = self._kinds.view(kind)
        place = self._place(best) if view.place else ""
        cells = choose_cells(best["numbers"], question)
        columns = [cell.column for cell in cells if cell.meant]  # of those that answer
        drawn = (figures[hit["passage"]] for hit in hits if hit["passage"] in figures)
        return Card(
            number=number,
            hit=best,
            badge=self._kinds.label(kind),
            colour=self._kinds.css(kind),
            name=self._name(best, steps),
            facts=tuple(self._facts(best)),
            place=place[:1].upper() + place[1:],
            text=highlighted(self._text(best, steps), question),
            fields=self._fields(best),
            cells=cells,
            result=self._result(best),
            operands=_operands(best["numbers"]),
            column=columns[0] if len(columns) == 1 else None,
            more=_count_more(best["numbers"], len(cells)),
            chain=steps,
            also=view.others([self._place(hit) for hit in others]) if others else "",
            rating=relevance(best["relevance"]),
            ways=_ways(best),
            file=f"{PurePath(best['document']).name}{view.file(best)}",
            copies=plural(len(best["merged"]), "copy", "copies") if best["merged"] else "",
            figure=next(drawn, None),
        )

    def _name(self, hit: Json, steps: Sequence[Step]) -> str:
        """The title of a card: a node, a row and a link are called by what they are about."""
        known = hit["metadata"]
        if name := _table_name(hit) or self._kinds.view(hit["kind"]).name(hit):
            return name
        if hit["kind"] in ("node", "row") and known.get("name"):
            return str(known["name"])
        if hit["kind"] == "row":
            texts = (value for value in known.values() if isinstance(value, str))
            return str(next(texts, hit["name"]))
        if steps:
            return f"{steps[0].name} → {steps[-1].name}"
        return str(hit["name"]).removesuffix(f" ({hit['title']})")

    def _facts(self, hit: Json) -> list[str]:
        """What is known besides the name."""
        known, view = hit["metadata"], self._kinds.view(hit["kind"])
        facts: Sequence[object]
        if view.facts is not None:
            name = self._name(hit, ())
            return [fact for fact in dict.fromkeys(view.facts(hit, name)) if fact]
        match hit["kind"]:
            case "node":
                facts = [known.get("node_kind"), ", ".join(map(str, known.get("aliases") or ()))]
            case "edge" | "path":
                facts = [plural(int(known["length"]), "step") if known.get("length") else ""]
            case "row" | "calculation" if hit["numbers"]:
                company = str(known.get("company", ""))
                facts = ["" if company in hit["title"] else company, hit["title"], _page(hit)]
            case "row":
                facts = [f"table {hit['title']}", self._place(hit)]
            case _:
                facts = [known.get("author"), self._place(hit)]
        return [str(fact) for fact in facts if fact]

    def _place(self, hit: Json) -> str:
        """Where in its document a passage is, without the number of its part."""
        where, view = str(hit["where"]), self._kinds.view(hit["kind"])
        if view.place is not None:
            return view.place(where)
        if hit["kind"] == "row":
            return f"row {hit['locator']['row']}" if "row" in hit["locator"] else where
        return "" if hit["kind"] in ("node", "edge", "path") else _PART.sub("", where)

    def _text(self, hit: Json, steps: Sequence[Step]) -> str:
        """The preview, without what the card already shows above it."""
        text, kind = str(hit["preview"]), hit["kind"]
        if kind == "row" and (hit["numbers"] or self._fields(hit)):
            return ""
        if "formula" in hit["numbers"]:
            return str(hit["numbers"]["formula"])
        if kind == "node":
            end = _SENTENCE_END.search(text)
            named = end and text.startswith(str(hit["metadata"].get("name", "")))
            return text[end.end() :] if end and named else text
        if steps:
            return " ".join(_link_sentences(_STEP.split(text)[3::3]))
        heading = self._place(hit).rpartition(" › ")[2].partition(", page")[0]
        rest = text.removeprefix(f"{heading} ")
        return rest if "page" in hit["locator"] and rest[:1].isupper() else text

    @staticmethod
    def _result(hit: Json) -> str:
        """The result of a calculation."""
        if hit["kind"] != "calculation":
            return ""
        return str(hit["metadata"].get("result") or str(hit["preview"]).partition("\n")[0])

    def _fields(self, hit: Json) -> tuple[tuple[str, Any], ...]:
        """The fields of a row, as a table shows them."""
        if hit["kind"] != "row" or hit["numbers"]:
            return ()
        name = self._name(hit, ())
        fields = [
            (field.replace("_", " "), value)
            for field, value in hit["metadata"].items()
            if str(value) != name
        ]
        return tuple(fields[:_MAX_FIELDS])


# --- links and paths --------------------------------------------------------------------


def chain(hit: Json) -> tuple[Step, ...]:
    """The nodes that a link or a path joins, the first without a relation; else empty."""
    if hit["kind"] not in ("edge", "path"):
        return ()
    parts = _STEP.split(hit["preview"])  # name, arrow, relation, name, arrow, relation, name …
    length = int(hit["metadata"].get("length", 1))
    if len(parts) < 3 * length + 1:
        return ()
    parts = [*parts[: 3 * length], _last_node(hit, parts[3 * length])]
    first = Step(relation="", name=parts[0])
    steps = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    return (first, *(Step(relation=what, name=to, forward=sign == "→") for sign, what, to in steps))


def _last_node(hit: Json, rest: str) -> str:
    """The last node of a chain, before the sentences about it."""
    title = str(hit["title"]).rpartition(" → ")[2]
    if hit["kind"] == "path" and rest.startswith(title):
        return title
    end = _SENTENCE_END.search(rest)
    return rest[: end.start()] if end else rest


def _link_sentences(parts: Sequence[str]) -> Iterator[str]:
    """What links say, without the names of the nodes that they join."""
    for part in parts:
        ends = list(_SENTENCE_END.finditer(part))
        if len(ends) > 1:
            yield part[ends[0].end() : ends[-1].start() + 1]
        elif part.endswith("…") and ends:
            yield part[ends[0].end() :]


def _ways(hit: Json) -> str:
    """How it was found: `words, meaning and position`."""
    order = list(WAYS.values())
    ways = dict.fromkeys(way(source).partition(" with ")[0] for source in hit["sources"])
    return listed(sorted(ways, key=lambda w: order.index(w) if w in order else len(order)))


# --- rows and calculations --------------------------------------------------------------


def _table_name(hit: Json) -> str:
    """The name of numbers from a table: their label, or what is measured of what."""
    known, label = hit["metadata"], hit.get("numbers", {}).get("label")
    if not label and hit["kind"] == "calculation":
        label = str(hit.get("quote", "")).partition(": ")[0]
    if not label and hit["kind"] == "row" and known.get("metric"):
        parts = (known["metric"], known.get("entity"))
        label = ", ".join(
            ", ".join(map(str, part)) if isinstance(part, list | tuple) else str(part)
            for part in parts
            if part
        )
    return str(label or "")


def _count_more(numbers: Json, shown: int) -> int:
    """How many cells, or operands, a card has no room for."""
    return int(numbers.get("more", 0)) + (len(numbers["cells"]) - shown if shown else 0)


def _page(hit: Json) -> str:
    """On which page a row is, in which table, and where in it."""
    at = hit["locator"]
    return ", ".join(f"{part} {at[part]}" for part in ("page", "table", "row") if part in at)


def choose_cells(row: Json, question: str) -> tuple[Cell, ...]:
    """The cells of a row that fit on a card, with those marked that answer a question.

    Those answer that a source is sure of, else those whose headings the question names.
    """
    cells: Sequence[Json] = row.get("cells", ())
    sure = {at for at, cell in enumerate(cells) if cell.get("sure")}
    meant = sure or _named_cells(cells, question)
    first = sorted(range(len(cells)), key=lambda at: (at not in meant, at))[:MAX_CELLS]
    return tuple(
        Cell(
            heading=tuple(cells[at]["heading"].split(" › ")),
            text=cells[at]["text"],
            column=cells[at]["column"],
            meant=at in meant,
        )
        for at in sorted(first)
    )


def _operands(numbers: Json) -> list[Json]:
    """The numbers of a calculation, in the order of its formula, and where each comes from."""
    operands: list[Json] = []
    for operand in numbers.get("operands", ()):
        file = PurePath(str(operand.get("document") or "")).name
        page = f"page {operand['page']}" if operand.get("page") else ""
        operands.append(
            {
                "passage": str(operand["passage"]),
                "name": ", ".join(filter(None, (operand["label"], operand["heading"]))),
                "text": operand["text"],
                "place": ", ".join(filter(None, (file, page))),
                "column": operand["column"],
            }
        )
    return operands


def _named_cells(cells: Sequence[Json], question: str) -> set[int]:
    """The positions of the cells whose headings and periods share most words with a question.

    Among equals the one with fewer other words wins. A plan or a change is meant only where the
    question says so.
    """
    asked = _tokens(question)
    scores = [_score(cell, asked) for cell in cells]
    best = max(scores, default=(0, 0))
    named = {at for at, score in enumerate(scores) if score == best}
    actual = {at for at in named if cells[at].get("basis", "actual") == "actual"}
    named = actual or named
    return named if best[0] and (len(named) < len(cells) or len(cells) == 1) else set()


def _score(cell: Json, asked: set[str]) -> tuple[int, int]:
    """How many words of a question name a cell, and how few other words its heading has.

    A cell of another month than the question names scores nothing.
    """
    heading, period = _tokens(cell["heading"]), _period_words(str(cell.get("period", "")))
    months = {month for month in _MONTHS if any(_same(month, word) for word in asked)}
    if months and period.intersection(_MONTHS) - months:
        return 0, 0
    shared = {word for word in asked if any(_same(own, word) for own in heading | period)}
    others = [own for own in heading if not any(_same(own, word) for word in asked)]
    return len(shared), -len(others)


def _period_words(period: str) -> set[str]:
    """The words of a period: `2025-08` is `2025` and `august`."""
    year, _, rest = period.partition("-")
    month = _MONTHS[int(rest) - 1] if rest.isdecimal() and 1 <= int(rest) <= 12 else ""
    return {word for word in (year, month) if word}


def _tokens(text: str) -> set[str]:
    return set(_TOKEN.findall(surface(text)))


def _same(word: str, asked: str) -> bool:
    """`2025` and `25`, `august` and `aug`, or the same word."""
    if word.isdecimal() or asked.isdecimal():
        return word == asked or (len(word) == 2 and len(asked) == 4 and asked[2:] == word)
    short, long = sorted((word, asked), key=len)
    return short == long or (len(short) >= _MIN_PREFIX and long.startswith(short))
