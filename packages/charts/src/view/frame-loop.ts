/** At most one frame of script per frame of the screen, and none while nothing changed. */

import type { ClientClock } from '@tapeloom/client/stream';

const FRAMES_KEPT = 600;

export type Needed = 'crosshair' | 'picture';

export class FrameLoop {
  readonly #clock: ClientClock;
  readonly #draw: (needed: Needed) => boolean;
  readonly #times: number[] = [];
  #request = 0;
  #needed: Needed | null = null;
  #isStopped = false;

  /** `draw` returns whether the picture moves on by itself. */
  constructor(clock: ClientClock, draw: (needed: Needed) => boolean) {
    this.#clock = clock;
    this.#draw = draw;
  }

  /** Milliseconds of script of the newest frames. */
  get times(): readonly number[] {
    return this.#times;
  }

  need(needed: Needed): void {
    if (this.#needed !== 'picture') this.#needed = needed;
    if (this.#request !== 0 || this.#isStopped) return;
    this.#request = requestAnimationFrame(() => this.#frame());
  }

  stop(): void {
    this.#isStopped = true;
    cancelAnimationFrame(this.#request);
  }

  #frame(): void {
    this.#request = 0;
    const needed = this.#needed;
    this.#needed = null;
    if (needed === null) return;
    const begin = this.#clock.now();
    const isMoving = this.#draw(needed);
    this.#times.push(this.#clock.now() - begin);
    if (this.#times.length > FRAMES_KEPT) this.#times.shift();
    if (isMoving) this.need('picture');
  }
}
