"""Evaluate: how well reward models see the person, and whether it matters downstream.

benchmark.py    the pairs that are scored, and the table that scores are joined with
conditions.py   the content that a scorer is shown of the person, one function per condition
scorers/        scorers under test: each kind has a class, a table of the file, and a way to open it
settings.py     the TOML file that names scorers, and scorers that need no file
session.py      opens scorers, judge and policy by name, and holds their calls
scores.py       the scores table, a line per pair, and its figures, each with n and interval
evaluate.py leaderboard.py leaderboard_page.py    the commands, and tables side by side
downstream.py   the results of downstream commands: verdict, table, lines that do not count
best_of_n.py completions.py outputs.py    texts of policies, and their quality
correlate.py    the correlation of benchmark scores with downstream scores
"""
