"""Which settings can be tuned, over which range, and why would one of them do nothing?

A parameter is a row of moves: settings that are changed together. The rank constant is tried
under a fuser that reads it, alpha under those that read alpha: else its range would do nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from consilience.errors import UsageError
from consilience.fuse import FUSERS, Ballot, Options
from consilience.measure.tune.replay import WEIGHTS, Changes, flat
from consilience.pipeline import Engine
from consilience.plan import kind_of
from consilience.settings import Settings

KS = (1.0, 5.0, 10.0, 20.0, 40.0, 60.0, 100.0)
ALPHAS = tuple(step / 10 for step in range(11))
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
DEPTHS = (10, 20, 50, 100)
BLENDS = tuple(step / 10 for step in range(7))
MMRS = (0.7, 0.8, 0.9, 1.0)
CITED = (0.0, 0.05, 0.1, 0.2)
NEIGHBOURS = (0.0, 0.25, 0.5, 0.75, 1.0)
_FUSER = ("fusion.method", "fusion.k", "fusion.alpha", "fusion.neighbours")


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One value of a parameter, and the settings that it stands for."""

    value: str | float
    changes: Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A setting with the range it is tried over; `under` is the fuser it is tried with."""

    name: str
    moves: tuple[Move, ...]
    under: str = ""

    @property
    def title(self) -> str:
        """`fusion.k (rrf)`."""
        return f"{self.name} ({self.under})" if self.under else self.name

    @property
    def group(self) -> str:
        """What it is weighed against: a fuser is chosen together with its constant."""
        return "fuser" if self.name in _FUSER else self.title


def own_fusers() -> list[str]:
    """The fusers that are not copies of what other products do."""
    return [
        name for name, one in FUSERS.items() if not one.contribute.__module__.endswith("vendors")
    ]


def reads(fuser: str, option: str) -> bool:
    """Whether a fuser's arithmetic uses an option (`k`, `alpha`): it is tried at two values."""
    first = Ballot(source="a/bm25", weight=1.0, ids="abc", scores=(9.0, 5.0, 1.0), heard=3, found=3)
    second = Ballot(
        source="a/dense", weight=1.0, ids="cad", scores=(0.9, 0.8, 0.1), heard=3, found=3
    )
    given = [
        FUSERS[fuser].contribute([first, second], Options(**{option: value}))  # type: ignore[arg-type]
        for value in (0.25, 0.75)
    ]
    return given[0] != given[1]


def parameters_of(engine: Engine, *, skip: Sequence[str] = ()) -> list[Parameter]:
    """All that can be tried on this engine but what is to be left alone, fuser first."""
    found = [*_fusing(engine), *_weighing(engine)]
    found.append(Parameter(name="retrieve.depth", moves=_moves("retrieve.depth", DEPTHS)))
    if engine.reranker is not None:
        now = engine.settings.models.rerank
        found.append(Parameter(name="models.rerank", moves=_moves("models.rerank", (now, "none"))))
        found.append(Parameter(name="refine.blend", moves=_moves("refine.blend", BLENDS)))
    found.append(Parameter(name="refine.mmr", moves=_moves("refine.mmr", MMRS)))
    if engine.cited():  # where no paper cites another one, there is nothing to try
        found.append(Parameter(name="refine.cited", moves=_moves("refine.cited", CITED)))
    known = {*untried(engine), *(one.name for one in found), *(one.title for one in found)}
    for name in skip:
        if name not in known:
            raise UsageError(f"no parameter is called {name!r}; known: {', '.join(sorted(known))}")
    return [one for one in found if one.name not in skip and one.title not in skip]


def untried(engine: Engine) -> dict[str, str]:
    """What cannot be tried on this engine, with the reason."""
    if engine.reranker is not None:
        return {}
    reason = f"there is no reranker (models.rerank is {engine.settings.models.rerank!r})"
    return dict.fromkeys(("models.rerank", "refine.blend"), reason)


