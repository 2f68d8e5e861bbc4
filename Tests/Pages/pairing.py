"""Tablets and telephones beside the kiosk: how they are paired, what each role finds, and how they are sent away."""
import json
import os
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from browser import Browser
from visitor import FOLDER, Visitor

URL = os.environ.get("KONZA_TABLETS_URL", "https://127.0.0.1:8443/")
KIOSK = os.environ.get("KONZA_PORTAL_URL", "http://127.0.0.1:8470/")
KONZA = os.environ.get("KONZA_PROGRAM", ".build/debug/konza")
WATCH = (FOLDER / "watch.js").read_text()
# A telephone, and a tablet held upright and across.
SIZES = [(390, 844), (810, 1080), (1180, 820)]
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
    subprocess.run(["curl", "-sf", "--unix-socket", os.environ["KONZA_PORTAL_SOCKET"], "-X", "PATCH", "-H",
                    "Content-Type: application/json", "-d", json.dumps(values), f"http://localhost/v1/devices/{device}"],
                   check=True, capture_output=True)


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
        self.press("Pair this device")
        self.at("home", role)
        return self

    def says(self, words):
        try:
            self.browser.wait("return document.querySelector('.status').textContent.includes(arguments[0])", words)
        except AssertionError:
            raise AssertionError(f"it says {self.browser.script('return document.querySelector(`.status`).textContent')!r}, not {words!r}") from None

    def tiles(self):
        return self.browser.script("return [...document.querySelectorAll('.tile')].map((one) => one.textContent)")

    def post(self, path, body):
        return self.browser.evaluate(f"""fetch({path!r}, {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }},
            body: {json.dumps(json.dumps(body))} }}).then((reply) => reply.json())""")


def tablet(width=390, height=844, scripts=()):
    browser = Browser([WATCH, *scripts])
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
        assert visitor.tiles() == ["Where are we?", "How is the station?", "What is kept?", "Pair this device"], visitor.tiles()
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
        assert two.tiles()[0] == "Specimens", two.tiles()
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
    """Every screen of tablets in three sizes, in English by day and in Spanish by night."""
    found = []
    with tablet(scripts=[axe]) as browser:
        device = Tablet(browser)

        def look(screen):
            for width, height in SIZES:
                browser.resize(width, height)
                browser.wait("return !document.querySelector('main').getAnimations({ subtree: true }).length")
                # The words are as long by night, and the colours the same in Spanish; the telephone has the least room.
                for language, scheme in (("en", "day"), ("es", "night")) if width == 390 or folder else (("es", "night"),):
                    browser.script("document.querySelector(`.languages [lang=${arguments[0]}]`).click()", language)
                    where = f"{width}x{height} {screen} {language} {scheme}"
                    found.extend(f"{where}: {text}" for text in device.measure(scheme, 44, 8))
                    if width == 390:
                        found.extend(f"{where}: {text}" for text in device.axe())
                    if folder:
                        browser.screenshot(folder / f"tablet-{screen}-{width}x{height}-{language}-{scheme}.png")
            browser.script("document.querySelector('.languages [lang=en]').click()")

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
        device.press("Pair this device")
        device.at("home", "keeper")
        look("3-keeper")
        browser.script("konza.camera = arguments[0]", CONTROLS)
        card = device.post("/v1/postcards", {"message": "W" * 40})
        ask("POST", "/v1/pairing-requests", {"name": "W" * 40})
        go("gallery", "return document.querySelector('.print img')?.naturalWidth")
        go("postcard", "return document.querySelector('tablet-postcard img')?.naturalWidth", card=card)
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
        go("compose", "return document.querySelectorAll('live-picture[state=live]').length > 1")
        go("pair")
        device.press("Ask to be let in")
        browser.wait("return document.querySelector('tablet-pair .letters')")
        look("pair-letters")
        device.answers("DELETE", f"/v1/postcards/{card['id']}")
        sound(browser)
        send_all_away()
    assert not found, f"{len(found)} complaints, such as\n    " + "\n    ".join(dict.fromkeys(found[:12]))


def rows(folder, axe):
    if "KONZA_TABLETS_URL" not in os.environ:
        return []
    return [("tablet visitors", visitors), ("tablet pairing", pairing), ("tablet refused", refused), ("tablet gallery", gallery),
            ("tablet controls", controls), ("tablet keeper", keeper), ("tablet measured", lambda: measured(folder, axe()))]
