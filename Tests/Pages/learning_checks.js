// Checks of the learning games' modules and data, run inside the page: `await check(NAME)` answers a list of complaints. Seeds and
// counts are given; what is random says its seed.
globalThis.checkLearning = async (name, count, seed) => {
    const from = (module) => import(`/pages/learning/${module}.js`);
    const [random, geometry, atlas, choices, { Round }, { Study, answered, boxDays, dueFirst }, { cut, flattened }, { Board }, search] = await Promise.all(
        ['random', 'geometry', 'atlas', 'choices', 'round', 'boxes', 'cutter', 'board', 'search'].map(from));
    const found = [];
    const expect = (truth, ...words) => { if (!truth && found.length < 20) found.push(words.join(' ')); };
    const repeated = (items) => new Set(items).size !== items.length;

    const checks = {
        // The bytes that are shipped: what SOURCES.md promises of them.
        async data() {
            const [world, states, prairie] = await Promise.all([atlas.world(), atlas.states(), atlas.prairie()]);
            expect(world.members.length === 193, 'members', world.members.length);
            expect(world.deck.length === 40, 'deck', world.deck.length);
            const perContinent = Object.fromEntries(atlas.continents.map((one) => [one, world.deck.filter((item) => item.continent === one).length]));
            expect(JSON.stringify(perContinent) === JSON.stringify({ Africa: 10, Asia: 6, Europe: 8, 'North America': 5, Oceania: 3, 'South America': 8 }), JSON.stringify(perContinent));
            for (const name of ['Algeria', 'Democratic Republic of the Congo', 'Egypt', 'Kenya', 'Madagascar', 'Morocco', 'Niger', 'Nigeria', 'South Africa', 'Sudan', 'India', 'China', 'Indonesia', 'Japan']) {
                expect(world.deck.some((item) => item.name === name), 'not in the deck:', name);
            }
            expect(states.fifty.length === 50 && new Set(states.fifty.map(({ id }) => id)).size === 50, 'states', states.fifty.length);
            for (const [kind, map] of Object.entries({ world, states })) {
                const near = (item, [x, y]) => geometry.isInside(item.rings, x, y) || geometry.distance(item.rings, x, y) < 2;
                for (const item of map.items) {
                    expect(near(item, item.label), kind, item.name, 'has its label outside');
                    // Two territories' capitals lie on islands that are not on the map (SOURCES.md).
                    if (item.capital && (kind === 'states' || item.status === 'member')) expect(near(item, item.capital.point), kind, item.name, 'has its capital outside');
                    if (kind === 'world' && item.quiz) expect(item.capital && item.areaKm2 > 0 && item.population > 0 && item.populationYear >= 2024, item.name, 'lacks facts');
                    for (const id of item.neighbours ?? []) {
                        const other = map.byID.get(id);
                        expect(other?.neighbours.includes(item.id), item.id, id, 'are no neighbours of each other');
                        expect(other?.colour !== item.colour, item.id, id, 'have one colour');
                    }
                    for (const ring of item.rings) expect(ring.length >= 6, item.name, 'has a ring of', ring.length / 2, 'points');
                }
                // Touching the label of a shape finds it: nothing covers it.
                for (const item of map.items) expect(geometry.touched(map.items, ...item.label, 40) === item, kind, item.name, 'is not found where its label is:', geometry.touched(map.items, ...item.label, 40)?.name);
            }
            expect(world.members.every((item) => atlas.continents.includes(item.continent)), 'a member lies nowhere');
            expect(!world.items.some((item) => item.quiz && item.status !== 'member'), 'what is contested is asked');
            expect(prairie.items.length === 69, 'species', prairie.items.length);
            for (const item of prairie.items) expect(item.facts.length === 2 && item.facts.every(({ source }) => prairie.sources[source]), item.name, 'lacks facts or their sources');
            // Equal Earth by PROJ's values: the corner of the world, and (122, 47) at (1.54925, 0.89331).
            expect(Math.abs(world.width / world.height - 2.0546) < 2e-4, 'width to height', world.width / world.height);
            const line = geometry.decode(world.graticule[9]);
            expect(world.graticule.length === 11 + 8, 'lines', world.graticule.length);
            // The meridian of 120 degrees at 45 north, by the formula; rounded to the grid.
            const [x, y] = [line[54], line[55]];
            const theta = Math.asin(Math.sqrt(3) / 2 * Math.sin(Math.PI / 4));
            const t2 = theta * theta;
            const t6 = t2 ** 3;
            const [a1, a2, a3, a4] = [1.340264, -0.081106, 0.000893, 0.003796];
            const wantedX = 2 * Math.sqrt(3) * (2 * Math.PI / 3) * Math.cos(theta) / (3 * (9 * a4 * t6 * t2 + 7 * a3 * t6 + 3 * a2 * t2 + a1));
            const wantedY = theta * (a1 + a2 * t2 + t6 * (a3 + a4 * t2));
            expect(Math.abs(x - (world.width / 2 + wantedX * world.step)) < 1.5 && Math.abs(y - (world.height / 2 - wantedY * world.step)) < 1.5, 'the meridian of 120 is at', x, y);
        },

        // Bags give every item once, none of the last third again at once; seeded shuffles are uniform.
        async bag() {
            for (let trial = 0; trial < count; trial += 1) {
                const size = 2 + (trial % 40);
                const bag = new random.Bag([...Array(size).keys()], random.seeded(`${seed} ${trial}`));
                const drawn = Array.from({ length: 4 * size }, () => bag.next());
                for (let at = 0; at < 4; at += 1) expect(!repeated(drawn.slice(at * size, (at + 1) * size)), 'a bag repeats an item, seed', seed, trial);
                const third = Math.floor(size / 3);
                for (let at = 0; at < drawn.length - third; at += 1) expect(!repeated(drawn.slice(at, at + third + 1)), 'an item came again too soon, seed', seed, trial);
            }
            const places = Array.from({ length: 8 }, () => Array(8).fill(0));
            const draw = random.seeded(`${seed} chi`);
            for (let trial = 0; trial < 4000; trial += 1) random.shuffled([0, 1, 2, 3, 4, 5, 6, 7], draw).forEach((item, place) => { places[item][place] += 1; });
            const chi = places.flat().reduce((sum, times) => sum + (times - 500) ** 2 / 500, 0);
            // 49 degrees of freedom: beyond 100 once in 30 000.
            expect(chi < 100, 'chi-square is', chi, 'seed', seed);
            const twice = () => random.shuffled([...Array(40).keys()], random.seeded('1')).join();
            expect(twice() === twice(), 'one seed gives two orders');
        },

        // Whole rounds of every quiz by a robot: no repeat, no wrong answer that would be right, every item comes.
        async rounds() {
            const [world, states, prairie] = await Promise.all([atlas.world(), atlas.states(), atlas.prairie()]);
            const reached = new Set();
            const quizzes = {
                easy: [world.deck, 60, false], medium: [world.deck, 60, false], states: [states.fifty, null, true],
                ...Object.fromEntries(atlas.continents.map((name) => [`hard ${name}`, [world.deck.filter((item) => item.continent === name), 120, true]])),
            };
            for (let trial = 0; trial < count; trial += 1) {
                for (const [quiz, [items, seconds, stays]] of Object.entries(quizzes)) {
                    const draw = random.seeded(`${seed} ${quiz} ${trial}`);
                    let now = 1000;
                    const round = new Round({ items: random.shuffled(items, draw), seconds, stays, clock: () => now });
                    const asked = [];
                    let rights = 0;
                    while (!round.over) {
                        const { item } = round;
                        if (asked.at(-1) !== item) asked.push(item);
                        now += 300 + draw() * 3000;
                        const isRight = draw() < 0.7;
                        const before = round.left;
                        const taken = round.answer(isRight);
                        if (taken && isRight) rights += 1;
                        expect(!taken || before > 0 || seconds === null, quiz, 'takes an answer after the end');
                    }
                    for (const item of asked) reached.add(`${quiz} ${item.id}`);
                    expect(!repeated(asked), quiz, 'repeats an item, seed', seed, trial);
                    expect(round.right === rights && round.right <= items.length, quiz, 'counts', round.right, 'for', rights);
                    if (seconds !== null && !round.isDone && asked.length < items.length) expect(Math.abs(round.seconds - seconds) < 0.05, quiz, 'ended after', round.seconds);
                }
                const draw = random.seeded(`${seed} choices ${trial}`);
                const country = world.members[Math.floor(draw() * world.members.length)];
                const four = choices.choices(country, choices.likeCountry(country, world), 4, draw);
                expect(four.length === 4 && !repeated(four) && four.includes(country) && four.every((one) => one.quiz), 'choices for', country.name);
                const mine = atlas.continentsOf(country);
                const alike = (one) => atlas.continentsOf(one).some((name) => mine.includes(name));
                const apart = choices.choices(country, [world.members], 4, draw, (one) => one !== country && alike(one));
                expect(apart.filter(alike).length === 1, 'a wrong answer for', country.name, 'is right as well');
                const card = prairie.items[Math.floor(draw() * prairie.items.length)];
                const names = choices.choices(card, choices.likeCard(card, prairie.items), 4, draw);
                expect(names.length === 4 && !repeated(names) && names.includes(card), 'choices for', card.name);
            }
            const all = Object.entries(quizzes).reduce((sum, [, [items]]) => sum + items.length, 0);
            if (count >= 50) expect(reached.size === all, 'only', reached.size, 'of', all, 'items were ever asked');
        },

        // Cases that LearningTests holds the station's own rules to: chance, choices and rounds decide alike on both sides.
        async vectors() {
            const fresh = vectors(random, choices, Round);
            expect(JSON.stringify(fresh) === JSON.stringify(globalThis.learningVectors), 'learning_vectors.json is not what the modules decide; KONZA_REWRITE=1 writes it');
            globalThis.learningVectors = fresh;
        },

        // The clock by hand: to the millisecond, with pauses, and no double taps.
        async clock() {
            let now = 0;
            const items = [...Array(40).keys()];
            const make = (options) => new Round({ items, clock: () => now, ...options });
            const round = make({ seconds: 60 });
            now = 59_999;
            expect(round.answer(true) && round.right === 1, 'an answer at 59.999 s counts');
            now = 60_000;
            expect(round.answer(true) === null && round.over && round.right === 1 && round.seconds === 60, 'none at 60 s');
            now = 0;
            const paused = make({ seconds: 60 });
            now = 50_000;
            paused.pause();
            now = 500_000;
            expect(paused.left === 10 && paused.answer(true) === null, 'time runs while it is paused');
            paused.resume();
            now += 9_999;
            expect(!paused.tick() && paused.answer(true), 'ten seconds are left after a pause');
            now += 100;
            expect(paused.tick() && paused.seconds === 60, 'it ends then');
            now = 0;
            const double = make({});
            now = 10;
            expect(double.answer(true), 'the first of two taps');
            now = 200;
            expect(double.answer(true) === null && double.right === 1, 'the second of two taps');
            now = 260;
            expect(double.answer(false)?.right === false && double.right === 1 && double.left === null, 'without a clock');
            const stays = make({ stays: true });
            const first = stays.item;
            stays.answer(false);
            now += 300;
            expect(stays.item === first && stays.answer(true) && stays.item !== first, 'a label stays until it is right');
        },

        // Pieces: the edges of neighbours are one line, the areas sum to the board, no edge crosses itself or leaves its room.
        async cutter() {
            const shapes = [[3, 2], [4, 3], [8, 5]];
            for (let trial = 0; trial < count; trial += 1) {
                const [columns, rows] = shapes[trial % shapes.length];
                const [width, height] = [1000 * (0.6 + (trial % 7) / 5), 1000];
                const pieces = cut({ columns, rows, width, height, seed: `${seed} ${trial}` });
                let sum = 0;
                pieces.forEach((piece, number) => {
                    const outline = piece.sides.flatMap((side) => flattened(side, 12).slice(0, -1)).flat();
                    sum += geometry.area(outline);
                    for (const other of piece.neighbours) {
                        const across = { 1: [1, 3], [columns]: [2, 0] }[other - number];
                        if (!across) continue;
                        const [mine, its] = [piece.sides[across[0]], pieces[other].sides[across[1]].toReversed()];
                        expect(JSON.stringify(mine) === JSON.stringify(its), 'the edge of', number, 'and', other, 'differs, seed', seed, trial);
                    }
                    const pad = 0.35 * Math.max(piece.cell[2] - piece.cell[0], piece.cell[3] - piece.cell[1]);
                    for (let at = 0; at < outline.length; at += 2) {
                        expect(outline[at] > piece.cell[0] - pad && outline[at] < piece.cell[2] + pad && outline[at + 1] > piece.cell[1] - pad && outline[at + 1] < piece.cell[3] + pad,
                            'piece', number, 'reaches too far, seed', seed, trial);
                    }
                    if (trial < 60) expect(!crosses(outline), 'piece', number, 'crosses itself, seed', seed, trial);
                });
                expect(Math.abs(sum / (width * height) - 1) < 1e-9, 'the areas sum to', sum / (width * height), 'seed', seed, trial);
            }
        },

        // Snapping by each level's reach, joined pieces, and a board that is done when all are home.
        async board() {
            const pieces = cut({ columns: 4, rows: 3, width: 1200, height: 900, seed });
            const board = new Board(pieces, { reach: 0.2, joins: true });
            board.move(0, 61, 0);
            expect(board.drop(0) === null && board.home === 0, 'it snaps from too far');
            board.move(0, 59, 0);
            expect(board.drop(0) === 'home' && board.places[0].x === 0 && board.home === 1, 'it does not snap');
            board.move(5, 400, 200);
            board.move(6, 420, 220);
            expect(board.drop(6) === 'joined' && board.group(6).length === 2 && board.places[6].x === 400, 'neighbours do not join');
            board.move(5, 10, 0);
            expect(board.drop(5) === 'home' && board.places[6].isHome, 'joined pieces do not come home together');
            expect(board.place(1, 2) === null && board.place(1, 1) === 'home', 'places by keyboard');
            pieces.forEach((_, number) => board.place(number, number));
            expect(board.isDone, 'all are home and it is not done');
            const plain = new Board(pieces, { reach: 0.5 });
            plain.move(5, 400, 200);
            plain.move(6, 401, 201);
            expect(plain.drop(6) === null, 'pieces join on an easy level');
        },

        // Boxes of spaced repetition, and cards that come again after three to five others.
        async boxes() {
            let entry = null;
            const day = 86_400_000;
            for (const [index, days] of [...boxDays, 21].entries()) {
                entry = answered(entry, true, 1000);
                expect(entry.box === Math.min(index + 1, 5) && entry.due === 1000 + days * day && entry.seen === index + 1, 'box', index);
            }
            expect(answered(entry, false, 0).box === 1 && answered(entry, false, 0).due === 0, 'a wrong answer');
            const known = { a: { box: 3, due: 5 }, b: { box: 1, due: 5 }, c: { box: 2, due: 50 } };
            expect(dueFirst(['c', 'new', 'a', 'b'], (item) => known[item], 10).join() === 'b,a,new,c', 'the order of what is due');
            for (let trial = 0; trial < count; trial += 1) {
                const study = new Study([...Array(12).keys()], random.seeded(`${seed} ${trial}`));
                study.answer(false);
                let others = 0;
                while (study.item !== 0) { study.answer(true); others += 1; }
                expect(others >= 3 && others <= 5, 'a missed card came after', others, 'seed', seed, trial);
                // A whole practice: what is missed comes again after three to five others, or last, until all are known.
                let now = 0;
                const draw = random.seeded(`${seed} practice ${trial}`);
                const items = [...Array(12).keys()];
                const practice = new Round({ items, again: draw, clock: () => now });
                const asked = [];
                const missed = new Map();
                while (!practice.over && asked.length < 500) {
                    const { item } = practice;
                    if (missed.has(item)) {
                        const between = asked.length - missed.get(item) - 1;
                        const left = practice.of - practice.right;
                        expect(between <= 5 && between >= Math.min(3, left - 1), 'a missed item came after', between, 'seed', seed, trial);
                        missed.delete(item);
                    }
                    now += 1000;
                    const isRight = draw() < 0.6;
                    if (!isRight) missed.set(item, asked.length);
                    asked.push(item);
                    practice.answer(isRight);
                }
                expect(practice.isDone && practice.right === 12 && missed.size === 0, 'a practice ended with', practice.right, 'seed', seed, trial);
            }
        },

        async search() {
            const { items } = await atlas.world();
            const names = (item) => [item.name, item.nameEs, ...(item.alt ?? [])];
            const first = (query) => search.found(items, query, names)[0]?.name;
            for (const [query, name] of [['turkiye', 'Türkiye'], ['españa', 'Spain'], ['espana', 'Spain'], ['cote', "Côte d'Ivoire"], ['zaire', 'Democratic Republic of the Congo'], ['MEXICO', 'Mexico']]) expect(first(query) === name, query, 'finds', first(query));
            expect(search.found(items, 'qqq', names).length === 0, 'nothing is found');
            const areas = search.sorted(items, (item) => item.areaKm2, 'en').map((item) => item.areaKm2);
            expect(areas[0] > 10_000_000 && areas.at(-1) === undefined, 'by area');
            expect(search.sorted(['Ñu', 'Nube', 'Oca', 'Álamo'], (one) => one, 'es').join() === 'Álamo,Nube,Ñu,Oca', 'Spanish letters');
            expect(search.letters(['Álamo', 'Bosque', 'Bula'], 'es').get('B') === 1, 'the index');
        },
    };
    await checks[name]();
    return found;

    function vectors({ seeded, shuffled }, { choices: choose }, OneRound) {
        const chance = ['', 'robot', '7 blue-owl', 'Español ñ'].map((one) => {
            const draw = seeded(one);
            const options = ['grass', 'wildflower', 'bird', 'mammal', 'insect', 'fish'];
            return {
                seed: one, numbers: [1, 2, 3].map(() => draw() * 4294967296), order: shuffled([...Array(40).keys()], seeded(one)), options,
                right: options[one.length % 6], choices: choose(options[one.length % 6], [options], 4, seeded(one)),
            };
        });
        const rounds = [];
        for (let number = 0; number < 40; number += 1) {
            const draw = seeded(`round ${number}`);
            const [count, seconds] = [1 + Math.floor(draw() * 12), number % 5 === 0 ? null : 1 + Math.floor(draw() * 10)];
            let now = Math.floor(draw() * 1e6);
            const round = new OneRound({ items: [...Array(count).keys()], seconds, clock: () => now });
            const begun = now;
            const steps = [];
            for (let step = 0; step < 16; step += 1) {
                now += [0, 100, 249, 250, 251, 999, 1000, 2000][Math.floor(draw() * 8)];
                const right = [true, false, null][Math.floor(draw() * 3)];
                const taken = right === null ? null : round.answer(right) !== null;
                if (right === null) round.tick();
                steps.push({ at: now, right, taken, found: round.right, item: round.item, left: round.left });
            }
            rounds.push({ count, seconds, begun, steps });
        }
        return { chance, rounds };
    }

    function crosses(outline) {
        const count = outline.length / 2;
        const side = (ax, ay, bx, by, cx, cy) => Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
        for (let one = 0; one < count; one += 1) {
            const [a, b, c, d] = [outline[2 * one], outline[2 * one + 1], outline[2 * ((one + 1) % count)], outline[2 * ((one + 1) % count) + 1]];
            for (let other = one + 2; other < count - (one === 0 ? 1 : 0); other += 1) {
                const [e, f, g, k] = [outline[2 * other], outline[2 * other + 1], outline[2 * ((other + 1) % count)], outline[2 * ((other + 1) % count) + 1]];
                if (Math.max(a, c) < Math.min(e, g) || Math.max(e, g) < Math.min(a, c) || Math.max(b, d) < Math.min(f, k) || Math.max(f, k) < Math.min(b, d)) continue;
                if (side(a, b, c, d, e, f) * side(a, b, c, d, g, k) < 0 && side(e, f, g, k, a, b) * side(e, f, g, k, c, d) < 0) return true;
            }
        }
        return false;
    }
};
