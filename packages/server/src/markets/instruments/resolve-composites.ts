/**
 * Gives the composites of a file their members, which are contracts of its other datasets, and the tick and the lot
 * that all prices and sizes of the members are multiples of. So every trade of a member converts without rounding.
 */

import type { Contract } from '@tapeloom/core/instrument/contract';
import { formatPrice } from '@tapeloom/core/price';
import { didYouMean } from '../../config/nearest-name.ts';
import type { CompositeMember, ListedDataset, NamedContract } from './instruments-file.ts';
import type { MadeContract } from './make-contracts.ts';
import type { Reading } from './reading.ts';

/** Of all composites of a dataset: each has a position on the tape. */
const MEMBERS_MAX = 256;
/** A note has room for it and the symbol of a member. */
const SYMBOL_CHARACTERS_MAX = 48;
/** A price in one of these is a price in dollars. */
const DOLLARS: ReadonlySet<string> = new Set(['USD', 'USDC', 'USDT']);
const NANOS = 1_000_000_000n;

export interface MadeDataset {
  readonly reading: Reading;
  readonly dataset: ListedDataset;
  readonly made: readonly MadeContract[];
}

interface Found {
  readonly reading: Reading;
  readonly contract: Contract;
  readonly dataset: ListedDataset;
}

/** Records all faults in the readings. */
export function resolveComposites(all: readonly MadeDataset[]): readonly ListedDataset[] {
  const datasets = all.map(({ dataset }) => dataset);
  return all.map(({ reading, dataset, made }) => {
    if (dataset.live?.source !== 'composite') return dataset;
    const contracts = dataset.contracts.map((named, index) =>
      withMembers(named, made[index]!, datasets),
    );
    const members = contracts.reduce((sum, one) => sum + (one.members?.length ?? 0), 0);
    if (members > MEMBERS_MAX) {
      reading.fault(`has composites with ${members} members; at most ${MEMBERS_MAX} may be`);
    }
    return { ...dataset, contracts };
  });
}

function withMembers(
  named: NamedContract,
  { reading, memberNames }: MadeContract,
  datasets: readonly ListedDataset[],
): NamedContract {
  if (memberNames === null) {
    reading.fault('lacks "members": the symbols of at least two contracts of other datasets');
    return named;
  }
  const { symbol } = named.contract;
  if (symbol.length > SYMBOL_CHARACTERS_MAX) {
    const most = `at most ${SYMBOL_CHARACTERS_MAX} characters`;
    reading.fault(`gives the symbol ${symbol}; that of a composite has ${most}`);
  }
  const found = memberNames.flatMap((name) => memberOf(name, named.contract, datasets) ?? []);
  refuseTwins(found);
  if (memberNames.length < 2) reading.fault('has one member; a composite has at least two');
  if (reading.hasFaults) return named;
  const tick = tickOf(named.contract, reading, found);
  const lot = lotOf(named.contract, reading, found);
  if (tick === null || lot === null) return named;
  const contract = {
    ...named.contract,
    tickSizeNanos: Number(tick),
    lotSizeNanos: Number(lot),
  };
  const members = found.map((one): CompositeMember => {
    const { symbol, tickSizeNanos, expiresAt, calendar } = one.contract;
    return {
      symbol,
      dataset: one.dataset.name,
      ticks: Number(BigInt(tickSizeNanos) / tick),
      lots: Number(baseOf(one.contract) / (lot * NANOS)),
      expiresAt,
      calendar: one.dataset.calendars.find(({ name }) => name === calendar)!,
    };
  });
  return { ...named, contract, members };
}

