"""A table of choices as users who took one response and refused another.

A user's history has the user's texts (a second table) and earlier choices. Without times it has
only the texts, which are then taken for older. All rows are in memory, because a user's may be
anywhere.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from pairwright.errors import SourceError
from pairwright.records import content_id
from pairwright.settings.domains import Domains
from pairwright.settings.source_rules import SourceRules
from pairwright.sources.choice_rows import ChoiceRow, read_choice, read_text
from pairwright.sources.choosers import Chooser, OwnPost, Voter
from pairwright.sources.fields import repaired
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.source_table import SourceTable
from pairwright.text import normalised


def read_choosers(
    table: SourceTable, texts: SourceTable | None, domains: Domains, rules: SourceRules
) -> Iterator[Chooser | Voter | SourceProblem]:
    """Each choice that can be used, in the table's order, after all problems and the choices
    without a history.

    Raises SourceError where nobody can have a history.
    """
    choices = list[ChoiceRow]()
    for row in table.rows:
        read = row if isinstance(row, SourceProblem) else read_choice(row, domains, rules)
        if isinstance(read, SourceProblem):
            yield read
        else:
            choices.append(read)
    timed = any(choice.created for choice in choices)
    _check_times(timed, table, texts)
    written: dict[str, list[OwnPost]] = {}
    for row in texts.rows if texts else ():
        found = row if isinstance(row, SourceProblem) else read_text(row, rules, timed=timed)
        if isinstance(found, SourceProblem):
            yield found
        else:
            yield from repaired(found.repairs, row.where, found.post.id)
            written.setdefault(found.user, []).append(OwnPost(found.post))
    by_user: dict[str, list[ChoiceRow]] = {}
    for choice in choices:
        by_user.setdefault(choice.user, []).append(choice)
    usable: dict[str, Chooser] = {}
    for user, own in by_user.items():
        for one in _user_choosers(own, written.get(user, []), rules, timed=timed):
            if isinstance(one, Chooser):
                usable[one.where] = one
            else:
                yield one
    yield from (usable[choice.where] for choice in choices if choice.where in usable)


def _check_times(timed: bool, table: SourceTable, texts: SourceTable | None) -> None:
    if timed:
        return
    if texts is None:
        raise SourceError(
            "no choice has a time and there is no table of texts, so no user has a history",
            where=table.source,
            fix="Name the column of the time in `created` (earlier choices are the history), or a"
            " table of what the users wrote in `texts`.",
        )


def _user_choosers(
    choices: Sequence[ChoiceRow], written: Sequence[OwnPost], rules: SourceRules, *, timed: bool
) -> Iterator[Chooser | Voter | SourceProblem]:
    """One user's choices, each with what is older."""
    valid_choices = list[ChoiceRow]()
    for choice, refusal in _check_choices(choices, timed=timed):
        if refusal:
            yield refusal.at(choice.where, choice.user)
        else:
            valid_choices.append(choice)
    own = dict.fromkeys(written)
    if timed:
        own |= dict.fromkeys(OwnPost(one.post, one.about) for one in valid_choices)
    history = sorted(own, key=lambda one: one.post.created or "")
    times = [one.post.created or "" for one in history]
    for choice in valid_choices:
        older_count = bisect_left(times, choice.created) if choice.created else len(history)
        if older_count < rules.min_posts:
            detail = f"{older_count} texts or choices before this one, not {rules.min_posts}"
            yield SourceRefusal("too_few_posts", detail).at(choice.where, choice.user)
            yield Voter(choice.user, (choice.taken,), (choice.refused,))
            continue
        yield from repaired(choice.repairs, choice.where, choice.user)
        yield Chooser(
            where=choice.where,
            user=choice.user,
            topic=content_id("topic", *sorted(choice.about)),
            question=choice.question,
            category=choice.category,
            domain=choice.domain,
            taken={normalised(choice.taken): choice.taken},
            refused={normalised(choice.refused): choice.refused},
            history=history,
            older_count=older_count,
            created=choice.created,
            reason=choice.reason or None,
            source_url=choice.url or None,
        )


def _check_choices(
    choices: Sequence[ChoiceRow], *, timed: bool
) -> Iterator[tuple[ChoiceRow, SourceRefusal | None]]:
    """Give each choice, with the reason where it cannot be used.

    A user who took one response at one time and the other at another has made no choice. A choice
    that was made several times counts as of its last time.
    """
    by_options: dict[frozenset[str], list[ChoiceRow]] = {}
    for choice in choices:
        by_options.setdefault(choice.about, []).append(choice)
    for repeats in by_options.values():
        ordered = sorted(repeats, key=lambda one: one.created or "")
        changed = len({normalised(one.taken) for one in repeats}) > 1
        for n, choice in enumerate(ordered, start=1):
            refusal = None
            if timed and not choice.created:
                refusal = SourceRefusal("bad_time", "the choice has no time, and others have one")
            elif changed:
                refusal = SourceRefusal("changed_choice", f"of {excerpt(choice.question)}")
            elif n < len(ordered):
                refusal = SourceRefusal("repeated_choice", f"of {excerpt(choice.question)}")
            yield choice, refusal
