/** Makes the contracts of a product: written one by one, by rule for a range of months, or one perpetual. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { isTradingDate } from '@tapeloom/core/calendar/resolve-sessions';
import { type IsBusinessDay, isUsBusinessDay } from '@tapeloom/core/calendar/us-holidays';
import { contractOf } from '@tapeloom/core/instrument/contracts';
import { MONTH_LETTERS, type Product } from '@tapeloom/core/instrument/product';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { nameByPattern } from './contract-pattern.ts';
import type { NamedContract } from './instruments-file.ts';
import type { MonthRange, ProductForm, WrittenContract } from './read-product.ts';
import type { Reading } from './reading.ts';

/** 2100-12-25T08:00Z: far ahead, and still an instant that fits 64 bits of nanoseconds. */
const NEVER_EXPIRES = 4_133_404_800_000_000_000n as EpochNs;
const CONTRACTS_OF_RANGE_MAX = 1_000;

export interface MadeContract extends Omit<NamedContract, 'members'> {
  /** Where faults of the contract are recorded. */
  readonly reading: Reading;
  /** Of a composite, where its members are named. */
  readonly memberNames: readonly Reading[] | null;
}

export function businessDaysOf(form: ProductForm, calendar: Calendar): IsBusinessDay {
  return form.businessDays === 'us' ? isUsBusinessDay : (day) => isTradingDate(calendar, day);
}

/** Ascending by expiry. Faults are recorded in the readings. */
export function makeContracts(
  form: ProductForm,
  dataset: string,
  calendar: Calendar,
): MadeContract[] {
  const { contracts, reading } = form;
  if (contracts === null) {
    if (form.expiry === 'never') return [perpetual(form, dataset)];
    reading.fault('lacks "contracts": a range as { from: 2024-03, to: 2027-12 }, or a list');
    return [];
  }
  const made =
    'first' in contracts
      ? ofRange(form, dataset, contracts, calendar)
      : contracts.map((contract) => written(form, dataset, contract));
  return made.sort((a, b) => (a.contract.expiresAt < b.contract.expiresAt ? -1 : 1));
}

function perpetual(
  { product, symbol, names, venueSymbol, isInverse, members, reading }: ProductForm,
  dataset: string,
): MadeContract {
  const month = { root: product.root, year: 2100, month: 12, expiryDay: dayOf(NEVER_EXPIRES) };
  return {
    reading,
    contract: {
      ...termsOf(product),
      symbol: nameByPattern(symbol, month),
      dataset,
      expiresAt: NEVER_EXPIRES,
    },
    names: names.map((pattern) => nameByPattern(pattern, month)),
    ...(venueSymbol !== null && { venueSymbol }),
    ...(isInverse && { inverse: true }),
    memberNames: members,
  };
}

function ofRange(
  form: ProductForm,
  dataset: string,
  { reading, first, last }: MonthRange,
  calendar: Calendar,
): MadeContract[] {
  const { product, expiry, symbol, names } = form;
  if (expiry === null || expiry === 'never' || product.months === '') {
    reading.fault('is a range, for which the product needs "months" and a rule of "expiry"');
    return [];
  }
  if (last - first >= CONTRACTS_OF_RANGE_MAX) {
    reading.fault(`has more than ${CONTRACTS_OF_RANGE_MAX} months`);
    return [];
  }
  const isBusinessDay = businessDaysOf(form, calendar);
  // The roll rule is required by the type and not used for making a contract.
  const whole: Product = { ...product, expiry, roll: { kind: 'monday-of-expiry-week' } };
  const made: MadeContract[] = [];
  for (let months = first; months <= last; months += 1) {
    const year = Math.trunc(months / 12);
    const letter = MONTH_LETTERS[months % 12]!;
    if (!product.months.includes(letter)) continue;
    const contract = contractOf(whole, dataset, year, letter, isBusinessDay);
    const month = {
      root: product.root,
      year,
      month: (months % 12) + 1,
      expiryDay: dayOf(contract.expiresAt),
    };
    made.push({
      reading,
      contract: { ...contract, symbol: nameByPattern(symbol, month) },
      names: names.map((pattern) => nameByPattern(pattern, month)),
      ...(form.isInverse && { inverse: true }),
      memberNames: null,
    });
  }
  if (made.length === 0) reading.fault(`has none of the months ${product.months}`);
  return made;
}

function written(form: ProductForm, dataset: string, contract: WrittenContract): MadeContract {
  const terms = termsOf(form.product);
  return {
    reading: contract.reading,
    contract: {
      ...terms,
      symbol: contract.symbol,
      dataset,
      name: contract.name ?? `${terms.name} ${contract.symbol}`,
      tickSizeNanos: contract.tickSizeNanos ?? terms.tickSizeNanos,
      expiresAt: contract.expiresAt,
    },
    names: contract.names,
    ...(contract.venueSymbol !== null && { venueSymbol: contract.venueSymbol }),
    ...(form.isInverse && { inverse: true }),
    memberNames: contract.members ?? form.members,
  };
}

function termsOf({ months: _, ...terms }: ProductForm['product']) {
  return terms;
}
