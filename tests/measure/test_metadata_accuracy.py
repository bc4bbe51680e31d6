"""What is read from questions is measured on labels, and acted on only where it is right."""

import json
from dataclasses import replace

import pytest

from consilience.engine.plan import Knowledge
from consilience.errors import UsageError
from consilience.measure.metadata_accuracy import (
    concerns_workspace,
    measure_fields,
    read_labels,
    unread_setting,
)
from consilience.pack import Files, Pack, Questions
from consilience.settings import build_settings
from consilience.types import Boost, Filter

LABELS = """
- {text: sales of Acme in 2024, company: Acme, period: "2024", set: tuning}
- {text: sales of Acme in May, company: Acme, period: 2024-05, set: tuning}
- {text: sales in 2023, period: "2023", set: held-out}
- {text: Acme and Umber, company: [Acme, Umber], set: held-out}
- {text: nothing is named here, set: held-out}
"""


def boosts(reading):
    """Reads companies well, and of times only whole years."""
    words = reading.text.replace(",", " ").split()
    found = [("company", one) for one in reading.known("company") if one in words]
    found += [("period", one) for one in words if one.isdigit()]
    return tuple(Boost(condition=Filter(n, "=", v), factor=0.1, reason="") for n, v in found)


@pytest.fixture
def knowledge():
    return Knowledge(
        sources={},
        sizes={},
        pack=Pack(
            name="p",
            summary="",
            files=Files(collections={"*": "c"}),
            questions=Questions(boosts=boosts),
        ),
        settings=build_settings({}),
        mentions=lambda surfaces: [],
        aliases=lambda node, collection: [],
        synonyms={},
        values=lambda field: ["Acme", "Umber"] if field == "company" else [],
    )


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.yaml"
    path.write_text(LABELS)
    return path


def test_each_field_is_counted_and_decided_on(labels, knowledge):
    found = {one.field: one for one in measure_fields(read_labels(labels), knowledge)}
    company, period = found["company"], found["period"]
    assert (company.questions, company.named, company.right, company.kept) == (5, 3, 3, True)
    assert (period.named, period.read, period.right) == (3, 2, 2)
    assert period.share == 2 / 3
    assert not period.kept
    assert period.mistakes[0].wanted == ("2024-05",)
    assert period.mistakes[0].read == ()


def test_a_field_below_four_of_five_is_left_alone(labels, knowledge):
    found = measure_fields(read_labels(labels, "tuning"), knowledge)
    assert {one.field: one.kept for one in found} == {"company": True, "period": False}
    assert unread_setting(found, "") == "period"
    assert unread_setting(found, "company, colour") == "colour, period"
    assert json.dumps([one.as_json() for one in found])


@pytest.mark.parametrize("text", ["", "questions: 3", "- 5", "- {company: Acme}", "- {text: [}"])
def test_a_file_without_labels_is_refused_with_what_to_write(tmp_path, text):
    path = tmp_path / "labels.yaml"
    path.write_text(text)
    with pytest.raises(UsageError, match="labels"):
        read_labels(path)


def test_labels_of_another_evidence_are_known_as_such(labels, knowledge):
    assert concerns_workspace(read_labels(labels), knowledge)
    elsewhere = replace(knowledge, values=lambda field: ["Zinc Works"])
    assert not concerns_workspace(read_labels(labels), elsewhere)
