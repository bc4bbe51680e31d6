"""What does a journal teach? Which settings people do better with, and what might be a label."""
