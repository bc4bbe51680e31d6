"""How do papers and notes become documents? By their headings, with what they cite set apart."""
