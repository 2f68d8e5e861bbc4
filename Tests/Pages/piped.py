"""A browser by devtools over a pipe, with nothing but the standard library: none looks into its page but while it is attached, as
what an inspector has seen of a page it keeps in the page's process."""
import contextlib
import json
import os
import select
import subprocess
import tempfile
import time

import processes
from browser import OPTIONS


class PipedBrowser:
    """One browser with a profile of its own and one page; a context manager."""

    def __init__(self, width, height):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        arguments = ["chromium", *OPTIONS, "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
                     f"--window-size={width},{height}", "about:blank"]

        # It reads commands from descriptor 3 and writes answers to 4. Neither end may stand where another is to go.
        def place():
            first, second = os.dup(commands), os.dup(answers)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        close_fds=False, preexec_fn=place)
        os.close(commands)
        os.close(answers)
        self.buffer, self.count, self.session = b"", 0, None
        self.page = self._until(lambda: next((one for one in self.targets() if one["type"] == "page"), None), "its page")["targetId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(AssertionError, OSError):
            self._call("Browser.close")
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()

    def _until(self, look, words, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := look():
                return found
            time.sleep(0.1)
        raise AssertionError(f"the browser does not show {words} in {seconds} s")

    def _call(self, method, session=None, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 120
        while time.monotonic() < end:
            while b"\0" in self.buffer:
                text, self.buffer = self.buffer.split(b"\0", 1)
                answer = json.loads(text)
                if answer.get("id") == self.count:
                    assert "error" not in answer, f"{method}: {answer['error']['message']}"
                    return answer["result"]
            if select.select([self.answers], [], [], 1)[0]:
                part = os.read(self.answers, 1 << 20)
                assert part, "the browser has ended"
                self.buffer += part
        raise AssertionError(f"{method} is not answered in 120 s")

    def targets(self):
        return self._call("Target.getTargets")["targetInfos"]

    @property
    def title(self):
        return next(one["title"] for one in self.targets() if one["targetId"] == self.page)

    @contextlib.contextmanager
    def attached(self):
        """While it holds, `devtools` and `evaluate` may be used."""
        self.session = self._call("Target.attachToTarget", targetId=self.page, flatten=True)["sessionId"]
        try:
            yield self
        finally:
            self._call("Target.detachFromTarget", sessionId=self.session)
            self.session = None

    def devtools(self, method, **parameters):
        return self._call(method, session=self.session, **parameters)

    def evaluate(self, expression):
        reply = self.devtools("Runtime.evaluate", returnByValue=True, expression=expression)
        assert "exceptionDetails" not in reply, reply["exceptionDetails"]
        return reply["result"].get("value")

    def open(self, url, scripts):
        """Loads a page, with scripts that run before its own."""
        with self.attached():
            self.devtools("Page.enable")
            for script in scripts:
                self.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)
            self.devtools("Page.navigate", url=url)
            self._until(lambda: self.evaluate("document.readyState === 'complete' && typeof robot === 'object'"), url)

    @property
    def processes(self):
        return processes.tree(self.process.pid)
