"""Does doing well on a benchmark go with doing well downstream, over the same models?

table.py         the table of models
measures.py overlap.py    the measures; rank-biased overlap is one of them
uncertainty.py   what chance would give, and intervals
correlations.py  every measure of every benchmark, and differences of two benchmarks
page.py          the page
"""

from pairwright.evaluate.correlation.correlations import Correlations, DownstreamFacts, correlate
from pairwright.evaluate.correlation.overlap import rank_biased_overlap
from pairwright.evaluate.correlation.table import ModelTable, one_line, read_models

__all__ = [
    "Correlations",
    "DownstreamFacts",
    "ModelTable",
    "correlate",
    "one_line",
    "rank_biased_overlap",
    "read_models",
]
