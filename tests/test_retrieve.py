import asyncio
import math
import time

import pytest

from consilience.engine.complete import compare, complete
from consilience.engine.retrieve import Breakers, retrieve
from consilience.errors import NoSourceAnswered, SourceError
from consilience.settings import build_settings
from consilience.testing import Scripted
from consilience.types import Ask, Found, Passage, Plan, Query, Ranking, Request
from consilience.worker_pool import run_apart, run_sync

GOOD = (Found("a", 2.0), Found("b", 1.0))
OTHER = Passage(id="b", collection="c", document="d", kind="note", title="B", text="b")


def ask_all(*sources, breakers=None, skip=None, patient=False, **values):
    settings = build_settings({"retrieve.hard_ms": 200, "retrieve.soft_ms": 100, **values})
    asks = tuple(
        Ask(
            source=one.name,
            collection=one.collection,
            vote=one.name,
            request=Request(text="words"),
            depth=10,
            skip=(skip or {}).get(one.name, ""),
        )
        for one in sources
    )
    plan = Plan(query=Query(text="words"), intent="open", rule="", asks=asks)
    return asyncio.run(
        retrieve(
            plan,
            {one.name: one for one in sources},
            settings=settings.retrieve,
            breakers=breakers or Breakers(),
            patient=patient,
        )
    )


def statuses(found):
    return {one.source: one.status for one in found.outcomes}


def good(name="c/good"):
    return Scripted(name, "c", found=GOOD)


def test_each_source_gives_its_own_ranking():
    found = ask_all(good("c/x"), good("c/y"))
    assert [ranking.source for ranking in found.rankings] == ["c/x", "c/y"]
    assert found.rankings[0].found == GOOD
    assert statuses(found) == {"c/x": "ok", "c/y": "ok"}
    assert not found.notes


def test_empty_is_not_failed():
    found = ask_all(Scripted("c/none", "c"))
    assert statuses(found) == {"c/none": "empty"}
    assert not found.notes


class Rubbish:
    name, collection = "c/bad", "c"

    def __init__(self, answer):
        self.answer = answer

    async def retrieve(self, request, *, limit):
        return self.answer


class Dropped:
    name, collection = "c/bad", "c"

    async def retrieve(self, request, *, limit):
        raise asyncio.CancelledError("dropped")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (Scripted("c/bad", "c", error=SourceError("refused: no licence")), "no licence"),
        (Scripted("c/bad", "c", error=ZeroDivisionError("oops")), "ZeroDivisionError: oops"),
        (Rubbish(None), "TypeError"),
        (Rubbish(["text"]), "gave 'text' where a passage was expected"),
        (Rubbish([Found("a", math.nan)]), "the score nan"),
        (Rubbish([Found("a", math.inf)]), "the score inf"),
        (Rubbish([Found("a", "high")]), "TypeError"),
        (Rubbish([Found(7, 1.0)]), "gave 7 where an id was expected"),
        (Rubbish([Found(["a"], 1.0)]), "gave ['a'] where an id was expected"),
        (Rubbish([Found("a", 1.0, "rubbish")]), "brought 'rubbish' along as 'a'"),
        (Rubbish([Found("a", 1.0, OTHER)]), "along as 'a'"),
        (Scripted("c/bad", "c", error=TimeoutError("socket")), "TimeoutError: socket"),
        (Dropped(), "CancelledError: dropped"),
    ],
    ids=[
        "refuses",
        "raises",
        "none",
        "texts",
        "nan",
        "inf",
        "no number",
        "number for an id",
        "list for an id",
        "no passage",
        "another passage",
        "its own timeout",
        "its own cancelling",
    ],
)
def test_a_bad_source_leaves_the_others_answer_intact(bad, reason):
    found = ask_all(bad, good())
    assert statuses(found) == {"c/bad": "failed", "c/good": "ok"}
    assert [ranking.source for ranking in found.rankings] == ["c/good"]
    assert reason in found.notes[0].message


def test_a_hung_source_costs_the_hard_deadline_and_no_more():
    started = time.perf_counter()
    found = ask_all(Scripted("c/hung", "c", found=GOOD, delay_s=30), good())
    assert time.perf_counter() - started < 10
    assert statuses(found) == {"c/hung": "slow", "c/good": "ok"}
    assert "no answer within 200 ms; left out" in found.notes[0].message


def test_a_late_answer_counts_and_is_reported():
    late = Scripted("c/late", "c", found=GOOD, delay_s=0.05)
    found = ask_all(late, **{"retrieve.soft_ms": 10, "retrieve.hard_ms": 20_000})
    assert statuses(found) == {"c/late": "slow"}
    assert found.outcomes[0].count == 2
    assert not found.outcomes[0].left_out
    assert found.notes == ()  # that it took a while is nothing that a reader has to know


