"""A visitor with wet fingers: taps that come twice, pages that are loaded anew and stations that are silent in the middle, another
language in the midst of everything; and where a picture comes from, on the screens that show one."""
import contextlib
import json
import math
import os
import pathlib
import time

from crew import konza
from pairing import Tablet, delete, send_all_away, shown_at_kiosk, tablet
import season
from visitor import MIDDLE, PAGES, PLACES, STILL, Visitor, show

COUNTING = "return document.querySelector('kiosk-count .number')?.textContent"
BUTTON = "return [...document.querySelectorAll('main button')].find((node) => node.textContent.trim() === arguments[0] && node.checkVisibility() && !node.disabled)"
SCREEN = "return document.querySelector('kiosk-app').getAttribute('screen')"
# Not more than a finger takes to tap twice, and not less than the page takes to show another screen.
BETWEEN = 150
# The page takes a second tap for one that was meant from then on, milliseconds (core/shield.js, tapsAgain).
MEANT = 400
# When fingers were lifted since this was asked last, milliseconds.
LIFTED = """globalThis.konzaLifted ??= (addEventListener('pointerup', ({ timeStamp }) => konzaLifted.push(timeStamp), { capture: true }), []);
return konzaLifted.splice(0)"""
# The places of these buttons are those of others on the screens that they lead to.
SIZES = [(1080, 1920), (800, 480), (390, 844)]


# Second taps that a busy machine had so late that the page may take them for ones that were meant: a row with one proves
# nothing against the page.
late = []


def tap_twice(visitor, what, find=BUTTON, between=BETWEEN):
    """Two taps on one place, as a trembling or wet finger has them: the screen changes between them."""
    browser = visitor.browser
    browser.wait(STILL)
    node = browser.wait(find, visitor.words.get(what, what))
    browser.script("arguments[0].scrollIntoView({ block: 'nearest' })", node)
    x, y = browser.script(MIDDLE, node)
    browser.script(LIFTED)
    tap = [{"type": "pointerDown", "button": 0}, {"type": "pause", "duration": 30}, {"type": "pointerUp", "button": 0}]
    browser._call("POST", f"{browser.session}/actions", {"actions": [
        {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}, *tap, {"type": "pause", "duration": between}, *tap]}]})
    lifted = browser.script(LIFTED)
    late.extend(f"{two - one:.0f} ms" for one, two in zip(lifted, lifted[1:]) if two - one >= MEANT)


def stays(browser, screen, seconds=2):
    """The screen comes, and is left by itself alone. Taps at that place do nothing for 1.9 s after the one that led to it, at
    most (core/shield.js)."""
    browser.wait(f"{SCREEN} === arguments[0]", screen)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        now = browser.script(SCREEN)
        assert now == screen, f"a second tap led from {screen} to {now}"
        time.sleep(0.05)


def twice(start, sound):
    """What is tapped twice is done once, and the screen that comes under the finger is not touched."""
    for width, height in SIZES:
        with start(width, height, idleSeconds=600) as browser:
            visitor = Visitor(browser, "en")
            visitor.begin()
            tap_twice(visitor, "start")
            stays(browser, "compose")
            assert not browser.script("return document.querySelector('kiosk-compose').hasAttribute('typing')"), "the keyboard has come"
            assert browser.script("return document.querySelector('picture-kind input').checked"), "another kind of picture is chosen"
            tap_twice(visitor, "take")
            browser.wait(COUNTING)
            assert browser.script("return konza.posted.filter((one) => one === 'POST /v1/postcards').length") == 1
            visitor.wait_for_card()
            tap_twice(visitor, "again")
            stays(browser, "compose")
            tap_twice(visitor, "take")
            visitor.wait_for_card()
            tap_twice(visitor, "delete")
            stays(browser, "home")
            assert browser.script("return konza.posted.filter((one) => one.startsWith('DELETE /v1/postcards/')).length") == 2
            # One who means it has the button at once all the same.
            visitor.press("Map")
            visitor.press("home")
            visitor.press("Take a postcard")
            visitor.screen("compose")
            sound(browser)


