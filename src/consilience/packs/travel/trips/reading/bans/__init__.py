"""What must a trip not have?"""
