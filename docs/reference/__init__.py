"""The reference pages of docs/, one module each, from the code."""
