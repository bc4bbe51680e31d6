"""The same evidence answers with other settings, and really does."""

from __future__ import annotations

import asyncio

import pytest

from consilience.errors import UsageError
from consilience.settings import build_settings, read_settings
from consilience.types import Done, Query
from consilience.workspace import init_workspace, open_workspace
from consilience.workspace.settings_variant import Variant, setting_differences, vary_settings

QUESTION = "When do bees swarm?"
OTHER = {"fusion.method": "rrf", "fusion.across": "interleave", "models.rerank": "none"}


@pytest.fixture
def two(made):
    with open_workspace(made) as space:
        yield space


@pytest.fixture
def variant(two):
    return Variant(two, vary_settings(two.settings, OTHER))


def contributions(result):
    return [[vote.contribution for vote in hit.votes] for hit in result.hits]


def test_the_trace_of_a_variant_shows_the_other_fuser(two, variant):
    ours, theirs = two.find(Query(text=QUESTION)), variant.find(Query(text=QUESTION))
    assert contributions(ours) != contributions(theirs)
    assert ours.trace.trusts
    assert not theirs.trace.trusts  # trust is what `adaptive` alone asks for
    assert {note.origin for note in theirs.notes} == {note.origin for note in ours.notes}


def test_a_variant_answers_in_writing(two, variant):

    async def told():
        return [one async for one in variant.events(QUESTION, length="concise")]

    *_, last = asyncio.run(told())
    assert isinstance(last, Done)
    assert last.answer.length == "concise"
    assert last.answer.citations
    assert contributions(last.answer.result) == contributions(variant.find(Query(text=QUESTION)))

    async def refused():
        return [one async for one in variant.events(QUESTION, length="endless")]

    with pytest.raises(UsageError, match="unknown length"):
        asyncio.run(refused())


def test_a_variant_sees_what_is_added_later(two, variant, tmp_path):
    before = variant.engine
    assert variant.engine is before
    (tmp_path / "wasps.md").write_text("# Wasps\n\nA wasp builds its nest of chewed wood.\n")
    two.add([tmp_path / "wasps.md"])
    found = variant.find(Query(text="Of what does a wasp build its nest?"))
    assert variant.engine is not before
    assert any("wasp" in hit.passage.text for hit in found.hits)


def test_a_variant_plans_with_its_settings_too(two):
    variant = Variant(two, vary_settings(two.settings, {"retrieve.depth": 2}))
    depths = [
        {ask.depth for ask in one.find(Query(text=QUESTION, limit=1)).trace.plan.asks}
        for one in (two, variant)
    ]
    assert depths == [{50}, {2}]


def test_a_variant_remarks_on_the_workspace_and_keeps_what_it_made(two, variant):
    hits = variant.find(Query(text="How is the honey bee connected to lime honey?")).hits
    path = next(hit.passage for hit in hits if hit.passage.kind == "path")
    assert two.catalogue.resolve(path.id) == path
    name, kinds = next(iter(two.catalogue.counts().items()))
    some = sorted(two.catalogue.ids(name, tuple(kinds)))[:1]
    two.catalogue.queue(some, name, "write")
    notes = variant.find(Query(text=QUESTION)).notes
    assert any("not indexed yet" in note.message for note in notes)


def test_models_are_those_of_the_workspace_unless_the_settings_name_others(two):
    same = Variant(two, vary_settings(two.settings, {"fusion.k": 10}))
    assert same.reranker is two.reranker
    assert same.generator is two.generator
    late = Variant(two, vary_settings(two.settings, {"models.rerank": "late"}))
    assert two.reranker is None
    assert late.reranker is not None
    assert late.engine.reranker is late.reranker
    assert late.engine.breakers is not two.engine.breakers


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fusion.speed": 1}, "unknown setting 'fusion.speed'"),
        ({"models.embed": "fine"}, "cannot vary"),
        ({"passages.target": 100}, "cannot vary"),
        ({"pack": "chess"}, "cannot vary"),
        ({"serve.journal": "off"}, "cannot vary"),
        ({"fusion.k": -1}, "takes a number"),
    ],
)
def test_settings_that_cannot_vary_are_refused(changes, said):
    with pytest.raises(UsageError, match=said):
        vary_settings(build_settings({}), changes)


def test_a_file_with_settings_of_earlier_versions_is_read(tmp_path):
    folder = init_workspace(tmp_path / "old")
    (folder / "consilience.toml").write_text('[serve]\nother = "other.toml"\njournal = "off"\n')
    assert read_settings(folder).serve.journal == "off"


def test_differences_do_not_tell_keys():
    own = build_settings({})
    other = vary_settings(own, {"models.generate_key": "hush", "fusion.k": 10})
    assert setting_differences(own, other) == {"models.generate_key": "(another)", "fusion.k": 10.0}
