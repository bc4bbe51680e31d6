"""Which attacks does it survive? Runs the tests of each fault, and prints attack, tries, survived.

    python benchmarks/faults.py            # all
    python benchmarks/faults.py disk nan   # those whose names contain a word

Each attack is a real one (a killed process, a full file system, a bomb); a try is one test of it.
A skipped one (no file system may be mounted here) is counted apart.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
ATTACKS = {
    "full disk, read-only disk": ["tests/test_full_disk.py"],
    "killed while adding, indexing or rebuilding": [
        "tests/test_crash.py",
        "tests/test_workspace.py -k killed",
        "tests/test_documents.py -k interrupted",
    ],
    "killed while serving": ["tests/service/test_killed_service.py"],
    "lost or damaged stores": ["tests/test_workspace.py -k lost"],
    "slow, blocking or failing sources": ["tests/test_retrieve.py", "tests/test_timeouts.py"],
    "nan and nonsense from an embedder": ["tests/test_workspace.py -k nonsense"],
    "values that are no documents": ["tests/test_documents.py -k refused"],
    "filters, pages and options that cannot be": [
        "tests/test_filters.py -k refused",
        "tests/test_plan.py -k refused",
        "tests/test_search.py -k refused",
    ],
    "rankings and judgements that are none": ["tests/test_plain_runs.py -k refused"],
    "use after close, fork": ["tests/test_workspace.py -k 'closed or forked'"],
    "compressed bombs and endless files": ["tests/test_bounds.py", "tests/loaders -k bomb"],
    "hostile requests": ["tests/service/test_hostile_requests.py"],
    "uploads that break off or are too large": ["tests/service/test_uploads.py"],
    "jobs that kill the server": ["tests/service/test_jobs.py -k kills"],
    "a loop that must not stall": ["tests/test_async.py"],
}


def run_tests(arguments: str) -> tuple[int, int, int]:
    """How many tests ran, passed and were skipped."""
    report = ROOT / ".faults.xml"
    command = f"{sys.executable} -m pytest -q -n 0 --junitxml={report} {arguments}"
    subprocess.run(command, shell=True, cwd=ROOT, check=False, capture_output=True)
    if not report.exists():
        return 0, 0, 0
    suite = ElementTree.parse(report).getroot().find("testsuite")
    report.unlink()
    assert suite is not None
    ran, skipped = int(suite.attrib["tests"]), int(suite.attrib["skipped"])
    failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
    return ran - skipped, ran - skipped - failed, skipped


def main() -> int:
    """Print the table; the status is 1 where something did not survive or nothing ran."""
    words, is_sound = sys.argv[1:], True
    print(f"{'attack':48} {'tries':>6} {'survived':>9} {'skipped':>8}")
    for attack, commands in ATTACKS.items():
        if words and not any(word in attack for word in words):
            continue
        tries, survived, skipped = (
            sum(parts) for parts in zip(*map(run_tests, commands), strict=True)
        )
        is_sound &= tries == survived and tries > 0
        print(f"{attack:48} {tries:6} {survived:9} {skipped:8}", flush=True)
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
