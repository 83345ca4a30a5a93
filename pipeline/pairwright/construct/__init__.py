"""Making pairs: from the items of a source to gated pairs, or to refusals with their reasons.

The build functions are one piece of work each, and read top to bottom. The other files choose
the work, and write down what came of it.

written_pairs.py contrasts.py    `build_twin`, `build_placebo`; `build_contrast`:
    from an item to its pair
natural.py             people's own choices, which need no model: who took what another
                       refused, items, and their pairs
drafts.py              drawing until a draft is accepted, and what is drawn after a refusal
draft_judging.py       a draft's gates, and the judges' scores that they decide by
build_rules.py         what these decide by: config, prompts, domains, the other users; and an
    item's rubric, of the planner, or of the data

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

from pairwright.construct.build_rules import BuildRules
from pairwright.construct.contrasts import build_contrast
from pairwright.construct.written_pairs import (
    build_placebo,
    build_twin,
)

__all__ = ["BuildRules", "build_contrast", "build_placebo", "build_twin"]
