"""Is an answer that lacks a source told as incomplete, and never as absence of evidence?"""

import multiprocessing
from contextlib import contextmanager
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


def spin(started):
    started.release()
    while True:
        pass


@contextmanager
def busy(processes):
    """Every core has several processes that do nothing but compute."""
    context = multiprocessing.get_context("spawn")
    started = context.Semaphore(0)
    load = [context.Process(target=spin, args=(started,), daemon=True) for _ in range(processes)]
    for process in load:
        process.start()
    for _ in load:
        started.acquire()
    try:
        yield
    finally:
        for process in load:
            process.kill()
            process.join()


def test_a_busy_machine_gives_the_same_answer_or_says_that_it_is_incomplete(workspace):
    questions = ["When do bees swarm?", "How is a hive inspected?", "What do drones do?"]
    idle = [workspace.ask(text) for text in questions]
    assert not all(answer.abstained for answer in idle)
    with busy(2 * multiprocessing.cpu_count()):
        for text, before in zip(questions, idle, strict=True):
            loaded = workspace.ask(text)
            same = (loaded.text, loaded.abstained) == (before.text, before.abstained)
            assert same or loaded.text.startswith("*Incomplete: ")


def test_a_source_that_is_down_is_named_in_one_line(workspace):
    name = next(name for name in workspace.engine.sources if name.endswith("/bm25"))
    answer = answer_without(workspace.engine, name, "When do bees swarm?")
    first = answer.text.splitlines()[0]
    assert first.startswith("*Incomplete: ")
    assert name in first.replace("\\", "")
    assert len(first) < 120
