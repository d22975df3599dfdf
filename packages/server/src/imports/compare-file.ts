/**
 * Compares a file of trades with the tape, by contract and day. Only hours that both certainly cover are compared. A
 * day is reported when the file has trades of it. It is also reported when only the tape has trades and the file
 * declares the day, or has trades before and after it.
 */

import type { Contract } from '@tapeloom/core/instrument/contract';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import { dayOf } from '@tapeloom/core/utc-day';
import { DayRows } from '../feeds/day-rows.ts';
import type { OpenFeed } from '../feeds/open-feed.ts';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';
import type { Disk } from '../platform/disk/disk.ts';
import type { StrayTrade } from '../tape/imported/imported-manifest.ts';
import type { DaySpan } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { compareDay, type DayAgreement } from './compare-day.ts';
import { ContractNames } from './contract-names.ts';
import {
  type ContractCoverage,
  contractCoverages,
  cutsOf,
  type DayCoverage,
  dayCoverage,
  type SaidCoverage,
  saidDays,
} from './file-coverage.ts';
import { FileSplit } from './file-split.ts';
import { firstOther, withoutTrades } from './merge-day.ts';
import { differenceOf, intersectionOf } from './spans.ts';
import { StagedRows } from './staged-rows.ts';
import { isStrayOf } from './stray-trades.ts';
import { inferSides } from './tick-rule.ts';

const ROWS_MAX = 4_000_000;
const WHOLE_DAY: readonly DaySpan[] = [[0, DAY_NS]];

/** The sealed days of a dataset. */
export interface ComparedTape {
  tradesByDay(symbol: string): Promise<ReadonlyMap<UtcDay, number>>;
  /** Rejects with `TapeDamagedError`. */
  read(symbol: string, day: UtcDay): Promise<ComparedDay>;
}

export interface ComparedDay {
  readonly trades: TradeBatch;
  /** The parts of the day that the tape covers. */
  readonly covered: readonly DaySpan[];
  /** Trades captured by a file that begins after them; null: unknown. */
  readonly strays: readonly StrayTrade[] | null;
}

export interface CompareRequest {
  readonly disk: Disk;
  /** The staging file for trades that exceed memory; its directory exists. */
  readonly stagingPath: string;
  readonly contracts: ListedDataset['contracts'];
  readonly tape: ComparedTape;
  readonly feed: OpenFeed;
  /** All trades are of this contract, whatever name the file uses. */
  readonly contract: Contract | null;
  readonly covers: SaidCoverage;
  readonly hasTickRule: boolean;
  readonly now: EpochNs;
  readonly requireUnchanged: () => Promise<void>;
  /** Called with the number of trades read; may throw to abort. */
  readonly onProgress: (trades: number) => void;
}

export interface DayComparison extends DayAgreement {
  readonly contract: Contract;
  readonly day: UtcDay;
  /** `absent`: the tape does not have the day. `damaged`: its files cannot be read. */
  readonly status: 'same' | 'different' | 'absent' | 'damaged';
}

export interface FileComparison {
  readonly trades: number;
  readonly leftOut: ReadonlyMap<string, number>;
  /** By contract, days ascending. */
  readonly days: readonly DayComparison[];
}

export async function compareFile(request: CompareRequest): Promise<FileComparison> {
  const { disk, feed, contract, contracts, covers, now } = request;
  const names = new ContractNames({ contracts });
  await using staged = new StagedRows(disk, request.stagingPath);
  const options = { names, contract, today: dayOf(now), rowsMax: ROWS_MAX };
  const split = new FileSplit(feed, staged, options);
  for await (const batch of feed.trades()) {
    split.add(batch);
    await split.settle();
    request.onProgress(split.trades);
  }
  await request.requireUnchanged();
  const bySymbol = new Map(contracts.map((it) => [it.contract.symbol, it.contract]));
  const met = staged.symbols().map((symbol) => bySymbol.get(symbol)!);
  const daysOf = (symbol: string) => staged.daysOf(symbol);
  const said = feed.said();
  const coverages = contractCoverages({ said, covers, contract, names, met, daysOf, now });
  const days: DayComparison[] = [];
  for (const coverage of coverages.toSorted(inOrderOfSymbols)) {
    days.push(...(await compareContract(request, coverage, staged)));
  }
  return { trades: split.trades, leftOut: split.leftOut, days };
}

async function compareContract(
  { tape, hasTickRule }: CompareRequest,
  coverage: ContractCoverage,
  staged: StagedRows,
): Promise<readonly DayComparison[]> {
  const { contract } = coverage;
  const { symbol } = contract;
  const onTape = await tape.tradesByDay(symbol);
  const traded = staged.daysOf(symbol);
  const [first, last] = [traded[0], traded.at(-1)];
  const isPassed = (day: UtcDay) => first !== undefined && day > first && day < last!;
  const said = new Set(saidDays(coverage));
  const others = [...onTape].flatMap(([day, trades]) =>
    trades > 0 && (said.has(day) || isPassed(day)) ? [day] : [],
  );
  const comparisons: DayComparison[] = [];
  for (const day of [...new Set([...traded, ...others])].sort((a, b) => a - b)) {
    const there = await staged.take(symbol, day);
    there.sort();
    if (hasTickRule) inferSides(there);
    const isTold = there.count > 0 || said.has(day);
    const has = isTold
      ? dayCoverage(coverage, there, day === first, day === last)
      : { covered: WHOLE_DAY, sure: WHOLE_DAY, edges: [] };
    const here = onTape.has(day) ? await readOrDamaged(tape, symbol, day) : null;
    comparisons.push({ contract, day, ...judge(here, there, has) });
  }
  return comparisons;
}

function judge(
  here: ComparedDay | 'damaged' | null,
  there: TradeBatch,
  coverage: DayCoverage,
): DayAgreement & Pick<DayComparison, 'status'> {
  if (here === null || here === 'damaged') {
    const status = here === null ? 'absent' : here;
    return { ...compareDay(new DayRows(there.day), there, WHOLE_DAY), status };
  }
  const { strays } = here;
  const others = strays?.filter((stray) => !isStrayOf(stray, coverage)) ?? [];
  const trades = withoutTrades(here.trades, others);
  // At edges, only days with known strays can be compared.
  const has = strays === null ? coverage.sure : coverage.covered;
  const cuts = cutsOf(coverage, 'row').filter((cut) => isCutAt(cut, trades, there));
  const spans = intersectionOf(differenceOf(has, cuts), here.covered);
  const agreement = compareDay(trades, there, spans);
  return { ...agreement, status: agreement.difference === null ? 'same' : 'different' };
}

/** Whether the file was cut among trades of that time: it has only some of those on the tape, and no others. */
function isCutAt(cut: DaySpan, here: TradeBatch, there: TradeBatch): boolean {
  return firstOther(here, there, [cut]) === null && firstOther(there, here, [cut]) !== null;
}

async function readOrDamaged(
  tape: ComparedTape,
  symbol: string,
  day: UtcDay,
): Promise<ComparedDay | 'damaged'> {
  try {
    return await tape.read(symbol, day);
  } catch (error) {
    if (error instanceof TapeDamagedError) return 'damaged';
    throw error;
  }
}

function inOrderOfSymbols(a: ContractCoverage, b: ContractCoverage): number {
  return a.contract.symbol < b.contract.symbol ? -1 : 1;
}