def loaded_anew(start, sound):
    """A page that is loaded anew in the middle of a countdown begins anew, and what nobody saw is not kept."""
    with start() as browser:
        visitor = Visitor(browser, "en")
        visitor.begin()
        visitor.press("start")
        visitor.press("take")
        browser.wait('return konza.taken[0]')
        # Stopped, and begun once more before the first one is deleted: both.
        browser.tap(browser.wait("return document.querySelector('kiosk-count .stop')"))
        visitor.press("take")
        paths = [f"/v1/postcards/{one}" for one in browser.wait('return konza.taken.length === 2 && konza.taken')]
        browser.script("location.reload()")
        browser.wait("return !globalThis.konza?.taken?.length && document.querySelector('kiosk-attract')")
        end = time.monotonic() + 40
        for path in paths:
            while visitor.answers("GET", path) != 404:
                assert time.monotonic() < end, "a postcard that nobody saw is kept"
                time.sleep(0.2)
        # One that was seen stays.
        visitor.begin()
        visitor.press("start")
        visitor.press("take")
        _, card = visitor.wait_for_card()
        # It was drawn: a page that is loaded anew before that has shown it to nobody.
        browser.wait("return konza.posted.some((one) => one.endsWith('/seen'))")
        browser.script("location.reload()")
        browser.wait("return !globalThis.konza?.taken?.length && document.querySelector('kiosk-attract')")
        time.sleep(2)
        assert visitor.answers("GET", f"/v1/postcards/{card['id']}") == 200, "a card that was seen is gone"
        visitor.tidy()
        sound(browser)


def silent(start, sound):
    """A station that is silent for longer than a visitor waits: what it took meanwhile is deleted when it is there again."""
    with start(idleSeconds=120) as browser:
        visitor = Visitor(browser, "en")
        visitor.begin()
        visitor.press("start")
        visitor.press("take")
        path = f"/v1/postcards/{browser.wait('return konza.taken[0]')}"
        browser.script("konza.down = true; konza.events?.deref()?.close()")
        visitor.screen("failed")
        time.sleep(30)
        browser.script("konza.down = false")
        end = time.monotonic() + 20
        while visitor.answers("GET", path) != 404:
            assert time.monotonic() < end, "the postcard that nobody saw is kept"
            time.sleep(0.5)
        sound(browser)


def languages(start, sound):
    """Another language at each step: nothing is lost, and the screen is in it at once."""
    with start(maxCountdown=1) as browser:
        visitor = Visitor(browser, "en")

        def turn(language):
            visitor.language = language
            visitor.words = Visitor(browser, language).words
            visitor.press("language")
            browser.wait("return document.documentElement.lang === arguments[0]", language)

        visitor.begin()
        visitor.press("start")
        visitor.write("Hola")
        turn("es")
        assert browser.script("return document.querySelector('#message').value") == "Hola"
        visitor.press("take")
        browser.wait(COUNTING)
        turn("en")
        _, card = visitor.wait_for_card()
        assert card["message"] == "Hola"
        for language in ("es", "en", "es"):
            turn(language)
            browser.wait("return document.querySelector('kiosk-card img').naturalWidth > 0")
        visitor.press("keep")
        turn("en")
        assert browser.script("return konza.blobs.size") == 1
        visitor.tidy()
        visitor.press("done")
        sound(browser)


def asked(start, sound):
    """The question whether somebody is there comes under a finger that means something else, and is not answered by it."""
    with start(idleSeconds=4, idleWarningSeconds=30) as browser:
        visitor = Visitor(browser, "en")
        visitor.begin()
        visitor.press("start")
        visitor.write("Hi")
        browser.wait("return document.querySelector('dialog[open]')")
        browser.script("document.querySelector('dialog[open] button').click()")
        # By the page's own clock: no test is as fast as a finger that was on its way.
        touched = browser.evaluate("""new Promise((done) => {
            const dialog = document.querySelector('still-there dialog');
            new MutationObserver((_, watch) => {
                if (!dialog.open) return;
                watch.disconnect();
                dialog.querySelector('.quiet').click();
                done(dialog.open);
            }).observe(dialog, { attributes: true });
        })""")
        assert touched, "the visit was over before anybody could read the question"
        visitor.press("here")
        assert browser.script("return document.querySelector('#message').value") == "Hi"
        sound(browser)


