"""Comparing planners on held-out gold aspects.

spec.py       the file that names planners, judge and embedding
plans.py      plans that were made elsewhere
scoring.py    one item: what was planned, and how it agrees with the gold aspects
scored.py     what came of one planner and item: a line of the results
figures.py    precision, recall and F1 with n, interval and bounds; differences of two planners
page.py       the page
"""
