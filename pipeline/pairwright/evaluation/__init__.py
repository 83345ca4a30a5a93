"""Evaluate: how well reward models see the person, and whether it matters downstream.

benchmark.py    the pairs that are scored, and the table that scores are joined with
conditions.py   what a scorer is shown of the person, one record a condition
settings.py     the TOML file that names scorers, and scorers that need no file
scorers/        what is under test
session.py      what a file of scorers names, connected
scores.py       the scores table: a line a pair
figures.py      functions of the table, each figure with n and interval
evaluate.py leaderboard.py leaderboard_page.py    the commands, and tables side by side
outputs.py best_of_n.py completions.py policy.py    downstream
correlate.py    whether doing well on a benchmark goes with doing well downstream
"""
