"""What does a golden file say, and what is wrong with it? Records with their lines, checked.

YAML and JSON Lines give the same `Entry`s; one set of checks reads both. Every complaint names
the file, the line, the question, the key, the value, and what to do.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import yaml

from consilience.errors import UsageError
from consilience.filters import is_number
from consilience.kinds import locator_fields
from consilience.measure.values import Fact, Golden, Judgement, Question
from consilience.types import Locator, Scalar, Value

HIGHEST = 3
NUMBERS = ("page", "row")
TEXTS = ("table", "node")
_SLUG = 48
_WHOLE = re.compile(r"[-+]?(0|[1-9]\d*)")
_DECIMAL = re.compile(r"[-+]?\d+\.\d*([eE][-+]?\d+)?")
_TRUTHS = {"yes": True, "no": False}
_HEADER = ("name", "by", "fingerprint", "questions")
_LINE_HEADER = ("golden", "by", "fingerprint")
_QUESTION = (
    "id", "text", "category", "language", "judgements", "facts", "unanswerable", "pool",
)  # fmt: skip
_JUDGEMENT = ("document", "grade", "section", *NUMBERS, *TEXTS)
_FACT = ("value", "unit", "document", "page")


class Raw(NamedTuple):
    """A plain value of a file: as it is spelt, and as it is read (`1.50` and 1.5)."""

    text: str
    value: Scalar | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A mapping of a file, and the line on which it begins."""

    values: Mapping[str, Node]
    line: int


Node: TypeAlias = "Raw | Entry | list[Node]"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in a golden file something stands, in words."""

    file: str
    line: int
    what: str = ""

    def wrong(self, told: str) -> UsageError:
        """The complaint about this spot."""
        parts = [f"{self.file}, line {self.line}", *([self.what] if self.what else [])]
        return UsageError(f"{', '.join(parts)}: {told}")

    def inner(self, entry: Entry, what: str) -> Spot:
        """A spot inside this one."""
        joined = f"{self.what}, {what}" if self.what else what
        return replace(self, line=entry.line, what=joined)


# --- files to entries -------------------------------------------------------------------


def yaml_entries(text: str, file: str) -> tuple[Entry, list[Node]]:
    """The header and the questions of a YAML file; a list alone has an empty header."""
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        root = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        told = getattr(error, "problem", None) or str(error)
        line = mark.line + 1 if mark is not None else 1
        raise Spot(file, line).wrong(
            f"not valid YAML: {told}; put texts with colons or quotes between quotation marks"
        ) from error
    spot = Spot(file, 1)
    if root is None:
        raise spot.wrong("the file is empty; write `questions:` and a list of them")
    node = _from_yaml(root, spot)
    if isinstance(node, list):
        return Entry({}, 1), node
    if not isinstance(node, Entry) or "questions" not in node.values:
        raise spot.wrong("there is no list `questions`; write `questions:` and a list of them")
    questions = node.values["questions"]
    if not isinstance(questions, list):
        raise spot.wrong("`questions` must be a list: one `- text: …` for each question")
    known_keys(node, _HEADER, spot)
    return node, questions


def _from_yaml(node: yaml.Node, spot: Spot) -> Node:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        values: dict[str, Node] = {}
        for key, value in node.value:
            name = str(key.value)
            if name in values:
                at = replace(spot, line=key.start_mark.line + 1)
                raise at.wrong(f"the key {name!r} is given twice; keep one of them")
            values[name] = _from_yaml(value, spot)
        return Entry(values, line)
    if isinstance(node, yaml.SequenceNode):
        return [_from_yaml(one, spot) for one in node.value]
    return Raw(str(node.value), _scalar(node))


def _scalar(node: yaml.Node) -> Scalar | None:
    """A plain value. What people mean as text stays text: `no`, `007`, `12:30`, dates."""
    text = str(node.value)
    kind = node.tag.rpartition(":")[2]
    if kind == "null":
        return None
    if kind == "bool" and text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    if kind == "int" and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "float" and _DECIMAL.fullmatch(text):
        return float(text)
    return text


def json_entries(text: str, file: str) -> tuple[Entry, list[Node]]:
    """The header and the questions of a file with one JSON object a line."""
    header, questions = Entry({}, 1), []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        spot = Spot(file, number)
        try:
            node = _from_json(json.loads(line), number)
        except json.JSONDecodeError as error:
            told = f"not valid JSON: {error.msg} at column {error.colno}"
            raise spot.wrong(f"{told}; write one object a line") from error
        if isinstance(node, Entry) and "golden" in node.values:
            known_keys(node, _LINE_HEADER, spot)
            header = Entry({**node.values, "name": node.values["golden"]}, number)
        else:
            questions.append(node)
    return header, questions


def _from_json(value: Any, line: int) -> Node:
    if isinstance(value, dict):
        return Entry({name: _from_json(one, line) for name, one in value.items()}, line)
    if isinstance(value, list):
        return [_from_json(one, line) for one in value]
    return Raw("" if value is None else str(value), value)


# --- entries to questions ---------------------------------------------------------------


def golden_of(header: Entry, questions: Sequence[Node], *, file: str, name: str) -> Golden:
    """A golden set of checked questions; two with one id are refused."""
    spot = Spot(file, header.line)
    read: list[Question] = []
    lines: dict[str, int] = {}
    for number, node in enumerate(questions, start=1):
        if not isinstance(node, Entry):
            at = replace(spot, what=f"question {number}")
            raise at.wrong("a question is a mapping that begins with `text:`")
        one = _question(node, spot.inner(node, f"question {number}"))
        if one.id in lines:
            raise spot.inner(node, f"question {number}").wrong(
                f"the id {one.id!r} is that of the question on line {lines[one.id]} as well; "
                "give each its own `id`, or delete one"
            )
        lines[one.id] = node.line
        read.append(one)
    return Golden(
        name=_text(header, "name", spot) or name,
        questions=tuple(read),
        fingerprint=_text(header, "fingerprint", spot),
        by=_text(header, "by", spot) or "passage",
    )


def question_id(text: str) -> str:
    """An id from a question's words: `how-tall-is-cordouan`; of a long one the beginning."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    slug = "-".join(re.findall(r"[a-z0-9]+", bare.encode("ascii", "ignore").decode()))
    if slug and len(slug) <= _SLUG:
        return slug
    digest = hashlib.sha256(" ".join(text.casefold().split()).encode()).hexdigest()[:6]
    start = slug[:_SLUG].rpartition("-")[0] if slug else "question"
    return f"{start}-{digest}"