def test_all_sources_failing_is_one_clear_error():
    with pytest.raises(NoSourceAnswered, match=r"c/x: down.*c/y: no answer within 200 ms"):
        ask_all(
            Scripted("c/x", "c", error=SourceError("down")),
            Scripted("c/y", "c", delay_s=30),
        )


def test_a_skipped_source_is_not_asked():
    source = good()
    found = ask_all(source, skip={"c/good": "nothing to go on"})
    assert source.asked == []
    assert statuses(found) == {"c/good": "skipped"}
    assert not found.notes


def test_the_breaker_leaves_a_failing_source_alone_and_tries_again_later():
    breakers, bad = Breakers(), Scripted("c/bad", "c", error=SourceError("down"))
    rest = {"retrieve.failures": 2, "retrieve.rest_s": 0.2}
    for _ in range(2):
        ask_all(bad, good(), breakers=breakers, **rest)
    found = ask_all(bad, good(), breakers=breakers, **rest)
    assert len(bad.asked) == 2
    assert statuses(found)["c/bad"] == "skipped"
    assert "failed 2 times in a row" in found.notes[0].message
    time.sleep(0.25)
    ask_all(bad, good(), breakers=breakers, **rest)
    assert len(bad.asked) == 3


def ask_twice(source, breakers):
    asks = tuple(
        Ask(source="c/dense", collection="c", vote=vote, request=Request(text=vote), depth=10)
        for vote in ("c/dense", "c/dense+terms")
    )
    plan = Plan(query=Query(text="words"), intent="open", rule="", asks=asks)
    settings = build_settings({"retrieve.hard_ms": 5000}).retrieve
    sources = {"c/dense": source}
    return asyncio.run(retrieve(plan, sources, settings=settings, breakers=breakers))


def test_a_source_that_is_asked_twice_fails_once_a_question():
    breakers, bad = Breakers(), Scripted("c/dense", "c", error=SourceError("down"))
    for failures in (1, 2):
        with pytest.raises(NoSourceAnswered):
            ask_twice(bad, breakers)
        assert breakers.of("c/dense").failures == failures
    assert not breakers.of("c/dense").rest_s()


@pytest.mark.parametrize("failing", ["c/dense", "c/dense+terms"])
def test_one_answer_of_two_closes_the_breaker(failing):
    class Half(Scripted):
        async def retrieve(self, request, *, limit):
            if request.text == failing:
                raise SourceError("down")
            return GOOD

    breakers = Breakers()
    breakers.of("c/dense").failures = 2
    ask_twice(Half("c/dense", "c"), breakers)
    assert breakers.of("c/dense").failures == 0


def test_skipping_a_source_says_nothing_of_its_health():
    breakers = Breakers()
    breakers.of("c/good").failures = 2
    ask_all(good(), breakers=breakers, skip={"c/good": "nothing to go on"})
    assert breakers.of("c/good").failures == 2


def test_giving_a_question_up_is_no_failure_of_its_sources():
    async def give_up():
        async with asyncio.timeout(0.05):
            await retrieve(
                plan,
                {"c/slow": slow},
                settings=build_settings({"retrieve.hard_ms": 20_000}).retrieve,
                breakers=breakers,
            )

    breakers, slow = Breakers(), Scripted("c/slow", "c", delay_s=30)
    ask = Ask(
        source="c/slow", collection="c", vote="c/slow", request=Request(text="words"), depth=10
    )
    plan = Plan(query=Query(text="words"), intent="open", rule="", asks=(ask,))
    with pytest.raises(TimeoutError):
        asyncio.run(give_up())
    assert breakers.of("c/slow").failures == 0


def test_an_answer_closes_the_breaker():
    breakers = Breakers()
    breakers.of("c/good").failures = 2
    ask_all(good(), breakers=breakers)
    assert breakers.of("c/good").failures == 0


def test_too_many_are_cut_and_one_that_comes_twice_counts_once():
    many = Rubbish([Found("a", 3.0), Found("a", 2.0), *(Found(f"x{n}", 1.0) for n in range(50))])
    found = ask_all(many)
    ids = [one.id for one in found.rankings[0].found]
    assert len(ids) == len(set(ids)) == 10
    assert found.rankings[0].found[0].score == 3.0


class Blocking:
    """A source that never yields: what it does happens in `work`."""

    name, collection = "c/blocking", "c"

    def __init__(self, work):
        self.work = work

    async def retrieve(self, request, *, limit):
        return self.work()


def spin():
    ends = time.monotonic() + 3
    while time.monotonic() < ends:
        pass
    return GOOD


