"""Is a text a wish for a trip at all?"""
