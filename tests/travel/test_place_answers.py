"""Do answers about places begin with the fields that a question asks for, each cited?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from atlas_shared import place_passage

from consilience.pack import Reading
from consilience.packs.travel.answers import absent_names, place_label, way_label
from consilience.packs.travel.place_answers import open_answer
from consilience.types import Exhibit, Passage
from consilience.understand.names import Mention

FORT = """Old Fort (Citadel). Fort in Lindow, The Coast.
A fort on the cliff. Ramps lead everywhere, wheelchairs are lent.
Open Tu-Su 09:00-17:00. Closed on Monday. A visit takes about 1 h.
Price: 8 EUR."""
INN = "Quay Inn. Inn in Lindow, The Coast.\nRooms.\nPrice: 80 EUR for a room and night."


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
    return _exhibits(replace(fort, text=FORT), replace(inn, text=INN), way)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is the Old Fort open?",
         "Old Fort: Open Tu-Su 09:00-17:00 [1]. Closed on Monday [1]."),
        ("How much is the Old Fort?", "Old Fort: Price: 8 EUR [1]."),
        ("Can one visit the Old Fort in a wheelchair?",
         "Old Fort: Ramps lead everywhere, wheelchairs are lent [1]."),
        ("How long is the train from Lindow to Port Aurel?",
         "Lindow to Port Aurel: by train; 2 h; 9 EUR [3]."),
        ("Romantic places to stay in Lindow",
         "Quay Inn (inn): Price: 80 EUR for a room and night [2]."),
        ("Vegan places to stay in Lindow", ""),
        ("Romantic places to stay in Lindow with a helipad", ""),
        ("How much is a room at the Quay Inn?",
         "Quay Inn: Price: 80 EUR for a room and night [2]."),
        ("Plan me four days in Lindow", ""),
    ],
)  # fmt: skip
def test_the_answer_begins_with_what_is_asked(question: str, answer: str) -> None:
    statements = open_answer(question, _passages(), {})
    assert " ".join(statement.text for statement in statements) == answer


def test_names_that_no_place_has_are_absent() -> None:
    lindow = Mention("lindow", "places", "node", "", "lindow")
    assert absent_names(Reading(text="A car in Paris?")) == ("Paris",)
    assert absent_names(Reading(text="The weather in Lindow in May?", mentions=(lindow,))) == ()


def test_labels_name_places_and_ways() -> None:
    exhibits = _passages()
    assert place_label(exhibits[0].passage) == "Place - Old Fort, fort"
    assert way_label(exhibits[2].passage) == "Way - Lindow to Port Aurel by train"
