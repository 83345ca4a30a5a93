"""Does doing well on a benchmark go with doing well downstream, over the same models?

table.py         the table of models
measures.py      the measures; rank-biased overlap is one of them
uncertainty.py   what chance would give, and intervals
correlations.py  every measure of every benchmark, differences of two benchmarks, and the page
"""
