"""What is asked for that not every country has, or that nobody can give?"""
