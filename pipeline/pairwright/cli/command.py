"""A command of the command line, made from the signature of the function that does its work."""

import inspect
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import typer
from typer.core import TyperCommand

from pairwright.cli.progress import display, interruptible
from pairwright.options import Doc
from pairwright.workflows.output import output_folder

Code = int | None
"""An exit code; None is 0."""


class Command(NamedTuple):
    """What a command does, and how it prints the result.

    The arguments of `work` that have a `Doc` are the command's arguments and options. `show` gets
    the result, and of the command's arguments those that it names; those of its own that have a
    `Doc` are options, too. So does `first`, which is called before, and ends the command where it
    returns an exit code.
    """

    work: Callable[..., Any]
    show: Callable[..., Code] | None = None
    first: Callable[..., Code] | None = None


class Option(NamedTuple):
    """An argument or option of a command."""

    name: str
    """The name of the function's parameter."""
    flag: str
    """Such as `--limit`; empty for an argument."""
    kind: Any
    """The type of what the command line gives."""
    default: Any
    """`inspect.Parameter.empty` where it must be given."""
    doc: Doc


def options_of(command: Command) -> list[Option]:
    """What has a `Doc`, once: first the arguments of the work, then those of printing."""
    found: dict[str, Option] = {}
    for function in filter(None, (command.work, command.show, command.first)):
        for name, one in inspect.signature(function).parameters.items():
            if name not in found and (doc := doc_of(one.annotation)):
                own = function is not command.work
                kind = inspect.Parameter.KEYWORD_ONLY if own else one.kind
                found[name] = _option(one.replace(kind=kind), doc)
    return list(found.values())


def doc_of(annotation: Any) -> Doc | None:
    """What an argument means, by its annotation; None where that does not say it."""
    if get_origin(annotation) is not Annotated:
        return None
    return next((one for one in get_args(annotation) if isinstance(one, Doc)), None)


def _option(parameter: inspect.Parameter, doc: Doc) -> Option:
    annotation, default = get_args(parameter.annotation)[0], parameter.default
    kind = _plain(annotation, doc)
    if default is inspect.Parameter.empty and NoneType in get_args(annotation):
        default = None
    elif isinstance(default, Iterable) and not isinstance(default, str):
        default = list(default) or None
    flag = doc.name
    if not flag and parameter.kind is inspect.Parameter.KEYWORD_ONLY:
        flag = f"--{parameter.name.replace('_', '-')}"
    return Option(parameter.name, flag, kind, default, doc)


def _plain(annotation: Any, doc: Doc) -> Any:
    """The type that a command line gives: of several one, and a list for what has several values.

    `str | Path | None` is a path, `Iterable[str]` a list of strings.
    """
    origin = get_origin(annotation)
    if origin is Literal or annotation in (str, int, float, bool, Path):
        return annotation
    if origin in (Union, UnionType):
        kinds = [one for one in get_args(annotation) if one is not NoneType]
        if Path in kinds:
            return str if doc.hub else Path
        several = [one for one in kinds if get_origin(one)]
        return _plain((several or kinds)[0], doc)
    kind = _plain(get_args(annotation)[0], doc)
    if get_origin(kind) is Literal:
        # Typer reads a list of an enumeration, and no list of literals.
        kind = StrEnum("Choice", [(name, name) for name in get_args(kind)])  # type: ignore[misc, no-redef]
    return list[kind]  # type: ignore[valid-type]


def typer_command(name: str, text: str, command: Command) -> TyperCommand:
    """Make the command of a name, with its help."""

    def run(**given: Any) -> None:
        if code := _run(command, given):
            raise typer.Exit(code)

    parameters = [_parameter(option) for option in options_of(command)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=text)(run)
    made = typer.main.get_command(app)
    assert isinstance(made, TyperCommand), "an app of one command is that command"
    return made


def _parameter(option: Option) -> inspect.Parameter:
    """An option as typer reads it."""
    doc, kind = option.doc, option.kind
    settings: dict[str, Any] = {"metavar": doc.metavar, "help": doc.text}
    settings |= {"parser": share_of} if doc.share else {"min": doc.least, "max": doc.most}
    if option.flag == "--out" and doc.metavar == "DIR":
        # Before anything else is looked at: nothing is written into a release.
        settings["callback"] = output_folder
    # The name alone, so that a flag has no second form that says no.
    info = typer.Option(option.flag, **settings) if option.flag else typer.Argument(**settings)
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=option.default,
        annotation=Annotated[kind | None if option.default is None else kind, info],
    )


def _run(command: Command, given: dict[str, Any]) -> Code:
    """Do the work and print it; the exit code."""
    code: Code = _call(command.first, given) if command.first else None
    if code is not None:
        return code
    result = _call(command.work, given)
    if command.show is None:
        return result if isinstance(result, int) else None
    shown: Code = _call(command.show, given, result)
    return shown


def _call(function: Callable[..., Any], given: dict[str, Any], *result: object) -> Any:
    """Call a function with what it names of the options, or all where it has `**options`, and with
    a display of its progress."""
    names = inspect.signature(function).parameters
    every = next((one for one in names.values() if one.kind is one.VAR_KEYWORD), None)
    chosen = {}
    for name, value in given.items():
        parameter = names.get(name, every)
        # An option that was not given leaves the function its own default.
        if parameter and (value is not None or parameter.default is inspect.Parameter.empty):
            chosen[name] = value
    with ExitStack() as stack:
        if "progress" in names:
            chosen["progress"] = stack.enter_context(display())
        if "stop" in names:
            chosen["stop"] = stack.enter_context(interruptible())
        return function(*result, **chosen)


def share_of(given: str | float) -> float:
    """`5%` or `0.05` as 0.05; raises typer.BadParameter."""
    text = str(given)
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter(f"{text!r} is not a share such as 5% or 0.05")
    return value
