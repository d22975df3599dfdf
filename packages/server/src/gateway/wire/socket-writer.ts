/**
 * Owns all output of one connection, and every event that moves it on. Promised output is sent while the client reads,
 * whatever its size. The pending bytes never reach `OUTBOX_LIMITS.bytesMax`: before that, the owner is asked to close a
 * slow consumer.
 */

// A frame passes up to three buffers, whole and in order: outbox → queue → socket.
// 1. The outbox takes messages from 256 KiB in the other two on. Only there does a newer version replace an older one.
// 2. The queue has the next writes. It keeps frames until the turn of the event loop ends, or longer while the peer is
//    behind.
// 3. The socket has at most one write of ours that the peer has not taken: then the peer is behind. `ws` writes control
//    frames there too. Nothing on the socket can be taken back.
//
// Three events move frames on:
// 1. The turn of the event loop ends (`releaseSoon`): the queue leaves, in one write unless it is a lot.
// 2. The peer has taken the bytes on the socket (`#taken`): the queue leaves, the outbox refills it, and the permit for
//    the next large piece is granted. `#awaitPeer` requests this event whenever bytes stay on the socket, so it cannot
//    be missed. That includes control frames: they alone can fill the socket.
// 3. `ws` is about to write a close frame (`release`): nothing may follow it, so the queue leaves first.

import type { Duplex } from 'node:stream';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { EncodedFrames, Flush } from '../../topics/flush.ts';
import { MessageFrame } from '../../topics/message-frame.ts';
import { textFrame } from '../../topics/text-frame.ts';
import type { GatewayCounters } from '../connection/gateway-metrics.ts';
import { OUTBOX_LIMITS, Outbox } from './outbox.ts';
import { SendPermit } from './send-permit.ts';

/**
 * At most so many bytes are held back for one write. More than that is written at once, so that only bytes that the
 * peer does not take count as pending. A write exceeds this only for one large flush or message.
 */
export const WRITE_BYTES_MAX = 65_536;
const NOTHING = Buffer.alloc(0);

export interface SocketWriterServices {
  readonly counters: GatewayCounters;
  /** Calls `writer.release()` at the end of this turn of the event loop. */
  readonly releaseSoon: ReleaseSoon;
}

export type ReleaseSoon = (writer: SocketWriter) => void;

/** One `setImmediate` for all writers that were written to in a turn of the event loop. */
export function createReleaseSoon(): ReleaseSoon {
  let due: SocketWriter[] = [];
  return (writer) => {
    due.push(writer);
    if (due.length > 1) return;
    setImmediate(() => {
      const writers = due;
      due = [];
      for (const each of writers) each.release();
    });
  };
}

export interface WriterOwner {
  /** Whether no close frame was sent or answered: none of ours may follow one. */
  readonly isOpen: boolean;
  /** The reader is too slow: nothing more is taken. */
  overflowed(): void;
  /** The peer has closed the connection. */
  peerClosed(): void;
}

export class SocketWriter {
  readonly #socket: Duplex;
  readonly #owner: WriterOwner;
  readonly #services: SocketWriterServices;
  readonly #outbox = new Outbox();
  #queue: EncodedFrames[] = [];
  #queueBytes = 0;
  /** The peer has not taken the bytes on the socket: `#taken` follows. */
  #isBehind = false;
  /** `release` follows at the end of this turn of the event loop. */
  #isDue = false;
  #isOver = false;
  /** Created for the first subscription: a connection may stay open for long without any. */
  #permit: SendPermit | null = null;
  readonly #taken = (): void => {
    this.#isBehind = false;
    if (this.#isOver) return;
    this.#moveOn();
    this.#permit?.grant();
  };

  constructor(socket: Duplex, owner: WriterOwner, services: SocketWriterServices) {
    this.#socket = socket;
    this.#owner = owner;
    this.#services = services;
  }

  /** Large pieces are sent by its holder only: one at a time, while little is pending. */
  get permit(): SendPermit {
    this.#permit ??= new SendPermit(() => !this.#isOver && this.takesPieces);
    return this.#permit;
  }

  /** Whether so little is pending that the next large piece may be sent. False only while the peer is behind. */
  get takesPieces(): boolean {
    return this.#outbox.lets(0, this.#pendingBytes);
  }

  /** Whether the peer has taken all. */
  get isEmpty(): boolean {
    return this.#outbox.bytes === 0 && this.#pendingBytes === 0;
  }