# What opens a question, moved to where the dangerous answer comes.
UNDER = """const node = arguments[0], answer = document.querySelector('dialog[open] :is(.danger, .primary)').getBoundingClientRect();
    document.querySelector('dialog[open]').close();
    const { left, top } = node.getBoundingClientRect();
    node.style.translate = `${answer.left - left}px ${answer.top - top}px`;
    node.style.zIndex = 9;
    node.style.width = `${answer.width}px`"""
NAMED = "return [...document.querySelectorAll('main button')].find((node) => node.getAttribute('aria-label') === arguments[0] && !node.disabled)"
ANSWER = "return document.querySelector('dialog[open] .danger')"
ASKED = "return document.querySelectorAll('dialog[open]').length === 1"


def unread(visitor, find, name):
    """A question that comes under a finger that taps twice stays, whatever of it comes there; it is answered by Cancel."""
    browser = visitor.browser
    browser.tap(browser.wait(find, name))
    browser.wait(ASKED)
    browser.script(UNDER, browser.script(find, name))
    time.sleep(0.6)
    tap_twice(visitor, name, find, 200)
    time.sleep(0.8)
    assert browser.script(ASKED), f"the question that {name} opens was answered unread"
    browser.script(f"({find.removeprefix('return ').replace('arguments[0]', json.dumps(name))}).removeAttribute('style')")
    visitor.press("Cancel")
    browser.wait("return !document.querySelector('dialog[open]')")
    time.sleep(0.6)


@contextlib.contextmanager
def parties(*leaders):
    """Parties that are out for three, two and fewer hours: their trips, by leader."""
    hours = range(len(leaders) + 1, 1, -1)
    for leader, hour in zip(leaders, hours):
        konza("trips", "start", "--json", "--leader", leader, "--to", "20B", "--in", str(hour))
    try:
        yield lambda: {one["leader"]: one for one in json.loads(konza("trips", "--json"))["trips"]}
    finally:
        for one in json.loads(konza("trips", "--json"))["trips"]:
            if one["leader"] in leaders:
                konza("trips", "return", one["id"])


def out(start, sound):
    """Nobody's watch ends, and none is made longer, by the second half of a touch."""
    for width, height in [(1280, 800), (390, 844)]:
        with start(width, height, idleSeconds=600) as browser, parties("Ben O.", "Ana R.") as now:
            visitor = Visitor(browser, "en")
            visitor.begin()
            browser.script("document.querySelector('kiosk-app').show('trips')")
            browser.wait("return document.querySelectorAll('kiosk-trips .out').length === 2")
            time.sleep(0.6)
            label = lambda word, leader: next(one for one in browser.script(
                "return [...document.querySelectorAll('kiosk-trips .out button')].map((one) => one.getAttribute('aria-label'))")
                if one and one.startswith(word) and leader in one)
            unread(visitor, NAMED, label(visitor_word("trips.back"), "Ana"))
            assert len(now()) == 2, "a party is no longer waited for"
            # Ana's two hours become three, and Ben's row comes under the finger.
            before = now()
            tap_twice(visitor, label(visitor_word("trips.later"), "Ana"), NAMED, 250)
            time.sleep(1.2)
            posted = browser.script("return konza.posted.filter((one) => one.endsWith('/extend'))")
            assert len(posted) == 1, posted
            assert now()["Ben O."]["expectedAt"] == before["Ben O."]["expectedAt"], "another party has an hour more"
            # The answer, tapped twice, does nothing to the list below it.
            browser.tap(browser.wait(NAMED, label(visitor_word("trips.back"), "Ana")))
            time.sleep(0.6)
            tap_twice(visitor, "", ANSWER, 200)
            time.sleep(1.2)
            assert list(now()) == ["Ben O."] and not browser.script("return document.querySelector('dialog[open]')"), now()
            assert len(browser.script("return konza.posted.filter((one) => one.endsWith('/extend'))")) == 1
            sound(browser)


