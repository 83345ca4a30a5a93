"""Human verification: blind tasks out, annotations back, verdicts, agreement, decisions.

Everything here works on files and records; the command line puts it together with a run folder.
"""

LONGEST_MINUTES = 15.0
"""What a task that was open counts for at most, in pay and in plans."""
