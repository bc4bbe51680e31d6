"""How is a golden set kept? In YAML that people write, or JSON Lines; both say the same.

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

An id may be left out: it is then made from the text. A public collection in BEIR's layout is a
folder, and is read as it is.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import yaml

from consilience.errors import UsageError
from consilience.measure.golden.records import golden_of, json_entries, question_id, yaml_entries
from consilience.measure.values import Fact, Golden, Judgement, Question
from consilience.types import ID_LENGTH

__all__ = [
    "add_question",
    "golden_digest",
    "question_digest",
    "question_id",
    "read_golden",
    "write_golden",
]

YAML = (".yaml", ".yml")
LINES = (".jsonl", ".ndjson")
_WIDTH = 96


def read_golden(path: Path) -> Golden:
    """The golden set of a file, or of a folder in BEIR's layout."""
    if path.is_dir():
        from consilience.measure.golden.trec import read_beir  # noqa: PLC0415 (loads the measures)

        return read_beir(path)
    kind = _kind(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(
            f"no such golden set: {path}; write one, or begin with `consilience golden suggest`"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason}; save it as UTF-8") from error
    header, questions = (yaml_entries if kind == "yaml" else json_entries)(text, path.name)
    return golden_of(header, questions, file=path.name, name=path.stem)


def write_golden(golden: Golden, path: Path) -> None:
    """Write a golden set so that a person can read it; what stood there before is replaced."""
    _write(path, _text(golden, _kind(path)))


def add_question(golden: Golden, question: Question, path: Path) -> Golden:
    """Add a question to a set and to its file; comments that the file has are kept.

    Where it cannot be written at the end of the file as it is, the file is written anew.
    """
    longer = replace(golden, questions=(*golden.questions, question))
    kind = _kind(path)
    if path.exists():
        text = path.read_text(encoding="utf-8-sig").rstrip("\n") + "\n"
        more = f"\n{_yaml_question(question)}" if kind == "yaml" else _json_line(question) + "\n"
        if golden.questions and _says(text + more, longer, path):
            _write(path, text + more)
            return longer
    write_golden(longer, path)
    return longer


def golden_digest(golden: Golden) -> str:
    """A few digits that change with any question, judgement or fact, not with their order."""
    told = sorted(json.dumps(_plain(one, pool=False)) for one in golden.questions)
    return _digest(json.dumps([golden.by, told]))


def question_digest(question: Question) -> str:
    """A few digits of a question's text, whatever its case and spacing."""
    return _digest(" ".join(question.text.casefold().split()))


# --- writing ----------------------------------------------------------------------------


def _text(golden: Golden, kind: str) -> str:
    about = {"by": golden.by if golden.by != "passage" else "", "fingerprint": golden.fingerprint}
    known = {name: value for name, value in about.items() if value}
    if kind == "lines":
        header = json.dumps({"golden": golden.name, **known}, ensure_ascii=False)
        return "\n".join((header, *map(_json_line, golden.questions))) + "\n"
    questions = "\n".join(map(_yaml_question, golden.questions))
    listed = f"questions:\n{questions}" if questions else "questions: []\n"
    return _dumped({"name": golden.name, **known}) + listed


def _yaml_question(question: Question) -> str:
    lines = _dumped([_plain(question)]).splitlines()
    return "".join(f"  {line}\n" if line else "\n" for line in lines)


def _json_line(question: Question) -> str:
    return json.dumps(_plain(question), ensure_ascii=False)


class _Dumper(yaml.SafeDumper):
    """Blocks, with texts of several lines as they are and lists set in below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002
        super().increase_indent(flow=flow, indentless=False)


class _Row(list[Any]):
    """A short list, written on one line."""


class _Pairs(dict[str, Any]):
    """A short mapping, written on one line."""


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _row_node(dumper: yaml.SafeDumper, row: _Row) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", row, flow_style=True)


def _pairs_node(dumper: yaml.SafeDumper, pairs: _Pairs) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", pairs, flow_style=True)


_Dumper.add_representer(str, _text_node)
_Dumper.add_representer(_Row, _row_node)
_Dumper.add_representer(_Pairs, _pairs_node)


def _dumped(value: Any) -> str:
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        default_flow_style=False,
        width=_WIDTH,
    )
    return text


def _plain(question: Question, *, pool: bool = True) -> dict[str, Any]:
    """A question as keys and values, without those that say nothing; judgements come last."""
    told: dict[str, Any] = {"id": question.id, "text": question.text}
    if question.category:
        told["category"] = question.category
    if question.language != "en":
        told["language"] = question.language
    if question.unanswerable:
        told["unanswerable"] = True
    if question.judgements:
        told["judgements"] = [_plain_judgement(one) for one in question.judgements]
    if question.facts:
        told["facts"] = [_plain_fact(one) for one in question.facts]
    if pool and question.pool:
        told["pool"] = _Row(question.pool)
    return told


def _plain_judgement(one: Judgement) -> dict[str, Any]:
    place: dict[str, Any] = {**one.locator.parts()}
    place.pop("part", None)
    section = _Row(one.locator.section)
    place["section"] = section[0] if len(section) == 1 else section
    fields = _Pairs(
        (name, list(value) if isinstance(value, tuple) else value)
        for name, value in one.fields.items()
    )
    told = {"document": one.document, **place, "fields": fields, "quote": one.quote}
    known = {name: value for name, value in told.items() if value not in ("", [], {}, None)}
    return {**known, "grade": one.grade}


def _plain_fact(one: Fact) -> dict[str, Any]:
    return {name: value for name, value in asdict(one).items() if value not in ("", None)}


# --- files ------------------------------------------------------------------------------


def _kind(path: Path) -> str:
    ending = path.suffix.lower()
    if ending in YAML:
        return "yaml"
    if ending in LINES:
        return "lines"
    raise UsageError(
        f"{path} does not look like a golden set; name a file that ends in "
        f"{', '.join((*YAML, *LINES))}, or a folder with a BEIR collection"
    )


def _says(text: str, golden: Golden, path: Path) -> bool:
    """Whether a file of this text would be read as this set."""
    reader = yaml_entries if _kind(path) == "yaml" else json_entries
    try:
        header, questions = reader(text, path.name)
        found = golden_of(header, questions, file=path.name, name=path.stem)
    except UsageError:
        return False
    return found.questions == golden.questions


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
    Path(name).replace(path)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:ID_LENGTH]
