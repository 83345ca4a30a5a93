"""How an extra of this installation is installed: from where Pairwright itself came.

Pairwright is on no package index, so `pip install 'pairwright[hub]'` would find nothing there, or
somebody else's package.
"""

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pairwright.version import __version__


def install(extra: str) -> str:
    """The command that installs an extra: for this Python, from the checkout, wheel or repository
    that pip had Pairwright from, as it noted in `direct_url.json` (PEP 610)."""
    pip, origin = f"{shlex.quote(sys.executable)} -m pip install", _origin()
    url = urlsplit(origin.get("url", ""))
    path = Path(unquote(url.path))
    if url.scheme == "file" and path.exists():
        editable = "--editable " if origin.get("dir_info", {}).get("editable") else ""
        return f"{pip} {editable}{shlex.quote(f'{path}[{extra}]')}"
    if vcs := origin.get("vcs_info"):
        wanted = f"pairwright[{extra}] @ {vcs['vcs']}+{origin['url']}@{vcs['commit_id']}"
        return f"{pip} {shlex.quote(wanted)}"
    wheel = f"pairwright-{__version__}-py3-none-any.whl"
    return f"{pip} '.[{extra}]' in the checkout of Pairwright, or {pip} './{wheel}[{extra}]'"


def _origin() -> dict[str, Any]:
    """What pip noted of where Pairwright came from; empty where it noted nothing."""
    try:
        noted = distribution("pairwright").read_text("direct_url.json")
    except PackageNotFoundError:
        noted = None
    origin: dict[str, Any] = json.loads(noted) if noted else {}
    return origin
