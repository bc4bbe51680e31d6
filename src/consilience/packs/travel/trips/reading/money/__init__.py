"""What may be spent, in which currency?"""
