"""What does a table say? Its rows, and of each number what it is the value of."""
