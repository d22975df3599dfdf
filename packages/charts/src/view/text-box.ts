/** The field in which a drawing gets its words, at the drawing. */

import { element, place } from './dom.ts';
import { DRAWING_TEXT_MAX } from './drawing-tool.ts';

export class TextBox {
  readonly #input = element('input', 'tl-text', {
    attributes: {
      type: 'text',
      maxlength: String(DRAWING_TEXT_MAX),
      'aria-label': 'Text of the drawing',
      placeholder: 'Text',
      autocomplete: 'off',
      spellcheck: 'false',
    },
  });
  #done: ((text: string | null) => void) | null = null;

  constructor(root: HTMLElement) {
    const input = this.#input;
    input.hidden = true;
    input.addEventListener('keydown', (event) => {
      // Keys of the chart around it are letters here.
      event.stopPropagation();
      if (event.key === 'Enter') this.#close(input.value);
      if (event.key === 'Escape') this.#close(null);
    });
    input.addEventListener('blur', () => this.#close(input.value));
    root.append(input);
  }

  get isOpen(): boolean {
    return this.#done !== null;
  }

  /** `done` gets null if the reader pressed Escape. */
  open(text: string, x: number, y: number, done: (text: string | null) => void): void {
    this.#close(null);
    this.#done = done;
    this.#input.value = text;
    this.#input.hidden = false;
    place(this.#input, x, y);
    this.#input.focus({ preventScroll: true });
    this.#input.select();
  }

  move(x: number, y: number): void {
    place(this.#input, x, y);
  }

  #close(text: string | null): void {
    const done = this.#done;
    if (done === null) return;
    // Hiding it takes its focus, which would close it a second time.
    this.#done = null;
    this.#input.hidden = true;
    done(text);
  }
}
