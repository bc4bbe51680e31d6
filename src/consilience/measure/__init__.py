"""How well does it find, on your documents? Golden questions, runs, measures, tuning, gates.

Labels point at text in the corpus and know nothing of any ranking. A run is what came back; judging
it is another step. Every number comes with its interval and with controls that can turn red.
"""
