"""How does a file become blocks of text? One module for each format, each with a `LOADER`.

Whatever is in a file, a loader gives a document or raises `LoadError`. Text is never dropped
silently: what could not be read is said in the document's notes.
"""
