/** Slots shared within limits. A holder gets a slot or null at once; there is no queue. */

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

  /** Rejections since the start. */
  get refusedCount(): number {
    return this.#refused;
  }

  /** A slot until it is disposed; null without a free one. */
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
