"""Makes a site of the README and the pages of docs; files outside of both are named, not linked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages at the root of the repository; the README is the first page."""
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text.replace("](docs/", "](")))
    return files


def on_page_markdown(markdown: str, files: Files, **_: Any) -> str:
    """Point links at pages of the site, and name a file that is none."""

    def replace(link: re.Match[str]) -> str:
        text, target = link.groups()
        path, _, anchor = target.removeprefix("../").partition("#")
        page = PAGES.get(path, path)
        if files.get_file_from_path(page) is None:
            return f"{text} (`{path}`)"
        return f"[{text}]({page}{'#' if anchor else ''}{anchor})"

    return _LINK.sub(replace, markdown)
