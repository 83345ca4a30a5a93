"""Whether the model that a reply names is the one that was asked for."""

import re

_NAME = re.compile(r"(?P<model>.+?)(?:[-@:](?:latest|(?P<date>\d{3,}(?:-\d\d){0,2})))?")


def is_same_model(served: str, wanted: str) -> bool:
    """Whether two names are of one model, as far as names can tell.

    Case does not count, nor what is before the last `/` (`openai/gpt-4o`, a path), nor a file's
    `.gguf`, nor `latest`. A date or a version of three digits or more at the end may be in one of
    the two names alone: `gpt-4o` and `gpt-4o-2024-08-06` are one model, two dates are two.
    """
    names = [_NAME.fullmatch(_plain(name)) for name in (served, wanted)]
    if not all(names):
        return served == wanted
    (one, its_date), (other, other_date) = (
        (found["model"], found["date"]) for found in names if found
    )
    return one == other and (its_date == other_date or not (its_date and other_date))


def _plain(name: str) -> str:
    return name.strip().rstrip("/").rpartition("/")[2].casefold().removesuffix(".gguf")
