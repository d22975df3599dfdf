/**
 * Messages for the person who started the service: plain lines, and progress, as a bar on a terminal or a line every
 * tenth otherwise. A bar is always the last line of the screen: other output, by `say` or through `around`, appears
 * above it.
 */

const BAR_CELLS = 30;
const CLEAR_LINE = '\r\x1b[2K';

export interface Screen {
  readonly isTerminal: boolean;
  write(text: string): void;
}

export class Announcer {
  readonly #screen: Screen;
  #bar = '';
  #tenths = -1;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  say(line: string): void {
    this.around(() => this.#screen.write(`${line}\n`));
  }

  /** Runs a function that writes to the same screen. */
  around(write: () => void): void {
    if (this.#bar !== '') this.#screen.write(CLEAR_LINE);
    write();
    if (this.#bar !== '') this.#screen.write(this.#bar);
  }

  /** `done` of `total` pieces of `what`; the bar ends when all are done. */
  progress(what: string, done: number, total: number): void {
    if (total <= 0) return;
    const share = Math.min(1, done / total);
    if (!this.#screen.isTerminal) {
      const tenths = Math.floor(share * 10);
      if (tenths > this.#tenths) this.say(`${what}: ${done} of ${total}`);
      this.#tenths = share === 1 ? -1 : Math.max(tenths, this.#tenths);
      return;
    }
    const cells = Math.round(share * BAR_CELLS);
    const bar = `${'█'.repeat(cells)}${'░'.repeat(BAR_CELLS - cells)}`;
    this.#screen.write(this.#bar === '' ? '' : CLEAR_LINE);
    this.#bar = `${what} ${bar} ${done}/${total}`;
    this.#screen.write(this.#bar);
    if (share === 1) this.endProgress();
  }

  /** Leaves the bar where it is and starts a new line below it. */
  endProgress(): void {
    if (this.#bar !== '') this.#screen.write('\n');
    this.#bar = '';
    this.#tenths = -1;
  }
}
