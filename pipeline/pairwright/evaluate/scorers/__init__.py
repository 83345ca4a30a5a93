"""What is under test.

scorer_protocols.py  what a scorer is: it scores one response, or compares two
spec.py          the kinds of scorers, each with the keys of its table
baselines.py     those that understand nothing of the person: a floor
judges.py        generative judges: those that compare two responses, and those that rate one
score_models.py  reward models, language models, and a policy that a reward guides
own_scorer.py    a scorer of your own, a Python class; own_class.py finds it
score_file.py    scores that were computed elsewhere
"""
