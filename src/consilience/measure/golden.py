"""How is a golden set stored? In YAML that people write, or JSON Lines; both say the same.

    questions:
      - text: How tall is Cordouan Lighthouse?
        category: lookup
        judgements:
          - document: lighthouses.csv
            fields: {name: Cordouan Lighthouse}
            grade: 3
        facts:
          - {value: "67.5", unit: m}
      - text: What hydration is best for a sourdough loaf?
        unanswerable: true

An id may be left out; it is then derived from the text. A public collection in BEIR's layout is a
folder, and is read as it is. Every error names the file, the line, the question, the key, the
value, and what to do.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import tempfile
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import yaml

from consilience.errors import StoreError, UsageError
from consilience.filters import is_number
from consilience.kinds import locator_fields
from consilience.measure.data_model import Fact, Golden, Judgement, Question
from consilience.types import ID_LENGTH, Locator, Scalar, Value

YAML = (".yaml", ".yml")
JSON_LINES = (".jsonl", ".ndjson")
HIGHEST_GRADE = 3
_HEADER = ("name", "by", "fingerprint", "questions")
_JSON_HEADER = ("golden", "by", "fingerprint")
_QUESTION = (
    "id", "text", "category", "language", "judgements", "facts", "unanswerable", "pool",
)  # fmt: skip
_NUMBERS = ("page", "row")
_TEXTS = ("table", "node")
_JUDGEMENT = ("document", "grade", "section", *_NUMBERS, *_TEXTS)
_FACT = ("value", "unit", "document", "page")
_INTEGER = re.compile(r"[-+]?(0|[1-9]\d*)")
_DECIMAL = re.compile(r"[-+]?\d+\.\d*([eE][-+]?\d+)?")
_BOOLEANS = {"yes": True, "no": False}
_ID_LETTERS = 48
_LINE_WIDTH = 96
_T = TypeVar("_T")


def read_golden(path: Path) -> Golden:
    """The golden set of a file, or of a folder in BEIR's layout."""
    if path.is_dir():
        from consilience.measure.trec import read_beir  # noqa: PLC0415 (loads numpy)

        return read_beir(path)
    is_yaml = _is_yaml(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(
            f"no such golden set: {path}; write one, or begin with `consilience golden suggest`"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason}; save it as UTF-8") from error
    return _parse(text, path, is_yaml=is_yaml)


def write_golden(golden: Golden, path: Path) -> None:
    """Write a golden set so that a person can read it; an existing file is replaced."""
    write_atomically(path, _format(golden, is_yaml=_is_yaml(path)))


def add_question(golden: Golden, question: Question, path: Path) -> Golden:
    """Add a question to a set and to its file; comments in the file are kept.

    Where the question cannot be appended to the file as it is, the file is rewritten.
    """
    longer = replace(golden, questions=(*golden.questions, question))
    is_yaml = _is_yaml(path)
    if path.exists() and golden.questions:
        text = path.read_text(encoding="utf-8-sig").rstrip("\n") + "\n"
        text += f"\n{_yaml_question(question)}" if is_yaml else _json_line(question) + "\n"
        with suppress(UsageError):
            if _parse(text, path, is_yaml=is_yaml).questions == longer.questions:
                write_atomically(path, text)
                return longer
    write_golden(longer, path)
    return longer


def golden_digest(golden: Golden) -> str:
    """A digest that changes with any question, judgement or fact, not with their order."""
    questions = sorted(json.dumps(_as_dict(question, pool=False)) for question in golden.questions)
    return _digest(json.dumps([golden.by, questions]))


def question_digest(question: Question) -> str:
    """A digest of a question's text, whatever its case and spacing."""
    return text_digest(question.text)


def text_digest(text: str) -> str:
    """`question_digest` of a question that is only a text yet."""
    return _digest(" ".join(text.casefold().split()))


def question_id(text: str) -> str:
    """An id from a question's words: `how-tall-is-cordouan`; of a long one the beginning."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    slug = "-".join(re.findall(r"[a-z0-9]+", bare.encode("ascii", "ignore").decode()))
    if slug and len(slug) <= _ID_LETTERS:
        return slug
    digest = hashlib.sha256(" ".join(text.casefold().split()).encode()).hexdigest()[:6]
    start = slug[:_ID_LETTERS].rpartition("-")[0] if slug else "question"
    return f"{start}-{digest}"


def unused_id(text: str, used: Collection[str]) -> str:
    """An id from a question's words that no other question has."""
    key = question_id(text)
    numbered = (f"{key}-{number}" for number in range(2, len(used) + 3))
    return next(candidate for candidate in (key, *numbered) if candidate not in used)


def write_atomically(path: Path, text: str) -> None:
    """Replace a file by a text; a failure leaves the old file in place."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        temporary.replace(path)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}; is the disk full, or read-only?"
        ) from error
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _is_yaml(path: Path) -> bool:
    ending = path.suffix.lower()
    if ending not in (*YAML, *JSON_LINES):
        raise UsageError(
            f"{path} does not look like a golden set; name a file that ends in "
            f"{', '.join((*YAML, *JSON_LINES))}, or a folder with a BEIR collection"
        )
    return ending in YAML


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:ID_LENGTH]


# --- writing ----------------------------------------------------------------------------


def _format(golden: Golden, *, is_yaml: bool) -> str:
    header = {"by": golden.by if golden.by != "passage" else "", "fingerprint": golden.fingerprint}
    header = {name: value for name, value in header.items() if value}
    if not is_yaml:
        first = json.dumps({"golden": golden.name, **header}, ensure_ascii=False)
        return "\n".join((first, *map(_json_line, golden.questions))) + "\n"
    questions = "\n".join(map(_yaml_question, golden.questions))
    listed = f"questions:\n{questions}" if questions else "questions: []\n"
    return _dump_yaml({"name": golden.name, **header}) + listed


def _yaml_question(question: Question) -> str:
    lines = _dump_yaml([_as_dict(question)]).splitlines()
    return "".join(f"  {line}\n" if line else "\n" for line in lines)


def _json_line(question: Question) -> str:
    return json.dumps(_as_dict(question), ensure_ascii=False)


class _Inline(list[Any]):
    """A short list, written on one line."""


class _InlineMapping(dict[str, Any]):
    """A short mapping, written on one line."""


class _Dumper(yaml.SafeDumper):
    """Block style: texts of several lines as blocks, lists indented below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002
        super().increase_indent(flow=flow, indentless=False)


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)
_Dumper.add_representer(
    _Inline,
    lambda dumper, row: dumper.represent_sequence("tag:yaml.org,2002:seq", row, flow_style=True),
)
_Dumper.add_representer(
    _InlineMapping,
    lambda dumper, row: dumper.represent_mapping("tag:yaml.org,2002:map", row, flow_style=True),
)


