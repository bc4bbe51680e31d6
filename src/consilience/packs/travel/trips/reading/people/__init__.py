"""Who travels, how many, and how old?"""
