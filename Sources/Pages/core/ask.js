// Dialogs above a screen: a question before something that cannot be undone, and forms.
import { button, h } from './dom.js';
import { shield } from './shield.js';

// Opens a dialog; it is gone from the page when it is closed. `fill(close)` gives what is in it.
export function openDialog(title, fill) {
    const dialog = h('dialog', { class: 'sheet', label: title, on: { close: () => { dialog.remove(); shield.raise(); } } });
    dialog.append(h('h2', { class: 'title', word: title }), ...fill(() => { dialog.close(); shield.raise(); }).filter(Boolean));
    document.querySelector('kiosk-app').append(dialog);
    dialog.showModal();
    shield.raise();
    return dialog;
}

// A promise of whether the answer was yes.
export function ask(title, detail, yes, { icon = 'bin' } = {}) {
    return new Promise((answer) => {
        const dialog = openDialog(title, (close) => {
            const choose = (value) => () => { answer(value); close(); };
            return [h('p', { word: detail }), h('div', { class: 'choices' },
                button('ask.no', choose(false), { autofocus: true }),
                button(yes, choose(true), { class: 'danger', icon }))];
        });
        dialog.addEventListener('close', () => answer(false));
    });
}