def _dump_yaml(value: Any) -> str:
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        default_flow_style=False,
        width=_LINE_WIDTH,
    )
    return text


def _as_dict(question: Question, *, pool: bool = True) -> dict[str, Any]:
    """A question as keys and values, without empty ones."""
    values = {
        "id": question.id,
        "text": question.text,
        "category": question.category,
        "language": question.language if question.language != "en" else "",
        "unanswerable": question.unanswerable,
        "judgements": [_judgement_dict(judgement) for judgement in question.judgements],
        "facts": [
            {name: value for name, value in asdict(fact).items() if value not in ("", None)}
            for fact in question.facts
        ],
        "pool": _Inline(question.pool if pool else ()),
    }
    return {name: value for name, value in values.items() if value or name in ("id", "text")}


def _judgement_dict(judgement: Judgement) -> dict[str, Any]:
    place: dict[str, Any] = {**judgement.locator.parts()}
    place.pop("part", None)
    section = _Inline(judgement.locator.section)
    place["section"] = section[0] if len(section) == 1 else section
    fields = _InlineMapping(
        (name, list(value) if isinstance(value, tuple) else value)
        for name, value in judgement.fields.items()
    )
    values = {
        "document": judgement.document, **place, "fields": fields, "quote": judgement.quote,
    }  # fmt: skip
    known = {name: value for name, value in values.items() if value not in ("", [], {}, None)}
    return {**known, "grade": judgement.grade}


# --- reading ----------------------------------------------------------------------------


class _Scalar(NamedTuple):
    """A plain value of a file: as it is spelt, and as it is read (`1.50` and 1.5)."""

    text: str
    value: Scalar | None


