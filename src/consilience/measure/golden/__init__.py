"""Which text answers which question? Golden sets: read, found in the corpus, made, examined."""
