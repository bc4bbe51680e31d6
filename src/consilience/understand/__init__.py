"""What do the words of a question or a text mean? Names and amounts, read by rules."""
