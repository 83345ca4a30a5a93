"""A test of a planner by people's own choices: whether the aspects that it infers from a user's
earlier posts are served better by the answer that this user accepted than by its match.

measures.py     a line for each item, and the figures with their control
report_page.py  the page
"""
