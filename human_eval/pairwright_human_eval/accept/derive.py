"""From the raw files of a study to its verdicts: always all of them, so that importing or
pulling twice leaves the same files, byte for byte."""

from collections.abc import Mapping

from pairwright.dataset import write_lines
from pairwright_human_eval.accept.accept import Acceptance, accept
from pairwright_human_eval.exports import stored_exports
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.people import read_given, write_people
from pairwright_human_eval.records import KeyedTask, Study


def derive(folder: HumanFolder, key: Mapping[str, KeyedTask], study: Study) -> Acceptance:
    """Read every raw file, find who is who, judge, and write people.json, verdicts.jsonl and
    set_aside.jsonl anew. Raises InputError for a raw file or people.json that was damaged."""
    given = read_given(folder, {task.annotator for task in key.values()})
    accepted = accept(stored_exports(folder), key, study, given)
    write_people(folder, accepted.people)
    write_lines(folder.verdicts, accepted.verdicts)
    write_lines(folder.set_aside, accepted.set_aside)
    return accepted
