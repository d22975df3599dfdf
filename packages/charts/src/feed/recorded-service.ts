/**
 * A simulated service that plays one recording. To the client library it is a WebSocket: it accepts subscriptions,
 * sends recorded frames when due, answers pings, and after a reconnect resumes after the given cursor, as the real
 * service does. Time continues without a connection. `cut` drops the connection and makes reconnects fail for a while.
 */

import type { ClientClock, WebSocketConstructor, WebSocketLike } from '@tapeloom/client/stream';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { ClientMessage, SubscribeMessage } from '@tapeloom/protocol/client-messages';
import { PlayHead } from './play-head.ts';
import type { RecordedFrame, Recording } from './recording.ts';

const LOST = 1006;
const NORMAL = 1000;
const OPEN_MS = 40;
const MS_NS = 1_000_000n;

export interface WireMessage {
  readonly from: 'client' | 'server';
  readonly text: string;
}

export interface RecordedServiceOptions {
  readonly recording: Recording;
  readonly clock: ClientClock;
  readonly onWire?: (message: WireMessage) => void;
  /** Called when the last frame was due. */
  readonly onEnd?: () => void;
}

type Kind = 'open' | 'message' | 'close' | 'error';
type Hear = (event: never) => void;

export class RecordedService {
  /** Replaces the platform's WebSocket in a client. */
  readonly WebSocket: WebSocketConstructor;
  readonly #options: RecordedServiceOptions;
  #socket: RecordedSocket | null = null;
  /** When the first subscription arrived, which starts the recording. */
  #startedAt: number | null = null;
  /** Frames that were due. */
  #sent = 0;
  readonly #head: PlayHead;
  #deadUntil = 0;

