"""How are the papers and notes of the `research` sample made? From texts, byte for byte.

Run `python scripts/build_research_sample.py` after editing `scripts/research_sample/`. It needs
reportlab (BSD) beside the package; the font that it sets papers in lies beside the texts.
"""

from __future__ import annotations

from pathlib import Path

from research_sample import files

SAMPLE = Path(__file__).parents[1] / "src/consilience/packs/research/sample"


def main() -> None:
    """Write the sample."""
    SAMPLE.mkdir(parents=True, exist_ok=True)
    for name, content in files.made():
        (SAMPLE / name).write_bytes(content)


if __name__ == "__main__":
    main()
