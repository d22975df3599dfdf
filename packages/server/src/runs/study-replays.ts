/**
 * The replays of one thread, limited in number. If the thread shares its work among accounts, replays take part in
 * that. Otherwise a few warm up at a time, and pages are made in order of request, so each reader gets a page before
 * any reader gets a second one. A reader at the tape's end waits for the next commit without holding a slot.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { BlockWriter } from '../blocks/block-writer.ts';
import { Refusal } from '../platform/refusal.ts';
import type { LiveTape } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import type { TapeGap } from '../tape/tape-gap.ts';
import { missingDays } from './coverage.ts';
import { locateCursor, passingGaps } from './locate-cursor.ts';
import { snapshotStart } from './look-back.ts';
import { byDay } from './missing-times.ts';
import { Pulled } from './pulled.ts';
import type { CursorPlace, Replay, ReplayPage, ReplayRequest, Replays } from './replay.ts';
import { runSource, type StudyCatalogue, studySource } from './run-source.ts';
import { NamedSlots, Slots } from './slots.ts';
import {
  DamagedDays,
  damagedDay,
  missingNow,
  type TapeNow,
  tapeNow,
  withoutDays,
} from './sound-tape.ts';
import { PAGE_LIMITS, type PageLimits, StudyReplay } from './study-replay.ts';
import { TapeDays } from './tape-days.ts';
import type { Turns } from './turns.ts';

/** Replays open at the same time; callers have limits of their own. */
export const REPLAYS_MAX = 256;
/** Replays that read data before their start at the same time: they store all objects meanwhile. */
const WARM_UPS_MAX = 2;

export interface StudyReplaysOptions extends StudyCatalogue {
  readonly tape: LiveTape;
  readonly yieldTurn: () => Promise<void>;
  /** Default: `PAGE_LIMITS`. */
  readonly limits?: PageLimits;
  /** The fair queue of accounts; omitted if the thread has no other work. */
  readonly turns?: Turns;
  /** Days known to be damaged, which count as missing; days found here are added. */
  readonly damaged?: DamagedDays;
}

/** Runs work in a slot of an account. */
type Within = <T>(account: string, work: () => Promise<T>) => Promise<T>;

interface Shared {
  readonly warmUp: Within;
  readonly page: Within;
  grown(): Promise<void>;
  closed(replay: OpenReplay): void;
  readonly damaged: DamagedDays;
}

export class StudyReplays implements Replays, Disposable {
  readonly #options: StudyReplaysOptions;
  readonly #open = new Set<OpenReplay>();
  readonly #following: Disposable;
  readonly #shared: Shared;
  readonly #writer = new BlockWriter();
  readonly #damaged: DamagedDays;
  #growth = Promise.withResolvers<void>();
  #opening = 0;

