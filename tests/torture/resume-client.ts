/**
 * A client that is cut off again and again and comes back with the last cursor it has. It keeps the rules
 * of the interface: a `snapshot` replaces its state, a `reset` empties it, an update whose cursor is not
 * greater than the last one is not applied but counted, an `hb` only raises the cursor. What the server
 * may not do in one connection it says at once: the order of the first messages, an update before its
 * snapshot, a second `reset`, a `reset` of a cursor that is young or that history covers.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { LightSocket } from '../../bench/stream-sockets.ts';
import { CLOSE_OPCODE, serverFrames } from '../../simulation/server-frames.ts';
import { closeFrame } from '../../simulation/wire-frame.ts';

const MINUTE_MS = 60_000;
/**
 * Younger cursors are resumed for everybody, older ones only with history. Between, either is right: a
 * busy machine's second of delay is many minutes of a fast service's time.
 */
const YOUNG_MS = 5 * MINUTE_MS;
const OLD_MS = 25 * MINUTE_MS;
/** A snapshot is at most so far behind the service's time. */
const SNAPSHOT_LAG_MS = 3 * MINUTE_MS;
const RETRY_MS = 150;
/** A second at least, where the server says that it is at its limit. */
const TRY_LATER_MS = 1_000;
const TRY_LATER = 1013;
const FINAL_BEAT_WITHIN_MS = 60_000;

export interface ResumeStream {
  readonly instrument: string;
  readonly indicator: string;
  readonly params: Readonly<Record<string, string | number>>;
  readonly mode: StreamMode;
  /** Publishes all the time: an old cursor of it is surely beyond the ring. */
  readonly isBusy: boolean;
}

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

/** What one subscription has, and where that came from. */
export interface Followed {
  readonly stream: ResumeStream;
  /** By id, the object as text. */
  readonly state: Map<string, string>;
  /** The last cursor received. */
  cursor: string | null;
  /** In the service's time: the cursor's place on the tape lies between these. */
  notBeforeMs: number;
  notAfterMs: number;
  /** The snapshot that its state began with. */
  base: { readonly cursor: string; readonly items: ReadonlyMap<string, string> } | null;
  /** Cursors of the updates applied since, counted. */
  applied: number;
  /** Updates that were not beyond the last cursor. */
  ignored: number;
  resumes: number;
  resets: number;
  /** Cursors that had to be expired, and those as old that history covers. */
  expired: number;
  covered: number;
  /** Since the subscribe: what came, and what had to be. */
  phase: 'asked' | 'accepted' | 'reset' | 'following';
  resetsSinceAsked: number;
  /** Whether the cursor may not be reset. An old one need not be: nothing may have been published since. */
  isGood: boolean;
  /** The cursor of an `hb` since the cuts ended: here the state may be compared. */
  final: string | null;
}

export class ResumeClient {
  readonly followed: readonly Followed[];
  readonly problems: string[] = [];
  /** Connections that ended before they were of use, by what the client saw. */
  readonly refused = new Map<string, number>();
  cutsMidFrame = 0;
  cuts = 0;
  readonly #options: ResumeClientOptions;
  #socket: LightSocket | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #closeCode: number | null = null;
  /** The service's time as last told, and when that was. */
  #told: { readonly atMs: number; readonly serviceMs: number } | null = null;
  #cutAfterBytes: number | null = null;
  #isFinal = false;
  #changed = Promise.withResolvers<void>();

  constructor(options: ResumeClientOptions) {
    this.#options = options;
    this.followed = options.streams.map((stream) => ({
      stream,
      state: new Map(),
      cursor: null,
      notBeforeMs: 0,
      notAfterMs: 0,
      base: null,
      applied: 0,
      ignored: 0,
      resumes: 0,
      resets: 0,
      expired: 0,
      covered: 0,
      phase: 'asked',
      resetsSinceAsked: 0,
      isGood: false,
      final: null,
    }));
  }

