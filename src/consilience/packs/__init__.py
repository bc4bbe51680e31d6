"""What does a domain add? A pack: where its evidence goes, how its questions are read.

A pack is declarative: tables of rules and names, plus small pure functions. Third-party packs
register a `Pack` under the entry point group `consilience.packs`, as the built-in ones do.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from consilience.errors import UsageError
from consilience.names import surface
from consilience.protocols import Check
from consilience.types import Boost, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is known of a question before rules look at it: its text and the names it mentions.

    `nodes` and `values` count the distinct nodes of graphs and values of tables it names.
    """

    text: str
    nodes: int = 0
    values: int = 0
    relations: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When a question is of this kind, and what follows from it.

    The first rule that fires names the intent. `weights` and `shares` multiply those of the
    settings, by source kind (`sql`) and by collection; `cover` names kinds of passages and
    among how many first places at least one of them belongs, when there is one.
    """

    name: str
    intent: str
    fires: Callable[[Reading], bool]
    weights: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    cover: Mapping[str, int] = field(default_factory=dict)


_QUOTED = re.compile(r'"([^"]{2,})"|“([^”]{2,})”|«([^»]{2,})»')


def quoted(text: str) -> tuple[str, ...]:
    """The phrases a question puts in double quotation marks: they are meant to the letter."""
    return tuple(next(filter(None, match)).strip() for match in _QUOTED.findall(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """What a domain adds to the engine.

    `collections` says where a document of a kind goes (`*` for the rest), `identities` what
    makes two passages of a kind the same thing, `identifiers` finds exact identifiers in a
    question, `boosts` reads soft preferences from it, `sample` is a folder of files to try,
    `examples` are questions to ask of it, and `golden` is a file of questions with their answers
    in the sample, to measure with. For answers, `labels` says how a passage of a kind is named
    to a writer (`Game - Petrosian–Pachman 1961, move 14`), and `checks` look for more than the
    engine's own do.
    """

    name: str
    summary: str
    collections: Mapping[str, str]
    rules: tuple[Rule, ...] = ()
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    identities: Mapping[str, Callable[[Passage], str]] = field(default_factory=dict)
    identifiers: Callable[[str], tuple[str, ...]] = quoted
    boosts: Callable[[str], tuple[Boost, ...]] = lambda text: ()
    sample: Path | None = None
    examples: tuple[str, ...] = ()
    golden: Path | None = None
    labels: Mapping[str, Callable[[Passage], str]] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()


def read_synonyms(folder: Path, pack: Pack) -> dict[str, tuple[str, ...]]:
    """The pack's table and the workspace's own `synonyms.toml`: `word = ["other", …]`."""
    path = folder / "synonyms.toml"
    own: dict[str, object] = {}
    if path.exists():
        try:
            own = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is not valid TOML: {error}") from error
    table = {surface(word): tuple(others) for word, others in pack.synonyms.items()}
    for word, others in own.items():
        if not isinstance(others, list) or not all(isinstance(one, str) for one in others):
            raise UsageError(f'{path}: {word!r} takes a list of words, like ["other", "another"]')
        table[surface(word)] = (*table.get(surface(word), ()), *others)
    return table
