"""Evaluate: how well reward models see the person, and whether it matters downstream.

benchmark.py    the pairs that are scored, and the table that scores are joined with
conditions.py   what a scorer is shown of the person, one function per condition
scorers/        what is under test: each kind is a class, its table of the file and how it is opened
settings.py     the TOML file that names scorers, and scorers that need no file
session.py      what a file of scorers names, connected; its calls
scores.py       the scores table: a line a pair
figures.py      functions of the joined table, each figure with n and interval
evaluate.py leaderboard.py leaderboard_page.py    the commands, and tables side by side
downstream.py   the one form of what downstream commands find: verdict, table, what does not count
best_of_n.py completions.py outputs.py    what policies write, and what it is worth
correlate.py    whether doing well on a benchmark goes with doing well downstream
"""
