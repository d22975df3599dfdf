/**
 * What a file has of each contract: the range that it, or somebody, says; else from the first to the last trade of the
 * contract, which says nothing of days without trades in between.
 */

import type { Contract } from '@tapeloom/core/instrument/contract';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS, MINUTE_NS, SECOND_NS_BIG } from '@tapeloom/core/units';
import { addDays, dayOf, earlier, epochNs } from '@tapeloom/core/utc-day';
import type { SaidRange } from '../feeds/said-range.ts';
import type { DaySpan } from '../tape/tape.ts';
import type { ContractNames } from './contract-names.ts';
import {
  commonRange,
  differenceOf,
  type InstantRange,
  joinedRanges,
  spansOnDay,
  unionOf,
} from './spans.ts';

/** A trade is captured less than this after it was made. */
const CAPTURE_NS = 5n * SECOND_NS_BIG;
/** Where only trades tell what a file has, so much of open hours may be quiet before the first and after the last. */
const QUIET_NS_MAX = 15 * MINUTE_NS;

export interface CoverageRequest {
  readonly said: SaidRange | null;
  /** What somebody says of all contracts that the file has. */
  readonly covers: InstantRange | null;
  /** All trades are of this contract. */
  readonly contract: Contract | null;
  readonly names: ContractNames;
  /** Contracts with trades in the file. */
  readonly met: readonly Contract[];
  readonly now: EpochNs;
}

/** Of one contract. Null where only the trades tell. */
export interface ContractCoverage {
  readonly contract: Contract;
  readonly said: readonly InstantRange[] | null;
  /** Where the file surely has every trade, by the time of the trade. */
  readonly sure: readonly InstantRange[];
  readonly isByCapture: boolean;
}

/** What a file has of a day. */
export interface DayCoverage {
  readonly covered: readonly DaySpan[];
  readonly sure: readonly DaySpan[];
  /** Whether it follows from trades alone. */
  readonly isGuessed: boolean;
  /** Where what the file has begins and ends, by the clock of the day, and beyond its midnights. */
  readonly edges: readonly FileEdge[];
}

export interface FileEdge {
  readonly ns: number;
  readonly isBegin: boolean;
  /** By what a trade is on this side of it: its time, to the nanosecond, its capture, or that the file has it. */
  readonly by: 'time' | 'capture' | 'row';
}

export function contractCoverages(request: CoverageRequest): readonly ContractCoverage[] {
  const { said, covers, contract, met, now } = request;
  const all = contract === null ? met : [contract];
  const isByCapture = covers === null && said?.isByCapture === true;
  const ranges = new Map<Contract, InstantRange[]>();
  for (const [of, range] of covers === null
    ? saidOf(request)
    : all.map((of) => [of, covers] as const)) {
    const end = earlier(now, epochNs(addDays(dayOf(of.expiresAt), 1), 0));
    const common = commonRange(range, { from: 0n as EpochNs, to: end });
    if (common !== null) ranges.set(of, [...(ranges.get(of) ?? []), common]);
  }
  const coverages = [...ranges].map(([of, several]) => {
    const joined = joinedRanges(several);
    const sure = isByCapture ? joined.flatMap(inner) : joined;
    return { contract: of, said: joined, sure, isByCapture };
  });
  const others = met.filter((of) => !ranges.has(of));
  return [
    ...coverages,
    ...others.map((of) => ({ contract: of, said: null, sure: [], isByCapture: false })),
  ];
}

function* saidOf({
  said,
  contract,
  names,
  met,
}: CoverageRequest): Generator<readonly [Contract, InstantRange]> {
  if (said === null) return;
  if (said.names === null || contract !== null) {
    for (const of of contract === null ? met : [contract]) yield [of, said];
    return;
  }
  for (const { name, fromDay, toDay } of said.names) {
    const of = names.find([name], fromDay);
    if (of === null) continue;
    const days = { from: epochNs(fromDay, 0), to: epochNs(toDay, 0) };
    const common = commonRange(said, days);
    if (common !== null) yield [of, common];
  }
}

/** Without the margins in which a trade may have been captured after the end, or before the begin. */
function inner({ from, to }: InstantRange): InstantRange[] {
  const range = { from: (from + CAPTURE_NS) as EpochNs, to: (to - CAPTURE_NS) as EpochNs };
  return range.from < range.to ? [range] : [];
}

/** Days of which a file has something besides trades, ascending. */
export function saidDays({ said }: ContractCoverage): readonly UtcDay[] {
  const days = new Set<UtcDay>();
  for (const { from, to } of said ?? []) {
    for (let day = dayOf(from); epochNs(day, 0) < to; day = addDays(day, 1)) days.add(day);
  }
  return [...days].sort((a, b) => a - b);
}

/** `isFirst` and `isLast` of the days on which the file has trades of the contract; `trades` are those of the day. */
export function dayCoverage(
  { said, sure, isByCapture }: ContractCoverage,
  trades: TradeBatch,
  isFirst: boolean,
  isLast: boolean,
): DayCoverage {
  const { day, count, ts } = trades;
  if (said !== null) {
    const midnight = epochNs(day, 0);
    const by = isByCapture ? 'capture' : 'time';
    const edges = said.flatMap(({ from, to }): FileEdge[] => [
      { ns: Number(from - midnight), isBegin: true, by },
      { ns: Number(to - midnight), isBegin: false, by },
    ]);
    return {
      covered: spansOnDay(said, day),
      sure: spansOnDay(sure, day),
      isGuessed: false,
      edges,
    };
  }
  const traded: DaySpan = [isFirst ? ts[0]! : 0, isLast ? ts[count - 1]! + 1 : DAY_NS];
  const edges: FileEdge[] = [];
  if (isFirst) edges.push({ ns: traded[0], isBegin: true, by: 'row' });
  if (isLast) edges.push({ ns: traded[1], isBegin: false, by: 'row' });
  return { covered: [traded], sure: [traded], isGuessed: true, edges };
}

/**
 * Where a file and what is there (`around`, of the day and its neighbours) meet without having an hour in common: near
 * these edges a trade of one may belong before a trade of the other at the same time, and equal ones may be two.
 */
export function meetingsOf(
  edges: readonly FileEdge[],
  around: readonly DaySpan[],
): readonly { readonly span: DaySpan; readonly isFileFirst: boolean }[] {
  return edges.flatMap(({ ns, isBegin, by }) => {
    if (by === 'time') return [];
    // What rows tell of both has the time of the row itself in common.
    const common = by === 'row' ? 1 : 0;
    const isMet = around.some(([from, to]) => (isBegin ? to - ns : ns - from) === common);
    if (!isMet) return [];
    const margin = Number(CAPTURE_NS);
    const instant: DaySpan = isBegin ? [ns, ns + 1] : [ns - 1, ns];
    const span: DaySpan = by === 'row' ? instant : [ns - margin, ns + margin];
    return [{ span, isFileFirst: !isBegin }];
  });
}

/** What is covered in all, where a file whose coverage is guessed has added to it: small holes at its edges are none. */
export function withQuietEdges(
  covered: readonly DaySpan[],
  guessed: readonly DaySpan[],
  open: readonly DaySpan[],
): readonly DaySpan[] {
  const edges = new Set(guessed.flat());
  const quiet = differenceOf(open, covered).filter(
    ([from, to]) => to - from <= QUIET_NS_MAX && (edges.has(from) || edges.has(to)),
  );
  return unionOf(covered, quiet);
}
