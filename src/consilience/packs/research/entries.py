"""Which entries does a file of YAML hold, and in which line does each stand?

Only plain values are made of YAML: no tag makes an object, no anchor stands for something else (a
few hundred letters of them can mean gigabytes), and depth and size are bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from consilience.errors import LoadError
from consilience.evidence.loaders.common import one_line, plain
from consilience.evidence.loaders.json_records import flatten
from consilience.types import Value

LARGEST = 20_000_000  # letters of a file
DEEPEST = 12  # lists and maps inside one another
LIST = "concepts"
_MEANT = f"write a list `{LIST}:` of entries with name, kind, aliases, definition and relations"

Tell = Callable[[int, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A map of YAML, and the line in which it starts; `lists` are the maps below its fields."""

    line: int
    fields: dict[str, Any]
    lists: dict[str, list[Entry] | None] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """A field as YAML gives it; None where it is not given."""
        return self.fields.get(name)

    def text(self, name: str) -> str:
        """A field as one text; what is a list or a map is none."""
        return _text(self.value(name))

    def texts(self, name: str) -> list[str]:
        """A field as texts, each once: a list, or a single one."""
        given = self.value(name)
        every = given if isinstance(given, list) else [given]
        return list(dict.fromkeys(text for one in every if (text := _text(one))))

    def under(self, name: str) -> list[Entry] | None:
        """The entries that a field lists; None where it lists something else."""
        return self.lists.get(name, [])

    def others(self, known: frozenset[str]) -> dict[str, Value]:
        """The fields besides those that are known, by dotted names."""
        return flatten({name: one for name, one in self.fields.items() if name not in known})


def entries_of(text: str, file: str, *, tell: Tell) -> Iterator[Entry]:
    """The entries of a file, or of its list `concepts`; what is no entry is told with its line."""
    loader = _loader(text, file)
    try:
        root = loader.get_single_node()
        for node in _items(root, file, tell):
            entry = _entry(loader, node, tell)
            if entry is not None:
                yield entry
    except yaml.YAMLError as error:
        raise LoadError(f"{file} is not valid YAML{_where(error)}; {_MEANT}") from error
    finally:
        loader.dispose()


def _loader(text: str, file: str) -> Any:
    """A reader of plain values, of a text that is neither too large, nor too deep, nor folded."""
    if len(text) > LARGEST:
        raise LoadError(
            f"{file} has {len(text):,} letters, at most {LARGEST:,} are read; split it up"
        )
    kind = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    text, depth = plain(text), 0
    try:
        for event in yaml.parse(text, Loader=kind):
            line = event.start_mark.line + 1
            if isinstance(event, yaml.AliasEvent):
                raise LoadError(f"{file}, line {line}: `*` repeats another part; write it out")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                raise LoadError(f"{file}, line {line} is nested too deep; {_MEANT}")
    except yaml.YAMLError as error:
        raise LoadError(f"{file} is not valid YAML{_where(error)}; {_MEANT}") from error
    return kind(text)


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "unreadable"
    return f" (line {mark.line + 1}: {problem})" if mark is not None else ""


def _items(root: yaml.Node | None, file: str, tell: Tell) -> list[yaml.Node]:
    """What the file lists, itself or under `concepts`; other parts of it are told."""
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode):
        return _sequence(root, file)
    lists = [value for key, value in root.value if _text(key.value) == LIST]
    for key, _ in root.value:
        if _text(key.value) not in (LIST, "status"):
            tell(key.start_mark.line + 1, f"{_text(key.value)!r} is not read, only `{LIST}`")
    if not lists:
        raise LoadError(f"{file} holds no list of concepts; {_MEANT}")
    return [item for one in lists for item in _sequence(one, file)]


def _sequence(node: yaml.Node, file: str) -> list[yaml.Node]:
    if not isinstance(node, yaml.SequenceNode):
        raise LoadError(f"{file} holds no list of concepts; {_MEANT}")
    return list(node.value)


def _entry(loader: Any, node: yaml.Node, tell: Tell) -> Entry | None:
    """A map as an entry, with the entries that its fields list."""
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.MappingNode):
        tell(line, "an entry is not a map of fields; it is left out")
        return None
    fields: dict[str, Any] = {}
    lists: dict[str, list[Entry] | None] = {}
    for key, value in node.value:
        name = _text(key.value)
        if name in fields or name in lists:
            tell(key.start_mark.line + 1, f"{name!r} is given twice; the first is read")
        elif name == "relations":
            lists[name] = _listed(loader, value, tell)
        else:
            fields[name] = _plain(loader, value, tell)
    return Entry(line=line, fields=fields, lists=lists)


def _listed(loader: Any, node: yaml.Node, tell: Tell) -> list[Entry] | None:
    if isinstance(node, yaml.SequenceNode):
        return [one for item in node.value if (one := _entry(loader, item, tell)) is not None]
    return [] if isinstance(node, yaml.ScalarNode) and node.value in ("", "null", "~") else None


def _plain(loader: Any, node: yaml.Node, tell: Tell) -> Any:
    try:
        return loader.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError, TypeError, OverflowError) as error:
        problem = getattr(error, "problem", None) or str(error)
        tell(node.start_mark.line + 1, f"a value cannot be read: {one_line(problem)[:100]}")
        return None


def _text(value: Any) -> str:
    if value is None or isinstance(value, list | dict | tuple | set | bool | bytes):
        return ""
    try:
        return plain(str(value)).strip()
    except ValueError:  # a whole number of thousands of digits
        return ""
