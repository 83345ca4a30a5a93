"""The Label Studio calls that a study needs, through label-studio-sdk: the one place that knows it.

Errors are made of a reply's status and body alone: the SDK's own message holds the headers, and
with them a session's cookie.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from pairwright.errors import CallFailed, EndpointRefused, InputError
from pairwright.extras import install
from pairwright_human_eval.records import Data

TIMEOUT_S = 900.0
"""An export of 10,000 annotated tasks takes more than a minute."""
SHOWN = 400
"""Characters of a reply's body that an error shows."""
_FIELDS = "id,title,label_config,task_number,num_tasks_with_annotations,skipped_annotations_number"
_ONCE = {"max_retries": 0}
"""The SDK would repeat a request whose reply got lost, and what is made twice is there twice."""
_TOKEN = (
    "Put a legacy or a personal access token from the server's Account & Settings page into"
    " LABEL_STUDIO_API_KEY."
)


class Project(NamedTuple):
    """A project as the server describes it."""

    config: str
    """The labelling configuration, as XML."""
    tasks: int
    answered: bool
    """Whether there is an answer or a skip."""


class LabelStudioClient:
    """A Label Studio server and somebody's key to it: a legacy or a personal access token."""

    def __init__(self, url: str, api_key: str) -> None:
        """Nothing is sent yet. Raises InputError for an address that is not one, for a key that
        cannot be sent or has expired, and where the SDK is not installed."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            fix = "Give http:// or https://, a host and perhaps a port; the key is no part of it."
            raise InputError("not the address of a server", where="--url", fix=fix)
        self.url, self._key = url.rstrip("/"), api_key.strip()
        if not re.fullmatch(r"[!-~]+", self._key):
            raise InputError("this is not an API key", where=self.url, fix=_TOKEN)
        try:
            import httpx
            from label_studio_sdk import LabelStudio
        except ImportError as error:
            what, fix = f"label-studio-sdk is not installed ({error})", install("label-studio")
            raise InputError(what, where=self.url, fix=f"Run {fix}.") from None
        # A connection a request: on one that stays open, Label Studio's own server sends head and
        # body of a reply apart and waits 40 ms in between for our acknowledgement.
        one_each = httpx.Limits(max_keepalive_connections=0)
        self._http = httpx.Client(timeout=TIMEOUT_S, follow_redirects=True, limits=one_each)
        sdk: Any = LabelStudio  # Its constructor has no types.
        with self._asking():
            self._sdk = sdk(base_url=self.url, api_key=self._key, httpx_client=self._http)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def projects(self, part: str) -> dict[int, Project]:
        """By id: the projects with `part` in their title."""
        found: dict[int, Project] = {}
        with self._asking():
            for p in self._sdk.projects.list(title=part, page_size=100, include=_FIELDS):
                if p.id in found:  # A server that gives its last page again and again.
                    break
                answered = bool(p.num_tasks_with_annotations or p.skipped_annotations_number)
                found[p.id] = Project(p.label_config or "", p.task_number or 0, answered)
        return found

    def create(self, title: str, config: str) -> int:
        """Make a project for one annotator; its id."""
        with self._asking():
            project = self._sdk.projects.create(
                title=title,
                label_config=config,
                maximum_annotations=1,
                show_collab_predictions=False,
                show_skip_button=True,
                enable_empty_annotation=False,
                sampling="Sequential sampling",
                request_options=_ONCE,
            )
        return int(project.id)

    def delete(self, project: int) -> None:
        """Delete a project with everything in it."""
        with self._asking():
            self._sdk.projects.delete(project)

    def add(self, project: int, batch: Sequence[Data]) -> list[int]:
        """Import tasks, all or none; their ids in the same order."""
        rows = [{"data": data} for data in batch]
        with self._asking():
            reply = self._sdk.projects.import_tasks(
                project, request=rows, return_task_ids=True, request_options=_ONCE
            )
        ids = [int(task) for task in getattr(reply, "task_ids", None) or ()]
        if len(ids) != len(batch):
            what = f"{self.url} named {len(ids)} tasks for {len(batch)} that were sent"
            raise CallFailed("import", what)
        return ids

    def export(self, project: int) -> bytes:
        """All tasks with any annotation, skips included, as `exportType=JSON` gives them."""
        with self._asking():
            body = b"".join(
                self._sdk.projects.exports.download_sync(
                    project, export_type="JSON", download_all_tasks=False
                )
            )
        with suppress(ValueError, RecursionError):
            tasks = json.loads(body)
            if isinstance(tasks, list) and all(isinstance(task, dict) for task in tasks):
                return body
        raise CallFailed("export", f"{self.url}, project {project}: not a list of tasks")

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Turn what may go wrong on the way into errors that say what to do."""
        from httpx import HTTPError
        from label_studio_sdk.core.api_error import ApiError

        try:
            yield
        except RecursionError:
            raise CallFailed("server", f"{self.url}: the reply cannot be read") from None
        except ApiError as error:
            raise self._refusal(error.status_code or 0, error.body) from None
        except HTTPError as error:
            what = f"no answer ({type(error).__name__}: {self._text(str(error))})"
            fix = "Start the server or correct --url, and run the command again; it goes on."
            raise InputError(what, where=self.url, fix=fix) from None

    def _refusal(self, status: int, body: object) -> Exception:
        text = self._text(body if isinstance(body, str) else json.dumps(body, default=str))
        if status in (401, 403):
            what = f"the server does not take the API key ({status}: {text})"
            return InputError(what, where=self.url, fix=_TOKEN)
        if status >= 500 or status < 400:
            return CallFailed("server", f"{self.url} answered {status}: {text}")
        ask = "Is this the address of a Label Studio, and does the project still exist?"
        return EndpointRefused(f"{self.url}: answered {status}: {text}\n  {ask}")

    def _text(self, reply: str) -> str:
        """What a reply says, without the key; a page of HTML is only named."""
        if reply.strip().startswith("<"):
            return "a web page"
        with suppress(ValueError, TypeError, KeyError, RecursionError):
            reply = str(json.loads(reply)["detail"])
        return reply.strip().replace(self._key, "(the key)")[:SHOWN]
