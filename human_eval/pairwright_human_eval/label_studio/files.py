"""The files of a study that Label Studio reads: forms (labelling configurations) and tasks.

The quality form is rendered from the scales, which the judges read, too.
"""

import json
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from xml.etree import ElementTree

import jinja2
from pydantic_core import to_json

from pairwright import assets
from pairwright.errors import InputError
from pairwright.settings.domains import Scale
from pairwright_human_eval.form import scale_choices
from pairwright_human_eval.language import ENGLISH, Language, load_language
from pairwright_human_eval.records import KINDS, Data, Kind, text_hash

# What Label Studio would put a value of the task, or a row's number, in place of.
_VARIABLE = re.compile(r"\$\w|\{\{")


def labelling_config(
    kind: Kind,
    scales: tuple[Scale, ...],
    *,
    adjudication: bool = False,
    language: Language = ENGLISH,
) -> str:
    """The XML of a kind's labelling configuration; raises InputError.

    With `adjudication` it also shows the task's `earlier` answers.
    """
    for scale in scales if kind == "quality" else ():
        for text in (scale.question, *(anchor.text for anchor in scale.anchors)):
            if found := _VARIABLE.search(text):
                raise InputError(
                    f"Label Studio would take {found.group()!r} in {text!r} for a variable",
                    where=f"quality.toml [{scale.name}]",
                    fix="Say it without a $ before a word and without {{.",
                )
    template = _templates(language.code).get_template(f"labeling_config_{kind}.xml.jinja")
    text = template.render(
        scales=scales,
        adjudication=adjudication,
        choices=lambda scale: scale_choices(scale, language).items(),
    )
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip()) + "\n"


def task_file(tasks: Iterable[Data]) -> str:
    """The text of a task file, as Label Studio imports it."""
    listed = [{"data": data} for data in tasks]
    return to_json(listed, indent=1).decode() + "\n"


def read_task_file(path: Path) -> list[Data]:
    """The data of the tasks of a file. Raises InputError where it cannot be read."""
    try:
        return [dict(task["data"]) for task in json.loads(path.read_bytes())]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        what = error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        raise InputError(
            f"not a task file ({what})",
            where=path,
            fix="Restore the file from a copy, or move the study away and export it again.",
        ) from None


# An export and its hashes ask it of the same few forms.
@lru_cache(maxsize=64)
def config_hash(xml: str) -> str:
    """`sha256:` and 64 hex digits over the canonical XML (C14N 2.0) without the space around text,
    so that a server may change the layout of the file. Raises InputError for what is not XML."""
    try:
        return text_hash(ElementTree.canonicalize(xml, strip_text=True))
    except ElementTree.ParseError as error:
        raise InputError(
            f"not XML: {error}",
            where="labelling configuration",
            fix="Compare with the file that was exported.",
        ) from None


def config_hashes(scales: tuple[Scale, ...], language: Language = ENGLISH) -> dict[str, str]:
    """By kind: the hash of its configuration, and under `KIND_adjudication` that of round 2."""
    return {
        kind + end: config_hash(
            labelling_config(kind, scales, adjudication=bool(end), language=language)
        )
        for kind in KINDS
        for end in ("", "_adjudication")
    }


@cache
def _templates(language: str) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(assets.HUMAN_EVAL),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        # Label Studio has its own use for braces.
        variable_start_string="[[",
        variable_end_string="]]",
        block_start_string="[%",
        block_end_string="%]",
        comment_start_string="[#",
        comment_end_string="#]",
    )
    # A template that is imported sees the globals alone.
    environment.globals["_"] = load_language(language)
    return environment
