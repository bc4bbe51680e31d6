"""What does a workspace hold, how large is it, and what could not be read?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from consilience.evidence.catalogue import Catalogue
from consilience.evidence.token_store import TOKENS_FILE, disk_size, sqlite_size
from consilience.workspace.layout import STORE


def workspace_status(folder: Path, catalogue: Catalogue) -> dict[str, Any]:
    """All that is known of what was taken in, every file with how reading it went."""
    return {
        "workspace": str(folder),
        "model": catalogue.fact("model"),
        "collections": catalogue.counts(),
        "pending": catalogue.pending_count(),
        "bytes": stored_bytes(folder),
        "roots": catalogue.roots(),
        "documents": [asdict(record) for record in catalogue.documents()],
    }


def stored_bytes(folder: Path) -> dict[str, int]:
    """Bytes that everything built from the evidence takes, and the token vectors of it."""
    files = [one for one in (folder / STORE).rglob("*") if one.is_file()]
    return {"all": sum(map(disk_size, files)), "tokens": sqlite_size(folder / STORE / TOKENS_FILE)}
