/**
 * A customer of a cluster: the client library, with each connection to a random node, even one that
 * is down. It loses connections and resumes from its last cursors. A watcher follows the messages;
 * after a round both must hold the same state, which is then compared with the reference history.
 * Every reset is an error: all customers may read history, and no indicator changes.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { StreamClient, type Subscription } from '@tapeloom/client/stream';
import type { ClientMessage } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { CutSocket, type CutSocketWatcher } from '../cut-socket.ts';
import {
  clientsState,
  type Followed,
  hear,
  newFollowed,
  numberOf,
  type ResumeStream,
} from '../followed.ts';

/** Maximum waits of the client before it reconnects: the test shortens its backoff. */
const RETRY_MS = 200;
const TRY_LATER_MS = 1_000;
const LATER_CODES: readonly number[] = [1013, 4029];
/** Mean time between two cuts of a customer's connection. */
const CUT_EVERY_MS = 15_000;
/** The tape or the accounts are unreachable: running streams stay, the client retries new ones. */
const AWAY: readonly string[] = ['SOURCE_DOWN', 'CAPACITY'];
const LOOK_MS = 50;
/** Messages with a new cursor: everything published up to it has arrived. */
const PLACES: readonly string[] = ['upsert', 'remove', 'hb'];

export interface Door {
  readonly host: string;
  readonly port: number;
}

export interface ClusterClientOptions {
  readonly key: string;
  /** Selects the node of the next connection. */
  readonly door: () => Door;
  readonly streams: readonly ResumeStream[];
  readonly random: () => number;
}

/** The state of one subscription at a cursor. */
export interface Checkpoint {
  readonly stream: ResumeStream;
  readonly base: NonNullable<Followed['base']>;
  /** Whether an earlier round has compared the base with the reference history. */
  readonly isBaseKnown: boolean;
  readonly final: string;
  readonly state: ReadonlyMap<string, string>;
  readonly applied: number;
}

export class ClusterClient implements AsyncDisposable {
  readonly followed: readonly Followed[];
  readonly problems: string[] = [];
  /** Connections that ended, by reason. */
  readonly endings = new Map<string, number>();
  /** The last reported state of each subscription. */
  readonly states: string[] = [];
  cuts = 0;
  readonly #options: ClusterClientOptions;
  readonly #client: StreamClient;
  readonly #subscriptions: readonly Subscription<string>[];
  readonly #checkpoints: (Checkpoint | null)[];
  readonly #knownBases = new WeakSet<object>();
  #socket: CutSocket | null = null;
  #isChecking = false;
  /** The subscription whose message the client processes next. */
  #toCompare: Followed | null = null;
  #waitMsMax = RETRY_MS;
  #sparedMs = 0;

