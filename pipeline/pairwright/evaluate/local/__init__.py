"""Reward models in this process.

engine.py   answers requests: starts the model at the first one, and keeps it full
models.py   the models; the only file that imports torch and transformers
"""
