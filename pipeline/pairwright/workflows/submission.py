"""Write results as one file to send to another person, and read such files."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.errors import InputError, StoreError
from pairwright.evaluate.results import NAME, Result
from pairwright.evaluate.settings import Scorers
from pairwright.evaluate.submission import (
    REPLIES,
    SubmissionManifest,
    is_submission,
    submission_files,
    unpack_submission,
    write_submission,
)
from pairwright.models.store.file import copy_replies
from pairwright.settings.endpoints import deciding_settings
from pairwright.version import __version__
from pairwright.workflows.output import release_above


def check_archive_name(path: Path) -> None:
    """Raise InputError where a submission cannot have this path: before anything is scored."""
    if path.suffix != ".zip":
        raise InputError("is not the name of an archive", where=path, fix="Let it end in .zip.")
    if path.is_dir():
        raise InputError("is a folder", where=path, fix="Name a file that ends in .zip.")
    if release := release_above(path.parent):
        raise InputError(
            f"is inside the release {release}, whose checksums name every file in it",
            where=path,
            fix="Name a file outside of it.",
        )


def pack_results(
    results: Iterable[Result], scorers: Scorers, out: str | Path
) -> SubmissionManifest:
    """Write results of one folder, with the replies behind them, as one archive to send in.

    `scorers` are what they were made with. The archive has no prompts, posts of the release or
    addresses; what a model replied is in it as it came. Raises InputError where there is no result,
    and StoreError.

        >>> done = evaluate("releases/1.0.0", "scorers.toml", "results")
        >>> pack_results(done.results, load_scorers(Path("scorers.toml")), "ours.zip").results
        ('skywork.none', 'skywork.profile')
    """
    out, every = Path(out), sorted(results, key=lambda one: one.path.name)
    check_archive_name(out)
    if not every:
        raise InputError("there is no result to send in", where=out, fix="Evaluate a scorer.")
    for result in every:
        result.check_lines()
    folder = every[0].path.parent
    names = {one.about.scorer.name for one in every}
    sources = {
        path.name: path
        for result in every
        for path in (result.path, result.path.with_suffix(".jsonl"))
    }
    with TemporaryDirectory() as temporary:
        if (folder / REPLIES).is_file():
            # Without the prompts, which have posts of the release.
            sources[REPLIES] = Path(temporary) / REPLIES
            copy_replies(folder / REPLIES, sources[REPLIES])
        about = SubmissionManifest(
            pairwright=__version__,
            release=every[0].about.release,
            results=tuple(one.about.stem for one in every),
            scorers=_without_addresses(scorers, names),
            files=submission_files(sources),
        )
        write_submission(out, about, sources)
    return about


class UnpackedResults(NamedTuple):
    """Paths of results, with a folder in place of each archive."""

    paths: list[Path]
    aliases: dict[Path, str]
    """What the scorers of some of these folders are called after."""
    archives: dict[Path, Path]
    """The archive of each of these folders."""

    def with_archives(self, text: str) -> str:
        """A message that names archives, as `theirs.zip!judge.none.json`, in place of folders."""
        for folder, archive in self.archives.items():
            text = text.replace(f"{folder}/", f"{archive}!").replace(str(folder), str(archive))
        return text


@contextmanager
def unpack_submissions(results: Iterable[Path]) -> Iterator[UnpackedResults]:
    """Unpack archives until the block ends; `team=theirs.zip` is an archive with an alias. Messages
    of errors in the block name the archives. Raises InputError and StoreError."""
    given = UnpackedResults([], {}, {})
    with ExitStack() as stack:
        try:
            for path in results:
                alias, archive = _alias(path)
                if not is_submission(archive):
                    given.paths.append(path)
                    continue
                folder = Path(stack.enter_context(TemporaryDirectory())) / "results"
                given.paths.append(folder)
                given.archives[folder] = archive
                if alias:
                    given.aliases[folder] = alias
                unpack_submission(archive, folder)
            yield given
        except InputError as error:
            what, where, fix = map(given.with_archives, (error.what, error.where, error.fix))
            raise type(error)(what, where=where, fix=fix) from None
        except StoreError as error:
            raise type(error)(given.with_archives(str(error))) from None


def _alias(path: Path) -> tuple[str, Path]:
    """The alias and the archive of `ALIAS=ARCHIVE.zip`; no alias for any other path.

    Raises InputError where the alias is of something else than an archive, or no name."""
    alias, equals, archive = str(path).partition("=")
    if not equals or path.exists() or "/" in alias:
        return "", path
    if not is_submission(Path(archive)):
        raise InputError(
            "is not an archive, and an alias is for an archive",
            where=path,
            fix="Name a submission, such as team=theirs.zip",
        )
    if not NAME.fullmatch(alias):
        raise InputError(
            f"{alias!r} is not an alias: lower case, digits and dashes",
            where=path,
            fix="Choose another one, such as team=theirs.zip",
        )
    return alias, Path(archive)


def _without_addresses(scorers: Scorers, names: set[str]) -> dict[str, JsonValue]:
    """The tables of these scorers, and of the models behind them, as far as they decide a score."""
    used = {name: spec for name, spec in scorers.scorers.items() if name in names}
    behind = {getattr(spec, "endpoint", "") for spec in used.values()}
    endpoints = {
        name: deciding_settings(endpoint.model_dump(mode="json"))
        for name, endpoint in scorers.endpoints.items()
        if name in behind
    }
    # Where files lie on one machine is nobody else's business.
    places = {"path", "folder", "prompt"}
    tables = {name: spec.model_dump(mode="json", exclude=places) for name, spec in used.items()}
    return {
        "scorers": dict[str, JsonValue](tables),
        "endpoints": dict[str, JsonValue](endpoints),
        "history": scorers.history.model_dump(mode="json"),
        "seed": scorers.seed,
    }