def visitor_word(key):
    return json.loads((PAGES / "words/en.json").read_text())[key]


def typing(start, sound):
    """The keyboard comes and goes under the finger that asked for it: nothing is typed, and nothing chosen."""
    chosen = "return [...document.querySelectorAll('kiosk-compose :is(template-choice, picture-kind) :is(input:checked, [aria-pressed=true])')].map((one) => one.value ?? one.textContent).join()"
    for width, height in [(390, 844), (800, 480), (480, 800), (1280, 800), (1080, 1920)]:
        with start(width, height, idleSeconds=600) as browser:
            visitor = Visitor(browser, "en")
            visitor.begin()
            visitor.press("start")
            browser.wait("return document.querySelector('template-choice *') && document.querySelector('picture-kind input')")
            before = browser.script(chosen)
            time.sleep(0.6)
            is_typing, value = "return document.querySelector('kiosk-compose').hasAttribute('typing')", "return document.querySelector('#message').value"
            tap_twice(visitor, "", "return document.querySelector('#message')")
            time.sleep(0.6)
            assert browser.script(is_typing) and not browser.script(value), f"{width}x{height}: typed {browser.script(value)!r}"
            # Who types fast types the same letter twice.
            tap_twice(visitor, "o", "return [...document.querySelectorAll('screen-keyboard .key')].find((one) => one.textContent.toLowerCase() === 'o')")
            browser.wait(f"{value.removesuffix(';')}.toLowerCase() === 'oo'")
            time.sleep(0.6)
            tap_twice(visitor, "written")
            stays(browser, "compose")
            assert not browser.script(is_typing), f"{width}x{height}: the keyboard is there again"
            assert browser.script(chosen) == before, f"{width}x{height}: {browser.script(chosen)} is chosen instead of {before}"
            assert browser.script(value).lower() == "oo", browser.script(value)
            sound(browser)


def on_paper(start, sound):
    """The buttons of a print come one in the place of another."""
    printer = pathlib.Path(os.environ["KONZA_PRINTER"])
    cancelled = "return konza.posted.filter((one) => one.startsWith('DELETE /v1/prints') || one.endsWith('/cancel')).length"
    for width, height in [*SIZES, (1280, 800)]:
        with start(width, height, idleSeconds=600) as browser:
            visitor = Visitor(browser, "en")
            visitor.begin()
            visitor.press("start")
            visitor.press("take")
            visitor.wait_for_card()
            try:
                printer.write_text("hangs")
                visitor.press("print")
                visitor.told("print.ready")
                time.sleep(0.6)
                tap_twice(visitor, "print it")
                visitor.told("print.printing")
                assert not browser.script(cancelled), f"{width}x{height}: what was asked for was stopped"
                time.sleep(0.6)
                tap_twice(visitor, "stop printing")
                stays(browser, "print")
                visitor.told("print.cancelling")
                sound(browser)
            finally:
                printer.write_text("prints")
                visitor.tidy()
            browser.wait("return fetch('/v1/printer').then((reply) => reply.json()).then((printer) => printer.waiting === 0)")


