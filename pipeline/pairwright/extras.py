"""How an extra of this installation is installed: from where Pairwright itself came.

Pairwright is on no package index, so `pip install 'pairwright[hub]'` would find nothing there, or
somebody else's package.
"""

import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel

from pairwright.version import __version__


class _Folder(BaseModel):
    editable: bool = False


class _Commit(BaseModel):
    vcs: str
    commit_id: str


class _Origin(BaseModel):
    """What pip noted of where a distribution came from."""

    url: str = ""
    dir_info: _Folder = _Folder()
    vcs_info: _Commit | None = None

    @property
    def path(self) -> Path | None:
        """The checkout or wheel, where it is on this machine."""
        parts = urlsplit(self.url)
        path = Path(unquote(parts.path))
        return path if parts.scheme == "file" and path.exists() else None


def install(extra: str) -> str:
    """The command that installs an extra: for this Python, from the checkout, wheel or repository
    that pip had Pairwright from, as it noted in `direct_url.json` (PEP 610)."""
    pip, origin = f"{shlex.quote(sys.executable)} -m pip install", _origin()
    if origin.path:
        editable = "--editable " if origin.dir_info.editable else ""
        return f"{pip} {editable}{shlex.quote(f'{origin.path}[{extra}]')}"
    if vcs_info := origin.vcs_info:
        wanted = f"pairwright[{extra}] @ {vcs_info.vcs}+{origin.url}@{vcs_info.commit_id}"
        return f"{pip} {shlex.quote(wanted)}"
    wheel = f"pairwright-{__version__}-py3-none-any.whl"
    return f"{pip} '.[{extra}]' in the checkout of Pairwright, or {pip} './{wheel}[{extra}]'"


def _origin() -> _Origin:
    """Without an address where pip noted nothing."""
    try:
        noted = distribution("pairwright").read_text("direct_url.json")
    except PackageNotFoundError:
        noted = None
    return _Origin.model_validate_json(noted) if noted else _Origin()
