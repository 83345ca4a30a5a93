"""What a version of a release is."""

import re

from pairwright.errors import InputError

TRIAL = "-trial"
_NUMBER = "(0|[1-9][0-9]{0,5})"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:{TRIAL})?")


def numbers_of(version: str) -> tuple[int, ...] | None:
    """The three numbers of X.Y.Z or X.Y.Z-trial; None of anything else."""
    found = _VERSION.fullmatch(version)
    return tuple(map(int, found.groups())) if found else None


def check_version(version: str) -> tuple[int, ...]:
    """Its three numbers. Raises InputError for what is not X.Y.Z."""
    found = numbers_of(version)
    if not found or version.endswith(TRIAL):
        raise InputError(
            f"{version!r} is no version",
            where="--version",
            fix="Give three numbers, such as 1.0.0; --trial adds its mark by itself.",
        )
    return found
