"""Build: from user histories to gated pairs.

The two build functions are one piece of work each, and read top to bottom; everything else here
chooses the work (corpus, partners, units) and writes down what came of it (outcomes, manifest).
"""

from pairwright.construct.build_rules import BuildRules
from pairwright.construct.contrast import build_contrast
from pairwright.construct.twin import build_twin

__all__ = ["BuildRules", "build_contrast", "build_twin"]
