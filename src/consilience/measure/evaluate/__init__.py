"""Does fusing help on your documents? Every way of searching side by side, and a report."""
