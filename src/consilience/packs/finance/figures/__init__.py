"""How are figures of reports found, and computed with?"""
