"""How do files become passages, and where are these kept? Loaders, splitter, ingest, catalogue."""
