/** Says that a part of the chart could not be loaded, until it is. */

import { button, element } from './dom.ts';

const WORDS = 'A part of the chart could not be loaded.';

export class FaultCard {
  readonly #card = element('div', 'tl-nothing tl-fault', { attributes: { role: 'alert' } });
  readonly #again: () => void;

  constructor(root: HTMLElement, again: () => void) {
    this.#again = again;
    root.append(this.#card);
    this.hide();
  }

  show(): void {
    this.#card.hidden = false;
    this.#card.replaceChildren(
      element('span', '', { text: WORDS }),
      button('tl-button', 'Try again', () => {
        this.hide();
        this.#again();
      }),
    );
  }

  hide(): void {
    this.#card.hidden = true;
    this.#card.replaceChildren();
  }
}
