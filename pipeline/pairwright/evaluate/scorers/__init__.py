"""What is under test.

seam.py        what a scorer is: it scores one response, or compares two
spec.py        the file that names them
baselines.py   those that understand nothing: a floor
score_file.py  scores that were computed elsewhere; `..own` is a scorer of one's own
embedding.py   one that reads meaning, and nothing of the person
conversation.py what a model that scores is asked
reward.py      reward models: classifiers and implicit DPO rewards, here or served
language_model.py guided.py    how likely a model makes a response; a policy that a reward guides
judge.py       generative judges: what they are shown and what is counted
pairwise.py    those that compare two responses, in both orders
pointwise.py   those that rate one response
"""
