/**
 * One connection of a server, and the pending output of its answers. Pipelined requests are handled one after the
 * other, so a client that does not read makes us hold only one answer. Bytes count as taken once the system has taken
 * them from us. Buffers on the way fill in a moment; from then on the reader sets the pace.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MINUTE_MS } from '@tapeloom/core/units';
import { ClientGoneError } from './client-gone-error.ts';

/** How often every connection is checked. Checks are counted, not time: a clock may jump. */
export const LOOK_EVERY_MS = 5_000;
export const WINDOW_MS = MINUTE_MS;
export const BYTES_PER_SECOND_MIN = 4_096;
const WINDOW_LOOKS = WINDOW_MS / LOOK_EVERY_MS;
const WINDOW_BYTES_MIN = (BYTES_PER_SECOND_MIN * WINDOW_MS) / 1_000;
/** Pipelined requests that may wait. The response to the last of them announces that the connection closes. */
export const WAITING_MAX = 32;

export interface LineOwner {
  recount(line: AnswerLine): void;
  cut(line: AnswerLine, reason: CutReason): void;
  /** Whether the holder may have more pending bytes. */
  hasRoom(holder: string): boolean;
  /** Resolves when the holder may have more, or the line is over. */
  room(line: AnswerLine): Promise<void>;
}

/** `stalled`: read too slowly. `share`: its holder had most when memory was full. `flood`: too many requests. */
export type CutReason = 'stalled' | 'share' | 'flood';

/** Progress of a write inside Node; no public API reports how far a large write has come. */
interface WriteHandle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

export class AnswerLine {
  readonly socket: Socket;
  /** The account or address that the answer counts for. */
  holder: string;
  /** As last counted by the owner. */
  counted: { readonly holder: string; readonly bytes: number };
  isOver = false;
  readonly #owner: LineOwner;
  /** Bytes of the present answer that the socket does not have yet. */
  #ahead = 0;
  /** Bytes taken at the checks of the last minute, while output is pending. */
  readonly #takenAtLooks: number[] = [];
  readonly #turns: PromiseWithResolvers<void>[] = [];
  /** The response being handled. */
  #response: ServerResponse | null = null;
  /** No request after the queued ones will be answered. */
  #isClosing = false;
  #ignored = 0;

  constructor(owner: LineOwner, socket: Socket, holder: string) {
    this.#owner = owner;
    this.socket = socket;
    this.holder = holder;
    this.counted = { holder, bytes: 0 };
  }

  get isAnswering(): boolean {
    return this.#response !== null;
  }

  /** A part of its answer was written. */
  get hasBegunAnswer(): boolean {
    return this.#response?.headersSent === true;
  }

  /** Bytes pending for the reader. */
  get unsent(): number {
    return this.isOver ? 0 : this.#ahead + waitingOn(this.socket);
  }

  /** For how many checks no byte was taken. */
  get looksWithoutProgress(): number {
    const last = this.#takenAtLooks.at(-1);
    return last === undefined
      ? 0
      : this.#takenAtLooks.length - 1 - this.#takenAtLooks.indexOf(last);
  }

  /** Null when this response may begin now, otherwise a promise of it. Throws or rejects when it never may. */
  turn(response: ServerResponse): Promise<void> | null {
    if (this.#isClosing || this.isOver) {
      this.#ignored += 1;
      if (this.#ignored > WAITING_MAX) this.#owner.cut(this, 'flood');
      throw new ClientGoneError();
    }
    if (!this.isAnswering) {
      this.#begin(response);
      return null;
    }
    const turn = Promise.withResolvers<void>();
    this.#turns.push(turn);
    if (this.#turns.length >= WAITING_MAX) {
      this.#isClosing = true;
      response.shouldKeepAlive = false;
    }
    return turn.promise.then(() => this.#begin(response));
  }

  /** Sets how many bytes of the answer are held besides those on the socket. */
  hold(ahead: number): void {
    this.#ahead = ahead;
    this.#owner.recount(this);
  }

  recount(): void {
    this.#owner.recount(this);
  }

  /** The reader has taken everything and the next bytes are not made yet: this time does not count against it. */
  isAhead(): void {
    if (waitingOn(this.socket) === 0) this.#takenAtLooks.length = 0;
  }

  /** Call before more is computed for it. */
  async room(): Promise<void> {
    if (!this.#owner.hasRoom(this.holder)) await this.#owner.room(this);
  }

  /** Called once per check: whether the reader took too little in the last minute. */
  isTooSlow(): boolean {
    const waiting = waitingOn(this.socket);
    if (waiting === 0) {
      this.#takenAtLooks.length = 0;
      return false;
    }
    const taken = this.socket.bytesWritten - waiting;
    this.#takenAtLooks.push(taken);
    if (this.#takenAtLooks.length <= WINDOW_LOOKS) return false;
    return taken - this.#takenAtLooks.shift()! < WINDOW_BYTES_MIN;
  }

  end(): void {
    this.isOver = true;
    this.#owner.recount(this);
    for (const turn of this.#turns.splice(0)) turn.reject(new ClientGoneError());
  }

  #begin(response: ServerResponse): void {
    this.#response = response;
    response.on('close', () => this.#answered());
  }

  #answered(): void {
    this.#takenAtLooks.length = 0;
    this.hold(0);
    const next = this.#turns.shift();
    if (next === undefined) this.#response = null;
    else next.resolve();
  }
}

/** Bytes that the socket was given and the system has not taken. */
function waitingOn(socket: Socket): number {
  const { writableLength = 0 } = socket;
  if (writableLength === 0) return 0;
  const { _handle: handle } = socket as Socket & { readonly _handle?: WriteHandle | null };
  if (handle?.writeQueueSize === undefined) return writableLength;
  return socket.bytesWritten - handle.bytesWritten + handle.writeQueueSize;
}
