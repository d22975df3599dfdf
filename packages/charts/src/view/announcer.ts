/** Reads out what changed, once a second at most: of several texts in that time the last. */

import type { ClientClock } from '@tapeloom/client/stream';

const PAUSE_MS = 1000;

export class Announcer {
  readonly #clock: ClientClock;
  readonly #show: (text: string) => void;
  #next: string | null = null;
  #timer: { cancel(): void } | null = null;
  #last = Number.NEGATIVE_INFINITY;

  constructor(clock: ClientClock, show: (text: string) => void) {
    this.#clock = clock;
    this.#show = show;
  }

  say(text: string): void {
    this.#next = text;
    if (this.#timer !== null) return;
    const passed = this.#clock.now() - this.#last;
    if (passed >= PAUSE_MS) this.#tell();
    else this.#timer = this.#clock.after(PAUSE_MS - passed, () => this.#tell());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#next = null;
  }

  #tell(): void {
    this.#timer = null;
    if (this.#next === null) return;
    this.#last = this.#clock.now();
    this.#show(this.#next);
    this.#next = null;
  }
}
