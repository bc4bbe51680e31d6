"""What is every report made of? One HTML file that needs nothing but itself."""

from __future__ import annotations

from html import escape
from pathlib import Path


def whole_page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """A page with the look that all reports share; `body` is HTML, the title is text."""
    shared = Path(__file__).with_name("pages.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{shared}{style}</style></head>"
        f"<body><main>{body}</main>{f'<script>{script}</script>' if script else ''}</body></html>\n"
    )
