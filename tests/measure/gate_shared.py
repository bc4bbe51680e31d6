"""What the tests of the gate share: the workspace as it stands now."""

from consilience.measure.conditions import recorded
from consilience.measure.gate.soundness import Now
from consilience.measure.seen import Seen
from consilience.settings import Settings


def now(**more):
    values = {
        "fingerprint": "f",
        "settings": recorded(Settings()),
        "golden": "d",
        "key": "k",
        "seen": Seen(),
    }
    return Now(**{**values, **more})
