"""The crew at the kiosk: signing in with number and PIN, the own day, the own account, and who takes care of an overdue trip."""
import contextlib
import datetime
import json
import os
import subprocess
import time
import weakref

from visitor import DRAWN, MIDDLE, OTHER_SIZES, SEEN, STILL, Visitor, fail_with, speak

# Where and when each browser was touched last.
touched = weakref.WeakKeyDictionary()
SIZES = {"en": [(1280, 800), (800, 480), (480, 800)], "es": [(800, 480), *OTHER_SIZES]}


def konza(*arguments):
    return subprocess.run([os.environ["KONZA_PROGRAM"], *arguments], capture_output=True, text=True, check=True).stdout


@contextlib.contextmanager
def account(name):
    """An account, with what only the answer says: number, PIN and badge; and what everybody has to read before a muster."""
    made = json.loads(konza("people", "add", name, "--role", "officer", "--json"))
    try:
        yield made
    finally:
        konza("people", "remove", name)


def press(browser, selector):
    """Touches what a selector finds, as somebody who has seen what came there after the last touch."""
    browser.wait("const node = document.querySelector(arguments[0]); return Boolean(node) && !node.disabled", selector)
    node = browser.script("return document.querySelector(arguments[0])", selector)
    x, y = browser.script(MIDDLE, node)
    left, top, at = touched.get(browser, (-100, -100, 0))
    if abs(x - left) < 60 and abs(y - top) < 60:
        time.sleep(max(0, at + SEEN - time.monotonic()))
    browser.tap(node)
    touched[browser] = (x, y, time.monotonic())


def type_digits(browser, digits):
    for digit in digits:
        browser.tap(browser.script("return [...document.querySelectorAll('.pad .key')].find((one) => one.textContent === arguments[0])", digit))


def sign_in(browser, made):
    browser.script("document.querySelector('kiosk-app').show('crew')")
    browser.wait("return document.querySelector('kiosk-crew .pad')")
    time.sleep(SEEN)
    type_digits(browser, str(made["person"]["number"]))
    press(browser, "kiosk-crew .primary")
    browser.wait("return document.querySelector('kiosk-crew .pin')?.textContent === '·'")
    colour = browser.script("return getComputedStyle(document.querySelector('kiosk-crew .pin')).backgroundColor")
    assert colour == "rgba(0, 0, 0, 0)", f"what is typed stands on a plate of {colour}, as a pin of a map does"
    type_digits(browser, made["pin"])
    press(browser, "kiosk-crew .primary")
    browser.wait("return document.querySelector('kiosk-crew .who')")


def in_another_language(browser, visitor, selector, expected):
    """What a node says while the other language is chosen, and after the own one is again: the words of a key, or always the same."""
    for language in ({"en": "es", "es": "en"}[visitor.language], visitor.language):
        speak(browser, language)
        browser.wait(STILL)
        said = browser.script("return document.querySelector(arguments[0])?.textContent", selector)
        words = Visitor(browser, language).catalogue.get(expected, expected)
        assert said == words, f"{selector} says {said!r} in {language}, not {words!r}"


