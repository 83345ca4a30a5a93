"""What is under test.

seam.py        what a scorer is: it scores one response, or compares two
spec.py        the file that names them
baselines.py   those that understand nothing: a floor
embedding.py   one that reads meaning, and nothing of the person
reward.py      reward models: classifiers and implicit DPO rewards, here or served
judge.py       generative judges: what they are shown and what is counted
pairwise.py    those that compare two responses, in both orders
pointwise.py   those that rate one response
"""
