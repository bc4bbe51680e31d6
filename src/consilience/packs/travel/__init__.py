"""A pack for travel: places as text and as a graph, and trips that are checked.

Places become the collection `places`: each is a passage that is searched and a node that is walked,
under one id, so that votes meet. What is written about them becomes `guides`.
"""

from __future__ import annotations

from pathlib import Path

from consilience.pack import (
    Answers,
    Command,
    Display,
    Files,
    KindView,
    Pack,
    Questions,
    Sample,
    Web,
)
from consilience.packs.travel.extra import later, needed
from consilience.types import Passage

_HERE = Path(__file__).parent


def _node(passage: Passage) -> str:
    """The parts of a long description tell of one place."""
    return str(passage.metadata.get("node", passage.id))


def _first(passage: Passage) -> float:
    """Of several parts the first says what the place is."""
    return -float(passage.locator.part or 0)


def _name(passage: Passage) -> str:
    """What a list calls a place."""
    return str(passage.metadata.get("name") or passage.title)


def _label(passage: Passage) -> str:
    """`Place - Old Fort, fort`."""
    fields = passage.metadata
    kind = fields.get("type") or fields.get("node_kind", "")
    return f"Place - {fields.get('name', passage.title)}{f', {kind}' if kind else ''}"


def _way(passage: Passage) -> str:
    """`Way - Hanoi to Hue by train`."""
    fields = passage.metadata
    ends = [fields.get(f"{one}_name") or fields.get(one, "") for one in ("source", "target")]
    mode = f" by {fields['mode']}" if fields.get("mode") else ""
    return f"Way - {ends[0]} to {ends[1]}{mode}"


PACK = Pack(
    name="travel",
    summary="Places as text and as a graph, and trips that are checked",
    files=Files(
        collections={"places": "places", "*": "guides"},
        identities={"place": _node},
        worth={"place": _first},
    ),
    questions=Questions(
        route=later("routing", "route"),
        has=later("refusing.absent", "has"),
        boosts=later("routing", "boosts"),
        absent=later("refusing.absent", "absent"),
        lacks=later("refusing.lacking", "lacks"),
        topics=later("refusing.absent", "topics"),
        reads=frozenset({"graph"}),
    ),
    answers=Answers(
        labels={"place": _label, "edge": _way},
        opens=later("opening", "opens"),
        displays={"place": Display(name=_name)},
    ),
    commands=(
        Command(
            name="trip",
            summary="Plan a trip: checked day by day, with every place cited and a budget that "
            "adds up.",
            load="consilience.packs.travel.commands:trip",
        ),
    ),
    web=Web(
        routes="consilience.packs.travel.web.routes:router",
        templates=_HERE / "web" / "templates",
        static=_HERE / "web" / "static",
        css="places.css",
        menu=(("trip", "Trip"),),
        tools="consilience.packs.travel.web.tools:tools",
        kinds={
            "place": KindView(
                label="Place",
                name=later("web", "place_name"),
                facts=later("web", "place_facts"),
                place=lambda where: "",
            )
        },
    ),
    settings={"refine.blend": 0.6, "refine.floor": 0.001, "refine.mmr": 1.0},
    ready=needed,
    sample=Sample(
        folder=_HERE / "sample",
        golden=_HERE / "golden.yaml",
        examples=(
            "Which places suit a romantic trip with good food?",
            "How long is the train from Hue to Da Nang?",
            "Where can a family with children go to the beach?",
        ),
    ),
)
