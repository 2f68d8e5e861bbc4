"""The learning games: their data and modules inside the page, whole games by touch and by keyboard alone, and every screen measured.

KONZA_TIMES has the modules tried with so many times as many random rounds, cuts and bags, KONZA_SEED repeats a run."""
import json
import os
import random

from browser import Browser
from visitor import DRAWN, ENTER, FOLDER, OTHER_SIZES, PLACES, TAB, Visitor, fail_with, schemes_of, speak

CHECKS = (FOLDER / "learning_checks.js").read_text()
VECTORS = FOLDER / "learning_vectors.json"
ROUNDS = 60 * int(os.environ.get("KONZA_TIMES", "1"))
SIZES = [(1280, 800), (800, 480), (480, 800), (1080, 1920)]
DATA = FOLDER.parents[1] / "Sources/Pages/learning/data"
WORLD, STATES = ({one["id"]: one for one in json.loads((DATA / f"{name}.json").read_text())["items"]} for name in ("world", "states"))
CONTINENTS = ["Africa", "Asia", "Europe", "North America", "Oceania", "South America"]
BEGUN = "return document.querySelector('learn-bar .score')?.textContent"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"


def modules(start, names):
    """What is decided without drawing anything, checked where it runs: in the browser."""
    seed = os.environ.get("KONZA_SEED", str(random.randrange(10**9)))
    print(f"        {ROUNDS} rounds of each, KONZA_SEED={seed}", flush=True)
    known = VECTORS.read_text() if VECTORS.exists() else "null"
    with start(scripts=[CHECKS, f"globalThis.learningVectors = {known}"]) as browser:
        browser.wait("return document.querySelector('main')?.childElementCount")
        for name in names:
            found = json.loads(browser.evaluate(
                f"checkLearning('{name}', {ROUNDS}, '{seed}').then(JSON.stringify, (error) => JSON.stringify([String(error.stack)]))"))
            if name == "vectors" and os.environ.get("KONZA_REWRITE"):
                VECTORS.write_text(browser.evaluate("JSON.stringify(learningVectors)") + "\n")
                continue
            assert not found, f"{name} (KONZA_SEED={seed}):\n    " + "\n    ".join(found)


class Player:
    """A visitor at the games, who knows the answers by the shipped files and reads the questions off the screen."""

    def __init__(self, browser, by, url):
        self.browser, self.by, self.url = browser, by, url.rstrip("/")
        self.visitor = Visitor(browser, "en", by)

    def open(self, path):
        self.browser.open(self.url + path)
        self.browser.wait("return document.querySelector('kiosk-learn h1')")

    def press(self, name):
        self.visitor.press(name)

    def choose(self, name):
        """One of several that exclude one another."""
        find = "return [...document.querySelectorAll('main [role=radio]')].find((node) => node.textContent.trim() === arguments[0])"
        assert self.browser.role(self.browser.wait(find, name)) == "radio"
        if self.by == "touch":
            return self.visitor.tap(find, name)
        self.focus(find.replace("arguments[0]", json.dumps(name)))
        self.browser.keys(ENTER)

    def begin_youngest(self):
        find = "return document.querySelector('learn-jigsaw .levels button')"
        if self.by == "touch":
            return self.visitor.tap(find)
        self.browser.wait(find)
        self.focus(find)
        self.browser.keys(ENTER)

    def text(self, selector):
        return self.browser.wait("return document.querySelector(arguments[0])?.textContent", selector)

    def score(self):
        return tuple(int(part) for part in self.text("learn-bar .score").split("/"))

    def scored(self, right):
        self.browser.wait("return document.querySelector('learn-bar .score')?.textContent.split('/')[0] === arguments[0]", str(right))

    def focus(self, find):
        """Reaches an element by the Tab key alone."""
        for _ in range(90):
            if self.browser.script(f"const wanted = (() => {{ {find} }})(); return wanted === document.activeElement"):
                return
            self.browser.keys(TAB)
        raise AssertionError(f"Tab does not lead to: {find}")

    def result(self):
        return self.text(".sheet-end .result")

    def progress(self):
        return self.browser.evaluate("fetch('/v1/learning/progress').then((reply) => reply.json())")

    def asked(self, selector, items):
        """The item whose name is on the screen."""
        name = self.text(selector)
        return next(one for one in items.values() if one["name"] == name)


def easy(player):
    """Two are right, one is wrong; the right one is shown."""
    player.open("/learn/quiz/easy?seed=robot")
    player.press("Start")
    player.browser.wait(BEGUN)
    for number in range(3):
        item = player.asked("learn-easy .question", WORLD)
        right = [item["continent"], *item.get("continentAlso", [])]
        choice = right[0] if number != 1 else next(one for one in CONTINENTS if one not in right)
        player.choose(choice)
        player.press("That one")
        player.browser.wait("return document.querySelector('learn-easy .six .right') || arguments[0] !== document.querySelector('learn-easy .question')?.textContent", item["name"])
        player.browser.wait("return arguments[0] !== document.querySelector('learn-easy .question')?.textContent", item["name"])
    assert player.score() == (2, 40), player.score()


def medium(player):
    """A touch on the label of the country is a touch on its continent; by keyboard the continent is chosen by its name."""
    player.open("/learn/quiz/medium?seed=robot")
    player.press("Start")
    player.browser.wait("return document.querySelector('learn-medium world-map path')")
    for number in range(2):
        item = player.asked("learn-medium .question", WORLD)
        if player.by == "touch":
            player.browser.script("globalThis.place = document.querySelector('learn-medium world-map').point(arguments[0])", item["label"])
            touch(player.browser)
        else:
            player.focus(f"return document.querySelector('learn-medium [role=button][aria-label=\"{item['continent']}\"]')")
            player.browser.keys(ENTER)
        player.scored(number + 1)
        player.browser.wait("return arguments[0] !== document.querySelector('learn-medium .question')?.textContent", item["name"])


