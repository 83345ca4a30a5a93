"""Gates: pure functions that accept or refuse a draft on what was measured. No model calls.

checks.py       the gates: text gates run before the judges, judged gates after
phrases.py phrases.toml    ways of talking that the text gates look for, by language

A gate's limit is a rule of the build (`settings`), and what a writer reads after its refusal is one
of `notes.toml` of `modes`.
"""