def crew(start, language, folder, axe_core):
    """Everything by touch; each screen measured in some sizes."""
    found = []
    with start(1280, 800, [axe_core()]) as browser, account("Ana Reyes") as made:
        visitor = Visitor(browser, language)
        visitor.begin()

        look = looking(browser, visitor, language, folder, found, target=64, gap=16)
        browser.script("document.querySelector('kiosk-app').show('care', { trip: 'none', leader: 'Ana M.' })")
        browser.wait("return document.querySelector('kiosk-care input')")
        look("care", target=60, gap=8)
        # Another language takes nothing away of what was typed, or of what is shown once.
        browser.script("document.querySelector('kiosk-app').show('crew')")
        browser.wait("return document.querySelector('kiosk-crew .pad')")
        type_digits(browser, "4711")
        in_another_language(browser, visitor, "kiosk-crew .pin", "4711")
        sign_in(browser, made)
        look("crew")
        press(browser, "kiosk-crew .who button")
        browser.wait("return document.querySelectorAll('kiosk-account .tile').length === 3")
        look("account")
        press(browser, "[data-part=pin]")
        press(browser, "kiosk-account .primary")
        pin = browser.wait("return document.querySelector('kiosk-account .secret')?.textContent.replace(/\\D/g, '')")
        assert len(pin) == 6, pin
        look("pin")
        in_another_language(browser, visitor, "kiosk-account .secret", f"{pin[:3]} {pin[3:]}")
        press(browser, "kiosk-account .head button")
        press(browser, "[data-part=badge]")
        press(browser, "kiosk-account .primary")
        press(browser, "dialog .danger")
        browser.wait("return document.querySelector('kiosk-account .own-badge .code')")
        look("badge")
        press(browser, "kiosk-account .head button")
        press(browser, "[data-part=sessions]")
        browser.wait("return document.querySelectorAll('kiosk-account .sessions .tag').length === 1")
        look("sessions")
        # One's own session ends with a touch, and what opened the account before does not open it again.
        press(browser, "kiosk-account .sessions button")
        browser.wait("return document.querySelector('kiosk-crew .pad')")
        sign_in(browser, {**made, "pin": pin})
        # Whoever leaves the screens of the crew is signed out.
        visitor.press("home")
        browser.wait("return fetch('/v1/people/session').then((answer) => answer.json()).then(({ person }) => !person)")
        assert not browser.complaints(), browser.complaints()
    fail_with(found)


def pages(browser, rows, newer, older):
    """What a list that does not scroll shows on all of its pages, and that the way back leads to the first one."""
    seen, first = [], None
    while True:
        shown = browser.script("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", rows)
        assert shown, "a page is empty"
        first = first or shown
        seen += shown
        assert browser.script("const [last] = [...document.querySelectorAll(arguments[0])].slice(-1); const list = last.closest('ul'); return last.getBoundingClientRect().bottom <= list.getBoundingClientRect().bottom + 1", rows), "a row is cut off"
        assert not browser.script("return [...document.querySelectorAll(arguments[0])].some((one) => getComputedStyle(one).overflow !== 'visible' && one.scrollHeight > one.clientHeight + 1)", rows), "words of a row are cut off"
        if browser.script("return document.querySelector(arguments[0]).disabled || document.querySelector(arguments[0]).closest('[hidden]') !== null", older):
            break
        press(browser, older)
    while not browser.script("return document.querySelector(arguments[0]).disabled", newer):
        press(browser, newer)
    assert browser.script("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", rows) == first
    return seen


def announcements(start, folder):
    """Announcements that do not fit on the screen of the kiosk have pages of as many as fit, each once and with its whole title."""
    titles = [("The longest title that there can be says " * 9)[:200]] + [f"Number {number} " + "about a road that is closed until further notice because of high water in the creek " * (number % 3) for number in range(9)]
    made = [json.loads(konza("announce", "--json", "--title", title.strip(), "--audience", "everyone"))["id"] for title in titles]
    try:
        with start(800, 480) as browser:
            Visitor(browser, "en").begin()
            browser.script("document.querySelector('kiosk-app').show('notices')")
            browser.wait("return document.querySelector('kiosk-notices .announced')")
            turn = "kiosk-notices .turn button:nth-child({})"
            for width, height in [(800, 480), (480, 800), (1080, 1920)]:
                browser.resize(width, height)
                browser.wait(DRAWN)
                if folder:
                    browser.screenshot(folder / f"crew-{width}x{height}-announcements-en.png")
                seen = pages(browser, "kiosk-notices .announced .part", turn.format(1), turn.format(2))
                assert sorted(seen) == sorted(title.strip() for title in titles), seen
            assert not browser.complaints(), browser.complaints()
    finally:
        for one in made:
            konza("announce", "retire", one)


# A calendar with an event of today, whatever day it is.
TODAY = """(() => {
    const { fetch } = globalThis;
    globalThis.fetch = async (path, options) => {
        const answer = await fetch(path, options);
        if (!path.startsWith('/v1/calendar?')) return answer;
        const page = await answer.json();
        const event = { id: 'e', title: 'Guided walk on the nature trail with the naturalist', startTime: '16:00', isCancelled: false };
        return new Response(JSON.stringify({ ...page, events: [{ ...event, firstDay: page.today, lastDay: page.today }] }));
    };
})()"""


