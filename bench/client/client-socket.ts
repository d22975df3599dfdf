/** A WebSocket without a network: it opens at once and delivers prepared frames. */

export class HandedSocket {
  /** The socket that was created last. */
  static last: HandedSocket | null = null;
  readonly #hearing = new Map<string, (event: never) => void>();

  constructor() {
    HandedSocket.last = this;
    queueMicrotask(() => this.#hearing.get('open')?.({} as never));
  }

  addEventListener(kind: string, hear: (event: never) => void): void {
    this.#hearing.set(kind, hear);
  }

  send(): void {}

  close(code = 1_000, reason = ''): void {
    queueMicrotask(() => this.#hearing.get('close')?.({ code, reason } as never));
  }

  hand(data: string): void {
    this.#hearing.get('message')?.({ data } as never);
  }
}
