"""Does any file of games crash the loader? Hundreds of the mutants of `benchmarks/pgn_fuzz.py`."""

import importlib.util
from collections import Counter
from pathlib import Path

import pytest
from pgn_shared import room, written

from consilience.packs.chess.pgn import cut, load

PATH = Path(__file__).parents[2] / "benchmarks" / "pgn_fuzz.py"
SPEC = importlib.util.spec_from_file_location("pgn_fuzz", PATH)
fuzz = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz)


@pytest.mark.parametrize("part", range(4))
def test_mutated_files_load_or_are_refused(tmp_path, part):
    path, found = tmp_path / "mutant.pgn", Counter()
    for number in range(part, 160, 4):
        path.write_bytes(fuzz.mutant(number, huge=False))
        result = fuzz.outcome(path, room(256))
        assert result in {"loaded", "refused"}, (number, result)
        found[result] += 1
    assert found["loaded"] > 20


def test_the_runner_tells_a_crash_from_a_refusal(tmp_path, monkeypatch):
    path = written(tmp_path, "1. e4 *")
    assert fuzz.outcome(path, room(256)) == "loaded"
    assert fuzz.outcome(tmp_path / "nothing.pgn", room(256)) == "refused"
    monkeypatch.setattr(fuzz, "cut", lambda document, room: 1 / 0)
    assert fuzz.outcome(path, room(256)).startswith("crashed: Traceback")


def test_a_comment_of_megabytes_is_cut_to_fit(tmp_path):
    path = written(tmp_path, "1. e4 {" + "A sentence of words. " * 30_000 + "} e5 *")
    document = cut(load(path), room(256))
    assert max(room(256).sizes(document.title, document.blocks)) <= 256
    assert sum(block.text.count("A sentence of words.") for block in document.blocks) == 30_000
