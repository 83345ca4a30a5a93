"""Evaluate: how well reward models see the person, and whether it matters downstream.

scorers/      what is under test
local/        reward models in this process
own/          a scorer of one's own, named by its Python class
shown.py      what it is shown: the condition
release.py    the release it is held to
conditions.py planned.py wrong_profile.py    what each condition shows of a row's user
evaluation.py one scorer in one condition over a release
verdict.py rating.py    what a judge's free text says, by
marked.py claims.py hearsay.py    what it marks as its result, what its sentences say, whose words
decision.py   what came of one pair
results.py    what an evaluation leaves in its folder
derivation.py whether that is what the stored replies give
measure/      figures of decisions, each with n and interval
board/        results side by side, and which of them can be told apart
asked.py      the release's questions, each with who asks it and what that person expects
outputs/      outputs of any models, held to the rubrics
guided/       policy accuracy: whether what reward-guided decoding adds up tells the chosen response
best_of_n/    what a scorer's pick of k samples is worth
correlate/    whether doing well on a benchmark goes with doing well downstream
"""