def of_ranger(start, sound):
    """A ranger on a telephone: what is hidden is not shown again, nothing is deleted unasked, one print is cancelled alone."""
    printer = pathlib.Path(os.environ["KONZA_PRINTER"])
    cards = [shown_at_kiosk(f"Wet {number}") for number in range(4)]
    name = "Hide: A visitor’s postcard: Wet 3"
    states = "return fetch('/v1/moderation').then((reply) => reply.json()).then(({ postcards }) => postcards.map((one) => one.state).join())"
    try:
        with tablet() as browser:
            ranger = Tablet(browser).pair("ranger")
            ranger.press("Gallery")
            browser.wait("return document.querySelectorAll('.shown-cards li').length >= 4")
            for between in (BETWEEN, 300):
                time.sleep(0.6)
                tap_twice(ranger, name, NAMED, between)
                time.sleep(1)
                patched = browser.script("return konza.posted.filter((one) => one.startsWith('PATCH')).length")
                state = browser.evaluate(states.removeprefix("return ")).split(",")[0]
                assert (patched, state) == (1, "hidden"), f"the card is {state} after {patched} requests"
                ranger.press(name.replace("Hide", "Show"))
                browser.wait(NAMED, name)
                browser.script("konza.posted.length = 0")
            time.sleep(0.6)
            unread(ranger, NAMED, "Delete: A visitor’s postcard: Wet 3")
            assert ranger.answers("GET", f"/v1/postcards/{cards[3]}") == 200
            # The answer, tapped twice, deletes one.
            browser.tap(browser.wait(NAMED, "Delete: A visitor’s postcard: Wet 3"))
            browser.wait(ASKED)
            time.sleep(0.6)
            tap_twice(ranger, "", ANSWER, 200)
            ranger.says("Deleted")
            time.sleep(0.8)
            assert not browser.script("return document.querySelector('dialog[open]')")
            assert [ranger.answers("GET", f"/v1/postcards/{card}") for card in cards] == [200, 200, 200, 404]
            printer.write_text("misses")
            for card in cards[:3]:
                ranger.post("/v1/prints", {"postcard": card})
            ranger.press("home")
            ranger.press("Printer")
            jobs = "return document.querySelectorAll('.jobs li button').length"
            browser.wait(f"{jobs} === 3")
            time.sleep(0.6)
            # The last one has not begun, and goes at once; the one that is printed is no longer to be cancelled.
            tap_twice(ranger, "", "return document.querySelectorAll('.jobs li button')[1]", 250)
            time.sleep(2.5)
            asked = browser.script("return konza.posted.filter((one) => one.includes('/v1/prints/'))")
            assert len(asked) == 1, asked
    finally:
        printer.write_text("prints")
        for card in cards[:3]:
            delete(card)
        send_all_away()


def origin(start, sound):
    """A picture that is none of the camera's of here and now says so on the screens that show it, in the visitor's language."""
    words = {"en": ("Simulated picture", "Picture from a recording"), "es": ("Imagen simulada", "Imagen de una grabación")}
    shown = "const node = document.querySelector('kiosk-attract .source'); return node.checkVisibility() ? node.textContent : ''"
    told = f"return (() => {{ {shown} }})() === arguments[0]"
    with start(maxCountdown=0) as browser:
        for language in ("en", "es"):
            visitor = Visitor(browser, language)
            visitor.begin()
            browser.wait(told, words[language][0])
            # It is what the station says, as soon as it says something else.
            for source, text in (("recorded", words[language][1]), ("live", "")):
                browser.evaluate(f"fetch('/v1/status').then((reply) => reply.json()).then(({{ camera }}) => {{ konza.status = {{ camera: {{ ...camera, source: '{source}' }} }}; }})")
                browser.wait(told, text)
            browser.script("konza.status = null")
            browser.wait(told, words[language][0])
            visitor.press("start")
            visitor.press("take")
            visitor.wait_for_card()
            assert browser.script("return document.querySelector('kiosk-card .ribbon').textContent") == words[language][0]
            visitor.press("delete")
            browser.script("document.querySelector('kiosk-app').dispatchEvent(new Event('over'))")
            browser.wait("return document.querySelector('kiosk-attract')")
        sound(browser)


