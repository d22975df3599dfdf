/** A part of the script that is loaded when something first needs it. What needed it happens then, in its order. */

export interface LaterHears {
  loaded(): void;
  failed(): void;
}

export class LaterPart<T> {
  readonly #load: () => Promise<T>;
  readonly #hears: LaterHears;
  #part: T | null = null;
  #waiting: ((part: T) => void)[] = [];
  #state: 'idle' | 'loading' | 'failed' = 'idle';

  constructor(load: () => Promise<T>, hears: LaterHears) {
    this.#load = load;
    this.#hears = hears;
  }

  /** Null: it is not here yet. */
  get now(): T | null {
    return this.#part;
  }

  /** Loads it, but not again after it has failed. */
  need(): void {
    if (this.#part === null && this.#state === 'idle') void this.#begin();
  }

  /** Calls at once if the part is here, else when it is; not at all if it cannot be loaded. */
  use(run: (part: T) => void): void {
    if (this.#part !== null) {
      run(this.#part);
      return;
    }
    this.#waiting.push(run);
    if (this.#state !== 'loading') void this.#begin();
  }

  /** Loads it again if that has failed. */
  again(): void {
    if (this.#state === 'failed') void this.#begin();
  }

  /** Whoever waits is not called any more. */
  forget(): void {
    this.#waiting = [];
  }

  async #begin(): Promise<void> {
    this.#state = 'loading';
    const part = await this.#load().catch(() => null);
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#state = part === null ? 'failed' : 'idle';
    if (part === null) {
      this.#hears.failed();
      return;
    }
    this.#part = part;
    this.#hears.loaded();
    for (const run of waiting) run(part);
  }
}
