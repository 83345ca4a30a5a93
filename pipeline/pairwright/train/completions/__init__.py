"""Completions in the manner of Pref-LaMP (arXiv 2512.23067): given a question's title and earlier
posts of the person who asks it, a model writes the question's body, and is held to what they really
wrote.

It measures imitation of a user's writing, and is not evidence about answers.

tasks.py       which items can be asked, and what is in the way of the others
conditions.py  which posts a model is shown
rouge.py       how near a text is to what was written
records.py     what comes of it
writing.py     every task in every condition
figures.py     means by condition and differences between them, by user
page.py        all of it as a report
"""
