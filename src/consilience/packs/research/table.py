"""Which names mean the same? The table of synonyms, read from `synonyms.yaml`.

The file is a list of entries, one for each thing that has several names:

    - names: [SCM, synthetic control method, synthetic controls]
      about: synthetic control            # fields, so that names of one field speak for each other
      contexts: {SCM: [donor pool, treated unit]}  # words that speak for this meaning of a name
      cased: [SCM]                        # names that count in this spelling alone

The first name is the usual short one, the next the usual long one. A short name of several entries
is ambiguous; a long one can be no name of two things, and an ordinary word no name at all unless
it is `cased`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from consilience.errors import UsageError
from consilience.packs.research.spelling import key_of, ordinary
from consilience.understand.names import surface

_KEYS = frozenset({"names", "about", "contexts", "cased"})
_SHORT = 6  # letters of a name that may mean several things


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing and its names, the usual ones first.

    `about` names its fields, `contexts` gives words that speak for this meaning of a name, by the
    name's key, and `cased` are names that count in this spelling alone.
    """

    names: tuple[str, ...]
    about: frozenset[str] = frozenset()
    contexts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cased: frozenset[str] = frozenset()

    @property
    def meaning(self) -> str:
        """What a person would call it in full: its first name of several words."""
        return next((one for one in self.names if " " in surface(one)), self.names[-1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """All entries, and which of them have a name, by the name's key.

    `joined` gives keys by what they are without spaces, `longest` how many words one has at most.
    """

    entries: tuple[Entry, ...]
    places: Mapping[str, tuple[int, ...]]
    joined: Mapping[str, str]
    longest: int


@cache
def read_table(path: Path) -> Table:
    """The table in a file; what is wrong with it is said with the entry's place and names."""
    import yaml  # noqa: PLC0415 - only packs that read questions need it

    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        listed = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 - is safe
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid YAML: {error}") from error
    if not isinstance(listed, list):
        raise UsageError(f"{path} takes a list of entries, like `- names: [IV, instrument]`")
    entries = [_entry(one, f"{path}, entry {place}") for place, one in enumerate(listed, start=1)]
    return table_of(entries, str(path))


def table_of(entries: Sequence[Entry], where: str = "the table") -> Table:
    """A table of these entries; one long name for two things is refused."""
    places: dict[str, tuple[int, ...]] = {}
    for place, entry in enumerate(entries):
        for key in dict.fromkeys(map(key_of, entry.names)):
            if len(key) > _SHORT and key in places:
                other = ", ".join(entries[places[key][0]].names)
                raise UsageError(
                    f"{where}: {key!r} is a name of two entries ({other} / "
                    f"{', '.join(entry.names)}); put them together"
                )
            places[key] = (*places.get(key, ()), place)
    return Table(
        entries=tuple(entries),
        places=places,
        joined={key.replace(" ", ""): key for key in places},
        longest=max((len(key.split()) for key in places), default=0),
    )


def _entry(value: object, where: str) -> Entry:
    if not isinstance(value, dict) or not set(value) <= _KEYS:
        raise UsageError(f"{where} has {value!r}; known keys: {', '.join(sorted(_KEYS))}")
    names = tuple(_texts(value.get("names"), f"{where}, names"))
    where = f"{where} ({', '.join(names)})"
    if len({surface(one) for one in names}) < 2:
        raise UsageError(f"{where} needs two names or more, each of letters or digits")
    cased = frozenset(_texts(value.get("cased", []), f"{where}, cased"))
    _check_cased(names, cased, where)
    about = value.get("about", [])
    fields = _texts([about] if isinstance(about, str) else about, f"{where}, about")
    return Entry(
        names=names,
        about=frozenset(map(surface, fields)),
        contexts=dict(_contexts(value.get("contexts", {}), names, where)),
        cased=cased,
    )


def _check_cased(names: Sequence[str], cased: frozenset[str], where: str) -> None:
    keys = {key_of(one) for one in names}
    for one in cased:
        if key_of(one) not in keys:
            raise UsageError(f"{where}: {one!r} is cased, but no spelling of a name of the entry")
    spelt = {key_of(one) for one in cased}
    for one in names:
        if ordinary(surface(one)) and key_of(one) not in spelt:
            raise UsageError(
                f"{where}: {one!r} is an ordinary word as well; list under `cased` how it is spelt "
                "as a name"
            )


def _contexts(
    value: object, names: Sequence[str], where: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    if not isinstance(value, dict):
        raise UsageError(f"{where}, contexts: takes words by name, like {{SCM: [donor pool]}}")
    keys = {key_of(one) for one in names}
    for name, words in value.items():
        if not isinstance(name, str) or key_of(name) not in keys:
            raise UsageError(f"{where}, contexts: {name!r} is not a name of the entry")
        yield key_of(name), tuple(_texts(words, f"{where}, contexts of {name}"))


def _texts(value: object, where: str) -> list[str]:
    """A list of texts with a letter or a digit; YAML reads `no` and `1e3` as something else."""
    if not isinstance(value, list):
        raise UsageError(f"{where}: takes a list of names, not {value!r}")
    for one in value:
        if not isinstance(one, str) or not surface(one):
            raise UsageError(f"{where}: {one!r} is not a text; put it in quotation marks")
    return value
