"""A question about something that the evidence has never heard of is not answered."""

import asyncio
import math
from dataclasses import replace

import pytest

from consilience.answer.exhibits import exhibits_of
from consilience.answer.pipeline import ask
from consilience.answer.question_words import lacking, named_in, respelt, spoken, unknown_names
from consilience.engine.relevance import SIGNS, Answerable, Best, Calibration
from consilience.testing import ScriptedGenerator
from consilience.types import Hit, Query
from tests_shared import make_passage


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who built the tower on the Bell Rock?", ["Bell Rock"]),
        ("Was Robert Stevenson a pupil of John Smeaton?", ["Robert Stevenson", "John Smeaton"]),
        ("Smeaton built what?", []),  # any word may begin a sentence in capitals
        ("It burned. Who built it again?", []),
        ("WHO BUILT THE BELL ROCK TOWER?", []),
        ("Warum wurde der Turm auf dem Felsen von der Stadt gebaut?", []),  # nouns have capitals
        ("who built it?", []),
    ],
)
def test_names_are_words_in_capitals_that_begin_no_sentence(question, names):
    assert [" ".join(word.text for word in one) for one in named_in(question)] == names


def unknown(question, known="", texts=()):
    async def occurs(word):
        return word.casefold() in known.split()

    return asyncio.run(unknown_names(question, occurs=occurs, texts=lambda _: texts))


def test_a_name_that_occurs_nowhere_is_told():
    found = unknown("Who built the tower at Peggy's Cove?", known="tower built")
    assert found.words == ("Peggy's", "Cove")
    assert found.alone


def test_a_question_that_names_something_known_too_is_not_alone():
    found = unknown("Is Xanadu older than Arbroath?", known="arbroath")
    assert found.words == ("Xanadu",)
    assert not found.alone


@pytest.mark.parametrize(
    "question",
    [
        "What did the AAA say?",  # may be spelt out
        "What is Rpl23?",
        "Who signed the Maastrich treaty?",  # another spelling of what the texts have
        "Which Californian towns are there?",  # another form
    ],
)
def test_acronyms_codes_spellings_and_forms_are_no_strangers(question):
    texts = ["The treaty of Maastricht was signed.", "Californians live there."]
    assert unknown(question, texts=texts).words == ()


class Ordering:
    """A reranker whose scores only say that it compared."""

    name = "late"

    async def rerank(self, text, passages):
        return [0.5 for _ in passages]


def asked(workspace, question):
    async def run():
        engine = replace(workspace.engine, calibration=None)
        return [one async for one in ask(Query(text=question), engine)][-1].answer

    return asyncio.run(run())


def test_a_tower_that_nobody_wrote_of_has_no_answer_here(workspace):
    answer = asked(workspace, "Who built the tower at Zanzibar?")
    assert answer.abstained
    assert "“Zanzibar” occurs nowhere in the evidence" in answer.text
    assert not asked(workspace, "Who built the tower at Arbroath?").abstained


def test_one_strange_name_among_others_costs_a_note(workspace):
    answer = asked(workspace, "Did Robert Stevenson build the tower at Zanzibar?")
    assert not answer.abstained
    assert any("“Zanzibar” cannot be found" in str(note) for note in answer.notes)


def test_a_name_is_searched_again_as_the_evidence_spells_it(workspace):
    answer = asked(workspace, "Who built the tower near Arbrooth?")
    assert "Robert Stevenson" in answer.text
    assert answer.result.query.text == "Who built the tower near Arbroath?"
    assert any("“Arbrooth” was read as “Arbroath”" in str(note) for note in answer.notes)


def test_another_word_is_searched_again_as_the_evidence_spells_it(workspace):
    answer = asked(workspace, "What gave way to electrisity?")
    assert answer.result.query.text == "What gave way to electricity?"
    assert not unknown("Which zebras are there?", texts=["Lamps."]).words  # strange, but no name


def test_names_of_tables_and_graphs_are_known_for_their_spelling(workspace):
    assert "Cordouan" in workspace.catalogue.names_near(["Cordoan"])
    assert workspace.catalogue.names_near(["Xenon", "?"]) == []
    answer = asked(workspace, "What is known of Cordouann?")
    assert answer.result.query.text == "What is known of Cordouan?"


