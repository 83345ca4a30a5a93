"""Evaluate: how well reward models see the person, and whether it matters downstream."""
