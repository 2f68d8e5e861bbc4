// Wrong answers to choose from: plausible ones, of which none would be right as well.
import { shuffled } from './random.js';

// The right item among `count` items in a random order. `isRight(item)` tells what would be right too; `near` are lists of
// candidates, the most plausible first.
export function choices(right, near, count, random, isRight = (item) => item === right) {
    const wrong = [];
    for (const list of near) {
        for (const item of shuffled(list, random)) {
            if (wrong.length === count - 1) break;
            if (item !== right && !isRight(item) && !wrong.includes(item)) wrong.push(item);
        }
    }
    return shuffled([right, ...wrong], random);
}

// For a country: neighbours, then the same region, then the same continent, then all.
export const likeCountry = (country, { members, byID }) => [
    (country.neighbours ?? []).map((id) => byID.get(id)).filter((one) => one?.quiz),
    members.filter((one) => one.region === country.region),
    members.filter((one) => one.continent === country.continent),
    members,
];

// For a card with groups: the same group, then all. The youngest get what is unlike.
export const likeCard = (card, cards, isYoungest = false) => {
    const [same, other] = [cards.filter((one) => one.group === card.group), cards.filter((one) => one.group !== card.group)];
    return isYoungest ? [other, same] : [same, other];
};
