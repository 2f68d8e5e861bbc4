"""photobooth-app 9.0.0 with its virtual camera, beside konzad and its portal with the recorded one: the same job in one run."""
import datetime
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import processes
from visitor import FOLDER

PYTHON = FOLDER.parents[1] / "build/photobooth/bin/python"
PICTURES, SECONDS, LEAST = 10, 20, 4
# Settings as they are, or the background left in the picture.
PLAIN = "from photobooth.appconfig import appconfig\n" \
        "for action in appconfig.actions.image: action.processing.remove_background = False\nappconfig.persist()"
NOTE = "photobooth-app is not measured beside: make bench-portal installs it (700 MB)"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(url, process, seconds=60):
    """Milliseconds until it answers."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        assert process.poll() is None, "it ended at once"
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                reply.read()
                return (time.monotonic() - begun) * 1000
        except (urllib.error.URLError, OSError):
            time.sleep(0.01)
    raise AssertionError(f"{url} does not answer")


def size(*paths):
    """Megabytes of files, whole folders or none."""
    files = [file for path in map(pathlib.Path, paths) for file in ([path] if path.is_file() else path.rglob("*"))]
    return sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink()) / 1e6


def at_rest(*roots):
    """Memory, and the share of a core."""
    everything = [one for root in roots for one in processes.tree(root)]
    before, begun = processes.processor(*everything), time.monotonic()
    time.sleep(SECONDS)
    share = (processes.processor(*everything) - before) / (time.monotonic() - begun) * 100
    return processes.resident(*everything), share


class PhotoboothApp:
    name = "photobooth-app"

    def __init__(self, removes_background):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.log = pathlib.Path(self.folder.name, "log.txt")
        self.environment = os.environ | {"HOME": self.folder.name, "PYTHONUNBUFFERED": "1"}
        (pathlib.Path(self.folder.name) / "config").mkdir()
        if not removes_background:
            subprocess.run([PYTHON, "-c", PLAIN], cwd=self.folder.name, env=self.environment, check=True, capture_output=True)
        # The first start unpacks its pictures and makes its data base: the second one counts.
        self._start()
        self._wait("changing mode completed")
        self.end()
        self.log.unlink()
        self.start_milliseconds = self._start()
        self._wait("changing mode completed")

    def _start(self):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([PYTHON, "-m", "photobooth", "--host", "127.0.0.1", "--port", str(port)],
                                        cwd=self.folder.name, env=self.environment, stderr=subprocess.STDOUT,
                                        stdout=self.log.open("w"))
        return wait_for(self.url, self.process)

    def _wait(self, text, count=1, seconds=60):
        end = time.monotonic() + seconds
        while self.log.read_text().count(text) < count:
            assert time.monotonic() < end, f"its log never says {text!r}"
            time.sleep(0.05)

    @property
    def roots(self):
        return [self.process.pid]

    def picture(self, number):
        """Milliseconds from the capture to the processed picture, by its own log."""
        with urllib.request.urlopen(f"{self.url}/api/actions/image/0", timeout=60) as reply:
            reply.read()
        self._wait(" processed (image.py", number)
        stamp = r"(\d\d:\d\d:\d\d,\d{3}) [^\n]*"
        text = self.log.read_text()
        began = re.findall(stamp + "changing mode from standby to still|" + stamp + "changing mode from video to still", text)[-1]
        ended = re.findall(stamp + r" processed \(image\.py", text)[-1]
        seconds = [sum(float(part) * unit for part, unit in zip(one.replace(",", ".").split(":"), (3600, 60, 1)))
                   for one in (next(filter(None, began)), ended)]
        return (seconds[1] - seconds[0]) * 1000

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Konza:
    name = "konza"

    def __init__(self, programs):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.programs = programs
        configuration = pathlib.Path(self.folder.name, "konzad.conf")
        configuration.write_text(f"[General]\nState={self.folder.name}/state\nSocket={self.folder.name}/konza.sock\n"
                                 "[Position]\nSource=recorded\n[Camera]\nSource=recorded\nWidth=1920\nHeight=1080\n"
                                 f"[Portal]\nPort={port}\n")
        self.processes = []
        for _ in range(2):
            self.end()
            begun = time.monotonic()
            self.processes = [subprocess.Popen([programs / name, "--config", configuration], stderr=subprocess.DEVNULL)
                              for name in ("konzad", "konza-portal")]
            wait_for(self.url, self.processes[1])
            # The page needs konzad, too; no frame is asked for, which would start the camera.
            wait_for(f"{self.url}/v1/camera", self.processes[1])
            self.start_milliseconds = (time.monotonic() - begun) * 1000

    @property
    def roots(self):
        return [one.pid for one in self.processes]

    def picture(self, number):
        """Milliseconds from the capture to the stored postcard's answer, by the clock of the machine."""
        body = json.dumps({"message": f"Number {number}"}).encode()
        request = urllib.request.Request(f"{self.url}/v1/postcards", data=body, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            ended = time.time()
            assert reply.status == 201, reply.status
            card = json.load(reply)
        return (ended - datetime.datetime.fromisoformat(card["exposedAt"]).timestamp()) * 1000

    def end(self):
        for one in self.processes:
            one.terminate()
            one.wait(15)


def measured(booth):
    """What one of them takes, from its start to its pictures."""
    try:
        time.sleep(5)
        memory, share = at_rest(*booth.roots)
        first = booth.picture(1)
        time.sleep(2)
        after = processes.resident(*[one for root in booth.roots for one in processes.tree(root)])
        times = []
        for number in range(2, PICTURES + 2):
            times.append(booth.picture(number))
            time.sleep(0.5)
        return {"capture to the card": (statistics.median(times), "ms"), "the first card": (first, "ms"),
                "memory at rest": (memory, "MB"), "memory after the first picture": (after, "MB"),
                "at rest": (share, "% of a core"), "start to the first page": (booth.start_milliseconds, "ms")}
    finally:
        booth.end()


def compare(figures, programs):
    """Rows of each, and how many times less ours takes."""
    if not PYTHON.exists():
        figures.found["notes"].append(NOTE)
        return
    ours = measured(Konza(programs))
    tree = FOLDER.parents[1]
    ours["installed"] = (size(*(programs / name for name in ("konzad", "konza-portal", "konza")), tree / "Sources/Pages",
                              tree / "config/templates", tree / "config/recordings"), "MB")
    installed = size(PYTHON.parents[1])
    for what, removes_background in (("as installed", True), ("background kept", False)):
        theirs = measured(PhotoboothApp(removes_background))
        theirs["installed"] = (installed, "MB")
        for name, (value, unit) in theirs.items():
            own = ours[name][0]
            figures.row(f"photobooth-app 9.0.0, {what}", f"{name}: konza", own, unit)
            figures.row(f"photobooth-app 9.0.0, {what}", f"{name}: photobooth-app", value, unit)
            if removes_background and name != "the first card":
                figures.goal(f"{name}, of photobooth-app's", own / value, "", atMostOneIn=LEAST)
    figures.found["notes"] += [
        "photobooth-app: its own virtual camera; the card's time is from its capture to its processed picture, by its log; ours "
        "from the exposure to the answer, when the postcard is durable. Memory is konzad's and konza-portal's together. "
        "Installed: photobooth-app's Python environment without Python itself; our programs, pages, templates and recordings "
        "without Debian's libraries."]
