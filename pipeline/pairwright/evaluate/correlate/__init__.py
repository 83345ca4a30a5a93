"""Does doing well on a benchmark go with doing well downstream, over the same models?"""

from pairwright.evaluate.correlate.correlate import Correlations, Stated, correlate
from pairwright.evaluate.correlate.overlap import rank_biased_overlap
from pairwright.evaluate.correlate.table import Models, read_models

__all__ = ["Correlations", "Models", "Stated", "correlate", "rank_biased_overlap", "read_models"]
