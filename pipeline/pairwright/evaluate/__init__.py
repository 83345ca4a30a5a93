"""Evaluate: how well reward models see the person, and whether it matters downstream.

scorers/      what is under test
shown.py      what it is shown: the condition
decision.py   what came of one pair
results.py    what an evaluation leaves in its folder
correlate/    whether doing well on a benchmark goes with doing well downstream
"""
