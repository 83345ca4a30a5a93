"""The Batch API of one endpoint, through its SDK."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pairwright.errors import CallFailed, ConfigError, EndpointRefused
from pairwright.files import write_whole
from pairwright.models.batch.rounds import URL
from pairwright.models.client.headers import Secrets
from pairwright.models.client.refusals import refusal
from pairwright.settings.endpoints import Endpoint

if TYPE_CHECKING:
    from openai.types import Batch

_TAG = "pairwright"


class BatchApi:
    """Uploads shards, makes batches of them and fetches what came."""

    def __init__(self, name: str, endpoint: Endpoint, api_key: str | None) -> None:
        """Of several base URLs the first is used. Raises ConfigError for what has no Batch API."""
        if endpoint.engine == "vllm":
            raise ConfigError(
                "an engine in process has no Batch API",
                where=f"[endpoints.{name}.engine]",
                fix="Have the files answered by `vllm run-batch`, and `pairwright batch ingest`"
                " them.",
            )
        url = endpoint.base_urls[0]
        if endpoint.recording is not None:
            raise ConfigError(
                "a recording has no Batch API",
                where=f"[endpoints.{name}.base_url]",
                fix="Name a server that has one; or build without --batch-out, and the recording"
                " answers at once.",
            )
        self._where = f"[endpoints.{name}] {url}"
        self._secrets = Secrets(api_key)
        # The SDK insists on a key; servers without one ignore it.
        # The SDK takes half a second to import, and only these commands need it.
        from openai import OpenAI

        self._api = OpenAI(api_key=api_key or "none", base_url=url, timeout=endpoint.timeout_s)

    def close(self) -> None:
        self._api.close()

    def upload(self, path: Path) -> str:
        """The id of the uploaded file. Raises CallFailed and EndpointRefused, as all below."""
        with self._refusals(), path.open("rb") as file:
            return self._api.files.create(file=(path.name, file), purpose="batch").id

    def create(self, file_id: str, tag: str) -> "Batch":
        """A new batch of an uploaded file, to be found by `tag`."""
        # Asked once only: a repeated try could make and bill a second batch.
        with self._refusals():
            return self._api.with_options(max_retries=0).batches.create(
                input_file_id=file_id, endpoint=URL, completion_window="24h", metadata={_TAG: tag}
            )

    def find(self, tag: str) -> "Batch | None":
        """The batch that was made with this tag."""
        with self._refusals():
            for batch in self._api.batches.list(limit=100):
                if (batch.metadata or {}).get(_TAG) == tag:
                    return batch
        return None

    def batch(self, batch_id: str) -> "Batch":
        with self._refusals():
            return self._api.batches.retrieve(batch_id)

    def download(self, file_id: str, to: Path) -> None:
        """Write a file of replies, whole or not at all."""
        with (
            self._refusals(),
            self._api.files.with_streaming_response.content(file_id) as response,
        ):
            write_whole(to, response.iter_bytes())

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        from openai import APIConnectionError, APIStatusError

        try:
            yield
        except APIStatusError as error:
            body = error.body or error.response.text
            meaning = refusal(error.status_code, body, self._where, self._secrets)
            if isinstance(meaning, EndpointRefused):
                raise meaning from None
            message = str(meaning) if isinstance(meaning, Exception) else error.message
            raise self._failed(f"http_{error.status_code}", message) from None
        except APIConnectionError as error:
            raise self._failed("connection", str(error.__cause__ or error)) from None

    def _failed(self, reason: str, detail: str) -> CallFailed:
        return CallFailed(reason, f"{self._where}: {detail}\n  Run the same command again.")
