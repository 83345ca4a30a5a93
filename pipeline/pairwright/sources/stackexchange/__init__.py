"""Dumps of Stack Exchange's sites: what each user wrote, and the questions they asked last."""
