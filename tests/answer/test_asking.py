"""From a question to a checked answer: what is wired, and what happens when a part fails."""

import asyncio
import json
from dataclasses import replace

import pytest

from consilience.answer.pipeline import ask
from consilience.errors import ModelError, UsageError
from consilience.pack import Answers
from consilience.packs.chess import PACK as CHESS
from consilience.settings import Answering
from consilience.testing import ScriptedGenerator
from consilience.types import (
    Checked,
    Done,
    Drafted,
    Fault,
    Filter,
    Query,
    Said,
    Searched,
    Withdrawn,
)

TOWER = "Who built the tower on the Bell Rock?"
OUTLINE = json.dumps(
    {
        "answer": "Robert Stevenson built a tower on a reef off Arbroath [2].",
        "sections": [{"heading": "The tower", "sources": [2], "point": "who built it"}],
    }
)


def scripted(**more):
    said = "Robert Stevenson built a tower on a reef off Arbroath [2]."
    return ScriptedGenerator({"outline": OUTLINE, "expand": said, "assemble": said, **more})


@pytest.fixture
def asked(workspace):
    """The events of a question, with parts of the engine exchanged."""

    def run(question=TOWER, *, modelled=True, length="balanced", limit=10, **parts):
        async def all_of_them():
            engine = replace(workspace.engine, calibration=None, **parts)
            query = Query(text=question, limit=limit)
            return [one async for one in ask(query, engine, length=length, modelled=modelled)]

        return asyncio.run(all_of_them())

    return run


def answering(workspace, **values):
    return replace(workspace.settings, answer=Answering(**values))


# --- both writers -----------------------------------------------------------------------


@pytest.mark.parametrize("generator", [None, scripted()], ids=["extractive", "model"])
def test_the_answer_is_what_was_said_and_every_mark_leads_somewhere(asked, generator):
    events = asked(generator=generator)
    assert isinstance(events[0], Searched)
    assert events[-1].answer.writer == (generator.name if generator else "extractive")
    answer = events[-1].answer
    assert "".join(one.text for one in events if isinstance(one, Said)) == answer.text
    assert "Robert Stevenson built a tower on a reef off Arbroath" in answer.text
    assert answer.citations
    for one in answer.citations:
        assert f"[{one.mark}]" in answer.text
        assert one.quote in one.passage.text
        assert answer.exhibits[one.mark - 1].passage == one.passage
    assert answer.support == 1.0
    assert not answer.abstained
    assert {"plan", "choose", "generate" if generator else "write"} <= set(answer.timing_ms)


def test_without_a_model_the_same_question_gives_the_same_answer(asked):
    first, second = (asked()[-1].answer for _ in range(2))
    assert first.text == second.text
    assert first.writer == "extractive"
    assert first.calls == ()


def test_every_kind_of_evidence_reaches_the_answer(asked):
    kinds = {one.passage.kind for one in asked()[0].exhibits}
    assert {"document", "row", "node", "edge"} <= kinds


def test_what_one_source_alone_found_is_chosen_although_the_fused_order_left_it_out(
    workspace, asked
):
    settings = replace(
        workspace.settings, refine=replace(workspace.settings.refine, window=1, few=0, share=1)
    )
    found = asked(settings=settings, limit=1)[0]
    inside = {one.passage.id for one in (*found.result.hits, *found.result.more)}
    outside = [one for one in found.exhibits if one.passage.id not in inside]
    assert {one.passage.kind for one in outside} >= {"row"}


# --- the model's side -------------------------------------------------------------------


def test_the_final_prompts_hold_every_label_and_every_passage(asked):
    generator = scripted()
    exhibits = asked(generator=generator, length="in-depth")[0].exhibits
    assert len(exhibits) > 5
    outline, *expands = [one.user for one in generator.prompts if one.stage != "assemble"]
    for text in (outline, "\n".join(expands)):
        for one in exhibits:
            assert f"[Source {one.mark}: {one.label}]" in text
            assert one.passage.text in text


def test_a_model_is_asked_for_no_more_evidence_than_the_budget(workspace, asked):
    generator = scripted()
    settings = answering(workspace, tokens=120)
    answer = asked(generator=generator, settings=settings)[-1].answer
    assert any("answer.tokens = 120" in str(note) for note in answer.notes)
    assert generator.prompts[0].user.count("[Source ") == 3


