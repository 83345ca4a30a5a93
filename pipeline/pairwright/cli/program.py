"""How commands are to be typed that another command prints."""

import shutil
import sys


def program() -> str:
    """`pairwright`, or the path it was called by where the shell would not find it."""
    return "pairwright" if shutil.which("pairwright") else sys.argv[0]
