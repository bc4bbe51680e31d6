"""What does a file hold? Its paragraphs and its tables as they stand there."""
