"""Does doing well on a benchmark go with doing well downstream, over the same models?

table.py         the table of models
measures.py      the measures; rank-biased overlap is one of them
correlations.py  every measure of every benchmark, differences of two benchmarks, and the page
"""
