"""What is said when nothing answers: over a real search of a small corpus."""

import asyncio
from dataclasses import replace

import pytest

from consilience.answer.question_words import words_of
from consilience.answer.refusal import SEARCHES, SUGGESTIONS, refuse, word_in
from consilience.engine import search
from consilience.engine.relevance import Calibration
from consilience.text_markup import find_marks
from consilience.types import MISSING, Filter, Note, Outcome, Query
from consilience.understand.words import language_of
from tests_shared import make_passage

# Half of the question's words in one passage are enough, and little else is.
CALIBRATION = Calibration(
    model="words:1", base=-6.0, weights={"meaning": 0.0, "words": 9.0, "first": 1.0}
)


class Desk:
    """A workspace that abstains, and a count of the searches made for a refusal."""

    def __init__(self, workspace):
        self.catalogue = workspace.catalogue
        settings = workspace.settings
        settings = replace(settings, refine=replace(settings.refine, floor=0.2))
        self.engine = replace(workspace.engine, calibration=CALIBRATION, settings=settings)
        self.asked = []

    async def search(self, query):
        self.asked.append(query)
        return await search(query, self.engine)

    def found(self, text, **more):
        return asyncio.run(search(Query(text=text, **more), self.engine))

    def refused(self, result, **more):
        values = {
            "counts": self.engine.knowledge.sizes,
            "has_word": word_in(self.catalogue.with_phrase),
            "search": self.search,
            **more,
        }
        return asyncio.run(refuse(result, **values))

    def refuse(self, text, names=(), budget_ms=20_000, **more):
        result = self.found(text, **more)
        assert result.abstained or not result.hits
        return self.refused(result, names=names, budget_ms=budget_ms)


@pytest.fixture
def desk(workspace):
    return Desk(workspace)


def test_it_says_what_was_searched_and_what_is_missing(desk):
    told = desk.refuse("How long does sourdough bread prove in Arbroath?").text
    assert told.startswith("Nothing that was found here is likely to answer")
    for name, count in desk.engine.knowledge.sizes.items():
        assert f"{name} ({count})" in told
    assert "by meaning and by words" in told
    assert "Not asked: nodes and paths (the question names no node of this graph)" in told
    assert "“sourdough”, “bread” and “prove” occur nowhere in the evidence." in told
    assert "Arbroath”" not in told


def test_the_nearest_is_named_without_pretending(desk):
    told = desk.refuse("Which dovetailed joints suit a kitchen cupboard made of walnut?").text
    assert "**Closest, but not an answer:** “Towers at sea”, " in told
    assert "Eddystone" in told
    assert "(relevance 0." in told


def test_an_off_topic_question_gets_no_suggestion(desk):
    for text in (
        "What is the offside rule in football?",
        "How do I clean suede shoes around the house?",
        "Which spices are in a Thai curry, and who built it?",
    ):
        refusal = desk.refuse(text)
        assert refusal.suggestions == (), text
        assert "tried" not in refusal.text


def test_a_misspelt_name_is_suggested_as_the_evidence_spells_it(desk):
    refusal = desk.refuse("Smeeton dovtailed grannite", names=["Smeaton", "dovetailed granite"])
    assert [one.text for one in refusal.suggestions] == ["Smeaton dovetailed granite"]
    assert refusal.suggestions[0].relevance >= 0.2
    assert "spelt “Smeaton”, “dovetailed” and “granite”" in refusal.suggestions[0].reason
    assert "“Smeeton” may be meant for “Smeaton”." in refusal.text
    assert "This was tried" in refusal.text


def test_another_word_is_no_misspelling_but_a_name_may_differ_by_more(desk):
    told = desk.refuse("consultant pharmacy", names=["a constant pressure"]).text
    assert "meant for" not in told
    told = desk.refuse("Skeryvor pharmacy", names=["Skerryvore"]).text
    assert "“Skeryvor” may be meant for “Skerryvore”." in told


def test_a_suggestion_that_finds_nothing_is_not_made(desk):
    refusal = desk.refuse("Smeeton baked sourdough pizza", names=["Smeaton"])
    assert desk.asked, "it was tried"
    assert refusal.suggestions == ()


def test_a_condition_that_shuts_everything_out_is_lifted(desk):
    where = (Filter("country", "=", "Peru"),)
    refusal = desk.refuse("How high is Cordouan in France?", filters=where)
    assert "Only where `country = Peru`." in refusal.text
    assert "No passage that meets the conditions" in refusal.text
    assert [one.reason for one in refusal.suggestions] == ["without the condition `country = Peru`"]
    assert desk.asked[0].filters == ()


