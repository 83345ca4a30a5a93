"""Drafting a pair: what every mode does between an item and its pairs.

rules.py        what decides how a pair is built; the posts that may be read of another user
rubrics.py      what a user expects in an answer
drafts.py notes.toml    drafts, drawn until one is accepted, and the pairs over it
judging.py      the gates, and the judges' scores that they decide by
"""
