/**
 * A stage for the client's stream: time that stands still until it is moved, sockets of which the test is the
 * other side, and a client between them. Nothing of it needs Node, so that it plays in browsers too.
 */

import type { ClientMessage } from '@tapeloom/protocol/client-messages';
import { type ClientOptions, type ClientWarning, StreamClient } from '../src/stream.ts';

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

/** Timers fire in the order of their times, each seeing its own, before `pass` returns. */
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

  /** The machine sleeps: what was due meanwhile fires at its end, and sees that time. */
  sleep(ms: number): void {
    this.#now += ms;
    this.pass(0);
  }

  /** Time itself jumps, forward or back, and no timer notices. */
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

/** A client's socket; the other side is the test. */
export class StageSocket {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>> | null;
  /** When it was made. */
  readonly at: number;
  readonly sent: ClientMessage[] = [];
  /** With what the client closed it. */
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

  /** The other side agrees at once. */
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

  /** The other side closes, or the connection is lost. */
  end(code = 1006, reason = ''): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#tell('close', { code, reason });
  }

  fail(): void {
    this.#tell('error', {});
  }

  /** What was sent of one kind. */
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
  /** What the next random number is. */
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

  /** The newest. */
  get socket(): StageSocket {
    return this.sockets.at(-1)!;
  }

  /** A subscription to bars that is asked for on an open connection, and its name there. */
  subscribed(): { subscription: ReturnType<StreamStage['subscribe']>; sub: string } {
    const subscription = this.subscribe();
    if (this.client.connection === 'connecting') this.socket.open();
    return { subscription, sub: this.socket.sentOf('subscribe').at(-1)!.sub };
  }

  subscribe(more: object = {}) {
    return this.client.subscribe({ indicator: 'bars', instrument: 'ESZ6', ...more });
  }

  /** Waits as long as the client does before it tries again, and says how long that was. */
  passToRetry(): number {
    const before = this.clock.now();
    // A timer may be left from before, which changes nothing.
    while (this.client.connection === 'waiting') this.clock.pass(this.clock.nextInMs!);
    return this.clock.now() - before;
  }
}

/** What a server sends of one subscription. */
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
