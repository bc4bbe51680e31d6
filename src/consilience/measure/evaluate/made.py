"""What does a passage count for that a source made for a question? What it was made of.

No golden set can point at a calculation: it is in no file. It is judged by the passages that it was
made of, its operands; facts are looked for in its own text, and it stands on the page it names.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from consilience.measure.golden.walking import made_of
from consilience.measure.scoring.measures import PLACES
from consilience.measure.values import Resolved, Run, Units
from consilience.protocols import Lookup


def with_made(resolved: Resolved, runs: Iterable[Run], lookup: Lookup) -> Resolved:
    """The judgements with the passages that were made for a question and stand in a first place.

    Each meets the units that what it was made of meets, or has the home that this has.
    """
    first: dict[str, dict[str, None]] = {}
    for run in runs:
        for key, answer in run.answers.items():
            first.setdefault(key, {}).update(dict.fromkeys(answer.passages[:PLACES]))
    known = lookup(list(dict.fromkeys(one for ids in first.values() for one in ids)))
    made = {key: own for key, one in known.items() if (own := made_of(one))}
    if not made:
        return resolved
    if resolved.homes:
        homes = {key: _home(own, resolved.homes) for key, own in made.items()}
        told = {key: home for key, home in homes.items() if home}
        return replace(resolved, homes={**told, **resolved.homes})
    mine = {key: {one: made[one] for one in ids if one in made} for key, ids in first.items()}
    return replace(
        resolved,
        strict={key: _with(met, mine.get(key, {})) for key, met in resolved.strict.items()},
        lenient={key: _with(met, mine.get(key, {})) for key, met in resolved.lenient.items()},
    )


def _home(own: Sequence[str], homes: Mapping[str, str]) -> str:
    return next((homes[one] for one in own if one in homes), "")


def _with(met: Units, made: Mapping[str, Sequence[str]]) -> Units:
    """The units by passage, with those of passages that were made of others."""
    more = {
        key: tuple(dict.fromkeys(unit for one in own for unit in met.get(one, ())))
        for key, own in made.items()
    }
    told = {key: units for key, units in more.items() if units}
    return ChainMap(told, cast("dict[str, tuple[str, ...]]", met)) if told else met