# Two devices that ask to be let in, one under the other; whoever is decided about leaves the list.
ASKING = """{
    const waiting = ['One', 'Two'].map((name) => ({ name, letters: `AAAA${name}`, address: '192.168.8.9', state: 'waiting' }));
    globalThis.decided = [];
    konza.answers = (path, options) => {
        if (!path.startsWith('/v1/pairing-requests')) return null;
        if (!options?.method) return new Response(JSON.stringify({ requests: waiting }));
        const letters = path.split('/').pop();
        globalThis.decided.push(letters);
        waiting.splice(waiting.findIndex((one) => one.letters === letters), 1);
        return new Response('{}');
    };
}"""


def let_in(start, sound):
    """A keeper who lets one device in does not let in the next one, whose letters have come under the finger."""
    with tablet(scripts=[ASKING]) as browser:
        keeper = Tablet(browser).pair("keeper")
        keeper.press("Devices")
        browser.wait("return document.querySelectorAll('.requests li').length === 2")
        time.sleep(0.6)
        tap_twice(keeper, "", "return document.querySelector('.requests li .primary')", 300)
        browser.wait("return document.querySelectorAll('.requests li').length < 2")
        time.sleep(1.5)
        assert browser.script("return globalThis.decided") == ["AAAAOne"], browser.script("return globalThis.decided")
    send_all_away()


# Postcards of the station, in two pages; none of them is there.
PAGES_OF_CARDS = """{
    const card = (number) => ({ id: `c${number}`, place: 'Here', exposedAt: '2026-05-01T12:00:00Z', width: 640, height: 360, bytes: 1, template: 'band', source: 'live',
        links: { image: '/pages/style/icon.svg', thumbnail: '/pages/style/icon.svg' } });
    const page = (from, next) => new Response(JSON.stringify({ postcards: Array.from({ length: 24 }, (_, index) => card(from + index)), next }));
    konza.answers = (path) => path.startsWith('/v1/postcards?') && (path.includes('cursor=') ? page(24) : page(0, 'more'));
}"""


def more(start, sound):
    """Whoever asks for more of a list opens nothing of what comes in the place of the button."""
    for width, height in [(390, 844), (810, 1080), (1280, 800)]:
        with tablet(width, height, scripts=[PAGES_OF_CARDS]) as browser:
            ranger = Tablet(browser).pair("ranger")
            browser.script("document.querySelector('kiosk-app').show('gallery')")
            browser.wait("return document.querySelectorAll('.prints li').length === 24")
            # In one column: what comes is under the finger and not beside it.
            browser.script("document.querySelector('.prints').style.gridTemplateColumns = '1fr'")
            time.sleep(0.6)
            tap_twice(ranger, "", "return document.querySelector('button.more')")
            browser.wait("return document.querySelectorAll('.prints li').length === 48")
            stays(browser, "gallery")
        send_all_away()


def questions(start, sound):
    """A question that may be left out is not passed over unread by the second half of the touch that answered the one before."""
    for width, height in SIZES:
        with start(width, height, idleSeconds=600) as browser:
            visitor = Visitor(browser, "en")
            visitor.begin()
            browser.script("document.querySelector('kiosk-app').show('outing')")
            browser.wait("return document.querySelector('kiosk-outing .choices .primary')")
            for text in ("Ana", "20B"):
                before = browser.script(COUNT)
                browser.script("const field = document.querySelector('#answer'); field.value = arguments[0]; field.dispatchEvent(new Event('input'))", text)
                time.sleep(0.6)
                tap_twice(visitor, "", "return document.querySelector('kiosk-outing .choices .primary')")
                time.sleep(0.6)
                after = browser.script(COUNT)
                assert after == before + 1, f"{width}x{height}: from question {before} to {after}"
            sound(browser)


# Which question of the outing is put.
COUNT = "return Number.parseInt(document.querySelector('kiosk-outing p.note').textContent)"


