"""What is under test.

scorer.py        what a scorer is, and the baselines: those that understand nothing of the person
spec.py          the kinds of scorers, each with the keys of its table
judges.py        generative judges: those that compare two responses, and those that rate one
score_models.py  reward models, language models, and a policy that a reward guides
own_scorer.py    a scorer of your own, a Python class
score_file.py    scores that were computed elsewhere
"""
