"""How does a wish become a trip? In five steps, each typed, each usable alone.

analyse → plan retrieval → (retrieve) → compose → advise → check; what the check finds goes back to
the composer.
"""
