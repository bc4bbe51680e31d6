"""What does a wish say, idea by idea? Each module reads one of them from the words.

They share a `Sentence`: what one of them has understood is taken out of it, so that the amount of
money in "20 dollars a day" is no length of a trip, and the beach in the name of a town no theme.
"""
