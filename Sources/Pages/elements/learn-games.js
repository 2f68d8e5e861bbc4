// The elements of all games, and which address is whose.
import { player } from '../learning/player.js';
import './learn-cards.js';
import './learn-class.js';
import './learn-easy.js';
import './learn-facts.js';
import './learn-jigsaw.js';
import './learn-join.js';
import './learn-medium.js';
import './learn-menu.js';
import './learn-pins.js';
import './learn-prairie.js';
import './learn-young.js';

const elements = {
    '': 'learn-menu', jigsaw: 'learn-jigsaw', postcard: 'learn-jigsaw', cards: 'learn-cards', 'quiz/easy': 'learn-easy',
    'quiz/medium': 'learn-medium', 'quiz/hard': 'learn-pins', 'quiz/states': 'learn-pins', facts: 'learn-facts', prairie: 'learn-prairie',
    class: 'learn-class', join: 'learn-join', young: 'learn-young',
};

export const elementOf = (game) => elements[game] ?? 'learn-prairie';

// What the element of an address is given.
export function valuesOf(game) {
    if (game === 'postcard') return { isPostcard: true };
    if (game.startsWith('quiz/')) return { level: game.slice(5) };
    if (game.startsWith('decks/')) return { deckName: decodeURIComponent(game.slice(6)) };
    return {};
}

// What the player has reached, before the menu shows it.
export async function open(visit) {
    await player.open(visit.learner);
    player.addEventListener('chosen', () => { visit.learner = player.profile; });
}