def _fusing(engine: Engine) -> list[Parameter]:
    fusers = own_fusers()
    found = [
        Parameter(name="fusion.method", moves=_moves("fusion.method", fusers)),
        Parameter(name="fusion.k", under="rrf", moves=_moves("fusion.k", KS, method="rrf")),
    ]
    several = len(set(engine.knowledge.sources.values())) > 1
    if several and engine.settings.fusion.across == "rrf":  # by share, k changes no order across
        found.append(Parameter(name="fusion.k", moves=_moves("fusion.k", KS)))
    ranges = {
        "fusion.alpha": (ALPHAS, [name for name in fusers if reads(name, "alpha")]),
        "fusion.neighbours": (NEIGHBOURS, [name for name in fusers if FUSERS[name].adapts]),
    }
    found += [
        Parameter(name=name, under=fuser, moves=_moves(name, values, method=fuser))
        for name, (values, under) in ranges.items()
        for fuser in under
    ]
    if engine.settings.fusion.alpha in (0, 1):  # one side is all there is: no neighbour is heard
        found = [_mixed(one) if one.name == "fusion.neighbours" else one for one in found]
    return found


def _mixed(parameter: Parameter) -> Parameter:
    """A parameter that is tried with both sides heard alike."""
    moves = [replace(one, changes={**one.changes, "fusion.alpha": 0.5}) for one in parameter.moves]
    return replace(parameter, moves=tuple(moves))


def _weighing(engine: Engine) -> list[Parameter]:
    names = weighed(engine)
    shares = SHARES if len(names) > 1 else SHARES[1:]  # without its only source there is nothing
    return [Parameter(name=WEIGHTS + name, moves=_moves(WEIGHTS + name, shares)) for name in names]


def weighed(engine: Engine) -> list[str]:
    """What a weight is tried for: kinds of sources; single ones where a kind names a collection."""
    collections = set(engine.knowledge.sources.values())
    kinds = dict.fromkeys(kind_of(name) for name in sorted(engine.sources))
    names: list[str] = []
    for kind in kinds:
        if kind in collections:
            names += [one for one in sorted(engine.sources) if kind_of(one) == kind]
        else:
            names.append(kind)
    return names


def current(settings: Settings, parameter: str) -> Any:
    """The value that a parameter has now; None for a weight that is not set."""
    if parameter.startswith(WEIGHTS):
        return settings.fusion.weights.get(parameter.removeprefix(WEIGHTS))
    return flat(settings)[parameter]


def likely_reason(parameter: Parameter, engine: Engine) -> str:
    """Why the whole range of a parameter might change nothing."""
    settings, name = engine.settings, parameter.name
    answering = [one for one in engine.sources if _weight(settings, one) != 0]
    reason = "no question has more than one source that answers it"
    if name.startswith("fusion.") and len(answering) < 2:
        reason = f"only one source has a say ({', '.join(answering) or 'none'}): nothing to fuse"
    elif name == "fusion.neighbours":
        reason = "no source can compare passages, or too few are found to have neighbours"
    elif name == "retrieve.depth" and settings.retrieve.percentile:
        reason = "retrieve.percentile is set, and decides the depth"
    elif name == "retrieve.depth":
        reason = "no source has more to say than it does at the least depth"
    elif name.startswith(WEIGHTS) and _overridden(name.removeprefix(WEIGHTS), engine):
        reason = "each source of this kind has a weight of its own in fusion.weights"
    elif name.startswith(WEIGHTS) and _one_sided(settings):
        reason = f"fusion.alpha is {settings.fusion.alpha:g}: one side has all the say"
    elif name.startswith(WEIGHTS):
        reason = "no question gets an answer from these sources, or no other source beside them"
    elif name in ("refine.mmr", "refine.blend", "refine.cited", "models.rerank"):
        reason = "there are too few results to put into another order"
    return reason


def _one_sided(settings: Settings) -> bool:
    return reads(settings.fusion.method, "alpha") and settings.fusion.alpha in (0, 1)


def _overridden(kind: str, engine: Engine) -> bool:
    own = [one for one in engine.sources if kind_of(one) == kind]
    return bool(own) and all(one in engine.settings.fusion.weights for one in own)


def _weight(settings: Settings, source: str) -> float:
    weights = settings.fusion.weights
    return weights.get(source, weights.get(kind_of(source), 1.0))


def _moves(name: str, values: Sequence[Any], *, method: str = "") -> tuple[Move, ...]:
    under = {"fusion.method": method} if method else {}
    return tuple(Move(value=value, changes={**under, name: value}) for value in values)
