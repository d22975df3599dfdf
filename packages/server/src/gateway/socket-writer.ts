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
  #isOver = false;

  constructor(socket: Duplex, options: SocketWriterOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  /** Whether so little waits that the next piece may be pulled. */
  get hasRoom(): boolean {
    return this.#outbox.lets(0, this.#socket.writableLength);
  }

  /** A flush is one write, shared by all equal subscriptions, or goes message by message when the
   * reader is behind. */
  write(sub: string, mode: StreamMode, flush: Flush): void {
    if (this.#isOver) return;
    const frames = flush.framesFor(sub, mode);
    if (frames === null) return;
    this.#makeRoom(frames.bytes.length);
    if (this.#outbox.lets(frames.bytes.length, this.#socket.writableLength)) this.#put(frames);
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
    if (this.#socket.writableLength >= OUTBOX_LIMITS.bytesMax) this.#options.onOverflow();
  }

  /** The subscription is over: nothing of it follows. */
  endSubscription(sub: string): void {
    this.#outbox.endSubscription(sub);
  }

  /** Lets go what was written in this turn. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.uncork();
  }

  /**
   * The socket has drained: it gets what the outbox holds, as far as the peer takes it. When this ends
   * with something still held, so much waits on the socket that it will drain again.
   */
  moveOn(): void {
    for (;;) {
      const frames = this.#outbox.take(this.#socket.writableLength);
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
    this.#outbox.clear();
  }

  #pass(message: MessageFrame): void {
    if (this.#isOver) return;
    this.#makeRoom(message.bytes.length);
    const verdict = this.#outbox.pass(message, this.#socket.writableLength);
    if (verdict === 'at-once') this.#put({ bytes: message.bytes, messages: 1 });
    else if (verdict === 'over') this.#options.onOverflow();
  }

  /** What the peer takes at once does not wait: it is let go before the rest is measured. */
  #makeRoom(bytes: number): void {
    if (this.#socket.writableLength + bytes > HELD_BYTES_MAX) this.release();
  }

  #put({ bytes, messages }: EncodedFrames): void {
    if (!this.#options.isOpen()) {
      this.#options.onClosed();
      return;
    }
    this.#options.counters.messagesSentTotal += messages;
    this.#options.counters.bytesSentTotal += bytes.length;
    if (!this.#isHeld) {
      this.#isHeld = true;
      this.#socket.cork();
      this.#options.releaseSoon(this);
    }
    this.#socket.write(bytes);
  }
}
