"""What is told of a place that a question names: its price, hours, months, and remarks on it?

Each fact is a sentence that cites the passage it stands in. Of a remark those sentences are told
that speak of the months or things of the question, else its first ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from consilience.packs.travel.answering import facts
from consilience.packs.travel.answering.facts import name_of
from consilience.packs.travel.answering.scene import Scene, node_of
from consilience.packs.travel.meeting import CONTAINERS, kind_of
from consilience.packs.travel.vocabulary import months_in
from consilience.types import Exhibit, Statement
from consilience.understand.names import surface

SENTENCES = 3
"""Sentences of one remark that are told."""
REMARKS = 4
"""Remarks that an answer begins with."""
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[A-ZÀ-Þ\d])")
_MONEY = re.compile(
    r"\d.*\b(?-i:[A-Z]{3})\b|[$€£¥₫]\s?\d|\d[\d.,]*\s?(?:k|dong|euros?|dollars?|baht)\b|"
    r"\b(?:ticket|fee|price|cost|charge|paid|pay)\w*\b",
    re.IGNORECASE,
)
_LEAST = 4
"""Letters of a word by which a sentence is chosen."""


def told_facts(scene: Scene) -> list[Statement]:
    """What is wanted of the places that are named; nothing where their passages do not say it."""
    found: list[Statement] = []
    for node in scene.of_role("in"):
        place = scene.place(node)
        if place is not None:
            found += [_said(place, line) for line in _lines(scene, place)]
            if scene.wanted.price and found:
                found += _of_money(scene, node)
    if found:
        found[0] = Statement(text=found[0].text, opens=True, quotes=found[0].quotes)
    return found


def _lines(scene: Scene, place: Exhibit) -> Iterator[str]:
    wanted, name = scene.wanted, name_of(place)
    if (wanted.hours or scene.limits.opened) and (hours := _open(place)):
        yield f"{name} is open {hours}"
    if wanted.price and (price := facts.price(place)):
        yield f"{name} is {price}" if price.startswith("free") else f"{name} costs {price}"
    if wanted.months and (months := facts.months(place)):
        yield f"{name} is best in {months}"
    if wanted.known and (known := facts.known_for(place)):
        yield f"{name} is known for {known}"
    if kind_of(place.passage) in CONTAINERS - {"area"}:
        if wanted.days and (days := facts.days(place)):
            yield f"Stay {days} in {name}"
    else:
        yield from _of_a_sight(scene, place)


def _of_a_sight(scene: Scene, place: Exhibit) -> Iterator[str]:
    wanted, name = scene.wanted, name_of(place)
    if wanted.visit and (visit := facts.visit(place)):
        yield f"A visit to {name} takes about {visit}"
    if wanted.dishes and (dishes := facts.serves(place)):
        yield f"{name} serves {dishes}"
    if wanted.where and (where := facts.where(place)):
        yield f"{name} is in {where}"
    if _asks_features(scene) and (features := facts.features(place)):
        yield f"{name} has these features: {features}"


def _asks_features(scene: Scene) -> bool:
    nodes = (node for one in scene.asked.interests for node in one.nodes)
    return any(node.startswith("feature:") for node in nodes)


def _open(place: Exhibit) -> str:
    """`Tu-Su 08:00-17:00 and closed on Monday`."""
    if "Open day and night." in place.text:
        return "day and night"
    hours, closed = facts.hours(place), facts.closed(place)
    return f"{hours} and closed on {closed}" if hours and closed else hours


def remarks(scene: Scene, nodes: Sequence[str] = ()) -> list[Statement]:
    """What is remarked on some places, else those that are named, on the subjects of a question."""
    nodes = nodes or [*scene.of_role("in"), *scene.of_role("near")]
    own = [_of(scene, nodes, topic) for topic in scene.wanted.subjects]
    wider = [_of(scene, _over(scene, nodes), topic) for topic in scene.wanted.subjects]
    found: list[Statement] = []
    chosen = [one for some, others in zip(own, wider, strict=True) for one in (some or others)]
    for one in chosen[:REMARKS]:
        name = one.passage.locator.section[0] if one.passage.locator.section else ""
        for place, sentence in enumerate(_chosen(one.text, scene)):
            said = sentence.rstrip(".")
            head = f"{name}: " if name and not place and surface(name) not in surface(said) else ""
            found.append(_said(one, f"{head}{said}", opens=not found))
    return found


def _of(scene: Scene, nodes: Sequence[str], topic: str) -> list[Exhibit]:
    return [
        one
        for node in nodes
        for one in scene.exhibits
        if one.passage.metadata.get("about") == node and one.passage.metadata.get("topic") == topic
    ]


def _over(scene: Scene, nodes: Sequence[str]) -> list[str]:
    """The cities and regions that these places are in."""
    places = [one for one in scene.places if node_of(one) in nodes]
    over = (one.passage.metadata.get(field) for one in places for field in ("city", "region"))
    return list(dict.fromkeys(str(one) for one in over if one))


def _chosen(text: str, scene: Scene) -> list[str]:
    """The sentences of a remark that speak of the question, in their order; else the first."""
    sentences = _SENTENCE.split(text.strip())
    months = {*months_in(scene.rest)}
    words = {one[:5] for one in surface(scene.rest).split() if len(one) >= _LEAST}
    fits = [one for one in sentences if months & {*months_in(one)}]
    fits = fits or [one for one in sentences if words & {each[:5] for each in surface(one).split()}]
    if months and fits:
        return [one for one in sentences if one in fits][:SENTENCES]
    return sentences[:SENTENCES]


def _of_money(scene: Scene, node: str) -> list[Statement]:
    """What remarks on a place say of money."""
    return [
        _said(one, sentence.rstrip("."))
        for one in _of(scene, [node], "booking")
        for sentence in _SENTENCE.split(one.text.strip())
        if _MONEY.search(sentence) and re.search(r"\d", sentence)
    ][:1]


def _said(exhibit: Exhibit, line: str, *, opens: bool = False) -> Statement:
    line = f"{line[:1].upper()}{line[1:]}"
    return Statement(text=f"{line} [{exhibit.mark}].", opens=opens)
