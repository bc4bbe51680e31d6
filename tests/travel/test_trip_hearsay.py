"""Sights that are only told of, animals that nobody has, and things done with them are settled."""

from dataclasses import replace

import pytest
from atlas_shared import make_atlas, place_passage
from wishes_shared import TODAY, read

from consilience.packs.travel.trips.negotiating import negotiate
from consilience.types import Passage

FAR = {"city": "farpoint", "region": "outer", "lat": -27.21, "lon": -12.11}


def _telling(key: str, name: str, text: str, **fields: object) -> Passage:
    made = place_passage(key, name, "attraction", **FAR, **fields)
    return replace(made, text=f"{name} of Velmora. {text}")


ATLAS = make_atlas(
    _telling("porter-films", "Porters' Films", "A film about Sar Dhun, the widest cave known, and "
             "slides on the Amarel Delta.", type="show"),
    _telling("lamp-street", "Lamp Street", "Stalls sell maps of Sar Dhun and the Amarel "
             "Delta, and views of the Corvane Arch.", type="street"),
    _telling("glass-hill", "Glass Hill", "The walk ends on the Corvane Arch, a bridge of wire.",
             type="park"),
    _telling("grey-wood", "Grey Wood", "Elephants roam here and are followed on foot. No riding or "
             "feeding by visitors.", type="park", features=("animals",)),
)  # fmt: skip
SETTLED = {  # text: what is told of it
    "I read about Sar Dhun, a cave. Farpoint, 3 days. Book me in to go through it": "Sar Dhun",
    "Farpoint 2 days with a stroll through Sar Dhun": "Sar Dhun",
    "tickets for Sar Dhun, Farpoint, 2 days": "Sar Dhun",
    "we'd like to see Sar Dhun, Farpoint, 3 days": "Sar Dhun",
    "Farpoint 3 days. Must do: Glass Hill and Sar Dhun": "Sar Dhun",
    "Gorilla trekking in Farpoint, 3 days": "gorilla",
    "yak riding in Farpoint, 3 days": "yak",
    "Farpoint, 3 days, we want to ride an elephant": "riding elephant",
    "elephant feeding in Farpoint, 3 days": "feeding elephant",
}
GRANTED = [
    "Farpoint, 3 days, in the evening a film about Sar Dhun",
    "we are not after Sar Dhun, just Glass Hill: Farpoint, 3 days",
    "see the Corvane Arch, Farpoint, 3 days",
    "explore the Amarel Delta from Farpoint, 3 days",
    "Farpoint, 3 days, watching elephants",
    "Farpoint, 3 days, with elephants, and riding bicycles",
    "Bear with us: Farpoint, 3 days",
]


def _told(text: str) -> list[str]:
    wish = read(text, ATLAS)
    assert wish.off_topic == ""
    return [one.wanted for one in negotiate(wish, ATLAS, today=TODAY).compromises]


@pytest.mark.parametrize("text", SETTLED)
def test_told_of_only(text: str) -> None:
    assert any(SETTLED[text] in one for one in _told(text))


@pytest.mark.parametrize("text", GRANTED)
def test_granted(text: str) -> None:
    assert _told(text) == []
