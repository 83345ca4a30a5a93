"""How far annotators agree: values in, values out.

Nothing here reads files or knows of verdicts, pairs or the chosen side.
"""
