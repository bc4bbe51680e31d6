"""When is it, how long does it last, and at which hours?"""
