// Finding in lists: letters count, not their accents or case.

export const folded = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[’'ʼ]/g, '').trim();

// The entries of whose names one begins with the words, then those that have them inside.
export function found(entries, query, names) {
    const wanted = folded(query);
    if (!wanted) return entries;
    const rank = (entry) => {
        const all = names(entry).map(folded);
        if (all.some((name) => name.startsWith(wanted))) return 0;
        if (all.some((name) => name.split(/[\s-]+/).some((word) => word.startsWith(wanted)))) return 1;
        return all.some((name) => name.includes(wanted)) ? 2 : 3;
    };
    return entries.map((entry) => ({ entry, rank: rank(entry) })).filter(({ rank: one }) => one < 3)
        .sort((one, other) => one.rank - other.rank).map(({ entry }) => entry);
}

// Sorts by a text of the language, or by numbers, the largest first; what has none comes last.
export function sorted(entries, value, language) {
    const { compare } = new Intl.Collator(language, { sensitivity: 'base', numeric: true });
    return [...entries].sort((one, other) => {
        const [a, b] = [value(one), value(other)];
        if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
        return typeof a === 'number' ? b - a : compare(a, b);
    });
}

// The letters that names begin with, and the place of the first name of each.
export function letters(names, language) {
    const places = new Map();
    names.forEach((name, place) => {
        const letter = folded(name)[0]?.toUpperCase();
        if (letter && !places.has(letter)) places.set(letter, place);
    });
    const { compare } = new Intl.Collator(language);
    return new Map([...places].sort(([one], [other]) => compare(one, other)));
}
