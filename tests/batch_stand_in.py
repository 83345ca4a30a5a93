"""What answers batch files in tests: the model's double, and a stand-in for a Batch API.

answer(requests, replies)                    # a file of replies, in the Batch API's shape
with batch_api(key) as api: ...              # api.url, api.batches, api.asked

The stand-in is not OpenAI's: that it works with it shows what is sent, and no more.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from endpoint import LARGEST, Body, beside, running
from model_double import ModelDouble


def ok(custom_id: str, body: Body | None, status: int = 200) -> Body:
    """A line of an output file."""
    response = {"status_code": status, "request_id": "r", "body": body}
    return {"custom_id": custom_id, "response": response, "error": None}


def refused(custom_id: str, status: int, **error: Any) -> Body:
    """A line of an error file, as the OpenAI Batch API writes it."""
    return ok(custom_id, {"error": error}, status)


def refused_by_vllm(custom_id: str, status: int, **error: Any) -> Body:
    """The same as `vllm run-batch` writes it."""
    return ok(custom_id, None, status) | {"error": {"error": error}}


def lines_of(lines: Iterable[Body]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def replies_to(requests: str, **rates: float) -> list[Body]:
    """The reply of the model's double to every line, with defects at these rates."""
    model = ModelDouble(**rates)
    lines = [json.loads(line) for line in requests.splitlines()]
    return [ok(line["custom_id"], model.reply(line["body"])) for line in lines]


def answer(requests: Path, replies: Path, **rates: float) -> Path:
    replies.write_text(lines_of(replies_to(requests.read_text("utf-8"), **rates)), "utf-8")
    return replies


@dataclass
class BatchApi:
    """What the stand-in holds, and how it is to behave."""

    key: str
    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, Body] = field(default_factory=dict)
    asked: int = 0
    ends: str = "completed"
    """The status that a batch ends in at its second look."""
    unanswered: int = 0
    """How many requests of a batch are left out, from its end."""
    failing: Callable[[str], Body] | None = None
    """The line that each request of a batch ends with, in the file of errors."""
    next_status: int = 200
    """What the next batch is answered with: 400, it is not made; 504, it is, and nobody hears."""

    async def upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        uploaded = form["file"]
        assert isinstance(uploaded, web.FileField)
        return web.json_response(self._file(uploaded.file.read()))

    def _file(self, content: bytes) -> Body:
        file_id = f"file-{len(self.files)}"
        self.files[file_id] = content
        return {"id": file_id, "object": "file", "bytes": len(content), "created_at": 0,
                "filename": "f", "purpose": "batch", "status": "processed"}  # fmt: skip

    async def create(self, request: web.Request) -> web.StreamResponse:
        wanted, status, self.next_status = await request.json(), self.next_status, 200
        made = {"error": {"message": "Billing limit reached"}}
        if status != 400:
            total = len(self.files[wanted["input_file_id"]].splitlines())
            made = self.batches[f"batch_{len(self.batches)}"] = wanted | {
                "id": f"batch_{len(self.batches)}", "object": "batch", "created_at": 0,
                "request_counts": {"total": total, "completed": 0, "failed": 0},
                "status": "validating",
            }  # fmt: skip
        return web.json_response(made, status=status)

    async def list(self, _: web.Request) -> web.Response:
        body = {"object": "list", "data": [*self.batches.values()], "has_more": False}
        return web.json_response(body)

    async def retrieve(self, request: web.Request) -> web.Response:
        batch = self.batches[request.match_info["batch"]]
        if batch["status"] == "in_progress":
            self._end(batch)
        elif batch["status"] == "validating":
            batch["status"] = "in_progress"
        return web.json_response(batch)

    def _end(self, batch: Body) -> None:
        batch["status"] = self.ends
        if self.ends == "failed":
            told = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}
            batch["errors"] = {"object": "list", "data": [told]}
            return
        lines = replies_to(self.files[batch["input_file_id"]].decode())
        answered = lines[: 0 if self.failing else len(lines) - self.unanswered]
        left = lines[len(answered) :]
        expired = {"code": "batch_expired", "message": "could not be executed in time"}
        errors = [line | {"response": None, "error": expired} for line in left]
        if self.failing:
            errors = [self.failing(line["custom_id"]) for line in left]
        for name, some in (("output_file_id", answered), ("error_file_id", errors)):
            if some:
                batch[name] = self._file(lines_of(some).encode())["id"]
        batch["request_counts"] |= {"completed": len(answered), "failed": len(left)}

    async def content(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[request.match_info["file"]])

    @web.middleware
    async def gate(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.asked += 1
        if (given := request.headers.get("Authorization")) != f"Bearer {self.key}":
            error = {"message": f"Incorrect API key provided: {given}"}
            return web.json_response({"error": error}, status=401)
        response: web.StreamResponse = await handler(request)
        return response


@contextmanager
def batch_api(key: str) -> Iterator[BatchApi]:
    """Serve from a thread of its own until the block ends."""
    api = BatchApi(key)
    app = web.Application(client_max_size=LARGEST, middlewares=[api.gate])
    app.router.add_post("/v1/files", api.upload)
    app.router.add_get("/v1/files/{file}/content", api.content)
    app.router.add_post("/v1/batches", api.create)
    app.router.add_get("/v1/batches", api.list)
    app.router.add_get("/v1/batches/{batch}", api.retrieve)
    with beside(running(app)) as address:
        api.url = f"{address}/v1"
        yield api
