"""Completions in the manner of Pref-LaMP (arXiv 2512.23067): given a question's title and earlier
posts of the person who asks it, a model writes the question's body, and is held to what they really
wrote.

It measures imitation of a user's writing, and is not evidence about answers.

completion_tasks.py  the task of an item, and which posts a model is shown
writer.py       every task in every condition, written and held to what the user wrote
measures.py     how near a text is to what was written; means by condition and their differences
records.py      the results, as they are written
report_page.py  the results as a page
"""