  constructor(options: ClusterClientOptions) {
    this.#options = options;
    this.followed = options.streams.map(newFollowed);
    this.#checkpoints = options.streams.map(() => null);
    const watcher = () => this.#watcher();
    this.#client = new StreamClient({
      // Unused: the socket selects the node.
      url: 'http://127.0.0.1:1',
      key: options.key,
      random: options.random,
      clock: {
        now: () => performance.now() + this.#sparedMs,
        after: (ms, call) => this.#after(ms, call),
      },
      WebSocket: class extends CutSocket {
        constructor() {
          super(watcher());
        }
      },
      onWarning: ({ code, message }) => {
        const isAway = AWAY.some((one) => message.includes(`(${one}: `));
        if (!isAway && code !== 'CONNECTION_FAILED') this.problems.push(message);
      },
    });
    this.#client.on('connection', ({ cause }) => {
      const isAtLimit = cause !== null && LATER_CODES.includes(cause.code);
      this.#waitMsMax = isAtLimit ? TRY_LATER_MS : RETRY_MS;
    });
    this.#subscriptions = options.streams.map(({ instrument, indicator, params, mode }) =>
      this.#client.subscribe<string>({ instrument, indicator, params, mode }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }

  /** Whether every subscription has a cursor: the library resumes only those. */
  get hasAll(): boolean {
    return this.followed.every(({ cursor }) => cursor !== null);
  }

  /** Cuts its connection from time to time until `signal` aborts. */
  async live(signal: AbortSignal): Promise<void> {
    const { random } = this.#options;
    while (!signal.aborted) {
      const ms = -Math.log(1 - random()) * CUT_EVERY_MS;
      await pause(ms, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || this.#socket?.isOpen !== true) continue;
      this.cuts += 1;
      // At a random byte of the next messages, or immediately.
      if (random() < 0.5) this.#socket.cutAfterBytes = Math.floor(random() * 20_000);
      else this.#socket.cut();
    }
  }

  /** The state of each subscription at its next message with a cursor; no message is a problem. */
  async checkpoint(withinMs: number): Promise<readonly Checkpoint[]> {
    this.#checkpoints.fill(null);
    if (this.#socket !== null) this.#socket.cutAfterBytes = null;
    this.#isChecking = true;
    const deadline = performance.now() + withinMs;
    while (this.#checkpoints.includes(null) && performance.now() < deadline) await pause(LOOK_MS);
    this.#isChecking = false;
    for (const [index, checkpoint] of this.#checkpoints.entries()) {
      if (checkpoint !== null) continue;
      const { stream, phase, cursor } = this.followed[index]!;
      this.problems.push(
        `${stream.indicator} ${stream.mode}: no message within ${withinMs} ms, ${this.#client.connection}, ${phase}, last cursor ${cursor}`,
      );
    }
    return this.#checkpoints.filter((it) => it !== null);
  }

  #watcher(): CutSocketWatcher {
    const { key, door } = this.#options;
    const { host, port } = door();
    return {
      line: { host, port, key },
      present: Promise.resolve(),
      made: (socket) => {
        this.#socket = socket;
      },
      hears: (message) => this.#hear(message),
      heard: () => {
        if (this.#toCompare !== null) this.#compare(this.#toCompare);
        this.#toCompare = null;
      },
      sends: (message) => this.#sends(message),
      ended: (socket, why) => {
        this.endings.set(why, (this.endings.get(why) ?? 0) + 1);
        if (this.#socket === socket) this.#socket = null;
      },
    };
  }

  #sends(message: ClientMessage): void {
    if (message.t !== 'subscribe') return;
    const followed = this.followed[numberOf(message.sub)]!;
    const { cursor } = followed;
    const from = JSON.stringify(message.from);
    const wanted = JSON.stringify(cursor === null ? 'live' : { cursor });
    if (from !== wanted) this.#complain(followed, `the client goes on from ${from}`);
    followed.phase = 'asked';
    followed.resetsSinceAsked = 0;
    followed.isGood = cursor !== null;
    if (cursor !== null) followed.resumes += 1;
  }

  #after(ms: number, call: () => void): { cancel(): void } {
    const spared = this.#client.connection === 'waiting' ? Math.max(0, ms - this.#waitMsMax) : 0;
    const timer = setTimeout(() => {
      this.#sparedMs += spared;
      call();
    }, ms - spared);
    return { cancel: () => clearTimeout(timer) };
  }

  #hear(message: ServerMessage): void {
    if (!('sub' in message) || message.sub === undefined) return;
    const index = numberOf(message.sub);
    const followed = this.followed[index]!;
    if (message.t === 'status') this.states[index] = message.state;
    // The client retries.
    if (message.t === 'error' && AWAY.includes(message.code)) return;
    if (message.t === 'error') this.#complain(followed, `error ${message.code} ${message.message}`);
    else hear(followed, message, Date.now(), (it) => this.#complain(followed, it));
    if (!PLACES.includes(message.t) || !this.#isChecking || this.#checkpoints[index] !== null)
      return;
    if (followed.phase === 'following' && followed.cursor !== null) this.#toCompare = followed;
  }

  /** Checks at a cursor that the client holds the state that the watcher has followed. */
  #compare(followed: Followed): void {
    const index = this.followed.indexOf(followed);
    const problem = clientsState(followed, this.#subscriptions[index]!.state);
    if (problem !== null) this.#complain(followed, problem);
    const { stream, base, cursor, applied } = followed;
    const state = new Map(followed.state);
    const isBaseKnown = this.#knownBases.has(base!);
    this.#checkpoints[index] = { stream, base: base!, isBaseKnown, final: cursor!, state, applied };
    // The next round begins here: a verified state needs no second comparison.
    followed.base = { cursor: cursor!, items: state };
    this.#knownBases.add(followed.base);
    followed.applied = 0;
  }

  #complain({ stream, cursor }: Followed, problem: string): void {
    this.problems.push(`${stream.indicator} ${stream.mode}, last cursor ${cursor}: ${problem}`);
  }
}
