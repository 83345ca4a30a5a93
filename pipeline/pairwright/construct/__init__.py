"""The build: from the items of a source to kept pairs, or to refusals with their reasons.

A pair is built by its mode (`pairwright.modes`). The files here choose the work, have it done, and
write and count the outcomes.

build.py            `build`, and `estimate` before it
opening.py          the config, the store and the models of a run
session.py          the units of a build, step by step: plans, matching, units of two users
units.py            the work on units in one process
ray.py shares.py shards.py    the same by actors of Ray, each with a share and a store of its own
example.py          `init`: a folder to start from

corpus.py           the items on disk, and the order in which they are read
natural.py          items of people's own choices: who took what another refused
candidates.py       who may be a partner, and the users that a question is tried on
planning.py         the plan of a question: who has a signal
partners.py         the matching

outcomes.py         the table of outcomes
status.py checks.py manifest.py    `status`: its figures, and the manifest
pairs.py            pairs.jsonl and dropped.jsonl, and pairs read again
show.py             `show`: one unit, or one call, in lines
folder.py           a run folder, and whether a run may go on in it
estimate.py         what a build will take at most, by its config
"""
