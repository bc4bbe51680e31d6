"""How much of a wish can be granted? Each module looks for one kind of impossibility.

Each takes the talk so far and settles what cannot be: the wish changes as little as it must, and
what was wanted, why it cannot be and what is planned instead is told.
"""
