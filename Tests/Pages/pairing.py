"""Tablets and telephones beside the kiosk: how they are paired, what each role finds, and how they are sent away."""
import json
import math
import os
import pathlib
import ssl
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from browser import Browser
from visitor import FOLDER, PAGES, SAID, STILL, UNANSWERED, Visitor, fail_with, show, speak

URL = os.environ.get("KONZA_TABLETS_URL", "https://127.0.0.1:8443/")
KIOSK = os.environ.get("KONZA_PORTAL_URL", "http://127.0.0.1:8470/")
KONZA = os.environ.get("KONZA_PROGRAM", ".build/debug/konza")
WATCH = (FOLDER / "watch.js").read_text()
# A telephone and a tablet, each held upright and across.
SIZES = [(390, 844), (844, 390), (810, 1080), (1180, 820)]
HEADING = "return document.querySelector('main h1')?.textContent"
CONTROLS = {"controls": [
    {"name": "brightness", "type": "integer", "value": 128, "minimum": 0, "maximum": 255, "step": 1, "defaultValue": 128,
     "most": 200, "writable": True},
    {"name": "white_balance_automatic", "type": "boolean", "value": 1, "minimum": 0, "maximum": 1, "defaultValue": 1,
     "writable": True},
    {"name": "white_balance_temperature", "type": "integer", "value": 4600, "minimum": 2800, "maximum": 6500, "step": 10,
     "defaultValue": 4600, "writable": False},
    {"name": "power_line_frequency", "type": "menu", "value": 1, "minimum": 0, "maximum": 2, "defaultValue": 2,
     "menu": {"0": "Disabled", "1": "50 Hz", "2": "60 Hz"}, "writable": True}]}


def konza(*arguments):
    answer = subprocess.run([KONZA, *arguments], capture_output=True, text=True)
    assert answer.returncode == 0, f"konza {arguments}: {answer.stdout} {answer.stderr}"
    return answer.stdout


def link(role):
    return next(word for word in konza("pair", role).split() if "/pair#" in word)


def devices():
    """The devices that are paired; the requests come after them."""
    return json.JSONDecoder().raw_decode(konza("devices", "--json"))[0]["devices"]


def send_all_away():
    for one in devices():
        konza("devices", "revoke", one["id"])


def change(device, **values):
    """A keeper on the box gives a device another name or role."""
    at_portal("PATCH", f"/v1/devices/{device}", values)


def at_portal(method, path, body=None):
    """What somebody on the box asks the portal."""
    data = ["-H", "Content-Type: application/json", "-d", json.dumps(body)] if body is not None else []
    subprocess.run(["curl", "-sf", "--unix-socket", os.environ["KONZA_PORTAL_SOCKET"], "-X", method, *data,
                    f"http://localhost{path}"], check=True, capture_output=True)


def moderate(card, state):
    at_portal("PATCH", f"/v1/moderation/{card}", {"state": state})


def delete(card):
    at_portal("DELETE", f"/v1/postcards/{card}")


def ask(method, path, body):
    """What a device without a browser is answered."""
    request = urllib.request.Request(URL.rstrip("/") + path, method=method, data=json.dumps(body).encode(), headers={
        "Content-Type": "application/json", "Origin": URL.rstrip("/")})
    try:
        with urllib.request.urlopen(request, context=ssl._create_unverified_context(), timeout=20) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return json.load(error)


class Tablet(Visitor):
    """Somebody with a tablet or telephone of their own."""

    def __init__(self, browser, language="en"):
        super().__init__(browser, language)

    def open(self, url=URL):
        self.browser.open(url)
        return self

    def at(self, screen, role=None):
        """Waits for a screen of tablets, and for a role if one is named."""
        self.browser.wait("""const [screen, role] = arguments;
            return document.querySelector(`main tablet-${screen}`) && (!role || document.documentElement.dataset.role === role)""", screen, role)

    def pair(self, role):
        self.open(link(role))
        self.at("pair")
        # The name that the page proposes is in its language, and what is paired keeps it.
        self.browser.script("document.querySelector('#device-name').value = 'Pat'")
        self.press("Pair this device")
        self.at("home", role)
        return self

    def tiles(self):
        return self.browser.script("return [...document.querySelectorAll('.tile')].map((one) => one.textContent)")

    def post(self, path, body):
        return self.browser.evaluate(f"""fetch({path!r}, {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }},
            body: {json.dumps(json.dumps(body))} }}).then((reply) => reply.json())""")


def tablet(width=390, height=844, scripts=(), options=()):
    browser = Browser([WATCH, *scripts], options=options)
    browser.resize(width, height)
    return browser


def sound(browser, but=()):
    """What must be true at the end of every way; `but` are complaints of the console that were provoked."""
    violations = browser.script("return konza.violations")
    assert not violations, f"violations of the content security policy: {violations}"
    host = urllib.parse.urlsplit(URL).netloc
    foreign = [url for url in browser.addresses()
               if urllib.parse.urlsplit(url).netloc != host and not url.startswith(("blob:", "data:", "chrome:"))]
    assert not foreign, f"requests to other hosts: {foreign}"
    complaints = [one for one in browser.complaints() if not any(word in one for word in but)]
    assert not complaints, complaints


