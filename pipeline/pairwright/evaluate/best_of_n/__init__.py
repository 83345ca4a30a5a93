"""What a policy's answers gain when a scorer picks the best of them.

samples.py    N answers to each question, each judged by the question's aspects
scoring.py    what a scorer says of the samples
estimator.py  the worth of the best of k: of the first k, and of all subsets of size k
curves.py     that over all questions, with intervals
records.py    what comes of it
page.py       the report
"""
