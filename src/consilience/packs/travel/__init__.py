"""A pack for travel: places as text and as a graph, and trips that are checked.

Places become the collection `places`: each is a passage that is searched and a node of the graph,
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
from consilience.packs.travel.answers import (
    absent_names,
    part_worth,
    place_key,
    place_label,
    place_name,
    way_label,
)
from consilience.packs.travel.loading import later, needed

_HERE = Path(__file__).parent


PACK = Pack(
    name="travel",
    summary="Places as text and as a graph, and trips that are checked",
    files=Files(
        collections={"places": "places", "*": "guides"},
        identities={"place": place_key},
        worth={"place": part_worth},
    ),
    questions=Questions(
        route=later("routing", "route"),
        boosts=later("routing", "boosts"),
        absent=absent_names,
        reads=frozenset({"graph"}),
    ),
    answers=Answers(
        labels={"place": place_label, "edge": way_label},
        displays={"place": Display(name=place_name)},
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
    settings={"refine.blend": 0.6, "refine.floor": 0.02, "refine.mmr": 1.0},
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