  constructor(options: RecordedServiceOptions) {
    this.#options = options;
    this.#head = new PlayHead({
      clock: options.clock,
      timeOf: (index) => this.#timeOf(index),
      onDue: (end) => this.#due(end),
    });
    const service = this;
    this.WebSocket = class extends RecordedSocket {
      constructor() {
        super(service, options.clock);
      }
    };
  }

  /** Milliseconds since the start of the recording. */
  get positionMs(): number {
    const { clock, recording } = this.#options;
    const ms = this.#startedAt === null ? 0 : clock.now() - this.#startedAt;
    return Math.min(ms, recording.durationMs);
  }

  /** Drops the connection without a close frame; reconnects fail for `ms`. */
  cut(ms: number): void {
    this.#deadUntil = this.#options.clock.now() + ms;
    const socket = this.#socket;
    this.#socket = null;
    socket?.end(LOST);
  }

  /** Admits a connecting socket; false while the service is cut off. */
  connected(socket: RecordedSocket): boolean {
    if (this.#options.clock.now() < this.#deadUntil) return false;
    this.#socket = socket;
    return true;
  }

  left(socket: RecordedSocket): void {
    if (this.#socket === socket) this.#socket = null;
  }

  hear(socket: RecordedSocket, text: string): void {
    this.#options.onWire?.({ from: 'client', text });
    const message = JSON.parse(text) as ClientMessage;
    switch (message.t) {
      case 'subscribe':
        this.#subscribe(socket, message);
        return;
      case 'unsubscribe':
        socket.subs.delete(message.sub);
        return;
      case 'ping': {
        const { recording } = this.#options;
        const ns = BigInt(recording.startNs) + BigInt(Math.round(this.positionMs)) * MS_NS;
        const id = message.id === undefined ? {} : { id: message.id };
        this.#tell(socket, JSON.stringify({ t: 'pong', ...id, ts: String(ns) }));
        return;
      }
      case 'auth':
        return;
      default:
        message satisfies never;
    }
  }

  #subscribe(socket: RecordedSocket, { sub, from, ...asked }: SubscribeMessage): void {
    const { recording } = this.#options;
    const recorded = Object.entries(recording.requests).find(
      ([, { indicator, params }]) =>
        asked.instrument === recording.instrument &&
        asked.indicator === indicator &&
        sameParams(asked.params ?? {}, params),
    )?.[0];
    if (recorded === undefined) {
      const text = 'The recording has no such stream.';
      const refusal = { t: 'error', sub, code: 'NOT_COVERED', message: text };
      this.#tell(socket, JSON.stringify(refusal));
      return;
    }
    this.#begin();
    socket.subs.set(sub, recorded);
    const cursor = typeof from === 'object' && 'cursor' in from ? from.cursor : null;
    const frames = recording.frames.slice(0, this.#sent).filter((frame) => frame.sub === recorded);
    for (const frame of startOf(frames, cursor)) this.#tell(socket, textFor(frame, sub));
  }

  #begin(): void {
    if (this.#startedAt !== null) return;
    this.#startedAt = this.#options.clock.now();
    const { frames } = this.#options.recording;
    // The frames at time 0 respond to subscriptions; each subscription receives its own when it subscribes.
    while (this.#sent < frames.length && frames[this.#sent]!.ms === 0) this.#sent += 1;
    this.#head.place(this.#sent);
    this.#head.run();
  }

  /** The end is due after the last frame. */
  #timeOf(index: number): number | null {
    const { frames, durationMs } = this.#options.recording;
    if (this.#startedAt === null || index > frames.length) return null;
    return this.#startedAt + (frames[index]?.ms ?? durationMs);
  }

  #due(end: number): void {
    const { recording, onEnd } = this.#options;
    const { frames } = recording;
    for (; this.#sent < Math.min(end, frames.length); this.#sent += 1) {
      const frame = frames[this.#sent]!;
      const socket = this.#socket;
      for (const [sub, recorded] of socket?.subs ?? []) {
        if (recorded === frame.sub) this.#tell(socket!, textFor(frame, sub));
      }
    }
    if (end > frames.length) onEnd?.();
  }

  stop(): void {
    this.#head.stop();
    this.#socket = null;
  }

  #tell(socket: RecordedSocket, text: string): void {
    this.#options.onWire?.({ from: 'server', text });
    socket.tell(text);
  }
}

/** The first frames of a subscription: all so far, or those after its cursor. */
function startOf(frames: readonly RecordedFrame[], cursor: string | null): RecordedFrame[] {
  const after = cursor === null ? null : parseCursor(cursor);
  if (after === null) return frames.filter(({ t }) => t !== 'hb');
  const accepted = frames.filter(({ t }) => t === 'subscribed').slice(-1);
  const status = frames.filter(({ t }) => t === 'status').slice(-1);
  const missed = frames.filter(
    (frame) =>
      (frame.t === 'upsert' || frame.t === 'remove') &&
      compareCursors(parseCursor(frame.cursor!)!, after) > 0,
  );
  return [...accepted, ...status, ...missed];
}

function textFor({ text, sub: recorded }: RecordedFrame, sub: string): string {
  return sub === recorded ? text : text.replace(/"sub":"[^"]+"/, `"sub":${JSON.stringify(sub)}`);
}

function sameParams(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>) {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => a[name] === b[name]);
}

class RecordedSocket implements WebSocketLike {
  /** The recording's subscription name, by the client's. */
  readonly subs = new Map<string, string>();
  readonly #service: RecordedService;
  readonly #listeners = new Map<Kind, Hear[]>();
  #isOpen = false;
  #isOver = false;

  constructor(service: RecordedService, clock: ClientClock) {
    this.#service = service;
    clock.after(OPEN_MS, () => {
      if (this.#isOver) return;
      this.#isOpen = service.connected(this);
      if (this.#isOpen) this.#dispatch('open', {});
      else this.end(LOST);
    });
  }

  addEventListener(kind: Kind, hear: Hear): void {
    this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), hear]);
  }

  send(text: string): void {
    if (this.#isOpen) this.#service.hear(this, text);
  }

  close(code = NORMAL, reason = ''): void {
    this.#service.left(this);
    this.end(code, reason);
  }

  tell(text: string): void {
    if (this.#isOpen) this.#dispatch('message', { data: text });
  }

  end(code: number, reason = ''): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isOpen = false;
    this.#dispatch('close', { code, reason });
  }

  #dispatch(kind: Kind, event: object): void {
    for (const hear of this.#listeners.get(kind) ?? []) hear(event as never);
  }
}
