/**
 * The model of the stream's console, without its looks: one connection with a token of the session; the newest messages
 * in both directions; and each subscription's last cursor, from which it can resume.
 */

import { CLOSE_MEANINGS, type CloseMeaning } from '@tapeloom/protocol/close-codes';
import { STREAM_LIMITS } from '@tapeloom/protocol/stream-limits';

/** Older lines are dropped. */
export const LINES_MAX = 300;
/** Well below the silence after which the service closes the connection. */
export const PING_EVERY_MS = 15_000;
const TEXT_KEPT_MAX = 20_000;

export interface ConsoleLine {
  readonly id: number;
  readonly from: 'client' | 'service' | 'page';
  /** The kind of message; null for lines of the page itself. */
  readonly kind: string | null;
  /** Long texts are truncated. */
  readonly text: string;
  /** Characters of the whole message. */
  readonly length: number;
  readonly atMs: number;
}

export type ConsoleState = 'closed' | 'connecting' | 'open';

/** The used part of a browser's socket. */
export interface ConsoleSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
}
export interface SocketEvents {
  opened(): void;
  message(text: string): void;
  closed(code: number, reason: string): void;
}

export interface ConsoleOptions {
  /** A token for one connection; rejects without a session. */
  token(): Promise<string>;
  open(events: SocketEvents): ConsoleSocket;
  nowMs(): number;
  changed(): void;
}

interface Subscription {
  readonly message: Readonly<Record<string, unknown>>;
  cursor: string | null;
}

export class ConsoleSession {
  readonly #options: ConsoleOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  #socket: ConsoleSocket | null = null;
  #lines: readonly ConsoleLine[] = [];
  #state: ConsoleState = 'closed';
  #ended: CloseMeaning | null = null;
  #made = 0;
  #pings = 0;
  /** Numbers the connections, so that events of earlier ones are ignored. */
  #turn = 0;

  constructor(options: ConsoleOptions) {
    this.#options = options;
  }

  get state(): ConsoleState {
    return this.#state;
  }

  get lines(): readonly ConsoleLine[] {
    return this.#lines;
  }

  /** Why the last connection ended, if its close code has a documented meaning. */
  get ended(): CloseMeaning | null {
    return this.#ended;
  }

  /** Names of subscriptions that were requested and have not ended. */
  get names(): readonly string[] {
    return [...this.#subscriptions.keys()];
  }

  get canResume(): boolean {
    return [...this.#subscriptions.values()].some(({ cursor }) => cursor !== null);
  }

  async connect(): Promise<void> {
    if (this.#state !== 'closed') return;
    this.#turn += 1;
    const turn = this.#turn;
    this.#ended = null;
    this.#become('connecting');
    let token: string;
    try {
      token = await this.#options.token();
    } catch (error) {
      if (turn === this.#turn) this.#become('closed');
      throw error;
    }
    // The user disconnected meanwhile; the token expires by itself.
    if (turn !== this.#turn) return;
    await new Promise<void>((resolve) => {
      this.#socket = this.#options.open({
        opened: () => {
          if (turn !== this.#turn) return;
          // Not shown: for a minute the token is as good as a key.
          this.#socket?.send(JSON.stringify({ t: 'auth', token }));
          this.#say('page', null, 'Connected, with a token of your session.');
          this.#become('open');
          resolve();
        },
        message: (text) => {
          if (turn === this.#turn) this.#received(text);
        },
        closed: (code, reason) => {
          if (turn === this.#turn) this.#closed(code, reason);
          resolve();
        },
      });
    });
  }

  disconnect(): void {
    if (this.#state === 'closed') return;
    const socket = this.#socket;
    this.#turn += 1;
    this.#socket = null;
    socket?.close(1000, 'goodbye');
    this.#say('page', null, 'You disconnected.');
    this.#become('closed');
  }

  /** Null if it was sent, otherwise what is wrong with it. */
  send(text: string): string | null {
    if (this.#state !== 'open') return 'Connect first.';
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      return `This is not JSON: ${error instanceof Error ? error.message : error}`;
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      return 'A message is one JSON object.';
    }
    const line = JSON.stringify(message);
    if (new TextEncoder().encode(line).length > STREAM_LIMITS.messageBytesMax) {
      return `A message has at most ${STREAM_LIMITS.messageBytesMax.toLocaleString('en')} bytes.`;
    }
    this.#transmit(message as Readonly<Record<string, unknown>>);
    return null;
  }

  ping(): void {
    if (this.#state !== 'open') return;
    this.#pings += 1;
    this.#transmit({ t: 'ping', id: this.#pings });
  }

  /** A ping that is not shown. */
  keepAlive(): void {
    if (this.#state === 'open') this.#socket?.send('{"t":"ping"}');
  }

  unsubscribe(sub: string): void {
    if (this.#state === 'open') this.#transmit({ t: 'unsubscribe', sub });
  }

  /** Resumes every subscription after its last cursor, on a new connection if necessary. */
  async resume(): Promise<void> {
    if (this.#state === 'closed') await this.connect();
    else for (const sub of this.names) this.#transmit({ t: 'unsubscribe', sub }, true);
    if (this.#state !== 'open') return;
    for (const { message, cursor } of [...this.#subscriptions.values()]) {
      this.#transmit(cursor === null ? message : { ...message, from: { cursor } });
    }
  }

  clear(): void {
    this.#lines = [];
    this.#options.changed();
  }

  /** `isKept`: the subscription is about to resume. */
  #transmit(message: Readonly<Record<string, unknown>>, isKept = false): void {
    const { t, sub } = message;
    if (typeof sub === 'string') {
      if (t === 'subscribe') {
        const cursor = this.#subscriptions.get(sub)?.cursor ?? null;
        const { from } = message as { readonly from?: { readonly cursor?: string } };
        const isGoingOn = cursor !== null && from?.cursor === cursor;
        this.#subscriptions.set(sub, { message, cursor: isGoingOn ? cursor : null });
      } else if (t === 'unsubscribe' && !isKept) this.#subscriptions.delete(sub);
    }
    const text = JSON.stringify(message);
    this.#socket?.send(text);
    this.#say('client', typeof t === 'string' ? t : null, text);
  }

  #received(text: string): void {
    const message = read(text);
    const { t, sub, cursor, id } = message;
    const known = typeof sub === 'string' ? this.#subscriptions.get(sub) : undefined;
    if (known !== undefined) {
      if (typeof cursor === 'string') known.cursor = cursor;
      if (t === 'reset') known.cursor = null;
      if (t === 'error') this.#subscriptions.delete(sub as string);
    }
    // The response to a keep-alive ping.
    if (t === 'pong' && id === undefined) return;
    this.#say('service', typeof t === 'string' ? t : null, text);
  }

  #closed(code: number, reason: string): void {
    this.#turn += 1;
    this.#socket = null;
    const same = CLOSE_MEANINGS.filter((one) => one.code === code);
    this.#ended = same.find((one) => one.reason === reason) ?? same[0] ?? null;
    const why = reason === '' ? '' : ` ${reason}`;
    this.#say('page', null, `The connection ended: ${code}${why}.`);
    this.#become('closed');
  }

  #say(from: ConsoleLine['from'], kind: string | null, whole: string): void {
    this.#made += 1;
    const text = whole.slice(0, TEXT_KEPT_MAX);
    const { length } = whole;
    const line = { id: this.#made, from, kind, text, length, atMs: this.#options.nowMs() };
    this.#lines = [...this.#lines, line].slice(-LINES_MAX);
    this.#options.changed();
  }

  #become(state: ConsoleState): void {
    this.#state = state;
    this.#options.changed();
  }
}

function read(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
