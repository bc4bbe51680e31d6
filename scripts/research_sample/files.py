"""Which files does the sample have? One for each text, in the format that its head names."""

from __future__ import annotations

from collections.abc import Iterator

from research_sample import latex, pages, plain, web
from research_sample.reading import Text, texts


def made() -> Iterator[tuple[str, bytes]]:
    """The name and the content of every file that is made from a text."""
    for text in texts().values():
        yield text.file, content(text)


def content(text: Text) -> bytes:
    """The file of one text."""
    if text.format == "pdf":
        return pages.paper(text)
    written = {"md": plain.markdown, "html": web.page, "tex": latex.source}[text.format](text)
    return written.encode()