@pytest.mark.parametrize("work", [lambda: time.sleep(3), spin], ids=["sleeps", "spins"])
def test_a_source_that_blocks_costs_only_itself(work):
    started = time.perf_counter()
    found = ask_all(Blocking(work), good())
    assert time.perf_counter() - started < 2
    assert statuses(found) == {"c/blocking": "slow", "c/good": "ok"}
    assert statuses(ask_all(Blocking(lambda: GOOD)))["c/blocking"] == "ok"


def leave():
    raise SystemExit(3)


def test_a_source_that_ends_the_program_only_fails():
    found = ask_all(Blocking(leave), good())
    assert statuses(found) == {"c/blocking": "failed", "c/good": "ok"}
    assert "SystemExit: 3" in found.notes[0].message


def endless():
    number = 0
    while True:
        number += 1
        yield Found(f"id{number}", 1.0 / number)


def test_of_endless_results_only_the_depth_is_looked_at():
    found = ask_all(Blocking(endless), **{"retrieve.hard_ms": 20_000})
    assert found.outcomes[0].count == 10


def test_slowness_does_not_open_the_breaker():
    breakers, late = Breakers(), Scripted("c/late", "c", found=GOOD, delay_s=0.2)
    for _ in range(4):
        found = ask_all(late, good(), breakers=breakers, **{"retrieve.hard_ms": 20})
        assert statuses(found)["c/late"] == "slow"
    assert len(late.asked) == 4


def test_the_deadline_follows_the_measured_times_of_a_source():
    breakers = Breakers()
    late = Scripted("c/late", "c", found=GOOD, delay_s=0.1)
    ask_all(late, breakers=breakers, **{"retrieve.hard_ms": 20_000})
    found = ask_all(late, good(), breakers=breakers, **{"retrieve.hard_ms": 10})
    assert not found.outcomes[0].left_out
    assert found.notes == ()  # that it took a while is nothing that a reader has to know


class Recovering(Scripted):
    """Answers from the second time on."""

    async def retrieve(self, request, *, limit):
        self.asked.append(request)
        if len(self.asked) == 1:
            raise SourceError("busy")
        return GOOD


def test_a_written_answer_asks_a_missing_source_again():
    late, failing = Scripted("c/late", "c", found=GOOD, delay_s=0.3), Recovering("c/failing", "c")
    found = ask_all(late, failing, patient=True)
    assert not any(outcome.left_out for outcome in found.outcomes)
    assert len(found.rankings) == 2


def test_a_source_that_never_answers_costs_nothing_after_a_while():
    breakers, hung = Breakers(), Scripted("c/hung", "c", found=GOOD, delay_s=30)
    limits = {"retrieve.hard_ms": 50, "retrieve.answer_ms": 100, "retrieve.failures": 2}
    while (
        "asked again in" not in ask_all(hung, good(), breakers=breakers, **limits).notes[0].message
    ):
        assert len(hung.asked) < 20
    found = ask_all(hung, good(), breakers=breakers, patient=True, **limits)
    assert statuses(found)["c/hung"] == "slow"  # an answer waits longer than these searches did
    asked = len(hung.asked)
    found = ask_all(hung, good(), breakers=breakers, patient=True, **limits)
    assert len(hung.asked) == asked
    assert found.outcomes[0].ms == 0
    assert found.outcomes[0].left_out
    assert "of waiting; asked again in" in found.outcomes[0].reason


def test_sources_of_one_name_do_not_block_each_other():
    blocked, other = Blocking(lambda: time.sleep(2)), Blocking(lambda: GOOD)

    async def both():
        first = asyncio.create_task(run_apart(blocked, lambda: blocked.retrieve(None, limit=1)))
        await asyncio.sleep(0.05)
        started = time.perf_counter()
        await run_apart(other, lambda: other.retrieve(None, limit=1))
        first.cancel()
        return time.perf_counter() - started

    assert run_sync(both()) < 1


class Comparing(Blocking):
    """Ranks at once, and blocks when it is to score or compare what others found."""

    async def score(self, request, ids):
        return self.work()

    async def compare(self, ids):
        return self.work()


def test_scoring_and_comparing_that_block_cost_only_themselves():
    source = Comparing(lambda: time.sleep(3))
    ranking = Ranking(source=source.name, collection="c", found=())
    other = Ranking(source="c/good", collection="c", found=GOOD)
    asks = tuple(
        Ask(source=name, collection="c", vote=name, request=Request(text="x"), depth=10)
        for name in (source.name, "c/good")
    )
    plan = Plan(query=Query(text="x"), intent="open", rule="", asks=asks)
    sources = {source.name: source, "c/good": good()}
    started = time.perf_counter()
    _, notes = run_sync(complete(plan, [ranking, other], sources, deadline_ms=100))
    _, more = run_sync(compare([ranking, other], sources, deadline_ms=100))
    assert time.perf_counter() - started < 2
    assert all("no answer within 100 ms" in note.message for note in (*notes, *more))
    assert len(notes) == len(more) == 1
