/** Slots that many share within limits. A holder enters one, or learns that there is none; nobody waits here. */

import { type ShareLimits, Shares } from './shares.ts';

export class SharedSlots {
  readonly #limits: ShareLimits;
  readonly #shares = new Shares();
  #refused = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#shares.total;
  }

  /** How often there was none, since the start. */
  get refusedCount(): number {
    return this.#refused;
  }

  /** One more slot, to be given back; null when there is none. */
  enter(holder: string): Disposable | null {
    if (!this.#shares.hasRoom(holder, this.#limits)) {
      this.#refused += 1;
      return null;
    }
    this.#shares.add(holder, 1);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#shares.add(holder, -1);
        isHeld = false;
      },
    };
  }
}
