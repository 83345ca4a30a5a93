"""Every command, made of Typer from the signature and the docstring of the function that works.

The signature of the function is the command's arguments and options, its docstring the help. Its
result is printed by a function, or by a template of `pages/templates/terminal`.
"""

import ast
import inspect
import re
from collections import UserDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import cache, partial
from importlib.resources import files
from pkgutil import resolve_name
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import typer
from typer.core import TyperGroup

from pairwright.cli.printing import print_words
from pairwright.cli.progress import display, interruptible

GROUPS = {
    "human": "Have people verify the pairs of a run: blind tasks out, answers in, decisions.",
    "batch": "Have a build's calls answered by files: a Batch API, vllm run-batch, a recording.",
    "train": "Train planners on gold aspects, and policies on a release's questions.",
    "downstream": "Measure whether a good score on a release goes with good responses.",
}
COMMANDS = {
    "init": ("start:start_study", "init"),
    "build": ("construct.build:build", "cli.runs:print_build"),
    "status": ("construct.status:status", "cli.runs:print_status"),
    "show": ("construct.show:show", "cli.runs:print_lines"),
    "human plan": ("pairwright_human_eval.study:plan_study", "plan"),
    "human export": ("pairwright_human_eval.study:export_tasks", "export"),
    "human push": ("pairwright_human_eval.label_studio:push_tasks", "push"),
    "human status": ("pairwright_human_eval.study:study_status", "progress"),
    "human pull": ("pairwright_human_eval.label_studio:pull_answers", "cli.runs:print_import"),
    "human import": ("pairwright_human_eval.answers:import_answers", "cli.runs:print_import"),
    "human simulate": ("pairwright_human_eval.simulation:simulate_answers", "simulate"),
    "human report": ("pairwright_human_eval.report:decide", "report"),
    "human adjudicate": ("pairwright_human_eval.study:export_adjudication", "adjudicate"),
    "human withdraw": ("pairwright_human_eval.answers:withdraw_person", "withdraw"),
    "agreement": ("pairwright_human_eval.votes:agreement_of", "agreement"),
    "release": ("releases.write:release", "cli.releases:print_release"),
    "audit": ("audits.run:audit", "cli.releases:print_audit"),
    "evaluate": ("evaluation.evaluate:evaluate", "cli.evaluation:print_evaluation"),
    "leaderboard": ("evaluation.evaluate:leaderboard", "cli.evaluation:print_leaderboard"),
    "check": ("releases.check:check", "cli.releases:print_check"),
    "diff": ("releases.diff:diff", "cli.releases:print_diff"),
    "forget": ("releases.forget:forget", "cli.releases:print_removals"),
    "doctor": ("models.doctor:examine_endpoints", "cli.runs:print_examination"),
    "batch ingest": ("models.batch:ingest_replies", "cli.runs:print_ingested"),
    "batch record": ("models.recording:record_run", "recording"),
    "batch submit": ("models.batch_service:submit_batches", "cli.runs:print_ingested"),
    "train planner": ("training.train_planner:train_planner", "train"),
    "train score": ("training.score_planners:score_planners", "cli.evaluation:print_downstream"),
    "train export-rl": ("training.export_rl:export_rl", "export_rl"),
    "train reward-server": ("training.reward_server:serve_rewards", "reward_server"),
    "downstream best-of-n": ("evaluation.best_of_n:best_of_n", "cli.evaluation:print_downstream"),
    "downstream judge-outputs": (
        "evaluation.outputs:judge_outputs", "cli.evaluation:print_downstream",
    ),
    "downstream completions": (
        "evaluation.completions:completions", "cli.evaluation:print_downstream",
    ),
    "downstream correlate": ("evaluation.correlate:correlate", "cli.evaluation:print_downstream"),
}  # fmt: skip
"""The function that does the work of each command, and the function or template that prints the
result. Most are in this package."""


