/**
 * The trades of the composites of a dataset, merged out of the tapes of their members. An offer has the trades of one
 * day between two watermarks, the gaps they lie behind, and the position in each member's tape. It fits into one record
 * of the log, so after a crash the tape has all of it or nothing, and the next offer follows without a hole.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { dayOf, earlier, epochNs, later } from '@tapeloom/core/utc-day';
import type { TapeGap } from '../../tape/tape-gap.ts';
import type { Intake, IntakeBatch } from '../../tape/write/intake.ts';
import type { TapeNote } from '../../tape/write/tape-note.ts';
import { dividedOffer, type NotedOffer } from '../divided-offer.ts';
import type { CompositeMember, NamedContract } from '../instruments/instruments-file.ts';
import { type OpenHours, openFrom, openStretches } from '../live/watermark/open-hours.ts';
import { CompositeListing } from './composite-listing.ts';
import { CompositeWatermark } from './composite-watermark.ts';
import { freeFrom, MemberGaps, type MissingOfMember, memberOf } from './member-gaps.ts';
import type { MemberTape } from './member-tape.ts';
import { leftOutStretches, MemberTrades } from './member-trades.ts';
import { MergedRows, type MergeWindow, mergeRows } from './merge-rows.ts';

/** It fits into one record of the log. */
const OFFER_ROWS_MAX = 32_768;

export interface CompositeFeedOptions {
  readonly contracts: readonly NamedContract[];
  /** By dataset; those of all members. */
  readonly tapes: ReadonlyMap<string, MemberTape>;
  readonly leaveOutAfterMs: number;
  readonly intake: Omit<Intake, 'offer' | 'batch'>;
  /** The trading days of a composite, and of a member. */
  readonly hoursOf: (symbol: string) => OpenHours;
  readonly memberHours: (member: CompositeMember) => OpenHours;
  readonly now: bigint;
  readonly rowsMax?: number;
}

interface Part {
  readonly trades: MemberTrades;
  readonly gaps: MemberGaps;
}

interface Composite {
  readonly symbol: string;
  readonly parts: readonly Part[];
  /** In the order of equal times. */
  readonly queues: readonly MemberTrades[];
  /** Beginnings of its gaps. */
  readonly taken: Set<EpochNs>;
  lastId: number;
}

/** A composite of which an offer is made. */
interface Merging {
  readonly composite: Composite;
  readonly queues: readonly MemberTrades[];
  readonly rows: MergedRows;
  /** The time of its next trade. */
  nextNs: number;
}

export class CompositeFeed {
  readonly #options: CompositeFeedOptions;
  readonly #watermark: CompositeWatermark;
  readonly #rowsMax: number;
  /** Made when it is known where an empty tape begins. */
  #composites: readonly Composite[] | null = null;
  /** Gaps of members that are none any more, and of composites that begin or end within a day. */
  #firstGaps: readonly TapeGap[] = [];
  #firstNotes: readonly TapeNote[] = [];
  #listing: CompositeListing | null = null;
  /** The rest of an offer with many gaps. */
  readonly #waiting: NotedOffer[] = [];

