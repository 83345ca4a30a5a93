"""Scorers under test: baselines, judges, reward models here or served, your own class, a file.

`scorer` says what a scorer is, `baselines` has those that need no file, and `opening` opens all by
name. `torch_models` is the only file that imports torch and transformers.
"""