def facts(start, sound):
    """The letters that come under the finger that looks for a place are not typed, and the rows that come back are not opened."""
    value = "return document.querySelector('#facts-search').value"
    for width, height in SIZES:
        with start(width, height, idleSeconds=600) as browser:
            visitor = Visitor(browser, "en")
            visitor.begin()
            browser.script("document.querySelector('kiosk-app').show('learn', { game: 'facts' })")
            browser.wait("return document.querySelectorAll('learn-facts .rows .row').length > 1")
            opened = "return document.querySelector('learn-facts .fact-page').textContent"
            before = browser.wait(opened)
            time.sleep(0.6)
            tap_twice(visitor, "", "return document.querySelector('#facts-search')")
            time.sleep(0.6)
            assert browser.script("return document.querySelector('learn-facts').hasAttribute('typing')") and not browser.script(value), browser.script(value)
            tap_twice(visitor, "", "return document.querySelector('.search-keys .gold')")
            time.sleep(0.6)
            assert browser.script(opened) == before and not browser.script(value), f"{width}x{height}: a row was opened"
            assert not browser.script("return document.querySelector('learn-facts').hasAttribute('typing')")
            sound(browser)


# A station with public links, none of which is anywhere.
LINKS = """konza.session.publicLinks = true;
konza.answers = (path) => path.endsWith('/public-link')
    && new Response(JSON.stringify({ state: 'pending', endsAt: '2027-01-01T00:00:00Z', link: { text: 'x', qr: Array(21).fill('01'.repeat(10) + '0') } }))"""


def published(start, sound):
    """Nothing is on the internet, and nothing taken from it, by the second half of a touch."""
    asked = "return konza.posted.filter((one) => one.endsWith('/public-link')).map((one) => one.split(' ')[0])"
    for width, height in [*SIZES, (1280, 800)]:
        with start(width, height, [LINKS], idleSeconds=600, maxCountdown=0) as browser:
            visitor = Visitor(browser, "en")
            visitor.begin()
            visitor.press("start")
            visitor.press("take")
            visitor.wait_for_card()
            browser.script("document.querySelector('kiosk-app').show('take')")
            offer = visitor.catalogue["take.public"]
            browser.wait(BUTTON, offer)
            # What is offered for a week stands where the offer itself did, on whatever screen.
            browser.script(OVER, browser.script(BUTTON, offer))
            time.sleep(0.6)
            tap_twice(visitor, offer)
            time.sleep(1)
            assert browser.script(asked) == [], f"{width}x{height}: {browser.script(asked)}"
            browser.tap(browser.wait("return document.querySelector('.spans button')"))
            browser.wait(BUTTON, visitor.catalogue["take.publicEnd"])
            time.sleep(0.6)
            assert browser.script(asked) == ["PUT"]
            visitor.tidy()
            sound(browser)


# Lays what comes in place of a button over it, as soon as it is there.
OVER = """const { left, top } = arguments[0].getBoundingClientRect();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`.spans button:first-child { position: fixed; left: ${left}px; top: ${top}px; z-index: 9 }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];"""


# The door does not open.
SHUT = "konza.answers = (path) => path === '/v1/kiosk/door' && new Response('{}', { status: 403 })"


def needed(start, sound):
    """What is missing or wrong is said, and the keys and buttons stay where they were: the next touch is meant for them."""
    with start(scripts=[SHUT], idleSeconds=600) as browser:
        visitor = Visitor(browser, "en")
        visitor.begin()

        def places(screen, button):
            show(browser, screen)
            browser.wait("return document.querySelector(arguments[0])", f"kiosk-{screen} {button}")
            browser.wait(STILL)
            return browser.script(PLACES)

        def stand(before, where):
            # The one that is pressed goes down a little.
            moved = [(one, other) for one, other in zip(before, browser.script(PLACES), strict=True) if math.dist(one[1:], other[1:]) > 4]
            assert before and not moved, f"{where}: {moved[:3]}"

        for width, height in [*SIZES, (480, 800), (1280, 800)]:
            browser.resize(width, height)
            for screen in ("outing", "care", "announce"):
                before = places(screen, ".choices .primary")
                visitor.tap("return document.querySelector('main .choices .primary')")
                browser.wait("return document.querySelector('main .problem').textContent")
                stand(before, f"{width}x{height} {screen}")
                visitor.press("home")
            before = places("door", ".pad")
            for digit in "1234":
                visitor.press(digit)
            visitor.press("Open")
            browser.wait("return document.querySelector('main .note').textContent")
            stand(before, f"{width}x{height} door")
            visitor.press("1")
            browser.wait("return !document.querySelector('main .note').textContent")
            stand(before, f"{width}x{height} door")
            visitor.press("home")
        sound(browser)


