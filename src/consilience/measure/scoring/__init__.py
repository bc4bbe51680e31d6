"""What is a ranking worth, and is the number honest? Measures, statistics, controls, files."""
