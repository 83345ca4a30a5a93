"""The build: from the items of a source to kept pairs, or to refusals with their reasons.

A pair is built by its mode (`pairwright.modes`). The files here choose the work, have it done, and
write and count the outcomes.

build.py            `init`, `build`, and `estimate` before it
opening.py          the rules, the items, the store and the models of a run
folder.py           a run folder, and whether a run may go on in it
session.py          the units of a build, step by step, and the work on them in one process
units.py            the work on units in one process
ray.py shards.py    the same by actors of Ray, each with a share and a store of its own
estimate.py         what a build will take at most, by its config

corpus.py           the items on disk, and the order in which they are read
natural.py          items of people's own choices: who took what another refused
candidates.py       the plan of a question, and the users that it is tried on
partners.py         the matching

outcomes.py         the table of outcomes, and the files that are written from it
status.py           `status`: what a run has come to, and its manifest
show.py             `show`: one unit, or one call, in lines
"""
