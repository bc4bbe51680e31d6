"""Is an answer that lacks a source told as incomplete, and never as absence of evidence?"""

from dataclasses import replace

from consilience.answer.pipeline import ask
from consilience.errors import SourceError
from consilience.testing import Scripted
from consilience.types import Done, Filter, Query
from consilience.worker_pool import run_sync

NOWHERE = (Filter("title", "=", "no such title"),)


def answer_without(engine, name, text):
    broken = Scripted(name, name.partition("/")[0], error=SourceError("down"))
    engine = replace(engine, sources={**engine.sources, name: broken})

    async def last():
        return [event async for event in ask(Query(text=text, filters=NOWHERE), engine)][-1]

    done = run_sync(last())
    assert isinstance(done, Done)
    return done.answer


def test_an_answer_without_a_source_says_so_first_and_never_refuses(workspace):
    engine = workspace.engine
    name = next(name for name in engine.sources if name.endswith("/bm25"))
    text = "Who was Zyqqualdo Brrandtwyxx?"
    assert workspace.ask(text, filters=NOWHERE).abstained
    answer = answer_without(engine, name, text)
    assert not answer.abstained
    assert answer.text.startswith("*Incomplete: ")
    assert answer.result.incomplete