  constructor(options: StudyReplaysOptions) {
    this.#options = options;
    this.#damaged = options.damaged ?? new DamagedDays(options.tape);
    this.#following = options.tape.follow(({ gaps = [] }) => {
      for (const gap of gaps) {
        for (const replay of this.#open) replay.noteGap(gap);
      }
      this.#growth.resolve();
      this.#growth = Promise.withResolvers();
    });
    this.#shared = {
      ...slotsOf(options.turns),
      grown: () => this.#growth.promise,
      closed: (replay) => this.#open.delete(replay),
      damaged: this.#damaged,
    };
  }

  async locate(contract: string, cursor: string, seenUntil: EpochNs | null): Promise<CursorPlace> {
    return await this.#locate(pinned(this.#options.tape), contract, cursor, seenUntil);
  }

  async #locate(
    tape: LiveTape,
    contract: string,
    cursor: string,
    seenUntil: EpochNs | null,
  ): Promise<CursorPlace> {
    const parsed = parseCursor(cursor);
    if (parsed === null) throw new RangeError(`not a cursor: ${cursor}`);
    const fullSessions = this.#options.sessionsOf(contract, 'full');
    const covered = { tape, contract, fullSessions, damaged: this.#damaged };
    return await locateCursor(covered, parsed, seenUntil);
  }

  async open(request: ReplayRequest): Promise<Replay> {
    if (this.#open.size + this.#opening >= REPLAYS_MAX) {
      throw new Refusal({ t: 'full', what: 'thread' });
    }
    this.#opening += 1;
    try {
      const whole = pinned(this.#options.tape);
      const from = await this.#startOf(request, whole);
      const { yieldTurn, limits = PAGE_LIMITS } = this.#options;
      const now = await tapeNow(whole, request.contract, this.#damaged);
      const study = studySource(this.#options, request);
      if (request.allowsGaps !== true) this.#refuseGaps(request, study.sessions, from, now);
      const tape = withoutDays(whole, now.unreadable);
      const { contract } = request;
      const days = new TapeDays(tape, contract, () => whole.promiseOf(contract));
      const source = runSource(study, tape, days);
      const create = (signal: AbortSignal) => {
        const pace = { yieldTurn, signal };
        const writer = this.#writer;
        return new StudyReplay({ tape, source, request, from, pace, limits, writer });
      };
      const replay = new OpenReplay(create, request, days, this.#shared);
      this.#open.add(replay);
      return replay;
    } finally {
      this.#opening -= 1;
    }
  }

  [Symbol.dispose](): void {
    this.#following[Symbol.dispose]();
    for (const replay of this.#open) void replay[Symbol.asyncDispose]();
  }

  async #startOf(request: ReplayRequest, tape: LiveTape): Promise<EpochNs> {
    const { contract, from, until, allowsGaps } = request;
    if (from.t === 'after') {
      const found = await this.#locate(tape, contract, from.cursor, null);
      const place = allowsGaps === true ? passingGaps(found, parseCursor(from.cursor)!) : found;
      if (place.t === 'on-tape') return place.at;
      throw new Refusal({ t: 'not-on-tape', what: `${from.cursor} of ${contract}` });
    }
    if (from.time > until) throw new RangeError('a replay cannot begin after its end');
    return from.time;
  }

  /**
   * Checks up to the end of the contract's tape. A live stream runs on over its gaps and names them in its status, so
   * its replay does too.
   */
  #refuseGaps(
    { contract, until }: ReplayRequest,
    sessions: SessionTable,
    from: EpochNs,
    now: TapeNow,
  ): void {
    const full = this.#options.sessionsOf(contract, 'full');
    const last = [...now.onTape.keys()].at(-1);
    const tapeEnd = last === undefined ? until : epochNs(addDays(last, 1), 0);
    const end = tapeEnd < until ? tapeEnd : until;
    const runsOver = byDay((day) => missingNow(now)(day) !== 'all');
    const [day] = missingDays(runsOver, full, snapshotStart(sessions, from), end);
    if (day !== undefined) throw new Refusal({ t: 'not-on-tape', what: `${day} of ${contract}` });
  }
}

class OpenReplay extends Pulled implements Replay {
  readonly #study: StudyReplay;
  readonly #request: ReplayRequest;
  readonly #days: TapeDays;
  readonly #shared: Shared;

  constructor(
    create: (signal: AbortSignal) => StudyReplay,
    request: ReplayRequest,
    days: TapeDays,
    shared: Shared,
  ) {
    super();
    this.#days = days;
    this.#study = create(this.signal);
    this.#request = request;
    this.#shared = shared;
  }

  async next(until?: EpochNs): Promise<ReplayPage> {
    return await this.pull(() => {
      if (until !== undefined) this.#study.raise(until);
      return this.#page();
    });
  }

  noteGap(gap: TapeGap): void {
    if (gap.symbol === this.#request.contract) this.#days.noteGap(gap);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    // Work in progress ends the next time it yields; only then may its reader be closed.
    await super[Symbol.asyncDispose]();
    await this.#study[Symbol.asyncDispose]();
    this.#shared.closed(this);
  }

  async #page(): Promise<ReplayPage> {
    const { warmUp, page: inTurn } = this.#shared;
    const { account = '' } = this.#request;
    const study = this.#study;
    for (;;) {
      // Must be taken before the tape is read, so that no commit is missed.
      const grown = this.#shared.grown();
      if (!study.hasBegun && study.canBegin) {
        await warmUp(account, () => this.#unlessClosed(() => study.begin()));
      }
      if (study.hasBegun) {
        const page = await inTurn(account, () => this.#unlessClosed(() => study.page()));
        if (page !== null) return page;
      }
      await Promise.race([grown, this.closed]);
    }
  }

  async #unlessClosed<T>(work: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TapeDamagedError)) throw error;
      throw this.#damageFound(error);
    }
  }

  /** The day counts as missing from now on; the next request is rejected for it, or skips it if gaps are allowed. */
  #damageFound(error: TapeDamagedError): Refusal {
    const { contract } = this.#request;
    const day = damagedDay(error);
    if (day === null) return new Refusal({ t: 'not-on-tape', what: 'a damaged day' }, error);
    this.#shared.damaged.found(contract, day, error);
    return new Refusal({ t: 'day-damaged', contract, day }, error);
  }
}

/** All steps of one read must see the same days. */
function pinned(tape: LiveTape): LiveTape {
  return tape.pinned?.() ?? tape;
}

/** With a fair queue, each account warms up one replay at a time. */
function slotsOf(turns: Turns | undefined): Pick<Shared, 'warmUp' | 'page'> {
  if (turns === undefined) {
    const warmUps = new Slots(WARM_UPS_MAX);
    const pages = new Slots(1);
    return {
      warmUp: (_account, work) => warmUps.within(work),
      page: (_account, work) => pages.within(work),
    };
  }
  const warmUps = new NamedSlots(1);
  return {
    warmUp: (account, work) => warmUps.within(account, () => turns.within(account, work)),
    page: (account, work) => turns.within(account, work),
  };
}
