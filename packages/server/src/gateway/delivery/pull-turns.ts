/**
 * Who of a connection's subscriptions may put the next large piece on the line: one at a time, in the
 * order in which they asked, and only while little waits there. So a healthy reader is never taken for a
 * slow one, and no subscription keeps the others waiting for more than a piece. Pages of replays are
 * made ahead for a few subscriptions only, since each of them waits in memory for its turn.
 */

/** Turns given in one go; then other work of the process gets a chance. */
const TURNS_IN_A_ROW_MAX = 8;
const PAGES_AHEAD_MAX = 4;

export interface Puller {
  /** It is your turn, until you end it. */
  turn(): void;
}

export class PullTurns {
  readonly #hasRoom: () => boolean;
  readonly #waiting = new Set<Puller>();
  #holder: Puller | null = null;
  #isGiving = false;
  #isOver = false;

  constructor(hasRoom: () => boolean) {
    this.#hasRoom = hasRoom;
  }

  want(puller: Puller): void {
    this.#waiting.add(puller);
    this.give();
  }

  end(puller: Puller): void {
    if (this.#holder !== puller) return;
    this.#holder = null;
    this.give();
  }

  /** It is over: it neither has nor wants a turn. */
  leave(puller: Puller): void {
    this.#waiting.delete(puller);
    this.end(puller);
  }

  /** Gives turns, as far as there is room: to be called when there may be more. */
  give(): void {
    // Whoever ends a turn within it is served by the loop that gave it.
    if (this.#isGiving || this.#isOver) return;
    this.#isGiving = true;
    try {
      for (let given = 0; this.#holder === null && this.#hasRoom(); given += 1) {
        const [next] = this.#waiting;
        if (next === undefined) break;
        if (given === TURNS_IN_A_ROW_MAX) {
          setImmediate(() => this.give());
          break;
        }
        this.#waiting.delete(next);
        this.#giveTo(next);
      }
    } finally {
      this.#isGiving = false;
    }
  }

  /** A turn that throws is over, and the next ones follow later: one fault stops nobody else. */
  #giveTo(next: Puller): void {
    this.#holder = next;
    try {
      next.turn();
    } catch (error) {
      if (this.#holder === next) this.#holder = null;
      setImmediate(() => this.give());
      throw error;
    }
  }

  /** The connection is over: nobody gets a turn any more. */
  stop(): void {
    this.#isOver = true;
    this.#waiting.clear();
  }
}

export class PagesAhead {
  readonly #holders = new Set<Puller>();
  readonly #waiting = new Map<Puller, () => void>();

  /** Makes the page as soon as few others are made or wait. */
  take(puller: Puller, make: () => void): void {
    if (this.#holders.size >= PAGES_AHEAD_MAX) {
      this.#waiting.set(puller, make);
      return;
    }
    this.#holders.add(puller);
    make();
  }

  /** Its page is written, or no longer wanted. */
  free(puller: Puller): void {
    this.#waiting.delete(puller);
    if (!this.#holders.delete(puller)) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next[0]);
    this.take(...next);
  }
}