  /** Connects, is cut, waits, and so on; then stays until every subscription has an `hb`. */
  async run(cuts: number, onCut: () => void): Promise<void> {
    const { random, staysAwayAfter } = this.#options;
    for (let cut = 1; cut <= cuts; cut += 1) {
      while (!(await this.#connect()));
      await this.#live(random());
      this.#disconnect();
      this.cuts += 1;
      onCut();
      const isLast = cut === cuts;
      if (isLast) await staysAwayAfter;
      await pause(this.#absenceMs(isLast && staysAwayAfter !== null ? 0 : random()));
    }
    await this.#finish();
  }

  /** Most come back soon; some stay away until their cursors are older than the ring. */
  #absenceMs(kind: number): number {
    const { random, speed } = this.#options;
    if (kind < 0.06) return (OLD_MS * (1.02 + random() * 0.3)) / speed;
    if (kind < 0.15) return (YOUNG_MS * random()) / speed;
    return random() * 120;
  }

  /** Stays connected for a while, then is cut: anywhere in the bytes, or by a proper close. */
  async #live(kind: number): Promise<void> {
    const { random } = this.#options;
    if (kind < 0.1) return;
    if (kind < 0.6) this.#cutAfterBytes = Math.floor(random() * random() * 60_000);
    const signal = AbortSignal.timeout(20 + Math.floor(random() * 700));
    while (!signal.aborted && this.#socket !== null) {
      await Promise.race([this.#changed.promise, pause(20)]);
    }
    if (kind >= 0.9) this.#socket?.socket.end(closeFrame(1000, 'idle'));
  }

  async #finish(): Promise<void> {
    this.#isFinal = true;
    const deadline = performance.now() + FINAL_BEAT_WITHIN_MS;
    while (this.followed.some(({ final }) => final === null)) {
      if (performance.now() > deadline) {
        this.problems.push('no hb came for every subscription in time');
        break;
      }
      if (this.#socket === null && !(await this.#connect())) await pause(RETRY_MS);
      else await Promise.race([this.#changed.promise, pause(50)]);
    }
    this.#disconnect();
  }

  async #connect(): Promise<boolean> {
    const { port, key, localAddress } = this.#options;
    this.#rest = Buffer.alloc(0);
    this.#closeCode = null;
    try {
      const options = { port, key, localAddress };
      const socket = await LightSocket.open(options, (chunk) => this.#take(chunk));
      this.#socket = socket;
      socket.socket.once('close', () => this.#gone(socket));
      socket.ping();
      // The answer tells the service's time, by which the age of every cursor is known.
      while (this.#socket === socket && this.#told === null) await this.#next();
      if (this.#socket !== socket) throw new Error(`closed ${this.#closeCode}`);
      for (const followed of this.followed) this.#subscribe(socket, followed);
      return true;
    } catch (error) {
      const what = (error as Error & { code?: string }).code ?? (error as Error).message;
      this.refused.set(what, (this.refused.get(what) ?? 0) + 1);
      this.#disconnect();
      await pause(this.#closeCode === TRY_LATER ? TRY_LATER_MS : RETRY_MS);
      return false;
    }
  }

  #subscribe(socket: LightSocket, followed: Followed): void {
    const { stream, cursor } = followed;
    const { instrument, indicator, params, mode } = stream;
    const from = cursor === null ? 'live' : { cursor };
    const index = this.followed.indexOf(followed);
    followed.phase = 'asked';
    followed.resetsSinceAsked = 0;
    followed.isGood = false;
    if (cursor !== null) {
      followed.resumes += 1;
      const nowMs = this.#serviceMs;
      const isOld = nowMs - followed.notAfterMs > OLD_MS && stream.isBusy;
      const isYoung = nowMs - followed.notBeforeMs < YOUNG_MS;
      followed.isGood = this.#options.hasHistory || isYoung;
      if (isOld && this.#options.hasHistory) followed.covered += 1;
      else if (isOld) followed.expired += 1;
    }
    socket.send({ t: 'subscribe', sub: `${index}`, instrument, indicator, params, mode, from });
  }

  #take(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#cutAfterBytes !== null) {
      bytes = chunk.subarray(0, this.#cutAfterBytes);
      this.#cutAfterBytes -= bytes.length;
    }
    const { frames, rest } = serverFrames(Buffer.concat([this.#rest, bytes]));
    this.#rest = rest;
    for (const { opcode, payload } of frames) {
      if (opcode === CLOSE_OPCODE) this.#closeCode = payload.readUInt16BE(0);
      else this.#hear(JSON.parse(payload.toString()) as ServerMessage);
    }
    if (this.#cutAfterBytes === 0) {
      if (rest.length > 0) this.cutsMidFrame += 1;
      this.#disconnect();
    }
    this.#wake();
  }

  #hear(message: ServerMessage): void {
    if (message.t === 'pong') {
      this.#told = { atMs: performance.now(), serviceMs: msOf(message.ts) };
    }
    if (!('sub' in message) || message.sub === undefined) return;
    const followed = this.followed[Number(message.sub)]!;
    // What is to be compared stays as it is.
    if (followed.final !== null) return;
    if (message.t === 'error') this.#complain(followed, `error ${message.code} ${message.message}`);
    else hear(followed, message, this.#serviceMs, (it) => this.#complain(followed, it));
    if (message.t === 'hb' && this.#isFinal && followed.phase === 'following') {
      followed.final ??= message.cursor ?? null;
    }
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

  #gone(socket: LightSocket): void {
    if (this.#socket === socket) this.#disconnect();
    this.#wake();
  }

  #disconnect(): void {
    this.#socket?.destroy();
    this.#socket = null;
    this.#cutAfterBytes = null;
    this.#told = null;
  }
}

/** Takes a message in as the rules of the interface say. */
function hear(
  followed: Followed,
  message: Extract<ServerMessage, { readonly sub?: string }>,
  serviceMs: number,
  complain: (problem: string) => void,
): void {
  switch (message.t) {
    case 'subscribed':
      if (followed.phase === 'asked') followed.phase = 'accepted';
      return;
    case 'reset':
      followed.resets += 1;
      followed.resetsSinceAsked += 1;
      if (message.reason !== 'cursor_expired') complain(`reset ${message.reason}`);
      if (followed.resetsSinceAsked > 1) complain('a second reset of one cursor');
      if (followed.isGood) complain('a reset of a cursor that is good');
      followed.state.clear();
      followed.cursor = null;
      followed.base = null;
      followed.phase = 'reset';
      return;
    case 'snapshot': {
      const mayCome = followed.phase === 'reset' || followed.base === null;
      if (!mayCome || followed.phase === 'asked') complain(`a snapshot while ${followed.phase}`);
      followed.state.clear();
      for (const { id, final, ts, data } of message.items) {
        followed.state.set(id, JSON.stringify({ final, ts, data }));
      }
      followed.base = { cursor: message.cursor, items: new Map(followed.state) };
      followed.cursor = message.cursor;
      followed.notBeforeMs = serviceMs - SNAPSHOT_LAG_MS;
      followed.notAfterMs = serviceMs;
      followed.applied = 0;
      followed.phase = 'following';
      return;
    }
    case 'upsert':
    case 'remove':
      followed.notAfterMs = serviceMs;
      update(followed, message, complain);
      return;
    case 'hb':
      if (followed.phase === 'accepted' && followed.base !== null) {
        followed.phase = 'following';
      }
      if (followed.cursor === null || message.cursor === undefined) return;
      followed.notAfterMs = serviceMs;
      if (compare(message.cursor, followed.cursor) > 0) followed.cursor = message.cursor;
      return;
    default:
  }
}

function update(
  followed: Followed,
  message: Extract<ServerMessage, { readonly t: 'upsert' | 'remove' }>,
  complain: (problem: string) => void,
): void {
  if (followed.base === null || followed.phase === 'asked' || followed.phase === 'reset') {
    complain(`an update while ${followed.phase}`);
    return;
  }
  followed.phase = 'following';
  if (compare(message.cursor, followed.cursor!) <= 0) {
    followed.ignored += 1;
    return;
  }
  followed.cursor = message.cursor;
  followed.applied += 1;
  const { id, final, ts } = message;
  // An object's time is that of its first trade, so not after the trade that made this message.
  followed.notBeforeMs = Math.max(followed.notBeforeMs, msOf(ts));
  if (message.t === 'upsert') {
    followed.state.set(id, JSON.stringify({ final, ts, data: message.data }));
  } else followed.state.delete(id);
}

function msOf(ts: string): number {
  return Number(BigInt(ts) / 1_000_000n);
}

function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}
