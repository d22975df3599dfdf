/**
 * The stream of a client: one connection shared by all subscriptions, opened by the first and closed with the last.
 * This is the shell of the state machine in `connection.ts`: it owns the socket, the timer and the callers' functions.
 */

import type { IndicatorName } from '../indicator-objects.ts';
import {
  type ClientClock,
  type ClientOptions,
  type ClientWarning,
  debugSink,
  SYSTEM_CLOCK,
  serviceBase,
  serviceKey,
  type WebSocketConstructor,
  warner,
} from '../options.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { callListener } from './call-listener.ts';
import { LOST, lossText } from './close-verdict.ts';
import { Connection } from './connection.ts';
import type {
  ConnectionAction,
  ConnectionChange,
  ConnectionEvent,
  ConnectionState,
} from './connection-events.ts';
import { debugLine } from './debug-line.ts';
import { type OpenSocket, openSocket } from './open-socket.ts';
import { topicOf } from './subscribed-topic.ts';
import { OpenSubscription, type SubscribeRequest, type Subscription } from './subscription.ts';
import type { FoldedState } from './subscription-state.ts';

const QUEUE_MAX = 10_000;
/** How long the server has to answer a close. */
const PARTING_MS = 2_000;

interface HeldSocket extends OpenSocket {
  readonly attempt: number;
  /** Resolves when the socket is closed or has been given up. */
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/** Streams alone: all subscriptions share one connection, which the client opens and closes by itself. */
export class StreamClient implements AsyncDisposable {
  readonly #url: string;
  readonly #key: string | undefined;
  readonly #token: ClientOptions['token'];
  readonly #WebSocket: WebSocketConstructor | undefined;
  readonly #clock: ClientClock;
  readonly #warn: (warning: ClientWarning) => void;
  readonly #machine: Connection;
  readonly #subscriptions = new Map<string, OpenSubscription<string>>();
  readonly #listeners = new Set<(change: ConnectionChange) => void>();
  readonly #events: ConnectionEvent[] = [];
  readonly #debug: ((line: string) => void) | null;
  readonly #online = () => this.#happen({ t: 'online' });
  #isStepping = false;
  /** Why the last attempt failed, for people. */
  #lastLoss = '';
  #socket: HeldSocket | null = null;
  /** Sockets that are dropped but not yet closed. */
  readonly #leaving = new Set<HeldSocket>();
  #timer: { readonly at: number; cancel(): void } | null = null;
  #count = 0;
  #isClosed = false;

  constructor(options: ClientOptions = {}) {
    this.#url = `${serviceBase(options).replace(/^http/, 'ws')}/v1`;
    this.#key = serviceKey(options);
    this.#token = options.token;
    if (this.#token !== undefined && typeof this.#token !== 'function') {
      throw wrong('The option "token" must be a function that gives a stream token.');
    }
    if (this.#key !== undefined && this.#token !== undefined) {
      throw wrong('Give the option "key" or the option "token", not both.');
    }
    this.#WebSocket =
      options.WebSocket ?? (globalThis.WebSocket as unknown as WebSocketConstructor | undefined);
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#warn = warner(options);
    this.#debug = debugSink(options);
    const { random = Math.random } = options;
    const usesToken = this.#token !== undefined;
    this.#machine = new Connection({ random, usesToken, url: this.#url });
  }

  get connection(): ConnectionState {
    return this.#machine.state;
  }

