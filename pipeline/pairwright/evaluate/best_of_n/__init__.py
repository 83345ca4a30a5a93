"""What a policy's answers gain when a scorer picks the best of them.

sampling.py   N answers to each question, each judged by the question's aspects, and scored
curves.py     the worth of the best of k: of one question, and over all with intervals
page.py       the report
"""
