"""A visitor at the kiosk: touches buttons, or uses nothing but a keyboard."""
import json
import pathlib
import time

FOLDER = pathlib.Path(__file__).parent
# Screens that kiosks have, beside those in which everything is looked at: they are measured by day, in the longer language.
OTHER_SIZES = [(1366, 768), (1280, 720), (1024, 600), (768, 1024), (720, 1280), (1280, 1024), (1200, 1920)]
PAGES = FOLDER.parents[1] / "Sources/Pages"
MEASURES = (FOLDER / "measures.js").read_text()
ENTER, TAB, SPACE = "\ue007", "\ue004", " "
WORDS = {
    "en": {"language": "English", "start": "Take a postcard", "take": "Take it", "keep": "Keep", "again": "Take again",
           "delete": "Delete", "home": "Home", "done": "I am done", "written": "Done", "here": "I am here", "print": "Print", "print it": "Print it", "more": "One more",
           "stop printing": "Stop", "back": "Back to the postcard",
           "two pictures": "Two pictures on one card", "three pictures": "Three pictures on one card", "four pictures": "Four pictures on one card",
           "second again": "Take picture 2 again", "make": "Make the card", "moving": "A picture that moves", "start over": "Start over"},
    "es": {"language": "Español", "start": "Tomar una postal", "take": "Tomar", "keep": "Guardar", "again": "Repetir",
           "delete": "Borrar", "home": "Inicio", "done": "He terminado", "written": "Listo", "here": "Estoy aquí", "print": "Imprimir", "print it": "Imprimir", "more": "Una más",
           "stop printing": "Parar", "back": "Volver a la postal",
           "two pictures": "Dos fotos en una postal", "three pictures": "Tres fotos en una postal", "four pictures": "Cuatro fotos en una postal",
           "second again": "Repetir la foto 2", "make": "Hacer la postal", "moving": "Una foto que se mueve", "start over": "Empezar de nuevo"},
}
FIND = """
const name = (node) => (node.getAttribute('aria-label') ?? node.textContent).trim();
const scope = document.querySelector('dialog[open]') ?? document;
return [...scope.querySelectorAll('button')].find((node) => name(node) === arguments[0] && !node.disabled
    && node.checkVisibility({ visibilityProperty: true }))"""
MIDDLE = "const { left, top, width, height } = arguments[0].getBoundingClientRect(); return [left + width / 2, top + height / 2]"
# Where each control of a screen stands.
PLACES = """return [...document.querySelectorAll('main :is(button, input)')].map((one) => {
    const { left, top } = one.getBoundingClientRect(); return [one.textContent, left, top]; })"""
# Nobody has seen another screen sooner: a touch of the place that was touched before is taken for its second half.
SEEN = 0.55
# A new size, or what a script changed, is laid out.
DRAWN = "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
# Nothing moves, but what moves with the scrolling, and two frames later neither: what was to move or to find its place has done so.
STILL = """const isStill = () => !document.querySelector('.leaflet-zoom-anim')
    && !document.querySelector('main').getAnimations({ subtree: true }).some(({ timeline }) => timeline instanceof DocumentTimeline);
return isStill() && new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(isStill()))))"""
# The station fails at whatever it is asked, until `answers` is something else (watch.js).
UNANSWERED = """konza.answers = (path) => path.startsWith('/v1/') && new Response('{"kind": "internal"}', { status: 500 })"""
# What the screen says, where it can be seen.
SAID = """return [...document.querySelectorAll('main :is([role=status], .problem)')].filter((node) => node.checkVisibility({ visibilityProperty: true }))
    .map((node) => node.textContent.trim()).find(Boolean)"""
FOCUSED = "return (document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()"


def fail_with(found):
    """Fails if there are complaints, with the first of them."""
    assert not found, f"{len(found)} complaints, such as\n    " + "\n    ".join(dict.fromkeys(found[:16]))


def schemes_of(size, whole, folder):
    """In which schemes a screen is measured in each language: words are as long by night, and colours the same in Spanish, so that in one
    size alone, and where pictures of all are wanted, it is all four."""
    if size == whole or folder:
        return {"en": ["day", "night"], "es": ["night", "day"]}
    return {"en": ["day"], "es": ["night"]}


def speak(browser, language):
    """Chooses a language by the band's button."""
    browser.script("document.querySelector(`.languages [lang=${arguments[0]}]`).click()", language)


