/**
 * What the process prints, to a reader that may stall or be gone. Neither ends the service nor fills its memory:
 * what is beyond the limit is dropped, which is told once there is room again, and a reader that is gone is not
 * missed.
 */

import { MIB } from '@tapeloom/core/units';

/** What may wait for the reader. */
export const WAITING_BYTES_MAX = 4 * MIB;

/** As much of the process's streams as is needed. */
export interface PrintStream {
  readonly writableLength: number;
  write(text: string): unknown;
  on(event: 'error', listener: () => void): unknown;
}

export class Output {
  readonly #stream: PrintStream;
  readonly #onDropped: (texts: number) => void;
  #dropped = 0;

  /** `onDropped` is called before the next text that is printed, and may print. */
  constructor(stream: PrintStream, onDropped: (texts: number) => void = () => undefined) {
    this.#stream = stream;
    this.#onDropped = onDropped;
    stream.on('error', () => undefined);
  }

  write(text: string): void {
    if (this.#stream.writableLength > WAITING_BYTES_MAX) {
      this.#dropped += 1;
      return;
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) this.#onDropped(dropped);
    this.#stream.write(text);
  }
}
