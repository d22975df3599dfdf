/**
 * Puts frames on a connection's socket. All that is written in one turn of the event loop leaves in one
 * write, unless it is a lot. Data frames go straight to the raw socket, prepared by us, always whole;
 * `ws` writes control frames to the same socket, between them.
 *
 * Of a reader that is behind the socket has one write, which nobody can take back any more. What follows
 * waits here, a little of it in a queue, then in the outbox, where versions are skipped, and moves on as
 * the peer takes what was written before. The bytes waiting in all three never reach their limit: then the
 * connection is told, and what waits here can be dropped.
 */

import type { Duplex } from 'node:stream';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { EncodedFrames, Flush } from '../../topics/flush.ts';
import { MessageFrame } from '../../topics/message-frame.ts';
import { textFrame } from '../../topics/text-frame.ts';
import type { GatewayCounters } from '../connection/gateway-metrics.ts';
import { OUTBOX_LIMITS, Outbox } from './outbox.ts';

/** Held back for one write at most; beyond, the socket gets it at once, so that only what the peer
 * does not take counts as waiting. A write is no larger, unless a single flush or message is. */
export const WRITE_BYTES_MAX = 65_536;
const NOTHING = Buffer.alloc(0);

/** What all writers share. */
export interface SocketWriterServices {
  readonly counters: GatewayCounters;
  /** Calls `writer.release()` at the end of this turn of the event loop. */
  readonly releaseSoon: (writer: SocketWriter) => void;
}

/** Whose writer it is. */
export interface WriterOwner {
  /** Whether no close frame was sent or answered: none of ours may follow one. */
  readonly isOpen: boolean;
  /** The reader is too slow: nothing more is taken. */
  overflowed(): void;
  /** The peer has said goodbye. */
  peerClosed(): void;
  /** The peer was behind, and has taken what was written: there may be room. */
  peerTook(): void;
}

export class SocketWriter {
  readonly #socket: Duplex;
  readonly #owner: WriterOwner;
  readonly #services: SocketWriterServices;
  readonly #outbox = new Outbox();
  /** To be written at the end of this turn, or when the peer has taken what was written before. */
  #queue: EncodedFrames[] = [];
  #queueBytes = 0;
  /** The peer has not taken what we wrote last; control frames of `ws` are not ours. */
  #isBehind = false;
  #isHeld = false;
  #isOver = false;
  readonly #taken = (): void => {
    this.#isBehind = false;
    if (!this.#isOver) this.#owner.peerTook();
  };

  constructor(socket: Duplex, owner: WriterOwner, services: SocketWriterServices) {
    this.#socket = socket;
    this.#owner = owner;
    this.#services = services;
  }

  /** Whether so little waits that the next piece may be pulled. False only while the peer is behind: `peerTook` follows. */
  get hasRoom(): boolean {
    return this.#outbox.lets(0, this.#waiting);
  }

  /** Whether the peer has taken all. */
  get isEmpty(): boolean {
    return this.#outbox.bytes === 0 && this.#waiting === 0;
  }

  /** Bytes that were let go or will be before anything else, and that the peer has not taken. */
  get #waiting(): number {
    return this.#socket.writableLength + this.#queueBytes;
  }

  /** A flush is one write, shared by all equal subscriptions, or goes message by message when the
   * reader is behind. */
  write(sub: string, mode: StreamMode, flush: Flush): void {
    if (this.#isOver) return;
    const frames = flush.framesFor(sub, mode);
    if (frames === null) return;
    const { length } = frames.bytes;
    if (this.#outbox.lets(length, this.#waitingBefore(length))) this.#put(frames);
    else for (const message of flush.messagesFor(sub, mode)) this.#pass(message);
  }

  send(message: ServerMessage): void {
    if (message.t === 'error') this.#services.counters.countError(message.code);
    const sub = ('sub' in message ? message.sub : null) ?? null;
    const bytes = textFrame(JSON.stringify(message));
    this.#pass(new MessageFrame(message.t, sub, '', bytes));
  }

  /** `ws` answers control frames by itself, past the outbox: they are counted after the fact. */
  answeredControlFrame(): void {
    if (this.#waiting >= OUTBOX_LIMITS.bytesMax) this.#owner.overflowed();
  }

  /** The subscription is over: nothing of it follows. */
  endSubscription(sub: string): void {
    this.#outbox.endSubscription(sub);
  }

  /** Lets go what was written in this turn, as far as the peer takes it. */
  release(): void {
    this.#isHeld = false;
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

  /**
   * The peer has taken something: it gets what waits, as far as it takes it. When this ends with something
   * still waiting, so much is on the socket that it will be told of again.
   */
  moveOn(): void {
    for (;;) {
      this.release();
      const frames = this.#outbox.take(this.#waiting);
      if (frames === null) return;
      this.#enqueue(frames);
    }
  }

  /**
   * Nothing is written any more. `rest`: all that waits goes first, or only what the peer takes at once; the
   * frames of a write that was begun go out in any case.
   */
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
    const verdict = this.#outbox.pass(message, this.#waitingBefore(message.bytes.length));
    if (verdict === 'at-once') this.#put({ bytes: message.bytes, messages: 1 });
    else if (verdict === 'over') this.#owner.overflowed();
  }

  /** What the peer takes at once does not wait: it is let go before the rest is measured. */
  #waitingBefore(bytes: number): number {
    const waiting = this.#waiting;
    if (waiting + bytes <= WRITE_BYTES_MAX) return waiting;
    this.release();
    return this.#waiting;
  }

  #put(frames: EncodedFrames): void {
    this.#enqueue(frames);
    // What fills a write leaves now. So much waits only while the peer is behind, and then `#taken` follows.
    if (this.#queueBytes > WRITE_BYTES_MAX) this.release();
    if (this.#isHeld || this.#queue.length === 0) return;
    this.#isHeld = true;
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

  /** One write: what fits into it, and at least what is first. */
  #writeNext(): void {
    if (this.#queue.length === 1) this.#send(this.#queue.pop()!);
    else this.#writeSeveral();
    if (!this.#isBehind && this.#socket.writableLength > 0) this.#awaitPeer();
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

  /** Most writes are taken at once, and a callback would cost each of them a tick: only what waits has one, on
   * an empty write behind it. */
  #awaitPeer(): void {
    this.#isBehind = true;
    this.#socket.write(NOTHING, this.#taken);
  }
}
