/**
 * Whether a chart's stream runs, and what the chart says about it: the most important note, for as long as it is worth
 * reading. A short loss of the connection is not worth a word.
 */

import type { ClientClock } from '@tapeloom/client/stream';
import { STREAM_LIMITS } from '@tapeloom/protocol/stream-limits';
import type { LiveState } from '../series/chart-content.ts';
import type { PlanRoom } from './plan-room.ts';
import type { FeedSources, SharedState } from './sources.ts';
import {
  DOWN_NOTE,
  endedNote,
  type FeedNote,
  historyFailedNote,
  lostNote,
  otherTabNote,
  PAUSED_NOTE,
  refusedNote,
  resetNote,
  SIGNED_OUT_NOTE,
  STALE_NOTE,
} from './words.ts';

const QUIET_LOSS_MS = 2_000;
const RESET_SHOWN_MS = 10_000;
const PAUSE_SHOWN_MS = 3_000;

export interface FeedStatusOptions {
  readonly sources: Pick<FeedSources, 'state' | 'onState' | 'connection' | 'on'>;
  readonly clock: ClientClock;
  readonly room: PlanRoom;
  /** An instant as the chart writes it, "14:13:20". */
  readonly timeText: (ns: bigint) => string;
  /** How far the chart has the tape. */
  readonly tapeNs: () => bigint | null;
  /** The stream has gone: what comes next may not continue it. */
  readonly onLost: () => void;
}

interface Passing {
  readonly note: FeedNote;
  readonly untilMs: number;
}

export class FeedStatus {
  readonly #options: FeedStatusOptions;
  readonly #leave: () => void;
  #connection: SharedState;
  #status: string | null = null;
  #passing: Passing | null = null;
  #refusal: FeedNote | null = null;
  #failure: FeedNote | null = null;
  /** Whether bars have been shown. */
  #hasBegun = false;

  constructor(options: FeedStatusOptions) {
    this.#options = options;
    const { sources } = options;
    this.#connection = sources.state ?? this.#ofClient();
    this.#leave =
      sources.onState?.((state) => this.#take(state)) ??
      sources.on('connection', () => this.#take(this.#ofClient()));
  }

  /** Whether the stream is connected. */
  get isOpen(): boolean {
    return this.#connection.t === 'open';
  }

  get live(): LiveState {
    const { t } = this.#connection;
    if (t === 'lost') return this.#isLong ? 'lost' : this.#ofStatus;
    if (t === 'paused' || t === 'other-tab') return 'paused';
    if (t === 'signed-out' || t === 'ended') return 'lost';
    return this.#hasBegun || t === 'open' ? this.#ofStatus : 'connecting';
  }

  get note(): FeedNote | null {
    const { room } = this.#options;
    const connection = this.#connection;
    switch (connection.t) {
      case 'signed-out':
        return SIGNED_OUT_NOTE;
      case 'ended':
        return endedNote(connection.code);
      case 'other-tab':
        return otherTabNote(this.#shownAt, room.limits.maxConnections);
      case 'lost':
        if (this.#isLong) return this.#lostNote(connection.atMs);
        break;
      default:
    }
    if (this.#refusal !== null) return this.#refusal;
    const { now } = this;
    if (this.#passing !== null && now < this.#passing.untilMs) return this.#passing.note;
    if (this.#failure !== null) return this.#failure;
    if (this.#status === 'stale') return STALE_NOTE;
    return this.#status === 'down' ? DOWN_NOTE : null;
  }

  get now(): number {
    return this.#options.clock.now();
  }

  status(state: string): void {
    this.#status = state;
    if (state !== 'warming') this.#hasBegun = true;
  }

  reset(reason: string, atNs: bigint): void {
    this.#refusal = null;
    const note = resetNote(reason, this.#options.timeText(atNs));
    if (note !== null) this.#passing = { note, untilMs: this.now + RESET_SHOWN_MS };
  }

  refused(code: string, message: string): void {
    this.#refusal = refusedNote(code, message);
  }

  historyFailed(message: string, retryInMs: number | null): void {
    this.#failure = message === '' ? null : historyFailedNote(message, retryInMs);
  }

  close(): void {
    this.#leave();
  }

  #take(state: SharedState): void {
    const before = this.#connection;
    this.#connection = state;
    if (before.t === 'open' && state.t !== 'open') this.#options.onLost();
    if (before.t === 'paused' && state.t !== 'paused') {
      this.#passing = { note: PAUSED_NOTE, untilMs: this.now + PAUSE_SHOWN_MS };
    }
  }

  /** Of a client that is not shared. */
  #ofClient(): SharedState {
    switch (this.#options.sources.connection) {
      case 'open':
        return { t: 'open' };
      case 'stopped':
        return { t: 'ended', code: '' };
      case 'idle':
        return { t: 'idle' };
      default: {
        const before = this.#connection as SharedState | undefined;
        if (before?.t === 'lost') return before;
        const isFirst = before === undefined || before.t === 'idle' || before.t === 'connecting';
        if (isFirst) return { t: 'connecting' };
        return { t: 'lost', atMs: this.now, retryInMs: null };
      }
    }
  }

  get #isLong(): boolean {
    return this.#connection.t === 'lost' && this.now - this.#connection.atMs >= QUIET_LOSS_MS;
  }

  get #ofStatus(): LiveState {
    switch (this.#status) {
      case 'closed':
        return 'closed';
      case 'stale':
      case 'down':
        return 'stale';
      case null:
        return 'connecting';
      default:
        return this.#options.room.limits.delaySeconds > 0 ? 'delayed' : 'live';
    }
  }

  get #shownAt(): string | null {
    const ns = this.#options.tapeNs();
    return ns === null ? null : this.#options.timeText(ns);
  }

  #lostNote(atMs: number): FeedNote {
    const { historyDays } = this.#options.room.limits;
    const awayMs = this.now - atMs;
    const canResume = historyDays > 0 || awayMs < STREAM_LIMITS.resumeMs;
    return lostNote({ awayMs, shownAt: this.#shownAt, canResume });
  }
}
