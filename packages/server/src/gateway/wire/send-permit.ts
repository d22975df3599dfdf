/**
 * The permit to send the next large piece (a page, a piece of the ring, a snapshot) to one client. A connection has
 * one. One subscription holds it at a time, in the order of their requests, and only while little is pending. So a
 * healthy reader is never taken for a slow consumer, and no subscription delays the others by more than a piece.
 */

/** Grants in one go; then other work of the process gets a chance. */
const GRANTS_IN_A_ROW_MAX = 8;

export interface PieceSender {
  /** It holds the permit, until it gives it back. */
  permitted(): void;
}

export class SendPermit {
  readonly #isOpen: () => boolean;
  readonly #requests = new Set<PieceSender>();
  #holder: PieceSender | null = null;
  #isGranting = false;

  /** `isOpen`: whether a piece may be sent now. Call `grant` when that may have become true. */
  constructor(isOpen: () => boolean) {
    this.#isOpen = isOpen;
  }

  request(sender: PieceSender): void {
    this.#requests.add(sender);
    this.grant();
  }

  giveBack(sender: PieceSender): void {
    if (this.#holder !== sender) return;
    this.#holder = null;
    this.grant();
  }

  /** The sender is over: it neither holds nor requests the permit. */
  leave(sender: PieceSender): void {
    this.#requests.delete(sender);
    this.giveBack(sender);
  }

  /** Grants the permit to one sender after the other, as long as pieces may be sent. */
  grant(): void {
    // The loop that granted the permit also serves a sender that gives it back at once.
    if (this.#isGranting) return;
    this.#isGranting = true;
    try {
      for (let granted = 0; this.#holder === null && this.#isOpen(); granted += 1) {
        const [next] = this.#requests;
        if (next === undefined) break;
        if (granted === GRANTS_IN_A_ROW_MAX) {
          setImmediate(() => this.grant());
          break;
        }
        this.#requests.delete(next);
        this.#grantTo(next);
      }
    } finally {
      this.#isGranting = false;
    }
  }

  /** A sender that throws loses the permit, and the next ones follow later: one fault stops no other sender. */
  #grantTo(next: PieceSender): void {
    this.#holder = next;
    try {
      next.permitted();
    } catch (error) {
      if (this.#holder === next) this.#holder = null;
      setImmediate(() => this.grant());
      throw error;
    }
  }
}
