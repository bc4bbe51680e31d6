"""What does a person see who tries an address out? One question box, and results as cards.

Everything of others is escaped; boards are drawn here. The page has no script and loads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import PurePath
from typing import Any

from consilience.packs import Endpoint
from consilience.workspace import Workspace

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
li svg { width: 9rem; height: 9rem; flex: none; }
h2 { font-size: 1.05rem; margin: 0; }
.kind { display: inline-block; font-size: .75rem; padding: 0 .5rem; border-radius: 1rem;
  border: 1px solid var(--accent); color: var(--accent); margin-right: .4rem; }
.text { margin: .4rem 0; overflow-wrap: anywhere; }
.trouble { border-left: 4px solid #c0392b; padding: .5rem .8rem; background: var(--card); }
@media (max-width: 36rem) { li { flex-direction: column; } li svg { width: 100%; height: auto;
  max-width: 16rem; } }
"""


def results_page(
    workspace: Workspace,
    endpoint: Endpoint,
    *,
    question: str = "",
    found: Mapping[str, Any] | None = None,
    trouble: str = "",
) -> str:
    """The whole page: the question box, and what was found or went wrong."""
    body = [
        f"<h1>{escape(endpoint.page)}</h1>",
        f'<p class="soft">{escape(workspace.folder.name)}: {escape(endpoint.summary)}</p>',
        _form(endpoint, question),
    ]
    if trouble:
        body.append(f'<p class="trouble" role="alert">{escape(trouble)}</p>')
    if found is not None:
        body += [_summary(found), _cards(found)]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(endpoint.page)} · Consilience</title><style>{_STYLE}</style></head>"
        f"<body><main>{''.join(body)}</main></body></html>"
    )


def _form(endpoint: Endpoint, question: str) -> str:
    asks = "An opening, moves, a FEN, an ECO code, a player, or words"
    return (
        f'<form action="{escape(endpoint.path)}" method="get" role="search">'
        f'<input name="q" type="search" required maxlength="2000" value="{escape(question)}" '
        f'aria-label="Question" placeholder="{asks}"><button>Search</button></form>'
    )


def _summary(found: Mapping[str, Any]) -> str:
    fusion, timing = found["fusion"], sum(found["timing_ms"].values())
    count = sum(fusion["candidates"].values())
    told = [
        f"{len(found['results'])} results of {count} candidates in {timing:.0f} ms",
        f"{fusion['intent']} ({fusion['rule']})",
    ]
    if fusion["merged"]:
        told.append(f"{fusion['merged']} copies merged")
    notes = "".join(f'<p class="soft">{escape(note["message"])}</p>' for note in found["notes"])
    return f'<p class="soft" role="status">{escape(" · ".join(told))}</p>{notes}'


def _cards(found: Mapping[str, Any]) -> str:
    boards = {one["passage"]: one["svg"] for one in found["positions"]}
    cards = [
        _card(place, hit, boards.get(hit["passage"], ""))
        for place, hit in enumerate(found["results"], start=1)
    ]
    return f"<ol>{''.join(cards)}</ol>" if cards else "<p>Nothing was found.</p>"


def _card(place: int, hit: Mapping[str, Any], board: str) -> str:
    known = hit["metadata"]
    facts = _facts(hit, known)
    relevance = f"relevance {hit['relevance']:.0%}, " if hit["relevance"] is not None else ""
    votes = f"{relevance}best rank {hit['best_rank']}, found by {', '.join(hit['sources'])}"
    return (
        f"<li>{board}<div><h2>{place}. {escape(hit['name'])}</h2>"
        f'<p class="soft"><span class="kind">{escape(hit["kind"])}</span>{escape(facts)}</p>'
        f'<p class="text">{escape(hit["preview"])}</p>'
        f'<p class="soft">{escape(votes)}</p></div></li>'
    )


def _facts(hit: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    names: Sequence[str] = ("event", "date", "result", "eco", "opening")
    told = [str(known[name]) for name in names if known.get(name)]
    told = [one for one in told if one != hit["title"]]
    return " · ".join([*told, hit["locator"]["text"], PurePath(hit["document"]).name])
