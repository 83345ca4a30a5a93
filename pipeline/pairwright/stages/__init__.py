"""Stages that call models: one file per stage, each a plain async function on records.

infer.py        a rubric: plan, and drop every aspect that is not this user's own
planner.py      the aspects of posts
writer.py       a response, from a rubric or from none
judges.py       do posts carry an aspect, do other lists ask for it; how good is a response
question.py     a question, with all that the other stages need to ask about it

The scale of adherence is `AdherenceLevel` in `records`, with its words in the prompt `adherence`.
The scales of quality are the tables of `quality`, a TOML file beside the domains.
"""
