"""What is counted, and of whom? The parts around a number, told apart by evidence.

The parts of a row's label, of its column's headings and of the table's caption are measures, names
or neither. A table counts the same thing in two ways: its rows are measures (an income
statement), or its columns are (plants with their volumes and prices), or its caption names the
one measure of all its numbers (`Revenue by segment`). Which it is follows from how many labels
and headings have words of measures; where nothing tells, rows are measures.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from consilience.packs.finance.notation.measures import CURRENCIES, measure_of
from consilience.packs.finance.shapes import BETWEEN
from consilience.packs.finance.tables.labels import Part, is_total, is_whole, sections_of, total_of
from consilience.packs.finance.tables.lattice import is_basis, is_unit, tidy, without_periods
from consilience.packs.finance.tables.lists import listed
from consilience.packs.finance.tables.wording import (
    cleaned,
    evidence,
    is_amount,
    is_generic,
    is_plain,
    parted,
    place_in,
    unmarked,
    words_of,
)

Axis = Literal["rows", "columns", "caption"]
_BY = re.compile(
    r"\s+(?:by|per|nach|pro|je|par|por|per)\s+(?!share\b|aktie\b|action\b|acción\b|ação\b)", re.I
)

_AT_END = re.compile(
    r"(?i),?\s+(?:(?:as )?(?:at|of) )?(?:the )?(?:end of (?:the )?(?:period|month|quarter|year)|"
    r"(?:month|year|quarter|period)[\s-]end)$|\s+(?:am|zum) (?:monats|jahres|quartals)ende$"
)
_PIECES = re.compile(r"\s+[–—|-]\s+|\s*:\s+")
_AND = re.compile(r"\s+(?:and|und|et|y|e)\s+|\s*[&,]\s+")
_NUMBERED = re.compile(
    r"(?i)^(?:(?:table|tabelle|tab\.?|figure|note|exhibit|schedule|tableau|tabla|tabela|cuadro|"
    r"quadro)\s*[\dA-Z]+(?:\.\d+)*\s*[.:–-]?|\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}[.)]|\([a-z\d]\))\s+"
)


_LEADS = re.compile(
    r"(?i)^(?:the )?(?:following|below|above) (?:(?:table|schedule|chart|summary)s?(?: below)? )?"
    r"(?:also )?(?:shows?|presents?|summari[sz]es?|provides?|sets? (?:forth|out)|details?|"
    r"reflects?|represents?|discloses?|lists?|gives?|is|are|contains?) "
    r"(?:information (?:about|on|regarding) )?"
)
_OF = re.compile(
    r"(?i)^(?:the |our |its |an? )?(?:(?:components|summary|breakdown|details|reconciliation) of )*"
    r"(?:the |our |its |an? )?(?=\w{3})"
)
_FOLLOWS = re.compile(
    r"(?i)(?: for the (?:periods|years) (?:indicated|presented)| as of the dates? indicated)|"
    r"(?:,| (?:is|are|was|were|consists?|consisted|comprises?|comprised|include[sd]?))*"
    r"(?: (?:as follows?|follows?|summari[sz]ed (?:below|as follows)|(?:of )?the following|"
    r"shown below|presented below))\b(?=[\s:(*.]*(?:\(|$|:))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """How a table is to be read: where its measures stand, and what its caption names.

    `named` are labels that stand under several sections: of such and the sections over them, one
    is what is counted and the other one of whom.
    """

    axis: Axis
    subject: str
    place: tuple[str, ...]
    named: frozenset[str]
    names: frozenset[int]


def roles_of(
    paths: Mapping[int, Sequence[Part]],
    columns: Iterable[Sequence[str]],
    corner: Mapping[int, str],
    around: tuple[Sequence[str], Sequence[str]],
) -> Roles:
    """How the table with these labels and headings is read; `around` it stand its titles and
    caption, and the headings of its sections, the nearest first.
    """
    context = (*around[0], *around[1])
    paths = {row: [one for one in path if cleaned(one.text)] for row, path in paths.items()}
    inner = [cleaned(path[-1].text) for path in paths.values() if path]
    said = [evidence(text) for text in inner if text and not is_total(text)]
    heads = [parts for path in columns if (parts := _told(path))]
    rows = _share([one == "metric" for one in said])
    tops = _share([any(evidence(part) == "metric" for part in parts) for parts in heads])
    names = frozenset(c for c, text in corner.items() if _heads(text, "entity_headings"))
    measures = any(_heads(text, "metric_headings") for text in corner.values())
    places = _share([one == "name" for one in said]) > 0.5
    subject = _subject((*corner.values(), *context), set(inner))
    sections = sections_of(paths)
    return Roles(
        axis=_axis(rows, tops, measures=measures, names=bool(names) or places, subject=subject),
        subject=subject or _title(around[0]),
        place=_place(context),
        named=frozenset(text for text, outer in sections.items() if len(outer) > 1),
        names=names,
    )


def _axis(rows: float, tops: float, *, measures: bool, names: bool, subject: str) -> Axis:
    if measures or (rows >= 0.5 and not names):
        return "rows"
    if tops > 0 and tops >= rows:
        return "columns"
    if names or (subject and rows < 0.34):
        return "caption"
    return "rows"


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 0.0


def _heads(text: str, name: str) -> bool:
    words = words_of(text)
    return 0 < len(words) <= 3 and words[-1] in listed(name)


def _told(path: Iterable[str]) -> list[str]:
    return [
        piece for text in path if (bare := cleaned(text, heading=True)) for piece in parted(bare)
    ]


def _subject(context: Iterable[str], rows: Collection[str]) -> str:
    """What a caption says is counted: `Revenue` of `Revenue by segment (in EUR million)`.

    Of two measures, one that has rows of its own is not that of the others.
    """
    for text in context:
        before = _AT_END.sub("", _BY.split(_numberless(text))[0])
        pieces = [cleaned(one, heading=True) for one in _PIECES.split(before)]
        for piece in (*pieces, *re.split(r",\s+", before)):
            both = [one for one in _AND.split(piece) if one]
            if len(both) > 1 and all(evidence(one) == "metric" for one in both):
                piece = next((one for one in both if one not in rows), piece)  # noqa: PLW2901
            found = [one for one in parted(piece) if evidence(one) == "metric"]
            if found and len(words_of(found[0])) <= 6:
                return found[0]
    return ""


def _numberless(text: str) -> str:
    """A caption without its number, and without the words that lead to what it names."""
    bare = _FOLLOWS.sub("", _OF.sub("", _LEADS.sub("", _NUMBERED.sub("", text))))
    return cleaned(bare)


def _title(context: Iterable[str]) -> str:
    """What a table is called where that says more than what kind of table it is."""
    for text in context:
        bare = _BY.split(_numberless(text))[0]
        if evidence(bare) == "open" and len(words_of(bare)) <= 6:
            return bare
    return ""


def _place(context: Iterable[str]) -> tuple[str, ...]:
    for text in context:
        if found := place_in(_NUMBERED.sub("", text)):
            return tuple(found.split(BETWEEN))
    return ()


def told_apart(
    roles: Roles, label: Sequence[Part], header: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """What the number under this label and heading counts, and of whom or what."""
    left = [
        (piece, part) for part in label if (bare := _named(part.text)) for piece in parted(bare)
    ]
    top = _told(header)
    if roles.axis == "columns" or not left:
        found = _from_columns(left, top, roles)
    elif roles.axis == "caption" and _innermost([text for text, _ in left]) is None:
        found = roles.subject, [text for text, _ in left] + top
    else:
        found = _from_rows(left, top, roles)
    metric, entity = found
    return metric or _counted(header), _entity(entity, roles.place, metric)


def _named(text: str) -> str:
    """A part of a label without what is no name; a change alone is one: `Growth (%)`."""
    return cleaned(text) or (re.sub(r"\s*\(.*\)", "", unmarked(text)) if is_basis(text) else "")


def _counted(header: Sequence[str]) -> str:
    """What a column counts that is headed by a unit alone: `FTE`, `Tonnes`."""
    for text in reversed(header):
        bare = without_periods(tidy(text), bases=True)
        if bare and is_unit(bare) and (unit := measure_of(bare).unit):
            return "" if unit in CURRENCIES or unit == "%" else bare
    return ""


def _entity(parts: Iterable[str], place: Sequence[str], metric: str) -> tuple[str, ...]:
    told = list(parts)
    for at, one in enumerate(told):
        if is_whole(one) and not is_total(one):  # that of the group, whatever it stands under
            told = told[at + 1 :]
            break
    kept = [
        one
        for one in told
        if evidence(one) not in ("formal", "")
        and not is_amount(one)
        and not is_whole(one)
        and not (total_of(one) and total_of(one) in told)
    ]
    kept = list(dict.fromkeys(one for one in kept if one.casefold() != metric.casefold()))
    if place and not any(evidence(one) == "name" for one in kept):
        kept = [*(one for one in place if one not in kept), *kept]
    return tuple(kept)


def _from_columns(
    left: Sequence[tuple[str, Part]], top: Sequence[str], roles: Roles
) -> tuple[str, list[str]]:
    texts = [text for text, _ in left]
    at = _innermost(top)
    if at is None:
        said = _innermost(texts)
        if said is not None:
            return texts[said], [*texts[:said], *texts[said + 1 :], *top]
        if roles.subject:
            return roles.subject, [*texts, *top]
        if top and roles.axis == "columns":
            return top[-1], [*texts, *top[:-1]]
        return (texts[-1], [*texts[:-1], *top]) if texts else (_joined(top), [])
    metric = _joined(top[at:]) if at < len(top) - 1 else _full(top, at)
    return metric, [*texts, *(one for one in top[:at] if evidence(one) != "metric")]


def _from_rows(
    left: Sequence[tuple[str, Part]], top: Sequence[str], roles: Roles
) -> tuple[str, list[str]]:
    texts = [text for text, _ in left]
    at = _innermost(texts)
    if at is None:
        return _from_open_rows(left, top, roles)
    inner = texts[at + 1 :]
    if inner and is_generic(inner[-1]) and not is_total(inner[-1]):
        metric, rest = _joined([texts[at], inner[-1]]), inner[:-1]
    else:
        metric, rest = _full(texts, at), list(inner)
    outer = [text for text in texts[:at] if not is_plain(text) and text not in metric]
    return metric, [*outer, *rest, *top]


def _from_open_rows(
    left: Sequence[tuple[str, Part]], top: Sequence[str], roles: Roles
) -> tuple[str, list[str]]:
    """Where no part of the label has a word of a measure: the innermost that is no known name,
    with the section over it, unless it comes again under others: then those are the names.
    """
    texts = [text for text, _ in left]
    open_ones = [
        at
        for at, (text, part) in enumerate(left)
        if part.column not in roles.names and evidence(text) == "open" and not is_total(text)
    ]
    if not open_ones:
        return roles.subject or ("" if any(map(_is_place, texts)) else texts[-1]), [*texts, *top]
    at = open_ones[-1]
    rest = [*texts[:at], *texts[at + 1 :]]
    over = at - 1 if at - 1 in open_ones and left[at - 1][1].column is None else None
    if over is not None and left[at][1].text not in roles.named:
        return _joined(texts[over : at + 1]), [*texts[:over], *texts[at + 1 :], *top]
    return texts[at], [*rest, *top]


def _is_place(text: str) -> bool:
    return evidence(text) == "name"


def _innermost(texts: Sequence[str]) -> int | None:
    return next((at for at in reversed(range(len(texts))) if evidence(texts[at]) == "metric"), None)


def _full(texts: Sequence[str], at: int) -> str:
    """A part with the one over it where it says too little alone: `Earnings per share › Basic`."""
    if at > 0 and is_generic(texts[at]) and evidence(texts[at - 1]) == "metric":
        return _joined(texts[at - 1 : at + 1])
    return texts[at]


def _joined(parts: Sequence[str]) -> str:
    return BETWEEN.join(parts)