function memberOf(
  reading: Reading,
  composite: Contract,
  datasets: readonly ListedDataset[],
): Found | null {
  const symbol = reading.text('the symbol of a contract');
  if (symbol === '') return null;
  for (const dataset of datasets) {
    const named = dataset.contracts.find(({ contract }) => contract.symbol === symbol);
    if (named === undefined) continue;
    const why = whyNot(named, dataset, composite);
    if (why === null) return { reading, contract: named.contract, dataset };
    reading.fault(`is ${symbol}, ${why}`);
    return null;
  }
  if (datasets.some(({ aliases }) => aliases.some(({ alias }) => alias === symbol))) {
    reading.fault(`is ${symbol}, an alias; a member is a contract`);
    return null;
  }
  const known = datasets.flatMap(({ contracts }) => contracts.map((one) => one.contract.symbol));
  const near = didYouMean(symbol, known);
  reading.fault(`is ${JSON.stringify(symbol)}, which is no contract of this file.${near}`);
  return null;
}

/** Null: it can be a member. */
function whyNot(
  { contract, inverse }: NamedContract,
  { name, live }: ListedDataset,
  composite: Contract,
): string | null {
  if (live === undefined) return `whose days are imported: a member of ${name} must be received`;
  if (live.source === 'composite') return 'a composite: a composite cannot be made of composites';
  if (inverse === true) {
    return (
      'an inverse contract: its size is an amount of money, and the amount of the coin ' +
      'depends on the price, so it does not convert without rounding. Leave it out'
    );
  }
  const [is, wanted] = [contract, composite].map(({ currency }) => currency);
  if (is === wanted || (DOLLARS.has(is!) && DOLLARS.has(wanted!))) return null;
  return `whose prices are in ${is}, not in ${wanted}`;
}

function refuseTwins(found: readonly Found[]): void {
  const seen = new Set<string>();
  for (const { reading, contract } of found) {
    if (seen.has(contract.symbol)) reading.fault(`is ${contract.symbol}, which is there twice`);
    seen.add(contract.symbol);
  }
}

/** The tick in 1e-9; null with a fault. */
function tickOf(
  { symbol, tickSizeNanos }: Contract,
  reading: Reading,
  found: readonly Found[],
): bigint | null {
  const written = BigInt(tickSizeNanos);
  const ticks = found.map(({ contract }) => BigInt(contract.tickSizeNanos));
  if (written === 0n) return ticks.reduce(commonDivisor);
  const other = found[ticks.findIndex((tick) => tick % written !== 0n)];
  if (other === undefined) return written;
  const theirs = formatPrice(1, other.contract.tickSizeNanos);
  reading.fault(
    `gives ${symbol} the tick ${formatPrice(1, tickSizeNanos)}; the tick ${theirs} of ` +
      `${other.contract.symbol} is no multiple of it. Without "tick" the largest possible one is taken`,
  );
  return null;
}

/** The lot in 1e-9 of the coin; null with a fault. */
function lotOf(
  { symbol, lotSizeNanos, pointValueNanos }: Contract,
  reading: Reading,
  found: readonly Found[],
): bigint | null {
  if (BigInt(pointValueNanos) !== NANOS) {
    const is = formatPrice(1, pointValueNanos);
    reading.fault(
      `gives ${symbol} the pointValue ${is}; sizes of a composite are in the coin: "1"`,
    );
    return null;
  }
  const bases = found.map(({ contract }) => baseOf(contract));
  const written = BigInt(lotSizeNanos) * NANOS;
  const common = bases.reduce(commonDivisor);
  if (written === 0n && common % NANOS === 0n) return common / NANOS;
  const other = found[bases.findIndex((base) => base % (written === 0n ? NANOS : written) !== 0n)];
  if (other === undefined) return written / NANOS;
  const { contract } = other;
  const theirs = `one lot of ${contract.symbol}, ${formatPrice(1, contract.lotSizeNanos)} × ${formatPrice(1, contract.pointValueNanos)}`;
  if (written === 0n) {
    other.reading.fault(`converts to steps below 0.000000001 of the coin: ${theirs}`);
  } else {
    reading.fault(
      `gives ${symbol} the lot ${formatPrice(1, lotSizeNanos)}; ${theirs}, is no multiple of it. ` +
        'Without "lot" the largest possible one is taken',
    );
  }
  return null;
}

/** A lot in 1e-18 of the coin. */
function baseOf({ lotSizeNanos, pointValueNanos }: Contract): bigint {
  return BigInt(lotSizeNanos) * BigInt(pointValueNanos);
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}
