"""The command line: parse, call, print. Results go to stdout, notes to stderr.

All commands but `mcp`, which speaks a protocol, have `--json`. An error that the user can fix is
one line on stderr with exit status 1; a wrong call is exit status 2. A reader that closes the pipe
early (`| head`) is not an error.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress

from consilience.cli import ask, doctor, evaluate, evidence, golden, search, serve, tune  # noqa: F401 - importing them registers their commands
from consilience.cli.app import app
from consilience.errors import ConsilienceError

__all__ = ["app", "main"]
_ADVICE = {
    errno.ENOSPC: "; free some space and run the same command again",
    errno.EDQUOT: "; free some space and run the same command again",
    errno.EROFS: "; the workspace must be writable",
}


def main() -> None:
    """Run the command line."""
    try:
        app()
    except ConsilienceError as error:
        _fail(str(error))
    except OSError as error:
        file = f": {error.filename}" if error.filename else ""
        _fail(f"{error.strerror or error}{file}{_ADVICE.get(error.errno or 0, '')}")
    except SystemExit as ended:
        # rich and typer both end with status 1 when the reader has closed the pipe.
        if isinstance(ended.__context__, BrokenPipeError):
            _discard_output()
            sys.exit(0)
        raise


def _fail(message: str) -> None:
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):
        sys.stderr.write(f"error: {message}\n")
    _discard_output()
    sys.exit(1)


def _discard_output() -> None:
    """Drop what is still buffered: it cannot be written, and Python would complain at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