def today(start, folder):
    """The letters of the first screen make room for what is on today and for what is urgent, and are cut off nowhere."""
    place = """const [letters, button, promise, urgent, source] = ['large-letters', '.greeting .primary', '.promise', '.urgent-notice', '.source'].map((one) =>
        document.querySelector(`kiosk-attract ${one}`).getBoundingClientRect());
        const screen = document.querySelector('kiosk-attract').getBoundingClientRect();
        return [letters.top - Math.max(screen.top, urgent.bottom, urgent.height && source.bottom), letters.height, button.top - letters.bottom, screen.bottom - promise.bottom]"""
    found = []
    title = "The lower trail is closed: rattlesnakes. Stay on the upper path, and keep children close"
    with start(800, 480, [TODAY]) as browser, contextlib.ExitStack() as after:
        for language, sizes in (("en", [(800, 480), (1024, 600), (480, 800), (1280, 800), (1080, 1920)]), ("es", [(480, 800), (1280, 800), (1080, 1920)])):
            if language == "es":
                notice = json.loads(konza("announce", "--json", "--urgent", "--title", title, "--audience", "everyone"))["id"]
                after.callback(konza, "announce", "retire", notice)
            visitor = Visitor(browser, language)
            visitor.begin()
            browser.wait("return document.querySelector('.today:not([hidden])')?.textContent.includes('naturalist')")
            browser.wait("return document.querySelector('.urgent-notice').hidden === arguments[0]", language == "en")
            for width, height in sizes:
                browser.resize(width, height)
                browser.wait(DRAWN)
                above, tall, between, below = browser.script(place)
                assert above >= 0 and tall >= 0.3 * height and between >= 0 and below >= 0, (width, height, above, tall, between, below)
                found += [f"today {width}x{height} {language}: {text}" for text in visitor.measure()]
                if folder:
                    browser.screenshot(folder / f"crew-{width}x{height}-today-{language}.png")
        assert not browser.complaints(), browser.complaints()
    assert not found, found


def no_longer_signed_in(start):
    """What is for the crew alone is not said to be gone when it is the session that ended."""
    with start() as browser, account("Kay Officer") as made, contextlib.ExitStack() as after:
        notice = json.loads(konza("announce", "--json", "--title", "Keys are in the shed", "--audience", "crew"))["id"]
        after.callback(konza, "announce", "retire", notice)
        visitor = Visitor(browser, "en")
        visitor.begin()
        sign_in(browser, made)
        browser.script("document.querySelector('kiosk-app').show('notice', { notice: arguments[0] })", notice)
        browser.wait("return document.querySelector('kiosk-notice .title')?.textContent === 'Keys are in the shed'")
        konza("people", "reset", "Kay Officer")
        # It is asked for again in another language.
        visitor.tap("return document.querySelector('.language[lang=es]')")
        again = Visitor(browser, "es").catalogue["account.again"]
        browser.wait("return document.querySelector('kiosk-notice [role=status]').textContent === arguments[0]", again)
        assert not browser.script("return document.querySelector('main').textContent.includes('shed')")


def looking(browser, visitor, language, folder, found, target=60, gap=8):
    """A function that judges a screen of a name, in each size and by axe-core; what is wrong is added to `found`. `target` and `gap` are the
    least, where a screen has none of its own."""
    def look(screen, **limits):
        for width, height in SIZES[language]:
            browser.resize(width, height)
            browser.wait(DRAWN)
            # The question stands in the field, too, where there is no room for it above.
            found.extend(f"{screen} {width}x{height}: {text}" for text in visitor.measure(**{"target": target, "gap": gap, **limits}) if not text.startswith("label. "))
            if folder:
                browser.screenshot(folder / f"crew-{width}x{height}-{screen}-{language}.png")
        browser.resize(1280, 800)
        browser.wait(STILL)
        found.extend(f"{screen}: {text}" for text in visitor.axe())

    return look


def fill(browser, answer):
    """Answers the question of a party that signs out, and goes on."""
    browser.wait("return document.querySelector('kiosk-outing input')")
    browser.script("document.querySelector('kiosk-outing input').value = arguments[0]", answer)
    press(browser, "kiosk-outing .primary")