def _question(entry: Entry, spot: Spot) -> Question:
    known_keys(entry, _QUESTION, spot)
    text = " ".join(_text(entry, "text", spot).split())
    if not text:
        raise spot.wrong("it has no `text`; write the question there")
    spot = replace(spot, what=f"{spot.what} ({_shortened(text)!r})")
    key = _text(entry, "id", spot) or question_id(text)
    if key.split() != [key]:
        raise spot.wrong(f"the id {key!r} has spaces; use hyphens instead")
    question = Question(
        id=key,
        text=text,
        category=_text(entry, "category", spot),
        language=_text(entry, "language", spot) or "en",
        judgements=tuple(
            _judgement(one, spot.inner(one, f"judgement {number}"))
            for number, one in enumerate(_entries(entry, "judgements", spot), start=1)
        ),
        facts=tuple(
            _fact(one, spot.inner(one, f"fact {number}"))
            for number, one in enumerate(_entries(entry, "facts", spot), start=1)
        ),
        unanswerable=_truth(entry, "unanswerable", spot),
        pool=tuple(_texts(entry, "pool", spot)),
    )
    _check_answers(question, spot)
    return question


def _check_answers(question: Question, spot: Spot) -> None:
    answered = bool(question.facts) or any(one.grade > 0 for one in question.judgements)
    if question.unanswerable and answered:
        raise spot.wrong(
            "it is marked `unanswerable`, yet has a fact or a judgement above 0; "
            "delete the mark or those"
        )
    if not question.unanswerable and not answered:
        raise spot.wrong(
            "nothing answers it: give `judgements` with a grade above 0, or `facts`, "
            "or `unanswerable: true`"
        )


def _judgement(entry: Entry, spot: Spot) -> Judgement:
    known_keys(entry, (*_JUDGEMENT, *locator_fields(), "fields", "quote"), spot)
    document = _text(entry, "document", spot)
    fields = _fields(entry, spot)
    if not document and not fields:
        raise spot.wrong("it has no `document`; name the file, as `consilience show` prints it")
    grade = _number(entry, "grade", spot)
    if grade is not None and grade > HIGHEST:
        raise spot.wrong(f"`grade` is 0, 1, 2 or 3, not {grade}; 3 answers fully, 0 not at all")
    place = {name: _number(entry, name, spot) for name in (*NUMBERS, *locator_fields())}
    named = {name: _text(entry, name, spot) or None for name in TEXTS}
    return Judgement(
        document=document,
        grade=1 if grade is None else grade,
        locator=Locator.of({"section": _section(entry, spot), **place, **named}),
        fields=fields,
        quote=_text(entry, "quote", spot),
    )


