"""What a visitor sees while the station breaks: a program is killed, the camera is gone, the disk is full, the printer fails.

Each row has a station for itself. Nothing here stands in for the station: its own programs say what is wrong, and the page says it
in words that a visitor understands, goes on by itself when it is over, and has kept nothing that was not seen.
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from visitor import DRAWN, STILL, UNANSWERED, Visitor, show, speak

COUNTING = "return document.querySelector('kiosk-count .number')?.textContent"
# A camera that is not there, as one whose cable was pulled.
NO_CAMERA = {"Source=recorded\nWidth=": "Source=v4l2\nDevice=/dev/konza-unplugged\nWidth="}


class Station:
    """The programs of the station that this process runs beside: a context manager, which ends those that it started."""

    def __init__(self):
        self.folder = pathlib.Path(os.environ["KONZA_FOLDER"])
        self.configuration = self.folder / "konzad.conf"
        self.pids = {"konzad": int(os.environ["KONZAD_PID"]), "konza-portal": int(os.environ["KONZA_PORTAL_PID"]),
                     "printer": int(os.environ["KONZA_PRINTER_PID"])}
        self.started = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            process.terminate()
            process.wait(20)

    def kill(self, name):
        """Ends a program as a crash does, and waits until it is gone."""
        os.kill(self.pids[name], signal.SIGKILL)
        end = time.monotonic() + 10
        while is_alive(self.pids[name]):
            assert time.monotonic() < end, f"{name} does not end"
            time.sleep(0.05)

    def start(self, name):
        program = pathlib.Path(os.environ["KONZA_PROGRAM"]).with_name(name)
        with open(self.folder / f"{name}.log", "a", encoding="utf-8") as log:
            self.started.append(subprocess.Popen([program, "--config", self.configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        self.pids[name] = self.started[-1].pid

    @contextlib.contextmanager
    def configured(self, changes):
        """konzad with other settings for a while: texts of the configuration, and what stands in their place."""
        before = self.configuration.read_text()
        text = before
        for old, new in changes.items():
            assert old in text, f"{old!r} is not configured"
            text = text.replace(old, new)
        try:
            self._configure(text)
            yield
        finally:
            self._configure(before)

    def _configure(self, text):
        self.configuration.write_text(text)
        os.kill(self.pids["konzad"], signal.SIGHUP)


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Broken(Visitor):
    """A visitor at a station that breaks, who measures and keeps what there is to see."""

    def __init__(self, browser, language, folder, name):
        super().__init__(browser, language)
        self.folder, self.name = folder, name

    def count(self):
        """From the first screen into the middle of the countdown."""
        self.begin()
        self.press("start")
        self.screen("compose")
        self.press("take")
        self.browser.wait(COUNTING)

    def sees(self, moment, *keys):
        """The page says what these keys of the catalogue say, and is as well measured as any."""
        self.browser.wait(STILL)
        shown = self.browser.script("return document.body.innerText")
        if self.folder:
            self.browser.screenshot(self.folder / f"broken-{self.name}-{moment}-{self.language}.png")
        for key in keys:
            assert self.catalogue[key] in shown, f"{moment}: {self.catalogue[key]!r} is not in {shown!r}"
        complaints = self.measure()
        assert not complaints, f"{moment}: {complaints}"

    def turned_away(self, key):
        """No picture was taken, with the reason; and at the next try the kiosk is closed for the same reason."""
        self.screen("failed")
        self.sees("1-failed", "failed.title", key)
        self.press(self.catalogue["failed.retry"])
        self.screen("closed")
        self.sees("2-closed", "closed.title", "closed.again", key)

    def goes_on(self):
        """The kiosk opens by itself where the visitor was, and takes a card."""
        self.screen("compose")
        self.press("take")
        _, card = self.wait_for_card()
        assert card["shown"] == card["sha256"], "the picture on the screen is not the one on the disk"
        self.press("delete")
        self.screen("home")


@contextlib.contextmanager
def visit(start, sound, folder, name, language):
    with Station() as station, start(idleSeconds=90) as browser:
        yield station, Broken(browser, language, folder, name)
        sound(browser)


def killed(*whole, program, language):
    """A program that is killed in the middle of a countdown, and started again as systemd does."""
    with visit(*whole, program, language) as (station, visitor):
        visitor.count()
        station.kill(program)
        visitor.turned_away("closed.unreachable")
        station.start(program)
        visitor.goes_on()


def full(*whole, language):
    """A disk that is full when the picture is to be kept."""
    with visit(*whole, "disk", language) as (station, visitor):
        free = shutil.disk_usage(station.folder).free
        assert free < 1 << 40, "cannot make the disk look full: it has more room than a reserve can be"
        visitor.count()
        with station.configured({"[Camera]": f"[Postcards]\nSpaceReserve={(free >> 20) + 4096}M\n[Camera]"}):
            visitor.turned_away("closed.disk-full")
        visitor.goes_on()


def unplugged(*whole, language):
    """A camera that is unplugged in the middle of a countdown, and plugged in again."""
    with visit(*whole, "camera", language) as (station, visitor):
        visitor.count()
        with station.configured(NO_CAMERA):
            visitor.turned_away("closed.camera")
        visitor.goes_on()


def unprinted(*whole, language):
    """A printer that fails at a card, and one that is switched off: the card is kept all the same."""
    printer = pathlib.Path(os.environ["KONZA_PRINTER"])
    with visit(*whole, "printer", language) as (station, visitor):
        visitor.begin()
        visitor.press("start")
        visitor.press("take")
        visitor.wait_for_card()
        visitor.press("print")
        visitor.told("print.ready")
        printer.write_text("fails")
        visitor.press("print it")
        visitor.told("print.failed")
        visitor.sees("1-failed", "print.failed")
        station.kill("printer")
        visitor.told("printer.unreachable")
        visitor.sees("2-off", "printer.unreachable", "print.safe")
        visitor.press("back")
        visitor.screen("card")
        visitor.press("delete")
        visitor.screen("home")


@contextlib.contextmanager
def events(station):
    """Counts what konzad tells of postcards: how many were kept, and how many deleted."""
    file = station.folder / "events"
    with open(file, "w", encoding="utf-8") as output, subprocess.Popen(
            ["curl", "-sN", "--unix-socket", os.environ["KONZA_PORTAL_SOCKET"], "http://localhost/v1/events?types=postcard"], stdout=output) as curl:
        def states():
            whole = file.read_text().rpartition("\n")[0]
            return [json.loads(line[6:]).get("state") for line in whole.split("\n") if line.startswith("data: ")]

        def comes(kept, deleted):
            end = time.monotonic() + 90
            while (now := [states().count(state) for state in ("kept", "deleted")]) != [kept, deleted]:
                assert time.monotonic() < end, f"{now[0]} postcards were kept and {now[1]} deleted, and not {kept} and {deleted}"
                time.sleep(0.2)

        try:
            yield comes
        finally:
            curl.terminate()


def unseen(start, sound, _):
    """A browser that is killed in the countdown, with its profile, and a page that is loaded anew while konzad is asked: what nobody saw
    is not kept, and what somebody saw is."""
    with Station() as station, events(station) as comes:
        browser = start()
        visitor = Visitor(browser, "en")
        visitor.begin()
        visitor.press("start")
        visitor.press("take")
        browser.wait(COUNTING)
        for process in browser.processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        # Its session is gone with it.
        with contextlib.suppress(AssertionError):
            browser.held.close()
        comes(1, 1)
        with start() as browser:
            visitor = Visitor(browser, "en")
            visitor.begin()
            visitor.press("start")
            visitor.screen("compose")
            os.kill(station.pids["konzad"], signal.SIGSTOP)
            try:
                visitor.press("take")
                browser.wait("return konza.posted.includes('POST /v1/postcards')")
                browser.script("location.reload()")
                browser.wait("return globalThis.konza?.posted.some((one) => one.startsWith('DELETE /v1/kiosk/cards/'))")
            finally:
                os.kill(station.pids["konzad"], signal.SIGCONT)
            comes(2, 2)
            visitor.begin()
            visitor.press("start")
            visitor.press("take")
            visitor.wait_for_card()
            browser.wait("return konza.posted.some((one) => one.endsWith('/seen'))")
            # Another one after it, which nobody sees: whatever is to be deleted by then is.
            visitor.press("keep")
            visitor.press("Take a postcard")
            visitor.press("take")
            browser.wait(COUNTING)
            browser.script("konza.down = true")
            comes(4, 3)
            browser.script("konza.down = false")
            visitor.tidy()
            sound(browser)


# What asks the station of something, and what it is shown with.
ASKING = {
    "events": {}, "people": {}, "person": {"person": {"id": 1, "name": "Ana Ruiz", "phones": [], "mails": []}},
    "event": {"event": {"id": 1, "title": "Bison walk", "firstDay": "2026-06-20", "lastDay": "2026-06-20", "isAllDay": True}},
    "about": {}, "page": {"page": {"name": "fire", "title": "Fire"}}, "notices": {}, "notice": {"notice": 1}, "trips": {},
    "trip": {"trip": {"id": 1, "leader": "Ana Ruiz", "expectedAt": "2026-06-20T18:00:00Z"}}, "album": {}, "rocks": {},
    "rock": {"rock": {"layer": "station", "id": 1, "number": "KZ-1", "pictures": []}},
    "leave": {"line": {"number": 1, "name": "Ana Ruiz"}}, "roster": {}}


# Of a page the station has a text in each language, and one of them only later.
PAGE_LATER = """
const page = (title) => new Response(JSON.stringify({ name: 'fire', title, blocks: [] }));
konza.answers = (path) => path.startsWith('/v1/pages/fire?')
    && (path.endsWith('=es') ? Promise.resolve(page('Fuego')) : new Promise((answer) => { konza.later = () => answer(page('Fire now')); }))"""


def unanswered(start, sound, folder):
    """A screen whose question the station cannot answer says so, on every screen, in whatever language is chosen meanwhile."""
    with start(idleSeconds=600) as browser:
        visitor = Visitor(browser, "en")
        visitor.begin()
        browser.script(UNANSWERED)
        visitor.told_each(ASKING, [(800, 480), (480, 800), (1280, 800)], folder)
        words = {language: Visitor(browser, language).catalogue["events.old"] for language in ("en", "es")}
        show(browser, "event", **ASKING["event"])
        for language, day in (("en", "Saturday"), ("es", "sábado"), ("en", "Saturday")):
            speak(browser, language)
            browser.wait("return arguments[0].every((one) => document.querySelector('main').textContent.includes(one))", [day, words[language]])
        # A text in the language of before is none in that of now, however late it comes.
        browser.script(PAGE_LATER)
        show(browser, "page", **ASKING["page"])
        browser.wait("return Boolean(konza.later)")
        speak(browser, "es")
        title = "return document.querySelector('main h1').textContent"
        browser.wait(f"{title} === 'Fuego'")
        browser.script("konza.later()")
        for _ in range(3):
            browser.script(DRAWN)
        assert browser.script(title) == "Fuego"
        browser.script("konza.moved.length = 0; konza.answers = null")
        sound(browser)


# Each leaves its station in any state.
ROWS = {
    "broken browser en": unseen,
    "broken konzad en": lambda *whole: killed(*whole, program="konzad", language="en"),
    "broken portal es": lambda *whole: killed(*whole, program="konza-portal", language="es"),
    "broken disk es": lambda *whole: full(*whole, language="es"),
    "broken camera en": lambda *whole: unplugged(*whole, language="en"),
    "broken printer en": lambda *whole: unprinted(*whole, language="en"),
}


def rows(start, sound, folder):
    if "KONZA_PRINTER_PID" not in os.environ:
        return []
    return [(name, lambda one=one: one(start, sound, folder)) for name, one in ROWS.items()] \
        + [("unanswered", lambda: unanswered(start, sound, folder))]