def outing(start, language, folder, axe_core):
    """A party signs out at the kiosk by trails of the network, one of which is closed."""
    found = []
    socket = ["--socket", f"{os.environ['KONZA_FOLDER']}/konza.sock"]
    names = sorted(trail["name"] for trail in json.loads(konza("trails", "--json", *socket))["trails"])
    konza("trails", "close", names[0], "--reason", "prescribed burn", *socket)
    try:
        with start(1280, 800, [axe_core()]) as browser:
            visitor = Visitor(browser, language)
            visitor.begin()

            look = looking(browser, visitor, language, folder, found)
            browser.script("document.querySelector('kiosk-app').show('outing')")
            # People write "and" between the last names.
            for answer in ["Ana Reyes", {"en": "Ben Ochoa, and Cleo Diaz", "es": "Ben Ochoa y Cleo Diaz"}[language], "watershed 20B"]:
                field = "return [...document.querySelectorAll('kiosk-outing input')].find((one) => one.value !== arguments[0] && !one.value)"
                browser.wait(field, answer)
                browser.script("document.querySelector('kiosk-outing input').value = arguments[0]", answer)
                press(browser, "kiosk-outing .primary")
            browser.wait("return document.querySelector('kiosk-outing .trail')")
            look("trails")
            browser.resize(800, 480)
            browser.wait("return document.querySelectorAll('kiosk-outing .trail').length < arguments[0]", len(names))
            seen = pages(browser, "kiosk-outing .trail .part", "kiosk-outing .choices button:nth-child(2)", "kiosk-outing .choices button:nth-child(3)")
            assert len(seen) == len(set(seen)) == len(names), seen
            browser.resize(1280, 800)
            browser.wait("return document.querySelectorAll('kiosk-outing .trail').length === arguments[0]", len(names))
            closed = browser.script("return document.querySelector('kiosk-outing .trail.closed')?.textContent")
            assert closed and "prescribed burn" in closed, closed
            # It is told from an open one by its word and by its colour.
            word = {"en": "closed", "es": "cerrado"}[language]
            assert word in closed.lower(), closed
            # At once: the page may take the scheme of the hour between two questions.
            edges, danger = browser.script("""const probe = document.body.appendChild(document.createElement('i'));
                probe.style.color = 'var(--danger)';
                const { color } = getComputedStyle(probe);
                probe.remove();
                return [['.closed', ':not(.closed)', '.closed .detail', ':not(.closed) .detail'].map((one) => getComputedStyle(document.querySelector(`kiosk-outing .trail${one}`)))
                    .map((style, place) => place < 2 ? style.borderInlineStartColor : style.fontWeight), color]""")
            assert edges[0] == danger and edges[1] != danger and edges[2] == "700" and edges[3] == "400", (edges, danger)
            shut, free = names[0], browser.script("return document.querySelector('kiosk-outing .trail:not(.closed)').dataset.trail")
            for name in (shut, free):
                press(browser, f'kiosk-outing .trail[data-trail="{name}"][aria-pressed=false]')
                browser.wait("return document.querySelector(arguments[0])", f'kiosk-outing .trail[data-trail="{name}"][aria-pressed=true]')
            # A closed one that is chosen does not look like one that is open.
            first, second = (browser.script("return getComputedStyle(document.querySelector(arguments[0])).backgroundColor", f'kiosk-outing .trail[data-trail="{name}"]') for name in (shut, free))
            assert first != second, first
            look("chosen")
            # Vehicle, and whom to ask: nobody, who then has no telephone either.
            for _ in range(3):
                press(browser, "kiosk-outing .primary")
            browser.wait("return document.querySelector('kiosk-outing .people')")
            press(browser, "kiosk-outing .choices button:first-child")
            fill(browser, "Rosa Reyes")
            for key in "+78":
                press(browser, f"screen-keyboard [data-key='{key}']")
            assert browser.script("return document.querySelector('kiosk-outing input').value") == "+78"
            fill(browser, "+1 785 555 0112")
            for key in "r@k":
                press(browser, f"screen-keyboard [data-key='{key}']")
            assert browser.script("return document.querySelector('kiosk-outing input').value") == "r@k"
            look("mail")
            fill(browser, "rosa at example.org")
            browser.wait("return document.querySelector('kiosk-outing .problem').textContent === arguments[0]", visitor.catalogue["trips.noMail"])
            in_another_language(browser, visitor, "kiosk-outing .problem", "trips.noMail")
            assert browser.script("return document.querySelector('kiosk-outing input').placeholder") == visitor.catalogue["trips.ask.email"]
            fill(browser, "rosa@example.org")
            count = {"en": "3 people", "es": "3 personas"}[language]
            browser.wait("return document.querySelector('kiosk-outing .people')?.textContent === arguments[0]", f"{count}: Ana Reyes, Ben Ochoa, Cleo Diaz")
            look("people")
            press(browser, "kiosk-outing .primary")
            browser.wait("return document.querySelector('kiosk-trips .out')")
            # What one party is asked is there at the kiosk for nobody else; the station has it.
            trips = json.loads(konza("trips", "--json"))["trips"]
            assert [trip["route"] for trip in trips] == [[shut, free]] and not trips[0].get("unknownTrails"), trips
            assert trips[0]["contact"] == {"name": "Rosa Reyes", "phone": "+1 785 555 0112", "email": "rosa@example.org"}, trips[0]["contact"]
            # Whoever belongs to the crew sees everybody by name, and where they are.
            with account("Kay Officer") as made, account("Lou Ranger"):
                sign_in(browser, made)
                browser.script("document.querySelector('kiosk-app').show('trips')")
                press(browser, "kiosk-trips .out .part button")
                for word in ["Ben Ochoa, Cleo Diaz", "watershed 20B", "prescribed burn"]:
                    browser.wait("return document.querySelector('kiosk-trip .text')?.textContent.includes(arguments[0])", word)
                # Of its trails the closed one alone is named again, with the reason.
                lines = browser.script("return [...document.querySelectorAll('kiosk-trip .text strong')].map((one) => one.textContent)")
                assert len(lines) == 1 and lines[0].startswith(shut.split(" (")[0]) and word in lines[0].lower() and "prescribed burn" in lines[0], lines
                look("trip")
                followed(browser, trips[0]["id"], language)
                # The session ends elsewhere: nothing more is shown of the party, and nobody is told that it is back.
                made |= {"pin": json.loads(konza("people", "reset", "Kay Officer", "--json"))["pin"]}
                browser.wait("return document.querySelector('kiosk-trips .out')", seconds=20)
                visitor.says(visitor.catalogue["account.again"])
                assert not browser.script("return /watershed|Ochoa/.test(document.body.textContent)"), "the party is shown to whoever comes"
                sign_in(browser, made)
                # An officer writes another word on somebody's day.
                browser.script("document.querySelector('kiosk-app').show('roster')")
                browser.tap(browser.wait("return [...document.querySelectorAll('kiosk-roster .name button')].find((one) => one.textContent === 'Lou Ranger')"))
                browser.wait("return document.querySelector('kiosk-correct .states')")
                look("correct")
                browser.tap(browser.script("return document.querySelectorAll('kiosk-correct .states button')[2]"))
                browser.wait("return document.querySelector('kiosk-correct input')")
                look("reason")
                # Whose day it is, and how it will have been, is in view while the reason is typed.
                browser.resize(800, 480)
                said = browser.script("""return ['.whose', '.primary'].map((one) => document.querySelector(`kiosk-correct ${one}`)).map((node) => node.checkVisibility()
                    && node.getBoundingClientRect().height > 10 ? node.textContent : '')""")
                state = visitor.catalogue["roster.excused"]
                assert "Lou Ranger" in said[0] and state in said[0] and state in said[1], said
                press(browser, "kiosk-correct .primary")
                browser.wait("return document.querySelector('kiosk-correct .problem').textContent")
                found.extend(f"needed: {text}" for text in visitor.measure(target=60, gap=8) if not text.startswith("label. "))
                browser.resize(1280, 800)
                browser.script("document.querySelector('kiosk-correct input').value = 'at the doctor'")
                press(browser, "kiosk-correct .primary")
                browser.wait("return [...document.querySelectorAll('kiosk-roster li[data-state=excused]')].some((one) => one.textContent.includes('at the doctor'))")
                visitor.press("home")
            assert not browser.complaints(), browser.complaints()
    finally:
        for trip in json.loads(konza("trips", "--json"))["trips"]:
            konza("trips", "return", trip["id"])
        konza("trails", "open", names[0], *socket)
    fail_with(found)


