/**
 * What pushed batches say about the venue's time, and what is missing. The writer's own word (`upTo`) moves the watermark;
 * without one the newest trade does, less a grace period in which trades of other contracts may still come. A writer
 * that sends nothing for half a minute counts as interrupted since its last batch.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { earlier, epochNs, later } from '@tapeloom/core/utc-day';
import type { Clock } from '../../platform/clock.ts';
import type { TapeGap } from '../../tape/tape-gap.ts';
import type { Intake } from '../../tape/write/intake.ts';
import type { TapeNote } from '../../tape/write/tape-note.ts';
import type { PushedFeed } from '../instruments/instruments-file.ts';
import { type FeedState, FeedWatermark } from '../live/watermark/feed-watermark.ts';
import type { OpenHours } from '../live/watermark/open-hours.ts';

const SILENT_NS = 30_000_000_000n;
const DOWN_NS = 60_000_000_000n;
/** The note with the contracts that this tape has from their beginning, or from a gap. */
const CONTRACTS_KEY = 'contracts';

export interface PushFeedOptions {
  readonly feed: Pick<PushedFeed, 'graceMs' | 'gapAfterMs'>;
  readonly intake: Pick<Intake, 'lastId' | 'promise' | 'position' | 'gaps'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Nanoseconds of a clock that never jumps. */
  readonly monotonicNs: () => bigint;
  /** The contracts whose trades are taken now. */
  readonly contracts: () => readonly string[];
  readonly hoursOf: (contract: string) => OpenHours;
}

export interface BatchTimes {
  readonly upTo: EpochNs | null;
  readonly oldest: EpochNs | null;
  readonly newest: EpochNs | null;
  readonly lastTrades: readonly {
    readonly symbol: string;
    readonly id: number;
    readonly time: EpochNs;
  }[];
}

/** What is to be offered behind the trades. */
export interface NextOffer {
  readonly promise: EpochNs | null;
  readonly notes: readonly TapeNote[];
}

export class PushFeed {
  readonly #options: PushFeedOptions;
  readonly #graceNs: bigint;
  readonly #watermark: FeedWatermark;
  readonly #members: Set<string>;
  readonly #startedAt: EpochNs;
  readonly #startedMonotonicNs: bigint;
  #heardAt: EpochNs;
  #isSilent = false;
  /** How often the writer came back after a silence. */
  returns = 0;
  /** Offers that the tape had no room for. */
  #returned: NextOffer = { promise: null, notes: [] };
  /** Whether the tape refused the last batch: the watermark must not pass its trades, which will come again. */
  #isRefused = false;