def show(browser, screen, **values):
    """Goes to a screen, with what it is to show."""
    browser.script("document.querySelector('kiosk-app').show(arguments[0], arguments[1])", screen, values)
    browser.wait("return document.querySelector(arguments[0])", f"main > :is(kiosk-{screen}, tablet-{screen})")


class Visitor:
    def __init__(self, browser, language, by="touch"):
        self.browser, self.by = browser, by
        self.language = language
        self.words = WORDS[language]
        self.taken = []
        # Where and when the last touch was.
        self.touched = (-100, -100, 0)

    @staticmethod
    def fresh(act, seconds=10):
        """Does something with an element that it finds itself; again if the page has drawn it anew meanwhile."""
        end = time.monotonic() + seconds
        while True:
            try:
                return act()
            except AssertionError as error:
                if time.monotonic() > end or not str(error).startswith(("element not interactable", "stale element", "no such element")):
                    raise

    def tap(self, find, *arguments):
        """Touches what a script finds."""
        def touch():
            node = self.browser.wait(find, *arguments)
            x, y = self.browser.script(MIDDLE, node)
            left, top, at = self.touched
            if abs(x - left) < 60 and abs(y - top) < 60:
                time.sleep(max(0, at + SEEN - time.monotonic()))
            self.browser.tap(node)
            self.touched = (x, y, time.monotonic())

        return self.fresh(touch)

    def press(self, what):
        """Presses the button of a name, once there is one."""
        name = self.words.get(what, what)

        def check():
            element = self.browser.wait(FIND, name)
            label = self.browser.label(element)
            assert label.strip(), f"stale element: {name} was drawn anew before its name was read"
            assert label == name, f"{label} instead of {name}"
            role = self.browser.role(element)
            # A node that is not in the page any more has none; one that is and has none fails in the end, too.
            assert role != "none", f"stale element: {name} was drawn anew before its role was read"
            assert role == "button", f"{name} is a {role}"

        self.fresh(check)
        if self.by == "touch":
            return self.tap(FIND, name)
        for _ in range(80):
            if self.browser.script(FOCUSED) == name:
                return self.browser.keys(ENTER)
            self.browser.keys(TAB)
        raise AssertionError(f"the button {name} is not reached by the keyboard")

    def screen(self, name):
        """Waits for a screen, and says whether it is in the visitor's language."""
        self.browser.wait("return document.querySelector(`kiosk-app[screen=${arguments[0]}] kiosk-${arguments[0]}`)", name)
        language = self.browser.script("return document.documentElement.lang")
        assert language == self.language, f"the screen {name} is marked as {language}"

    def begin(self):
        self.browser.wait("return document.querySelector('kiosk-attract')")
        if self.browser.script("return document.documentElement.lang") != self.language:
            self.press("language")
        self.screen("attract")

    def write(self, message):
        """Writes with the screen's own keyboard, or with a real one."""
        field = self.browser.script("return document.querySelector('#message')")
        if self.by == "touch":
            self.browser.tap(field)
            for letter in message:
                self.letter(letter)
            self.press("written")
        else:
            while self.browser.script("return document.activeElement.id") != "message":
                self.browser.keys(TAB)
            self.browser.keys(message)
        value = self.browser.script("return document.querySelector('#message').value")
        assert value == message, f"the field holds {value!r} instead of {message!r}"

    def choose(self, what):
        """Chooses how many pictures are taken, by the name of the choice."""
        name = self.words[what]
        find = "return [...document.querySelectorAll('picture-kind input')].find((node) => node.getAttribute('aria-label') === arguments[0])"
        radio = self.browser.wait(find, name)
        assert self.browser.label(radio) == name and self.browser.role(radio) == "radio"
        if self.by == "touch":
            self.tap(find, name)
        else:
            while not self.browser.script("return document.activeElement.name === 'kind'"):
                self.browser.keys(TAB)
            for _ in range(5):
                if self.browser.script("return document.activeElement.getAttribute('aria-label')") == name:
                    break
                self.browser.keys("\ue014")
        assert self.browser.script(find + ".checked", name), f"{name} is not chosen"

    def letter(self, letter):
        find = """const all = [...document.querySelectorAll('screen-keyboard [data-key]')];
            return all.find((node) => (node.dataset.key === 'space' ? ' ' : node.textContent) === arguments[0])"""
        if not self.browser.script(find, letter):
            turn = "shift" if letter.isalpha() and letter.isascii() else "marks" if letter.isascii() or letter in "áéíóúüñ¿¡" else "emoji"
            page = self.browser.script("return document.querySelector('screen-keyboard').getAttribute('page')")
            turn = "letters" if turn == "shift" and page != "letters" else turn
            self.browser.tap(self.browser.script("return document.querySelector(`[data-key=${arguments[0]}]`)", turn))
            if not self.browser.script(find, letter):
                self.browser.tap(self.browser.script("return document.querySelector('[data-key=shift]')"))
        self.tap(find, letter)

    def agree(self):
        """Says that others may see the card, or takes that back."""
        agreed = "return document.querySelector('gallery-consent input:not(:disabled)')?.checked"
        before = self.browser.wait("const one = document.querySelector('gallery-consent input:not(:disabled)'); return one && [one.checked]")[0]
        if self.by == "touch":
            self.tap("return document.querySelector('gallery-consent label')")
        else:
            while not self.browser.script("return document.activeElement.matches('gallery-consent input')"):
                self.browser.keys(TAB)
            self.browser.keys(SPACE)
        self.browser.wait(f"{agreed} === arguments[0]", not before)

    def says(self, words):
        try:
            self.browser.wait("return document.querySelector('.status').textContent.includes(arguments[0])", words)
        except AssertionError:
            raise AssertionError(f"it says {self.browser.script('return document.querySelector(`.status`).textContent')!r}, not {words!r}") from None

    def wait_for_card(self):
        """The finished card as the page shows it, and as the station has it."""
        self.screen("card")
        image = self.browser.wait("const card = document.querySelector('kiosk-card img'); return card?.naturalWidth > 0 && card")
        card = self.browser.evaluate("""(async () => {
            const card = await (await fetch(`/v1/postcards/${konza.taken.at(-1)}`)).json();
            const blob = konza.blobs.get(document.querySelector('kiosk-card img').src);
            const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
            return { ...card, shown: [...sum].map((byte) => byte.toString(16).padStart(2, '0')).join('') };
        })()""")
        self.taken.append(card["id"])
        return image, card

    def session(self):
        return self.browser.evaluate("fetch('/v1/session').then((reply) => reply.json())")

    def answers(self, method, path):
        """The status of a request made from the page."""
        return self.browser.evaluate(f"fetch('{path}', {{ method: '{method}' }}).then((reply) => reply.status)")

    @property
    def catalogue(self):
        """What the pages say in the visitor's language, by its key."""
        return json.loads((PAGES / f"words/{self.language}.json").read_text())

    def told(self, key):
        """Waits until what a key of the catalogue says is to be read on the screen, up to its first value."""
        text = self.catalogue[key].split("{")[0]
        self.browser.wait("""const node = document.querySelector('main [role=status]');
            return node?.textContent.startsWith(arguments[0]) && node.checkVisibility({ visibilityProperty: true })""", text)

    def told_each(self, screens, sizes, folder, **limits):
        """Each of the screens says something where it can be read, in each size; `screens` are what each is to show."""
        for width, height in sizes:
            self.browser.resize(width, height)
            for screen, values in screens.items():
                show(self.browser, screen, **values)
                self.browser.wait(STILL)
                said = self.browser.wait(SAID, seconds=10)
                if folder:
                    self.browser.screenshot(folder / f"unanswered-{screen}-{width}x{height}.png")
                complaints = self.measure(**limits)
                assert not complaints, f"{screen} at {width}x{height}, which says {said!r}: {complaints}"

    def axe(self):
        return self.browser.evaluate("""axe.run({ resultTypes: ["violations"], preload: false }).then(({ violations }) => violations.map(({ id, help, nodes }) =>
            `${id}: ${help}: ${nodes[0].html.slice(0, 120)}`))""")

    def tidy(self):
        for card in self.taken:
            self.answers("DELETE", f"/v1/postcards/{card}")

    def measure(self, scheme="day", target=64, gap=16):
        # Names of places are seen to once a map stands still.
        self.browser.wait("return !document.querySelector('.leaflet-pan-anim, .leaflet-zoom-anim')")
        return self.browser.script(MEASURES, target, gap, 7, scheme)
