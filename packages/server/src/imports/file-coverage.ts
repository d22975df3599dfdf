/**
 * The coverage of a file per contract: the range that the file or the operator declares; otherwise from the contract's
 * first trade to its last, which proves nothing for days without trades in between.
 */

import type { Contract } from '@tapeloom/core/instrument/contract';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS, SECOND_NS } from '@tapeloom/core/units';
import { addDays, dayOf, earlier, epochNs } from '@tapeloom/core/utc-day';
import type { SaidRange } from '../feeds/said-range.ts';
import type { DaySpan } from '../tape/tape.ts';
import type { ContractNames } from './contract-names.ts';
import type { EqualsAtEdges, Meeting } from './merge-day.ts';
import { commonRange, type InstantRange, joinedRanges, spansOnDay } from './spans.ts';

/** A trade is captured less than this after it was made. */
export const CAPTURE_NS_MAX = 5 * SECOND_NS;
const CAPTURE_NS = BigInt(CAPTURE_NS_MAX);

/** The operator's declaration for all contracts in the file: a range, or all of each UTC day with trades. */
export type SaidCoverage = InstantRange | 'whole-days' | null;

export interface CoverageRequest {
  readonly said: SaidRange | null;
  readonly covers: SaidCoverage;
  /** All trades are of this contract. */
  readonly contract: Contract | null;
  readonly names: ContractNames;
  /** Contracts with trades in the file. */
  readonly met: readonly Contract[];
  /** Days on which the file has trades of a contract. */
  readonly daysOf: (symbol: string) => readonly UtcDay[];
  readonly now: EpochNs;
}

/** The coverage of one contract. `said` is null when only the trades show it. */
export interface ContractCoverage {
  readonly contract: Contract;
  readonly said: readonly InstantRange[] | null;
  /** Ranges in which the file certainly has every trade, by time of trade. */
  readonly sure: readonly InstantRange[];
  readonly isByCapture: boolean;
}

export interface DayCoverage {
  readonly covered: readonly DaySpan[];
  readonly sure: readonly DaySpan[];
  /** The begins and ends of the file's coverage on the clock of the day, possibly beyond its midnights. */
  readonly edges: readonly FileEdge[];
}

export interface FileEdge {
  readonly ns: number;
  readonly isBegin: boolean;
  /** The criterion for this side of the edge: a trade's exact time, its capture, or its presence in the file. */
  readonly by: 'time' | 'capture' | 'row';
}

export function contractCoverages(request: CoverageRequest): readonly ContractCoverage[] {
  const { said, covers, met, now } = request;
  const isByCapture = covers === null && said?.isByCapture === true;
  const ranges = new Map<Contract, InstantRange[]>();
  for (const [of, range] of covers === null ? saidOf(request) : coveredBy(request, covers)) {
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

function coveredBy(
  { contract, met, daysOf }: CoverageRequest,
  covers: NonNullable<SaidCoverage>,
): readonly (readonly [Contract, InstantRange])[] {
  const all = contract === null ? met : [contract];
  return all.flatMap((of) =>
    covers === 'whole-days'
      ? daysOf(of.symbol).map((day) => {
          return [of, { from: epochNs(day, 0), to: epochNs(addDays(day, 1), 0) }] as const;
        })
      : [[of, covers] as const],
  );
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

/** Without the margins in which a trade may be captured after the end, or made before the begin. */
function inner({ from, to }: InstantRange): InstantRange[] {
  const range = { from: (from + CAPTURE_NS) as EpochNs, to: (to - CAPTURE_NS) as EpochNs };
  return range.from < range.to ? [range] : [];
}

/** Days that the file declares, ascending. */
export function saidDays({ said }: ContractCoverage): readonly UtcDay[] {
  const days = new Set<UtcDay>();
  for (const { from, to } of said ?? []) {
    for (let day = dayOf(from); epochNs(day, 0) < to; day = addDays(day, 1)) days.add(day);
  }
  return [...days].sort((a, b) => a - b);
}

/** `isFirst`, `isLast`: whether the day is the contract's first or last in the file; `trades`: those of the day. */
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
    return { covered: spansOnDay(said, day), sure: spansOnDay(sure, day), edges };
  }
  const traded: DaySpan = [isFirst ? ts[0]! : 0, isLast ? ts[count - 1]! + 1 : DAY_NS];
  const edges: FileEdge[] = [];
  if (isFirst) edges.push({ ns: traded[0], isBegin: true, by: 'row' });
  if (isLast) edges.push({ ns: traded[1], isBegin: false, by: 'row' });
  return { covered: [traded], sure: [traded], edges };
}

/** The file's coverage on the clock of the day, possibly beyond its midnights. */
export function extentOf({ edges }: DayCoverage): readonly DaySpan[] {
  if (edges.every(({ by }) => by === 'row')) {
    const [begin, end] = [true, false].map((isBegin) =>
      edges.find((edge) => edge.isBegin === isBegin),
    );
    return [[begin?.ns ?? Number.NEGATIVE_INFINITY, end?.ns ?? Number.POSITIVE_INFINITY]];
  }
  const begins = edges.filter(({ isBegin }) => isBegin);
  return begins.map(({ ns }, at) => [ns, edges[2 * at + 1]!.ns]);
}

/** Where a file may miss trades it covers: at its first and last time if cut by rows, and in the capture margin. */
export function cutsOf({ edges }: DayCoverage, by: 'capture' | 'row'): readonly DaySpan[] {
  const width = by === 'row' ? 1 : CAPTURE_NS_MAX;
  return edges
    .filter((edge) => edge.by === by)
    .map(({ ns, isBegin }) => (isBegin ? [ns, ns + width] : [ns - width, ns]));
}

/**
 * Where the tape (`around`: the day and its neighbours) may miss trades within its coverage: at its edges inside the
 * file, as in `cutsOf`. The kind of those edges is unknown, so the file's kind counts.
 */
export function cutsOfTape(coverage: DayCoverage, around: readonly DaySpan[]): readonly DaySpan[] {
  const isByCapture = coverage.edges.some(({ by }) => by === 'capture');
  const extent = extentOf(coverage);
  const isInside = (ns: number) => extent.some(([from, to]) => from < ns && ns < to);
  return around.flatMap(([from, to]) => {
    const cuts: DaySpan[] = [];
    if (isInside(from)) cuts.push([from, from + 1]);
    if (isInside(to)) cuts.push([to - (isByCapture ? CAPTURE_NS_MAX : 1), to]);
    return cuts;
  });
}

/**
 * Where a file and the tape (`around`: the day and its neighbours) meet without a common hour. Near these edges a trade
 * of one may belong before a trade of the other at the same time, and equal trades may be two.
 */
export function meetingsOf(
  edges: readonly FileEdge[],
  around: readonly DaySpan[],
  equals: EqualsAtEdges,
): readonly Meeting[] {
  return edges.flatMap(({ ns, isBegin, by }) => {
    if (by === 'time') return [];
    // Two edges by row share the nanosecond of the row itself.
    const common = by === 'row' ? 1 : 0;
    const isMet = around.some(([from, to]) => (isBegin ? to - ns : ns - from) === common);
    if (!isMet) return [];
    const instant: DaySpan = isBegin ? [ns, ns + 1] : [ns - 1, ns];
    const span: DaySpan = by === 'row' ? instant : [ns - CAPTURE_NS_MAX, ns + CAPTURE_NS_MAX];
    return [{ span, isFileFirst: !isBegin, equals }];
  });
}
