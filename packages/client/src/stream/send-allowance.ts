/**
 * Limits how fast the client sends. The limit is below the server's, since frames that left separately may arrive
 * together and the platform sends frames of its own.
 */

const FRAMES_AT_ONCE = 60;
const FRAMES_PER_SECOND = 18;

export class SendAllowance {
  #frames = FRAMES_AT_ONCE;
  #at: number;

  constructor(now: number) {
    this.#at = now;
  }

  take(now: number): boolean {
    this.#fill(now);
    if (this.#frames < 1) return false;
    this.#frames -= 1;
    return true;
  }

  /** When the next frame is available. */
  get readyAt(): number {
    return this.#at + Math.ceil((Math.max(0, 1 - this.#frames) * 1_000) / FRAMES_PER_SECOND);
  }

  #fill(now: number): void {
    const more = ((now - this.#at) * FRAMES_PER_SECOND) / 1_000;
    this.#frames = Math.min(FRAMES_AT_ONCE, this.#frames + more);
    this.#at = now;
  }
}
