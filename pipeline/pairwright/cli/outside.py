"""What --out may be: a folder, and none inside a release, whose checksums name every file."""

from pathlib import Path

from pairwright.errors import InputError


def outside(folder: Path | None) -> Path | None:
    """The folder of an option `--out`, as it was given. Raises InputError where a file is in its
    place, and inside a release."""
    # What reads rows takes a while to import, and other commands do without.
    from pairwright.dataset import Layout, parts_of

    if folder is None:
        return None
    for above in (folder.resolve(), *folder.resolve().parents):
        if above.exists() and not above.is_dir():
            raise InputError(
                "is a file, and a folder is wanted",
                where=above,
                fix="Give --out the name of a folder; one that is not there is made.",
            )
        if Layout(above).manifest.is_file() and parts_of(above):
            raise InputError(
                "is a release already, which is never changed"
                if above == folder.resolve()
                else f"is inside the release {above}, whose checksums name every file in it",
                where=folder,
                fix="Give --out a new folder outside of it.",
            )
    return folder