  /** On the socket and in the queue. */
  get #pendingBytes(): number {
    return this.#socket.writableLength + this.#queueBytes;
  }

  /** A flush is one write, shared by all equal subscriptions, or goes message by message when the
   * reader is behind. */
  write(sub: string, mode: StreamMode, flush: Flush): void {
    if (this.#isOver) return;
    const frames = flush.framesFor(sub, mode);
    if (frames === null) return;
    const { length } = frames.bytes;
    if (this.#outbox.lets(length, this.#pendingBefore(length))) this.#put(frames);
    else for (const message of flush.messagesFor(sub, mode)) this.#pass(message);
  }

  send(message: ServerMessage): void {
    if (message.t === 'error') this.#services.counters.countError(message.code);
    const sub = ('sub' in message ? message.sub : null) ?? null;
    const bytes = textFrame(JSON.stringify(message));
    this.#pass(new MessageFrame(message.t, sub, '', bytes));
  }

  /** `ws` answers control frames by itself, past our buffers: its answers are counted and awaited after the fact. */
  answeredControlFrame(): void {
    if (this.#isOver) return;
    if (this.#pendingBytes >= OUTBOX_LIMITS.bytesMax) this.#owner.overflowed();
    else this.#awaitPeer();
  }

  /** The subscription is over: nothing of it follows. */
  endSubscription(sub: string): void {
    this.#outbox.endSubscription(sub);
  }

  /** Writes the queue, as far as the peer takes it. */
  release(): void {
    this.#isDue = false;
    while (this.#queue.length > 0 && !this.#isBehind) {
      // A close frame may have left since.
      if (!this.#owner.isOpen) {
        this.#drop();
        this.#owner.peerClosed();
        return;
      }
      this.#writeNext();
    }
  }

  /** Ends the output. `rest`: sends all of it first, or only a begun write and bytes that the peer takes at once. */
  end({ rest }: { readonly rest: 'sent' | 'dropped' }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const isOpen = this.#owner.isOpen;
    const frames = rest === 'sent' ? this.#outbox.takeAll() : null;
    if (frames !== null) this.#enqueue(frames);
    while (isOpen && this.#queue.length > 0 && (rest === 'sent' || !this.#isBehind)) {
      this.#writeNext();
    }
    this.#drop();
  }

  #pass(message: MessageFrame): void {
    if (this.#isOver) return;
    const verdict = this.#outbox.pass(message, this.#pendingBefore(message.bytes.length));
    if (verdict === 'at-once') this.#put({ bytes: message.bytes, messages: 1 });
    else if (verdict === 'over') this.#owner.overflowed();
  }

  /** Bytes that the peer takes at once are not pending: they are written before the rest is measured. */
  #pendingBefore(bytes: number): number {
    const pending = this.#pendingBytes;
    if (pending + bytes <= WRITE_BYTES_MAX) return pending;
    this.release();
    return this.#pendingBytes;
  }

  /** The peer has taken something: sends the next frames, as far as the peer takes them. */
  #moveOn(): void {
    for (;;) {
      this.release();
      const frames = this.#outbox.take(this.#pendingBytes);
      if (frames === null) break;
      this.#enqueue(frames);
    }
    this.#awaitPeer();
  }

  #put(frames: EncodedFrames): void {
    this.#enqueue(frames);
    // A full write leaves now. More than that stays only while the peer is behind, and then `#taken` follows.
    if (this.#queueBytes > WRITE_BYTES_MAX) this.release();
    if (this.#isDue || this.#queue.length === 0) return;
    this.#isDue = true;
    this.#services.releaseSoon(this);
  }

  #enqueue(frames: EncodedFrames): void {
    this.#queue.push(frames);
    this.#queueBytes += frames.bytes.length;
  }

  #drop(): void {
    this.#queue = [];
    this.#queueBytes = 0;
    this.#outbox.clear();
  }

  /** One write: the first frames, and the following ones that fit. */
  #writeNext(): void {
    if (this.#queue.length === 1) this.#send(this.#queue.pop()!);
    else this.#writeSeveral();
    this.#awaitPeer();
  }

  #writeSeveral(): void {
    let [count, bytes] = [1, this.#queue[0]!.bytes.length];
    for (; count < this.#queue.length; count += 1) {
      bytes += this.#queue[count]!.bytes.length;
      if (bytes > WRITE_BYTES_MAX) break;
    }
    this.#socket.cork();
    for (const frames of this.#queue.splice(0, count)) this.#send(frames);
    this.#socket.uncork();
  }

  #send({ bytes, messages }: EncodedFrames): void {
    const { counters } = this.#services;
    counters.messagesSentTotal += messages;
    counters.bytesSentTotal += bytes.length;
    this.#queueBytes -= bytes.length;
    this.#socket.write(bytes);
  }

  /** Most writes are taken at once: only bytes that stay get a callback, on an empty write behind them. */
  #awaitPeer(): void {
    if (this.#isBehind || this.#socket.writableLength === 0 || !this.#socket.writable) return;
    this.#isBehind = true;
    this.#socket.write(NOTHING, this.#taken);
  }
}
