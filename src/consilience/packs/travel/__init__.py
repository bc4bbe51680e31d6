"""A pack for travel: places as text and as a graph, and trips that are checked.

Places become the collection `places`: each is a passage that is searched and a node that is walked,
under one id, so that votes meet. What is written about them becomes `guides`.
"""

from __future__ import annotations

from pathlib import Path

from consilience.packs import Pack
from consilience.packs.travel.extra import later, needed

_HERE = Path(__file__).parent

PACK = Pack(
    name="travel",
    summary="Places as text and as a graph, and trips that are checked",
    collections={"places": "places", "*": "guides"},
    route=later("routing", "route"),
    boosts=later("routing", "boosts"),
    absent=later("routing", "absent"),
    reads=frozenset({"graph"}),
    opens=later("opening", "opens"),
    ready=needed,
    sample=_HERE / "sample",
    examples=(
        "Which places suit a romantic trip with good food?",
        "How long is the train from Hue to Da Nang?",
        "Where can a family with children go to the beach?",
    ),
)
