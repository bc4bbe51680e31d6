"""Every Python block of the page on the library runs, in order, as it stands."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("page", ["library.md", "fusing.md", "comparison.md"])
def test_every_block_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert blocks
    names = {"__name__": "docs"}
    if any("import ranx" in block or "from ranx" in block for block in blocks):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # compiling takes a minute
        pytest.importorskip("ranx")
    for block in blocks:
        exec(compile(block, page, "exec"), names)  # the docs are ours
    for value in names.values():
        if hasattr(value, "close") and not isinstance(value, type):
            value.close()
