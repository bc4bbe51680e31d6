"""How is a trip shown? As text, Markdown, JSON, a calendar and a map, with the same citations."""
