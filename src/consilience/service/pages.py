"""What does a person see who tries an address out? One question box, and results as cards.

Everything of others is escaped; boards are drawn here. The page has no script and loads nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

from consilience.packs import Endpoint
from consilience.service.cards import cards
from consilience.workspace import Workspace

_SEEN = re.compile(r"(\w+) \(([^()]+)\)")  # what a rule says it saw: `an opening (Najdorf)`
_LAST = re.compile(r"\d+\.+\S+(?: [^\s\d]\S*)?$")  # of a line: `5.Nc3 a6`

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6570; --line: #d9dee3;
  --page: #f6f7f8; --card: #fff; --accent: #1f6f54; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #9aa4ae; --line: #333a41;
  --page: #14171a; --card: #1c2024; --accent: #6cc3a0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.4rem; margin: 0 0 .2rem; }
.soft { color: var(--soft); font-size: .9rem; }
form { display: flex; gap: .5rem; margin: 1rem 0; }
input { flex: 1; min-width: 0; font: inherit; padding: .55rem .8rem; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
button { font: inherit; padding: .55rem 1.1rem; border: 0; border-radius: .5rem;
  background: var(--accent); color: var(--page); cursor: pointer; }
ol { list-style: none; padding: 0; margin: 0; display: grid; gap: .8rem; }
li { display: flex; gap: 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .7rem; padding: 1rem; }
li > div { flex: 1; min-width: 0; }
li p { margin: .3rem 0; }
figure { margin: 0; width: 15rem; flex: none; }
figure svg { display: block; width: 100%; height: auto; border-radius: .3rem; }
figcaption { color: var(--soft); font-size: .85rem; text-align: center; margin-top: .3rem; }
h2 { font-size: 1.1rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }
a { color: var(--accent); }
.text { margin: .5rem 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
td { padding: .5rem .8rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top; }
code { overflow-wrap: anywhere; }
.trouble { border-left: 4px solid #c0392b; padding: .5rem .8rem; background: var(--card); }
@media (max-width: 40rem) { li { flex-direction: column; }
  figure { width: 100%; max-width: 20rem; margin: 0 auto; } }
"""


def results_page(
    workspace: Workspace,
    endpoint: Endpoint,
    *,
    question: str = "",
    found: Mapping[str, Any] | None = None,
    trouble: str = "",
    every: bool = False,
) -> str:
    """The whole page: the question box, and what was found or went wrong.

    What is not likely to answer is listed only with `every`.
    """
    home = f'<a href="/">{escape(workspace.folder.name)}</a>'
    body = [
        f"<h1>{escape(endpoint.page)}</h1>",
        f'<p class="soft">{home}: {escape(workspace.pack.summary)}</p>',
        _form(endpoint, question),
    ]
    if trouble:
        body.append(f'<p class="trouble" role="alert">{escape(trouble)}</p>')
    if found is not None:
        body.append(_results(found, endpoint, question, every=every))
    return _framed(endpoint.page, body)


def index_page(workspace: Workspace, counts: Mapping[str, Mapping[str, int]]) -> str:
    """The page at the root: what the workspace holds and which addresses there are."""
    held = ", ".join(f"{sum(kinds.values()):,} in {name}" for name, kinds in counts.items())
    pack = workspace.pack.endpoints
    rows = [
        *((one.path, "GET, POST" if one.page else "POST", one.summary) for one in pack),
        ("/health", "GET", "What the workspace holds, as JSON"),
        ("/openapi.json", "GET", "The description of all this, as JSON"),
    ]
    body = [
        f"<h1>{escape(workspace.folder.name)}</h1>",
        f'<p class="soft">{escape(workspace.pack.summary)}. Passages: {held or "none yet"}.</p>',
        f"<table>{''.join(_row(*row) for row in rows)}</table>",
    ]
    return _framed(workspace.folder.name, body)


def _row(path: str, methods: str, summary: str) -> str:
    code = f"<code>{escape(path)}</code>"
    name = f'<a href="{escape(path)}">{code}</a>' if "GET" in methods else code
    told = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(summary))
    return f"<tr><td>{name}</td><td>{methods}</td><td>{told}</td></tr>"


def _framed(title: str, body: Sequence[str]) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · Consilience</title><style>{_STYLE}</style></head>"
        f"<body><main>{''.join(body)}</main></body></html>"
    )


def _form(endpoint: Endpoint, question: str) -> str:
    asks = "An opening, moves, a FEN, an ECO code, a player, or words"
    return (
        f'<form action="{escape(endpoint.path)}" method="get" role="search">'
        f'<input name="q" type="search" required maxlength="2000" value="{escape(question)}" '
        f'aria-label="Question" placeholder="{asks}"><button>Search</button></form>'
    )


def _results(found: Mapping[str, Any], endpoint: Endpoint, question: str, *, every: bool) -> str:
    """What was found, or that none of it is likely to answer."""
    notes = [one["message"] for one in found["notes"] if one["origin"] != "relevance"]
    told = "".join(f'<p class="soft">{escape(note)}</p>' for note in notes)
    if found["abstained"]:
        told = f"{_refused(endpoint, question, every=every)}{told}"
        if not every:
            return told
    shown = cards(found)
    if not shown:
        return f'{told}<p role="status">Nothing was found.</p>'
    return f"{_summary(found, len(shown))}{told}<ol>{''.join(shown)}</ol>"


def _refused(endpoint: Endpoint, question: str, *, every: bool) -> str:
    """That nothing answers, with the way to see it nevertheless."""
    address = f"{endpoint.path}?{urlencode({'q': question, 'all': 1})}"
    link = f'<a href="{escape(address)}">Show what is nearest anyway</a>'
    more = "This is what is nearest:" if every else link
    return f'<p role="status">Nothing here is likely to answer this. {more}</p>'


def _sought(rule: str) -> str:
    """What was seen in the question, `Najdorf, 6.Bg5`: names first, and of moves beside them the
    last ones.
    """
    seen = _SEEN.findall(rule)
    names = [inside for kind, inside in seen if kind != "moves"]
    lines = [inside for kind, inside in seen if kind == "moves"]
    last = [_LAST.search(line) for line in lines]
    ends = [match[0] if match and names else line for match, line in zip(last, lines, strict=True)]
    return ", ".join((*names, *ends))


def _summary(found: Mapping[str, Any], count: int) -> str:
    """How many there are, for what was looked, and how long it took."""
    told = [f"{count} {'result' if count == 1 else 'results'}"]
    if sought := _sought(found["fusion"]["rule"]):
        told.append(f"looked for {sought}")
    if merged := found["fusion"]["merged"]:
        told.append(f"{merged} {'copy' if merged == 1 else 'copies'} left out")
    told.append(f"{sum(found['timing_ms'].values()):.0f} ms")
    return f'<p class="soft" role="status">{escape(" · ".join(told))}</p>'