  constructor(options: CompositeFeedOptions) {
    this.#options = options;
    this.#rowsMax = options.rowsMax ?? OFFER_ROWS_MAX;
    const { tapes, leaveOutAfterMs, intake, now } = options;
    this.#watermark = new CompositeWatermark({
      datasets: [...tapes.keys()].sort(),
      leaveOutAfterMs,
      openFrom: (dataset, at) => this.#openFrom(dataset, at),
      start: intake.promise,
      position: (key) => intake.position(key),
      now,
    });
  }

  state(now: bigint): 'live' | 'stale' | 'down' {
    return this.#watermark.state(now);
  }

  get openGaps(): number {
    return this.#parts.filter(({ gaps }) => gaps.isGrowing).length;
  }

  get closedGaps(): number {
    return this.#parts.reduce((sum, { gaps }) => sum + gaps.closed, 0);
  }

  /**
   * The next offer, which must be taken before the next one is made; null: nothing is new. `isQuiet`: the watermark
   * alone is no reason.
   */
  async next(now: bigint, isQuiet: boolean): Promise<NotedOffer | null> {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return waiting;
    for (const [dataset, tape] of this.#options.tapes) {
      this.#watermark.heard(dataset, tape.promise);
    }
    this.#watermark.decide(now);
    const { watermark: from, target } = this.#watermark;
    if (from === null || target === null) return null;
    this.#composites ??= this.#make(from);
    if (target <= from) return null;
    const day = dayOf(from);
    const midnight = epochNs(day, 0);
    const end = earlier(target, epochNs(day, DAY_NS));
    const { batches, untilNs } = await this.#merge(
      day,
      Number(from - midnight),
      Number(end - midnight),
    );
    if (isQuiet && batches.length === 0 && end === target) return null;
    const to = (midnight + BigInt(untilNs)) as EpochNs;
    const gaps: readonly TapeGap[] = [...this.#firstGaps, ...(await this.#gaps(from, to))];
    const positions = this.#parts.flatMap(({ trades }) => trades.takeNotes());
    const notes: TapeNote[] = gaps.map((gap) => ({ kind: 'gap', gap }));
    notes.push(...this.#firstNotes);
    this.#firstGaps = [];
    this.#firstNotes = [];
    this.#watermark.advance(to);
    const behind = [...this.#watermark.takeNotes(), ...positions];
    this.#waiting.push(...dividedOffer({ batches, promise: to }, notes, behind));
    return this.#waiting.shift()!;
  }

  async close(): Promise<void> {
    for (const { trades } of this.#parts) await trades.close();
  }

  get #parts(): readonly Part[] {
    return this.#composites?.flatMap(({ parts }) => parts) ?? [];
  }

  /**
   * All trades before the returned time, of all composites in the order of time: none is ahead of the others, so that a
   * member that comes in at the watermark comes in at the same time everywhere.
   */
  async #merge(
    day: UtcDay,
    fromNs: number,
    endNs: number,
  ): Promise<{ readonly batches: readonly IntakeBatch[]; readonly untilNs: number }> {
    for (const { trades } of this.#parts) trades.lookAgain();
    const all: Merging[] = [];
    for (const composite of this.#composites!) {
      const queues = composite.queues.filter(({ member }) => !this.#isOut(member));
      const one = { composite, queues, rows: new MergedRows(day), nextNs: fromNs };
      await advance(one, { day, fromNs, untilNs: endNs, rowsMax: 0 });
      all.push(one);
    }
    let untilNs = endNs;
    for (let room = this.#rowsMax; ; ) {
      const [one, otherNs] = leastOf(all);
      if (one === null || one.nextNs >= endNs) break;
      if (room <= 0) {
        untilNs = one.nextNs;
        break;
      }
      const { count } = one.rows;
      const burstNs = Math.min(Math.max(otherNs, one.nextNs + 1), endNs);
      const rowsMax = count + room;
      await advance(one, { day, fromNs, untilNs: burstNs, rowsMax });
      room -= one.rows.count - count;
      await advance(one, { day, fromNs, untilNs: endNs, rowsMax: 0 });
    }
    return { batches: all.flatMap((one) => this.#batches(one, epochNs(day, 0))), untilNs };
  }

  #batches({ composite, rows }: Merging, midnight: EpochNs): readonly IntakeBatch[] {
    this.#firstGaps = [
      ...this.#firstGaps,
      ...rows.tooLarge.map((ns) => tooLarge(composite, (midnight + BigInt(ns)) as EpochNs)),
    ];
    if (rows.count === 0) return [];
    const firstId = composite.lastId + 1;
    composite.lastId += rows.count;
    return [rows.batch(composite.symbol, firstId)];
  }

  async #gaps(from: EpochNs, to: EpochNs): Promise<readonly TapeGap[]> {
    const gaps: TapeGap[] = [];
    // More trades of one time than an offer has room for do not move the watermark.
    if (to === from) return gaps;
    gaps.push(...this.#listing!.over(to, [...this.#options.intake.gaps, ...this.#firstGaps]));
    for (const { parts, taken } of this.#composites!) {
      for (const part of parts) {
        const missing = await this.#missing(part.trades, from, to);
        gaps.push(...part.gaps.pass(missing, { from, to }, taken));
      }
    }
    return gaps;
  }

  async #missing(
    trades: MemberTrades,
    from: EpochNs,
    to: EpochNs,
  ): Promise<readonly MissingOfMember[]> {
    const { member } = trades;
    const own = await trades.gaps(from, to);
    if (!this.#isOut(member)) return own;
    const hours = this.#options.memberHours(member);
    return [...own, ...leftOutStretches(member, hours, from, to)];
  }

  /** What comes from a member that is left out comes too late. */
  #isOut({ dataset }: CompositeMember): boolean {
    return this.#watermark.isOut(dataset);
  }

  #make(from: EpochNs): readonly Composite[] {
    const { contracts, tapes, intake } = this.#options;
    const gaps = intake.gaps;
    const symbols: string[] = [];
    const composites = contracts.map(({ contract: { symbol }, members = [] }): Composite => {
      symbols.push(symbol);
      const parts = members.toSorted(byDataset).map((member): Part => {
        const tape = tapes.get(member.dataset)!;
        const position = (key: string) => intake.position(key);
        return {
          trades: new MemberTrades({ symbol, member, tape, position, from }),
          gaps: new MemberGaps(symbol, member.symbol, gaps),
        };
      });
      const taken = new Set(gaps.flatMap((gap) => (gap.symbol === symbol ? [gap.from] : [])));
      const queues = parts.map(({ trades }) => trades);
      return { symbol, parts, queues, taken, lastId: intake.lastId(symbol) };
    });
    const listing = new CompositeListing(symbols, (key) => intake.position(key));
    this.#firstGaps = [
      ...composites.flatMap((one) => this.#start(one, from, listing)),
      ...composites.flatMap((one) => ofOthers(one, gaps, from)),
      ...listing.closed(from, gaps),
      ...listing.ended(from, gaps, (symbol) => intake.lastId(symbol) >= 0),
    ];
    this.#firstNotes = listing.notes();
    this.#listing = listing;
    return composites;
  }

  /** A composite that was listed within a day, or again, lacks what was traded before. */
  #start(
    { symbol, queues, taken }: Composite,
    from: EpochNs,
    listing: CompositeListing,
  ): readonly TapeGap[] {
    const { intake, hoursOf } = this.#options;
    const isNew = intake.lastId(symbol) < 0 && queues.every(({ isKnown }) => !isKnown);

    if ((!isNew && listing.wasListed(symbol)) || intake.promise === null) return [];
    const gap = listing.resumed(symbol, from, intake.gaps);
    if (gap !== null) return [gap];
    const midnight = epochNs(dayOf(from), 0);
    return openStretches(hoursOf(symbol), midnight, from).map((stretch) => {
      const begin = freeFrom(stretch.from, taken);
      taken.add(begin);
      return { symbol, ...stretch, from: begin, firstId: null, lastId: null, reason: 'start' };
    });
  }

  #openFrom(dataset: string, at: EpochNs): EpochNs | null {
    let first: EpochNs | null = null;
    for (const { members = [] } of this.#options.contracts) {
      for (const member of members) {
        if (member.dataset !== dataset) continue;
        const open = openFrom(this.#options.memberHours(member), at);
        if (open < member.expiresAt) first = earlier(first ?? open, open);
      }
    }
    return first;
  }
}

