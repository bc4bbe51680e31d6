"""Which settings are there? Every one, with its default and its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


def setting(default: Any, text: str, *, least: int = 0, choices: tuple[str, ...] = ()) -> Any:
    """A field with its default and its meaning; a number of `least` or more, one of `choices`."""
    return field(default=default, metadata={"help": text, "least": least, "choices": choices})


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Which models read the evidence."""

    embed: str = setting(
        "fine", "Embedder: `fast`, `fine`, `fastembed:<model>`, `openai:<model>` or a plug-in's"
    )
    rerank: str = setting(
        "auto",
        "Reranker: `late`, `none`, `auto` (`late` beside `fine`, else `none`), "
        "`fastembed:<model>`, `sentence-transformers:<model or folder>`, `server:<model>`, "
        "`openai:<model>` (a language model; give it a larger `refine.rerank_ms`) or a plug-in's",
    )
    tokens: str = setting(
        "auto",
        "Token vectors for `late`: `keep` them with the passages (7 to 9 kB each), make them "
        "`live` at each question, or `auto`: keep them where the embedder makes them anyway",
    )
    live_ms: int = setting(
        300, "Time that `late` may take to read passages whose token vectors are not kept"
    )
    generate: str = setting(
        "none",
        "Language model that writes answers: `none` (sentences of the evidence itself), "
        "`openai:<model>` or a plug-in's",
    )
    address: str = setting("", "Address of an OpenAI-compatible server, for `openai:` models")
    generate_address: str = setting(
        "", "The same for the language model, where it is another; empty is `models.address`"
    )
    generate_key: str = setting(
        "", "Key of that server; empty is the one that the client finds for itself"
    )
    rerank_address: str = setting("", "Whole address of a rerank server, for `server:` models")
    rerank_key: str = setting("", "Key of that server, sent as a bearer token")
    batch: int = setting(32, "Texts given to a `fastembed:` or `openai:` model at a time", least=1)
    cache: int = setting(1000, "Embedded questions kept in memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    """How documents are split."""

    target: int = setting(180, "Tokens a passage is filled to, where the structure allows")
    language: str = setting("english", "Language whose word forms and stop words BM25 knows")
    drift: float = setting(
        0.1, "BM25 vectors are rebuilt when the average length has moved by more than this share"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve:
    """How sources are asked."""

    depth: int = setting(50, "Passages asked of each source", least=1)
    percentile: float = setting(
        0.0, "Depth as a percentage of each collection instead of a count; 0 turns it off"
    )
    soft_ms: int = setting(200, "A source that takes longer is reported as slow")
    hard_ms: int = setting(1000, "A source that takes longer is left out, with a note", least=1)
    failures: int = setting(
        3, "Failures in a row after which a source is left alone for a while", least=1
    )
    rest_s: float = setting(30.0, "How long a source that keeps failing is left alone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """How rankings become one."""

    method: str = setting(
        "adaptive", "Fuser inside a collection, where sources rank the same passages"
    )
    across: str = setting("rrf-share", "Fuser across collections, which share no passages")
    k: float = setting(60.0, "Rank constant of reciprocal rank fusion")
    alpha: float = setting(
        0.5,
        "Trust in meaning against words: 1 is dense alone, 0 words alone; `adaptive` takes 0.5 as "
        "no wish, and other values as odds on top of what the question asks for",
    )
    alphas: Mapping[str, float] = field(
        default_factory=dict,
        metadata={
            "help": "The same for questions of one intent, as `consilience tune` finds it; in a "
            "variable `concept=0.7,lookup=0.3`",
            "default": {},
        },
    )
    neighbours: float = setting(
        1.0,
        "How far `adaptive` listens to the scores of the passages most alike: 1 as far as it has "
        "learned to, 0 not at all",
    )
    weights: Mapping[str, float] = field(
        default_factory=dict,
        metadata={
            "help": "Weight of a source (`books/bm25`), a kind (`bm25`) or a collection (`books`); "
            "in a variable `bm25=0.5,books=2`",
            "default": {},
        },
    )
    lean: float = setting(
        1.5,
        "A collection's share falls to 1/e for each so many standard deviations that its best "
        "similarity lies below the best of all; 0 turns it off",
    )
    expansion: float = setting(0.3, "Weight of the second dense vote for an expanded question")
    bonus: float = setting(
        0.0, "Agreement bonus: share of the score added per further source that found a passage"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Refine:
    """What happens to the fused list."""

    window: int = setting(30, "How many fused passages are refined", least=1)
    duplicate: float = setting(
        0.9,
        "Word overlap from which two passages count as the same text, if numbers and word "
        "order agree; from 1 on only identical texts do",
    )
    rerank: int = setting(40, "How many passages are reranked, when a reranker is set", least=1)
    rerank_ms: int = setting(2000, "A reranker that takes longer is left out, with a note", least=1)
    blend: float = setting(0.4, "Weight of the reranker against the fused score")
    mmr: float = setting(0.9, "Relevance against novelty (MMR); 1 turns diversity off")
    share: float = setting(0.6, "Largest share of the first 30 that one collection may take")
    cited: float = setting(
        0.0,
        "Share of its score that a passage gains whose paper the others here cite most, by "
        "PageRank; papers that are cited less gain less; 0 turns it off",
    )
    pinned: int = setting(3, "Places in which an exact identifier is guaranteed to stand")
    floor: float = setting(
        0.2,
        "Where the chance that anything found answers is below this, the question is held to be "
        "unanswerable here; without `late`, where even the best result has less relevance; 0 "
        "turns it off",
    )
    few: int = setting(5, "Fewer results than this are remarked on")
    unread: str = setting(
        "",
        "Fields, with commas between them, that a question's words are not taken as soft "
        "preferences for; `diagnose --metadata` measures which are read well enough",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """How answers are written."""

    length: str = setting(
        "balanced",
        "How long: `concise`, `balanced` or `in-depth`",
        choices=("concise", "balanced", "in-depth"),
    )
    passages: int = setting(
        12,
        "Passages that a balanced answer rests on, where so many are relevant; a concise one has "
        "two thirds of them, one in depth five thirds",
        least=1,
    )
    each: int = setting(5, "Passages of each kind at least, where so many are relevant")
    relevant: float = setting(
        0.1,
        "Passages of less relevance than this are not given to the writer, but for the best of "
        "each kind among the first ten",
    )
    tokens: int = setting(
        4000,
        "Tokens of evidence that a language model is given, shared among the passages",
        least=1,
    )
    unsupported: str = setting(
        "remove",
        "Statements that what they cite does not bear out: `remove` or `mark` them",
        choices=("remove", "mark"),
    )
    propose: str = setting(
        "yes",
        "Whether the language model, where there is one, may propose SQL for figures that are "
        "asked for and not found: `yes` or `no`; it is checked, runs read-only within a time "
        "limit, and is shown",
        choices=("yes", "no"),
    )
    timeout_s: float = setting(60.0, "How long a language model may take for one request")
    retries: int = setting(2, "How often a request that fails is made again")
    parallel: int = setting(3, "Sections that a language model writes at a time", least=1)
    price_asked: float = setting(0.0, "Price of a million tokens that the model reads")
    price_written: float = setting(0.0, "Price of a million tokens that the model writes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Where the evidence is kept, and how long another process is waited for."""

    exact: int = setting(
        500_000,
        "Collections up to this many passages are compared with a question by whole vectors; "
        "larger ones by vectors of 8 bits a number first, and the best of those by whole ones",
    )
    wait_s: float = setting(10.0, "How long to wait for a workspace that another process holds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Serve:
    """What the HTTP service does with this workspace."""

    journal: str = setting(
        "on",
        "Keep a journal of questions, what was shown and which results were opened, on this "
        "machine alone, for `consilience evaluate --journal`: `on` or `off`",
        choices=("on", "off"),
    )
    other: str = setting(
        "",
        "A TOML file of settings, in the workspace, with which a share of the questions is "
        "answered instead, to compare; empty is none",
    )
    share: float = setting(0.5, "That share, from 0 to 1, where `serve.other` is set")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of a workspace."""

    pack: str = setting("general", "What the workspace is for")
    models: Models = field(default_factory=Models)
    passages: Passages = field(default_factory=Passages)
    retrieve: Retrieve = field(default_factory=Retrieve)
    fusion: Fusion = field(default_factory=Fusion)
    refine: Refine = field(default_factory=Refine)
    answer: Answering = field(default_factory=Answering)
    store: Store = field(default_factory=Store)
    serve: Serve = field(default_factory=Serve)


SECTIONS: Mapping[str, type] = {
    "models": Models,
    "passages": Passages,
    "retrieve": Retrieve,
    "fusion": Fusion,
    "refine": Refine,
    "answer": Answering,
    "store": Store,
    "serve": Serve,
}
