"""How does a person read an evaluation? One HTML file that needs nothing but itself.

No network, no other file, no library: styles and the little script stand in the page, plots are
inline SVG. Everything that comes from the corpus or from a question is escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import consilience
from consilience.measure.answering import Answers, told
from consilience.measure.evaluate import figures, plots
from consilience.measure.evaluate.evaluating import Evaluation
from consilience.measure.evaluate.questions import question_list
from consilience.measure.evaluate.running import MERGED
from consilience.measure.evaluate.verdict import chance, verdict
from consilience.measure.pages import whole_page
from consilience.measure.values import Interval, judged

Bins = Sequence[tuple[float, float, int]]
"""Of a calibration: relevance given, share that was relevant, how many."""
_LINES = 5  # single sources beside merged: more lines cannot be told apart
_SECTIONS = {
    "ways": "Ways of searching",
    "evidence": "Evidence and restraint",
    "answers": "Written answers",
    "categories": "By category",
    "plots": "Places, recall and time",
    "questions": "Every question",
    "controls": "Controls",
    "settings": "Settings",
}


def report(evaluation: Evaluation, *, reliability: Bins = ()) -> str:
    """The whole page. `reliability` are the bins of a calibration, if not those of this run."""
    reliability = reliability or figures.reliability(evaluation.runs[MERGED], evaluation.resolved)
    title = f"How well {evaluation.golden.name or 'this set'} is answered"
    body = "".join(
        (
            _head(evaluation, title),
            _section("ways", _ways(evaluation)),
            _section("evidence", _evidence(evaluation)),
            _section("answers", _answers(evaluation.answers)) if evaluation.answers else "",
            _section("categories", _categories(evaluation)),
            _section("plots", _plots(evaluation, reliability)),
            _section("questions", question_list(evaluation)),
            _section("controls", _controls(evaluation)),
            _section("settings", _settings(evaluation)),
        )
    )
    script = Path(__file__).with_name("report.js").read_text(encoding="utf-8")
    return whole_page(title, body, script=script)


def _head(evaluation: Evaluation, title: str) -> str:
    questions = evaluation.golden.questions
    unanswerable = sum(one.unanswerable for one in questions)
    told = [
        f"{len(questions):,} questions, {len(judged(questions)):,} with judgements",
        f"{unanswerable:,} that nothing here answers" if unanswerable else "",
        f"{evaluation.left_out:,} left out, because tuning has seen them"
        if evaluation.left_out
        else "",
        f"corpus {evaluation.fingerprint}",
        f"Consilience {consilience.__version__}",
    ]
    red = [one for one in evaluation.controls if not one.passed]
    shown = {key: name for key, name in _SECTIONS.items() if key != "answers" or evaluation.answers}
    links = "".join(f'<a href="#{key}">{name}</a>' for key, name in shown.items())
    trust = (
        f'<p class="verdict red"><b>Do not rely on these numbers.</b> {len(red)} of '
        f"{len(evaluation.controls)} controls failed: "
        f'{escape(", ".join(one.name for one in red))}. <a href="#controls">What that means</a>.'
        "</p>"
        if red
        else f'<p class="note">All {len(evaluation.controls)} controls passed.</p>'
    )
    return (
        f'<header><h1>{escape(title)}</h1><p class="meta">'
        f"{escape(' · '.join(one for one in told if one))}</p>"
        f'{trust}<p class="verdict">{escape(verdict(evaluation))}</p>'
        f'<nav aria-label="Sections">{links}</nav></header>'
    )


def _section(key: str, body: str) -> str:
    return f'<section id="{key}"><h2>{_SECTIONS[key]}</h2>{body}</section>'


# --- tables -----------------------------------------------------------------------------


def table(caption: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """A table whose first column names the row; cells are HTML. A row has a class and cells."""
    head = "".join(
        f'<th scope="col"{"" if number == 0 else chr(32) + _N}>{escape(name)}</th>'
        for number, name in enumerate(columns)
    )
    lines = []
    for kind, cells in rows:
        first, *rest = cells
        told = "".join(f"<td {_N}>{cell}</td>" for cell in rest)
        lines.append(f'<tr class="{kind}"><th scope="row">{first}</th>{told}</tr>')
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption><span>{escape(caption)}</span></caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


_N = 'class="n"'


def _ways(evaluation: Evaluation) -> str:
    primary = evaluation.primary
    others = [name for name in evaluation.names if name != primary]
    gains = {one.theirs: one for one in evaluation.comparisons}
    rows, dots = [], []
    for name in sorted(evaluation.ways, key=lambda one: (-evaluation.mean(one), one)):
        way = evaluation.ways[name]
        strict, lenient = way.means[primary]["strict"], way.means[primary]["lenient"]
        kind = "main" if name == MERGED else ""
        gain = gains.get(name)
        cells = [
            _named(name),
            _spread(strict),
            f"{lenient.mean:.3f}",
            *(f"{way.means[one]['strict'].mean:.3f}" for one in others),
            f"{_signed(gain.gain.mean)} <span class='range'>{chance(gain.p_corrected)}</span>"
            if gain
            else "",
            f"{way.latency_ms['p50']:.0f} / {way.latency_ms['p95']:.0f}",
        ]
        rows.append((kind, cells))
        dots.append((name, strict.mean, strict.low, strict.high, name == MERGED))
    columns = ["way", f"{primary}, 95 % interval", "lenient", *others]
    columns += ["merged − this", "ms, half / 95 %"]
    caption = "Mean over judged questions, best first; p is corrected for the number of ways"
    told = (
        f"{primary} with its 95 % interval. Overlapping intervals do not mean that two ways are "
        "equal: the table compares them question by question."
    )
    plot = plots.forest(dots, title=f"{primary} of every way with its interval", unit=primary)
    drawn = _figure(told, plot) + _wins(evaluation)
    return table(caption, columns, rows) + f'<div class="plots">{drawn}</div>'


def _evidence(evaluation: Evaluation) -> str:
    """What the ways give beyond the rank: the right document, the right value, restraint."""
    columns = ["way", "kinds covered", "documents", "right page", "value", "refused", "wrongly"]
    lines = [
        [
            _named(name),
            _share(way.coverage.get("all")),
            _share(way.diversity),
            _share(way.attribution.mean if way.attribution else None),
            _share(way.value_in_top_5.mean if way.value_in_top_5 else None),
            _share(way.refusals["unanswerable"]),
            _share(way.refusals["answerable"]),
        ]
        for name, way in evaluation.ways.items()
    ]
    rows = [
        ("main" if name == MERGED else "", line)
        for name, line in zip(evaluation.ways, lines, strict=True)
    ]
    note = (
        "Kinds covered: of the kinds of evidence that answer, how many are among the first 10. "
        "Documents: different ones among the first 10. Right page: the first passage is of the "
        "right document and page. Value: the expected value stands in the first 5. Refused: "
        "unanswerable questions that were refused; wrongly: answerable ones."
    )
    caption = "Shares over questions; – where the golden set has nothing to tell it by"
    return table(caption, columns, rows) + f'<p class="note">{note}</p>'


def _answers(answers: Answers) -> str:
    """What the written answers are worth."""
    rows = [("", [escape(name), escape(value)]) for name, value in told(answers)]
    note = (
        "Support: facts (numbers, names, dates, quotations) of an answer that what it cites bears "
        "out, before anything was removed. Citations resolve when they lead to a passage that is "
        "there and has the words quoted. Answered: judged text is stated or cited."
    )
    caption = "Written answers to the same questions"
    return table(caption, ["what", "value"], rows) + f'<p class="note">{note}</p>'


def _categories(evaluation: Evaluation) -> str:
    names = [MERGED, *evaluation.singles]
    by_way = {name: evaluation.categories(name) for name in names}
    if set(by_way[MERGED]) == {""}:
        return '<p class="note">The questions of this set have no categories.</p>'
    rows = [
        (
            "",
            [
                escape(category or "without a category"),
                f"{by_way[MERGED][category]['count']:,}",
                *(f"{by_way[name][category][evaluation.primary]:.3f}" for name in names),
            ],
        )
        for category in by_way[MERGED]
    ]
    note = "With fewer than some 25 questions, a category's mean says little."
    caption = f"Mean {evaluation.primary} of merged and of each single source"
    return table(caption, ["category", "questions", *names], rows) + f'<p class="note">{note}</p>'


def _controls(evaluation: Evaluation) -> str:
    items = "".join(
        f'<li><b class="{"good" if one.passed else "bad"}-text">'
        f"{'passed' if one.passed else 'failed'}</b>"
        f"<span>{escape(one.name)}: {escape(one.told)}</span></li>"
        for one in evaluation.controls
    )
    note = "An honest measurement passes them all. When one fails, the numbers above mean little."
    told = "".join(f'<p class="note">{escape(one)}.</p>' for one in evaluation.notes)
    return f'<p>{note}</p><ul class="controls">{items}</ul>{told}'


def _settings(evaluation: Evaluation) -> str:
    plain = {
        "golden set": f"{evaluation.path or evaluation.golden.name} ({evaluation.digest})",
        "corpus fingerprint": evaluation.fingerprint,
        **{f"model, {key}": name or "none" for key, name in evaluation.models.items()},
        "seed": str(evaluation.seed),
    }
    facts = [("", [escape(key), escape(str(value))]) for key, value in plain.items()]
    changed = [
        ("", [escape(key), escape(json.dumps(value, ensure_ascii=False))])
        for key, value in {**evaluation.settings, **evaluation.deadlines}.items()
    ]
    return (
        '<div class="facts">'
        + table("What was measured", ["what", "value"], facts)
        + "<details><summary>All settings</summary>"
        + table("Deadlines are raised while measuring", ["setting", "value"], changed)
        + "</details></div>"
    )


# --- plots ------------------------------------------------------------------------------


def _wins(evaluation: Evaluation) -> str:
    if not evaluation.singles:
        return ""
    best = evaluation.singles[0]
    measure = evaluation.primary
    ours, theirs = evaluation.ways[MERGED].strict[measure], evaluation.ways[best].strict[measure]
    texts = {
        one.id: (f"q{n}", one.text) for n, one in enumerate(judged(evaluation.golden.questions))
    }
    bars = sorted(((*texts[key], ours[key] - theirs[key]) for key in ours), key=lambda one: -one[2])
    won, lost = (sum(sign * value > 1e-9 for _, _, value in bars) for sign in (1, -1))
    told = (
        f"{measure} of merged less that of {best}, the best single source, question by question: "
        f"better on {won:,}, worse on {lost:,}, the same on {len(bars) - won - lost:,}. A bar "
        "leads to its question below."
    )
    plot = plots.gains(bars, title=f"merged against {best}, question by question", unit="questions")
    return _figure(told, plot)


def _plots(evaluation: Evaluation, reliability: Bins) -> str:
    shown = [MERGED, *evaluation.singles[:_LINES]]
    runs = {name: evaluation.runs[name] for name in shown}
    recall = {
        name: figures.precision_recall(run, evaluation.resolved) for name, run in runs.items()
    }
    times = {
        name: line
        for name, run in runs.items()
        if (line := figures.shares_by_time([one.ms for one in run.answers.values() if one.ms]))
    }
    drawn = [
        _moves(evaluation),
        _figure(
            "Precision over recall, interpolated at eleven points: how clean the list still is "
            "when so much of what answers has been found.",
            plots.curves(
                recall, title="Precision over recall", axes=("recall", "precision"), span=(0, 1)
            ),
        ),
        _figure(
            "Share of questions answered within so many milliseconds, on the machine that "
            "measured. A source's time is its own, asked beside the others.",
            plots.curves(
                times, title="Time to answer", axes=("ms", "share of questions"), logarithmic=True
            ),
        ),
    ]
    if reliability:
        told = "Calibrated relevance against what people judged; on the line, it keeps its word."
        drawn.append(_figure(told, plots.reliability(reliability, title="Reliability")))
    return f'<div class="plots small">{"".join(drawn)}</div>'


def _moves(evaluation: Evaluation) -> str:
    if not evaluation.singles:
        return ""
    best = evaluation.singles[0]
    before, after = (
        figures.first_places(evaluation.runs[name], evaluation.resolved) for name in (best, MERGED)
    )
    told = (
        f"Place of the first relevant passage in {best} (across) and in merged (down), counted "
        "in questions. Green: merged has it nearer the top. Red: further down."
    )
    plot = plots.shifts(
        figures.moves(before, after),
        figures.GROUPS,
        title=f"Place of the first relevant passage, {best} against merged",
        axes=(f"place in {best}", "in merged"),
    )
    return _figure(told, plot)


def _figure(told: str, plot: str) -> str:
    return f"<figure><figcaption>{escape(told)}</figcaption>{plot}</figure>"


def _named(way: str) -> str:
    """A way's name, which may go on in the next line after a slash."""
    return escape(way).replace("/", "/<wbr>")


def _spread(one: Interval) -> str:
    return f"{one.mean:.3f} <span class='range'>[{one.low:.3f}, {one.high:.3f}]</span>"


def _signed(value: float) -> str:
    kind = "good-text" if value > 0 else "bad-text" if value < 0 else ""
    return f"<span class='{kind}'>{value:+.3f}</span>"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
