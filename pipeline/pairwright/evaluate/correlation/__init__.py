"""Does doing well on a benchmark go with doing well downstream, over the same models?"""

from pairwright.evaluate.correlation.correlations import Correlations, DownstreamFacts, correlate
from pairwright.evaluate.correlation.overlap import rank_biased_overlap
from pairwright.evaluate.correlation.table import ModelTable, read_models

__all__ = [
    "Correlations",
    "DownstreamFacts",
    "ModelTable",
    "correlate",
    "rank_biased_overlap",
    "read_models",
]
