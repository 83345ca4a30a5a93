"""A stand-in for Label Studio's HTTP API, for the ways in which the real one fails once a year.

with label_studio() as server: Server(server.url, KEY) ...

It holds projects and tasks in memory and knows just the calls that push, pull and status make. How
the real one behaves is for test_real_label_studio.py.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from endpoint import LARGEST, beside, running

KEY = "0123456789abcdef0123456789abcdef01234567"
Reply = tuple[int, Any]


@dataclass
class StandIn:
    """The server, what it holds and what it was asked."""

    url: str = ""
    projects: dict[int, dict[str, Any]] = field(default_factory=dict)
    tasks: dict[int, dict[str, Any]] = field(default_factory=dict)
    exports: dict[int, Any] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    instead: Reply | None = None
    """Answers every call, which then does nothing."""
    lost: dict[int, Reply] = field(default_factory=dict)
    """By number of an import, from 1: what it replies once it has done its work."""

    def names(self, project: int) -> list[str]:
        """Our ids of the tasks that a project holds."""
        return [t["data"]["task"] for t in self.tasks.values() if t["project"] == project]

    async def answer(self, request: web.Request) -> web.Response:
        path, body = request.path.strip("/"), await request.read()
        self.asked.append((request.method, path))
        reply = self.instead
        if reply is None:
            reply = self.serve(request, path.split("/"), await request.json() if body else None)
            if path.endswith("import"):
                number = sum(path.endswith("import") for _, path in self.asked)
                reply = self.lost.get(number, reply)
        status, said = reply
        headers = {"Set-Cookie": "sessionid=a-secret-session"}
        if isinstance(said, str):
            return web.Response(text=said, status=status, headers=headers)
        return web.json_response(said, status=status, headers=headers)

    def serve(self, request: web.Request, path: list[str], body: Any) -> Reply:
        match request.method, path:
            case "GET", ["api", "projects"]:
                title = request.query["title"]
                found = [p for p in self.projects.values() if title in p["title"]]
                rows = [p | {"task_number": len(self.names(p["id"]))} for p in found]
                return 200, {"count": len(rows), "next": None, "previous": None, "results": rows}
            case "POST", ["api", "projects"]:
                new = {"id": max(self.projects, default=0) + 1, **body}
                self.projects[new["id"]] = new
                return 201, new
            case "POST", ["api", "projects", project, "import"]:
                first = max(self.tasks, default=100) + 1
                for number, task in enumerate(body, start=first):
                    self.tasks[number] = {"id": number, "project": int(project), **task}
                ids = list(range(first, first + len(body)))
                return 201, {"task_count": len(ids), "task_ids": ids}
            case "GET", ["api", "projects", project, "export"]:
                return 200, self.exports.get(int(project), [])
            case "DELETE", ["api", "projects", project]:
                del self.projects[int(project)]
                gone = [n for n, t in self.tasks.items() if t["project"] == int(project)]
                for number in gone:
                    del self.tasks[number]
                return 204, ""
        return 404, {"detail": f"no stand-in for {request.method} {'/'.join(path)}"}


@contextmanager
def label_studio() -> Iterator[StandIn]:
    """Serve from a thread of its own until the block ends."""
    server, app = StandIn(), web.Application(client_max_size=LARGEST)
    app.router.add_route("*", "/{path:.*}", server.answer)
    with beside(running(app)) as server.url:
        yield server
