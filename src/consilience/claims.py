"""Do the numbers that we publish still hold? Each has its command, its value and a tolerance.

`benchmarks/claims.toml` lists them. A claim's command prints JSON; `value` is the path of the
number in it (`sizes.100000.ratio`). A claim holds when the number is within `within` of
`expect`, or, for a claim with `most` or `least`, on the right side of it.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A published number: the command that prints it, where it is in the output, and its bounds."""

    name: str
    command: str
    value: str
    expect: float | None = None
    within: float = 0.0
    most: float | None = None
    least: float | None = None

    def holds(self, number: float) -> bool:
        """Whether a rerun with this number confirms the claim."""
        return (
            (self.expect is None or abs(number - self.expect) <= self.within)
            and (self.most is None or number <= self.most)
            and (self.least is None or number >= self.least)
        )

    @property
    def bound(self) -> str:
        """What was claimed, in words."""
        parts = [] if self.expect is None else [f"{self.expect:g} ± {self.within:g}"]
        parts.extend([] if self.most is None else [f"at most {self.most:g}"])
        parts.extend([] if self.least is None else [f"at least {self.least:g}"])
        return ", ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How rerunning one claim went; without a number it could not be rerun."""

    claim: Claim
    number: float | None
    problem: str = ""

    @property
    def holds(self) -> bool:
        """Whether the claim was confirmed."""
        return self.number is not None and self.claim.holds(self.number)


def read_claims(path: Path) -> list[Claim]:
    """The claims of a file; one without any bound, or with an unknown key, is refused."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("claim", [])
        claims = [Claim(**entry) for entry in entries]
    except FileNotFoundError as error:
        raise UsageError(f"no such file: {path}; name one with --file") from error
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise UsageError(f"{path}: {error}") from error
    for claim in claims:
        if not claim.bound:
            raise UsageError(f"{path}: the claim {claim.name!r} says nothing: give expect or most")
    return claims


def rerun(claims: Sequence[Claim], folder: Path) -> Iterator[Verdict]:
    """Run the commands in a folder, each once however many claims need it."""
    printed: dict[str, Mapping[str, Any] | str] = {}
    for claim in claims:
        if claim.command not in printed:
            printed[claim.command] = _run(claim.command, folder)
        output = printed[claim.command]
        if isinstance(output, str):
            yield Verdict(claim=claim, number=None, problem=output)
            continue
        try:
            yield Verdict(claim=claim, number=_number(output, claim.value))
        except (KeyError, IndexError, TypeError, ValueError):
            problem = f"{claim.value!r} is not in what the command printed"
            yield Verdict(claim=claim, number=None, problem=problem)


def _run(command: str, folder: Path) -> Mapping[str, Any] | str:
    """The JSON that a command printed, or, as a text, why there is none."""
    try:
        done = subprocess.run(  # noqa: S603 - the commands are those of the project's own file
            shlex.split(command), cwd=folder, capture_output=True, text=True, check=False
        )
    except (OSError, ValueError) as error:
        return f"cannot run {command!r}: {error}"
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["nothing on stderr"])[-1]
        return f"exit status {done.returncode}: {last}"
    try:
        found: Mapping[str, Any] = json.loads(done.stdout)
    except ValueError:
        return "the command did not print JSON"
    return found


def _number(output: Mapping[str, Any], path: str) -> float:
    found: Any = output
    for part in path.split("."):
        found = found[int(part)] if isinstance(found, list) else found[part]
    return float(found)
