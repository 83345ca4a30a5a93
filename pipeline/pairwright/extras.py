"""How an extra of this installation is installed: from where Pairwright itself came, because it is
on no package index."""

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit


def install(extra: str) -> str:
    """The command that installs an extra: for this Python, from the checkout, wheel or repository
    that pip had Pairwright from, as it noted in `direct_url.json` (PEP 610)."""
    try:
        origin = json.loads(distribution("pairwright").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    url, editable = urlsplit(origin.get("url", "")), origin.get("dir_info", {}).get("editable")
    path, vcs = Path(unquote(url.path)), origin.get("vcs_info")
    wanted = f".[{extra}]"
    if url.scheme == "file" and path.exists():
        wanted = f"{path}[{extra}]"
    elif vcs:
        wanted = f"pairwright[{extra}] @ {vcs['vcs']}+{origin['url']}@{vcs['commit_id']}"
    pip = f"{shlex.quote(sys.executable)} -m pip install {'--editable ' if editable else ''}"
    where = " in the checkout of Pairwright" if wanted.startswith(".[") else ""
    return f"{pip}{shlex.quote(wanted)}{where}"