def _fact(entry: Entry, spot: Spot) -> Fact:
    known_keys(entry, _FACT, spot)
    value = _text(entry, "value", spot)
    if not value:
        raise spot.wrong("it has no `value`; write what a right answer states, like `67.5`")
    return Fact(
        value=value,
        unit=_text(entry, "unit", spot),
        document=_text(entry, "document", spot),
        page=_number(entry, "page", spot),
    )


# --- values of keys ---------------------------------------------------------------------


def known_keys(entry: Entry, known: Collection[str], spot: Spot) -> None:
    """Refuse a key that means nothing here, with the nearest that does."""
    for name in entry.values:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
            raise spot.wrong(
                f"unknown key {name!r}; the nearest is {near!r} (known: {', '.join(known)})"
            )


def _given(entry: Entry, name: str) -> Node | None:
    node = entry.values.get(name)
    return None if isinstance(node, Raw) and node.value is None else node


def _text(entry: Entry, name: str, spot: Spot) -> str:
    node = _given(entry, name)
    if node is None:
        return ""
    if not isinstance(node, Raw):
        raise spot.wrong(f"`{name}` takes one text, not a list or a mapping")
    return node.text.strip()


def _texts(entry: Entry, name: str, spot: Spot) -> list[str]:
    node = _given(entry, name)
    if node is None:
        return []
    nodes = node if isinstance(node, list) else [node]
    texts = [one.text.strip() for one in nodes if isinstance(one, Raw)]
    if len(texts) != len(nodes):
        raise spot.wrong(f"`{name}` takes a list of texts")
    return texts


def _section(entry: Entry, spot: Spot) -> tuple[str, ...]:
    """Headings from a list, or from one text with `›` between them."""
    texts = _texts(entry, "section", spot)
    if len(texts) == 1:
        texts = [part.strip() for part in texts[0].split("›")]
    return tuple(part for part in texts if part)


def _number(entry: Entry, name: str, spot: Spot) -> int | None:
    node = _given(entry, name)
    if node is None:
        return None
    value = node.value if isinstance(node, Raw) else None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        shown = node.text if isinstance(node, Raw) else "a list or a mapping"
        raise spot.wrong(f"`{name}` takes a whole number of 0 or more, not {shown!r}")
    return value


def _truth(entry: Entry, name: str, spot: Spot) -> bool:
    node = _given(entry, name)
    if node is None:
        return False
    value = node.value if isinstance(node, Raw) else None
    truth = value if isinstance(value, bool) else _TRUTHS.get(str(value).casefold())
    if truth is None:
        shown = node.text if isinstance(node, Raw) else "a list or a mapping"
        raise spot.wrong(f"`{name}` is true or false, not {shown!r}")
    return truth


def _entries(entry: Entry, name: str, spot: Spot) -> list[Entry]:
    node = _given(entry, name)
    if node is None:
        return []
    entries = [one for one in node if isinstance(one, Entry)] if isinstance(node, list) else []
    if not isinstance(node, list) or len(entries) != len(node):
        raise spot.wrong(f"`{name}` takes a list of mappings: one `- key: value` for each")
    return entries


def _fields(entry: Entry, spot: Spot) -> dict[str, Value]:
    node = _given(entry, "fields")
    if node is None:
        return {}
    if not isinstance(node, Entry):
        raise spot.wrong("`fields` takes names with values, like `{name: Bell Rock}`")
    return {name: _value(name, one, spot) for name, one in node.values.items()}


def _value(name: str, node: Node, spot: Spot) -> Value:
    if isinstance(node, list):
        return tuple(_single(name, one, spot) for one in node)
    return _single(name, node, spot)


def _single(name: str, node: Node, spot: Spot) -> Scalar:
    if not isinstance(node, Raw) or node.value is None:
        raise spot.wrong(f"the field {name!r} takes a text, a number, true or false")
    return node.value if isinstance(node.value, bool) or is_number(node.value) else node.text


def _shortened(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
