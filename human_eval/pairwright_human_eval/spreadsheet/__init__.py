"""Spreadsheets: one CSV file a person, with all tasks in it, to be filled in without any server."""
