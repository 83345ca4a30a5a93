"""A table of choices as users who took one response and refused another.

A user's history has the user's texts (a second table) and earlier choices. Without times it has
only the texts, which are then taken for older. All rows are in memory, because a user's may be
anywhere.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pairwright.errors import SourceError
from pairwright.records import content_id
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.choice_rows import ChoiceRow, read_choice, read_text, required, text_columns
from pairwright.sources.choosers import Chooser, OwnPost, choice_key
from pairwright.sources.fields import repaired
from pairwright.sources.items import frequent_user
from pairwright.sources.opening import Choosers, open_table
from pairwright.sources.problems import ProblemCounts, SourceProblem, SourceRefusal, excerpt
from pairwright.sources.source_table import SourceTable
from pairwright.text import word_count
from pairwright.times import is_older, latest_moment

SHORT = 3
"""Words of an option that many questions may share."""


_ADVICE = "Name the right ones in `user`, `question`, `option_a`, `option_b`, `choice`, `text`"
_IN_BOTH = "; `created` and the like name the column in both files: call it the same in both"


def read(rules: SourceRules, domains: Domains, folder: Path) -> tuple[str, Choosers]:
    """The table as messages name it, and who chose. Raises SourceError."""
    table = open_table(rules, rules.path, folder, required(rules), _ADVICE)
    texts = None
    if rules.texts is not None:
        texts = open_table(rules, rules.texts, folder, text_columns(rules), _ADVICE + _IN_BOTH)
    return table.source, _choosers(table, texts, domains, rules)


def _choosers(
    table: SourceTable, texts: SourceTable | None, domains: Domains, rules: SourceRules
) -> Iterator[Chooser | SourceProblem]:
    """Each choice that can be used, in the table's order, after all problems.

    Raises SourceError where nobody can have a history.
    """
    choices = list[ChoiceRow]()
    for row in table.rows:
        read = row if isinstance(row, SourceProblem) else read_choice(row, domains, rules)
        if isinstance(read, SourceProblem):
            yield read
        else:
            choices.append(read)
    if not choices:
        return
    by_user: dict[str, list[ChoiceRow]] = {}
    for choice in choices:
        by_user.setdefault(choice.user, []).append(choice)
    yield from _similar_users(by_user)
    yield from frequent_user(by_user)
    timed = any(choice.created for choice in choices)
    if not timed:
        yield _untimed(table, texts, rules)
    written: dict[str, list[OwnPost]] = {}
    yield from _read_texts(texts, by_user, written, rules, timed=timed)
    shared = _shared_options(choices)
    usable: dict[str, Chooser] = {}
    for user, own in by_user.items():
        for one in _user_choosers(own, written.get(user, []), shared, rules, timed=timed):
            if isinstance(one, Chooser):
                usable[one.where] = one
            else:
                yield one
    yield from (usable[choice.where] for choice in choices if choice.where in usable)


def _similar_users(by_user: Mapping[str, list[ChoiceRow]]) -> Iterator[SourceProblem]:
    """Notes of ids that may be one person, who would be several here and their own partner."""
    first: dict[str, str] = {}
    for user, own in by_user.items():
        other = first.setdefault("".join(user.split()).casefold(), user)
        if other != user:
            detail = f"{excerpt(other)} and {excerpt(user)} count as two users"
            yield SourceProblem(
                action="noted", reason="similar_users", where=own[0].where, id=user, detail=detail
            )


def _untimed(table: SourceTable, texts: SourceTable | None, rules: SourceRules) -> SourceProblem:
    """The note that nothing says what was written before a choice. Raises SourceError where nobody
    can have a history."""
    if texts is None:
        raise SourceError(
            "no choice has a time and there is no table of texts, so no user has a history",
            where=table.source,
            fix="Name the column of the time in `created` (earlier choices are the history), or a"
            " table of what the users wrote in `texts`.",
        )
    read = {getattr(rules, name) for name in type(rules).model_fields}
    unread = [name for name in table.columns or () if name not in read]
    detail = (
        "no choice has a time: all texts count as older than every choice, and no choice is history"
    )
    if unread:
        detail += f"; columns that were not read: {', '.join(map(excerpt, unread))}"
    where = f"{Path(table.source).name}:1"
    return SourceProblem(action="noted", reason="no_times", where=where, detail=detail)


def _read_texts(
    texts: SourceTable | None,
    by_user: Mapping[str, list[ChoiceRow]],
    written: dict[str, list[OwnPost]],
    rules: SourceRules,
    *,
    timed: bool,
) -> Iterator[SourceProblem]:
    """Fill `written` with the texts of those who chose, and give the problems of all. Raises
    SourceError where no text is by one of them."""
    latest = {user: max(one.created or "" for one in own) for user, own in by_user.items()}
    strangers = matched = 0
    problems = ProblemCounts()
    for row in texts.rows if texts else ():
        found = row if isinstance(row, SourceProblem) else read_text(row, rules, timed=timed)
        if isinstance(found, SourceProblem):
            problems.add(found)
            yield found
            continue
        user, post, repairs = found
        if user not in latest:
            strangers += 1
            yield SourceRefusal("unknown_user", "").at(row.where, user)
            continue
        matched += 1
        last = latest[user]
        if timed and last and not is_older(post.created or "", last):
            yield SourceRefusal("later_post", "").at(row.where, post.id)
        else:
            yield from repaired(repairs, row.where, post.id)
            written.setdefault(user, []).append(OwnPost(post))
    if texts and not matched and not strangers and (refused := problems.of("refused")):
        raise SourceError(
            f"not one text can be used: {refused[0].reason} {refused[0].n:,}, {refused[0].detail}",
            where=refused[0].where,
            fix="Mend the rows, or leave out `texts`: then earlier choices are the history.",
        )
    if texts and strangers and not matched:
        raise SourceError(
            f"none of the {strangers:,} texts is by a user who chose, such as"
            f" {excerpt(next(iter(by_user)))}",
            where=texts.source,
            fix="Write the ids of users in both tables in the same way.",
        )


def _shared_options(choices: Sequence[ChoiceRow]) -> frozenset[str]:
    """The keys of short options that half of the questions or more have, such as `yes` and `no`:
    to take one on another question does not tell what a user takes on this one."""
    questions: dict[str, set[str]] = {}
    for choice in choices:
        for option in choice.options:
            questions.setdefault(option, set()).add(choice_key(choice.question))
    n_questions = len({choice_key(choice.question) for choice in choices})
    return frozenset(
        option
        for option, own in questions.items()
        if len(own) > 1 and 2 * len(own) >= n_questions and word_count(option) <= SHORT
    )


def _user_choosers(
    choices: Sequence[ChoiceRow],
    written: Sequence[OwnPost],
    shared: frozenset[str],
    rules: SourceRules,
    *,
    timed: bool,
) -> Iterator[Chooser | SourceProblem]:
    """One user's choices, each with what is older."""
    valid_choices = list[ChoiceRow]()
    for choice, refusal in _check_choices(choices, timed=timed):
        if refusal:
            yield refusal.at(choice.where, choice.user)
        else:
            valid_choices.append(choice)
    own = dict.fromkeys(written)
    if timed:
        own |= dict.fromkeys(
            OwnPost(one.post, choice_key(one.question), one.options - shared)
            for one in valid_choices
        )
    history = sorted(own, key=lambda one: latest_moment(one.post.created or ""))
    times = [latest_moment(one.post.created or "") for one in history]
    for choice in valid_choices:
        older_count = bisect_left(times, choice.created) if choice.created else len(history)
        if older_count < rules.min_posts:
            detail = f"{older_count} texts or choices before this one, not {rules.min_posts}"
            yield SourceRefusal("too_few_posts", detail).at(choice.where, choice.user)
            continue
        yield from repaired(choice.repairs, choice.where, choice.user)
        yield Chooser(
            where=choice.where,
            user=choice.user,
            topic=content_id("topic", *sorted(choice.about)),
            question=choice.question,
            category=choice.category,
            domain=choice.domain,
            taken=choice.taken,
            refused=choice.refused,
            history=history,
            older_count=older_count,
            created=choice.created,
            reason=choice.reason or None,
            source_url=choice.url,
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
        changed = len({choice_key(one.taken) for one in repeats}) > 1
        for n, choice in enumerate(ordered, start=1):
            refusal = None
            if timed and not choice.created:
                refusal = SourceRefusal("bad_time", "the choice has no time, and others have one")
            elif changed:
                refusal = SourceRefusal("changed_choice", f"of {excerpt(choice.question)}")
            elif n < len(ordered):
                refusal = SourceRefusal("repeated_choice", f"of {excerpt(choice.question)}")
            yield choice, refusal
