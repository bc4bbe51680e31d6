"""Which passages are gold evidence? Public sets of questions on filings, and a judge by text.

A context (a table with the paragraphs around it) becomes one web page. A question has pieces of
evidence, each of which may be met in more than one way: by a row of the table that holds a cell,
or by prose that holds a sentence. Passages are judged by what they say, never by their ids:
cutting or naming them otherwise changes nothing here.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from consilience.types import Passage

SHARE = 0.6  # of a sentence's runs of three words that a passage must have
LABEL = 0.8  # of a label's words
_TAG = re.compile(r"<[^>]*>")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_FIGURE = re.compile(r"[\s$€£(−–-]*\d[\d,]*(?:\.\d+)?[\s%)]*(?:\(\s*[\d.,]+\s*%?\s*\))?\s*%?")
_YEAR = re.compile(r"\s*(?:19|20)\d\d\s*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its label, and cells of which one at least must be there."""

    label: str = ""
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prose:
    """Words that a passage must hold for the most part."""

    words: str


Piece = tuple[Row | Prose, ...]
"""A piece of evidence, by the ways in which it may be met."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, the page that answers it, and what of this page it needs."""

    id: str
    text: str
    group: str
    type: str
    document: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of a filing as a file."""

    name: str
    title: str
    above: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()

    def markup(self) -> str:
        """The page as HTML; cells may have markup of their own."""
        rows = ("".join(f"<td>{cell}</td>" for cell in row) for row in self.table)
        table = "\n".join(f"<tr>{row}</tr>" for row in rows)
        above, below = (
            "\n".join(f"<p>{html.escape(one)}</p>" for one in texts)
            for texts in (self.above, self.below)
        )
        title = html.escape(self.title)
        return (
            f"<html><head><meta charset='utf-8'><title>{title}</title></head><body>\n{above}\n"
            f"<table>\n{table}\n</table>\n{below}\n</body></html>\n"
        )


# --- TAT-QA -----------------------------------------------------------------------------


def tatqa(path: Path, group: str) -> tuple[list[Page], list[Question]]:
    """The contexts and questions of one part of TAT-QA."""
    pages, questions = [], []
    for one in json.loads(path.read_text(encoding="utf-8")):
        name = f"tatqa-{one['table']['uid']}.html"
        table = tuple(tuple(row) for row in one["table"]["table"])
        ordered = sorted(one["paragraphs"], key=lambda each: each["order"])
        texts = {str(each["order"]): each["text"] for each in ordered}
        pages.append(_tatqa_page(name, list(texts.values()), table))
        for each in one["questions"]:
            pieces = _mapped(each, table, texts) or _derived(each, table, texts)
            questions.append(
                Question(
                    id=each["uid"],
                    text=each["question"],
                    group=group,
                    type=f"{each['answer_type']} from {each['answer_from']}",
                    document=name,
                    pieces=tuple(pieces),
                )
            )
    return pages, questions


def _tatqa_page(name: str, texts: Sequence[str], table: tuple[tuple[str, ...], ...]) -> Page:
    """The set does not say where a table stood: below the text that leads to it, else last."""
    leads = [at + 1 for at, text in enumerate(texts) if text.rstrip().endswith(":")]
    at = leads[0] if leads else len(texts)
    cells = tuple(tuple(html.escape(cell) for cell in row) for row in table)
    return Page(
        name=name,
        title="Notes and tables of a filing",
        above=tuple(texts[:at]),
        table=cells,
        below=tuple(texts[at:]),
    )


def _mapped(
    question: Mapping[str, Any], table: Sequence[Sequence[str]], texts: Mapping[str, str]
) -> list[Piece]:
    """The pieces that the set itself names: cells, and spans of paragraphs."""
    pieces: dict[Piece, None] = {}
    for mapping in question.get("mappings", ()):
        for name, place in mapping.items():
            if name == "table":
                row, column = place
                pieces[(_cell(table, row, column),)] = None
            else:
                text = texts[name.removeprefix("paragraph_")]
                pieces[(Prose(_around(text, *place)),)] = None
    return list(pieces)


def _derived(
    question: Mapping[str, Any], table: Sequence[Sequence[str]], texts: Mapping[str, str]
) -> list[Piece]:
    """The pieces as far as they follow from the answer: cells and sentences that hold it."""
    answer = question["answer"]
    spans = [str(one) for one in answer] if isinstance(answer, list) else []
    wanted = spans or _NUMBER.findall(str(question["derivation"]))
    pieces: dict[Piece, None] = {}
    told = [texts[key] for key in question["rel_paragraphs"] if key in texts]
    for one in dict.fromkeys(wanted):
        ways: list[Row | Prose] = []
        if "table" in question["answer_from"]:
            ways += [
                _cell(table, at, column)
                for at, row in enumerate(table)
                for column, cell in enumerate(row)
                if cell.strip() and _same(cell, one)
            ]
        for text in told:
            at = text.find(one)
            ways += [Prose(_around(text, at, at + len(one)))] if at >= 0 else []
        if ways:
            pieces[tuple(ways)] = None
    if not pieces:
        whole: list[Row | Prose] = [Prose(text) for text in told]
        whole += [Row()] if "table" in question["answer_from"] else []
        pieces[tuple(whole)] = None
    return list(pieces)


def _same(cell: str, wanted: str) -> bool:
    one, other = _numbers(cell), _numbers(wanted)
    return one == other if one or other else _words(cell) == _words(wanted)


def _cell(table: Sequence[Sequence[str]], row: int, column: int) -> Row:
    """A cell as what its row's passage holds; a heading is held by every row below it."""
    cells = table[row]
    plain = [_TAG.sub(" ", cell) for cell in cells]
    text = plain[column] if column < len(plain) else ""
    heads = not any(_FIGURE.fullmatch(one) and not _YEAR.fullmatch(one) for one in plain[1:])
    if heads:
        return Row(cells=(text,)) if column else Row(label=text)
    return Row(label=plain[0], cells=(text,) if column else ())