def test_drafts_come_before_what_is_checked_with_their_citations(asked):
    events = asked(generator=scripted())
    drafts = [one for one in events if isinstance(one, Drafted)]
    assert len(drafts) > 5
    assert any(one.citation and one.citation.mark == 2 and one.text == "[2]" for one in drafts)
    assert events.index(drafts[0]) < max(
        place for place, one in enumerate(events) if isinstance(one, Said)
    )


def test_a_model_that_fails_midway_gives_way_to_the_evidence_with_a_note(asked):
    generator = scripted(expand=["Robert Stevenson built ", ModelError("the server is gone")])
    events = asked(generator=generator)
    place = next(n for n, one in enumerate(events) if isinstance(one, Withdrawn))
    answer = events[-1].answer
    assert "the server is gone" in events[place].reason
    assert "".join(one.text for one in events[place:] if isinstance(one, Said)) == answer.text
    assert answer.writer == "extractive"
    assert answer.text == asked()[-1].answer.text
    assert any("the server is gone" in str(note) for note in answer.notes)
    assert answer.calls[-1].error


def test_without_modelled_no_model_is_asked(asked):
    generator = scripted()
    assert asked(generator=generator, modelled=False)[-1].answer.writer == "extractive"
    assert generator.prompts == []


def test_what_the_evidence_does_not_bear_out_is_removed_or_marked_and_listed(workspace, asked):
    lie = "Robert Stevenson built it in 1911 [2]. He built a tower on a reef off Arbroath [2]."
    generator = scripted(
        outline=OUTLINE.replace("off Arbroath", "off Arbroath in 1911"), expand=lie
    )
    answer = asked(generator=generator)[-1].answer
    assert "1911" not in answer.text
    assert {(one.value, one.action) for one in answer.faults} == {("1911", "removed")}
    assert answer.support < 1
    marked = asked(
        generator=scripted(expand=lie), settings=answering(workspace, unsupported="mark")
    )
    text = marked[-1].answer.text
    assert "1911 [2]. *(not borne out by what it cites)*" in text


def test_a_pack_adds_its_checks_and_labels(workspace, asked):
    def no_towers(text, cited):
        assert "[" not in text
        assert cited
        faults = (Fault(check="towers", value="tower", told="towers are not allowed here"),)
        return Checked(facts=1, faults=faults if "tower" in text else ())

    knowledge = workspace.engine.knowledge
    pack = replace(
        knowledge.pack,
        answers=Answers(checks=(no_towers,), labels={"row": lambda one: f"Tower - {one.title}"}),
    )
    answer = asked(knowledge=replace(knowledge, pack=pack))[-1].answer
    assert "reef off Arbroath" not in answer.text
    assert "towers" in {one.check for one in answer.faults}
    assert any(one.label == "Tower - lights" for one in answer.exhibits)


def test_lines_come_first_where_games_dominate(workspace, asked):
    def as_games(ids):
        found = workspace.engine.lookup(ids)
        return {key: replace(one, kind="game") for key, one in found.items()}

    generator = scripted()
    knowledge = workspace.engine.knowledge
    games = replace(knowledge, pack=replace(knowledge.pack, answers=CHESS.answers))
    answer = asked(generator=generator, lookup=as_games, knowledge=games)[-1].answer
    assert answer.emphasis == "lines"
    assert "lines of moves first" in generator.prompts[0].user
    assert asked(generator=generator)[-1].answer.emphasis == "ideas"


def test_the_embedder_counts_the_budget_and_helps_to_choose_sentences(workspace, asked, embedder):
    counted = []

    class Counting(type(embedder)):
        def count(self, texts):
            counted.extend(texts)
            return super().count(texts)

    spy = Counting()
    exhibits = asked(embedder=spy, generator=scripted())[0].exhibits
    assert set(counted) >= {one.introduced for one in exhibits}
    before = spy.embedded
    asked(embedder=spy)
    assert spy.embedded > before


