/** Repaints a picture on the terminal's alternate screen, at most ten times a second and each in one write. */

import { cutSeen } from './ink.ts';

const PAINT_MS = 100;
const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export class Screen implements Disposable {
  readonly #write: (text: string) => void;
  readonly #size: () => ScreenSize;
  readonly #draw: (size: ScreenSize) => readonly string[];
  readonly #timer: NodeJS.Timeout;
  #isDirty = true;

  constructor(
    write: (text: string) => void,
    size: () => ScreenSize,
    draw: (size: ScreenSize) => readonly string[],
  ) {
    this.#write = write;
    this.#size = size;
    this.#draw = draw;
    write(ENTER);
    this.#timer = setInterval(() => this.#paint(), PAINT_MS);
  }

  touch(): void {
    this.#isDirty = true;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#write(LEAVE);
  }

  #paint(): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    const size = this.#size();
    const lines = this.#draw(size).slice(0, size.rows);
    const painted = lines.map((line) => `${cutSeen(line, size.columns)}${CLEAR_LINE}`);
    this.#write(`${HOME}${painted.join('\r\n')}${CLEAR_BELOW}`);
  }
}
