"""A headless Chromium for tests, spoken to over two pipes (its DevTools protocol), with nothing but the standard library."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60.0  # seconds for one answer on a busy machine


def find_browser() -> str | None:
    """Where a Chromium is installed; KATA_BROWSER names another."""
    return os.environ.get("KATA_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One tab. What the browser reports of its own accord is kept in `events`."""

    def __init__(self, process: subprocess.Popen[bytes], write: int, read: int) -> None:
        self._process, self._write, self._read = process, write, read
        self._number = 0
        self._buffer = b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command and its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path: Path, *, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Load a file, on a screen of this width."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        self.call("Page.navigate", url=path.absolute().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._next()

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; the page's own policy does not concern it."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def screenshot(self) -> bytes:
        """A PNG of the window."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def requested(self) -> list[str]:
        """The addresses that were asked for since `open`."""
        sent = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def complaints(self) -> list[str]:
        """What the browser wrote to its console since `open`."""
        entries = [event["params"]["entry"]["text"] for event in self.events if event["method"] == "Log.entryAdded"]
        return entries + [str(event["params"]) for event in self.events if event["method"] == "Runtime.exceptionThrown"]

    def _next(self) -> dict[str, Any]:
        """The next message; what is no answer is kept as an event."""
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self._read, 1 << 16)
            if not chunk:
                raise RuntimeError(f"the browser has ended: {self._process.poll()}")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message


@contextmanager
def browser(command: str, profile: Path) -> Iterator[Page]:
    """A browser with one tab; it ends with the block."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    # The protocol's pipes are descriptors 3 and 4 of the browser; the shell puts them there.
    script = f'exec "$0" "$@" 3<&{to_read} 4>&{from_write}'
    options = [
        "--headless",
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
        "--no-first-run",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--force-color-profile=srgb",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--no-sandbox")  # as root it would not start with it
    process = subprocess.Popen(
        ["bash", "-c", script, command, *options],
        pass_fds=(to_read, from_write),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_read)
    os.close(from_write)
    try:
        page = Page(process, to_write, from_read)
        yield page
        page._session = None
        with suppress(RuntimeError, OSError, TimeoutError):
            page.call("Browser.close")
    finally:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(to_write)
        os.close(from_read)
