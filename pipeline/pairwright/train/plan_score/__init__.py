"""Comparing planners on held-out gold aspects.

spec.py         the file that names planners, judge and embedding
plans.py        a planner's plan for one item: asked for, or made elsewhere
judge.py        how a plan agrees with the item's gold aspects, and with another user's
measures.py     precision, recall and F1 with n, interval and bounds; differences of two planners
report_page.py  the page
"""