/** Merges as far as the window goes, and finds the time of the next trade. */
async function advance(one: Merging, window: MergeWindow): Promise<void> {
  for (;;) {
    const result = mergeRows(one.queues, window, one.rows);
    if (result.kind === 'hungry') await one.queues[result.queue]!.fill();
    else {
      one.nextNs = result.kind === 'full' ? result.atNs : window.untilNs;
      return;
    }
  }
}

/** The one with the earliest next trade, and the earliest time of the others. */
function leastOf(all: readonly Merging[]): readonly [Merging | null, number] {
  let least: Merging | null = null;
  let otherNs = Number.POSITIVE_INFINITY;
  for (const one of all) {
    if (least === null || one.nextNs < least.nextNs) {
      otherNs = least?.nextNs ?? otherNs;
      least = one;
    } else if (one.nextNs < otherNs) otherNs = one.nextNs;
  }
  return [least, otherNs];
}

/** The gaps of members that are none any more. */
function ofOthers(
  { symbol, parts }: Composite,
  gaps: readonly TapeGap[],
  at: EpochNs,
): readonly TapeGap[] {
  const members = new Set(parts.map(({ trades }) => trades.member.symbol));
  return gaps
    .filter(
      (gap) =>
        gap.symbol === symbol &&
        gap.to === null &&
        memberOf(gap) !== '' &&
        !members.has(memberOf(gap)),
    )
    .map((gap) => ({ ...gap, to: later(at, (gap.from + 1n) as EpochNs) }));
}

function tooLarge({ symbol, taken }: Composite, at: EpochNs): TapeGap {
  const from = freeFrom(at, taken);
  taken.add(from);
  const to = (from + 1n) as EpochNs;
  return { symbol, from, to, firstId: null, lastId: null, reason: 'price or size too large' };
}

/** Equal times are in the order of datasets, then of symbols. */
export function byDataset(a: CompositeMember, b: CompositeMember): number {
  if (a.dataset !== b.dataset) return a.dataset < b.dataset ? -1 : 1;
  return a.symbol < b.symbol ? -1 : 1;
}