@dataclass(frozen=True, slots=True)
class _Mapping:
    """A mapping of a file with the place where it stands; its methods read and check the keys."""

    values: Mapping[str, _Node]
    file: str
    line: int
    place: str = ""

    def error(self, message: str, *, line: int = 0) -> UsageError:
        where = f"{self.file}, line {line or self.line}" + (f", {self.place}" if self.place else "")
        return UsageError(f"{where}: {message}")

    def below(self, name: str) -> _Mapping:
        """The same mapping, known by this name inside its parent."""
        return replace(self, place=f"{self.place}, {name}" if self.place else name)

    def check_keys(self, known: Collection[str]) -> None:
        """Refuse a key that means nothing here, with the nearest that does."""
        for name in self.values:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
                raise self.error(
                    f"unknown key {name!r}; the nearest is {near!r} (known: {', '.join(known)})"
                )

    def get(self, name: str) -> _Node | None:
        node = self.values.get(name)
        return None if isinstance(node, _Scalar) and node.value is None else node

    def text(self, name: str) -> str:
        node = self.get(name)
        if node is None:
            return ""
        if not isinstance(node, _Scalar):
            raise self.error(f"`{name}` takes one text, not a list or a mapping")
        return node.text.strip()

    def texts(self, name: str) -> list[str]:
        node = self.get(name)
        nodes = node if isinstance(node, list) else [] if node is None else [node]
        texts = [item.text.strip() for item in nodes if isinstance(item, _Scalar)]
        if len(texts) != len(nodes):
            raise self.error(f"`{name}` takes a list of texts")
        return texts

    def number(self, name: str) -> int | None:
        node = self.get(name)
        if node is None:
            return None
        value = node.value if isinstance(node, _Scalar) else None
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.error(f"`{name}` takes a whole number of 0 or more, not {_shown(node)!r}")
        return value

    def boolean(self, name: str) -> bool:
        node = self.get(name)
        if node is None:
            return False
        value = node.value if isinstance(node, _Scalar) else None
        found = value if isinstance(value, bool) else _BOOLEANS.get(str(value).casefold())
        if found is None:
            raise self.error(f"`{name}` is true or false, not {_shown(node)!r}")
        return found

    def fields(self) -> dict[str, Value]:
        node = self.get("fields")
        if node is None:
            return {}
        if not isinstance(node, _Mapping):
            raise self.error("`fields` takes names with values, like `{name: Bell Rock}`")
        return {
            name: tuple(self._field(name, item) for item in value)
            if isinstance(value, list)
            else self._field(name, value)
            for name, value in node.values.items()
        }

    def _field(self, name: str, node: _Node) -> Scalar:
        if not isinstance(node, _Scalar) or node.value is None:
            raise self.error(f"the field {name!r} takes a text, a number, true or false")
        return node.value if isinstance(node.value, bool) or is_number(node.value) else node.text

    def each(self, name: str, singular: str, read: Callable[[_Mapping], _T]) -> tuple[_T, ...]:
        """The mappings of a list, each read by `read` and named `singular 1` and so on."""
        node = self.get(name)
        items = node if isinstance(node, list) else [] if node is None else [node]
        mappings = [item for item in items if isinstance(item, _Mapping)]
        if len(mappings) != len(items) or isinstance(node, _Mapping):
            raise self.error(f"`{name}` takes a list of mappings: one `- key: value` for each")
        return tuple(
            read(replace(item, place=self.place).below(f"{singular} {number}"))
            for number, item in enumerate(mappings, start=1)
        )


_Node: TypeAlias = "_Scalar | _Mapping | list[_Node]"


def _shown(node: _Node) -> str:
    return node.text if isinstance(node, _Scalar) else "a list or a mapping"


def _parse(text: str, path: Path, *, is_yaml: bool) -> Golden:
    """The set that a text says; two questions with one id are refused."""
    header, nodes = (_parse_yaml if is_yaml else _parse_json)(text, path.name)
    questions: dict[str, Question] = {}
    lines: dict[str, int] = {}
    for number, node in enumerate(nodes, start=1):
        if not isinstance(node, _Mapping):
            named = header.below(f"question {number}")
            raise named.error("a question is a mapping that begins with `text:`")
        mapping = node.below(f"question {number}")
        question = _question(mapping)
        if question.id in questions:
            raise mapping.error(
                f"the id {question.id!r} is that of the question on line {lines[question.id]} as "
                "well; give each its own `id`, or delete one"
            )
        questions[question.id], lines[question.id] = question, node.line
    return Golden(
        name=header.text("name") or path.stem,
        questions=tuple(questions.values()),
        fingerprint=header.text("fingerprint"),
        by=header.text("by") or "passage",
    )


def _parse_yaml(text: str, file: str) -> tuple[_Mapping, Sequence[_Node]]:
    """The header and the questions; a list alone has an empty header."""
    empty = _Mapping({}, file, 1)
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        root = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        raise empty.error(
            f"not valid YAML: {problem}; put texts with colons or quotes between quotation marks",
            line=mark.line + 1 if mark is not None else 1,
        ) from error
    if root is None:
        raise empty.error("the file is empty; write `questions:` and a list of them")
    node = _from_yaml(root, file)
    if isinstance(node, list):
        return empty, node
    if not isinstance(node, _Mapping) or "questions" not in node.values:
        raise empty.error("there is no list `questions`; write `questions:` and a list of them")
    questions = node.values["questions"]
    if not isinstance(questions, list):
        raise empty.error("`questions` must be a list: one `- text: …` for each question")
    node.check_keys(_HEADER)
    return node, questions