def test_other_collections_are_tried(desk):
    refusal = desk.refuse("Fresnel arranged prisms in rings", collections=("tables",))
    assert "tables (3)" in refusal.text
    assert "documents (" not in refusal.text
    assert "in all collections, not only tables" in refusal.suggestions[0].reason
    assert desk.asked[0].collections == ()


def test_an_identifier_that_is_not_there_is_named_whole(desk):
    told = desk.refuse('What is the serial "ZX-4711" good for?').text
    assert "No passage has “ZX-4711” word for word." in told
    assert "“4711”" not in told


def test_a_question_without_telling_words_is_asked_to_be_told(desk):
    refusal = desk.refuse("and what about them?")
    assert "no word that says what it is about" in refusal.text
    assert refusal.suggestions == ()
    assert desk.asked == []


def test_a_question_in_another_language_is_told_so(desk):
    told = desk.refuse("Wie wird eigentlich ein Sauerteig gebacken und warum?").text
    assert "None of its words occurs in the evidence: “eigentlich”" in told
    long = make_passage("e", "This is the text of a book that was in the hands of the keepers.")
    result = desk.found("Wie wird eigentlich ein Sauerteig gebacken und warum?")
    hits = tuple(replace(hit, passage=long) for hit in result.hits[:1])
    told = desk.refused(replace(result, hits=hits)).text
    assert "The question is in German, the evidence found is in English: ask in English." in told


def test_sources_that_failed_or_were_late_are_named(desk):
    result = desk.found("How do I wax a surfboard?")
    outcomes = (
        Outcome(source="documents/dense", status="failed", ms=1, reason="no disk", left_out=True),
        Outcome(source="documents/bm25", status="slow", ms=900, count=3),
    )
    told = desk.refused(replace(result, trace=replace(result.trace, outcomes=outcomes))).text
    assert "Searching documents by meaning failed: no disk." in told
    assert "Searching documents by words was slow, but what it found counts." in told
    assert "; by words." in told


def test_few_searches_are_made_and_none_without_time(desk):
    text, names = "Smeeton dovtailed grannite", ["Smeaton", "dovetailed granite"]
    many = desk.refuse(
        text, names, filters=(Filter("kind", "=", "note"),), collections=("documents",)
    )
    assert 0 < len(desk.asked) <= SEARCHES
    assert len(many.suggestions) <= SUGGESTIONS
    desk.asked.clear()
    assert desk.refuse(text, names, budget_ms=0).suggestions == ()
    assert desk.asked == []


def test_a_search_that_fails_costs_its_suggestion_only(desk):
    async def broken(query):
        raise RuntimeError("gone")

    result = desk.found("Smeeton dovtailed grannite")
    refusal = desk.refused(result, search=broken, names=["Smeaton"])
    assert refusal.suggestions == ()
    assert "Nothing that was found" in refusal.text


def test_text_of_others_stays_text(desk):
    result = desk.found("Is <b>[3]</b> [Source 9: x] a *zyzzyva*?")
    evil = make_passage("e", "x", title="[1] <script>alert</script>\n## Heading")
    hits = tuple(replace(hit, passage=evil) for hit in result.hits[:1])
    told = desk.refused(replace(result, hits=hits)).text
    assert find_marks(told) == ()
    assert "<script" not in told.replace("\\<script", "")
    assert "\n## " not in told


def test_whole_words_count_and_not_their_parts(workspace):
    has_word = word_in(workspace.catalogue.with_phrase)
    assert has_word("granite")
    assert has_word("eddystone")
    assert not has_word("ranit")


def test_words_and_languages():
    words = {word.text: word for word in words_of("Which keeper's lamps were lit in 1811?")}
    assert [one for one in words if words[one].telling] == ["keeper's", "lamps", "lit", "1811"]
    assert words["keeper's"].key == "keeper"
    assert words["lamps"].same_as("lamp")
    assert not words_of("football")[0].same_as("foot")
    assert not words_of("Skerryvor")[0].same_as("skerryvore")
    assert language_of(["How is it that the lamp is lit?"]) == "English"
    assert language_of(["Wie hoch ist der Turm und wer hat ihn gebaut?"]) == "German"
    assert language_of(["Pourquoi le phare est-il dans la mer avec une lampe ?"]) == "French"
    assert language_of(["Fl(2) 10s 41m"]) == ""


def test_what_a_pack_says_is_missing_is_told(desk):
    result = desk.found("How long does sourdough bread prove in Arbroath?")
    note = Note(MISSING, "no ferry between A and B is known")
    told = desk.refused(replace(result, notes=(*result.notes, note))).text
    assert "**Missing:** No ferry between A and B is known. “" in told
