"""Human verification: blind tasks out, annotations back, verdicts, agreement, decisions.

Everything here works on files and records; the command line puts it together with a run folder.
"""