def here(start, sound):
    """Who says that he is there, and taps twice, chooses nothing of what was under the question."""
    with start(idleSeconds=2, idleWarningSeconds=60) as browser:
        visitor = Visitor(browser, "en")
        visitor.begin()
        visitor.press("start")
        browser.wait("return document.querySelector('kiosk-compose .take')")
        browser.wait("return document.querySelector('still-there dialog[open]')")
        # The shutter is where the answer was.
        browser.script("""const { left, top, width } = document.querySelector('still-there dialog .primary').getBoundingClientRect();
            Object.assign(document.querySelector('kiosk-compose .take').style, { position: 'fixed', left: `${left}px`, top: `${top}px`, width: `${width}px`, zIndex: 9 });""")
        time.sleep(0.6)
        tap_twice(visitor, "", "return document.querySelector('still-there dialog .primary')")
        stays(browser, "compose", 0.8)
        # It was this row that moved it.
        browser.script("konza.moved.length = 0")
        sound(browser)


def reading(start, sound):
    """Who taps twice goes on once: not past what was not read, and at the end not back to the beginning."""
    with season.season(), start(800, 480) as browser:
        visitor = Visitor(browser, "en")
        visitor.begin()
        browser.wait("return fetch('/v1/personnel').then((reply) => reply.json()).then(({ groups }) => groups.length > 3)")
        show(browser, "people")
        scroller = browser.wait("return document.querySelector('main [data-more]')")
        at = lambda: browser.script("return arguments[0].scrollTop", scroller)
        browser.script(season.ON)
        once = at()
        browser.script("arguments[0].scrollTop = 0", scroller)
        tap_twice(visitor, "", season.BELOW)
        browser.wait("return arguments[0].scrollTop > 0", scroller)
        assert at() == once, f"two taps lead to {at()} px, one to {once}"
        # A line before the end: the tap that leads there is the last one that is answered.
        browser.script("arguments[0].scrollTop = arguments[0].scrollHeight - arguments[0].clientHeight - 20", scroller)
        tap_twice(visitor, "", season.BELOW)
        assert browser.script("return arguments[0].scrollTop > 0", scroller), "the second tap led back to the beginning"
        # It was this row that moved it.
        browser.script("konza.moved.length = 0")
        sound(browser)


def in_time(row, start, sound):
    """Runs a row; once more, three times at most, if it fails and a second tap came too late."""
    for left in (3, 2, 1, 0):
        late.clear()
        try:
            return row(start, sound)
        except AssertionError as error:
            if not late or not left:
                raise
            print(f"        begun anew, for a second tap came after {', '.join(late)}: {error}", flush=True)


TWICE = {"wet twice": twice, "wet out": out, "wet typing": typing, "wet let in": let_in, "wet more": more,
         "wet questions": questions, "wet facts": facts, "wet published": published, "wet here": here, "wet paper": on_paper,
         "wet ranger": of_ranger, "wet reading": reading}
OTHERS = {"wet asked": asked, "wet needed": needed, "wet reload": loaded_anew, "wet silent": silent, "wet languages": languages, "origin": origin}
# In these a second tap has to come in time.
PUNCTUAL = list(TWICE)


def rows(start, sound):
    return [(name, lambda one=one: in_time(one, start, sound)) for name, one in TWICE.items()] \
        + [(name, lambda one=one: one(start, sound)) for name, one in OTHERS.items()]
