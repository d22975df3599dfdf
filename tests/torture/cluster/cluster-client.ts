/**
 * A customer of a cluster: the client library, whose every connection goes to any of the doors there are, also to those of nodes
 * that are down. It is cut now and then, and comes back by itself with its last cursors. A watcher follows what passes over the
 * line, and at the end of a round both must have the same state, which is then held against the truth. No reset is ever right here:
 * all customers may read history, and no indicator changes.
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

/** The client's waits are cut short to these: nobody here is sorry for the service. */
const RETRY_MS = 200;
const TRY_LATER_MS = 1_000;
const LATER_CODES: readonly number[] = [1013, 4029];
/** After a pause of this many milliseconds on average a customer loses the line. */
const CUT_EVERY_MS = 15_000;
/** The tape or the accounts are out of reach: streams that run are kept, and what is asked for anew is asked for again. */
const AWAY: readonly string[] = ['SOURCE_DOWN', 'CAPACITY'];
const LOOK_MS = 50;
/** Each has a cursor that no message before it had: what was published up to there has come. */
const PLACES: readonly string[] = ['upsert', 'remove', 'hb'];

export interface Door {
  readonly host: string;
  readonly port: number;
}

export interface ClusterClientOptions {
  readonly key: string;
  /** Where the next connection goes. */
  readonly door: () => Door;
  readonly streams: readonly ResumeStream[];
  readonly random: () => number;
}

/** What one subscription had at a cursor. */
export interface Checkpoint {
  readonly stream: ResumeStream;
  readonly base: NonNullable<Followed['base']>;
  /** Whether the base was held against the truth before. */
  readonly isBaseKnown: boolean;
  readonly final: string;
  readonly state: ReadonlyMap<string, string>;
  readonly applied: number;
}

export class ClusterClient implements AsyncDisposable {
  readonly followed: readonly Followed[];
  readonly problems: string[] = [];
  /** Connections that ended, by what the client saw. */
  readonly endings = new Map<string, number>();
  /** By subscription, the last state it was told of. */
  readonly states: string[] = [];
  cuts = 0;
  readonly #options: ClusterClientOptions;
  readonly #client: StreamClient;
  readonly #subscriptions: readonly Subscription<string>[];
  readonly #checkpoints: (Checkpoint | null)[];
  readonly #knownBases = new WeakSet<object>();
  #socket: CutSocket | null = null;
  #isChecking = false;
  /** The client hears its message next. */
  #toCompare: Followed | null = null;
  #waitMsMax = RETRY_MS;
  #sparedMs = 0;

  constructor(options: ClusterClientOptions) {
    this.#options = options;
    this.followed = options.streams.map(newFollowed);
    this.#checkpoints = options.streams.map(() => null);
    const watcher = () => this.#watcher();
    this.#client = new StreamClient({
      // Where a connection goes is the socket's to say.
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

  /** Whether it has something of all it wants. What it never had, the library does not ask for again. */
  get hasAll(): boolean {
    return this.followed.every(({ cursor }) => cursor !== null);
  }

  /** Loses its line now and then until told to stop. */
  async live(signal: AbortSignal): Promise<void> {
    const { random } = this.#options;
    while (!signal.aborted) {
      const ms = -Math.log(1 - random()) * CUT_EVERY_MS;
      await pause(ms, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || this.#socket?.isOpen !== true) continue;
      this.cuts += 1;
      // Anywhere in what comes next, or at once.
      if (random() < 0.5) this.#socket.cutAfterBytes = Math.floor(random() * 20_000);
      else this.#socket.cut();
    }
  }

  /** What each subscription has at its next message with a cursor; those that have none in time are named. */
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
    // The client asks again.
    if (message.t === 'error' && AWAY.includes(message.code)) return;
    if (message.t === 'error') this.#complain(followed, `error ${message.code} ${message.message}`);
    else hear(followed, message, Date.now(), (it) => this.#complain(followed, it));
    if (!PLACES.includes(message.t) || !this.#isChecking || this.#checkpoints[index] !== null)
      return;
    if (followed.phase === 'following' && followed.cursor !== null) this.#toCompare = followed;
  }

  /** At a cursor: the state that the client keeps is the one that the watcher has followed. */
  #compare(followed: Followed): void {
    const index = this.followed.indexOf(followed);
    const problem = clientsState(followed, this.#subscriptions[index]!.state);
    if (problem !== null) this.#complain(followed, problem);
    const { stream, base, cursor, applied } = followed;
    const state = new Map(followed.state);
    const isBaseKnown = this.#knownBases.has(base!);
    this.#checkpoints[index] = { stream, base: base!, isBaseKnown, final: cursor!, state, applied };
    // The next round begins here: what was held against the truth once need not be again.
    followed.base = { cursor: cursor!, items: state };
    this.#knownBases.add(followed.base);
    followed.applied = 0;
  }

  #complain({ stream, cursor }: Followed, problem: string): void {
    this.problems.push(`${stream.indicator} ${stream.mode}, last cursor ${cursor}: ${problem}`);
  }
}
