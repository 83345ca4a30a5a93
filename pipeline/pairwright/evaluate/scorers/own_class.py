"""The class behind `object = "module:Class"`, and a hash of the file that holds it."""

import importlib
import inspect
import sys
import traceback
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pairwright.assets import DOCS
from pairwright.errors import ConfigError
from pairwright.evaluate.scorers.spec import PythonScorer

_SHAPE = f'{DOCS / "scorers.md"}, "A scorer of your own", shows one.'


class OwnClass(NamedTuple):
    """A class that was found, checked as far as it can be without making an object of it."""

    where: str
    """The class's place in the file of scorers, and its own file; for messages."""
    cls: type
    file: Path
    code: str
    """sha256 of the file that defines it."""


def find_class(name: str, spec: PythonScorer) -> OwnClass:
    """Import the module and look the class up; nothing is made of it yet.

    Raises ConfigError, naming file and class, for a module that is not there or cannot be imported,
    a class that is not in it or has no method `score`, and options that it does not take.
    """
    where = f'[scorers.{name}] object = "{spec.object}"'
    module_name, _, class_name = spec.object.partition(":")
    module = _module(where, module_name, Path(spec.folder))
    file = getattr(module, "__file__", None) or module_name
    scorer_class = getattr(module, class_name, None)
    if not isinstance(scorer_class, type):
        known = [key for key, value in vars(module).items() if _own(value, module)]
        what = (
            "no class" if scorer_class is None else f"{type(scorer_class).__name__}, and no class,"
        )
        raise ConfigError(
            f"{file} has {what} {class_name}",
            where=where,
            fix=f"Name one of its classes: {', '.join(known) or 'it has none'}.",
        )
    where = f"{where} ({file}, class {class_name})"
    if not callable(getattr(scorer_class, "score", None)):
        raise ConfigError("has no method score(self, candidates)", where=where, fix=_SHAPE)
    _check_options(where, scorer_class, spec.options)
    source = _source(where, scorer_class)
    return OwnClass(where, scorer_class, source, sha256(source.read_bytes()).hexdigest())


def _module(where: str, name: str, folder: Path) -> ModuleType:
    beside = _beside(name, folder)
    if beside and str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise ConfigError(
                f"the module {name} imports {error.name}, which is not installed",
                where=where,
                fix=f"Install {error.name} where pairwright is installed.",
            ) from None
        raise ConfigError(
            f"there is no module {name!r}, neither in {folder} nor among what is installed",
            where=where,
            fix=f'Write {name.replace(".", "/")}.py there, or name its folder: folder = "...".',
        ) from None
    except (Exception, SystemExit) as error:  # Anything that the user's module raises.
        raise ConfigError(
            f"the module {name} cannot be imported: {place_of(error, beside or folder)}",
            where=where,
            fix='Mend it: `python -c "import ..."` in its folder shows the same.',
        ) from None
    if beside and not _lies_in(module, folder):
        raise ConfigError(
            f"{beside} is hidden by another module of that name, {module.__file__ or 'built in'}",
            where=where,
            fix="Give the file another name.",
        )
    return module


def place_of(error: BaseException, file: Path) -> str:
    """What an exception says, and the line of this file that led to it, or where it was raised."""
    message = f"{type(error).__name__}: {error}".rstrip(": ")
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) or not frames:
        return message
    own = [frame for frame in frames if Path(frame.filename) == file]
    last = (own or frames)[-1]
    return f"{message} ({last.filename}, line {last.lineno})"


def _beside(name: str, folder: Path) -> Path | None:
    """The module in the folder, where it is there."""
    top = folder / name.partition(".")[0]
    return next((path for path in (top.with_suffix(".py"), top) if path.exists()), None)


def _lies_in(module: ModuleType, folder: Path) -> bool:
    return (
        module.__file__ is not None and folder.resolve() in Path(module.__file__).resolve().parents
    )


def _own(value: object, module: ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__


def _check_options(where: str, cls: type, options: dict[str, Any]) -> None:
    try:
        signature = inspect.signature(cls)
    except ValueError:
        return  # A class written in another language does not say.
    try:
        signature.bind(**options)
    except TypeError as error:
        raise ConfigError(
            f"does not take these options: {error}",
            where=where,
            fix=f"It takes {signature}; options = {{ NAME = VALUE }} gives them.",
        ) from None


def _source(where: str, cls: type) -> Path:
    try:
        source = Path(inspect.getfile(cls))
    except (OSError, TypeError):
        source = Path()
    if source.is_file():
        return source
    raise ConfigError(
        "its source cannot be read, so a change of it would not be noticed",
        where=where,
        fix="Name a class of a .py file.",
    )
