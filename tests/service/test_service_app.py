"""A share of the questions is answered with other settings, and really is."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

import pytest

from consilience.errors import UsageError
from consilience.journal import JOURNAL, read_entries, read_recorded_settings
from consilience.service.service import Buckets
from consilience.settings import build_settings
from consilience.types import Done, Query
from consilience.workspace import STORE, init_workspace, open_workspace
from consilience.workspace.settings_variant import Variant, setting_differences, vary_settings

QUESTION = "When do bees swarm?"
OTHER = '[fusion]\nmethod = "rrf"\nacross = "interleave"\n[models]\nrerank = "none"\n'


def with_other(folder, text=OTHER, share=0.5, name="other.toml"):
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "consilience.toml").write_text(
        f'pack = "general"\n[models]\nembed = "fast"\n[serve]\nother = "{name}"\nshare = {share}\n'
    )
    return folder


@pytest.fixture
def bare(tmp_path):
    """A workspace without evidence: enough to see what is refused."""
    return init_workspace(tmp_path / "bare")


@pytest.fixture
def two(made):
    with open_workspace(with_other(made)) as space:
        yield space


def contributions(result):
    return [[vote.contribution for vote in hit.votes] for hit in result.hits]


def test_the_second_bucket_is_answered_with_the_second_settings(two, serving):
    client = serving(two)
    a, b = (
        client.get("/w/apiary/search", params={"q": QUESTION, "bucket": one}).json() for one in "ab"
    )
    assert (a["bucket"], b["bucket"]) == ("a", "b")
    assert (a["fusion"]["method"], a["fusion"]["across"]) == ("adaptive", "rrf-share")
    assert (b["fusion"]["method"], b["fusion"]["across"]) == ("rrf", "interleave")
    assert [one["score"] for one in a["results"]] != [one["score"] for one in b["results"]]
    own = two.find(Query(text=QUESTION))
    assert [one["score"] for one in a["results"]] == [hit.score for hit in own.hits]


def test_the_trace_of_a_variant_shows_the_other_fuser(two):
    variant = Buckets(two).choose("b")[1]
    ours, theirs = two.find(Query(text=QUESTION)), variant.find(Query(text=QUESTION))
    assert contributions(ours) != contributions(theirs)
    assert ours.trace.trusts
    assert not theirs.trace.trusts  # trust is what `adaptive` alone asks for
    assert {note.origin for note in theirs.notes} == {note.origin for note in ours.notes}


def test_both_buckets_are_in_the_journal_with_their_settings(two, serving):
    client = serving(two)
    answers = [
        client.get("/w/apiary/ask", params={"q": QUESTION, "bucket": bucket}).json()
        for bucket in ("a", "b", "")
    ]
    cited = {each["passage"] for each in answers[0]["citations"]}
    assert cited
    path = two.folder / STORE / JOURNAL
    one, other, third = read_entries(path)
    assert (one.bucket, other.bucket) == ("a", "b")
    assert (one.forced, other.forced, third.forced) == (True, True, False)
    assert read_recorded_settings(path)[one.settings] == {"models.embed": "fast"}
    assert read_recorded_settings(path)[other.settings]["fusion.method"] == "rrf"
    assert set(one.kept) == cited


def test_a_variant_answers_in_writing(two):
    variant = Buckets(two).choose("b")[1]

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


def test_a_variant_sees_what_is_added_later(two, tmp_path):
    variant = Buckets(two).choose("b")[1]
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


def test_a_variant_remarks_on_the_workspace_and_keeps_what_it_made(two):
    variant = Buckets(two).choose("b")[1]
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


@pytest.mark.parametrize(("share", "expected"), [(0, {"a"}), (1, {"b"})])
def test_a_share_of_none_or_all(bare, share, expected):
    with open_workspace(with_other(bare, share=share)) as space:
        buckets = Buckets(space)
        assert {buckets.choose("", f"question {number}")[0] for number in range(50)} == expected


def test_chance_gives_about_the_share_and_the_same_on_one_day(bare):
    with open_workspace(with_other(bare, share=0.25)) as space:
        buckets = Buckets(space)
        asked = [f"question {number}" for number in range(2000)]
        drawn = [buckets.choose("", one)[0] for one in asked]
        assert 0.2 < drawn.count("b") / len(drawn) < 0.3
        assert drawn == [buckets.choose("", f"  {one.upper()} ")[0] for one in asked]
        days = [date(2024, 1, 1) + timedelta(days=number) for number in range(60)]
        assert {buckets.draw(QUESTION, day) for day in days} == {"a", "b"}


def test_without_second_settings_there_is_no_b(made, serving):
    with open_workspace(made) as space:
        assert Buckets(space).choose("", QUESTION) == ("a", space)
        answer = serving(space).get("/w/apiary/search", params={"q": QUESTION, "bucket": "b"})
        assert answer.status_code == 400
        assert "serve.other" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[fusion]\nspeed = 1\n", "unknown setting 'fusion.speed'"),
        ('[models]\nembed = "fine"\n', "cannot vary"),
        ("[passages]\ntarget = 100\n", "cannot vary"),
        ('pack = "chess"\n', "cannot vary"),
        ("[serve]\nshare = 1\n", "cannot vary"),
        ('[fusion]\nmethod = "guess"\n', "unknown fusion method"),
        ('[models]\nrerank = "nobody"\n', "unknown reranker"),
        ("[fusion]\nk = -1\n", "takes a number"),
        ("[fusion\n", "not valid TOML"),
    ],
)
def test_second_settings_that_cannot_be_used_are_refused_at_the_start(bare, text, said):
    with open_workspace(with_other(bare, text)) as space, pytest.raises(UsageError, match=said):
        Buckets(space)


def test_second_settings_lie_in_the_workspace(bare):
    (bare.parent / "outside.toml").write_text(OTHER)
    with_other(bare, name="other.toml")
    for name in ("../outside.toml", "missing.toml", str(bare.parent / "outside.toml")):
        (bare / "consilience.toml").write_text(
            f'pack = "general"\n[models]\nembed = "fast"\n[serve]\nother = "{name}"\n'
        )
        with open_workspace(bare) as space, pytest.raises(UsageError, match=r"serve\.other"):
            Buckets(space)


def test_a_share_beyond_all_is_refused(bare):
    with (
        open_workspace(with_other(bare, share=1.5)) as space,
        pytest.raises(UsageError, match="from 0 to 1"),
    ):
        Buckets(space)


def test_differences_do_not_tell_keys():
    own = build_settings({})
    other = vary_settings(own, {"models.generate_key": "hush", "fusion.k": 10})
    assert setting_differences(own, other) == {"models.generate_key": "(another)", "fusion.k": 10.0}
