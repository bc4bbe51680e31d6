"""How did each question fare? The rows of the report's list, each with the command that explains.

A row says what merged and the best single source made of a question. `consilience why` shows how
the order came about; where nothing relevant is among the first ten, `why-not` says what was lost.
"""

from __future__ import annotations

import re
import shlex
from html import escape

from consilience.measure.conditions import LIMIT
from consilience.measure.evaluate.evaluating import Evaluation
from consilience.measure.evaluate.running import MERGED
from consilience.measure.values import Question, Resolved, judged

_PLAIN = re.compile(r"[^\"\\$`!%]*")
_COLUMNS = ("Question", "Category", "merged", "single", "difference", "first relevant")
_OUTCOMES = {
    "all": "all questions",
    "won": "merged is better",
    "lost": "merged is worse",
    "same": "no difference",
    "missed": f"nothing relevant in the first {LIMIT}",
}


def command(name: str, question: str, *more: str) -> str:
    """A command line that can be pasted, whatever the question holds."""
    quoted = f'"{question}"' if _PLAIN.fullmatch(question) else shlex.quote(question)
    front = "-- " if question.startswith("-") else ""
    return " ".join((f"consilience {name} {front}{quoted}", *more))


def wanted_passage(resolved: Resolved, question: str) -> str:
    """A passage that answers a question best, to ask `why-not` about; empty if there is none."""
    grades = resolved.grades.get(question, {})
    if resolved.homes:
        graded = [(grades.get(unit, 0), one) for one, unit in resolved.homes.items()]
    else:
        met = resolved.strict.get(question, {})
        graded = [
            (max(grades.get(unit, 0) for unit in units), one) for one, units in met.items() if units
        ]
    right = [(-grade, one) for grade, one in graded if grade > 0]
    return min(right)[1] if right else ""


def question_list(evaluation: Evaluation) -> str:
    """The list with its filter; it reads without the script as well."""
    options = "".join(f'<option value="{key}">{told}</option>' for key, told in _OUTCOMES.items())
    head = "".join(
        f'<th scope="col" role="columnheader"{"" if number < 2 else chr(32) + _N}>'
        f'<button type="button">{name}</button></th>'
        for number, name in enumerate(_COLUMNS)
    )
    best = evaluation.singles[0] if evaluation.singles else MERGED
    ours, theirs = (evaluation.ways[name].strict[evaluation.primary] for name in (MERGED, best))
    numbered = sorted(
        enumerate(judged(evaluation.golden.questions)),
        key=lambda one: theirs[one[1].id] - ours[one[1].id],
    )
    rows = "".join(_row(evaluation, number, one) for number, one in numbered)
    caption = f"{evaluation.primary} of merged and of {best}, the best single source"
    return (
        '<div class="tools" hidden><input id="words" type="search" placeholder="words of a '
        'question or category" aria-label="Only questions with these words">'
        f'<select id="outcome" aria-label="Only questions of this outcome">{options}</select>'
        '<span id="shown" role="status"></span></div>'
        f'<table class="questions" role="table"><caption>{escape(caption)}; commands are run in '
        f'the workspace</caption><thead role="rowgroup"><tr role="row">{head}</tr></thead>'
        f'<tbody role="rowgroup">{rows}</tbody></table>'
    )


_N = 'class="n"'


def _row(evaluation: Evaluation, number: int, question: Question) -> str:
    best = evaluation.singles[0] if evaluation.singles else MERGED
    measure = evaluation.primary
    ours, theirs = (evaluation.ways[name].strict[measure][question.id] for name in (MERGED, best))
    after, before = (evaluation.first(name, question.id) for name in (MERGED, best))
    gain = ours - theirs
    missed = after is None or after > LIMIT
    kinds = ["won" if gain > 1e-9 else "lost" if gain < -1e-9 else "same"]
    kinds += ["missed"] if missed else []
    commands = [command("why", question.text)]
    if missed and (wanted := wanted_passage(evaluation.resolved, question.id)):
        commands.append(command("why-not", question.text, wanted))
    tone = {"won": "good-text", "lost": "bad-text"}.get(kinds[0], "")
    cells = "".join(
        (
            _cell(1, question.category, escape(question.category or "–"), ""),
            _cell(2, ours, f"{ours:.3f}", "n"),
            _cell(3, theirs, f"{theirs:.3f}", "n"),
            _cell(4, gain, f"{gain:+.3f}" if abs(gain) > 1e-9 else "0", f"n {tone}"),
            _cell(5, after or 999, f"{before or 'none'} → {after or 'none'}", "n"),
        )
    )
    told = "".join(_command(one) for one in commands)
    return (
        f'<tr id="q{number}" role="row" data-kinds="{" ".join(kinds)}"><th scope="row" '
        f'role="rowheader" class="ask" data-value="{escape(question.text)}">'
        f"{escape(question.text)}{told}</th>{cells}</tr>"
    )


def _cell(column: int, value: object, shown: str, kind: str) -> str:
    return (
        f'<td role="cell" class="{kind}" data-name="{_COLUMNS[column]}" '
        f'data-value="{escape(str(value))}">{shown}</td>'
    )


def _command(told: str) -> str:
    return (
        f'<div class="command"><code>{escape(told)}</code>'
        '<button class="copy" type="button">copy</button></div>'
    )
