"""Human verification: blind tasks out, annotations back, verdicts, agreement, decisions."""
