"""Pages for the people of a study: one to begin from, with consent, guidelines and the way to the
tasks; and their tasks as pages that need no server."""

from pathlib import Path

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright.options import RunPath
from pairwright.workflows.participants import completion_codes
from pairwright.workflows.study import open_study
from pairwright_human_eval.label_studio.projects import labelling_links
from pairwright_human_eval.language import load_language
from pairwright_human_eval.pages import INDEX, preview_pages, start_page_html, start_page_name
from pairwright_human_eval.study_files import read_replacements, read_tasks, withdrawn_people
from pairwright_human_eval.tools import SHEETS, sheets_of


def write_start_pages(run: RunPath) -> tuple[dict[str, Path], int, str]:
    """Write a page for each person to begin from, into RUN/human/start.

    The pages by annotator, how many of them show a completion code, and a page of consent that
    still has brackets to be filled in, which is empty where none has.

    It has RUN/human/consent.md, then, once that is agreed to, the links to the tasks that were
    pushed to a server, or the name of the file that the person fills in, and the guidelines. The
    page of somebody who has finished shows their completion code. People who were replaced or have
    withdrawn get no page.

    Raises InputError where there is no study, or its tasks are neither on a server nor in
    such files.

        >>> len(write_start_pages("runs/first")[0])
        9
    """
    with open_study(Path(run)) as study:
        folder, fixed = study.folder, study.fixed
        links = labelling_links(folder) if folder.server.exists() else {}
        gone = {one.left for one in read_replacements(folder)}
        gone |= withdrawn_people(folder)
        language = load_language(fixed.study.language)
        unfilled = ""
        codes = completion_codes(study, study.answers())
        pages = {}

        def page_of(name: str) -> Path:
            return folder.start / start_page_name(fixed.study.seed, name)

        for name in gone:  # They may have had one before they left.
            page_of(name).unlink(missing_ok=True)
        people = dict.fromkeys(keyed.annotator for keyed in fixed.key.values())
        for name in people:
            sheets = [path.name for path in sheets_of(folder, name)]
            if name in gone or not (name in links or sheets):
                continue
            guidelines, consent_page = folder.pages(name)
            consent = consent_page.read_text(encoding="utf-8")
            unfilled = consent_page.name if "[" in consent else unfilled
            page = start_page_html(
                name,
                consent,
                guidelines.read_text(encoding="utf-8"),
                links.get(name, {}),
                ", ".join(sheets),
                codes.get(name, ""),
                language,
            )
            pages[name] = page_of(name)
            write_whole(pages[name], page)
        if not pages:
            raise InputError(
                "no task is on a server" + "".join(f" or in a {tool}" for tool in SHEETS),
                where=folder.path,
                fix="`pairwright human push`"
                + "".join(f", or `human export --tool {tool}`" for tool in SHEETS)
                + ", first.",
            )
        return pages, len(codes.keys() & pages.keys()), unfilled


def preview_tasks(run: RunPath) -> tuple[Path, tuple[Path, ...]]:
    """Write the tasks of everybody who is in the study as pages of HTML into RUN/human/preview.

    The first page holds the guidelines, and links to the others, one a person and round. A page
    shows what the annotator sees, in the order of the work, and stores nothing. It says
    nothing that the tasks do not say.

    Raises InputError where there is no study, or a file of tasks is missing.

        >>> preview_tasks("runs/first")[0]
        PosixPath('runs/first/human/preview/index.html')
    """
    with open_study(Path(run)) as study:
        folder, fixed = study.folder, study.fixed
        away = withdrawn_people(folder)
        key = {name: keyed for name, keyed in fixed.key.items() if keyed.annotator not in away}
        tasks = read_tasks(folder, key.values())
        # Those of the person whose name comes first: of annotators, where there are some.
        first = min((keyed.annotator for keyed in key.values()), default="")
        guidelines = folder.pages(first)[0].read_text(encoding="utf-8")
        language = load_language(fixed.study.language)
        written = []
        for name, page in preview_pages(key, tasks, fixed.study, guidelines, language):
            path = folder.preview / name
            write_whole(path, page)
            written.append(path)
    return folder.preview / INDEX, tuple(path for path in written if path.name != INDEX)