def _from_yaml(node: yaml.Node, file: str) -> _Node:
    if isinstance(node, yaml.MappingNode):
        mapping = _Mapping(values := {}, file, node.start_mark.line + 1)
        for key, value in node.value:
            name = str(key.value)
            if name in values:
                raise mapping.error(
                    f"the key {name!r} is given twice; keep one of them",
                    line=key.start_mark.line + 1,
                )
            values[name] = _from_yaml(value, file)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_from_yaml(item, file) for item in node.value]
    return _Scalar(str(node.value), _yaml_scalar(node))


def _yaml_scalar(node: yaml.Node) -> Scalar | None:
    """A plain value. What people mean as text stays text: `no`, `007`, `12:30`, dates."""
    text = str(node.value)
    match node.tag.rpartition(":")[2]:
        case "null":
            return None
        case "bool" if text.casefold() in ("true", "false"):
            return text.casefold() == "true"
        case "int" if _INTEGER.fullmatch(text):
            return int(text)
        case "float" if _DECIMAL.fullmatch(text):
            return float(text)
    return text


def _parse_json(text: str, file: str) -> tuple[_Mapping, Sequence[_Node]]:
    """The header and the questions of a file with one JSON object a line."""
    header, questions = _Mapping({}, file, 1), []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            node = _from_json(json.loads(line), file, number)
        except json.JSONDecodeError as error:
            raise header.error(
                f"not valid JSON: {error.msg} at column {error.colno}; write one object a line",
                line=number,
            ) from error
        if isinstance(node, _Mapping) and "golden" in node.values:
            node.check_keys(_JSON_HEADER)
            header = replace(node, values={**node.values, "name": node.values["golden"]})
        else:
            questions.append(node)
    return header, questions


def _from_json(value: Any, file: str, line: int) -> _Node:
    if isinstance(value, dict):
        values = {name: _from_json(item, file, line) for name, item in value.items()}
        return _Mapping(values, file, line)
    if isinstance(value, list):
        return [_from_json(item, file, line) for item in value]
    return _Scalar("" if value is None else str(value), value)


def _question(mapping: _Mapping) -> Question:
    mapping.check_keys(_QUESTION)
    text = " ".join(mapping.text("text").split())
    if not text:
        raise mapping.error("it has no `text`; write the question there")
    short = text if len(text) <= 40 else text[:39].rstrip() + "…"
    mapping = replace(mapping, place=f"{mapping.place} ({short!r})")
    key = mapping.text("id") or question_id(text)
    if key.split() != [key]:
        raise mapping.error(f"the id {key!r} has spaces; use hyphens instead")
    question = Question(
        id=key,
        text=text,
        category=mapping.text("category"),
        language=mapping.text("language") or "en",
        judgements=mapping.each("judgements", "judgement", _judgement),
        facts=mapping.each("facts", "fact", _fact),
        unanswerable=mapping.boolean("unanswerable"),
        pool=tuple(mapping.texts("pool")),
    )
    is_answered = bool(question.facts) or any(
        judgement.grade > 0 for judgement in question.judgements
    )
    if question.unanswerable and is_answered:
        raise mapping.error(
            "it is marked `unanswerable`, yet has a fact or a judgement above 0; "
            "delete the mark or those"
        )
    if not question.unanswerable and not is_answered:
        raise mapping.error(
            "nothing answers it: give `judgements` with a grade above 0, or `facts`, "
            "or `unanswerable: true`"
        )
    return question


def _judgement(mapping: _Mapping) -> Judgement:
    mapping.check_keys((*_JUDGEMENT, *locator_fields(), "fields", "quote"))
    document, fields = mapping.text("document"), mapping.fields()
    if not document and not fields:
        raise mapping.error("it has no `document`; name the file, as `consilience show` prints it")
    grade = mapping.number("grade")
    if grade is not None and grade > HIGHEST_GRADE:
        raise mapping.error(f"`grade` is 0, 1, 2 or 3, not {grade}; 3 answers fully, 0 not at all")
    section = mapping.texts("section")
    if len(section) == 1:  # headings in one text, with › between them
        section = [part.strip() for part in section[0].split("›")]
    numbers = {name: mapping.number(name) for name in (*_NUMBERS, *locator_fields())}
    names = {name: mapping.text(name) or None for name in _TEXTS}
    return Judgement(
        document=document,
        grade=1 if grade is None else grade,
        locator=Locator.of({"section": tuple(filter(None, section)), **numbers, **names}),
        fields=fields,
        quote=mapping.text("quote"),
    )


def _fact(mapping: _Mapping) -> Fact:
    mapping.check_keys(_FACT)
    value = mapping.text("value")
    if not value:
        raise mapping.error("it has no `value`; write what a right answer states, like `67.5`")
    return Fact(
        value=value,
        unit=mapping.text("unit"),
        document=mapping.text("document"),
        page=mapping.number("page"),
    )
