"""The build: from the items of a source to kept pairs, or to refusals with their reasons.

A pair is built by its mode (`pairwright.modes`). The files here choose the work, have it done, and
write and count the outcomes.

build.py        `build`
folder.py       a run folder, its store, and whether a run may go on in it
session.py      the units of a build, step by step, and the work on them in one process
ray.py          the same by actors of Ray, each with a share and a store of its own

corpus.py       the items on disk, and the order in which they are read
natural.py      items of people's own choices: who took what another refused
partners.py     the users that a question is tried on, its plan, and the matching

outcomes.py     the table of outcomes, and the files that are written from it
status.py       `status`: what a run has come to, and its manifest
show.py         `show`: one unit, or one call, in lines
"""
