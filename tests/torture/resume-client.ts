/**
 * The client library, cut off again and again. It comes back by itself; beside it a watcher follows what passes
 * over the line by the rules of the interface, so that at the end both must have the same state: a `snapshot`
 * replaces it, a `reset` empties it, an update whose cursor is not greater than the last one is not applied but
 * counted, an `hb` only raises the cursor. What the server may not do in one connection, the watcher says at once: the
 * order of the first messages, an update before its snapshot, a second `reset`, a `reset` of a cursor that is
 * young or that history covers. And so it does when the client asks for anything but what follows its last cursor.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { StreamClient, type Subscription } from '@tapeloom/client/stream';
import type { ClientMessage } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { CutSocket, type CutSocketWatcher } from './cut-socket.ts';
import {
  clientsState,
  type Followed,
  hear,
  msOf,
  newFollowed,
  numberOf,
  type ResumeStream,
} from './followed.ts';

const MINUTE_MS = 60_000;
/**
 * Younger cursors are resumed for everybody, older ones only with history. Between, either is right: a
 * busy machine's second of delay is many minutes of a fast service's time.
 */
const YOUNG_MS = 5 * MINUTE_MS;
const OLD_MS = 25 * MINUTE_MS;
/** The client waits ever longer after cuts that follow each other so fast; here no wait is longer than this. */
const RETRY_MS = 20;
/** But for a server that says that it is at its limit. */
const TRY_LATER_MS = 1_000;
const LATER_CODES: readonly number[] = [1013, 4029];
const FINAL_BEAT_WITHIN_MS = 180_000;

export interface ResumeClientOptions {
  readonly port: number;
  readonly key: string;
  readonly localAddress: string;
  /** Whether its plan covers history: then no cursor ever expires. */
  readonly hasHistory: boolean;
  readonly streams: readonly ResumeStream[];
  readonly random: () => number;
  /** After its last cut it waits for this and then stays away until its cursors are old, so that this
   * happens for sure; null leaves it to chance. */
  readonly staysAwayAfter: Promise<unknown> | null;
  /** How many times faster than the machine's the service's time runs. */
  readonly speed: number;
}

export class ResumeClient {
  readonly followed: readonly Followed[];
  readonly problems: string[] = [];
  /** Connections that ended before they were of use, by what the client saw. */
  readonly refused = new Map<string, number>();
  cutsMidFrame = 0;
  cuts = 0;
  readonly #options: ResumeClientOptions;
  readonly #client: StreamClient;
  readonly #subscriptions: readonly Subscription<string>[];
  #socket: CutSocket | null = null;
  #presence = Promise.withResolvers<void>();
  #waitMsMax = RETRY_MS;
  /** How much of its waits the client has been spared. */
  #sparedMs = 0;
  /** The service's time as last told, and when that was. */
  #told: { readonly atMs: number; readonly serviceMs: number } | null = null;
  #isFinal = false;
  /** The client hears its last `hb` next. */
  #toCompare: Followed | null = null;
  #changed = Promise.withResolvers<void>();

  constructor(options: ResumeClientOptions) {
    this.#options = options;
    this.followed = options.streams.map(newFollowed);
    const { port, key } = options;
    const watcher = () => this.#watcher();
    this.#client = new StreamClient({
      url: `http://127.0.0.1:${port}`,
      key,
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
        // The service is killed on purpose, and the client says that it is away.
        if (code !== 'CONNECTION_FAILED') this.problems.push(message);
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

  /** Is there, is cut, stays away, and so on; then stays until every subscription has an `hb`. */
  async run(cuts: number, onCut: () => void): Promise<void> {
    const { random, staysAwayAfter } = this.#options;
    for (let cut = 1; cut <= cuts; cut += 1) {
      this.#presence.resolve();
      await this.#opened();
      await this.#live(random());
      this.#presence = Promise.withResolvers();
      this.#socket?.cut();
      this.cuts += 1;
      onCut();
      const isLast = cut === cuts;
      if (isLast) await staysAwayAfter;
      await pause(this.#absenceMs(isLast && staysAwayAfter !== null ? 0 : random()));
    }
    this.#presence.resolve();
    await this.#finish();
  }

  /** Most come back soon; some stay away until their cursors are older than the ring. */
  #absenceMs(kind: number): number {
    const { random, speed } = this.#options;
    if (kind < 0.06) return (OLD_MS * (1.02 + random() * 0.3)) / speed;
    if (kind < 0.15) return (YOUNG_MS * random()) / speed;
    return random() * 120;
  }

  async #opened(): Promise<void> {
    while (this.#socket?.isOpen !== true) await this.#next();
  }

  get #isFollowing(): boolean {
    return this.followed.some(({ phase }) => phase === 'following');
  }

