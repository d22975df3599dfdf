/**
 * The client library, which is cut again and again and resumes by itself. A watcher follows its
 * messages by the rules of the interface (`followed.ts`); at the end both must hold the same state.
 * It reports an error of the server at once, such as a second `reset` or one of a young or covered
 * cursor, and a client that resumes from any other than its last cursor.
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
 * Younger cursors never expire, older ones only without history. Between, either is right: a busy
 * machine's second of delay is many minutes of a fast service's time.
 */
const YOUNG_MS = 5 * MINUTE_MS;
const OLD_MS = 25 * MINUTE_MS;
/** The longest wait of the client before it reconnects: the test shortens its backoff. */
const RETRY_MS = 20;
/** The longest wait after a close because of a limit. */
const TRY_LATER_MS = 1_000;
const LATER_CODES: readonly number[] = [1013, 4029];
const FINAL_BEAT_WITHIN_MS = 180_000;

export interface ResumeClientOptions {
  readonly port: number;
  readonly key: string;
  readonly localAddress: string;
  /** Whether the plan covers history: then no cursor ever expires. */
  readonly hasHistory: boolean;
  readonly streams: readonly ResumeStream[];
  readonly random: () => number;
  /** Awaited before a last absence beyond `OLD_MS`; null for an absence of random length. */
  readonly staysAwayAfter: Promise<unknown> | null;
  /** How many times faster the service's time runs. */
  readonly speed: number;
}

export class ResumeClient {
  readonly followed: readonly Followed[];
  readonly problems: string[] = [];
  /** Connections that ended before they opened, by reason. */
  readonly refused = new Map<string, number>();
  cutsMidFrame = 0;
  cuts = 0;
  readonly #options: ResumeClientOptions;
  readonly #client: StreamClient;
  readonly #subscriptions: readonly Subscription<string>[];
  #socket: CutSocket | null = null;
  #presence = Promise.withResolvers<void>();
  #waitMsMax = RETRY_MS;
  /** The sum by which the client's waits were shortened. */
  #sparedMs = 0;
  /** The last reported time of the service, and when the report came. */
  #told: { readonly atMs: number; readonly serviceMs: number } | null = null;
  #isFinal = false;
  /** The subscription whose last `hb` the client processes next. */
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
        // The service is killed on purpose, and the client warns about it.
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

  /** Connects and is cut `cuts` times; then stays until every subscription has an `hb`. */
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

  /** Most absences are short; some last until the cursors are older than the ring. */
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

  /** Stays connected until a cut at a random byte, or closes properly. */
  async #live(kind: number): Promise<void> {
    const { random } = this.#options;
    const socket = this.#socket;
    if (kind < 0.1 || socket === null) return;
    if (kind < 0.6) socket.cutAfterBytes = Math.floor(random() * random() * 60_000);
    // Some cuts come before the first message, the others after it, even on a slow machine.
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
    // The state was compared already: the client resumes, the watcher has stopped.
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

  /** The system's timers, but with a limit on the client's waits before it reconnects. */
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
    // The state to compare does not change any more.
    if (followed.final !== null) return;
    if (message.t === 'error') this.#complain(followed, `error ${message.code} ${message.message}`);
    else hear(followed, message, this.#serviceMs, (it) => this.#complain(followed, it));
    if (message.t === 'hb' && this.#isFinal && followed.phase === 'following') {
      followed.final ??= message.cursor ?? null;
      this.#toCompare = followed;
    }
  }

  /** Checks that the client holds the state that the watcher has followed. */
  #compare(followed: Followed): void {
    const { state } = this.#subscriptions[this.followed.indexOf(followed)]!;
    const problem = clientsState(followed, state);
    if (problem !== null) this.#complain(followed, problem);
  }

  /** Roughly the service's time while connected. */
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
