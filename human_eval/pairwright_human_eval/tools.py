"""What annotators work with. Every study has Label Studio's forms and files of tasks; another tool
gives each person a file of their own beside these, a sheet.

Each tool is one record, and everything else asks the record. A new tool is a name in
`AnnotationTool`, functions that write and read its sheets, and a record in `TOOLS`.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright_human_eval.annotation import AnnotationTool, Export
from pairwright_human_eval.folder import ROUNDS, HumanFolder
from pairwright_human_eval.label_studio import exports
from pairwright_human_eval.language import Language, load_language
from pairwright_human_eval.records import Data, KeyedTask, Kind, Study
from pairwright_human_eval.spreadsheets import drop_rows, is_sheet, read_sheet, sheet_content
from pairwright_human_eval.study_files import (
    read_replacements,
    read_study,
    read_tasks,
    withdrawn_people,
)


class Sheets(NamedTuple):
    """The files that people fill in without a server: one a person and round, with all tasks."""

    folder: str
    """Its name in the study's folder."""
    suffix: str
    content: Callable[[Sequence[tuple[Kind, Data]], Study, Language], bytes]
    """What a person's file holds, of the tasks in the order of the work."""
    drop: Callable[[Path, Set[str]], None]
    """Takes tasks out of a file, and leaves what was filled in for others."""
    option: str
    """What `--tool` does with it, after its name."""

    def path(self, folder: HumanFolder, annotator: str, round: int = 1) -> Path:
        """The file of one person."""
        return folder.path / self.folder / f"{annotator}{ROUNDS[round].person}{self.suffix}"


class Tool(NamedTuple):
    """One tool: how its answers are read, and the sheets it has."""

    exports: str
    """What comes back of it."""
    read: Callable[[Path, Mapping[str, KeyedTask], Study], Export]
    """What a file that comes back holds. Raises InputError where it cannot be read."""
    is_own: Callable[[Path], bool] | None = None
    """Whether a file is of this tool. None where any file is taken to be that no other tool has:
    its reader says what is wrong with it."""
    sheets: Sheets | None = None
    """None where people work on a server."""


SERVER_TOOL: AnnotationTool = "label-studio"
"""The tool that has a server."""
TOOLS: dict[AnnotationTool, Tool] = {
    SERVER_TOOL: Tool(
        exports="JSON exports of Label Studio",
        read=lambda path, _key, _study: exports.read_export(path),
    ),
    "spreadsheet": Tool(
        exports="CSV",
        read=read_sheet,
        is_own=is_sheet,
        sheets=Sheets(
            folder="spreadsheets",
            suffix=".csv",
            content=sheet_content,
            drop=drop_rows,
            option="also writes one CSV file a person, to be filled in without a server",
        ),
    ),
}
SHEETS = {name: tool.sheets for name, tool in TOOLS.items() if tool.sheets}
"""The sheets of the tools that have some."""


def tool_of(path: Path) -> Tool:
    """The tool that a file comes back from."""
    own = (tool for tool in TOOLS.values() if tool.is_own and tool.is_own(path))
    return next(own, TOOLS[SERVER_TOOL])


def tools_with_sheets(folder: HumanFolder) -> tuple[AnnotationTool, ...]:
    """The tools whose sheets the people of a study have been given."""
    return tuple(tool for tool, one in SHEETS.items() if (folder.path / one.folder).exists())


def write_sheets(
    tool: AnnotationTool, folder: HumanFolder, round: int = 1, only: str | None = None
) -> tuple[Path, ...]:
    """Write the sheets of a round, one a person, or `only` one person's; none where the tool has
    none. Who was replaced or has withdrawn gets none.

    Raises InputError where one is there that is not as it would be written: a person may have
    filled it in.
    """
    if tool not in SHEETS:
        return ()
    sheets, fixed = SHEETS[tool], read_study(folder)
    study, language = fixed.study, load_language(fixed.study.language)
    away = {(one.left, 1) for one in read_replacements(folder)}
    away |= {(name, n) for name in withdrawn_people(folder) for n in ROUNDS}
    key = [task for task in fixed.key.values() if (task.annotator, task.round) not in away]
    keyed = [task for task in key if task.round == round and only in (None, task.annotator)]
    shown = read_tasks(folder, keyed)
    given: dict[str, list[tuple[Kind, Data]]] = {}
    for task in keyed:
        given.setdefault(task.annotator, []).append((task.kind, shown[task.task]))
    written = []
    for who, tasks in sorted(given.items()):
        path, content = sheets.path(folder, who, round), sheets.content(tasks, study, language)
        if path.exists() and path.read_bytes() != content:
            raise InputError(
                "is there, and was filled in or changed",
                where=path,
                fix="Import it if it holds answers, then move it away.",
            )
        if not path.exists():
            write_whole(path, content)
        written.append(path)
    return tuple(written)


def sheets_of(folder: HumanFolder, annotator: str) -> list[Path]:
    """The sheets that one person has, of all rounds."""
    paths = [sheets.path(folder, annotator, n) for sheets in SHEETS.values() for n in ROUNDS]
    return [path for path in dict.fromkeys(paths) if path.exists()]
