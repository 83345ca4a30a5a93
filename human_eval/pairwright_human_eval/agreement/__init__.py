"""How far annotators agree, what they say together, and what their answers can carry.

Values in, values out: nothing here reads files or knows of verdicts, pairs or the chosen side.
"""
