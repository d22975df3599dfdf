/**
 * One connection of a server, and what of its answers the reader has not taken. Requests that were sent
 * without waiting for answers have their turns one after the other: the next begins when the answer before
 * it has left, so nobody makes us hold more than one answer by not reading.
 *
 * What counts as taken is what the system took from us. Buffers on the way fill in a moment; from then on it
 * goes by the reader.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MINUTE_MS } from '@tapeloom/core/units';
import { ClientGoneError } from './client-gone-error.ts';

/** How often every connection is looked at. Looks are counted, not hours: a clock may jump. */
export const LOOK_EVERY_MS = 5_000;
export const WINDOW_MS = MINUTE_MS;
export const BYTES_PER_SECOND_MIN = 4_096;
const WINDOW_LOOKS = WINDOW_MS / LOOK_EVERY_MS;
const WINDOW_BYTES_MIN = (BYTES_PER_SECOND_MIN * WINDOW_MS) / 1_000;
/** Requests of a connection that may wait for their turn. The last of them is told that it closes then. */
export const WAITING_MAX = 32;

export interface LineOwner {
  /** What waits has changed. */
  recount(line: AnswerLine): void;
  cut(line: AnswerLine, reason: CutReason): void;
  /** Whether the holder may have more bytes waiting. */
  hasRoom(holder: string): boolean;
  /** Resolves when the holder has room, or the line is over. */
  room(line: AnswerLine): Promise<void>;
}

/** `stalled`: read too slowly. `share`: its holder had most when all was full. `flood`: too many requests. */
export type CutReason = 'stalled' | 'share' | 'flood';

/** What the platform knows of writes it has begun; nothing public tells how far a large one has come. */
interface WriteHandle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

export class AnswerLine {
  readonly socket: Socket;
  /** Whose answer it is: an account, or an address. */
  holder: string;
  /** As the owner has counted it. */
  counted: { readonly holder: string; readonly bytes: number };
  isOver = false;
  readonly #owner: LineOwner;
  /** Of the present answer, not given to the socket yet. */
  #ahead = 0;
  /** What had been taken at the looks of the last minute, since something waits. */
  readonly #takenAtLooks: number[] = [];
  readonly #turns: PromiseWithResolvers<void>[] = [];
  /** Whose turn it is. */
  #response: ServerResponse | null = null;
  /** The last request that will be answered is known. */
  #isClosing = false;
  #ignored = 0;

  constructor(owner: LineOwner, socket: Socket, holder: string) {
    this.#owner = owner;
    this.socket = socket;
    this.holder = holder;
    this.counted = { holder, bytes: 0 };
  }

  /** A request is being worked at. */
  get isAnswering(): boolean {
    return this.#response !== null;
  }

  /** Something of its answer was written. */
  get hasBegunAnswer(): boolean {
    return this.#response?.headersSent === true;
  }

  /** Bytes that wait for the reader. */
  get unsent(): number {
    return this.isOver ? 0 : this.#ahead + waitingOn(this.socket);
  }

  /** For how many looks nothing at all was taken. */
  get looksWithoutProgress(): number {
    const last = this.#takenAtLooks.at(-1);
    return last === undefined
      ? 0
      : this.#takenAtLooks.length - 1 - this.#takenAtLooks.indexOf(last);
  }

  /** Null when it is this response's turn, else a promise of it; throws or rejects when that will never be. */
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

  /** So many bytes of the answer are held for it beside what the socket has. */
  hold(ahead: number): void {
    this.#ahead = ahead;
    this.#owner.recount(this);
  }

  recount(): void {
    this.#owner.recount(this);
  }

  /** All was taken, and nothing more is there yet: that is no fault of the reader. */
  isAhead(): void {
    if (waitingOn(this.socket) === 0) this.#takenAtLooks.length = 0;
  }

  /** Before more is computed for it. */
  async room(): Promise<void> {
    if (!this.#owner.hasRoom(this.holder)) await this.#owner.room(this);
  }

  /** Once per look: whether the reader took too little in the last minute. */
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

  /** The connection has ended. */
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

/** What the socket was given and the system has not taken. */
function waitingOn(socket: Socket): number {
  const { writableLength = 0 } = socket;
  if (writableLength === 0) return 0;
  const { _handle: handle } = socket as Socket & { readonly _handle?: WriteHandle | null };
  if (handle?.writeQueueSize === undefined) return writableLength;
  return socket.bytesWritten - handle.bytesWritten + handle.writeQueueSize;
}