  constructor(options: PushFeedOptions) {
    this.#options = options;
    const { feed, intake, clock, hoursOf } = options;
    const noted = new Set(intake.position(CONTRACTS_KEY)?.split(' '));
    const members = options.contracts();
    this.#graceNs = BigInt(feed.graceMs) * MS_NS_BIG;
    this.#members = new Set(members);
    this.#startedAt = clock.now();
    this.#startedMonotonicNs = options.monotonicNs();
    this.#heardAt = this.#startedAt;
    this.#watermark = new FeedWatermark({
      ...{ graceMs: feed.graceMs, gapAfterMs: feed.gapAfterMs, members, hoursOf },
      isKnown: (contract) => noted.has(contract) || intake.lastId(contract) >= 0,
      lastId: (contract) => intake.lastId(contract),
      start: intake.promise,
      gaps: intake.gaps,
      position: (key) => intake.position(key),
      now: this.#heardAt,
    });
  }

  get state(): FeedState {
    const now = this.#options.clock.now();
    const opened = this.#openedAt(now);
    if (opened === null) return 'live';
    const [openNs, unheardNs] = [now - opened, this.#now() - this.#heardAt];
    const silentNs = openNs < unheardNs ? openNs : unheardNs;
    if (silentNs < SILENT_NS) return 'live';
    return silentNs < DOWN_NS ? 'stale' : 'down';
  }

  get openGaps(): number {
    return this.#watermark.openGaps.length;
  }

  get closedGaps(): number {
    return this.#watermark.closedGaps;
  }

  /** False: the trade is named as missing, and stays out. */
  admits(contract: string, day: UtcDay, ns: number, id: number): boolean {
    return this.#watermark.admits(contract, epochNs(day, ns), id);
  }

  hasGaps(contracts: readonly string[]): boolean {
    return contracts.some((contract) => this.#watermark.hasGaps(contract));
  }

  /** The writer has no more trades before this time than the tape has. */
  lose(before: EpochNs): void {
    const { watermark } = this.#watermark;
    if (watermark === null || before <= watermark) return;
    const loss = { from: watermark, to: before, ids: null, reason: 'reported' };
    for (const contract of this.#members) this.#watermark.lose(contract, loss);
  }

  /** The trades of a batch were offered: what its writer said about the time counts. */
  heard({ upTo, oldest, newest, lastTrades }: BatchTimes): void {
    const now = this.#now();
    this.#heardAt = now;
    if (this.#isSilent) this.returns += 1;
    this.#isSilent = false;
    this.#isRefused = false;
    this.#relist(now);
    for (const { symbol, time, id } of lastTrades) this.#watermark.traded(symbol, time, id);
    // The watermark of the feed is a grace period before the time that it reaches.
    const reached = upTo === null ? newest : ((upTo + this.#graceNs) as EpochNs);
    if (reached === null) return;
    // An empty tape begins with its first trade.
    const from = earlier(oldest ?? reached, (reached - this.#graceNs) as EpochNs);
    const recovered = this.#watermark.watermark === null ? { from } : undefined;
    for (const contract of this.#members) {
      this.#watermark.reach(contract, reached, now, recovered);
    }
  }

  /** What is new since the last call; null: nothing. */
  next(): NextOffer | null {
    const now = this.#now();
    const found = this.#watermark.next(now);
    const { promise, notes } = this.#returned;
    this.#returned = { promise: null, notes: [] };
    const all: NextOffer = {
      promise: found?.promise ?? promise,
      notes: [...notes, ...(found?.notes ?? []), ...this.#contractsNote()],
    };
    return all.promise === null && all.notes.length === 0 ? null : all;
  }

  /** As `next`, while no batch comes. */
  nextInSilence(): NextOffer | null {
    const now = this.#now();
    this.#relist(now);
    this.#isSilent = now - this.#heardAt >= SILENT_NS;
    if (this.#isSilent) {
      for (const contract of this.#members) this.#watermark.interrupt(contract, this.#heardAt);
    }
    return this.#isRefused && !this.#isSilent ? null : this.next();
  }

  /** The tape had no room for this offer: it comes again with the next one. */
  giveBack({ promise, notes }: NextOffer): void {
    this.#isRefused = true;
    const before = this.#returned;
    this.#returned = {
      promise: before.promise ?? promise,
      notes: [...notes, ...before.notes],
    };
  }

  /** The clock at the start, plus the time elapsed: a jump of the machine's clock is no silence. */
  #now(): EpochNs {
    const elapsed = this.#options.monotonicNs() - this.#startedMonotonicNs;
    return (this.#startedAt + elapsed) as EpochNs;
  }

  /** Since when one of the markets has been open; null: all are closed. */
  #openedAt(now: EpochNs): EpochNs | null {
    let first: EpochNs | null = null;
    for (const contract of this.#members) {
      const hours = this.#options.hoursOf(contract);
      const session = hours?.atOrAfter(now) ?? null;
      const opened = session === null ? (0n as EpochNs) : session.open;
      if (opened <= now) first = earlier(first ?? opened, opened);
    }
    return first;
  }

  #relist(now: EpochNs): void {
    const listed = this.#options.contracts();
    for (const contract of listed) {
      if (this.#members.has(contract)) continue;
      this.#members.add(contract);
      this.#watermark.add(contract, now);
    }
    for (const contract of this.#members.difference(new Set(listed))) {
      this.#members.delete(contract);
      this.#watermark.remove(contract);
    }
  }

  /** A contract that is not in the newest note would begin with a gap at the next start. */
  #contractsNote(): readonly TapeNote[] {
    const text = [...this.#members].sort().join(' ');
    if (this.#watermark.watermark === null) return [];
    if (text === this.#options.intake.position(CONTRACTS_KEY)) return [];
    return [{ kind: 'position', key: CONTRACTS_KEY, text }];
  }
}

/** The trades of a batch that stayed out, and the gaps that they lie in. */
export class LeftOut {
  readonly #byContract = new Map<string, { from: EpochNs; to: EpochNs }>();
  count = 0;

  add(contract: string, day: UtcDay, ns: number): void {
    const at = epochNs(day, ns);
    const known = this.#byContract.get(contract) ?? { from: at, to: at };
    this.#byContract.set(contract, { from: earlier(known.from, at), to: later(known.to, at) });
    this.count += 1;
  }

  gapsOf(recorded: readonly TapeGap[]): readonly TapeGap[] {
    return recorded.filter(({ symbol, from, to }) => {
      const span = this.#byContract.get(symbol);
      return span !== undefined && from <= span.to && (to === null || to > span.from);
    });
  }
}
