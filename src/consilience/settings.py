"""Which settings are there? Every setting, its default and its meaning, in one place.

A value comes from, last wins: the default here, `consilience.toml` in the workspace, an environment
variable (`fusion.k` is `CONSILIENCE_FUSION_K`). Nothing else in the package reads the environment.
An unknown name, an unknown variable with our prefix, or a value of the wrong type is an error that
says what is allowed. A plug-in has a table of its own, `[plugins.NAME]`, with keys that only the
plug-in knows.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from consilience.errors import UsageError

PluginTable = Mapping[str, str | int | float | bool]
PluginTables = Mapping[str, PluginTable]


def setting(default: Any, text: str, *, least: int = 0, choices: tuple[str, ...] = ()) -> Any:
    """A field with its default and its meaning; a number of `least` or more, one of `choices`."""
    metadata = {"help": text, "default": default, "least": least, "choices": choices}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


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
        "Language model that writes answers: `none` (excerpts of the evidence), `gguf:<path>` "
        "(a model file, run on this machine), `openai:<model>` or a plug-in's",
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
    depths: Mapping[str, float] = setting(
        {}, "The same for single collections; in a variable `books=80,games=40`"
    )
    soft_ms: int = setting(200, "A source that takes longer is reported as slow")
    hard_ms: int = setting(1000, "A source that takes longer is left out, with a note", least=1)
    answer_ms: int = setting(
        5000, "How long a written answer waits for each source at least; then asks it again"
    )
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
    neighbours: float = setting(
        1.0,
        "How much `adaptive` uses the scores of similar passages: 1 as much as it has learned to, "
        "0 not at all",
    )
    weights: Mapping[str, float] = setting(
        {},
        "Weight of a source (`books/bm25`), a kind (`bm25`) or a collection (`books`); "
        "in a variable `bm25=0.5,books=2`",
    )
    lean: float = setting(
        1.5,
        "A collection's share falls to 1/e for each so many standard deviations that its best "
        "similarity lies below the best of all; 0 turns it off",
    )
    expansion: float = setting(0.3, "Weight of the second dense vote for an expanded question")


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
    pinned: int = setting(3, "Places in which an exact identifier is guaranteed to stand")
    floor: float = setting(
        0.2,
        "Where the chance that anything found answers is below this, the question counts as "
        "unanswerable here; without `late`, where even the best result has less relevance; 0 "
        "turns it off",
    )
    few: int = setting(5, "Fewer results than this are remarked on")
    unread: str = setting(
        "",
        "Fields, with commas between them, that a question's words are not taken as soft "
        "preferences for",
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
        1600,
        "Tokens of evidence that a language model is given for a balanced answer, shared among "
        "the best passages; a concise one has two thirds of them, one in depth three times as many",
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
    timeout_s: float = setting(120.0, "How long a language model may take for one request")
    retries: int = setting(2, "How often a request that fails is made again")
    parallel: int = setting(3, "Sections that a language model writes at a time", least=1)
    price_asked: float = setting(0.0, "Price of a million tokens that the model reads")
    price_written: float = setting(0.0, "Price of a million tokens that the model writes")


_FOR_SERVER = "Key or password for it; `file:PATH` reads it from a file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Where the evidence is kept, and how long another process is waited for."""

    exact: int = setting(
        500_000,
        "Collections up to this many passages are compared with a question by whole vectors; "
        "larger ones by vectors of 8 bits a number first, and the best of those by whole ones",
    )
    passages: str = setting(
        "",
        "Where passages are: empty is on this machine; or an address, `qdrant://host:6333` or "
        "`https://host:6333` for Qdrant",
    )
    passages_key: str = setting("", _FOR_SERVER)
    shards: int = setting(1, "Shards of a collection on Qdrant", least=1)
    replicas: int = setting(1, "Copies of each shard on Qdrant", least=1)
    wait_s: float = setting(10.0, "How long to wait for a workspace that another process holds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Serve:
    """What the HTTP service does with this workspace."""

    journal: str = setting(
        "on",
        "Keep a journal of questions, what was shown and which results were opened, on this "
        "machine alone, for `consilience golden from-journal`: `on` or `off`",
        choices=("on", "off"),
    )


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
    plugins: PluginTables = field(default_factory=dict)

    def plugin(self, name: str) -> PluginTable:
        """The table `[plugins.NAME]` of a plug-in; empty where there is none."""
        return self.plugins.get(name, {})

    def value(self, name: str) -> Any:
        """A setting by its dotted name."""
        section, _, last = name.rpartition(".")
        return getattr(getattr(self, section) if section else self, last)


SECTIONS: Mapping[str, type] = {
    part.name: type(section)
    for part in fields(Settings)
    if is_dataclass(section := getattr(Settings(), part.name))
}


# --- reading and checking ----------------------------------------------------------------


FILE = "consilience.toml"
PREFIX = "CONSILIENCE_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the settings table."""

    name: str
    default: Any
    help: str
    least: int = 0
    choices: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return PREFIX + self.name.upper().replace(".", "_")


def _rows(owner: type, prefix: str = "") -> list[Row]:
    parts = [part for part in fields(owner) if "help" in part.metadata]
    return [Row(name=prefix + part.name, **part.metadata) for part in parts]


TABLE: tuple[Row, ...] = (
    *_rows(Settings),
    *(row for name, owner in SECTIONS.items() for row in _rows(owner, f"{name}.")),
)


OBSOLETE = frozenset(
    (
        *("fusion.alphas", "fusion.bonus", "refine.cited", "retrieve.percentile"),
        *("serve.other", "serve.share"),
    )
)
"""Settings of earlier versions: files that have them are read, and nothing comes of them."""


def read_settings(
    folder: str | Path | None, environment: Mapping[str, str] | None = None
) -> Settings:
    """The settings of a workspace folder; without a folder, defaults and environment."""
    values: dict[str, Any] = {}
    if folder is not None:
        with suppress(FileNotFoundError):
            values.update(parse_toml(Path(folder) / FILE))
    values.update(_from_environment(os.environ if environment is None else environment))
    return build_settings(values)


def build_settings(values: Mapping[str, Any]) -> Settings:
    """Settings from dotted names; the rest stands at its default."""
    known = {row.name: row for row in TABLE}
    parts: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    top: dict[str, Any] = {}
    for name, value in values.items():
        if name == "plugins":
            top[name] = _plugin_tables(value)
            continue
        if name in OBSOLETE:
            continue
        if name not in known:
            raise UsageError(f"unknown setting {name!r}; `consilience settings` lists them")
        checked = _checked(known[name], value)
        section, _, last = name.rpartition(".")
        (parts[section] if section else top)[last] = checked
    built = {name: owner(**parts[name]) for name, owner in SECTIONS.items()}
    return Settings(**top, **built)


def _plugin_tables(value: Any) -> dict[str, dict[str, Any]]:
    """The tables of plug-ins; every value must be a text, a number, true or false."""
    if not isinstance(value, Mapping):
        raise UsageError(f"setting 'plugins' takes tables like [plugins.NAME], not {value!r}")
    for name, table in value.items():
        if not isinstance(table, Mapping):
            raise UsageError(
                f"setting 'plugins.{name}' takes a table, not {table!r}; write [plugins.{name}]"
            )
        for key, item in table.items():
            if not isinstance(item, str | int | float | bool):
                raise UsageError(
                    f"setting 'plugins.{name}.{key}' takes a text, a number, true or false, "
                    f"not {item!r}"
                )
    return {name: dict(table) for name, table in value.items()}


def parse_toml(path: Path) -> dict[str, Any]:
    """The values of a settings file by dotted name."""
    try:
        return dotted(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}; correct it and try again") from error


def dotted(table: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a file by dotted name, whether they stand in a section or not."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if name in SECTIONS and isinstance(value, dict):
            flat.update({f"{name}.{inner}": item for inner, item in value.items()})
        else:
            flat[name] = value
    return flat


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    names = {row.variable: row.name for row in TABLE}
    ours = {key: value for key, value in environment.items() if key.startswith(PREFIX)}
    for key in ours:
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1, cutoff=0.0)[0]
            raise UsageError(
                f"unknown variable {key}; the nearest is {near}: correct it, or unset it"
            )
    return {names[key]: value for key, value in ours.items()}


def _checked(row: Row, value: Any) -> Any:
    kind = type(row.default)
    parse, expected = _PARSERS[kind]
    try:
        found = parse(value)
        if kind in (int, float) and found < row.least:
            raise ValueError("too small")
        if row.choices and found not in row.choices:
            raise ValueError("not one of them")
    except (TypeError, ValueError) as error:
        wanted = " or ".join(map(repr, row.choices)) or expected.format(least=row.least)
        shown = "what it was given" if row.name.endswith("_key") else repr(value)
        raise UsageError(f"setting {row.name!r} takes {wanted}, not {shown}: {row.help}") from error
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise TypeError("not a number")
    number = float(value)
    if not math.isfinite(number) or number < 0:
        raise ValueError("not a finite number of 0 or more")
    return number


def _whole(value: Any) -> int:
    number = _number(value)
    if number != int(number):
        raise ValueError("not a whole number")
    return int(number)


def _weights(value: Any) -> dict[str, float]:
    """`{"books/bm25": 0.5}` from TOML, or `books/bm25=0.5,games=2` from the environment."""
    if isinstance(value, str):
        value = dict(pair.split("=", 1) for pair in value.split(",") if pair)
    return {str(name): _number(weight) for name, weight in dict(value).items()}


_PARSERS: Mapping[type, tuple[Callable[[Any], Any], str]] = {
    str: (_text, "a text"),
    int: (_whole, "a whole number of {least} or more"),
    float: (_number, "a number of {least} or more"),
    dict: (_weights, "names with weights of {least} or more, like bm25=0.5,books=2"),
}


# --- describing --------------------------------------------------------------------------


REBUILT = frozenset(("pack", "models.embed", "passages.target", "passages.language"))
"""What is built into the index: after a change of one of these, `consilience rebuild`."""
SERVERS = ("passages",)
"""The stores that may be on a server, each by the setting `store.NAME`, its address."""
_ADDRESSES = frozenset(f"store.{role}" for role in SERVERS)
_PASSWORD = re.compile(r"(?<=//).*@")  # to the last one: a password may hold some itself
_ASKED = re.compile(r"(?<==)[^&#]+")


def describe_settings(settings: Settings) -> list[dict[str, Any]]:
    """One entry for each setting; keys, and passwords in addresses, are not among the values."""
    return [
        {
            "name": row.name,
            "value": hide_secret(row.name, settings.value(row.name)),
            "default": row.default,
            "variable": row.variable,
            "help": row.help,
        }
        for row in TABLE
    ]


def is_address(name: str) -> bool:
    """Whether a setting leads to another machine."""
    return name.endswith("address") or name in _ADDRESSES


def hide_secret(name: str, value: Any) -> Any:
    """A key is not shown, only that there is one, nor is a password or a key in an address."""
    if name.endswith("_key") and value:
        return "(set)"
    if is_address(name) and isinstance(value, str):
        plain, mark, asked = _PASSWORD.sub("(set)@", value).partition("?")
        return plain + mark + _ASKED.sub("(set)", asked)
    return value