def leave(start, language, folder, axe_core):
    """An officer gives somebody leave by touch, and takes it back; of oneself there is leave alone."""
    found = []
    with start(1280, 800, [axe_core()]) as browser, account("Kay Officer") as made, account("Lou Ranger"):
        visitor = Visitor(browser, language)
        visitor.begin()

        look = looking(browser, visitor, language, folder, found)
        def open_of(name):
            browser.script("document.querySelector('kiosk-app').show('roster')")
            visitor.tap("return [...document.querySelectorAll('kiosk-roster .name button')].find((one) => one.textContent === arguments[0])", name)

        def written():
            return browser.script("return fetch('/v1/muster/leave').then((answer) => answer.json()).then(({ leave }) => leave)")

        sign_in(browser, made)
        open_of("Kay Officer")
        browser.wait("return document.querySelector('kiosk-leave .title')?.textContent.includes('Kay Officer')")
        open_of("Lou Ranger")
        browser.wait("return document.querySelector('kiosk-correct .states')")
        press(browser, "kiosk-correct .choices:last-child button:last-child")
        none = visitor.catalogue["leave.none"]
        browser.wait("return document.querySelector('kiosk-leave .says')?.textContent === arguments[0]", none)
        look("leave")
        press(browser, "kiosk-leave .primary")
        browser.wait("return document.querySelector('kiosk-leave .limits')")
        today = datetime.date.fromisoformat(browser.script("return fetch('/v1/muster/roster').then((answer) => answer.json()).then(({ day }) => day)"))
        # The last day goes along with the first one, and the first one with the last.
        for name, place in [("first", 4), ("last", 3), ("last", 1), ("last", 4), ("last", 3), ("first", 3)]:
            press(browser, f"[data-day={name}] button:nth-of-type({place})")
        look("days")
        press(browser, "kiosk-leave .primary")
        browser.wait("return document.querySelector('kiosk-leave input')")
        look("reason of leave")
        browser.script("document.querySelector('kiosk-leave input').value = 'field course'")
        press(browser, "kiosk-leave .primary")
        browser.wait("return document.querySelector('kiosk-roster')")
        first, last = (str(today + datetime.timedelta(days=count)) for count in (2, 9))
        assert [(one["first"], one["last"], one["reason"]) for one in written()] == [(first, last, "field course")], written()
        said = browser.script("return document.querySelector('.status').textContent")
        assert "Lou Ranger" in said and last[:4] in said, said
        open_of("Lou Ranger")
        browser.wait("return document.querySelector('kiosk-correct .states')")
        press(browser, "kiosk-correct .choices:last-child button:last-child")
        browser.wait("return document.querySelector('kiosk-leave li .why')?.textContent === 'field course'")
        look("leave given")
        press(browser, "kiosk-leave li .danger")
        press(browser, "dialog .danger")
        browser.wait("return document.querySelector('kiosk-leave .says')?.textContent === arguments[0]", none)
        assert written() == []
        assert not browser.complaints(), browser.complaints()
        # The session ended elsewhere: nothing is given, and why is said.
        press(browser, "kiosk-leave .primary")
        press(browser, "kiosk-leave .primary")
        browser.wait("return document.querySelector('kiosk-leave input')")
        konza("people", "reset", "Kay Officer")
        press(browser, "kiosk-leave .primary")
        browser.wait("return document.querySelector('kiosk-leave .problem')?.textContent === arguments[0]", visitor.catalogue["roster.signIn"])
    fail_with(found)


