"""Policy accuracy: does what reward-guided decoding adds up tell the response that fits its user?

readings.py   the scores that are compared: summed, and over the number of tokens
records.py    what comes of it
accuracy.py   a guided policy beside its parts, on the same pairs
tau.py        whether the rewards that rank pairs well also guide well
page.py       all of it as a report
"""
