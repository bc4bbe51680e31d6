"""How is an answer written from what was found? Chosen, packed, written, checked, cited."""
