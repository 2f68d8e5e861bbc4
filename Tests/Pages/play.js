// Plays the learning games inside the page, for as long as it is told to: whole rounds with right and wrong answers, one game after
// another by the page's own buttons. `robot.run(milliseconds)` resolves with what was played in that time.
(() => {
    const random = (list) => list[Math.floor(Math.random() * list.length)];
    const all = (selector) => [...document.querySelectorAll(`main ${selector}`)];
    const one = (selector) => document.querySelector(`main ${selector}`);
    const sleep = (time) => new Promise((resume) => setTimeout(resume, time));
    const frame = () => new Promise((resume) => requestAnimationFrame(() => resume()));
    const key = (node, name) => node.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));

    async function found(selector, seconds = 20) {
        const end = performance.now() + seconds * 1000;
        for (;;) {
            const node = one(selector);
            if (node) return node;
            if (performance.now() > end) throw new Error(`waited in vain for ${selector}, there is: ${document.querySelector('main').innerText.slice(0, 200)}`);
            await frame();
        }
    }

    // One answer of each game. Answers nearer to one another than a quarter of a second are double taps.
    const steps = {
        easy: async () => {
            random(all('.six [role=radio]')).click();
            one('.submit:not([disabled])')?.click();
            await sleep(300);
        },
        medium: async () => {
            key(random(all('world-map [role=button]')), 'Enter');
            await sleep(300);
        },
        pins: async () => {
            key(one('.pin.shown:not(.found)') ?? random(all('.pin:not(.found)')), 'Enter');
            await sleep(260);
        },
        prairie: async () => {
            random(all('.answers button')).click();
            await sleep(300);
        },
        young: async () => {
            random(all('.young-choice')).click();
            await sleep(300);
        },
        jigsaw: async () => {
            // A piece is tried on every cell, until it is at home.
            const piece = random(all('.piece:not(.home)'));
            piece.focus();
            key(piece, 'Enter');
            const [rows, columns] = { 6: [2, 3], 12: [3, 4], 40: [5, 8] }[all('.piece').length];
            for (let row = 0; row < rows; row += 1) key(piece, 'ArrowUp');
            for (let cell = 0; cell < rows * columns; cell += 1) {
                for (let column = 0; column < columns; column += 1) key(piece, 'ArrowLeft');
                for (let column = 0; column < cell % columns; column += 1) key(piece, 'ArrowRight');
                key(piece, 'Enter');
                if (!piece.isConnected || piece.matches('.home')) break;
                key(piece, 'Enter');
                if (cell % columns === columns - 1) key(piece, 'ArrowDown');
            }
            await sleep(100);
        },
    };

    async function round(step, { first = '.sheet-start .primary:not([hidden])' } = {}, end) {
        for (const group of all('.options')) random([...group.children]).click();
        (await found(first)).click();
        await sleep(400);
        let answers = 0;
        while (!one('.sheet-end')) {
            if (performance.now() > end) return answers;
            if (one('.pin, .six [role=radio], .answers button, world-map [role=button], .young-choice, .piece:not(.home)')) {
                await steps[step]().catch((error) => { if (!one('.sheet-end')) throw error; });
                answers += 1;
            }
            // A touch, so that nobody is asked whether somebody is there.
            document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
            await frame();
        }
        return answers;
    }

    const games = {
        jigsaw: (end) => round('jigsaw', { first: `.levels button:nth-child(${1 + Math.floor(Math.random() * 3)})` }, end),
        cards: async () => {
            await found('.face .name');
            for (let card = 0; card < 30; card += 1) {
                one('.face').click();
                await sleep(120);
                random(all('.card-steps button:not([disabled])')).click();
                await sleep(120);
            }
            return 30;
        },
        'quiz/easy': (end) => round('easy', {}, end),
        'quiz/medium': (end) => round('medium', {}, end),
        'quiz/hard': (end) => round('pins', { first: `.six button:nth-child(${1 + Math.floor(Math.random() * 6)})` }, end),
        'quiz/states': (end) => round('pins', {}, end),
        facts: async () => {
            await found('learn-facts .row');
            for (const word of ['an', 'o', 'sta', '']) {
                const field = one('#facts-search');
                field.value = word;
                field.dispatchEvent(new Event('input', { bubbles: true }));
                await sleep(300);
                random(all('learn-facts .row'))?.click();
                await found('.fact-page h2');
                await sleep(300);
            }
            return 4;
        },
        prairie: async (end) => {
            let answers = await round('prairie', {}, end);
            // What was missed is practised now and then.
            const practise = one('.sheet-end .choices button:nth-last-child(3)');
            if (practise && Math.random() < 0.5) {
                practise.click();
                for (let turn = 0; turn < 40 && !one('.sheet-end'); turn += 1, answers += 1) {
                    if (one('.answers button')) await steps.prairie();
                    await sleep(300);
                }
            }
            return answers;
        },
        young: (end) => round('young', { first: `.young-tile:nth-child(${1 + Math.floor(Math.random() * 2)})` }, end),
    };
    const order = Object.keys(games);
    const told = { rounds: 0, answers: 0, ended: 0, by: {} };
    let next = 0;

    async function run(milliseconds) {
        const end = performance.now() + milliseconds;
        while (performance.now() < end) {
            const game = order[next % order.length];
            next += 1;
            if (game === 'jigsaw') random([...document.querySelectorAll('.languages button')]).click();
            await found('.learn-tiles');
            const tile = game === 'young' ? one('[data-word="learn.young.title"]').closest('button') : one(`[data-game="${game}"]`);
            tile.click();
            await found('learn-bar');
            const answers = await games[game](end + 60000);
            told.rounds += 1;
            told.answers += answers;
            if (one('.sheet-end')) told.ended += 1;
            told.by[game] = (told.by[game] ?? 0) + 1;
            (one('learn-bar [data-word="learn.games"]') ?? one('learn-bar button')).closest('button').click();
            await found('.learn-tiles');
            konza.posted.splice(0);
        }
        return told;
    }

    globalThis.robot = { run };
})();
