"""The command line: parse, call, print. Results go to stdout, notes to stderr.

Every command takes `--json`. Errors that the user can do something about are one line on
stderr with exit status 1; a wrong call is exit status 2.
"""

from __future__ import annotations

import sys

from consilience.cli.app import app
from consilience.cli.asking import search, show, why, why_not
from consilience.cli.demo import demo
from consilience.cli.evidence import add, init, rebuild, remove, status
from consilience.cli.state import claims, doctor, settings
from consilience.errors import ConsilienceError

__all__ = [
    "add",
    "app",
    "claims",
    "demo",
    "doctor",
    "init",
    "main",
    "rebuild",
    "remove",
    "search",
    "settings",
    "show",
    "status",
    "why",
    "why_not",
]


def main() -> None:
    """Run the command line."""
    try:
        app()
    except ConsilienceError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped; run the same command again to go on where it was\n")
        sys.exit(130)
