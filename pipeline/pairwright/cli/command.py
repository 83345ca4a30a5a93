"""A command of the command line, made from the signature of the function that does its work."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import typer
from typer.core import TyperCommand
from typer.models import ParameterInfo

from pairwright.cli.progress import display, interruptible
from pairwright.options import Doc
from pairwright.workflows.collector import ease

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


def typer_command(name: str, text: str, command: Command) -> TyperCommand:
    """Make the command of a name, with its help."""
    parameters = {one.name: one for one in _parameters(command)}

    def run(**given: Any) -> None:
        if code := _run(command, given):
            raise typer.Exit(code)

    options = [_option(one) for one in parameters.values()]
    # An argument without a default may follow an option with one, as on every command line.
    run.__signature__ = inspect.Signature(options, __validate_parameters__=False)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in options}
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=text)(run)
    made = typer.main.get_command(app)
    assert isinstance(made, TyperCommand), "an app of one command is that command"
    return made


def _parameters(command: Command) -> Iterator[inspect.Parameter]:
    """What has a `Doc`, once: first the arguments of the work, then those of printing."""
    work = inspect.signature(command.work).parameters
    yield from filter(_doc, work.values())
    for function in filter(None, (command.show, command.first)):
        for name, one in inspect.signature(function).parameters.items():
            if name not in work and _doc(one):
                yield one.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def _doc(parameter: inspect.Parameter) -> Doc | None:
    if get_origin(parameter.annotation) is not Annotated:
        return None
    return next((one for one in get_args(parameter.annotation) if isinstance(one, Doc)), None)


def _run(command: Command, given: dict[str, Any]) -> Code:
    """Do the work and print it; the exit code."""
    ease()
    code: Code = _call(command.first, given) if command.first else None
    if code is not None:
        return code
    result = _call(command.work, given)
    if command.show is None:
        return result if isinstance(result, int) else None
    shown: Code = _call(command.show, given, result)
    return shown


def _call(function: Callable[..., Any], given: dict[str, Any], *result: object) -> Any:
    """Call a function with what it names of the options, and with a display of its progress."""
    names = inspect.signature(function).parameters
    # An option that was not given leaves the function its own default.
    chosen = {
        name: value
        for name, value in given.items()
        if name in names and (value is not None or names[name].default is inspect.Parameter.empty)
    }
    with ExitStack() as stack:
        if "progress" in names:
            chosen["progress"] = stack.enter_context(display())
        if "stop" in names:
            chosen["stop"] = stack.enter_context(interruptible())
        return function(*result, **chosen)


def _option(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter as typer reads it."""
    doc, default = _doc(parameter), parameter.default
    assert doc, "only what has a Doc is an option"
    annotation = get_args(parameter.annotation)[0]
    kind = _plain(annotation, doc)
    if default is inspect.Parameter.empty and NoneType in get_args(annotation):
        default = None
    if isinstance(default, Iterable) and not isinstance(default, str):
        default = list(default) or None
    if default is None:
        kind |= None
    info = _info(parameter, doc)
    return parameter.replace(
        annotation=Annotated[kind, info],
        default=default,
        kind=inspect.Parameter.KEYWORD_ONLY,
    )


def _info(parameter: inspect.Parameter, doc: Doc) -> ParameterInfo:
    bounds: dict[str, Any] = {"min": doc.least, "max": doc.most} if not doc.share else {}
    if doc.share:
        bounds["parser"] = share_of
    shared: dict[str, Any] = {"metavar": doc.metavar, "help": doc.text, **bounds}
    if not doc.name and parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
        argument: ParameterInfo = typer.Argument(**shared)
        return argument
    # The name alone, so that a flag has no second form that says no.
    names = [doc.name or f"--{parameter.name.replace('_', '-')}"]
    option: ParameterInfo = typer.Option(*names, **shared)
    return option


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
    return list[_plain(get_args(annotation)[0], doc)]  # type: ignore[misc]


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
