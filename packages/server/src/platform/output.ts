/**
 * The process's printed output, to a reader that may stall or be gone. Neither ends the service nor fills its memory:
 * text beyond the limit is dropped, which is reported once there is space again; a missing reader is ignored.
 */

import { MIB } from '@tapeloom/core/units';

export const WAITING_BYTES_MAX = 4 * MIB;

export interface PrintStream {
  readonly writableLength: number;
  write(text: string): unknown;
  on(event: 'error', listener: () => void): unknown;
}

export class Output {
  readonly #stream: PrintStream;
  readonly #onDropped: (texts: number) => void;
  #dropped = 0;

  /** `onDropped` is called before the next printed text, and may print. */
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