def test_hits_past_the_limit_are_evidence_too(workspace, asked):
    settings = answering(workspace, each=0)
    found = asked(settings=settings, limit=1)[0]
    assert len(found.result.hits) == 1
    assert len(found.exhibits) > 1
    assert found.exhibits[1].passage == found.result.more[0].passage


def test_a_pack_that_breaks_costs_a_note_and_not_the_answer(workspace, asked):
    def broken(*_):
        raise KeyError("lost")

    knowledge = workspace.engine.knowledge
    pack = replace(knowledge.pack, answers=Answers(checks=(broken,), labels={"row": broken}))
    answer = asked(knowledge=replace(knowledge, pack=pack))[-1].answer
    assert "Stevenson" in answer.text
    told = [str(note) for note in answer.notes if "a check of the pack broke" in str(note)]
    assert told == ["answer: a check of the pack broke and was left out: KeyError: 'lost'"]
    assert any(one.label == "Table - lights, row 1" for one in answer.exhibits)


def test_where_nothing_that_is_written_stands_there_is_no_answer(workspace, asked):
    def no(text, cited):
        return Checked(facts=1, faults=(Fault(check="no", value=text, told="no"),))

    knowledge = workspace.engine.knowledge
    events = asked(
        knowledge=replace(knowledge, pack=replace(knowledge.pack, answers=Answers(checks=(no,))))
    )
    answer = events[-1].answer
    assert isinstance(events[-2], Withdrawn)
    assert answer.abstained
    assert answer.citations == ()
    assert answer.faults
    assert "Nothing that was found here is likely to answer" in answer.text


@pytest.mark.parametrize("question", ["who", "what is it?"])
def test_a_question_about_nothing_has_no_answer(asked, question):
    assert asked(question)[-1].answer.abstained


# --- the workspace ----------------------------------------------------------------------


def test_a_workspace_answers_in_words(workspace):
    answer = workspace.ask(TOWER, length="concise", limit=3)
    assert answer.length == "concise"
    assert len(answer.result.hits) == 3
    assert "Stevenson" in answer.text
    assert [one.passage.id for one in answer.result.hits] == [
        one.passage.id for one in workspace.search(TOWER, limit=3).hits
    ]


def test_a_path_made_for_an_answer_can_be_shown_again(workspace):
    answer = workspace.ask("How is the Bell Rock connected to John Smeaton?", limit=1)
    paths = [one.passage for one in answer.exhibits if one.passage.kind == "path"]
    assert paths
    for path in paths:
        assert workspace.catalogue.resolve(path.id).text == path.text


def test_filters_and_collections_bind_answers_too(workspace):
    answer = workspace.ask(
        "lights in Scotland", filters=[Filter("country", "=", "Scotland")], collections=["tables"]
    )
    assert {one.passage.value("country") for one in answer.exhibits} == {"Scotland"}


def test_the_length_is_that_of_the_settings_and_an_unknown_one_is_refused(opened, evidence):
    space = opened(**{"answer.length": "in-depth"})
    space.add([evidence])
    assert space.ask(TOWER).length == "in-depth"
    with pytest.raises(UsageError, match="unknown length 'endless'"):
        space.ask(TOWER, length="endless")


def test_what_a_person_should_know_of_the_workspace_is_among_the_notes(workspace):
    answer = workspace.ask("Who built the tower? " + "Tell me more of it. " * 30)
    assert any("the question is long" in str(note) for note in answer.notes)


def test_an_answer_can_be_had_inside_a_running_loop(workspace):
    async def inside():
        events = [one async for one in workspace.events(Query(text=TOWER))]
        return workspace.ask(TOWER), events[-1]

    answer, last = asyncio.run(inside())
    assert isinstance(last, Done)
    assert answer.text == last.answer.text


def test_stopping_early_stops_the_model(workspace):
    generator = ScriptedGenerator(
        {"outline": OUTLINE, "expand": "word " * 5000, "assemble": "x"}, delay_s=0.001
    )
    workspace._engine = replace(workspace.engine, generator=generator, calibration=None)
    for event in workspace.stream(Query(text=TOWER)):
        if isinstance(event, Drafted):
            break
    assert generator.stopped == ["expand 1"] or generator.stopped[0].startswith("expand")
