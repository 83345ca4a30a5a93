"""Evaluate: how well reward models see the person, and whether it matters downstream.

release.py      the release that scorers are evaluated on
builders.py     the models that built it, and scorers that are one of them or of a family
questions.py    its questions, each with who asks it and what that person expects
conditions.py   what a scorer is shown of the person, one record a condition
content.py      how that is made: posts, those that the rubric cites, a partner's; wrong_profile.py
settings.py     the TOML file that names scorers, and the planner, judge and policy beside them
scorers/        what is under test
local/          reward models in this process
replies.py      what a judge's free text says
evaluation.py   one scorer in one condition over a release
decision.py     the result of one pair
results.py      what an evaluation leaves in its folder; result_lines.py: the same in words
identities.py   figures of twins that could not be otherwise
derivation.py   whether that is what the stored replies give
measure/        figures of decisions, each with n and interval
board/          results side by side, and which of them can be distinguished
outputs/        outputs of any models, judged by the rubrics
guided/         policy accuracy: whether a guided policy's scores tell the chosen response
best_of_n/      what a scorer's pick of k samples is worth
correlation/    whether doing well on a benchmark goes with doing well downstream
certificate/    whether generated twins rank scorers as people's own choices do
"""
