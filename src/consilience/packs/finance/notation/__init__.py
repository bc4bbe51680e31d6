"""What does a phrase of a report mean? Numbers with their units, and times."""
