"""Evaluate: how well reward models see the person, and whether it matters downstream.

release.py      the release that scorers are evaluated on, and the models that built it
conditions.py   what a scorer is shown of the person, one record a condition
content.py      how that is made: posts, those that the rubric cites, a partner's, a stranger's
settings.py     the TOML file that names scorers, and the planner, judge and policy beside them
scorers/        what is under test
evaluation.py   one scorer in one condition over a release
decision.py     the result of one pair
results.py      what an evaluation leaves in its folder
figures.py      figures of decisions, each with n and interval
leaderboard.py leaderboard_page.py    results side by side
outputs.py      outputs of any models, judged by the rubrics
guided.py       policy accuracy: whether a guided policy's scores tell the chosen response
policy_samples.py best_of_n.py    samples of a policy; what a scorer's pick of k is worth
completions.py  writing a question's body as its user would, and what picks the nearest text
correlation/    whether doing well on a benchmark goes with doing well downstream
"""
