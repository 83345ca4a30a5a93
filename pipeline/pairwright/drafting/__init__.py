"""Drafting a pair: what every mode does between an item and its pairs.

rules.py        what decides how a pair is built: configuration, prompts, domains, scales
posts.py        the posts of another user that may be read for a question
rubrics.py      what a user expects in an answer
redraw.py       writing both responses, and writing the ones at fault again
judging.py      the gates, and the judges' scores that they decide by
drafts.py       drafts, drawn until one is accepted
pairs.py        the pairs over an accepted draft
"""