def exhibits(*texts):
    return exhibits_of(
        [Hit(passage=make_passage(str(n), one), score=1.0) for n, one in enumerate(texts)]
    )


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("What did the lamp cost in 1911?", ()),  # a year may be written otherwise
        ("Did the lamp cost Smeaton many pounds?", ("Smeaton",)),
        ("Which films or novels show the pounds?", ("films", "novels")),
        ("Which useful lamp cost pounds?", ("useful",)),
    ],
)
def test_what_a_question_asks_and_no_evidence_mentions(question, absent):
    found = exhibits("The lamp of 1811 cost many pounds.")
    assert lacking(question, found, names_only=False) == absent
    names = tuple(word for word in absent if word[0].isupper())
    assert lacking(question, found, names_only=True) == names


FEN = "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5"


@pytest.mark.parametrize(
    "question",
    [
        FEN,
        f"What did the lamp cost in {FEN}?",
        "Did the lamp cost 8/8/8/8 w many pounds?",
        "Is Sf3 d5 g3 Sf6 Lg2 with Ng1-f3 and O-O-O worth many pounds?",
        "Did the lamp cost 12...Nd5 13.Bxh7+! or e7e8q many pounds?",
        "Did ♘f3 cost many pounds?",
    ],
)
def test_moves_and_positions_are_no_words_of_a_question(question):
    found = exhibits("The lamp of 1811 cost many pounds.")
    assert lacking(question, found, names_only=True) == ()
    assert named_in(question) == []
    assert unknown(question, known="lamp cost many pounds worth", texts=["pppp"]).words == ()
    assert unknown(question, known="lamp cost many pounds worth", texts=["ppp"]).spellings == {}


def test_what_only_looks_like_moves_is_a_word():
    question = "Did the B12 plant, Bxyz or Nf34, print 1/2/1999 on A4 paper?"
    told = [word.text for word in spoken(question)]
    assert {"B12", "Bxyz", "Nf34", "1999", "A4", "paper"} <= set(told)


def test_an_answer_says_first_what_the_evidence_does_not_mention(workspace):
    answer = asked(workspace, "Did Robert Stevenson build the tower in Zanzibar?")
    first, rest = answer.text.split("\n\n", 1)
    assert first == "*Nothing that was found mentions “Zanzibar”. The nearest there is:*"
    assert "Stevenson" in rest
    assert "Nothing that was found" not in asked(workspace, "Did Robert Stevenson build it?").text


REEF = "Did Robert Stevenson build a reef tower off {}?"


def certain_of(chance):
    """A calibration under which every question has this chance of an answer."""
    base = math.log(chance / (1 - chance))
    answerable = Answerable(reranker="late", base=base, weights=dict.fromkeys(Best._fields, 0.0))
    return Calibration(
        model="words:1", base=base, weights=dict.fromkeys(SIGNS, 0.0), answerable=answerable
    )


@pytest.mark.parametrize(
    ("chance", "name", "outcome"),
    [
        (0.9, "Arbroath", "answered"),
        (0.9, "Zanzibar", "answered"),
        (0.4, "Arbroath", "doubted"),
        (0.4, "Zanzibar", "refused"),
        (0.1, "Arbroath", "refused"),
    ],
)
def test_a_question_is_answered_doubted_or_refused_by_its_chance(workspace, chance, name, outcome):
    engine = replace(workspace.engine, calibration=certain_of(chance), reranker=Ordering())
    question = REEF.format(name)

    async def run():
        return [one async for one in ask(Query(text=question), engine)][-1].answer

    answer = asyncio.run(run())
    assert answer.abstained == (outcome == "refused")
    doubted = answer.text.startswith("*This may not be answered here.")
    assert doubted == (outcome == "doubted")
    if doubted:
        assert len(answer.citations) == 1


@pytest.mark.parametrize(("chance", "refused"), [(0.4, True), (0.9, False)])
def test_where_the_evidence_is_in_doubt_a_model_that_finds_no_answer_decides(
    workspace, chance, refused
):
    generator = ScriptedGenerator(lambda prompt: "The sources do not say who paid for it.")
    engine = replace(
        workspace.engine,
        calibration=certain_of(chance),
        reranker=Ordering(),
        generator=generator,
    )

    async def run():
        return [one async for one in ask(Query(text=REEF.format("Arbroath")), engine)][-1].answer

    answer = asyncio.run(run())
    assert answer.abstained == refused
    assert any("found no answer in the evidence" in note.message for note in answer.notes)


@pytest.mark.parametrize(
    ("asked", "near"), [("Smeatn", "Smeaton"), ("Smeatonville", ""), ("springbok", "")]
)
def test_what_goes_on_behind_a_name_is_another_word(asked, near):
    (word,) = [one for one in spoken(asked) if one.telling]
    assert respelt(word, {"smeaton": "Smeaton", "spring": "Spring"}) == near