  /** Calls `hear` at each change of the connection. Call the returned function to remove the listener. */
  on(_kind: 'connection', hear: (change: ConnectionChange) => void): () => void {
    // A new function for each listener, since the same one may be added twice.
    const listener = (change: ConnectionChange) => hear(change);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Subscribes to an indicator. The client connects and reconnects by itself. */
  subscribe<I extends IndicatorName>(request: SubscribeRequest<I>): Subscription<I> {
    this.#mustBeAble();
    const topic = topicOf(request as unknown as SubscribeRequest);
    const { signal, queueMax = QUEUE_MAX } = request;
    this.#count += 1;
    const sub = `s${this.#count}`;
    const onAbort = () => subscription.abort(signal?.reason);
    const subscription = new OpenSubscription<I>({
      state: topic.state as FoldedState<string> as FoldedState<I>,
      queueMax,
      warn: this.#warn,
      onClose: () => {
        this.#subscriptions.delete(sub);
        this.#happen({ t: 'unsubscribe', sub });
      },
    });
    if (signal?.aborted === true) {
      subscription.abort(signal.reason);
      return subscription;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    void subscription.ended.then(() => signal?.removeEventListener('abort', onAbort));
    this.#limitReady(subscription, request.readyTimeout);
    this.#subscriptions.set(sub, subscription as unknown as OpenSubscription<string>);
    this.#happen({ t: 'subscribe', sub, topic });
    return subscription;
  }

  /** Closes all subscriptions and the connection. Resolves when it is closed; you cannot subscribe afterwards. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#happen({ t: 'close' });
    const subscriptions = [...this.#subscriptions.values()];
    this.#subscriptions.clear();
    for (const subscription of subscriptions) subscription.end(null);
    await Promise.all(Array.from(this.#leaving, ({ ended }) => ended));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #limitReady(subscription: OpenSubscription<string>, ms: number | undefined): void {
    if (ms === undefined) return;
    const timer = this.#clock.after(ms, () => {
      const why = this.#lastLoss === '' ? '' : `: ${this.#lastLoss}`;
      const message = `No state came within ${ms / 1_000} s${why}.`;
      subscription.giveUpReady(new TapeloomError('NETWORK', message));
    });
    const cancel = () => timer.cancel();
    subscription.ready.then(cancel, cancel);
  }

  #mustBeAble(): void {
    if (this.#isClosed) throw new TapeloomError('CLOSED', 'The client was closed.');
    if (this.#WebSocket === undefined) {
      throw wrong('This platform has no WebSocket: give one as the option "WebSocket".');
    }
    if (this.#key === undefined && this.#token === undefined) {
      throw wrong('A stream needs the option "key" or, in browsers, the option "token".');
    }
  }

  /** An event that a listener causes while another is processed is queued until that is done. */
  #happen(event: ConnectionEvent): void {
    if (this.#isStepping) {
      this.#events.push(event);
      return;
    }
    this.#isStepping = true;
    try {
      for (let next: ConnectionEvent | undefined = event; next !== undefined; ) {
        for (const action of this.#machine.step(next, this.#clock.now())) this.#act(action);
        next = this.#events.length === 0 ? undefined : this.#events.shift();
      }
    } finally {
      this.#isStepping = false;
      this.#setTimer();
    }
  }

  #act(action: ConnectionAction): void {
    const line = this.#debug === null ? null : debugLine(action);
    if (line !== null) this.#debug!(line);
    switch (action.t) {
      case 'tell':
        this.#subscriptions.get(action.sub)?.tell(action.update);
        return;
      case 'send':
        this.#send(action.text);
        return;
      case 'open':
        this.#open(action.attempt);
        return;
      case 'ask-token':
        this.#askToken(action.attempt);
        return;
      case 'drop':
        this.#drop(action);
        return;
      case 'end':
        this.#subscriptions.get(action.sub)?.end(action.error);
        this.#subscriptions.delete(action.sub);
        return;
      case 'changed':
        if (action.change.cause !== null) this.#lastLoss = lossText(action.change.cause);
        this.#listenForNetwork(action.change.state === 'waiting');
        for (const hear of this.#listeners) {
          callListener(hear, action.change, 'A listener of "connection"', this.#warn);
        }
        return;
      case 'warn':
        this.#warn(action.warning);
        return;
      default:
        action satisfies never;
    }
  }

  /** Only while waiting for the next attempt: a client that is no longer referenced leaves no listener behind. */
  #listenForNetwork(isWanted: boolean): void {
    const page = globalThis as Partial<EventTarget>;
    if (isWanted) page.addEventListener?.('online', this.#online);
    else page.removeEventListener?.('online', this.#online);
  }

  #open(attempt: number): void {
    const WebSocket = this.#WebSocket!;
    const key = this.#key;
    let open: OpenSocket;
    try {
      open = openSocket(() =>
        key === undefined
          ? new WebSocket(this.#url)
          : new WebSocket(this.#url, { headers: { Authorization: `Bearer ${key}` } }),
      );
    } catch (cause) {
      this.#happen({ t: 'unopenable', attempt, cause });
      return;
    }
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const held: HeldSocket = { ...open, attempt, ended, end };
    this.#socket = held;
    const { socket } = held;
    socket.addEventListener('open', () => this.#happen({ t: 'opened', attempt }));
    socket.addEventListener('message', ({ data }) => this.#happen({ t: 'message', attempt, data }));
    socket.addEventListener('close', ({ code, reason }) => this.#ended(held, code, reason));
    socket.addEventListener('error', () => this.#fail(held));
  }

  #ended(held: HeldSocket, code: number, reason: string): void {
    held.end();
    if (this.#socket === held) this.#socket = null;
    const why = reason === '' && code === LOST ? held.why() : reason;
    this.#happen({ t: 'closed', attempt: held.attempt, code, reason: why });
  }

  /** Node 22 sends no close event for a connection that never opened, and no Node version closes its socket. */
  #fail(held: HeldSocket): void {
    held.cut();
    this.#ended(held, LOST, held.why());
  }

  #send(text: string): void {
    const held = this.#socket;
    try {
      held?.socket.send(text);
    } catch {
      this.#fail(held!);
    }
  }

  /** A server that was given up is cut at once; any other has `PARTING_MS` to close. */
  #drop({ code, reason, isGivenUp }: Extract<ConnectionAction, { t: 'drop' }>): void {
    const held = this.#socket;
    if (held === null) return;
    this.#socket = null;
    this.#leaving.add(held);
    const timer = this.#clock.after(PARTING_MS, () => {
      held.cut();
      held.end();
    });
    void held.ended.then(() => {
      timer.cancel();
      this.#leaving.delete(held);
    });
    held.socket.close(code, reason);
    if (isGivenUp) held.cut();
  }

  #askToken(attempt: number): void {
    Promise.resolve()
      .then(() => this.#token!())
      .then(
        (token) => this.#happen({ t: 'token', attempt, token }),
        (cause) => this.#happen({ t: 'token-failed', attempt, cause }),
      );
  }

  /** While open, a timer that fires too early is set again: moving it at every message would cost more. */
  #setTimer(): void {
    const { wakeAt, state } = this.#machine;
    if (this.#timer !== null && wakeAt !== null) {
      const isGood = this.#timer.at === wakeAt || (this.#timer.at < wakeAt && state === 'open');
      if (isGood) return;
    }
    this.#timer?.cancel();
    this.#timer = null;
    if (wakeAt === null) return;
    const wait = this.#clock.after(Math.max(0, wakeAt - this.#clock.now()), () => {
      this.#timer = null;
      this.#happen({ t: 'wake' });
    });
    this.#timer = { at: wakeAt, cancel: () => wait.cancel() };
  }
}

function wrong(message: string): TapeloomError {
  return new TapeloomError('CONFIGURATION', message);
}
