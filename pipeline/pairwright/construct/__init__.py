"""Making pairs: from the items of a source to gated pairs, or to refusals with their reasons.

A pair is built by its mode (`pairwright.modes`). The files here choose the work, and write the
outcomes.

natural.py             items of people's own choices: who took what another refused
build_rules.py         the order of users, and those that a question is tried on
session.py             a build of a run folder, and its steps: survey, matching, twins
corpus.py              the items on disk, and the work: one unit an item and mode
candidates.py partners.py    who may be a partner, and who becomes one
unit_work.py           what is done for one unit

outcomes.py            what came of each unit, written, and how far it came
outcome_details.py     the same as lines, with everything behind it; and one call
run_pairs.py           a finished run read again: its results by name, and its pairs
tally.py manifest.py   outcomes counted, the index that says so, and the manifest
folder.py              a run folder, and whether a run may go on in it
estimate.py            what a build will take at most, by its config
"""
