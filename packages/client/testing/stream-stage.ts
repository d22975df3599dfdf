/**
 * A stage for the client's stream: a clock that the test moves, sockets whose other end is the test, and a client
 * between them. It needs nothing of Node, so it runs in browsers too.
 */

import type { ClientMessage } from '@tapeloom/protocol/client-messages';
import { type ClientOptions, type ClientWarning, StreamClient } from '../src/stream.ts';

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

/** Timers fire in order, each at its own time, before `pass` returns. */
export class StandingClock {
  readonly #timers = new Set<Timer>();
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): { cancel(): void } {
    const timer = { at: this.#now + ms, call };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (let timer = this.#next(end); timer !== null; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.call();
    }
    this.#now = end;
  }

  /** The machine sleeps: timers that were due meanwhile fire at the end, at that time. */
  sleep(ms: number): void {
    this.#now += ms;
    this.pass(0);
  }

  /** The clock jumps, forward or back, and no timer notices. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Milliseconds until the next timer fires; null without any. */
  get nextInMs(): number | null {
    const next = this.#next(Number.POSITIVE_INFINITY);
    return next === null ? null : next.at - this.#now;
  }

  get timers(): number {
    return this.#timers.size;
  }

  #next(end: number): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) {
      if (timer.at <= end && (first === null || timer.at < first.at)) first = timer;
    }
    return first;
  }
}

type Hear = (event: never) => void;

/** A client's socket; the other end is the test. */
export class StageSocket {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>> | null;
  /** When it was made. */
  readonly at: number;
  readonly sent: ClientMessage[] = [];
  /** The code and reason with which the client closed it. */
  closedWith: { readonly code: number | undefined; readonly reason: string | undefined } | null =
    null;
  isOver = false;
  readonly #hears: { readonly kind: string; readonly hear: Hear }[] = [];

  constructor(url: string, headers: Readonly<Record<string, string>> | null, at: number) {
    this.url = url;
    this.headers = headers;
    this.at = at;
  }

  addEventListener(kind: string, hear: Hear): void {
    this.#hears.push({ kind, hear });
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as ClientMessage);
  }

  /** The other end agrees at once. */
  close(code?: number, reason?: string): void {
    this.closedWith ??= { code, reason };
    this.end(code ?? 1005, reason);
  }

  open(): void {
    this.#tell('open', {});
  }

  say(...messages: readonly object[]): void {
    for (const message of messages) this.sayRaw(JSON.stringify(message));
  }

  sayRaw(data: unknown): void {
    this.#tell('message', { data });
  }

  /** The other end closes, or the connection is lost. */
  end(code = 1006, reason = ''): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#tell('close', { code, reason });
  }

  fail(): void {
    this.#tell('error', {});
  }

  /** The messages of one kind that the client sent. */
  sentOf<T extends ClientMessage['t']>(t: T): readonly Extract<ClientMessage, { t: T }>[] {
    return this.sent.filter((it): it is Extract<ClientMessage, { t: T }> => it.t === t);
  }

  #tell(kind: string, event: object): void {
    for (const it of this.#hears) if (it.kind === kind) it.hear(event as never);
  }
}

export const STAGE_KEY = `svc_test_${'k'.repeat(33)}`;

export class StreamStage {
  readonly clock = new StandingClock();
  readonly sockets: StageSocket[] = [];
  readonly warnings: ClientWarning[] = [];
  readonly client: StreamClient;
  /** The next random number. */
  random = 0;

  constructor(options: ClientOptions = {}) {
    const { clock, sockets } = this;
    this.client = new StreamClient({
      url: 'https://tape.example',
      ...(options.token === undefined && { key: STAGE_KEY }),
      clock,
      random: () => this.random,
      onWarning: (warning) => this.warnings.push(warning),
      WebSocket: class extends StageSocket {
        constructor(url: string, more?: { readonly headers: Readonly<Record<string, string>> }) {
          super(url, more?.headers ?? null, clock.now());
          sockets.push(this);
        }
      },
      ...options,
    });
  }

  /** The newest socket. */
  get socket(): StageSocket {
    return this.sockets.at(-1)!;
  }

  /** A subscription to bars, requested on an open connection, and its name there. */
  subscribed(): { subscription: ReturnType<StreamStage['subscribe']>; sub: string } {
    const subscription = this.subscribe();
    if (this.client.connection === 'connecting') this.socket.open();
    return { subscription, sub: this.socket.sentOf('subscribe').at(-1)!.sub };
  }

  subscribe(more: object = {}) {
    return this.client.subscribe({ indicator: 'bars', instrument: 'ESZ6', ...more });
  }

  /** Waits until the client tries again, and returns how long that took. */
  passToRetry(): number {
    const before = this.clock.now();
    // An earlier timer may be left; it does not matter.
    while (this.client.connection === 'waiting') this.clock.pass(this.clock.nextInMs!);
    return this.clock.now() - before;
  }
}

/** The messages a server sends to one subscription. */
export function speech(sub: string) {
  return {
    subscribed: {
      t: 'subscribed',
      sub,
      topic: 'bars of ESZ6',
      instrument: 'ESZ6',
      contract: 'ESZ6',
      tickSizeNanos: 250_000_000,
    },
    status: (state = 'live') => ({ t: 'status', sub, state, lagMs: 3 }),
    snapshot: (cursor: string, ...ids: readonly string[]) => ({
      t: 'snapshot',
      sub,
      cursor,
      items: ids.map((id) => stageObject(id)),
    }),
    upsert: (cursor: string, id: string, more: object = {}) => ({
      t: 'upsert',
      sub,
      cursor,
      ...stageObject(id),
      ...more,
    }),
    remove: (cursor: string, id: string) => ({
      t: 'remove',
      sub,
      cursor,
      id,
      final: false,
      ts: '1700000000000000000',
    }),
    reset: (reason = 'cursor_expired') => ({ t: 'reset', sub, reason }),
    hb: (cursor: string) => ({ t: 'hb', sub, cursor, ts: '1700000000000000001' }),
    error: (code: string, message = 'Because.') => ({ t: 'error', sub, code, message }),
  } as const;
}

function stageObject(id: string) {
  return { id, final: false, ts: '1700000000000000000', data: { close: id.length } } as const;
}
