/**
 * Limits the bytes that the engine has sent and the receiver has not acknowledged. At the limit the engine reads no
 * further. The tape keeps the trades meanwhile, and later publications are the same.
 */

export const OUTGOING_BYTES_MAX = 33_554_432;
/** The receiver acknowledges at least this often; far below the limit, so the channel never stalls. */
export const ACKNOWLEDGE_BYTES = 262_144;

/** Whether the engine may send more. */
export interface Flow {
  readonly isOpen: boolean;
  /** Resolves as soon as more may be sent. */
  opened(): Promise<void>;
}

export class OutgoingFlow implements Flow {
  #bytes = 0;
  #waiting: PromiseWithResolvers<void> | null = null;

  get isOpen(): boolean {
    return this.#bytes < OUTGOING_BYTES_MAX;
  }

  async opened(): Promise<void> {
    if (this.isOpen) return;
    this.#waiting ??= Promise.withResolvers();
    await this.#waiting.promise;
  }

  sent(bytes: number): void {
    this.#bytes += bytes;
  }

  acknowledged(bytes: number): void {
    this.#bytes -= bytes;
    if (!this.isOpen) return;
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}
