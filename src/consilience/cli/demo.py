"""What does a newcomer see first? A sample of each pack, a question asked of it, the page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from consilience import plugins
from consilience.cli.answering import answered, print_answer, sketcher
from consilience.cli.app import AsJson, app, err, opened, out, print_json, say, tell, warn
from consilience.cli.bars import Bars
from consilience.cli.serving import serve_workspaces
from consilience.errors import MissingExtra
from consilience.pack import Pack
from consilience.render import answer_json
from consilience.settings import FILE
from consilience.types import Answer, Query
from consilience.workspace import copy_sample, init_workspace


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to build.")] = Path("demo"),
    serve: Annotated[
        bool, typer.Option("--serve", help="Then serve the page, until it is stopped.")
    ] = False,
    port: Annotated[int, typer.Option(help="The port of the page.", min=1, max=65535)] = 8000,
    as_json: AsJson = False,
) -> None:
    """Build the sample workspace of every pack, and ask each a question."""
    answers = {}
    for name in plugins.find("packs"):
        pack: Pack = plugins.load("packs", name)
        if pack.sample is None or not _is_ready(pack):
            continue
        if not as_json:
            out.rule(f"[bold]{pack.name}[/]: {pack.summary}")
        answers[name] = answer_json(_build_and_ask(pack, folder / name, quiet=as_json))
    if as_json:
        print_json(answers)
    elif not serve:
        tell(f"\nask more: consilience ask -w {folder / next(iter(answers))} …")
        tell(f"in a browser: consilience serve {folder}")
    if serve:
        tell("")
        serve_workspaces([folder / name for name in answers], port=port, near=True)


def _is_ready(pack: Pack) -> bool:
    """Whether all is installed that a pack needs; what is missing is told."""
    try:
        pack.ready()
    except MissingExtra as error:
        warn(f"note: {pack.name} is left out: {error}", style="yellow")
        return False
    return True


def _build_and_ask(pack: Pack, target: Path, *, quiet: bool) -> Answer:
    if not (target / FILE).exists():
        init_workspace(target, pack=pack.name)
    sample = copy_sample(target, pack.name)
    question = pack.examples[0]
    with opened(target, "demo") as workspace:
        with Bars(err) as bars:
            workspace.add([sample], progress=bars)
        if not quiet:
            say(f"\n[bold cyan]{escape(question)}[/]")
        events = workspace.stream(Query(text=question), length="concise")
        answer = answered(events, quiet=quiet, sketch=sketcher(workspace))
        if not quiet:
            print_answer(answer)
    return answer
