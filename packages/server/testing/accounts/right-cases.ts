/**
 * Which key entries allow which name at which time, with hand-written verdicts. The entitlements and every endpoint
 * that uses them are tested with these cases, so REST and stream share one matrix. The book is real: `ES.c.0` rolls
 * from ESU6 to ESZ6 on 14 September 2026, `ES.v.0` two days earlier, and ESU6 expires on the 18th.
 */

import { contractsOf } from '@tapeloom/core/instrument/contracts';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import { PRODUCTS } from '@tapeloom/core/instrument/product';
import { calendarRolls } from '@tapeloom/core/instrument/rolls';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';

export interface RightCase {
  /** The key's entries; null: unrestricted. */
  readonly entries: readonly string[] | null;
  readonly name: string;
  readonly now: EpochNs;
  /** The start of the requested history; null for a stream. */
  readonly from: EpochNs | null;
  readonly isAllowed: boolean;
  readonly title: string;
}

const FIRST_DAY = utcDay(20260901);
const LAST_DAY = utcDay(20261231);
const NOON_NS = 43_200_000_000_000;

export const RIGHT_BOOK = makeBook();

/** The moments of the columns below, in order. */
const MOMENTS: readonly (Pick<RightCase, 'now' | 'from'> & { readonly title: string })[] = [
  { title: 'stream before the roll', now: noon(20260910), from: null },
  { title: 'stream after the roll', now: noon(20260916), from: null },
  { title: 'stream after the expiry', now: noon(20260921), from: null },
  { title: 'history before the roll', now: noon(20260910), from: noon(20260908) },
  { title: 'after the roll, from before it', now: noon(20260916), from: noon(20260908) },
  { title: 'after the roll, from after it', now: noon(20260916), from: noon(20260915) },
  { title: 'after the expiry, from before the roll', now: noon(20260921), from: noon(20260908) },
  { title: 'after the expiry, from after the roll', now: noon(20260921), from: noon(20260915) },
];

/** One character per moment: `y` allowed, `-` rejected. Names that are not listed are always rejected. */
const VERDICTS: readonly {
  readonly entries: readonly string[] | null;
  readonly names: Readonly<Record<string, string>>;
}[] = [
  {
    entries: null,
    names: {
      'ES.c.0': 'yyyyyyyy',
      'ES.v.0': 'yyyyyyyy',
      ESU6: 'yyyyyyyy',
      ESZ6: 'yyyyyyyy',
      ESH7: 'yyyyyyyy',
      CLX6: 'yyyyyyyy',
    },
  },
  // The alias over any range; of its contracts, only the one that it designates on the day of the request.
  { entries: ['ES.c.0'], names: { 'ES.c.0': 'yyyyyyyy', ESU6: 'y--y----', ESZ6: '-yy-yyyy' } },
  { entries: ['ES.v.0'], names: { 'ES.v.0': 'yyyyyyyy', ESU6: 'y--y----', ESZ6: '-yy-yyyy' } },
  // The contract always, even expired; an alias when it designates this contract for the request.
  {
    entries: ['ESU6'],
    names: { ESU6: 'yyyyyyyy', 'ES.c.0': 'y--yy-y-', 'ES.v.0': 'y--yy-y-' },
  },
  {
    entries: ['ESZ6'],
    names: { ESZ6: 'yyyyyyyy', 'ES.c.0': '-yy--y-y', 'ES.v.0': '-yy--y-y' },
  },
  // A contract that no alias designates yet, and one of another product.
  { entries: ['ESH7'], names: { ESH7: 'yyyyyyyy' } },
  { entries: ['CLX6'], names: { CLX6: 'yyyyyyyy' } },
  // Several entries allow what any of them allows.
  {
    entries: ['ES.c.0', 'ESU6'],
    names: {
      'ES.c.0': 'yyyyyyyy',
      'ES.v.0': 'y--yy-y-',
      ESU6: 'yyyyyyyy',
      ESZ6: '-yy-yyyy',
    },
  },
  {
    entries: ['CLX6', 'ESZ6', 'ESU6'],
    names: {
      CLX6: 'yyyyyyyy',
      ESU6: 'yyyyyyyy',
      ESZ6: 'yyyyyyyy',
      'ES.c.0': 'yyyyyyyy',
      'ES.v.0': 'yyyyyyyy',
    },
  },
  // Entries are case-sensitive, and an unknown name allows nothing.
  { entries: ['esz6', 'ES.C.0', 'ES'], names: {} },
];

const NAMES = Object.keys(VERDICTS[0]!.names);

export const RIGHT_CASES: readonly RightCase[] = VERDICTS.flatMap(({ entries, names }) =>
  NAMES.flatMap((name) =>
    MOMENTS.map(({ title, now, from }, index) => ({
      entries,
      name,
      now,
      from,
      isAllowed: names[name]?.[index] === 'y',
      title: `${name} with ${entries === null ? 'no restriction' : entries.join(', ')}: ${title}`,
    })),
  ),
);

function makeBook(): InstrumentBook {
  const listed = (root: string) => {
    const product = PRODUCTS.find((candidate) => candidate.root === root);
    if (product === undefined) throw new Error(`no product ${root}`);
    return contractsOf(product, 'sim', FIRST_DAY, LAST_DAY);
  };
  const es = listed('ES');
  const rolls = calendarRolls(es, { kind: 'monday-of-expiry-week' }, FIRST_DAY);
  const early = rolls.map((roll, index) =>
    index === 1 ? { ...roll, from: utcDay(20260912) } : roll,
  );
  return new InstrumentBook(
    [...es, ...listed('CL')],
    [
      { alias: 'ES.c.0', dataset: 'sim', root: 'ES', rolls },
      { alias: 'ES.v.0', dataset: 'sim', root: 'ES', rolls: early },
    ],
  );
}

function noon(yyyymmdd: number): EpochNs {
  return epochNs(utcDay(yyyymmdd), NOON_NS);
}
