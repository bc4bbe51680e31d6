"""How does one want to travel, and how not?"""
