"""Scorers under test: baselines, judges, reward models here or served, your own class, a file.

`scorer` says what a scorer is, and has the baselines, which need no file. Each other kind has its
table of a file of scorers, which opens it. `torch_models` alone imports torch and transformers.
"""
