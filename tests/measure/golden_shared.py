"""A golden set over the small mixed corpus that tests read."""

from consilience.measure.data_model import Fact, Golden, Judgement, Question
from consilience.types import Locator

DEFINED = {
    "golden set is sound",
    "every question counted",
    "every source answered",
    "shuffled labels",
    "labels not from a ranker",
    "not tuned on these questions",
    "off-topic questions refused",
}
"""The controls that every evaluation runs."""


def _asked(key, text, category, *judgements, **more):
    return Question(id=key, text=text, category=category, judgements=judgements, **more)


GOLDEN = Golden(
    name="lights",
    questions=(
        _asked(
            "arbroath",
            "Who built a tower on a reef off Arbroath?",
            "open",
            Judgement(
                document="towers.md",
                locator=Locator(section=("Bell Rock",)),
                quote="Robert Stevenson built a tower on a reef",
                grade=3,
            ),
            Judgement(document="people.graph.jsonl", quote="Stevenson built it.", grade=2),
        ),
        _asked(
            "prisms",
            "What did Fresnel arrange around a lamp?",
            "open",
            Judgement(document="lamps.txt", quote="Fresnel arranged prisms in rings", grade=3),
        ),
        _asked(
            "granite",
            "How were granite blocks joined?",
            "open",
            Judgement(document="towers.md", quote="dovetailed granite blocks", grade=3),
        ),
        _asked(
            "cordouan",
            "How tall is Cordouan?",
            "row",
            Judgement(document="lights.csv", fields={"name": "Cordouan"}, grade=3),
            facts=(Fact(value="67"),),
        ),
        _asked(
            "england",
            "Which light stands in England?",
            "row",
            Judgement(document="lights.csv", fields={"name": "Eddystone"}, grade=3),
        ),
        _asked(
            "studied",
            "Whose tower did Robert Stevenson study?",
            "relation",
            Judgement(document="people.graph.jsonl", quote="He studied the tower.", grade=3),
        ),
        Question(id="sourdough", text="How long does sourdough prove?", unanswerable=True),
    ),
)