  /** Stays connected for a while, then is cut: anywhere in the bytes, or by a proper close. */
  async #live(kind: number): Promise<void> {
    const { random } = this.#options;
    const socket = this.#socket;
    if (kind < 0.1 || socket === null) return;
    if (kind < 0.6) socket.cutAfterBytes = Math.floor(random() * random() * 60_000);
    // Some are cut before anything has come, the others after, however slow the machine is.
    while (kind >= 0.3 && this.#socket === socket && !this.#isFollowing) {
      await Promise.race([this.#changed.promise, pause(20)]);
    }
    const signal = AbortSignal.timeout(20 + Math.floor(random() * 700));
    while (!signal.aborted && this.#socket === socket) {
      await Promise.race([this.#changed.promise, pause(20)]);
    }
    if (kind >= 0.9) socket.close(1000, 'idle');
  }

  async #finish(): Promise<void> {
    this.#isFinal = true;
    const deadline = performance.now() + FINAL_BEAT_WITHIN_MS;
    while (this.followed.some(({ final }) => final === null)) {
      if (performance.now() > deadline) {
        this.problems.push('no hb came for every subscription in time');
        break;
      }
      await Promise.race([this.#changed.promise, pause(50)]);
    }
    await this.#client.close();
  }

  #watcher(): CutSocketWatcher {
    const { port, key, localAddress } = this.#options;
    return {
      line: { port, key, localAddress },
      present: this.#presence.promise,
      made: (socket) => {
        this.#socket = socket;
        this.#told = null;
      },
      hears: (message) => {
        this.#hear(message);
        this.#wake();
      },
      heard: () => {
        if (this.#toCompare !== null) this.#compare(this.#toCompare);
        this.#toCompare = null;
      },
      sends: (message) => this.#sends(message),
      ended: (socket, why) => {
        if (socket.wasCutMidFrame) this.cutsMidFrame += 1;
        if (!socket.isOpen) this.refused.set(why, (this.refused.get(why) ?? 0) + 1);
        if (this.#socket === socket) this.#socket = null;
        this.#wake();
      },
    };
  }

  #sends(message: ClientMessage): void {
    if (message.t !== 'subscribe') return;
    const followed = this.followed[numberOf(message.sub)]!;
    // What it heard last has been compared; the client has gone on, the watcher has not.
    if (followed.final !== null) return;
    const { stream, cursor } = followed;
    const from = JSON.stringify(message.from);
    const wanted = JSON.stringify(cursor === null ? 'live' : { cursor });
    if (from !== wanted) this.#complain(followed, `the client goes on from ${from}`);
    followed.phase = 'asked';
    followed.resetsSinceAsked = 0;
    followed.isGood = false;
    if (cursor === null) return;
    followed.resumes += 1;
    const nowMs = this.#serviceMs;
    const isOld = nowMs - followed.notAfterMs > OLD_MS && stream.isBusy;
    const isYoung = nowMs - followed.notBeforeMs < YOUNG_MS;
    followed.isGood = this.#options.hasHistory || isYoung;
    if (isOld && this.#options.hasHistory) followed.covered += 1;
    else if (isOld) followed.expired += 1;
  }

  /** The system's clock, but for what the client waits before it comes back. */
  #after(ms: number, call: () => void): { cancel(): void } {
    const spared = this.#client.connection === 'waiting' ? Math.max(0, ms - this.#waitMsMax) : 0;
    const timer = setTimeout(() => {
      this.#sparedMs += spared;
      call();
    }, ms - spared);
    return { cancel: () => clearTimeout(timer) };
  }

  #hear(message: ServerMessage): void {
    if (message.t === 'pong') {
      this.#told = { atMs: performance.now(), serviceMs: msOf(message.ts) };
    }
    if (!('sub' in message) || message.sub === undefined) return;
    const followed = this.followed[numberOf(message.sub)]!;
    // What is to be compared stays as it is.
    if (followed.final !== null) return;
    if (message.t === 'error') this.#complain(followed, `error ${message.code} ${message.message}`);
    else hear(followed, message, this.#serviceMs, (it) => this.#complain(followed, it));
    if (message.t === 'hb' && this.#isFinal && followed.phase === 'following') {
      followed.final ??= message.cursor ?? null;
      this.#toCompare = followed;
    }
  }

  /** The state that the client keeps is the one that the watcher has followed. */
  #compare(followed: Followed): void {
    const { state } = this.#subscriptions[this.followed.indexOf(followed)]!;
    const problem = clientsState(followed, state);
    if (problem !== null) this.#complain(followed, problem);
  }

  /** The service's time while connected, about. */
  get #serviceMs(): number {
    if (this.#told === null) return 0;
    const { atMs, serviceMs } = this.#told;
    return serviceMs + (performance.now() - atMs) * this.#options.speed;
  }

  #complain(followed: Followed, problem: string): void {
    const { stream, cursor, notBeforeMs, notAfterMs } = followed;
    const plan = this.#options.hasHistory ? 'live_history' : 'live';
    const ages = [notAfterMs, notBeforeMs]
      .map((ms) => ((this.#serviceMs - ms) / MINUTE_MS).toFixed(1))
      .join(' to ');
    this.problems.push(
      `${stream.indicator} ${stream.mode} (${plan}, last cursor ${cursor}, ${ages} min old): ${problem}`,
    );
  }

  #next(): Promise<unknown> {
    return Promise.race([this.#changed.promise, pause(1_000)]);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
