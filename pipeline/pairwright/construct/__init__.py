"""Making pairs: from the items of a source to gated pairs, or to refusals with their reasons.

The two build functions are one piece of work each, and read top to bottom. The other files choose
the work, and write down what came of it.

contrast.py twin.py    `build_contrast` and `build_twin`: a unit of each mode, from item to pair
openings.py natural.py own_choice_pairs.py    people's own choices, which need no model: who took
    what another refused, items, and their pairs
neighbours.py          how those who choose like a user lean to both responses of a natural twin
aspects.py             an item's rubric: of the planner, of the narrative, or of the data
drafts.py redraw.py    drawing until a draft is accepted, and what is drawn after a refusal
build_rules.py         what these decide by: config, prompts, domains, and the other users

session.py steps.py    a build of a run folder, and its steps: survey, matching, twins
corpus.py units.py     the items on disk, and the work: one unit an item and mode
candidates.py other_users.py survey.py partners.py    who may be a partner, and who becomes one
unit_work.py           what is done for one unit

outcomes.py unit_results.py    what came of each unit: written, and read again
outcome_details.py    the same as lines, with everything behind it; and one call
unit_tally.py          what each counts as, and the index that says so
run_pairs.py           the pairs of a run, and whether they are what its build wrote
tally.py funnel.py manifest.py    outcomes counted, how far units came, and the manifest
folder.py resume.py    a run folder, and whether a run may go on in it
ask_again.py           replies that cannot be used, set aside to be asked for again
estimate.py pilot.py   what a build will cost: by its config, and by a pilot
"""

from pairwright.construct.build_rules import BuildRules
from pairwright.construct.contrast import build_contrast
from pairwright.construct.twin import build_twin

__all__ = ["BuildRules", "build_contrast", "build_twin"]
