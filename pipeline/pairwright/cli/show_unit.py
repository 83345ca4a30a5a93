"""What `show` prints of a unit: in brief, or everything."""

import json
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.rule import Rule

from pairwright.cli.printing import command, print_commands, say
from pairwright.construct.outcome_summary import summary_lines
from pairwright.construct.outcomes import Failure, Outcome, Pending
from pairwright.construct.unit_results import calls_of
from pairwright.models import completion_of
from pairwright.models.store import Store, StoredCall
from pairwright.modes import is_own_choice
from pairwright.records import Draft, Pair, Post, Rejected, Rubric
from pairwright.text import number_of, passages, visible


def print_heading(console: Console, outcome: Outcome) -> None:
    """Print which unit it is, for whom, and what it took."""
    console.print(Rule(escape(f"{outcome.unit}: {outcome.kind}")))
    partner = f", partner {outcome.partner}" if outcome.partner else ""
    marked = ", simulated" * outcome.simulated + ", recorded" * bool(outcome.recorded)
    console.print(
        escape(
            f"user {outcome.user}{partner}; {number_of(outcome.posts, 'earlier post')}; "
            f"{number_of(len(outcome.calls), 'call')}, {outcome.prompt_tokens:,} prompt and "
            f"{outcome.completion_tokens:,} reply tokens{marked}"
        )
    )


def print_summary(console: Console, outcome: Outcome, run: Path, name: str) -> None:
    """Print the result in brief, and how to see the rest."""
    for line in summary_lines(outcome):
        say(console, visible(line), wrap=True)
    rest = "This is a summary. All posts, texts, drafts, prompts and raw replies:"
    print_commands(console, rest, [visible(command("show", run, name, "--full"))])


def print_details(console: Console, outcome: Outcome, calls: Store | None) -> None:
    """Print everything of a unit: posts, evidence, scores and texts, and the prompts and raw
    replies that are in `calls`."""
    result = outcome.result
    if isinstance(result, Failure):
        console.print(f"[red]failed[/red]: {escape(result.failure)}: {escape(result.detail)}")
    elif isinstance(result, Pending):
        console.print(f"waiting for a batch's reply to {escape(result.waits_for)}")
    elif isinstance(result, Rejected):
        _rejected(console, result)
    else:
        for draft in result.refused:
            _draft(console, draft)
        for pair in outcome.pairs:
            _pair(console, pair)
        if not is_own_choice(outcome.mode):
            _draft(console, outcome.pairs[0].draft)
    if calls:
        for stored in calls_of(calls, outcome):
            _call(console, stored)


def _rejected(console: Console, rejected: Rejected) -> None:
    console.print(f"[yellow]refused[/yellow] by {rejected.stage}: {escape(rejected.reason)}")
    console.print(escape(rejected.detail))
    for aspect in rejected.aspects:
        console.print(
            escape(
                f"  supported: {aspect.aspect} (evidence: {' / '.join(passages(aspect.evidence))})"
            )
        )
    for dropped in rejected.dropped:
        console.print(
            escape(f"  dropped ({dropped.reason}): {dropped.aspect.aspect} {dropped.detail}")
        )
    for draft in rejected.drafts:
        _draft(console, draft)


def _pair(console: Console, pair: Pair) -> None:
    half = ""
    if is_own_choice(pair.mode):
        half = " (the user's own choice)"
    elif pair.twin_id is not None:
        half = " (asker)" if pair.asked else " (counterfactual)"
    console.print(Rule(escape(f"{pair.id} for {pair.user}{half}")))
    console.print(f"[bold]question[/bold] {escape(pair.question)}")
    if is_own_choice(pair.mode):
        for post in pair.profile:
            console.print(f"[dim]{escape(post.id)}[/dim] {escape(post.text)}")
    _rubric(console, pair.rubric, pair.profile)
    console.print(Panel(escape(pair.chosen), title="chosen"))
    console.print(Panel(escape(pair.rejected), title="rejected"))


def _rubric(console: Console, rubric: Rubric, profile: tuple[Post, ...]) -> None:
    for post in [post for post in profile if post.id in rubric.shown]:
        console.print(f"[dim]{escape(post.id)}[/dim] {escape(post.text)}")
    for aspect in rubric.aspects:
        how = f" ({aspect.follows})" if aspect.follows else ""
        console.print(f"[bold]aspect[/bold] {escape(aspect.aspect)}{how}")
        console.print(escape(f"  reason: {aspect.reason}"))
        quoted = " / ".join(passages(aspect.evidence))
        console.print(escape(f"  evidence {', '.join(aspect.post_ids)}: {quoted}"))
    for dropped in rubric.dropped:
        why = escape(f"{dropped.aspect.aspect} {dropped.detail}")
        console.print(f"[dim]dropped ({dropped.reason}): {why}[/dim]")


def _draft(console: Console, draft: Draft) -> None:
    refused = draft.refused_by
    decision = f"refused by {refused.gate}" if refused else "accepted"
    console.print(
        Rule(escape(f"draft {draft.draw} ({draft.strategy}, {draft.generator}): {decision}"))
    )
    if refused:
        console.print(Panel(escape(draft.first), title="first"))
        console.print(Panel(escape(draft.second), title="second"))
    for name, fit in draft.adherence.items():
        scores = ", ".join(str(s.score) for s in fit.scores)
        console.print(f"adherence {name}: {fit.share:.2f} (scores {scores})")
    for name, quality in draft.quality.items():
        console.print(escape(f"quality {name}: {quality.scores} {quality.reason}"))
    if draft.comparison:
        console.print(f"compared in both orders: {draft.comparison.value}")
    for gate in draft.gates:
        mark = "[green]pass[/green]" if gate.passed else "[red]stop[/red]"
        measured = json.dumps(gate.value, ensure_ascii=False)
        console.print(f"  {mark} {gate.gate}: {escape(measured)}, limit {escape(str(gate.limit))}")


def _call(console: Console, stored: StoredCall) -> None:
    console.print(Rule(escape(f"{stored.purpose} {stored.key}")))
    request = json.loads(stored.request)
    completion = completion_of(stored.key, stored.reply)
    settings = {k: v for k, v in request.items() if k not in ("messages", "schema")}
    console.print(f"[dim]{escape(json.dumps(settings, ensure_ascii=False))}[/dim]")
    for message in request["messages"]:
        console.print(Panel(escape(visible(message["content"])), title=message["role"]))
    if completion.reasoning:
        console.print(Panel(escape(visible(completion.reasoning)), title="reasoning"))
    tokens = f"{completion.prompt_tokens} + {completion.completion_tokens} tokens"
    console.print(
        Panel(
            escape(visible(completion.text)), title=escape(f"reply ({completion.finish}, {tokens})")
        )
    )
