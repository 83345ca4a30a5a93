"""What people said of the pairs, and how far that can be relied on."""

from pairwright.audit.human.explained import EXPLAINED
from pairwright.audit.human.human import Human

__all__ = ["EXPLAINED", "Human"]