def announcing(start, language, folder, axe_core):
    """An officer writes an announcement at the kiosk, in two languages, changes it, and takes it away."""
    found = []
    titles = {"en": "Fog", "es": "Niebla"}
    other = {"en": "es", "es": "en"}[language]
    with start(1280, 800, [axe_core()]) as browser, account("Kay Officer") as made, contextlib.ExitStack() as after:
        visitor = Visitor(browser, language)
        words = visitor.catalogue
        visitor.begin()
        look = looking(browser, visitor, language, folder, found)

        def asked(question):
            browser.wait("return document.querySelector('kiosk-announce .title')?.textContent === arguments[0]", question)

        def wrote(answer):
            browser.script("document.querySelector('kiosk-announce #answer').value = arguments[0]", answer)

        def choose(name):
            press(browser, f"kiosk-announce [data-choice='{name}']")
            assert browser.script("return document.activeElement.dataset.choice") == name, "the focus is lost"

        def chosen():
            return browser.script("return [...document.querySelectorAll('kiosk-announce [aria-pressed=true]')].map(({ dataset }) => dataset.choice)")

        def kept(notice):
            return browser.script("return fetch(`/v1/announcements/${arguments[0]}`).then((answer) => answer.json())", notice)

        sign_in(browser, made)
        look("crew of officer")
        visitor.tap("return [...document.querySelectorAll('kiosk-crew .who button')].find((one) => one.textContent === arguments[0])", words["announce.open"])
        asked(words["announce.title"])
        press(browser, "kiosk-announce .primary")
        browser.wait("return document.querySelector('kiosk-announce .problem').textContent === arguments[0]", words["trips.needed"])
        look("announce title")
        if language == "en":
            for key in "fog":
                press(browser, f"screen-keyboard [data-key={key}]")
        else:
            browser.script("document.querySelector('kiosk-announce input').focus()")
            browser.keys(titles[language])
        press(browser, "kiosk-announce .primary")
        asked(words["announce.body"])
        # The letters' page and a line's end, by touch in both languages.
        for key in ["a", "newline", "b"]:
            press(browser, f"screen-keyboard [data-key={key}]")
        assert browser.script("return document.querySelector('kiosk-announce textarea').value") == "A\nB"
        look("announce text")
        wrote("Stay **off** the road by the creek.\n\nThe bridge is wet.")
        press(browser, "kiosk-announce .primary")
        asked(words["announce.how"])
        assert chosen() == ["days 0"]
        for name in ["urgent", "everyone", "days 3"]:
            choose(name)
        assert chosen() == ["urgent", "everyone", "days 3"], chosen()
        look("announce how")
        press(browser, "kiosk-announce .choices button:nth-child(2)")
        asked(words[f"announce.title.{other}"])
        # There is nothing without a title in each language.
        press(browser, "kiosk-announce .primary")
        asked(words[f"announce.body.{other}"])
        wrote("…")
        press(browser, "kiosk-announce .primary")
        browser.wait("return document.querySelector('kiosk-announce .problem').textContent === arguments[0]", words["announce.needsTitle"])
        press(browser, "kiosk-announce .choices button:first-child")
        asked(words[f"announce.title.{other}"])
        wrote(titles[other])
        press(browser, "kiosk-announce .primary")
        asked(words[f"announce.body.{other}"])
        press(browser, "kiosk-announce .primary")
        # It is shown as everybody sees it.
        browser.wait("return document.querySelector('kiosk-notice .title')?.textContent === arguments[0]", titles[language])
        assert browser.wait("return document.querySelector('kiosk-notice .written strong')?.textContent") == "off"
        visitor.says(words["announce.done"])
        look("notice of officer")
        notice = browser.script("return document.querySelector('kiosk-notice').notice")
        after.callback(subprocess.run, [os.environ["KONZA_PROGRAM"], "announce", "retire", notice], capture_output=True)
        first = kept(notice)
        assert first["isUrgent"] and first["audience"] == "everyone" and first["language"] == language and first["author"] == "Kay Officer", first
        assert {tongue: one["title"] for tongue, one in first["translations"].items()} == titles, first
        left = datetime.datetime.fromisoformat(first["endDate"]) - datetime.datetime.now(datetime.UTC)
        assert datetime.timedelta(days=2.9) < left <= datetime.timedelta(days=3), left

        # What is not touched stays as it is; what was said in the other language is shown before it is sent again.
        change = "return [...document.querySelectorAll('kiosk-notice .choices button')].find((one) => one.textContent === arguments[0])"
        visitor.tap(change, words["announce.change"])
        asked(words["announce.title"])
        assert browser.script("return document.querySelector('kiosk-announce input').value") == titles[language]
        wrote(f"{titles[language]} 2")
        press(browser, "kiosk-announce .primary")
        press(browser, "kiosk-announce .primary")
        asked(words["announce.how"])
        assert chosen() == ["urgent", "everyone", "days null"], chosen()
        choose("urgent")
        look("announce change")
        press(browser, "kiosk-announce .primary")
        asked(words[f"announce.title.{other}"])
        press(browser, "kiosk-announce .primary")
        press(browser, "kiosk-announce .primary")
        browser.wait("return document.querySelector('kiosk-notice .title')?.textContent === arguments[0]", f"{titles[language]} 2")
        second = kept(notice)
        assert (second["endDate"], second["isUrgent"], second["audience"]) == (first["endDate"], False, "everyone"), second
        assert second["translations"][other] == first["translations"][other] and second["body"] == first["body"], second
        visitor.press("home")
        # Whoever is not signed in writes nothing, and changes nothing.
        browser.script("document.querySelector('kiosk-app').show('notice', { notice: arguments[0] })", notice)
        browser.wait("return document.querySelector('kiosk-notice .title')?.textContent")
        assert browser.script("return [...document.querySelectorAll('kiosk-notice .choices button:not([hidden])')].length") == 1
        browser.script("document.querySelector('kiosk-app').show('notices')")
        browser.wait("return document.querySelector('kiosk-notices .announced')")
        assert not browser.script("return document.querySelector('kiosk-notices .head button').checkVisibility()")

        sign_in(browser, made)
        browser.script("document.querySelector('kiosk-app').show('notices')")
        browser.wait("return document.querySelector('kiosk-notices .announced')")
        look("notices of officer")
        press(browser, "kiosk-notices .announced")
        browser.wait("return document.querySelector('kiosk-notice .title')?.textContent")
        press(browser, "kiosk-notice .danger")
        press(browser, "dialog .danger")
        browser.wait("return document.querySelector('kiosk-notices')")
        assert notice not in konza("announce", "list", "--json")
        assert not browser.complaints(), browser.complaints()
        # The session ended elsewhere: nothing is written, why is said, and the words stay.
        press(browser, "kiosk-notices .head button")
        asked(words["announce.title"])
        wrote("Lost words")
        press(browser, "kiosk-announce .primary")
        press(browser, "kiosk-announce .primary")
        asked(words["announce.how"])
        konza("people", "reset", "Kay Officer")
        press(browser, "kiosk-announce .primary")
        browser.wait("return document.querySelector('kiosk-announce .problem')?.textContent === arguments[0]", words["roster.signIn"])
        assert "Lost words" not in konza("announce", "list", "--json")
    fail_with(found)