class LazyCommands(UserDict[str, Any]):
    """The commands of a group by their names, each imported when it is asked for."""

    def __init__(self, group: str = "") -> None:
        above = f"{group} " if group else ""
        below = (words.removeprefix(above) for words in COMMANDS if words.startswith(above))
        names = (words.split()[0] for words in below)
        super().__init__({name: above + name for name in names})

    def __getitem__(self, name: str) -> Any:
        path = self.data[name]
        if path not in GROUPS:
            return _command(path)
        group = CommandGroup(
            name=path, help=GROUPS[path], no_args_is_help=True, rich_markup_mode=None
        )  # fmt: skip
        group.commands = LazyCommands(path)
        return group


class CommandGroup(TyperGroup):
    """A group that lists its commands without importing them."""

    def format_commands(self, _: Any, formatter: Any) -> None:
        """List the commands, each with the first line of its help."""
        assert isinstance(self.commands, LazyCommands), "as they are made here"
        rows = [
            (name, GROUPS.get(path) or _summary(path)) for name, path in self.commands.data.items()
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _summary(path: str) -> str:
    """The first line of the docstring, read without importing what the function needs."""
    module, _, function = _whole_name(COMMANDS[path][0]).partition(":")
    package, _, inside = module.partition(".")
    source = files(package).joinpath(f"{inside.replace('.', '/')}.py")
    tree = ast.parse(source.read_text(encoding="utf-8"))
    (found,) = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function)
    return (ast.get_docstring(found) or "").partition("\n")[0]


def _whole_name(name: str) -> str:
    return name if name.startswith("pairwright_") else f"pairwright.{name}"


@cache
def _command(path: str) -> Any:
    """A command with the help and the examples of the docstring, without its words to callers in
    Python."""
    worker, printer = COMMANDS[path]
    work: Callable[..., Any] = resolve_name(_whole_name(worker))
    show: Callable[..., int | None] = partial(print_words, printer)
    if ":" in printer:
        show = resolve_name(_whole_name(printer))

    def run(**given: Any) -> None:
        if code := _run(work, show, given):
            raise typer.Exit(code)

    run.__signature__ = inspect.Signature(_options(work, show))  # type: ignore[attr-defined]
    text, _, examples = (inspect.getdoc(work) or "").partition("\n\nExamples::\n\n")
    help = re.split(r"\n\n(?=Raises |>>> |    )", text)[0]
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    # \b keeps the lines of a paragraph as they are, so that they can be copied.
    app.command(path.split()[-1], help=help, epilog=f"\b\nExamples:\n{examples}")(run)
    return typer.main.get_command(app)


def _options(*functions: Callable[..., Any]) -> list[inspect.Parameter]:
    """List the parameters that are annotated for Typer in any of the functions, each name once, as
    Typer reads them: with one type, and optional where it may be None."""
    found: dict[str, inspect.Parameter] = {}
    for function in functions:
        for name, one in inspect.signature(function).parameters.items():
            if name in found or get_origin(one.annotation) is not Annotated:
                continue
            kind, info = get_args(one.annotation)
            word, default = _word(kind), one.default
            if NoneType in get_args(kind):
                word, default = word | None, None if default is one.empty else default
            found[name] = inspect.Parameter(
                name, one.KEYWORD_ONLY, default=default, annotation=Annotated[word, info]
            )
    return list(found.values())


def _word(kind: Any) -> Any:
    """The type of what the command line gives: the first of a union, and lists for iterables."""
    if get_origin(kind) in (Union, UnionType):
        return _word(get_args(kind)[0])
    if get_origin(kind) in (Iterable, Sequence):
        return GenericAlias(list, (_word(get_args(kind)[0]),))
    return kind


def _run(
    work: Callable[..., Any], show: Callable[..., int | None], given: dict[str, Any]
) -> int | None:
    """Do the work and print its `result`; the exit code. A printer with a parameter `work` calls it
    itself, or not at all."""
    takes, shown = (inspect.signature(one).parameters for one in (work, show))

    def done() -> Any:
        own = {name: given[name] for name in takes if name in given}
        with ExitStack() as stack:
            for name, begin in (("progress", display), ("stop", interruptible)):
                if name in takes:
                    own[name] = stack.enter_context(begin())
            return work(**own)

    if any(one.kind is one.VAR_KEYWORD for one in shown.values()):
        options = given
    else:
        options = {name: value for name, value in given.items() if name in shown}
    if "work" in shown:
        return show(work=done, **options)
    return show(result=done(), **options)
