"""What the tests of the gate share: the workspace as it stands now."""

from consilience.measure.gate import WorkspaceState
from consilience.measure.runs import recorded_settings
from consilience.measure.seen_questions import SeenQuestions
from consilience.settings import Settings


def now(**more):
    values = {
        "fingerprint": "f",
        "settings": recorded_settings(Settings()),
        "golden": "d",
        "key": "k",
        "seen": SeenQuestions(),
    }
    return WorkspaceState(**{**values, **more})
