/**
 * Puts frames on a connection's socket. All that is written in one turn of the event loop leaves in one
 * write, unless it is a lot. Data frames go straight to the raw socket, prepared by us; `ws` writes
 * control frames to the same socket, so the order of both is kept. Little waits on the socket: what a
 * reader that is behind does not take yet stays in the outbox, where versions are skipped, and moves on
 * as the socket drains. The bytes waiting in both never reach their limit: then the connection is told.
 */

import type { Duplex } from 'node:stream';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { EncodedFrames, Flush, MessageFrame } from '../topics/flush.ts';
import { textFrame } from '../topics/text-frame.ts';
import type { GatewayCounters } from './gateway-metrics.ts';
import { OUTBOX_LIMITS, Outbox } from './outbox.ts';

/** Held back for one write at most; beyond, the socket gets it at once, so that only what the peer
 * does not take counts as waiting. */
const HELD_BYTES_MAX = 65_536;

export interface SocketWriterOptions {
  readonly counters: GatewayCounters;
  /** Calls `writer.release()` at the end of this turn of the event loop. */
  readonly releaseSoon: (writer: SocketWriter) => void;
  /** The reader is too slow: nothing more is taken. */
  readonly onOverflow: () => void;
  /** Whether no close frame was sent or answered: none of ours may follow one. */
  readonly isOpen: () => boolean;
  /** The peer has said goodbye. */
  readonly onClosed: () => void;
}

export class SocketWriter {
  readonly #socket: Duplex;
  readonly #options: SocketWriterOptions;
  readonly #outbox = new Outbox();
  #isHeld = false;
  /** A flush that came first in this turn: mostly nothing else does, and the socket need not be corked. */
  #first: EncodedFrames | null = null;
  #isCorked = false;
  #isOver = false;

  constructor(socket: Duplex, options: SocketWriterOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  /** Whether so little waits that the next piece may be pulled. */
  get hasRoom(): boolean {
    return this.#outbox.lets(0, this.#waiting);
  }

  /** Bytes that were let go or will be at the end of this turn, and that the peer has not taken. */
  get #waiting(): number {
    return this.#socket.writableLength + (this.#first?.bytes.length ?? 0);
  }

  /** A flush is one write, shared by all equal subscriptions, or goes message by message when the
   * reader is behind. */
  write(sub: string, mode: StreamMode, flush: Flush): void {
    if (this.#isOver) return;
    const frames = flush.framesFor(sub, mode);
    if (frames === null) return;
    this.#makeRoom(frames.bytes.length);
    if (this.#outbox.lets(frames.bytes.length, this.#waiting)) this.#putFlush(frames);
    else for (const message of flush.messagesFor(sub, mode)) this.#pass(message);
  }

  send(message: ServerMessage): void {
    if (message.t === 'error') this.#options.counters.countError(message.code);
    const sub = ('sub' in message ? message.sub : null) ?? null;
    const bytes = textFrame(JSON.stringify(message));
    this.#pass({ kind: message.t, sub, id: '', bytes });
  }

  /** `ws` answers control frames by itself, past the outbox: they are counted after the fact. */
  answeredControlFrame(): void {
    if (this.#waiting >= OUTBOX_LIMITS.bytesMax) this.#options.onOverflow();
  }

  /** The subscription is over: nothing of it follows. */
  endSubscription(sub: string): void {
    this.#outbox.endSubscription(sub);
  }

  /** Lets go what was written in this turn. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const first = this.#first;
    this.#first = null;
    // A close frame may have left since.
    if (first !== null && this.#mayWrite()) this.#send(first);
    if (this.#isCorked) this.#socket.uncork();
    this.#isCorked = false;
  }

  /**
   * The socket has drained: it gets what the outbox holds, as far as the peer takes it. When this ends
   * with something still held, so much waits on the socket that it will drain again.
   */
  moveOn(): void {
    for (;;) {
      const frames = this.#outbox.take(this.#waiting);
      if (frames === null) return;
      this.#put(frames);
      this.release();
    }
  }

  /** Nothing is written any more; `rest` lets what is held go first. */
  end({ rest }: { readonly rest: 'sent' | 'dropped' }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const frames = rest === 'sent' ? this.#outbox.takeAll() : null;
    if (frames !== null) this.#put(frames);
    this.release();
    this.#outbox.clear();
  }

  #pass(message: MessageFrame): void {
    if (this.#isOver) return;
    this.#makeRoom(message.bytes.length);
    const verdict = this.#outbox.pass(message, this.#waiting);
    if (verdict === 'at-once') this.#put({ bytes: message.bytes, messages: 1 });
    else if (verdict === 'over') this.#options.onOverflow();
  }

  /** What the peer takes at once does not wait: it is let go before the rest is measured. */
  #makeRoom(bytes: number): void {
    if (this.#waiting + bytes > HELD_BYTES_MAX) this.release();
  }

  #put(frames: EncodedFrames): void {
    if (!this.#mayWrite()) return;
    this.#hold();
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
    }
    if (this.#first !== null) this.#send(this.#first);
    this.#first = null;
    this.#send(frames);
  }

  /** Of a turn's only flush; it is dropped when the peer says goodbye before the turn ends. */
  #putFlush(frames: EncodedFrames): void {
    if (this.#isHeld) {
      this.#put(frames);
      return;
    }
    this.#hold();
    this.#first = frames;
  }

  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#options.releaseSoon(this);
  }

  #mayWrite(): boolean {
    if (this.#options.isOpen()) return true;
    this.#options.onClosed();
    return false;
  }

  #send({ bytes, messages }: EncodedFrames): void {
    const { counters } = this.#options;
    counters.messagesSentTotal += messages;
    counters.bytesSentTotal += bytes.length;
    this.#socket.write(bytes);
  }
}