def _around(text: str, start: int, end: int) -> str:
    """The sentences of a text that a span stands in."""
    at, held = 0, []
    for sentence in _SENTENCE.split(text):
        first = text.index(sentence, at)
        at = first + len(sentence)
        if first < end and start < at:
            held.append(sentence)
    return " ".join(held) or text


# --- FinQA ------------------------------------------------------------------------------


def finqa(path: Path, group: str) -> tuple[list[Page], list[Question]]:
    """The pages and questions of one part of FinQA."""
    pages: dict[str, Page] = {}
    questions = []
    for one in json.loads(path.read_text(encoding="utf-8")):
        page = _finqa_page(one)
        pages.setdefault(page.name, page)
        pieces = [
            (_gold_row(page, int(key.split("_")[1])),)
            if key.startswith("table")
            else (Prose(str(text)),)
            for key, text in one["qa"]["gold_inds"].items()
            if _WORD.search(str(text))
        ]
        kinds = sorted({key.split("_")[0] for key in one["qa"]["gold_inds"]})
        questions.append(
            Question(
                id=one["id"],
                text=one["qa"]["question"],
                group=group,
                type=f"calculation from {' and '.join(kinds)}",
                document=page.name,
                pieces=tuple(pieces),
            )
        )
    return list(pages.values()), questions


def distractors(path: Path) -> list[Page]:
    """The pages of ConvFinQA's test part: more of the same kind, with no questions to them."""
    found = {}
    for one in json.loads(path.read_text(encoding="utf-8")):
        page = _finqa_page(one)
        found.setdefault(page.name, page)
    return list(found.values())


def _finqa_page(one: Mapping[str, Any]) -> Page:
    """A page; the table as it was printed, where that has the same rows as the one judged."""
    stem = Path(one["filename"]).with_suffix("").as_posix().replace("/", "_")
    printed, judged = one.get("table_ori") or [], one["table"]
    cells = printed if len(printed) == len(judged) else judged
    return Page(
        name=f"{stem}.html",
        title=stem.replace("_", " "),
        above=tuple(text for text in one["pre_text"] if _WORD.search(text)),
        table=tuple(tuple(str(cell) for cell in row) for row in cells),
        below=tuple(text for text in one["post_text"] if _WORD.search(text)),
    )


def _gold_row(page: Page, number: int) -> Row:
    cells = [html.unescape(_TAG.sub(" ", cell)) for cell in page.table[number]]
    if number == 0:
        return Row(cells=tuple(filter(None, cells)))
    return Row(label=cells[0], cells=tuple(one for one in cells[1:] if one.strip()))


# --- judging ----------------------------------------------------------------------------


def met(passage: Passage, question: Question) -> Iterator[int]:
    """Which pieces of a question's evidence a passage holds, by number."""
    if Path(passage.document).name != question.document:
        return
    for number, piece in enumerate(question.pieces):
        if any(_holds(passage, way) for way in piece):
            yield number


def _holds(passage: Passage, way: Row | Prose) -> bool:
    said = " ".join((*passage.locator.section, passage.text))
    if isinstance(way, Prose):
        return _has_prose(said, way.words)
    if passage.kind != "row":
        return False
    label = _words(way.label)
    found = set(_words(said))
    if label and sum(one in found for one in label) < LABEL * len(label):
        return False
    cells = [cell for cell in way.cells if cell.strip()]
    return not cells or any(_has_cell(said, cell) for cell in cells)


def _has_cell(said: str, cell: str) -> bool:
    numbers = _numbers(cell)
    if numbers:
        return set(numbers) <= set(_numbers(said))
    return f" {' '.join(_words(cell))} " in f" {' '.join(_words(said))} "


def _has_prose(said: str, wanted: str) -> bool:
    words, own = _words(wanted), _words(said)
    if len(words) < 3:
        return f" {' '.join(words)} " in f" {' '.join(own)} "
    runs = set(zip(words, words[1:], words[2:], strict=False))
    held = set(zip(own, own[1:], own[2:], strict=False))
    return len(runs & held) >= SHARE * len(runs)


@lru_cache(maxsize=200_000)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


@lru_cache(maxsize=200_000)
def _numbers(text: str) -> tuple[str, ...]:
    """The numbers of a text, however their thousands are parted."""
    found = (one.replace(",", "") for one in _NUMBER.findall(text))
    return tuple(one.rstrip("0").rstrip(".") if "." in one else one for one in found)
