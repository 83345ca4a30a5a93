"""The question itself, and what came after it, in the profile it is to be answered from."""

from collections.abc import Iterator

from pairwright import text
from pairwright.audit.found import OTHERS, TEXT, Found
from pairwright.audit.records import Check
from pairwright.dataset import Row


class TargetInProfile:
    """`target_in_profile`: a post that repeats the question, or question and narrative, by the
    rule that a build leaves posts out by: four fifths of the shorter text's runs of three words."""

    def __init__(self) -> None:
        self._found = Found(
            "leakage", "target_in_profile", limit=0.0, others=OTHERS, by_config=True,
            nothing="no row has a profile",
        )  # fmt: skip

    def add(self, row: Row) -> None:
        if not row.profile:
            return
        question, narrative = row.question[:TEXT], (row.narrative or "")[:TEXT]
        whole = f"{question} {narrative}"
        said = None
        for number, post in enumerate(row.profile, 1):
            own = post.text[:TEXT]
            if text.near_duplicate(own, question):
                said = f"post {number} of its profile repeats the question"
            elif narrative and text.near_duplicate(own, whole):
                said = f"post {number} of its profile repeats the narrative"
            if said:
                break
        self._found.add(row, said)

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks()


class LaterPosts:
    """`later_post`: a post that is not older than the question."""

    def __init__(self) -> None:
        self._found = Found(
            "leakage", "later_post", limit=0.0, others=0.0,
            nothing="no row says when question and posts were written",
        )  # fmt: skip

    def add(self, row: Row) -> None:
        asked = row.created
        if asked is None or not any(post.created for post in row.profile):
            return
        late = (n for n, p in enumerate(row.profile, 1) if p.created and p.created >= asked)
        said = (f"post {n} is of {row.profile[n - 1].created}, the question {asked}" for n in late)
        self._found.add(row, next(said, None))

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks()
