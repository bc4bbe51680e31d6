"""The command line: parse, call, print. Results go to stdout, notes to stderr.

Every command but `mcp`, which speaks a protocol, takes `--json`. Errors that the user can do
something about are one line on stderr with exit status 1; a wrong call is exit status 2. A reader
that closes the pipe early (`| head`) is no error.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress

from consilience.cli.answering import ask
from consilience.cli.app import app
from consilience.cli.asking import search, show, why, why_not
from consilience.cli.concepts import concepts_app
from consilience.cli.connecting import path
from consilience.cli.demo import demo
from consilience.cli.diagnosing import diagnose_command
from consilience.cli.evaluating import evaluate_command
from consilience.cli.evidence import add, init, rebuild, remove, status
from consilience.cli.gating import gate_command
from consilience.cli.golden import golden_app
from consilience.cli.learning import calibrate, learn
from consilience.cli.serving import serve
from consilience.cli.state import claims, doctor, settings
from consilience.cli.surveying import audit_command, neighbourhood_command
from consilience.cli.tooling import mcp_command
from consilience.cli.trip import trip_command
from consilience.cli.tuning import tune_command
from consilience.errors import ConsilienceError

__all__ = [
    "add",
    "app",
    "ask",
    "audit_command",
    "calibrate",
    "claims",
    "concepts_app",
    "demo",
    "diagnose_command",
    "doctor",
    "evaluate_command",
    "gate_command",
    "golden_app",
    "init",
    "learn",
    "main",
    "mcp_command",
    "neighbourhood_command",
    "path",
    "rebuild",
    "remove",
    "search",
    "serve",
    "settings",
    "show",
    "status",
    "trip_command",
    "tune_command",
    "why",
    "why_not",
]
_ADVICE = {
    errno.ENOSPC: "; make room and run the same command again",
    errno.EDQUOT: "; make room and run the same command again",
    errno.EROFS: "; the workspace must be writable",
}


def main() -> None:
    """Run the command line."""
    try:
        app()
    except ConsilienceError as error:
        _fail(str(error))
    except OSError as error:
        _fail(_told(error))
    except SystemExit as ended:
        # rich and typer both end with status 1 when the reader has gone.
        if isinstance(ended.__context__, BrokenPipeError):
            _drop_output()
            sys.exit(0)
        raise


def _fail(message: str) -> None:
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):
        sys.stderr.write(f"error: {message}\n")
    _drop_output()
    sys.exit(1)


def _told(error: OSError) -> str:
    where = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{where}{_ADVICE.get(error.errno or 0, '')}"


def _drop_output() -> None:
    """What is still buffered cannot be written; at exit Python would complain once more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
