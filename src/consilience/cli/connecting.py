"""How do two things connect? `consilience path`: chains of relations, each with its evidence."""

from __future__ import annotations

from textwrap import fill
from typing import Annotated

import typer

from consilience import render
from consilience.cli.app import AsJson, In, app, home, opened, out, print_json, tell
from consilience.cli.quoting import tell_within, told_evidence
from consilience.types import Chain, Link
from consilience.workspace.bearing import Bearing, bearing
from consilience.workspace.connecting import farthest
from consilience.workspace.reckoning import told as reckoned
from consilience.workspace.reckoning import why_first


@app.command()
def path(
    start: Annotated[str, typer.Argument(help="A name of the first thing.")],
    end: Annotated[str, typer.Argument(help="A name of the other.")],
    workspace: In = None,
    limit: Annotated[int, typer.Option("-n", "--limit", help="How many paths.", max=10)] = 3,
    as_json: AsJson = False,
) -> None:
    """Tell how two things of a graph connect, step by step, with the evidence of each step."""
    with opened(home(workspace), "path") as space:
        chains = space.paths(start, end, limit=limit)
        borne = bearing(space.catalogue)
        if as_json:
            print_json(render.paths_json(chains, borne))
            return
        for place, chain in enumerate(chains, start=1):
            _print_chain(place, chain, borne)
        if not chains:
            tell(f"nothing connects {start!r} and {end!r} within {farthest(space.catalogue)} steps")
        elif len(chains) > 1:
            tell(f"why the first: {why_first(chains)}")


def _print_chain(place: int, chain: Chain, borne: Bearing) -> None:
    _print_headed(f"{place:>2}. ", told(chain))
    for link in chain.links:
        _print_step(link, borne)
    tell(f"    weight {chain.score:.3g} · {chain.passage.id[:12]}", style="dim")
    tell_within(reckoned(chain), 4, style="dim")


def _print_headed(head: str, text: str) -> None:
    """A line behind a number, under which it goes on where a terminal has to wrap it."""
    if out.is_terminal:
        text = fill(text, max(out.width - len(head), 1), break_long_words=False)
        text = text.replace("\n", "\n" + " " * len(head))
    tell(head + text, style="bold")


def _print_step(link: Link, borne: Bearing) -> None:
    for text, style in told_evidence(link.passage, borne):
        tell_within(text.lstrip(), 4 if not text.startswith(" ") else 6, style=style)


def told(chain: Chain) -> str:
    """A chain in one line: `bell rock → (built by) → Stevenson ← (taught) ← Smeaton`."""
    parts = [chain.links[0].start]
    for link in chain.links:
        arrow = "→" if link.forward else "←"
        parts.append(f"{arrow} ({link.relation}) {arrow} {link.end}")
    return " ".join(parts)
