"""What is under test.

scorer.py        what a scorer is, and the baselines: those that understand nothing of the person
judges.py        generative judges: those that compare two responses, and those that rate one
score_models.py  reward models, language models, and a policy that a reward guides
in_process.py    reward models in this process: requests gather and are answered in batches
torch_models.py  these models; the only file that imports torch and transformers
own_scorer.py    a scorer of your own, a Python class
score_file.py    scores that were computed elsewhere
"""
