"""What is asked of the figures? Read from the words of a question alone."""
