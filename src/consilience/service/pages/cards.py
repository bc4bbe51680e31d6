"""How is what was found shown to a person? A card for each, fitted to its kind.

The pieces of one game share a card: the best comes first, of the others their moves are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from markupsafe import Markup

from consilience.attribution import short
from consilience.render import readable
from consilience.service.pages.cells import Operand, Shown, meant, of_calculation, of_row
from consilience.service.pages.words import (
    WAYS,
    highlighted,
    kind_class,
    kind_name,
    listed,
    plural,
    relevance,
    way,
)

Found = Mapping[str, Any]
_FIELDS = 12  # of a row, at most
_NUMBER = re.compile(r"\d+")
_SEEN = re.compile(r"(\w+) \(([^()]+)\)")  # what a rule says it saw: `an opening (Najdorf)`
_LAST = re.compile(r"\d+\.+\S+(?: [^\s\d]\S*)?$")  # of a line: `5.Nc3 a6`
_STEP = re.compile(r" (→|←) \(([^()]*)\) [→←] ")
_STOP = re.compile(r"(?<!\b\w)(?<!\bSt)(?<!\bMt)(?<!\bDr)\.(?:\s|$)")
_PART = re.compile(r"(?:, )?passage \d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a chain: the relation that leads to a thing, with or against its direction."""

    relation: str
    name: str
    forward: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A result as it is shown: `hit` is the best piece, `also` names the others of its game."""

    number: int
    hit: Found
    badge: str
    colour: str
    name: str
    facts: tuple[str, ...]
    place: str
    text: Markup
    fields: tuple[tuple[str, Any], ...]
    cells: tuple[Shown, ...]
    result: str
    operands: tuple[Operand, ...]
    column: int | None
    more: int
    chain: tuple[Step, ...]
    also: str
    rating: str
    ways: str
    file: str
    copies: str
    figure: Found | None


def cards(found: Found) -> list[Card]:
    """The cards of a page, best first."""
    figures = {one["passage"]: one for one in found["drawn"]}
    rows = found.get("cells", {})
    groups: dict[tuple[str, object], list[Found]] = {}
    for hit in found["results"]:
        groups.setdefault(_of(hit), []).append(hit)
    return [
        _card(number, _told(hits, rows), _first(hits, figures), found["query"])
        for number, hits in enumerate(groups.values(), start=1)
    ]


def alone(found: Found) -> Card:
    """A passage that is shown by itself, as a card."""
    hit = {**found, "preview": found["text"], "relevance": None, "merged": (), "sources": ()}
    told = short(found["text"], found.get("cells", ()), found.get("operands", ()))
    return cards({"results": [hit], "drawn": (), "query": "", "cells": {found["passage"]: told}})[0]


def looked_for(found: Found) -> str:
    """What was seen in the question, `Najdorf, 6.Bg5`: names first, and of moves beside them the
    last ones.
    """
    seen = _SEEN.findall(found["fusion"]["rule"])
    names = [inside for kind, inside in seen if kind != "moves"]
    lines = [inside for kind, inside in seen if kind == "moves"]
    last = [_LAST.search(line) for line in lines]
    ends = [match[0] if match and names else line for match, line in zip(last, lines, strict=True)]
    return ", ".join((*names, *ends))


def held(collections: Mapping[str, Mapping[str, int]]) -> int:
    """How many passages collections hold in all."""
    return sum(sum(kinds.values()) for kinds in collections.values())


def source(citation: Found) -> dict[str, str]:
    """What is cited as a list names it: a game or text by its name and place, else its label."""
    kind, place, quote = citation["kind"], _place(citation), str(citation["quote"])
    if kind in ("edge", "path"):
        name = str(citation["label"]).partition(" - ")[2]
        return {"name": name, "place": "", "quote": quote, "marked": quote}
    if kind == "row":
        printed = "page" in citation["locator"]
        table = citation["title"] if printed else f"table {citation['title']}"
        place = ", ".join(filter(None, (table, _page(citation) if printed else place)))
    told = readable(quote) if kind == "game" else quote
    # A game is shown as people tell it; the head of its text stays as it is.
    marked = f"{quote} … {told.rstrip('”')}" if kind == "game" else quote
    return {
        "name": _name(citation, ()),
        "place": place[:1].upper() + place[1:],
        "quote": told,
        "marked": marked,
    }


def chain(hit: Found) -> tuple[Step, ...]:
    """The things that a link or a path joins, the first without a relation; or nothing."""
    if hit["kind"] not in ("edge", "path"):
        return ()
    parts = _STEP.split(hit["preview"])  # name, arrow, relation, name, arrow, relation, name …
    wanted = int(hit["metadata"].get("length", 1))
    if len(parts) < 3 * wanted + 1:
        return ()
    parts = [*parts[: 3 * wanted], _end(hit, parts[3 * wanted])]
    first = Step(relation="", name=parts[0])
    steps = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    return (first, *(Step(relation=what, name=to, forward=sign == "→") for sign, what, to in steps))


def _end(hit: Found, rest: str) -> str:
    """The last thing of a chain, before the sentences that tell of it."""
    named = str(hit["title"]).rpartition(" → ")[2]
    if hit["kind"] == "path" and rest.startswith(named):
        return named
    stop = _STOP.search(rest)
    return rest[: stop.start()] if stop else rest


def _of(hit: Found) -> tuple[str, object]:
    """What a hit is a piece of: its game, or nothing but itself."""
    game = hit["metadata"].get("game") if hit["kind"] == "game" else None
    return (hit["document"], game) if game is not None else ("", hit["passage"])


def _told(hits: Sequence[Found], rows: Mapping[str, Found]) -> list[Found]:
    """Hits, each with the numbers that it holds."""
    return [{**hit, "numbers": rows.get(hit["passage"], {})} for hit in hits]


def _first(hits: Sequence[Found], figures: Mapping[str, Found]) -> Found | None:
    """The figure of the best piece that has one: an introduction has none."""
    return next((figures[hit["passage"]] for hit in hits if hit["passage"] in figures), None)


def _card(number: int, hits: Sequence[Found], figure: Found | None, question: str) -> Card:
    best, others = hits[0], hits[1:]
    steps, place = chain(best), _place(best) if best["kind"] == "game" else ""
    shown = of_row(best["numbers"], question)
    return Card(
        number=number,
        hit=best,
        badge=kind_name(best["kind"]),
        colour=kind_class(best["kind"]),
        name=_name(best, steps),
        facts=tuple(_facts(best)),
        place=place[:1].upper() + place[1:],
        text=highlighted(_text(best, steps), question),
        fields=_fields(best),
        cells=shown,
        result=_result(best),
        operands=of_calculation(best["numbers"]),
        column=meant(shown),
        more=_more(best["numbers"], len(shown)),
        chain=steps,
        also=_also(others) if others else "",
        rating=relevance(best["relevance"]),
        ways=_ways(best),
        file=_file(best),
        copies=plural(len(best["merged"]), "copy", "copies") if best["merged"] else "",
        figure=figure,
    )


def _name(hit: Found, steps: Sequence[Step]) -> str:
    """What a card is called; a thing, a row and a link by what they are about."""
    known = hit["metadata"]
    if named := _named(hit):
        return named
    if hit["kind"] in ("node", "place", "row") and known.get("name"):
        return str(known["name"])
    if hit["kind"] == "row":
        return str(next((one for one in known.values() if isinstance(one, str)), hit["name"]))
    if steps:
        return f"{steps[0].name} → {steps[-1].name}"
    return str(hit["name"]).removesuffix(f" ({hit['title']})")


def _named(hit: Found) -> str:
    """What numbers of a table are called: by their label, or by what is counted of whom."""
    known, label = hit["metadata"], hit.get("numbers", {}).get("label")
    if not label and hit["kind"] == "calculation":
        label = str(hit.get("quote", "")).partition(": ")[0]
    if not label and hit["kind"] == "row" and known.get("metric"):
        label = ", ".join(_listed(one) for one in (known["metric"], known.get("entity")) if one)
    return str(label or "")


def _facts(hit: Found) -> list[str]:
    """What is known of it beside its name, as one would say it of its kind."""
    known = hit["metadata"]
    match hit["kind"]:
        case "game":
            return _game(hit)
        case "node":
            told = [known.get("node_kind"), ", ".join(map(str, known.get("aliases") or ()))]
        case "place":
            return _whereabouts(known)
        case "edge" | "path":
            told = [plural(int(known["length"]), "step") if known.get("length") else ""]
        case "row" | "calculation" if hit["numbers"]:
            company = str(known.get("company", ""))
            told = ["" if company in hit["title"] else company, hit["title"], _page(hit)]
        case "row":
            told = [f"table {hit['title']}", _place(hit)]
        case _:
            told = [known.get("author"), _place(hit)]
    return [str(one) for one in told if one]


def _whereabouts(known: Found) -> list[str]:
    """What a place is, of which level, what it costs; and whether it is only an example."""
    price, currency = known.get("price"), known.get("currency")
    told = [known.get("type") or known.get("node_kind"), known.get("level")]
    if isinstance(price, int | float):
        amount = f"{price:,.2f}".removesuffix(".00")
        told.append(f"{amount} {currency or ''}".strip() if price else "free")
    return [str(one) for one in (*told, "invented" if known.get("invented") else "") if one]


def _game(hit: Found) -> list[str]:
    """Where a game was played and how it ended, or of which course it is; then its opening."""
    known, name = hit["metadata"], _name(hit, ())
    course = known.get("course")
    place = [course] if course else [known.get("event"), known.get("site"), known.get("year")]
    told = [str(one) for one in place if one and "://" not in str(one)]
    if not told and hit["title"] != name:
        told = [hit["title"]]
    opening, eco = known.get("opening"), known.get("eco")
    named = f"{opening} ({eco})" if opening and eco else opening or eco
    told += [str(one) for one in (known.get("result"), named) if one]
    return [one for one in dict.fromkeys(told) if one not in name]


def _place(hit: Found) -> str:
    """`moves 12–18` of a game; of other texts the place where they stand, without its piece."""
    where = str(hit["where"])
    if hit["kind"] == "game":
        return where.rpartition(", ")[2]
    if hit["kind"] == "row":
        return f"row {hit['locator']['row']}" if "row" in hit["locator"] else where
    return "" if hit["kind"] in ("node", "place", "edge", "path") else _PART.sub("", where)


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _more(numbers: Found, shown: int) -> int:
    """How many cells, or operands, a card has no room for."""
    return int(numbers.get("more", 0)) + (len(numbers["cells"]) - shown if shown else 0)


def _page(hit: Found) -> str:
    """On which page a row stands, in which table, and where in it."""
    at = hit["locator"]
    return ", ".join(f"{part} {at[part]}" for part in ("page", "table", "row") if part in at)


def _result(hit: Found) -> str:
    """What a calculation comes to."""
    if hit["kind"] != "calculation":
        return ""
    return str(hit["metadata"].get("result") or str(hit["preview"]).partition("\n")[0])


def _text(hit: Found, steps: Sequence[Step]) -> str:
    """The preview, without what stands above it already."""
    text, kind = str(hit["preview"]), hit["kind"]
    if kind == "row" and (hit["numbers"] or _fields(hit)):
        return ""
    if "formula" in hit["numbers"]:
        return str(hit["numbers"]["formula"])
    if kind == "node":
        stop = _STOP.search(text)
        named = stop and text.startswith(str(hit["metadata"].get("name", "")))
        return text[stop.end() :] if stop and named else text
    if steps:
        return " ".join(_sentences(_STEP.split(text)[3::3]))
    heading = _place(hit).rpartition(" › ")[2].partition(", page")[0]
    rest = text.removeprefix(f"{heading} ")
    return rest if "page" in hit["locator"] and rest[:1].isupper() else text


def _sentences(told: Sequence[str]) -> Iterator[str]:
    """What links say of themselves, without the names of what they join."""
    for part in told:
        stops = list(_STOP.finditer(part))
        if len(stops) > 1:
            yield part[stops[0].end() : stops[-1].start() + 1]
        elif part.endswith("…") and stops:
            yield part[stops[0].end() :]


def _fields(hit: Found) -> tuple[tuple[str, Any], ...]:
    """The fields of a row, as a table shows them."""
    if hit["kind"] != "row" or hit["numbers"]:
        return ()
    name = _name(hit, ())
    shown = [
        (field.replace("_", " "), value)
        for field, value in hit["metadata"].items()
        if str(value) != name
    ]
    return tuple(shown[:_FIELDS])


def _also(hits: Sequence[Found]) -> str:
    """`moves 12–18, 25–31`, in the order of the game; what touches is joined."""
    places = dict.fromkeys(_place(hit) for hit in hits)
    joined: list[list[int]] = []
    for numbers in sorted([int(one) for one in _NUMBER.findall(place)] for place in places):
        if joined and numbers and numbers[0] <= joined[-1][1] + 1:
            joined[-1][1] = max(joined[-1][1], numbers[-1])
        elif numbers:
            joined.append([numbers[0], numbers[-1]])
    words = [place for place in places if not _NUMBER.search(place)]
    ranges = ", ".join(f"{a}–{b}" if a != b else str(a) for a, b in joined)
    return ", ".join([*words, *([f"moves {ranges}"] if ranges else [])])


def _ways(hit: Found) -> str:
    """By which ways it was found, `words, meaning and position`."""
    order = list(WAYS.values())
    found = dict.fromkeys(way(source).partition(" with ")[0] for source in hit["sources"])
    ranked = sorted(found, key=lambda one: order.index(one) if one in order else len(order))
    return listed(ranked)


def _file(hit: Found) -> str:
    """In which file it stands, and there in which game."""
    game = f", game\N{NO-BREAK SPACE}{number}" if (number := hit["metadata"].get("game")) else ""
    return f"{PurePath(hit['document']).name}{game}"
