"""What of a text is only spoken of, and not asked for?"""
