"""Which places does a text name, known or not, and what for?"""
