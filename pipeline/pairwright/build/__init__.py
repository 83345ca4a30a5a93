"""Build: from user histories to gated pairs.

The two build functions are one piece of work each, and read top to bottom; everything else here
chooses the work (corpus, partners, units) and writes down what came of it (outcomes, manifest).
"""

from pairwright.build.contrast import build_contrast
from pairwright.build.policy import Policy
from pairwright.build.twin import build_twin

__all__ = ["Policy", "build_contrast", "build_twin"]
