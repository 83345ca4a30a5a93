"""Every command, made of Typer from the signature and the docstring of the function that works.

The signature of the function is the command's arguments and options, its docstring the help. Its
result is printed by a function, or by a template of `pages/templates/terminal`.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from importlib.resources import files
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import typer
from typer.core import TyperGroup

from pairwright.cli.printing import print_words
from pairwright.cli.progress import display, interruptible

Code = int | None
"""An exit code; None is 0."""
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
    "batch ingest": ("models.batch_service:ingest_replies", "cli.runs:print_ingested"),
    "batch record": ("models.recording:record_run", "recording"),
    "batch submit": ("models.batch_service:submit_batches", "cli.runs:print_ingested"),
    "train planner": ("training.train_planner:train_planner", "train"),
    "train score": ("training.score_planners:score_planners", "cli.evaluation:print_downstream"),
    "train export-rl": ("training.export_rl:export_rl", "export_rl"),
    "train reward-server": ("training.reward_server:serve_rewards", "reward_server"),
    "downstream best-of-n": ("evaluation.best_of_n:best_of_n", "cli.evaluation:print_downstream"),
    "downstream judge-outputs": (
        "evaluation.outputs:judge_outputs",
        "cli.evaluation:print_downstream",
    ),
    "downstream completions": (
        "evaluation.completions:completions",
        "cli.evaluation:print_downstream",
    ),
    "downstream correlate": ("evaluation.correlate:correlate", "cli.evaluation:print_downstream"),
}
"""The function that does the work of each command, and the one that prints the result."""


class LazyCommands(Mapping[str, Any]):
    """The commands of a group by their names, each imported when it is asked for."""

    def __init__(self, group: str = "") -> None:
        above = f"{group} " if group else ""
        below = (words.removeprefix(above) for words in COMMANDS if words.startswith(above))
        self._paths = {name: above + name for name in (words.split()[0] for words in below)}
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            path = self._paths[name]
            self._made[name] = _group(path) if path in GROUPS else _command(path)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def summaries(self) -> list[tuple[str, str]]:
        """Each name, and the first line of its help."""
        return [(name, GROUPS.get(path) or _summary(path)) for name, path in self._paths.items()]


class CommandGroup(TyperGroup):
    """A group that lists its commands without importing them."""

    def format_commands(self, _: Any, formatter: Any) -> None:
        """List the commands, each with its summary."""
        assert isinstance(self.commands, LazyCommands), "as they are made here"
        with formatter.section("Commands"):
            formatter.write_dl(self.commands.summaries())


def _summary(path: str) -> str:
    """The first line of the docstring, read without importing what the function needs."""
    module, _, function = COMMANDS[path][0].partition(":")
    package, _, inside = _room(module).partition(".")
    source = files(package).joinpath(f"{inside.replace('.', '/')}.py")
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return (ast.get_docstring(node) or "").partition("\n")[0]
    raise LookupError(f"{module} has no function {function}")


def _group(path: str) -> CommandGroup:
    group = CommandGroup(
        name=path, help=GROUPS[path], no_args_is_help=True, rich_markup_mode=None
    )  # fmt: skip
    group.commands = LazyCommands(path)  # type: ignore[assignment]
    return group


def _command(path: str) -> Any:
    work, show = _function(COMMANDS[path][0]), _printer(COMMANDS[path][1])

    def run(**given: Any) -> None:
        if code := _run(work, show, given):
            raise typer.Exit(code)

    options = options_of(work, show)
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    help, examples = words_of(work)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    # \b keeps the lines of a paragraph as they are, so that they can be copied.
    app.command(path.split()[-1], help=help, epilog=f"\b\nExamples:\n{examples}")(run)
    return typer.main.get_command(app)


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(_room(module)), function)
    return found


def _room(module: str) -> str:
    """A module by its whole name; most are in this package."""
    return module if module.startswith("pairwright_") else f"pairwright.{module}"


def _printer(name: str) -> Callable[..., Code]:
    if ":" in name:
        return _function(name)
    return lambda result, /, **options: print_words(name, result=result, **options)


def words_of(function: Callable[..., Any]) -> tuple[str, str]:
    """The help and the examples of a docstring; what it says to callers in Python is in neither."""
    text, _, examples = (inspect.getdoc(function) or "").partition("\n\nExamples::\n\n")
    return re.split(r"\n\n(?=Raises |>>> |    )", text)[0], examples


def options_of(*functions: Callable[..., Any]) -> list[inspect.Parameter]:
    """List the parameters that are annotated for Typer in any of the functions, each name once."""
    found: dict[str, inspect.Parameter] = {}
    for function in functions:
        for name, one in inspect.signature(function).parameters.items():
            if name not in found and get_origin(one.annotation) is Annotated:
                found[name] = _option(one)
    return list(found.values())


def _option(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter as Typer reads it: with one type, and optional where it may be None."""
    kind, info = get_args(parameter.annotation)
    word, default = _word(kind), parameter.default
    if NoneType in get_args(kind):
        word, default = word | None, None if default is parameter.empty else default
    return parameter.replace(
        kind=parameter.KEYWORD_ONLY, default=default, annotation=Annotated[word, info]
    )


def _word(kind: Any) -> Any:
    """The type of what the command line gives: the first of a union, and lists for iterables."""
    if get_origin(kind) in (Union, UnionType):
        return _word(get_args(kind)[0])
    if get_origin(kind) in (Iterable, Sequence):
        return GenericAlias(list, (_word(get_args(kind)[0]),))
    return kind


def _run(work: Callable[..., Any], show: Callable[..., Code], given: dict[str, Any]) -> Code:
    """Do the work and print it; the exit code. A printer with a parameter `work` calls it itself,
    once, not at all, or with more arguments."""

    def done(**more: Any) -> Any:
        names = inspect.signature(work).parameters
        with ExitStack() as stack:
            if "progress" in names:
                more["progress"] = stack.enter_context(display())
            if "stop" in names:
                more["stop"] = stack.enter_context(interruptible())
            return work(**_named(work, given), **more)

    options = _named(show, given)
    if "work" in inspect.signature(show).parameters:
        return show(done, **options)
    return show(done(), **options)


def _named(function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    names = inspect.signature(function).parameters
    every = any(one.kind is one.VAR_KEYWORD for one in names.values())
    return {name: value for name, value in given.items() if every or name in names}