def visitors():
    """Somebody on the Wi-Fi finds what everybody may know, is shown no picture, and is left in peace."""
    with tablet() as browser:
        visitor = Tablet(browser).open()
        visitor.at("home", "visitor")
        assert visitor.tiles() == ["Announcements", "Visitors’ postcards", "What is on", "About this place", "Learning games", "Map", "Where are we?",
                                   "How is the station?", "What is kept?", "Pair this device"], visitor.tiles()
        visitor.press("Where are we?")
        browser.wait("return document.querySelector('kiosk-sky dd')")
        visitor.press("home")
        visitor.press("What is kept?")
        assert "kiosk only" in browser.wait("return document.querySelector('.promises')?.innerText")
        assert browser.script("return konza.frames") == 0 and not any("/v1/camera" in url for url in browser.addresses())
        # A language that was chosen is not taken back by an idle time.
        visitor.press("Español")
        assert "quiosco" in browser.script("return document.querySelector('.promises').innerText")
        # A station that does not answer closes nothing here; it is said, until it is over.
        browser.script("konza.down = true")
        browser.wait("return document.querySelector('.silence').textContent.includes('no responde')")
        assert not Tablet(browser, "es").measure("day", 44, 8)
        browser.script("konza.down = false")
        browser.wait("return !document.querySelector('.silence').textContent")
        assert browser.script("return Boolean(document.querySelector('kiosk-kept'))")
        sound(browser)
    with Browser([WATCH]) as browser:
        browser.open(f"{KIOSK}pair")
        assert "everybody uses" in browser.wait("return document.querySelector('tablet-pair')?.innerText")
        assert not browser.script("return document.querySelector('tablet-pair form')")


def back():
    """The browser's Back leads to the screen before, Forward on again, and neither to what was signed out of."""
    with tablet() as browser:
        visitor = Tablet(browser)
        visitor.pair("ranger")
        depth = browser.script("return history.length")

        def shows(kind, name):
            browser.wait("return document.querySelector(arguments[0])", f"main {kind}-{name}")

        visitor.press("About this place")
        shows("kiosk", "about")
        browser.tap(browser.wait("return document.querySelector('kiosk-about [data-page]')"))
        shows("kiosk", "page")
        browser.script("konza.here = true; history.back()")
        shows("kiosk", "about")
        browser.script("history.forward()")
        shows("kiosk", "page")
        visitor.press("home")
        visitor.at("home")
        visitor.press("What is kept?")
        shows("kiosk", "kept")
        # Home is one step behind, however many screens were seen on the way to it.
        browser.script("history.back()")
        visitor.at("home")
        assert browser.script("return history.length") == depth + 1
        visitor.press("Learning games")
        browser.wait("return document.querySelector('learn-menu') && location.pathname === '/learn'")
        browser.script("history.back()")
        visitor.at("home")
        browser.wait("return location.pathname === '/'")
        visitor.press("Postcards")
        visitor.at("gallery")
        visitor.press("home")
        visitor.at("home")
        send_all_away()
        visitor.at("home", "visitor")
        browser.script("history.forward()")
        time.sleep(0.5)
        visitor.at("home", "visitor")
        assert browser.script("return konza.here"), "the page was left"
        sound(browser)


def pairing():
    """A link is good for one telephone; the other is let in by letters; both may be sent away while they look."""
    address = link("ranger")
    with tablet() as first, tablet() as second:
        one, two = Tablet(first).open(address), Tablet(second).open(address)
        for browser in (first, second):
            browser.wait("return document.querySelector('tablet-pair form')")
            assert browser.script("return location.href") == f"{URL}pair", "the secret is still in the address"
            assert browser.script("return document.querySelector('#device-name').value")
            assert not browser.script("return konza.posted"), "the link was used before the touch"
        first.script("document.querySelector('#device-name').value = 'First telephone'")
        one.press("Pair this device")
        one.at("home", "ranger")
        one.says("Ranger")
        assert first.script("return location.pathname + location.hash + document.querySelector('.device').textContent") == "/First telephone"
        # The second one comes too late, asks, and is let in as something else.
        two.press("Pair this device")
        second.wait("return document.querySelector('tablet-pair .problem').textContent.includes('good no longer')")
        second.script("document.querySelector('#device-name').value = 'Second telephone'")
        two.press("Ask to be let in")
        letters = second.wait("return document.querySelector('tablet-pair .letters')?.textContent")
        assert second.script("return document.querySelector('.command').textContent") == f"konza devices approve {letters} ranger"
        konza("devices", "approve", letters, "collector")
        two.at("home", "collector")
        assert "Specimens" in two.tiles(), two.tiles()
        two.press("Specimens")
        second.wait("return document.querySelector('tablet-specimens .note').textContent")
        # The keeper makes a ranger of the second, and sends the first away.
        known = {device["name"]: device["id"] for device in devices()}
        change(known["Second telephone"], role="ranger")
        one.press("Postcards")
        one.at("gallery")
        konza("devices", "revoke", known["First telephone"])
        one.at("home", "visitor")
        one.says("no longer paired")
        assert one.tiles()[-1] == "Pair this device"
        two.at("home", "ranger")
        two.says("Ranger")
        # The second one goes by itself, after a question.
        two.press("Sign out")
        two.press("Cancel")
        two.press("Sign out")
        second.wait("return document.querySelector('dialog[open]')")
        two.press("Sign out")
        two.at("home", "visitor")
        two.says("Signed out")
        assert known["Second telephone"] not in [device["id"] for device in devices()]
        sound(first, ["403"])
        sound(second, ["404", "403"])


