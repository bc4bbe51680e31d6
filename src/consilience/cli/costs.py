"""What do the models of the settings cost on this machine? Measured on made-up passages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter

from consilience.models import open_embedder, open_generator, open_reranker
from consilience.protocols import Embedder, Preparing, Reranker
from consilience.settings import Settings
from consilience.types import Locator, Passage, Prompt, passage_id

WORDS = (
    "keeper lamp tower stone harbour engine signal reef captain oil prism lens storm glass "
    "granite light ship coast winter crew report survey charter table figure payment owner"
)
LENGTH = 120  # words in a passage
SECONDS = 0.25  # about how long embedding is tried
RERANKED = 40
QUESTION = "which report tells how the lamp of the tower was paid for"


def embedding(settings: Settings) -> str:
    """The embedder's name and size, what a question takes, and how many passages a second."""
    embedder = open_embedder(settings.models.embed, settings)
    embedder.embed(_texts(2))  # loads it
    question_ms = _ms(lambda: embedder.embed_query(QUESTION + " again"))
    return (
        f"{embedder.name}, {embedder.dimensions} dimensions, {question_ms:.1f} ms a question, "
        f"about {_rate(embedder):,.0f} passages of {LENGTH} words a second"
    )


def reranking(settings: Settings) -> str:
    """The reranker's name, and what reranking as many passages as is usual takes."""
    reranker = open_reranker(settings.models.rerank, settings)
    if reranker is None:
        return "none"
    passages = _passages(RERANKED)
    asyncio.run(reranker.rerank(QUESTION, passages[:2]))  # loads it
    live = _reranked(reranker, passages)
    if not isinstance(reranker, Preparing):
        return f"{reranker.name}, {live}"
    embedder = open_embedder(settings.models.embed, settings)
    _, packed = reranker.prepare([one.indexed for one in passages], embedder)
    kept = dict(zip((one.id for one in passages), packed, strict=True))
    reranker.reads_from(lambda ids: {key: kept[key] for key in ids if key in kept})
    size = sum(map(len, packed)) / len(packed) / 1000
    return (
        f"{reranker.name}, {_reranked(reranker, passages)} with kept token vectors "
        f"({size:.1f} kB a passage), {live} without"
    )


def generating(settings: Settings) -> str:
    """The language model's name, and what a word from it takes."""
    generator = open_generator(settings.models.generate, settings)
    if generator is None:
        return "none: answers are made of sentences of the evidence"

    async def say() -> int:
        prompt = Prompt(stage="doctor", system="Reply with one word.", user="Say: yes")
        return sum([len(chunk.text) async for chunk in generator.generate(prompt, most=8)])

    started = perf_counter()
    letters = asyncio.run(say())
    took = (perf_counter() - started) * 1000
    return f"{generator.name}, {letters} letters in {took:,.0f} ms"


def _reranked(reranker: Reranker, passages: Sequence[Passage]) -> str:
    started = perf_counter()
    scores = asyncio.run(reranker.rerank(QUESTION, passages))
    ms = (perf_counter() - started) * 1000
    read = sum(score is not None for score in scores)
    return f"{read} passages in {ms:.0f} ms"


def _rate(embedder: Embedder) -> float:
    """Passages a second: tried with more of them until it takes long enough to tell."""
    number = 8
    while True:
        texts = _texts(number)
        seconds = _ms(lambda texts=texts: embedder.embed(texts)) / 1000  # type: ignore[misc]
        if seconds > SECONDS / 2 or number > 4096:
            return number / seconds
        number *= 4


def _ms(call: Callable[[], object]) -> float:
    started = perf_counter()
    call()
    return (perf_counter() - started) * 1000


def _texts(number: int) -> list[str]:
    """Different texts of `LENGTH` words each."""
    words = WORDS.split()
    count = len(words)
    return [
        " ".join(words[(at * at + step * number + step) % count] for at in range(LENGTH - 1))
        + f" {step}"
        for step in range(number)
    ]


def _passages(number: int) -> list[Passage]:
    return [
        Passage(
            id=passage_id("costs", "text", "Costs", Locator(row=place), text),
            collection="costs",
            document="",
            kind="text",
            title="Costs",
            text=text,
        )
        for place, text in enumerate(_texts(number))
    ]
