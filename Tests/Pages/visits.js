// A robot visitor who takes one card after another, its kind by its number: with and without words, each template, kept, taken
// again or deleted. It says by the page's title when it is through, so that nobody has to look into the page meanwhile.
(() => {
    const rest = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
    const until = async (look, words) => {
        const end = performance.now() + 120_000;
        while (performance.now() < end) {
            const found = look();
            if (found) return found;
            await rest(20);
        }
        throw new Error(`this did not come true in 120 s: ${words}`);
    };
    const press = (button) => until(() => {
        const node = document.querySelector(button);
        node?.click();
        return node;
    }, button);
    const take = async () => {
        await press('kiosk-compose .take');
        await until(() => {
            if (document.querySelector('kiosk-failed')) throw new Error(document.querySelector('main').innerText);
            const image = document.querySelector('kiosk-card img');
            return image?.complete && image.naturalWidth > 0;
        }, 'the card');
    };
    const robot = globalThis.robot = { cards: 0 };
    const card = async (number) => {
        await press(`.languages button:nth-child(${1 + number % 2})`);
        await press('kiosk-attract .primary');
        await until(() => document.querySelector('.choice'), 'the templates');
        await press(`.choice:nth-child(${1 + number % 3}) input`);
        if (number % 4) {
            const field = await until(() => document.querySelector('#message'), 'the message');
            field.value = `Card ${number} 🌾`;
            field.dispatchEvent(new Event('input'));
        }
        await take();
        if (number % 5 === 0) {
            await press('kiosk-card [data-word="card.again"]');
            await take();
        }
        await press(`kiosk-card [data-word="card.${number % 3 ? 'keep' : 'delete'}"]`);
        await until(() => document.querySelector('kiosk-app[screen=home] .tiles button'), 'the home screen');
        if (number % 3) await press('.own .gold');
        // A visitor who walks away from the home screen.
        else document.querySelector('kiosk-home').dispatchEvent(new CustomEvent('over', { bubbles: true }));
        await until(() => document.querySelector('kiosk-app[screen=attract]'), 'the attract screen');
        // The disk is not what is soaked here.
        for (const taken of konza.taken.splice(0)) {
            const answer = await fetch(`/v1/postcards/${taken}`, { method: 'DELETE' });
            // A body that nobody reads stays in the page's process: of a card that the visitor deleted, a problem.
            await answer.arrayBuffer();
            const { status } = answer;
            if (![204, 404].includes(status)) throw new Error(`DELETE of ${taken} answers ${status}`);
        }
        konza.posted.length = konza.shots.length = 0;
    };
    robot.visit = async (count) => {
        try {
            for (let index = 0; index < count; index++, robot.cards++) await card(robot.cards);
            document.title = `robot: ${robot.cards}`;
        } catch (error) {
            document.title = `robot: failed: ${error.message}`;
        }
    };
})();
