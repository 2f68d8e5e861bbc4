"""A browser by chromedriver's HTTP interface (W3C WebDriver), with nothing but the standard library."""
import base64
import contextlib
import json
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import processes

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
OPTIONS = ["--headless", "--no-sandbox", "--hide-scrollbars", "--disable-dev-shm-usage", "--lang=en",
           "--autoplay-policy=user-gesture-required"]
# The engine without windows, toolbars and what else is drawn around a page: it starts in a fifth of the time.
SHELL = "/usr/bin/chromium-headless-shell"


class Browser:
    """One browser with a profile of its own; a context manager. One that records tells its `addresses` and `complaints`, and
    keeps what it fetched for as long as it runs, which counts in its memory. The `whole` browser is what a kiosk shows pages in:
    for what is measured."""

    def __init__(self, scripts=(), records=True, options=(), whole=False):
        # What is held, and given back in the opposite order: also when the browser does not start.
        with contextlib.ExitStack() as held:
            profile = held.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            self.driver, port = self._drive()
            held.callback(self.driver.wait)
            held.callback(self.driver.terminate)
            self.base = f"http://127.0.0.1:{port}"
            arguments = OPTIONS + [*options, f"--user-data-dir={profile}"]
            log = {"goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}} if records else {}
            kind = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}} if whole else \
                {"browserName": "chrome-headless-shell", "goog:chromeOptions": {"args": arguments, "binary": SHELL}}
            reply = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True, **kind, **log}}})
            self.session = f"/session/{reply['sessionId']}"
            held.callback(lambda: self._call("DELETE", self.session))
            self.requested = set()
            for script in scripts:
                self.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)
            self.held = held.pop_all()

    @classmethod
    def at(cls, url, width, height, *arguments, **options):
        """One that shows a page; it ends if the page cannot be opened."""
        browser = cls(*arguments, **options)
        with contextlib.ExitStack() as failing:
            failing.callback(browser.held.close)
            browser.resize(width, height)
            browser.open(url)
            failing.pop_all()
        return browser

    @staticmethod
    def _drive():
        """chromedriver and its port. It takes a port that is free in IPv6, and ends when the same is taken in IPv4."""
        for _ in range(5):
            driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            said = []
            for line in driver.stdout:
                if "started successfully on port" in line:
                    return driver, int(line.rstrip().rstrip(".").rsplit(" ", 1)[1])
                said.append(line)
            driver.wait()
        raise AssertionError(f"cannot start chromedriver; install chromium-driver and chromium-headless-shell. It said: {''.join(said)}")

    def __enter__(self):
        return self

    def __exit__(self, _, error, __):
        with self.held:
            if error is not None:
                print("        the page showed:", " | ".join(self.script("return document.body.innerText").split("\n"))[:900])
            else:
                # Tests/Pages/watch.js says which; a page without it tells of none.
                moved = self.script("return globalThis.konza?.moved ?? []")
                assert not moved, f"controls moved without a touch that explains it: {moved[:6]}"

    def _call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise AssertionError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    @property
    def processes(self):
        """All of the browser's, without chromedriver."""
        return processes.tree(self.driver.pid)[1:]

    def devtools(self, command, **parameters):
        return self._call("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        self._call("POST", f"{self.session}/url", {"url": url})

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def script(self, code, *arguments):
        return self._call("POST", f"{self.session}/execute/sync", {"script": code, "args": list(arguments)})

    def wait(self, code, *arguments, seconds=40):
        """The first true value of the script, asked for until there is one; what it looks at may come later than the script."""
        end = time.monotonic() + seconds
        missing = None
        while time.monotonic() < end:
            try:
                if value := self.script(code, *arguments):
                    return value
            except AssertionError as error:
                if "properties of null" not in str(error):
                    raise
                missing = error
            time.sleep(0.05)
        raise AssertionError(f"this did not come true in {seconds} s: {code} {arguments} {missing or ''}".rstrip())

    def none(self, code, *arguments, seconds=10):
        """Waits until the script finds nothing any more in the list that it returns."""
        end = time.monotonic() + seconds
        while found := self.script(code, *arguments):
            assert time.monotonic() < end, f"there is still, after {seconds} s: {found}"
            time.sleep(0.05)

    def evaluate(self, expression):
        """The value of a promise of the page's."""
        reply = self.devtools("Runtime.evaluate", awaitPromise=True, returnByValue=True, expression=expression)
        assert "exceptionDetails" not in reply, reply["exceptionDetails"].get("exception", reply["exceptionDetails"])
        return reply["result"].get("value")

    def objects(self, kind):
        """How many objects of a class there are in the page's memory, after a collection."""
        self.devtools("HeapProfiler.collectGarbage")
        prototype = self.devtools("Runtime.evaluate", expression=f"({kind}).prototype", objectGroup="counted")["result"]
        found = self.devtools("Runtime.queryObjects", prototypeObjectId=prototype["objectId"], objectGroup="counted")["objects"]
        count = self.devtools("Runtime.callFunctionOn", objectId=found["objectId"], returnByValue=True,
                              functionDeclaration="function () { return this.length; }")["result"]["value"]
        self.devtools("Runtime.releaseObjectGroup", objectGroup="counted")
        return count

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self._call("GET", f"{self.session}/screenshot")))

    def label(self, element):
        """The name that the accessibility tree has for an element."""
        return self._call("GET", f"{self.session}/element/{element[ELEMENT]}/computedlabel")

    def role(self, element):
        return self._call("GET", f"{self.session}/element/{element[ELEMENT]}/computedrole")

    def tap(self, element):
        """Touches the middle of an element, as a finger does: what lies over it would be touched instead."""
        pause = [{"type": "pointerMove", "duration": 0, "origin": element, "x": 0, "y": 0},
                 {"type": "pointerDown", "button": 0}, {"type": "pause", "duration": 30},
                 {"type": "pointerUp", "button": 0}]
        self._call("POST", f"{self.session}/actions", {"actions": [
            {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": pause}]})

    def touch(self, x, y):
        """Touches a point of the window."""
        self._call("POST", f"{self.session}/actions", {"actions": [
            {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": [
                {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
                {"type": "pause", "duration": 30}, {"type": "pointerUp", "button": 0}]}]})

    def drag(self, x, y, right, down):
        """A finger moves from a point of the window, and rests before it is lifted: what it threw would swallow the next touch."""
        steps = [{"type": "pointerMove", "duration": 20, "x": round(x + right * step / 8), "y": round(y + down * step / 8)} for step in range(1, 9)]
        self._call("POST", f"{self.session}/actions", {"actions": [
            {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": [
                {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0}, *steps,
                {"type": "pause", "duration": 200}, {"type": "pointerUp", "button": 0}]}]})

    def keys(self, text):
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._call("POST", f"{self.session}/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def complaints(self):
        """What the browser's console reported as an error since the last call."""
        log = self._call("POST", f"{self.session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in log if entry["level"] == "SEVERE"]

    def addresses(self):
        """Every address that the browser has asked for since it was started."""
        for entry in self._call("POST", f"{self.session}/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                parameters = message["params"]
                self.requested.add(parameters.get("request", parameters)["url"])
        return self.requested
