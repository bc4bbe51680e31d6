"""Is it said when nothing joins the things that a question asks about?"""

from consilience.engine.pipeline import unjoined
from consilience.types import Ask, Found, Plan, Query, Ranking, Request
from tests_shared import make_passage


def told(*paths, seeds=("a", "b"), cover=True):
    request = Request(text="how does a relate to b?", seeds=seeds)
    ask = Ask(source="c/paths", collection="c", vote="c/paths", request=request, depth=5)
    todo = Plan(
        query=Query(text=request.text),
        intent="connection",
        rule="r",
        asks=(ask,),
        cover={"path": 3} if cover else {},
    )
    passages = {
        f"{one}{other}": make_passage(
            f"{one}{other}", kind="edge", metadata={"source": one, "target": other}
        )
        for one, other in paths
    }
    found = tuple(Found(key, 1.0) for key in passages)
    rankings = [Ranking(source="c/paths", collection="c", found=found)]
    return [str(one) for one in unjoined(rankings, todo, lambda ids: passages)]


def test_a_chain_between_both_says_nothing():
    assert told("ad", "ab") == []


def test_chains_that_lead_elsewhere_join_nothing():
    assert told("ad", "bd") == ["c/paths: no chain of relations here joins “a” and “b”"]


def test_only_a_question_for_a_connection_is_told_so():
    assert told(cover=False) == []
    assert told(seeds=("a",)) == []
