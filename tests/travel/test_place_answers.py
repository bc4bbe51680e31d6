"""How are places and ways named in answers, and which names are not here?"""

from __future__ import annotations

from atlas_shared import place_passage

from consilience.pack import Reading
from consilience.packs.travel.answers import absent_names, place_label, way_label
from consilience.types import Exhibit, Passage
from consilience.understand.names import Mention


def _exhibits(*passages: Passage) -> list[Exhibit]:
    return [
        Exhibit(mark=mark, passage=passage, label="", text=passage.text)
        for mark, passage in enumerate(passages, start=1)
    ]


def _passages() -> list[Exhibit]:
    fort = place_passage("fort", "Old Fort", "attraction", type="fort", city="lindow")
    inn = place_passage(
        "inn", "Quay Inn", "stay", type="inn", city="lindow", themes={"romance": 0.8}
    )
    way = Passage(
        id="w", collection="places", document="ways.csv", kind="edge", title="",
        text="Lindow → (is connected to) → Port Aurel: by train; 2 h; 9 EUR",
        metadata={"relation": "CONNECTED_TO", "source": "lindow", "target": "aurel",
                  "source_name": "Lindow", "target_name": "Port Aurel", "mode": "train"},
    )  # fmt: skip
    return _exhibits(fort, inn, way)


def test_names_that_no_place_has_are_absent() -> None:
    lindow = Mention("lindow", "places", "node", "", "lindow")
    assert absent_names(Reading(text="A car in Paris?")) == ("Paris",)
    assert absent_names(Reading(text="The weather in Lindow in May?", mentions=(lindow,))) == ()


def test_labels_name_places_and_ways() -> None:
    exhibits = _passages()
    assert place_label(exhibits[0].passage) == "Place - Old Fort, fort"
    assert way_label(exhibits[2].passage) == "Way - Lindow to Port Aurel by train"
