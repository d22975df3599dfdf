/** Progress on stderr: on a terminal one line that changes in place, otherwise a new line now and then. */

import type { CommandIo } from './command.ts';

export const ERASE_LINE = '\r\x1b[2K';
const IN_PLACE_MS = 200;
const NEW_LINE_MS = 10_000;

export interface ProgressSurroundings {
  readonly now?: CommandIo['now'];
  /** Suppresses progress, for example between lines that a program reads. */
  readonly isQuiet?: boolean;
}

export class ProgressLine {
  readonly #io: CommandIo;
  readonly #now: () => number;
  readonly #isQuiet: boolean;
  readonly #startedMs: number;
  #shownMs: number;
  #isDrawn = false;

  constructor(io: CommandIo, { now = io.now, isQuiet = false }: ProgressSurroundings) {
    this.#io = io;
    this.#now = now;
    this.#isQuiet = isQuiet;
    this.#startedMs = now();
    this.#shownMs = io.isErrorTerminal ? Number.NEGATIVE_INFINITY : this.#startedMs;
  }

  get seconds(): number {
    return (this.#now() - this.#startedMs) / 1_000;
  }

  /** Calls `text` only when a line is due. */
  show(text: () => string): void {
    const nowMs = this.#now();
    const { isErrorTerminal, stderr } = this.#io;
    if (this.#isQuiet || nowMs - this.#shownMs < (isErrorTerminal ? IN_PLACE_MS : NEW_LINE_MS))
      return;
    this.#shownMs = nowMs;
    this.#isDrawn = isErrorTerminal;
    stderr(isErrorTerminal ? `${ERASE_LINE}${text()}` : `${text()}\n`);
  }

  /** Clears the line for other output. The next `show` draws when it is due. */
  erase(): void {
    if (this.#isDrawn) this.#io.stderr(ERASE_LINE);
    this.#isDrawn = false;
  }
}
