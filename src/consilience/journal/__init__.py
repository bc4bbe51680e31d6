"""What was asked, what was shown, and what did people do with it? Kept here, sent nowhere.

One SQLite file in the workspace's store folder. It holds questions, ids of passages, times and
reactions; nothing of who asked: no address, no name, no cookie. Without a path nothing is kept.
"""

from consilience.journal.file import JOURNAL
from consilience.journal.keeping import REACTIONS, Journal, Reaction, Unasked
from consilience.journal.reading import Entry, Reacted, Shown, entries_in, settings_in

__all__ = [
    "JOURNAL",
    "REACTIONS",
    "Entry",
    "Journal",
    "Reacted",
    "Reaction",
    "Shown",
    "Unasked",
    "entries_in",
    "settings_in",
]
