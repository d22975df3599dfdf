/** What is on a tape, contract by contract. It only reads, and may run beside a service that writes. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk.ts';
import { readSidecar } from '../read/sealed-days.ts';
import {
  contractDirectory,
  dayOfFile,
  daysDirectory,
  isSafeName,
  logDirectory,
  logPath,
} from '../tape-paths.ts';
import { readLog } from '../write/log-recovery.ts';
import { LogCheck } from './log-check.ts';

export interface ContractListing {
  readonly dataset: string;
  readonly symbol: string;
  readonly firstDay: UtcDay;
  readonly lastDay: UtcDay;
  readonly days: number;
  readonly trades: number;
  /** Trades and bytes of the sealed days, Arrow file and sidecar. */
  readonly sealedTrades: number;
  readonly sealedBytes: number;
  /** `open` when the last day still grows. */
  readonly state: 'sealed' | 'open';
  /** Days between the first and the last that are not on the tape. */
  readonly gaps: readonly UtcDay[];
}

interface Found {
  readonly days: Map<UtcDay, number>;
  sealedTrades: number;
  sealedBytes: number;
  isOpen: boolean;
}

/** Sorted by dataset and contract. Rejects with `TapeDamagedError` when an index is damaged. */
export async function listTape(disk: Disk, tapeRoot: string): Promise<readonly ContractListing[]> {
  const listings: ContractListing[] = [];
  for (const dataset of (await disk.list(tapeRoot)).filter(isSafeName)) {
    const contracts = new Map<string, Found>();
    await findLogged(disk, tapeRoot, dataset, contracts);
    await findSealed(disk, tapeRoot, dataset, contracts);
    for (const [symbol, found] of [...contracts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      listings.push(describe(dataset, symbol, found));
    }
  }
  return listings;
}

async function findLogged(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  contracts: Map<string, Found>,
): Promise<void> {
  for (const name of await disk.list(logDirectory(tapeRoot, dataset))) {
    const day = dayOfFile(name, 'log');
    const path = day === null ? null : logPath(tapeRoot, dataset, day);
    // A log that is gone by now was sealed: its day is found among the sealed ones.
    if (day === null || path === null || (await disk.stat(path)) === null) continue;
    const check = new LogCheck();
    const { ended } = await readLog(disk, path, check);
    for (const { symbol, rank } of check.contracts) {
      const found = contractOf(contracts, symbol);
      found.days.set(day, rank);
      found.isOpen = !ended;
    }
  }
}

async function findSealed(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  contracts: Map<string, Found>,
): Promise<void> {
  for (const symbol of (await disk.list(daysDirectory(tapeRoot, dataset))).filter(isSafeName)) {
    const directory = contractDirectory(tapeRoot, dataset, symbol);
    for (const name of await disk.list(directory)) {
      const day = dayOfFile(name, 'json');
      const sidecar = day === null ? null : await readSidecar(disk, `${directory}/${name}`);
      if (day === null || sidecar === null) continue;
      const found = contractOf(contracts, symbol);
      found.days.set(day, sidecar.rows);
      found.sealedTrades += sidecar.rows;
      found.sealedBytes += sidecar.bytes + ((await disk.stat(`${directory}/${name}`))?.size ?? 0);
    }
  }
}

function contractOf(contracts: Map<string, Found>, symbol: string): Found {
  return contracts.getOrInsertComputed(symbol, () => ({
    days: new Map(),
    sealedTrades: 0,
    sealedBytes: 0,
    isOpen: false,
  }));
}

function describe(dataset: string, symbol: string, found: Found): ContractListing {
  const days = [...found.days.keys()].sort((a, b) => a - b);
  const firstDay = days[0]!;
  const lastDay = days.at(-1)!;
  const gaps: UtcDay[] = [];
  for (let day = firstDay; day < lastDay; day = addDays(day, 1)) {
    if (!found.days.has(day)) gaps.push(day);
  }
  return {
    dataset,
    symbol,
    firstDay,
    lastDay,
    days: days.length,
    trades: [...found.days.values()].reduce((sum, trades) => sum + trades, 0),
    sealedTrades: found.sealedTrades,
    sealedBytes: found.sealedBytes,
    state: found.isOpen ? 'open' : 'sealed',
    gaps,
  };
}
