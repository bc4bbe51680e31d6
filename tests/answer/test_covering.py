"""Does evidence speak of what was asked, in one place?"""

from consilience.engine.coverage import uncovered, windows
from consilience.types import Locator, Topic
from tests_shared import make_passage


def topics(*names, must=()):
    made = [Topic(names=tuple(one.split("|"))) for one in names]
    return [*made, *(Topic(names=(one,), must=True) for one in must)]


def told(*texts, title="Acme report 2024", section=()):
    return [
        make_passage(f"p{at}", text, title=title, locator=Locator(section=tuple(section)))
        for at, text in enumerate(texts)
    ]


def lost(found):
    return [one.names[0] for one in found]


def test_all_topics_in_one_sentence_are_covered_in_any_form():
    passages = told("Kilns are depreciated over 25 years. The Board proposes a dividend.")
    assert uncovered(topics("kiln", "depreciation"), passages) == ()


def test_topics_in_sentences_far_apart_are_not():
    passages = told("The dividend rose. Sales grew in Spain. Costs fell. The Board met.")
    assert lost(uncovered(topics("dividend", "costs"), passages)) in (["dividend"], ["costs"])


def test_the_sentence_before_and_the_headings_count():
    passages = told("The fire began at night. It cost nine million.", section=["Zuidhaven"])
    assert uncovered(topics("fire", "cost", "Zuidhaven"), passages) == ()


def test_a_name_may_stand_farther_off_in_the_passage():
    passages = told("Odile came ashore. Roofs were lost. The terminal was closed for nine days.")
    assert uncovered(topics("Odile", "terminal"), passages) == ()


def test_what_is_called_otherwise_is_known_by_its_other_names():
    assert uncovered(topics("Spanish|Spain", "cement"), told("In Spain cement sold well.")) == ()


def test_alike_words_are_not_one():
    assert lost(uncovered(topics("chairs"), told("The chain of shops grew."))) == ["chairs"]


def test_of_a_long_name_most_words_do():
    passages = told("Purchases of plant and equipment rose.")
    assert uncovered(topics("purchases of property, plant and equipment"), passages) == ()


def test_what_must_be_there_weighs_most():
    passages = [
        *told("Private label is what shops sell under a name of theirs.", title="Umber 2024"),
        *told("Sales were good."),
    ]
    found = uncovered(topics("private", "label", must=["Acme"]), passages)
    assert lost(found) == ["private", "label"]


def test_a_row_is_one_window():
    row = make_passage("r", "Item: Net debt. Actual: 4. Budget: 5", kind="row")
    assert len(list(windows(row))) == 1