def touch(browser):
    """Touches the point of the screen that a script has found."""
    x, y = browser.script("return [place.x, place.y]")
    browser._call("POST", f"{browser.session}/actions", {"actions": [{"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": [
        {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
        {"type": "pause", "duration": 30}, {"type": "pointerUp", "button": 0}]}]})


def drag(browser, start, end):
    steps = [{"type": "pointerMove", "duration": 40, "origin": "viewport", "x": round(start[0] + (end[0] - start[0]) * part / 4),
              "y": round(start[1] + (end[1] - start[1]) * part / 4)} for part in range(5)]
    browser._call("POST", f"{browser.session}/actions", {"actions": [{"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": [
        steps[0], {"type": "pointerDown", "button": 0}, *steps[1:], {"type": "pointerUp", "button": 0}]}]})


PIN = """const [x, y] = arguments[0];
    return [...document.querySelectorAll('learn-pins .pin line')].findIndex((one) => Number(one.getAttribute('x2')) === x && Number(one.getAttribute('y2')) === y)"""


def pins(player, level, name=None, count=None):
    """Every label to its pin: by drag and by touch in turn, or by keyboard alone; one label goes to a wrong pin first."""
    player.open(f"/learn/quiz/{level}?seed=robot")
    player.press(name or "Start")
    items = STATES if level == "states" else WORLD
    player.browser.wait("return document.querySelectorAll('learn-pins .pin').length && document.querySelector('learn-pins .label').textContent")
    all_of = player.score()[1]
    names = player.browser.script("return [...document.querySelectorAll('learn-pins .pin')].map((one) => one.getAttribute('aria-label'))")
    known = {one["name"] for one in items.values()}
    assert len(names) == all_of and all(not any(word in label for word in known) for label in names), f"pins that name the answer: {names}"
    whole = player.browser.script("return document.querySelector('learn-pins').outerHTML")
    shown = player.text("learn-pins .label")
    assert not any(f">{one}<" in whole or f'"{one}"' in whole for one in known if one != shown), "the document holds answers"
    for number in range(count or all_of):
        item = player.asked("learn-pins .label", items)
        index = player.browser.script(PIN, item["label"])
        if number == 1:
            other = player.browser.script("return [...document.querySelectorAll('learn-pins .pin')].findIndex((one, index) => index !== arguments[0] && !one.matches('.found'))", index)
            answer(player, other, number)
            player.browser.wait("return document.querySelector('learn-bar .said').textContent.startsWith('Not there')")
            assert player.score()[0] == number and player.text("learn-pins .label") == item["name"], "a wrong pin moved on"
            player.browser.wait("return !document.querySelector('learn-pins .pin.wrong')")
        answer(player, index, number)
        player.browser.wait("return document.querySelectorAll('learn-pins .pin.found').length === arguments[0] || document.querySelector('.sheet-end')", number + 1)
    return all_of


def answer(player, index, number):
    browser = player.browser
    browser.script("const { left, top, width, height } = document.querySelectorAll('learn-pins .pin circle')[arguments[0]].getBoundingClientRect(); globalThis.place = { x: left + width / 2, y: top + height / 2 }", index)
    # Answers nearer to one another than a quarter of a second are double taps.
    browser.wait("globalThis.since ??= performance.now(); if (performance.now() - since < 260) return false; delete globalThis.since; return true")
    if player.by == "keyboard":
        browser.script("globalThis.wantedPin = document.querySelectorAll('learn-pins .pin')[arguments[0]]", index)
        player.focus("return globalThis.wantedPin")
        browser.keys(ENTER)
    elif number % 2:
        touch(browser)
    else:
        box = browser.script("const { left, top, width, height } = document.querySelector('learn-pins .label').getBoundingClientRect(); return [left + width / 2, top + height / 2]")
        drag(browser, box, browser.script("return [place.x, place.y]"))


def hard(player):
    # Each way has its own: what was found before stands behind the name.
    continent = "Oceania" if player.by == "touch" else "North America"
    right = pins(player, "hard", continent)
    assert player.result() == f"{right} of {right}", player.result()
    best = {one["activity"]: one for one in player.progress()["activities"]}[f"quiz/hard/{continent.lower().replace(' ', '-')}"]
    assert best["right"] == best["of"] == right and best["state"] == "done" and best["accuracy"] < 1, best


def states(player):
    pins(player, "states", count=3)
    player.press("Stop")
    assert player.result() == "3 of 50", player.result()


# The middle of a piece.
HOME = "const box = arguments[0].getBoundingClientRect(); return { x: box.left + box.width / 2, y: box.top + box.height / 2 };"


def jigsaw(player):
    """The youngest level put together: each piece is tried on every place until it fits."""
    player.open("/learn/jigsaw?seed=robot")
    player.begin_youngest()
    browser = player.browser
    browser.wait("return document.querySelectorAll('learn-jigsaw .piece').length === 6")
    ghost = browser.script("const { left, top, width, height } = document.querySelector('.ghost').getBoundingClientRect(); return [left, top, width, height]")
    while not browser.script("return Boolean(document.querySelector('.sheet-end'))"):
        # One that no other piece covers.
        isOver = browser.wait("""globalThis.wantedPiece = [...document.querySelectorAll('learn-jigsaw .piece:not(.home)')].find((node) => {
            const box = node.getBoundingClientRect(); return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === node; });
            return document.querySelector('.sheet-end') ? 'over' : globalThis.wantedPiece && 'piece'""") == "over"
        for cell in range(0 if isOver else 6):
            row, column = divmod(cell, 3)
            if player.by == "keyboard":
                player.focus("return globalThis.wantedPiece")
                browser.keys(ENTER + LEFT * 2 + UP + RIGHT * column + DOWN * row + ENTER)
            else:
                middle = browser.script(HOME, browser.script("return globalThis.wantedPiece"))
                drag(browser, (middle["x"], middle["y"]), (ghost[0] + ghost[2] * (column + 0.5) / 3, ghost[1] + ghost[3] * (row + 0.5) / 2))
            if browser.script("return globalThis.wantedPiece.matches('.home') || !globalThis.wantedPiece.isConnected"):
                break
        else:
            assert isOver, "a piece fits nowhere"
    assert "Done in" in player.result(), player.result()
    best = {one["activity"]: one for one in player.progress()["activities"]}["jigsaw/youngest"]
    assert best["right"] == best["of"] == 6 and best["seconds"] > 0, best


def turn(player):
    if player.by == "touch":
        return player.visitor.tap("return document.querySelector('learn-cards .face')")
    player.focus("return document.querySelector('learn-cards .face')")
    player.browser.keys(ENTER)


def cards(player):
    player.open("/learn/cards?seed=robot")
    player.browser.wait("return document.querySelector('learn-cards .face .name')")
    for _ in range(2):
        assert "Which country" in player.text("learn-cards .face"), "a card says its name before it is touched"
        held = player.browser.script("return document.querySelector('learn-cards').outerHTML")
        assert not any(f">{one['name']}<" in held for one in WORLD.values() if one.get("deck")), "the document holds the answer"
        turn(player)
        item = player.asked("learn-cards .face .name", WORLD)
        assert player.text("learn-cards .face .where") == item["continent"]
        player.press("Next")
    # One that was not known comes again after three to five others.
    number = player.text("learn-bar .score")
    turn(player)
    player.press("Show it again soon")
    between = 0
    while player.text("learn-bar .score") != number:
        between += 1
        player.press("Next")
    assert 3 <= between <= 5, f"the card came again after {between} others"


def facts(player):
    """A country found by letters without their accents."""
    player.open("/learn/facts")
    player.browser.wait("return document.querySelector('learn-facts .row')")
    if player.by == "touch":
        player.visitor.tap("return document.querySelector('#facts-search')")
        for letter in "cote":
            player.visitor.tap("return [...document.querySelectorAll('screen-keyboard [data-key]')].find((key) => key.dataset.key === arguments[0])", letter)
        player.press("Done")
    else:
        player.focus("return document.querySelector('#facts-search')")
        player.browser.keys("cote")
    find = "return [...document.querySelectorAll('learn-facts .row')].find((row) => row.textContent === \"Côte d'Ivoire\")"
    player.browser.wait(find)
    if player.by == "touch":
        player.visitor.tap(find)
    else:
        player.focus(find)
        player.browser.keys(ENTER)
    player.browser.wait("return document.querySelector('.fact-page h2')?.textContent === \"Côte d'Ivoire\" && document.querySelector('.fact-page dl').textContent.includes('Yamoussoukro')")


def prairie(player):
    player.open("/learn/prairie?seed=robot")
    player.choose("Who eats it?" if player.by == "touch" else "Which group?")
    player.press("Start")
    player.browser.wait("return document.querySelectorAll('learn-prairie .answers button').length")
    deck = {one["name"]: one for one in json.loads((DATA / "prairie.json").read_text())["items"]}
    eaters = {"Common milkweed": "Monarch butterfly", "Prairie violet": "Regal fritillary", "White sage": "Cudweed grasshopper"}
    of = player.score()[1]
    def one(isWrong=False):
        name = player.text("learn-prairie .question")
        right = eaters[name] if player.by == "touch" else deck[name]["group"].capitalize()
        if isWrong:
            right = player.browser.script("return [...document.querySelectorAll('learn-prairie .answers button')].map((one) => one.textContent).find((text) => text !== arguments[0])", right)
        player.press(right)
        player.browser.wait("return document.querySelector('.sheet-end') || document.querySelector('learn-prairie .question')?.textContent !== arguments[0]", name)
        return name

    missed = one(isWrong=True)
    for _ in range(of - 1):
        one()
    assert player.result() == f"{of - 1} of {of}", player.result()
    # What was missed is practised until it is known, and no score is made of it.
    plays = {game["activity"]: game["plays"] for game in player.progress()["activities"]}
    player.press("Practise these")
    player.browser.wait("return document.querySelector('learn-prairie .question')")
    asked = []
    while not player.browser.script("return Boolean(document.querySelector('.sheet-end'))"):
        asked.append(one(isWrong=not asked))
    assert missed in asked and len(asked) > len(set(asked)), f"practised {asked}, missed {missed}"
    assert {game["activity"]: game["plays"] for game in player.progress()["activities"]} == plays, "practice was scored"


def trails(player):
    """The station's own trails: each is lit once, and after a wrong answer the right one is named."""
    browser = player.browser
    player.open("/learn/prairie?seed=robot")
    player.choose("Trails")
    player.press("Start")
    seen = []
    while not browser.script("return Boolean(document.querySelector('.sheet-end'))"):
        lit = browser.wait("return document.querySelector('learn-prairie .lit')?.getAttribute('d')")
        assert lit not in seen, "a trail is asked twice"
        seen.append(lit)
        names = browser.script("return [...document.querySelectorAll('learn-prairie .answers button')].map((one) => one.textContent)")
        assert len(set(names)) == 4, names
        player.press(names[0])
        browser.wait("return document.querySelectorAll('learn-prairie .answers .right').length === 1 || document.querySelector('.sheet-end')")
        browser.wait("return document.querySelector('.sheet-end') || document.querySelector('learn-prairie .lit').getAttribute('d') !== arguments[0]", lit)
    trails = browser.evaluate("fetch('/v1/trails').then((reply) => reply.json()).then(({ trails }) => trails.length)")
    assert player.result().endswith(f"of {min(10, trails)}") and len(seen) == min(10, trails), player.result()


def play(start, url, by, games, sound):
    with start() as browser:
        player = Player(browser, by, url)
        for game in games:
            game(player)
        sound(browser)


def young(player):
    """Nothing is read: the picture like the one above, after a wrong one; then the year of the prairie, by its pictures alone."""
    browser = player.browser

    def choose(find):
        if player.by == "touch":
            player.visitor.tap(find)
        else:
            player.focus(find)
            browser.keys(ENTER)

    player.open("/learn/young?seed=robot")
    choose("return document.querySelectorAll('.young-tile')[0]")
    shape = "const shape = (node) => node.querySelector('path').getAttribute('d');"
    for number in range(8):
        browser.wait("return document.querySelectorAll('.young-choice').length === 3")
        box = browser.script("return [...document.querySelectorAll('.young-choice')].map((one) => { const { width, height } = one.getBoundingClientRect(); return Math.min(width, height); })")
        assert min(box) >= 96, f"a target of {min(box)} px"
        right = f"{shape} return [...document.querySelectorAll('.young-choice')].find((one) => shape(one) === shape(document.querySelector('.young-asked')))"
        assert browser.script(f"{shape} return [...document.querySelectorAll('.young-choice')].filter((one) => shape(one) === shape(document.querySelector('.young-asked'))).length") == 1
        if number == 1:
            choose(f"{shape} return [...document.querySelectorAll('.young-choice')].find((one) => shape(one) !== shape(document.querySelector('.young-asked')))")
            browser.wait("return document.querySelector('.young-choice.wrong')")
            browser.wait("globalThis.since ??= performance.now(); if (performance.now() - since < 260) return false; delete globalThis.since; return true")
        browser.script("globalThis.before = document.querySelector('.young')")
        choose(right)
        browser.wait("return document.querySelector('.young') !== globalThis.before")
    browser.wait("return document.querySelectorAll('.young-stars .icon').length === 8")
    player.press("Other pictures")
    choose("return document.querySelectorAll('.young-tile')[1]")
    names = ["Spring", "Summer", "Autumn", "Winter"]
    for _ in names:
        asked = browser.wait("return document.querySelector('.young-asked')?.getAttribute('aria-label')").split(":")[0]
        following = names[(names.index(asked) + 1) % 4]
        browser.script("globalThis.before = document.querySelector('.young')")
        choose(f"return [...document.querySelectorAll('.young-choice')].find((one) => one.getAttribute('aria-label').startsWith('{following}'))")
        browser.wait("return document.querySelector('.young') !== globalThis.before")
    browser.wait("return document.querySelectorAll('.young-stars .icon').length === 4")


def class_quiz(start, url, sound, by):
    """A class at the kiosk: a tablet joins by the code and plays, another one plays by requests alone and cheats in vain."""
    tablets = os.environ["KONZA_TABLETS_URL"].rstrip("/")
    with start() as board, Browser([(FOLDER / "watch.js").read_text()]) as tablet:
        teacher = Player(board, by, url)
        teacher.open("/learn/class")
        teacher.choose("1 min")
        teacher.press("Get a code")
        code = teacher.text(".class-code .digits")
        tablet.resize(480, 800)
        tablet.open(f"{tablets}/learn/join")
        tablet.wait("return document.querySelector('.keypad')")
        member = Player(tablet, by, tablets)
        wrong = f"{(int(code) + 1 - 1000) % 9000 + 1000}"
        for digit in (*wrong, *code):
            tablet.wait("return document.querySelector('.class-typed .digits').textContent !== arguments[0]", wrong)
            if by == "touch":
                member.visitor.tap("return [...document.querySelectorAll('.digit')].find((node) => node.textContent === arguments[0])", digit)
            else:
                tablet.keys(digit)
        tablet.wait("return document.querySelector('.class-waits .class-me')")
        other = board.evaluate(f"fetch('/v1/learning/classes/{code}/members', {{ method: 'POST' }}).then((reply) => reply.json())")
        board.wait("return document.querySelectorAll('.class-member').length === 2")
        teacher.press("Start for all")
        own = tablet.wait("return document.querySelector('.class-me .name')?.textContent")
        right = 0
        for number in range(3):
            item = member.asked("learn-join .question", WORLD)
            name = item["continent"] if number != 1 else next(one for one in CONTINENTS if one not in [item["continent"], *item.get("continentAlso", [])])
            # Answers nearer to one another than a quarter of a second are double taps.
            tablet.wait("globalThis.since ??= performance.now(); if (performance.now() - since < 260) return false; delete globalThis.since; return true")
            member.press(name)
            right += number != 1
            tablet.wait("return document.querySelector('learn-join .question')?.textContent !== arguments[0]", item["name"])
        member.scored(right)

        def turn(**values):
            return board.evaluate(f"fetch('/v1/learning/classes/{code}/turns', {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }}, body: JSON.stringify({json.dumps(values)}) }}).then((reply) => reply.json())")
        # A page that says what it likes: another question, an answer that was not offered, the same answer again.
        ticket = other["ticket"]
        asked = turn(ticket=ticket)["question"]
        answer = WORLD[asked["item"]]["continent"].lower().replace(" ", "-")
        assert "judged" not in turn(ticket=ticket, question=asked["number"] + 1, choice=answer)
        assert "judged" not in turn(ticket=ticket, question=asked["number"], choice="atlantis")
        assert turn(ticket=ticket, question=asked["number"], choice=answer)["judged"]["right"]
        again = turn(ticket=ticket, question=asked["number"], choice=answer)
        assert "judged" not in again and again["right"] == 1, again
        board.wait("return document.querySelector('.class-sum .result')?.textContent === arguments[0]", str(right + 1))
        shown = board.script("return document.querySelector('learn-class').innerText")
        assert own in shown and "%" not in shown and not board.script("return document.querySelector('learn-class .wrong, learn-class .member-score')"), shown
        teacher.press("Stop")
        board.wait("return document.querySelector('.class-end')?.textContent.includes(arguments[0])", f"Together you found {right + 1}")
        tablet.wait("return document.querySelector('.sheet-end')?.textContent.includes(arguments[0])", f"You found {right}")
        assert "judged" not in turn(ticket=ticket, question=2, choice="africa"), "an answer after the end counts"
        sound(board)


FIRST_DRAWN = """(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const begun = performance.now();
    document.querySelector('[data-game="cards"]').click();
    while (!document.querySelector('.land')) await frame();
    await frame();
    return performance.now() - begun;
})()"""
FEEDBACK = """globalThis.feedback = []; document.querySelector('learn-medium world-map').addEventListener('click', (event) => {
    const begun = performance.now();
    const watch = new MutationObserver(() => { watch.disconnect(); requestAnimationFrame(() => feedback.push(performance.now() - begun)); });
    watch.observe(document.querySelector('learn-bar .said'), { childList: true });
}, { capture: true })"""
FRAMES = """globalThis.frames = []; globalThis.counts = true; let before = performance.now();
    const next = (now) => { frames.push(now - before); before = now; if (counts) requestAnimationFrame(next); }; requestAnimationFrame(next)"""


def figures(start, url):
    """What the games take: printed, with no bound, since machines differ and others may be busy on this one."""
    def show(what, value, unit):
        print(f"        {what}: {value:.1f} {unit}", flush=True)

    drawn = []
    for _ in range(3):
        with start() as browser:
            browser.open(url.rstrip("/") + "/learn")
            browser.wait("return document.querySelector('[data-game=cards]')")
            drawn.append(browser.evaluate(FIRST_DRAWN))
            size = browser.evaluate("performance.getEntriesByType('resource').filter(({ name }) => /learn|world-map/.test(name)).reduce((sum, one) => sum + one.transferSize, 0)")
    show("world map first drawn, its data asked for, the median of 3", sorted(drawn)[1], "ms")
    with start() as browser:
        player = Player(browser, "touch", url)
        for path in ("/learn/quiz/states", "/learn/prairie", "/learn/facts"):
            player.open(path)
            if not path.endswith("facts"):
                player.press("Start")
                browser.wait("return document.querySelector('.pin, .riddle')")
        total = browser.evaluate("Promise.all(['world', 'states', 'prairie'].map((one) => fetch(`/pages/learning/data/${one}.json`).then((reply) => reply.arrayBuffer()).then((bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()).then(({ byteLength }) => byteLength))).then((sizes) => sizes.reduce((sum, one) => sum + one, 0))")
        show("pages and data of the games on the wire, the world's alone", size / 1000, "kB")
        show("all data of the games, compressed", total / 1000, "kB")
        player.open("/learn/quiz/medium?seed=robot")
        player.press("Start")
        browser.wait("return document.querySelector('learn-medium world-map path')")
        browser.script(FEEDBACK)
        for number in range(8):
            item = player.asked("learn-medium .question", WORLD)
            browser.script("globalThis.place = document.querySelector('learn-medium world-map').point(arguments[0])", item["label"])
            touch(browser)
            browser.wait("return arguments[0] !== document.querySelector('learn-medium .question')?.textContent", item["name"])
        samples = sorted(browser.script("return feedback"))
        show(f"touch to feedback, the median of {len(samples)}", samples[len(samples) // 2], "ms")
        browser.resize(1920, 1080)
        player.open("/learn/jigsaw?seed=robot")
        browser.wait("const node = document.querySelector('.levels button:nth-child(3)'); node?.click(); return Boolean(node)")
        browser.wait("return document.querySelectorAll('learn-jigsaw .piece').length === 40")
        middle = browser.script(HOME, browser.wait("return [...document.querySelectorAll('.piece')].find((node) => { const box = node.getBoundingClientRect(); return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === node; })"))
        browser.script(FRAMES)
        moves = [{"type": "pointerMove", "duration": 16, "origin": "viewport", "x": round(middle["x"] - number * 6), "y": round(middle["y"] + (number % 40) - 20)} for number in range(100)]
        browser._call("POST", f"{browser.session}/actions", {"actions": [{"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": [
            {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": round(middle["x"]), "y": round(middle["y"])}, {"type": "pointerDown", "button": 0}, *moves, {"type": "pointerUp", "button": 0}]}]})
        intervals = browser.script("counts = false; return frames")
        show(f"frames under 17 ms while a piece is dragged at 1920x1080, of {len(intervals)}", 100 * sum(one < 17 for one in intervals) / len(intervals), "%")
        show("the frame at 95 %", sorted(intervals)[int(0.95 * len(intervals))], "ms")
        heap = []
        for turn in range(3):
            for _ in range(5):
                for game in ("cards", "quiz/medium", "facts", "young"):
                    browser.script("document.querySelector('kiosk-learn').firstChild.dispatchEvent(new CustomEvent('play', { bubbles: true, detail: { game: arguments[0] } }))", game)
                    browser.script("document.querySelector('.sheet-start .primary, .young-tile')?.click()")
            browser.script("document.querySelector('kiosk-learn').firstChild.dispatchEvent(new CustomEvent('play', { bubbles: true, detail: { game: '' } }))")
            browser.devtools("HeapProfiler.collectGarbage")
            heap.append(browser.devtools("Runtime.getHeapUsage")["usedSize"] / 1e6)
        print(f"        memory of the page after 20, 40 and 60 games: {', '.join(f'{one:.2f}' for one in heap)} MB", flush=True)


def found(start, url):
    """Every country clicked where it is: in its continent's map, by a real pointer, at its label; and every state at its capital."""
    with start() as browser:
        Player(browser, "touch", url).open("/learn/cards")
        browser.wait("return document.querySelector('world-map')")
        browser.evaluate("""Promise.all(['atlas', 'geometry'].map((one) => import(`/pages/learning/${one}.js`))).then(async ([atlas, geometry]) => {
            const maps = { world: await atlas.world(), states: await atlas.states() };
            const node = document.createElement('world-map');
            Object.assign(node.style, { position: 'fixed', inset: 0, zIndex: 9999 });
            document.body.append(node);
            let shown = '';
            globalThis.aim = (kind, id) => {
                const map = maps[kind];
                const item = map.byID.get(id);
                // Its continent; a nearer frame for what is smaller than two pixels there, or lies beyond 180 degrees.
                const whole = atlas.padded(kind === 'world' ? map.frames[item.continent] : map.frame);
                const [left, top, right, bottom] = item.frame;
                const isSeen = left > whole[0] && right < whole[2] && Math.min(right - left, bottom - top) > (whole[2] - whole[0]) / 300;
                const [x0, y0] = item.label;
                const frame = isSeen ? whole : [x0 - 400, y0 - 250, x0 + 400, y0 + 250];
                if (shown !== String(frame)) node.show(map, frame);
                shown = String(frame);
                node.onclick = (event) => { globalThis.hit = geometry.touched(map.items, ...node.place(event), 24 * node.scale)?.id; };
                globalThis.hit = null;
                const { x, y } = node.point(kind === 'world' ? item.label : item.capital.point);
                return [x, y];
            };
        }).then(() => true)""")
        wrong = []
        places = [("world", one) for one in WORLD.values() if one["status"] == "member"] + [("states", one) for one in STATES.values() if one.get("kind") == "state"]
        for kind, one in sorted(places, key=lambda place: (place[0], place[1].get("continent", ""))):
            x, y = browser.script("return aim(...arguments)", kind, one["id"])
            for event in ("mousePressed", "mouseReleased"):
                browser.devtools("Input.dispatchMouseEvent", type=event, x=x, y=y, button="left", clickCount=1)
            if (hit := browser.script("return hit")) != one["id"]:
                wrong.append(f"{one['name']}: {hit}")
        assert len(places) == 243 and not wrong, f"{len(wrong)} of {len(places)} are not found where they are: {wrong[-12:]}"


def postcard(start, url, sound):
    """The visitor's own card in pieces, from the button beside it; the picture is not asked for again."""
    with start(maxCountdown=0) as browser:
        player = Player(browser, "touch", url)
        visitor = player.visitor
        visitor.begin()
        visitor.press("start")
        visitor.press("take")
        visitor.wait_for_card()
        try:
            visitor.press("Jigsaw")
            before = len(browser.addresses())
            player.begin_youngest()
            browser.wait("return document.querySelectorAll('learn-jigsaw .piece').length === 6")
            pictures = [one for one in browser.addresses() if "/postcards/" in one and one.endswith("image.jpg")]
            assert len(pictures) <= 1, f"asked for the picture again: {pictures}, {before}"
            whole = browser.evaluate("""(async () => {
                const [{ cut }, { Board }] = await Promise.all(['cutter', 'board'].map((name) => import(`/pages/learning/${name}.js`)));
                const image = await createImageBitmap([...konza.blobs.values()].at(-1));
                const [width, height] = [image.width, image.height];
                const draw = (paint) => { const one = new OffscreenCanvas(width, height); const context = one.getContext('2d'); paint(context); return context.getImageData(0, 0, width, height).data; };
                const original = draw((context) => context.drawImage(image, 0, 0));
                const pieces = cut({ columns: 4, rows: 3, width, height, seed: 'robot' });
                const mended = draw((context) => { for (const { path } of pieces) { context.save(); context.clip(new Path2D(path)); context.drawImage(image, 0, 0); context.restore(); } });
                let different = 0; let holes = 0;
                for (let at = 0; at < original.length; at += 4) {
                    if (mended[at + 3] < 128) holes += 1;
                    if (mended[at + 3] === 255 && [0, 1, 2].some((band) => mended[at + band] !== original[at + band])) different += 1;
                }
                return { holes, share: different / (width * height) };
            })()""")
            assert whole["holes"] == 0 and whole["share"] < 0.001, f"the pieces together are not the picture: {whole}"
            sound(browser)
        finally:
            visitor.tidy()


# The least target and gap of a tablet's page, pixels.
TABLET = (44, 8)
# Members of a class that are not wholly on its board.
CUT_MEMBERS = """return [...document.querySelectorAll('.class-member')].filter((node) => {
    const list = node.parentElement.getBoundingClientRect(); const main = document.querySelector('main').getBoundingClientRect(); const box = node.getBoundingClientRect();
    return box.top < Math.max(list.top, main.top) - 1 || box.bottom > Math.min(list.bottom, main.bottom) + 1 || box.left < list.left - 1 || box.right > list.right + 1; }).length"""


def look(browser, screen, found, folder, bounds=()):
    """Measures the screen that is shown: in all sizes in both languages (`schemes_of` says by which light), and in the other sizes in one.

    `bounds` are the least target and gap.
    """
    visitors = [Visitor(browser, "en"), Visitor(browser, "es")]
    for width, height in SIZES + OTHER_SIZES:
        browser.resize(width, height)
        is_other = (width, height) not in SIZES
        schemes = schemes_of((width, height), SIZES[0], folder)
        for visitor in visitors[1:] if is_other else visitors:
            speak(browser, visitor.language)
            for scheme in ("day",) if is_other else schemes[visitor.language]:
                browser.wait(DRAWN)
                where = f"{width}x{height} {screen} {visitor.language} {scheme}"
                found.extend(f"{where}: {text}" for text in visitor.measure(scheme, *bounds))
                if cut := browser.script(CUT_MEMBERS):
                    found.append(f"{where}: {cut} members are cut off")
                if scheme == "day" and (width, height) == SIZES[0]:
                    found.extend(f"{where}: {text}" for text in visitor.axe())
                if folder:
                    browser.screenshot(folder / f"learn-{width}x{height}-{screen}-{visitor.language}-{scheme}.png")


def measured(start, url, folder, axe_core, part):
    """Every game in four sizes and both languages, and in the other sizes in one."""
    found = []
    with start(scripts=[axe_core()]) as browser:
        screens = (
                ("menu", "", None), ("jigsaw-start", "/jigsaw", None), ("jigsaw", "/jigsaw", ".levels button"), ("cards", "/cards", None),
                ("easy-start", "/quiz/easy", None), ("easy", "/quiz/easy", ".sheet-start .primary"), ("medium", "/quiz/medium", ".sheet-start .primary"),
                ("hard-start", "/quiz/hard", None), ("hard", "/quiz/hard", ".six button"), ("states", "/quiz/states", ".sheet-start .primary"),
                ("young-start", "/young", None), ("young", "/young", ".young-tile"), ("seasons", "/young", ".young-tile:nth-child(2)"),
                ("class-start", "/class", None), ("class-open", "/class", ".sheet-start .primary"), ("join", "/join", None),
                ("facts", "/facts", None), ("prairie", "/prairie", ".sheet-start .primary"), ("profile", "", ".who-plays"))
        for screen, path, press in screens[part::4]:
            browser.open(f"{url.rstrip('/')}/learn{path}?seed=robot")
            browser.wait("return document.querySelector('kiosk-learn h1')")
            if press:
                browser.wait("const node = document.querySelector(arguments[0]); node?.click(); return Boolean(node)", press)
            browser.wait("return document.querySelector('dialog[open], .learn-tiles, .sheet-start, .piece, .land, .riddle, .young-start, .young, .class-join, .class-open')")
            look(browser, screen, found, folder)
    fail_with(found)


def keys_stand_still(tablet, found):
    """Whatever is said of a code that was typed, also on a telephone that lies."""
    for width, height in [(390, 844), (360, 640), (844, 390), (1080, 1920)]:
        tablet.resize(width, height)
        for language in ("en", "es"):
            visitor = Visitor(tablet, language)
            speak(tablet, language)
            places = set()
            for key in (None, "learn.join.none", "learn.join.full", "learn.join.wrong", "pages.failed"):
                tablet.script("document.querySelector('.class-join .problem').textContent = arguments[0]", visitor.catalogue[key] if key else "")
                tablet.wait(DRAWN)
                places.add(str(tablet.script(PLACES)))
                found.extend(f"{width}x{height} {key} {language}: {text}" for text in visitor.measure("day", *TABLET))
            if len(places) > 1:
                found.append(f"{width}x{height} {language}: the keys move")


def class_measured(start, url, folder, axe_core, quiz):
    """A class from its code to its end: the board with few members and with many, and a member's tablet."""
    found = []
    tablets = os.environ["KONZA_TABLETS_URL"].rstrip("/")
    with start(scripts=[axe_core()]) as board, Browser([(FOLDER / "watch.js").read_text(), axe_core()]) as tablet:
        board.open(f"{url.rstrip('/')}/learn/class")
        board.wait("const node = document.querySelectorAll('.options')[0]?.children[arguments[0]]; node?.click(); return Boolean(node)", ["continents", "groups"].index(quiz))
        board.script("document.querySelectorAll('.options')[1].lastElementChild.click(); document.querySelector('.sheet-start .primary').click()")
        code = board.wait("return document.querySelector('.class-code .digits')?.textContent")
        base = f"/v1/learning/classes/{code}"

        def join(count):
            return json.loads(board.evaluate(f"""(async () => {{ const tickets = [];
                for (let one = 0; one < {count}; one += 1) tickets.push((await (await fetch('{base}/members', {{ method: 'POST' }})).json()).ticket);
                return JSON.stringify(tickets); }})()"""))

        def answer(tickets, most):
            """Members at their own pace: the first has answered nothing, some of it is wrong."""
            board.evaluate(f"""(async () => {{
                const turn = async (body) => (await fetch('{base}/turns', {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }}, body: JSON.stringify(body) }})).json();
                const pause = () => new Promise((done) => setTimeout(done, 260));
                let now = await Promise.all({json.dumps(tickets)}.map((ticket) => turn({{ ticket }})));
                for (let round = 0; round < {most}; round += 1) {{
                    await pause();
                    now = await Promise.all(now.map((one, index) => (one.question && index > round ? turn({{ ticket: {json.dumps(tickets)}[index], question: one.question.number,
                        choice: one.question.choices[(index + round) % one.question.choices.length] }}) : one)));
                }}
                return true;
            }})()""")

        def shown(count):
            board.wait("return document.querySelectorAll('.class-member').length === arguments[0]", count)

        tablet.open(f"{tablets}/learn/join?code={code}")
        tablet.wait("return document.querySelector('.class-waits .class-me')")
        look(tablet, f"class-{quiz}-waits", found, folder, TABLET)
        members = join(7)
        shown(8)
        look(board, f"class-{quiz}-open-8", found, folder)
        members += join(32)
        shown(40)
        look(board, f"class-{quiz}-open-40", found, folder)
        board.script("document.querySelector('[data-act=first]').click()")
        tablet.wait("return document.querySelector('.class-asks')")
        answer(members, 9)
        board.wait("return [...document.querySelectorAll('.class-way .fill')].some((node) => Number(getComputedStyle(node).getPropertyValue('--share')) > 0.1)")
        look(board, f"class-{quiz}-running-40", found, folder)
        look(tablet, f"class-{quiz}-asks", found, folder, TABLET)
        # How a wrong answer looks: its time is stretched, so that it can be looked at.
        tablet.script("globalThis.setTimeout = ((wait) => (done, time, ...more) => wait(done, time === 1500 || time === 500 ? 60000 : time, ...more))(setTimeout)")
        tablet.script("document.querySelector('.class-asks .answers button:last-child').click()")
        tablet.wait("return document.querySelector('.class-asks .right')")
        look(tablet, f"class-{quiz}-judged", found, folder, TABLET)
        tablet.open(f"{tablets}/learn/join?code={code}")
        tablet.wait("return document.querySelector('.class-join .problem')?.textContent")
        look(tablet, f"class-{quiz}-full", found, folder, TABLET)
        keys_stand_still(tablet, found)
        board.script("document.querySelector('[data-act=end]').click()")
        board.wait("return document.querySelector('.class-end .missed')")
        look(board, f"class-{quiz}-over-40", found, folder)
    fail_with(found)


def class_alone(start, url, folder, axe_core):
    """A class of three to its end: the board as it runs and as it ends, and the tablet at the end."""
    found = []
    tablets = os.environ["KONZA_TABLETS_URL"].rstrip("/")
    with start(scripts=[axe_core()]) as board, Browser([(FOLDER / "watch.js").read_text(), axe_core()]) as tablet:
        board.open(f"{url.rstrip('/')}/learn/class")
        board.wait("const node = document.querySelector('.sheet-start .primary'); node?.click(); return Boolean(node)")
        code = board.wait("return document.querySelector('.class-code .digits')?.textContent")
        look(board, "class-open-0", found, folder)
        tablet.open(f"{tablets}/learn/join?code={code}")
        board.evaluate(f"Promise.all([1, 2].map(() => fetch('/v1/learning/classes/{code}/members', {{ method: 'POST' }}))).then(() => true)")
        board.wait("return document.querySelectorAll('.class-member').length === 3")
        board.script("document.querySelector('[data-act=first]').click()")
        tablet.wait("const node = document.querySelector('.class-asks .answers button'); node?.click(); return Boolean(node)")
        board.wait("return document.querySelector('.class-board')")
        look(board, "class-running-3", found, folder)
        board.script("document.querySelector('[data-act=end]').click()")
        board.wait("return document.querySelector('.class-end')")
        look(board, "class-over-3", found, folder)
        tablet.wait("return document.querySelector('.sheet-end')")
        look(tablet, "class-tablet-over", found, folder, TABLET)
        # Nobody is let try codes on and on.
        tablet.open(f"{tablets}/learn/join")
        tablet.wait("return document.querySelector('.class-join')")
        for _ in range(11):
            tablet.evaluate("fetch('/v1/learning/classes/0000/members', { method: 'POST' }).then(({ status }) => status)")
        for digit in code:
            tablet.keys(digit)
        tablet.wait("return document.querySelector('.class-join .problem')?.textContent.startsWith('Too many') || document.querySelector('.class-join .problem')?.textContent.startsWith('Hubo')")
        look(tablet, "class-guessed", found, folder, TABLET)
    fail_with(found)


def rows(start, url, folder, axe_core, sound):
    touch_games, key_games = [easy, medium, cards, facts], [easy, medium, cards, facts]
    return [("learn data", lambda: modules(start, ["data", "search"])),
            ("learn modules", lambda: modules(start, ["bag", "rounds", "clock", "cutter", "board", "boxes", "vectors"])),
            ("learn quizzes touch", lambda: play(start, url, "touch", touch_games, sound)),
            ("learn quizzes keyboard", lambda: play(start, url, "keyboard", key_games, sound)),
            ("learn pins touch", lambda: play(start, url, "touch", [hard, states, prairie], sound)),
            ("learn pins keyboard", lambda: play(start, url, "keyboard", [hard], sound)),
            ("learn prairie keyboard", lambda: play(start, url, "keyboard", [prairie], sound)),
            ("learn trails touch", lambda: play(start, url, "touch", [trails], sound)),
            ("learn jigsaw touch", lambda: play(start, url, "touch", [jigsaw], sound)),
            ("learn jigsaw keyboard", lambda: play(start, url, "keyboard", [jigsaw], sound)),
            ("learn found", lambda: found(start, url)),
            ("learn figures", lambda: figures(start, url)),
            ("learn young touch", lambda: play(start, url, "touch", [young], sound)),
            ("learn young keyboard", lambda: play(start, url, "keyboard", [young], sound)),
            ("learn class touch", lambda: class_quiz(start, url, sound, "touch")),
            ("learn class keyboard", lambda: class_quiz(start, url, sound, "keyboard")),
            *((f"learn class measured {quiz}", lambda quiz=quiz: class_measured(start, url, folder, axe_core, quiz)) for quiz in ("continents", "groups")),
            # The last one: it guesses codes, and this machine has one address.
            ("learn class measured few", lambda: class_alone(start, url, folder, axe_core)),
            ("learn postcard", lambda: postcard(start, url, sound)),
            *((f"learn measured {part + 1}", lambda part=part: measured(start, url, folder, axe_core, part)) for part in range(4))]
