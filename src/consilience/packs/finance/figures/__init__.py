"""Which numbers answer? Looked up and calculated with in SQL."""
