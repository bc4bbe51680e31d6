"""How does an answer about travel begin? With what is asked for, from the passages that say it."""
