"""The names in a device's own camera: the projection against an implementation of its own, and a collector who looks around."""
import math
import random

import pairing

# A picture that the browser paints, and a question about the camera that is answered with yes.
FAKE = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
PLACE = {"latitude": 39.1035, "longitude": -96.6030}


def product(one, other):
    return [[sum(one[row][index] * other[index][column] for index in range(3)) for column in range(3)] for row in range(3)]


def turned(alpha, beta, gamma, angle):
    """The rotation of the specification, Rz Rx Ry, and that of the screen about the device's own z."""
    def about(axis, degrees):
        s, c = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
        return {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
                "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[axis]
    return product(product(product(about("z", alpha), about("x", beta)), about("y", gamma)), about("z", -angle))


def pixel(rotation, azimuth, elevation, turn, tilt, focal):
    a, e = math.radians(azimuth - turn), math.radians(elevation - tilt)
    world = [math.cos(e) * math.sin(a), math.cos(e) * math.cos(a), math.sin(e)]
    x, y, z = (sum(rotation[row][column] * world[row] for row in range(3)) for column in range(3))
    return (focal * x / -z, -focal * y / -z) if -z >= 0.05 else None


def projection():
    """Attitude, projection and alignment agree with rotation matrices, over cameras held in every way."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    cases = []
    for _ in range(300):
        angles = [chance.uniform(0, 360), chance.uniform(-180, 180), chance.uniform(-90, 90), chance.choice([0, 90, 180, 270])]
        cases.append([*angles, chance.uniform(0, 360), chance.uniform(-60, 60), chance.uniform(-180, 180), chance.uniform(-20, 20), chance.uniform(0.4, 1.6)])
    with pairing.tablet() as browser:
        browser.open(pairing.URL)
        found = browser.evaluate(f"""import('/pages/core/orientation.js').then(({{ attitude, project }}) => {cases}.map(
            ([alpha, beta, gamma, angle, azimuth, elevation, turn, tilt, focal]) => {{
                const at = project(attitude({{ alpha, beta, gamma }}, angle), {{ azimuth, elevation }}, {{ turn, tilt, focal }});
                return at && [at.x, at.y];
            }}))""")
        seen = 0
        for case, at in zip(cases, found):
            expected = pixel(turned(*case[:4]), *case[4:])
            assert (at is None) == (expected is None), f"seed {seed}: {case}"
            if at:
                seen += 1
                assert math.dist(at, expected) < 1e-9 * (1 + math.hypot(*expected)), f"seed {seed}: {case}: {at}, {expected}"
        assert seen > 50, f"seed {seed}"
        # A tablet that is held to some hills: two names that are put where they are give back turn, tilt and angle.
        for _ in range(20):
            turn, tilt, focal, looked = chance.uniform(-180, 180), chance.uniform(-8, 8), chance.uniform(0.5, 1.2), chance.uniform(0, 360)
            pins = []
            for off in (-14, 15):
                held = [-(looked + chance.uniform(-3, 3)), 90 + chance.uniform(-8, 8), chance.uniform(-6, 6), 0]
                azimuth, elevation = looked + turn + off, chance.uniform(-1, 3)
                x, y = pixel(turned(*held), azimuth, elevation, turn, tilt, focal)
                pins.append([*held, azimuth, elevation, x, y])
            solved = browser.evaluate(f"""import('/pages/core/orientation.js').then(({{ align, attitude }}) => align({pins}.map(
                ([alpha, beta, gamma, angle, azimuth, elevation, x, y]) => ({{ held: attitude({{ alpha, beta, gamma }}, angle), azimuth, elevation, x, y }})),
                {{ turn: {turn + chance.uniform(-30, 30)}, tilt: 0, focal: 0.77 }}))""")
            assert solved, f"seed {seed}: {pins}"
            off = (solved["turn"] - turn + 540) % 360 - 180
            assert abs(off) < 1e-3 and abs(solved["tilt"] - tilt) < 1e-3 and abs(solved["focal"] - focal) < 1e-4, f"seed {seed}: {solved}, {turn, tilt, focal}"
        # Two names at one place tell no angle.
        same = "{ held: attitude({ alpha: 0, beta: 90, gamma: 0 }), azimuth: 0, elevation: 0, x: 0, y: 0 }"
        assert browser.evaluate(f"""import('/pages/core/orientation.js').then(({{ align, attitude }}) =>
            align([{same}, {same}], {{ turn: 0, tilt: 0, focal: 0.77 }}))""") is None


def hold(browser, azimuth, beta=90.0):
    """The device looks at a magnetic azimuth, upright."""
    browser.devtools("DeviceOrientation.setDeviceOrientationOverride", alpha=(360 - azimuth) % 360, beta=beta, gamma=0.0)


def look():
    """A collector holds a tablet to a hill: its name is there, follows the turn, and goes where it is dragged."""
    middle = "const [one] = [...document.querySelectorAll('tablet-look .names li')].filter((one) => one.dataset.id === arguments[0]); return one && one.getBoundingClientRect().x + one.offsetWidth / 2"
    with pairing.tablet(810, 1080, options=FAKE) as browser:
        for permission in (["geolocation"], ["videoCapture"], ["sensors"]):
            browser.devtools("Browser.grantPermissions", permissions=permission, origin=pairing.URL.rstrip("/"))
        browser.devtools("Browser.grantPermissions", permissions=["geolocation", "videoCapture", "sensors"], origin=pairing.URL.rstrip("/"))
        browser.devtools("Emulation.setGeolocationOverride", accuracy=6, **PLACE)
        collector = pairing.Tablet(browser).pair("collector")
        try:
            list_ = browser.evaluate(f"fetch('/v1/view/landmarks?latitude={PLACE['latitude']}&longitude={PLACE['longitude']}').then((reply) => reply.json())")
            assert abs(list_["latitude"] - PLACE["latitude"]) < 1e-6, list_
            hill = next(one for one in list_["landmarks"] if one.get("distance") and abs(one["elevation"]) < 5)
            declination = browser.evaluate("fetch('/v1/sky').then((reply) => reply.json())")["declination"]["degrees"]
            ahead = hill["azimuth"] - declination
            collector.press("Look around")
            collector.press("Start")
            browser.wait("return document.querySelector('tablet-look video').videoWidth > 0")
            hold(browser, ahead)
            browser.wait(f"{middle} > 0".replace("return one &&", "return Boolean(one) &&"), hill["id"])
            browser.wait("return document.querySelector('tablet-look .where').textContent.includes('this device')")
            box = browser.script("const { x, width, y, height } = document.querySelector('.look-picture').getBoundingClientRect(); return [x, width, y, height]")
            centre = box[0] + box[1] / 2
            browser.wait(f"{middle.replace('return one && ', 'return one && Math.abs(')} - {centre}) < 12", hill["id"])
            # Five degrees further right it is further left, by the usual angle of such cameras.
            hold(browser, ahead + 5)
            scale = browser.script("""const [v, f] = [document.querySelector('tablet-look video'), document.querySelector('.look-picture')];
                return Math.max(f.clientWidth / v.videoWidth, f.clientHeight / v.videoHeight) * Math.max(v.videoWidth, v.videoHeight)""")
            off = 0.77 * scale * math.tan(math.radians(5))
            browser.wait(f"{middle.replace('return one && ', 'return one && Math.abs(')} - {centre - off}) < 14", hill["id"])
            # Dragged into the middle, which the compass did not say.
            left, top = browser.script("""const [one] = [...document.querySelectorAll('tablet-look .names li')].filter((one) => one.dataset.id === arguments[0]);
                const { x, y, width, height } = one.getBoundingClientRect(); return [x + width / 2, y + height / 2]""", hill["id"])
            browser.drag(left, top, off, 0)
            browser.wait(f"{middle.replace('return one && ', 'return one && Math.abs(')} - {centre}) < 16", hill["id"])
            assert "Aligned" in browser.script("return document.querySelector('tablet-look .sentence').textContent")
            collector.press("Way home")
            browser.wait("return document.querySelector('tablet-look .where').textContent.includes('Trailhead')")
            for turn in range(0, 360, 30):
                hold(browser, turn, 75)
                if browser.script("return new Promise((resume) => setTimeout(() => resume(document.querySelectorAll('tablet-look .way').length), 250))"):
                    break
            else:
                raise AssertionError("the way home is nowhere on the ground")
            collector.press("Forget the alignment")
            # What the camera sees stays here.
            assert not [one for one in browser.script("return konza.posted") if "pairing" not in one and "session" not in one], browser.script("return konza.posted")
            for width, height in ((390, 844), (800, 480), (1180, 820)):
                browser.resize(width, height)
                assert not (found := collector.measure("day", 44, 8)), found
            pairing.sound(browser)
        finally:
            pairing.send_all_away()


def edges():
    """Names of points at each edge of a picture stand whole and within it, also on a telephone."""
    name = "Kings Creek gauge, USGS 06879650"
    for width, height in ((358, 201), (358, 480), (1280, 720)):
        marks = [[x, y] for x in (0, 3, width / 2, width - 3, width) for y in (0, 3, height / 2, height - 3, height)]
        with pairing.tablet() as browser:
            browser.open(pairing.URL)
            browser.resize(max(390, width), 844)
            browser.wait("return document.querySelector('main > *')")
            found = browser.evaluate(f"""import('/pages/core/labels.js').then(({{ place }}) => {marks}.map(([x, y]) => {{
                const picture = Object.assign(document.createElement('div'), {{ className: 'view-picture' }});
                picture.style.cssText = 'width: {width}px; height: {height}px; aspect-ratio: auto';
                const names = picture.appendChild(Object.assign(document.createElement('ul'), {{ className: 'names' }}));
                document.querySelector('main').append(picture);
                const letters = parseFloat(getComputedStyle(names).fontSize);
                const made = place([{{ name: {name!r}, kind: 'landmark', x, y, sigma: 1 }}], {{ scale: 1, width: {width}, height: {height}, letters }});
                const told = made.map((one) => {{
                    const item = names.appendChild(Object.assign(document.createElement('li'), {{ textContent: one.label.name }}));
                    for (const key of ['left', 'top', 'wide']) item.style.setProperty(`--${{key}}`, `${{one[key]}}px`);
                    const [box, frame] = [item.getBoundingClientRect(), picture.getBoundingClientRect()];
                    return {{ isWhole: item.scrollWidth <= item.clientWidth,
                        isWithin: box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom }};
                }});
                picture.remove();
                return told;
            }}))""")
        assert len(found) == len(marks), found
        for mark, told in zip(marks, found):
            assert len(told) == 1 and told[0]["isWhole"] and told[0]["isWithin"], f"{width}x{height}, {mark}: {told}"


def rows():
    return [("edges of pictures", edges), ("tablet look", look), ("projection", projection)]