def followed(browser, trip, language):
    """What happens to a party that is out is on the crew's screen of it at once; how late it is is said as in the list."""
    before = browser.script("return document.querySelector('kiosk-trip .strong').textContent")
    konza("trips", "extend", trip, "--in", "9")
    browser.wait("return document.querySelector('kiosk-trip .strong').textContent !== arguments[0]", before, seconds=20)
    due = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=6)
    konza("trips", "extend", trip, "--expected", due.strftime("%Y-%m-%dT%H:%M:%SZ"))
    now = {"en": "expected now", "es": "se espera ahora"}[language]
    browser.wait("return document.querySelector('kiosk-trip .designation')?.textContent.startsWith(arguments[0])", now)


def rows(start, folder, axe_core):
    return [("today", lambda: today(start, folder)), ("announcements", lambda: announcements(start, folder)), ("no longer signed in", lambda: no_longer_signed_in(start)), ("announce en", lambda: announcing(start, "en", folder, axe_core)), ("announce es", lambda: announcing(start, "es", folder, axe_core)), ("leave en", lambda: leave(start, "en", folder, axe_core)), ("leave es", lambda: leave(start, "es", folder, axe_core)), ("outing en", lambda: outing(start, "en", folder, axe_core)), ("outing es", lambda: outing(start, "es", folder, axe_core)),
            ("crew en", lambda: crew(start, "en", folder, axe_core)), ("crew es", lambda: crew(start, "es", folder, axe_core))]
