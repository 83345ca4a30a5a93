"""A scorer of one's own: a Python class that is named in the file of scorers.

seam.py       what such a class is given, and what it gives back
find.py       the class behind "module:Class", and a hash of the file that holds it
scorer.py     it as a scorer, whose scores are stored like any others
"""
