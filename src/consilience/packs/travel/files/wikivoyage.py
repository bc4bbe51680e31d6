"""How is an article of Wikivoyage read, as its structured exports give it? As a place with guides.

The article tells of a place; its listings are places in it, of the kind that their section says
(see, do, eat, drink, sleep); its prose is text under its headings, and what it says on safety, on
getting around and on the climate are remarks on the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from consilience.evidence.loaders.common import one_line, tidy
from consilience.evidence.loaders.json_records import Json
from consilience.packs.travel.files.fields import as_text, is_empty
from consilience.packs.travel.files.nested import without_tags
from consilience.packs.travel.files.records import Content, Record
from consilience.packs.travel.files.spots import read_point
from consilience.types import Block, Locator, Value

ABOUT = "about"  # of a text's metadata: the number of the record, until its id is known
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_MARKS = re.compile(r"\*\*|'''?|(?<!\w)\*(?=\w)|(?<=[\w.])\*(?!\w)")
_BOLD = re.compile(r"\*\*([^*]{2,60})\*\*")
_KINDS = {
    "see": "attraction", "do": "activity", "eat": "restaurant", "drink": "bar", "sleep": "hotel",
    "buy": "shop", "learn": "course",
}  # fmt: skip
_SIGNS = {"f": "°F", "c": "°C"}
_TOPICS = {"stay safe": "safety", "get around": "getting_around", "climate": "season"}


@dataclass(frozen=True, slots=True)
class _Node:
    """A node of the tree, with the headings above it."""

    type: str
    values: Mapping[str, Json]
    path: tuple[str, ...]


def is_article(value: Json) -> bool:
    """Whether a JSON value is an article as the exports give it."""
    return isinstance(value, dict) and value.get("type") == "root" and "children" in value


def article_of(value: dict[str, Json], title: str) -> Content:
    """The place that an article tells of, its listings and its prose."""
    content = Content()
    nodes = [one for one in _nodes(value, ()) if one.type not in ("root", "section")]
    lead = [one for one in nodes if one.type == "text" and not one.path]
    content.records.append(_whole(value, lead, title))
    content.title = str(content.records[0].values["name"])
    content.tally.records += 1 + len(nodes)
    for at, node in enumerate(nodes, start=1):
        if node.type == "listing":
            content.records.append(_listing(node, len(content.records), f"listing {at}"))
        else:
            _add_text(content, node, f"{node.type} {at}")
    return content


def _nodes(value: Json, path: tuple[str, ...]) -> Iterator[_Node]:
    if not isinstance(value, dict):
        return
    values = value.get("properties")
    values = values if isinstance(values, dict) else {}
    kind = as_text(value.get("type"))
    if kind == "section":
        path = (*path, one_line(as_text(values.get("title"))) or "…")
    yield _Node(kind, values, path)
    children = value.get("children")
    for child in children if isinstance(children, list) else ():
        yield from _nodes(child, path)


def _whole(value: dict[str, Json], lead: list[_Node], title: str) -> Record:
    """The place itself: what the first words in bold call it."""
    said = " ".join(as_text(one.values.get("markdown")) for one in lead)
    bold = _BOLD.search(said)
    properties = value.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    guide = next((one for one in properties if re.fullmatch(r"\w*(city|region|country)", one)), "")
    kind = re.sub(r".*?(city|region|country)$", r"\1", guide) or "city"
    values: dict[str, Json] = {"name": bold[1] if bold else title, "type": kind}
    values["description"] = tidy(_readable(said))[:1500]
    point, _ = read_point(properties.get("geo"))
    if point is not None:
        values |= {"lat": point.lat, "lon": point.lon}
    return Record(number=0, where="the article", values=values)


def _listing(node: _Node, number: int, where: str) -> Record:
    values = {
        name: _readable(one) if isinstance(one, str) else one
        for name, one in node.values.items()
        if not is_empty(one)
    }
    given = as_text(values.pop("type", ""))
    section = next((one for one in node.path if one.casefold() in _KINDS), "")
    kind = _KINDS.get(given) or _KINDS.get(section.casefold(), "other")
    values = {**values, "type": kind, "section": node.path[-1] if node.path else ""}
    return Record(number=number, where=where, values=values, within=0)


def _add_text(content: Content, node: _Node, where: str) -> None:
    text = _prose(node)
    amount = _amount(node) if not text else ""
    before = content.blocks[-1] if content.blocks else None
    if amount and before is not None and before.locator.section == node.path:
        content.blocks[-1] = replace(before, text=f"{before.text} {amount}")
        content.tally.together += 1
        return
    if not text:
        what = as_text(node.values.get("name")) or node.type or "node"
        content.tally.leave_out(where, "a template without words", f" ({what})")
        return
    topic = next((_TOPICS[low] for one in node.path if (low := one.casefold()) in _TOPICS), "")
    about: dict[str, Value] = {}
    if topic and node.type == "text":
        about = {ABOUT: 0, "topic": topic}
    content.blocks.append(
        Block(text=text, locator=Locator(section=node.path), kind="text", metadata=about)
    )
    content.tally.texts += 1


def _prose(node: _Node) -> str:
    """The words of a text or of a template, whose parameters are lines."""
    if node.type == "text":
        return _readable(as_text_of_lines(node.values.get("markdown")))
    params = node.values.get("params")
    lines = [
        f"{name}: {text}" if not name.isdigit() else text
        for name, one in (params.items() if isinstance(params, dict) else ())
        if (text := _readable(as_text_of_lines(one)))
    ]
    return "\n".join(lines) if any(re.search(r"[^\W\d_]{3}", line) for line in lines) else ""


def _amount(node: _Node) -> str:
    """A number with its unit, as templates of units put it into a sentence."""
    params = node.values.get("params")
    first = as_text(params.get("1")) if isinstance(params, dict) else ""
    unit = as_text(node.values.get("name"))
    return f"{first} {_SIGNS.get(unit, unit)}" if re.fullmatch(r"[-\d.,]+", first) else ""


def as_text_of_lines(value: Json) -> str:
    """A text with its lines; empty for anything else."""
    return value if isinstance(value, str) else ""


def _readable(text: str) -> str:
    """Text without links, bold and tags of the wiki."""
    text = _WIKI_LINK.sub(r"\1", _LINK.sub(r"\1", text))
    return without_tags(_MARKS.sub("", text))