def refused():
    """A device that is turned away is told so."""
    with tablet() as browser:
        device = Tablet(browser, "es").open(f"{URL}pair")
        device.at("pair")
        device.press("Español")
        device.press("Pedir que me dejen entrar")
        letters = browser.wait("return document.querySelector('tablet-pair .letters')?.textContent")
        konza("devices", "deny", letters)
        browser.wait("return document.querySelector('tablet-pair .problem')?.textContent.includes('rechazó')")
        sound(browser, ["403"])


def gallery():
    """A ranger sees all postcards in pages, one of them large, and deletes it after a question."""
    with tablet(810, 1080) as browser:
        ranger = Tablet(browser).pair("ranger")
        cards = [ranger.post("/v1/postcards", {"message": f"Card {number}"})["id"] for number in range(26)]
        try:
            ranger.press("Postcards")
            browser.wait("return document.querySelectorAll('.print').length === 24")
            ranger.press("Show more")
            browser.wait("return document.querySelectorAll('.print').length >= 26")
            shown = browser.script("return [...document.querySelectorAll('.print .message')].map((one) => one.textContent)")
            assert shown[:26] == [f"Card {number}" for number in reversed(range(26))], shown
            browser.wait("const [one] = document.querySelectorAll('.print img'); return one.complete && one.naturalWidth > 0")
            browser.script("document.querySelector('.print').click()")
            image = browser.wait("const one = document.querySelector('tablet-postcard img'); return one?.naturalWidth > 0 && one")
            assert "Card 25" in browser.label(image)
            ranger.press("Delete this postcard")
            ranger.press("Cancel")
            assert ranger.answers("GET", f"/v1/postcards/{cards[-1]}") == 200
            ranger.press("Delete this postcard")
            browser.wait("return document.querySelector('dialog[open]')")
            ranger.press("Delete this postcard")
            ranger.says("Deleted")
            assert ranger.answers("GET", f"/v1/postcards/{cards[-1]}") == 404
            browser.wait("return document.querySelector('.print .message')?.textContent === 'Card 24'")
            sound(browser, ["404"])
        finally:
            for card in cards:
                ranger.answers("DELETE", f"/v1/postcards/{card}")
            send_all_away()


