// <tablet-certificate>: how a tablet comes to trust the station: a code that leads to its certificate, and the fingerprint to
// compare.
import { code } from '../core/codes.js';
import { h } from '../core/dom.js';
import { tell, text, words } from '../core/words.js';
import * as api from '../core/api.js';

class TabletCertificate extends HTMLElement {
    #ended = null;
    #problem = h('p', { class: 'problem', role: 'alert' });

    async connectedCallback() {
        this.#ended = new AbortController();
        // It scrolls where it is narrow, and has nothing else that a keyboard reaches.
        this.tabIndex = 0;
        const { signal } = this.#ended;
        this.replaceChildren(h('h1', { class: 'title', word: 'certificate.title', tabindex: -1 }), this.#problem);
        try {
            const report = await api.certificate({ signal });
            this.#show(report);
            words.addEventListener('languagechange', () => this.#show(report), { signal });
        } catch {
            if (!signal.aborted) tell(this.#problem, 'certificate.none');
        }
    }

    disconnectedCallback() {
        this.#ended.abort();
    }

    // Lines end behind a colon.
    #pairs(fingerprint) {
        return fingerprint.split(':').flatMap((pair, index) => (index ? [':', h('wbr'), pair] : [pair]));
    }

    #show({ kind, link, qr, fingerprint, names, expiresAt, fault }) {
        const facts = [['certificate.fingerprint', fingerprint ?? text('printing.unknown')], ['certificate.names', names.join(', ')],
            ['certificate.ends', words.time(expiresAt, { dateStyle: 'long' })]];
        this.replaceChildren(h('h1', { class: 'title', word: 'certificate.title', tabindex: -1 }), ...(qr?.length ? [code(qr, { label: 'certificate.code' })] : []),
            h('div', { class: 'answer' },
                h('p', { word: kind !== 'own' ? 'certificate.operator' : link ? 'certificate.how' : 'certificate.none' }),
                link ? h('p', { class: 'link', text: link }) : null, kind === 'own' && link ? h('p', { word: 'certificate.switch' }) : null,
                h('dl', { class: 'facts' }, facts.flatMap(([key, value]) => [h('dt', { text: text(key) }), h('dd', {}, key === 'certificate.fingerprint' ? this.#pairs(value) : value)])),
                fault ? h('p', { class: 'problem', lang: 'en', text: fault }) : null));
    }
}

customElements.define('tablet-certificate', TabletCertificate);
