"""What does a question ask for that nothing here answers: a name, a thing, a way, a fact?"""