def shown_at_kiosk(message):
    """A postcard that a visitor at the kiosk took and agreed to show: its id."""
    base = KIOSK.rstrip("/")

    def send(method, path, body=None):
        request = urllib.request.Request(base + path, method=method, data=body and json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"} if body else {})
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.load(reply)

    card = send("POST", "/v1/postcards", {"message": message})["id"]
    send("PUT", f"/v1/gallery/{card}")
    return card


def moderation():
    """A ranger sees what visitors agreed to show, hides one, shows it again and deletes it; a visitor sees what is shown."""
    cards = [shown_at_kiosk(f"Shown {number}") for number in range(8)]
    try:
        with tablet(810, 1080) as browser, tablet() as other:
            ranger, visitor = Tablet(browser).pair("ranger"), Tablet(other).open()
            visitor.at("home", "visitor")
            visitor.press("Visitors’ postcards")
            there = "return [...document.querySelectorAll('.wall .message')].map((one) => one.textContent).join()"
            first = ",".join(f"Shown {number}" for number in (7, 6, 5, 4, 3, 2))
            other.wait(f"{there} === arguments[0]", first)
            visitor.press("Older")
            other.wait(f"{there} === 'Shown 1,Shown 0'")
            visitor.press("Newer")
            other.wait(f"{there} === arguments[0]", first)
            ranger.press("Gallery")
            browser.wait("return document.querySelectorAll('.shown-cards li').length === 8")
            ranger.press("Hide: A visitor’s postcard: Shown 7")
            ranger.says("It is hidden.")
            other.wait(f"{there}.startsWith('Shown 6')")
            ranger.press("Show: A visitor’s postcard: Shown 7")
            other.wait(f"{there} === arguments[0]", first)
            ranger.press("Delete: A visitor’s postcard: Shown 7")
            ranger.press("Delete this postcard")
            ranger.says("Deleted")
            other.wait(f"{there}.startsWith('Shown 6')")
            browser.wait("return document.querySelectorAll('.shown-cards li').length === 7")
            assert ranger.answers("GET", f"/v1/postcards/{cards[-1]}") == 404
            sound(browser, ["404"])
            sound(other, ["404"])
    finally:
        for card in cards[:-1]:
            delete(card)
        send_all_away()


def printing():
    """A ranger sees what is wrong with the printer and what to do, has it go on, and sees that it does."""
    printer = pathlib.Path(os.environ["KONZA_PRINTER"])
    with tablet(810, 1080) as browser:
        ranger = Tablet(browser).pair("ranger")
        state = "return document.querySelector('tablet-printer .part')?.textContent === arguments[0]"
        ranger.press("Printer")
        browser.wait(state, "The printer is ready.")
        assert not browser.script("return document.querySelector('.gold').checkVisibility()"), "a printer that runs can be resumed"
        # A stopped queue: the button has it go on.
        browser.script("konza.printer = { state: 'paused', reason: 'the printer is stopped', isResumable: true, canPrint: false }")
        browser.wait(state, "The printer is stopped.")
        assert "resume it" in browser.script("return document.querySelector('tablet-printer').innerText")
        ranger.press("Resume the printer")
        ranger.says("told to go on")
        assert "POST /v1/printer/resume" in browser.script("return konza.posted")
        browser.wait(state, "The printer is ready.")
        # One that misses paper.
        card = shown_at_kiosk("Paper")
        printer.write_text("misses")
        at_portal("POST", "/v1/prints", {"postcard": card})
        browser.wait(state, "The printer is out of paper.")
        assert "Put in paper" in browser.script("return document.querySelector('tablet-printer').innerText")
        # What waits for it is listed with its picture, and cancelled.
        browser.wait("const one = document.querySelector('.jobs img'); return one?.complete && one.naturalWidth > 0")
        name = browser.script("return document.querySelector('.jobs button').getAttribute('aria-label')")
        assert name.startswith("Cancel the card asked for at "), name
        ranger.press(name)
        ranger.says("ancel")
        printer.write_text("prints")
        browser.wait("return !document.querySelector('.jobs li')")
        browser.wait(state, "The printer is ready.")
        ranger.press("home")
        ranger.press("Disk")
        browser.wait("return [...document.querySelectorAll('tablet-disk dd')].length >= 6")
        ranger.press("home")
        ranger.press("Certificate")
        browser.wait("return document.querySelector('.code path')")
        shown = browser.script("return document.querySelector('.link').textContent")
        assert shown == f"{URL}station-authority.crt", shown
        fingerprint = browser.script("return document.querySelector('tablet-certificate dd').textContent")
        assert fingerprint in konza("portal", "certificate")
        delete(card)
        sound(browser, ["404"])
        send_all_away()


def begins():
    """A ranger chooses what visitors begin with: the kiosk takes it up once nobody uses it, and keeps it for each of them."""
    name = "return document.documentElement.lang"
    at_portal("PUT", "/v1/kiosk/choices", {})
    try:
        with Browser([WATCH, "Object.assign(konza.session, {heartbeatSeconds: 0.1})"]) as kiosk, tablet(810, 1080) as browser:
            kiosk.open(KIOSK)
            kiosk.wait("return document.querySelector('kiosk-app[screen=attract]')")
            assert kiosk.script(name) == "en"
            ranger = Tablet(browser).pair("ranger")
            ranger.press("Kiosk")
            browser.wait("return document.querySelectorAll('tablet-begin .choice').length > 4")
            browser.tap(browser.wait("return document.querySelector('tablet-begin .choice[lang=es] input')"))
            ranger.says("Kept")
            kiosk.wait(f"{name} === 'es'")
            kiosk.script("konza.before = true")
            browser.tap(browser.wait("return document.querySelector('tablet-begin input[value=band]')"))
            kiosk.wait("return !konza.before && document.querySelector('kiosk-app[screen=attract]')")
            visitor = Visitor(kiosk, "es")
            visitor.press("start")
            kiosk.wait("return document.querySelector('kiosk-compose input:checked')?.value === 'band'")
            ranger.press("home")
            ranger.press("Kiosk")
            browser.wait("return document.querySelector('tablet-begin input[value=band]:checked')")
            # Previews are refused for a moment where others are being made: the station's, or this device's own.
            sound(browser, ["503", "429"])
    finally:
        at_portal("PUT", "/v1/kiosk/choices", {})
        send_all_away()


def controls():
    """A control is sent as it is moved; what the camera refuses is shown, and the control goes back."""
    with tablet(1180, 820) as browser:
        ranger = Tablet(browser).pair("ranger")
        browser.script("konza.camera = arguments[0]", CONTROLS)
        ranger.press("Camera")
        browser.wait("return document.querySelector('tablet-camera live-picture[state=live]')")
        move = """const input = document.querySelector(`#control-${arguments[0]}`);
            if (input.type === 'checkbox') input.checked = arguments[1]; else input.value = arguments[1];
            input.dispatchEvent(new Event('input', { bubbles: true }))"""
        browser.wait("return document.querySelector('#control-brightness')?.value === '128'")
        browser.script(f"for (const value of [140, 150, 160]) (function () {{ {move} }})('brightness', value)")
        browser.wait("return konza.camera.controls[0].value === 160")
        assert browser.script("return konza.posted.filter((one) => one.startsWith('PATCH')).length") == 1, "each step was sent"
        browser.script(move, "brightness", 250)
        browser.wait("return document.querySelector('.controls-list .problem').textContent.includes('refuses it')")
        browser.wait("return document.querySelector('#control-brightness').value === '160'")
        ranger.press("Brightness: default")
        browser.wait("return konza.camera.controls[0].value === 128 && !document.querySelector('.controls-list .problem').textContent")
        browser.script(move, "white_balance_automatic", False)
        browser.wait("return konza.camera.controls[1].value === 0")
        browser.script(move, "power_line_frequency", "2")
        browser.wait("return konza.camera.controls[3].value === 2")
        assert browser.script("return document.querySelector('#control-white_balance_temperature').disabled")
        sound(browser)
        # The station's own camera has none.
        browser.script("konza.camera = null")
        ranger.press("home")
        ranger.press("Camera")
        browser.wait("return document.querySelector('tablet-camera .note').textContent.includes('nothing to adjust')")
        send_all_away()


def keeper():
    """A keeper lets one in, shows a code that pairs another, names it, changes its role and sends it away."""
    with tablet(810, 1080) as browser:
        keeper = Tablet(browser).pair("keeper")
        asked = ask("POST", "/v1/pairing-requests", {"name": "Old tablet"})
        browser.wait("return document.querySelector('tablet-home .ribbon')?.textContent.includes('1')")
        keeper.press("Devices")
        assert browser.wait("return document.querySelector('.requests .letters')?.textContent") == asked["letters"]
        browser.script("document.querySelector('.requests select').value = 'collector'")
        keeper.press("Let in")
        browser.wait("return !document.querySelector('.requests li')")
        assert ask("POST", "/v1/pairing-requests/session", {"token": asked["token"]})["role"] == "collector"
        keeper.press("Pair a new one")
        keeper.press("Ranger")
        rows = browser.wait("return document.querySelector('.code path')?.getAttribute('d')")
        assert rows.count("M") > 100 and browser.script("return document.querySelector('.link').textContent").startswith(f"{URL}pair#")
        token = browser.script("return document.querySelector('.link').textContent").split("#")[1]
        assert ask("POST", "/v1/session", {"token": token, "name": "Ana's tablet"})["device"] == "Ana's tablet"
        keeper.says("Ana's tablet is paired.")
        keeper.at("devices")
        keeper.press("Change Ana's tablet")
        browser.script("document.querySelector('#new-name').value = 'Bo'; document.querySelector('#new-role').value = 'collector'")
        keeper.press("Save")
        keeper.press("Send Bo away")
        assert [one["role"] for one in devices() if one["name"] == "Bo"] == ["collector"]
        keeper.press("Send away")
        browser.wait("return [...document.querySelectorAll('.devices h2')].every((one) => one.textContent !== 'Bo')")
        assert "Bo" not in [one["name"] for one in devices()]
        assert browser.script("return document.querySelectorAll('.tags .ribbon').length") == 1
        sound(browser)
        send_all_away()


def measured(folder, axe):
    """Every screen of tablets in four sizes, in English by day and in Spanish by night."""
    found = []
    with tablet(scripts=[axe]) as browser:
        device = Tablet(browser)

        def look(screen):
            for width, height in SIZES:
                browser.resize(width, height)
                browser.wait(STILL)
                # The words are as long by night, and the colours the same in Spanish; the telephone has the least room.
                for language, scheme in (("en", "day"), ("es", "night")) if width == 390 or folder else (("es", "night"),):
                    speak(browser, language)
                    where = f"{width}x{height} {screen} {language} {scheme}"
                    found.extend(f"{where}: {text}" for text in device.measure(scheme, 44, 8))
                    if width == 390:
                        found.extend(f"{where}: {text}" for text in device.axe())
                    if folder:
                        browser.screenshot(folder / f"tablet-{screen}-{width}x{height}-{language}-{scheme}.png")
            speak(browser, "en")

        def go(screen, ready="return true", **values):
            browser.script("document.querySelector('kiosk-app').show(...arguments)", screen, values)
            browser.wait(ready)
            look(screen)

        device.open()
        device.at("home", "visitor")
        look("1-visitor")
        device.open(link("keeper"))
        device.at("pair")
        look("2-pair")
        browser.script("document.querySelector('#device-name').value = 'Pat'")
        device.press("Pair this device")
        device.at("home", "keeper")
        # One asks to be let in, which hangs over its tile.
        ask("POST", "/v1/pairing-requests", {"name": "W" * 40})
        browser.wait("return document.querySelector('tablet-home .ribbon').textContent")
        look("3-keeper")
        browser.script("konza.camera = arguments[0]", CONTROLS)
        card = device.post("/v1/postcards", {"message": "W" * 40})
        shown = shown_at_kiosk("W" * 40)
        go("gallery", "return document.querySelector('.print img')?.naturalWidth")
        go("postcard", "return document.querySelector('tablet-postcard img')?.naturalWidth", card=card)
        go("moderation", "return document.querySelector('.shown-cards img')?.naturalWidth")
        go("album", "return document.querySelector('.wall img')?.naturalWidth")
        browser.script("document.querySelector('.wall button').click()")
        browser.wait("return document.querySelector('kiosk-picture img')?.naturalWidth")
        look("picture")
        delete(shown)
        go("printer", "return document.querySelector('tablet-printer .ok')")
        printer = pathlib.Path(os.environ["KONZA_PRINTER"])
        printer.write_text("hangs")
        at_portal("POST", "/v1/prints", {"postcard": card["id"]})
        browser.wait("return document.querySelector('.jobs img')?.naturalWidth")
        look("printer-jobs")
        printer.write_text("prints")
        go("disk", "return document.querySelector('tablet-disk dd')")
        go("begin", "return document.querySelectorAll('tablet-begin live-picture[state=live]').length > 1")
        go("certificate", "return document.querySelector('.code path')")
        go("camera", "return document.querySelector('tablet-camera live-picture[state=live]') && document.querySelector('.controls-list li')")
        go("devices", "return document.querySelector('.requests li') && document.querySelector('.devices li')")
        browser.script("document.querySelector('.devices .choices button').click()")
        look("devices-change")
        browser.script("document.querySelector('dialog.sheet').close(); document.querySelector('.devices .choices .danger').click()")
        look("devices-question")
        browser.script("document.querySelector('dialog.sheet').close()")
        go("invite")
        device.press("Ranger")
        browser.wait("return document.querySelector('.code path')")
        look("invite-code")
        go("specimens", "return document.querySelector('.specimens')")
        go("sky", "return document.querySelector('kiosk-sky dd')")
        go("station")
        go("kept")
        # With all templates, as where the camera is aligned: there is one of names.
        browser.script("""konza.answers = (path) => (path.startsWith('/v1/view') ? new Response(JSON.stringify({ state: 'calibrated' })) : null);
            document.querySelector('kiosk-app').show('compose')""")
        browser.wait("return document.querySelectorAll('.choice').length > 3")
        browser.wait(STILL)
        # It came with the answer, as it does nowhere else.
        browser.script("konza.moved.length = 0")
        browser.wait("return document.querySelectorAll('live-picture[state=live]').length > 1")
        look("compose")
        browser.script("konza.answers = null")
        go("announce", "return document.querySelector('kiosk-announce input')")
        browser.script("document.querySelector('kiosk-announce input').value = 'W'.repeat(40)")
        device.press("Next")
        browser.wait("return document.querySelector('kiosk-announce textarea')")
        look("announce-text")
        device.press("Next")
        browser.wait("return document.querySelector('kiosk-announce .options')")
        look("announce-how")
        device.press("Announce it")
        browser.wait("return document.querySelector('kiosk-notice .title')?.textContent")
        look("announce-done")
        notice = browser.script("return document.querySelector('kiosk-notice').notice")
        go("notices", "return document.querySelector('.announced')")
        at_portal("DELETE", f"/v1/announcements/{notice}")
        go("pair")
        device.press("Ask to be let in")
        browser.wait("return document.querySelector('tablet-pair .letters')")
        look("pair-letters")
        device.answers("DELETE", f"/v1/postcards/{card['id']}")
        sound(browser)
        send_all_away()
    fail_with(found)


# What tablets ask the station of, and what it is shown with.
ASKING = {"gallery": {}, "moderation": {}, "specimens": {}, "printer": {}, "devices": {}, "camera": {}, "album": {}, "notices": {}, "events": {},
          "people": {}, "about": {}, "trips": {}, "trip": {"trip": {"id": 1, "leader": "Ana Ruiz", "expectedAt": "2026-06-20T18:00:00Z"}}, "rocks": {}}


def unanswered(folder):
    """A screen whose question the station cannot answer says so, on a telephone however it is held."""
    with tablet() as browser:
        device = Tablet(browser).pair("keeper")
        browser.script(UNANSWERED)
        device.told_each(ASKING, SIZES[:2], folder, target=44, gap=8)
        # That nobody answers is said at the band, too, which takes room.
        browser.script("konza.moved.length = 0")
        # What failed at once is asked again by a touch, where it is not by itself; and once more, where that failed, too.
        show(browser, "gallery")
        browser.wait(SAID)
        again = "const one = [...document.querySelectorAll('.more')].find((one) => one.checkVisibility()); return one && !one.disabled && one.textContent"
        for _ in range(2):
            assert browser.wait(again) == "Try again"
            browser.script("konza.asked = 0; const { answers } = konza; konza.answers = (...request) => { konza.asked += 1; return answers(...request); }")
            device.press("Try again")
            browser.wait("return konza.asked > 0")
        assert browser.wait(again) == "Try again"
        browser.script("konza.answers = null")
        device.press("Try again")
        browser.wait(f"return !(() => {{ {SAID} }})()?.startsWith(arguments[0])", device.catalogue["pages.failed"])
        sound(browser)
        send_all_away()


def own_position():
    """A telephone's own position stands beside the station's, in another shape, after a touch; the way may begin there."""
    with tablet() as browser:
        browser.devtools("Browser.grantPermissions", permissions=["geolocation"], origin=URL.rstrip("/"))
        browser.devtools("Emulation.setGeolocationOverride", latitude=39.1035, longitude=-96.6030, accuracy=7)
        visitor = Tablet(browser).open()
        visitor.at("home", "visitor")
        visitor.press("Map")
        browser.wait("return document.querySelectorAll('.leaflet-tile-loaded').length > 3 && document.querySelector('.whereabouts .station')")
        assert not browser.script("return document.querySelector('.own-mark')"), "nobody has touched the button"
        visitor.press("This device’s position")
        told = browser.wait("return document.querySelector('.whereabouts .own')?.textContent")
        assert told.startswith("This device ±\u00a07\u00a0m"), told
        assert browser.script("return document.querySelector('.own-mark') && document.querySelector('.whereabouts .station').textContent.startsWith('Station, recorded ±')")
        # Two sentences, each of which says whose it is; the device's is of its own place.
        own = browser.wait("return document.querySelector('kiosk-map .sentence.own:not([hidden])')?.textContent")
        assert "this device" in own.lower(), own
        station = browser.script("return document.querySelector('kiosk-map .sentence.station').textContent")
        assert "the station" in station.lower() and station != own, station
        near = browser.evaluate("fetch('/v1/trails/nearest?latitude=39.1035&longitude=-96.6030&accuracy=7').then((reply) => reply.json())")
        near = [near["trail"]] if near["trail"] else near["candidates"]
        assert near and all(name.removesuffix(" (made up)") in own for name in near), (near, own)
        visitor.press("Way to the trailhead")
        browser.wait("return document.querySelector('.map-side > .detail').textContent.startsWith('From this device to Trailhead')")
        assert not (found := visitor.measure("day", 44, 8)), found
        visitor.press("This device’s position")
        assert not browser.script("return document.querySelector('.own-mark, .whereabouts .own, .sentence.own:not([hidden]), .sentence.station')")
        browser.devtools("Browser.setPermission", permission={"name": "geolocation"}, setting="denied", origin=URL.rstrip("/"))
        visitor.press("This device’s position")
        browser.wait("return document.querySelector('.whereabouts .own')?.textContent.includes('does not give its position away')")
        sound(browser)


def aligned(landmark, azimuth, width=640, height=360, focal=457, pitch=2):
    """Where a camera that looks at an azimuth without any distortion has a landmark; none where it has it not."""
    turn, rise, pitch = (math.radians(angle) for angle in (landmark["azimuth"] - azimuth, landmark["elevation"], pitch))
    depth = math.cos(rise) * math.cos(turn) * math.cos(pitch) + math.sin(rise) * math.sin(pitch)
    above = math.sin(rise) * math.cos(pitch) - math.cos(rise) * math.cos(turn) * math.sin(pitch)
    if depth <= 0.1:
        return None
    x, y = width / 2 + focal * math.cos(rise) * math.sin(turn) / depth, height / 2 - focal * above / depth
    return (x, y) if 10 < x < width - 10 and 10 < y < height - 10 else None


def calibrate(folder, axe):
    """An operator aligns the camera by points in its picture: by touch and by keyboard, a bad one is named, nothing is kept but what is accepted."""
    found = []
    with tablet(800, 480, scripts=[axe]) as browser:
        device = Tablet(browser).pair("ranger")
        before = device.browser.evaluate("fetch('/v1/view/calibration').then((reply) => reply.json())")

        def look(name):
            for (width, height), language in (((800, 480), "es"), ((480, 800), "en"), ((390, 844), "es"), ((1180, 820), "en")):
                browser.resize(width, height)
                speak(browser, language)
                where = f"{width}x{height} calibrate {name} {language}"
                found.extend(f"{where}: {text}" for text in device.measure("day", 44, 8) + device.axe())
                if folder:
                    browser.screenshot(folder / f"tablet-calibrate-{name}-{width}x{height}-{language}.png")
            browser.resize(800, 480)
            speak(browser, "en")

        device.press("Align the camera")
        # A recording walks while the rows run: no camera stands there, and so one is asked for its place. Where a row before this one
        # has calibrated it, its place is that of the calibration.
        if not before.get("createdAt"):
            browser.wait("return document.querySelector('tablet-calibrate form.place')?.checkVisibility()")
            assert browser.script("return document.querySelectorAll('tablet-calibrate option').length") == 0, "landmarks of a recorded place"
            look("recorded")

            def stand(text):
                browser.script("document.querySelector('#calibrate-place').value = arguments[0]", text)
                device.press("Use this place")

            for wrong in ("91.5, -96.6091", "39,106", "39.1069"):
                stand(wrong)
                browser.wait("return document.querySelector('tablet-calibrate .problem').textContent.startsWith('That is no place')")
            # A forgotten sign is seen by what is to be seen, and mended.
            stand("39.1069, 96.6091")
            browser.wait("return document.querySelector('tablet-calibrate .finding').textContent.startsWith('The station knows too little')")
            stand("39.1069° N, 96.6091° W")
        browser.wait("return document.querySelectorAll('tablet-calibrate option').length > 3")
        look("begin")
        place = "" if before.get("createdAt") else "?latitude=39.1069&longitude=-96.6091"
        reply = device.browser.evaluate(f"fetch('/v1/view/landmarks{place}').then((reply) => reply.json())")
        assert reply["source"] == ("calibration" if before.get("createdAt") else "request"), reply
        list = reply["landmarks"]
        ground = [one for one in list if "distance" in one]
        azimuth = max(range(0, 360, 5), key=lambda angle: sum(aligned(one, angle) is not None for one in ground))
        seen = [one for one in ground if aligned(one, azimuth)]
        assert len(seen) >= 4, f"only {len(seen)} landmarks in one picture: {list}"
        # As far apart as there are.
        seen.sort(key=lambda one: aligned(one, azimuth)[0])
        chosen = [seen[round(index * (len(seen) - 1) / 5)] for index in range(6)] if len(seen) >= 6 else seen

        def point(one, off=0):
            x, y = aligned(one, azimuth)
            browser.script("""const [id, x, y] = arguments;
                const which = document.querySelector('tablet-calibrate select'), frame = document.querySelector('tablet-calibrate .view-picture');
                which.value = id;
                which.dispatchEvent(new Event('change'));
                const { left, top, width, height } = frame.getBoundingClientRect();
                frame.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: left + x / 640 * width, clientY: top + y / 360 * height }));""",
                one["id"], x + off, y)

        is_open = "return !document.querySelector('tablet-calibrate .decide .primary').disabled"
        for one in chosen[:2]:
            point(one)
        assert not browser.script(is_open), "two points are worked out"
        for one in chosen[2:]:
            point(one)
        # The station walks while the rows run. What is near is uncertain itself (its own place, and the camera's), and what is at
        # the edge turns and stretches the picture with it; so the farthest one between the others is moved, and inward.
        bad = max(chosen[1:-1], key=lambda one: one["distance"])
        point(bad, 60 if aligned(bad, azimuth)[0] < 320 else -60)
        device.press("Work it out")
        browser.wait("return document.querySelector('tablet-calibrate .off')")
        suspect = browser.script("return document.querySelector('tablet-calibrate .suspect')?.textContent ?? ''")
        assert bad["name"] in suspect, f"{bad['name']} is not named, but {suspect!r}"
        look("bad")
        device.press("Discard it")
        point(bad)
        # The keyboard moves it there and back, the arrows on the screen too.
        browser.script("""const frame = document.querySelector('tablet-calibrate .view-picture');
            for (const key of ['ArrowUp', 'ArrowDown', 'ArrowLeft']) frame.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
            document.querySelector('tablet-calibrate .arrow.right').click()""")
        look("points")
        device.press("Work it out")
        browser.wait("return document.querySelector('tablet-calibrate .off')")
        look("result")
        words = browser.script("return document.querySelector('tablet-calibrate .finding').checkVisibility() && document.querySelector('tablet-calibrate .finding').textContent")
        assert "pixels" in words, words
        # The names are in the language, as on the postcards, and are others when that is another one.
        drawn = "[...document.querySelectorAll('tablet-calibrate .names li')].map((one) => one.textContent)"
        english = browser.script(f"return {drawn}")
        assert english
        speak(browser, "es")
        spanish = browser.wait(f"const all = {drawn}; return all.length && String(all) !== String(arguments[0]) && all", english)
        speak(browser, "en")
        browser.wait(f"return String({drawn}) === String(arguments[0])", english)
        after = device.browser.evaluate("fetch('/v1/view/calibration').then((reply) => reply.json())")
        assert after.get("createdAt") == before.get("createdAt"), "it is kept before it is accepted"
        device.press("Keep it")
        browser.wait("return document.querySelector('main kiosk-view')")
        kept = device.browser.evaluate("fetch('/v1/view/calibration').then((reply) => reply.json())")
        assert abs((kept["azimuth"] - azimuth + 180) % 360 - 180) < 1, f"{kept['azimuth']} is not {azimuth}"
        there = device.browser.evaluate("fetch('/v1/view?language=es').then((reply) => reply.json())")["labels"]
        assert {one["name"] for one in there} >= set(spanish), (there, spanish)
        # Points at one place tell nothing: refused with the reason, and the picture stays.
        # By now its place is that of the calibration.
        browser.script("document.querySelector('kiosk-app').show('calibrate')")
        browser.wait("return document.querySelectorAll('tablet-calibrate option').length > 3")
        assert device.browser.evaluate("fetch('/v1/view/landmarks').then((reply) => reply.json())")["source"] == "calibration"
        for one in chosen[:3]:
            point(dict(chosen[0], id=one["id"]))
        device.press("Work it out")
        browser.wait("return document.querySelector('tablet-calibrate .problem').textContent")
        assert browser.script("return document.querySelectorAll('tablet-calibrate .point').length") == 3
        look("refused")
        # In the words of the page, and again when they are others.
        for language in ("es", "en"):
            speak(browser, language)
            refusal = json.loads((PAGES / f"words/{language}.json").read_text())["calibrate.refused.invalid-request"]
            browser.wait("return document.querySelector('tablet-calibrate .problem').textContent === arguments[0]", refusal)
        sound(browser, ("422", "409"))
        send_all_away()
    fail_with(found)


def rows(folder, axe):
    if "KONZA_TABLETS_URL" not in os.environ:
        return []
    return [("tablet visitors", visitors), ("tablet back", back), ("tablet pairing", pairing), ("tablet refused", refused), ("tablet gallery", gallery), ("tablet moderation", moderation),
            *([("tablet printing", printing)] if "KONZA_PRINTER" in os.environ else []),
            ("tablet begins", begins), ("tablet own position", own_position), ("tablet controls", controls), ("tablet calibrate", lambda: calibrate(folder, axe())), ("tablet keeper", keeper), ("tablet measured", lambda: measured(folder, axe())),
            ("tablet unanswered", lambda: unanswered(folder))]
