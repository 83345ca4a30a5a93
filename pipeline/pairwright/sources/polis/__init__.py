"""Exported conversations of Polis: who wrote which statement, and who agreed with which.

A conversation is a folder with `comments.csv` (the statements), `participants-votes.csv` (a row a
participant, a column a statement: 1 agrees, -1 disagrees, 0 passes, empty was not seen) and, if it
is there, `summary.csv` (its topic and address). Only participants who wrote statements have a
history; the votes of the others tell who chooses alike.

conversation.py    the conversations of a folder, their statements, and what is asked
authors.py         those who wrote statements, with their votes on the statements of others
"""
