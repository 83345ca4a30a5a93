"""The table of pages, for the tables of the leaderboard."""

from pairwright.pages.markdown import Table

__all__ = ["Table"]
