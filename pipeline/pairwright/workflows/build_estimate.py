"""What a build will take, before it is begun; and what a build and its estimate read alike."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, TypeAlias

from pairwright.construct.build_rules import BuildRules
from pairwright.construct.corpus import Corpus, first_items
from pairwright.construct.estimate import BuildEstimate, estimate_calls
from pairwright.construct.folder import RunFolder
from pairwright.construct.session import read_corpus
from pairwright.errors import InputError
from pairwright.modes import need_partners
from pairwright.options import Doc
from pairwright.settings.config import Config, load
from pairwright.text import number_of
from pairwright.workflows.progress import Note, Progress, log_notes
from pairwright.workflows.run_status import source_problems

ConfigPath: TypeAlias = Annotated[
    str | Path | Config, Doc("The run's configuration.", "CONFIG.toml")
]


def estimate(
    config: ConfigPath,
    *,
    folder: str | Path | None = None,
    limit: int | None = None,
    progress: Progress = log_notes,
) -> BuildEstimate:
    """Estimate calls, tokens and cost of a build without sending or writing anything.

    The arguments are those of `build`. Raises ConfigError and SourceError.
    """
    config, base = read_config(config, folder)
    rules = BuildRules.load(config, base)
    warn_of_self_judging(config, progress)
    with TemporaryDirectory() as scratch:
        run = RunFolder(Path(scratch))
        corpus, _ = read_corpus(config, rules.domains, base, run, limit)
        note_problems(run, progress, named=False)
        with closing(corpus):
            check_company(config, corpus, limit, progress)
            return estimate_calls(corpus, replace(rules, others=corpus.others), limit)


def read_config(config: str | Path | Config, folder: str | Path | None) -> tuple[Config, Path]:
    """The config, and the folder that its paths start from."""
    if isinstance(config, Config):
        base = Path(folder or ".").resolve()
        return config.beside(base), base
    path = Path(config)
    base = Path(folder).resolve() if folder else path.resolve().parent
    return load(path).beside(base), base


def note_problems(run: RunFolder, progress: Progress, *, named: bool) -> None:
    """Report the rows and posts of the source that were refused or repaired."""
    lines = source_problems(run)
    if not lines:
        return
    if named:
        lines += (f"{run.problems} names every one.",)
    progress(Note("\n  ".join(["Rows and posts of the source:", *lines])))


def check_company(config: Config, corpus: Corpus, limit: int | None, progress: Progress) -> None:
    """Report items that can have no twin, because no other user is of their category.

    Raises InputError where that is every item, and nothing but twins is to be built.
    """
    items = [corpus.entries[position] for position in first_items(corpus, limit)]
    alone = sum(len(corpus.by_category[item.category]) < 2 for item in items)
    if not alone or not need_partners(config.modes):
        return
    of = f"{alone:,} of {number_of(len(items), 'item')}"
    why = f"no twin can be made of {of}: the user is the only one of the category"
    fix = "A twin needs two users: add users, or give those who ask alike the same category."
    if alone == len(items) and all(need_partners([mode]) for mode in config.modes):
        raise InputError(why, where=config.source.path, fix=fix)
    progress(Note(f"Note: {why}. {fix}"))


def warn_of_self_judging(config: Config, progress: Progress) -> None:
    """Report where the judge is also a generator; not of recordings, whose models are past
    choosing."""
    if not config.roles.all:
        return
    writers, judges = (
        {one.model for name in names if not (one := config.endpoints[name]).recording}
        for names in (config.roles.generator, config.roles.judge)
    )
    if config.gated and judges & writers:
        progress(
            Note(
                "Note: the judge is also a generator. Models favour their own answers; another"
                " model as judge (under roles) is better evidence."
            )
        )
