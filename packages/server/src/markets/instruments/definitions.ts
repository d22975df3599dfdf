/**
 * Turns a feed's definitions into instruments, in the format of an operator's file: the result can be shown, corrected
 * and read like any other. Spreads, options, and futures without tick or expiry are left out, listed and counted.
 */

import { zonedInstant } from '@tapeloom/core/calendar/zoned-instant';
import { type ExpiryRule, expiryDay } from '@tapeloom/core/instrument/expiry';
import { MONTH_LETTERS } from '@tapeloom/core/instrument/product';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { parseDecimalNanos } from '@tapeloom/core/price';
import { dayOf, daysBetween, nsOfDay } from '@tapeloom/core/utc-day';
import { isSafeName } from '../../tape/tape-paths.ts';
import { productTemplate } from './templates.ts';

/** One instrument as a feed defines it; null where the feed has no value. Decimals are in 1e-9. */
export interface Definition {
  readonly rawSymbol: string;
  /** The product: `ES`. */
  readonly asset: string;
  /** The market identifier: `XCME`. */
  readonly exchange: string;
  readonly currency: string;
  /** `F` is a future. */
  readonly instrumentClass: string;
  /** The time of the definition; of several definitions of a contract the latest counts. */
  readonly event: EpochNs | null;
  readonly tickNanos: bigint | null;
  readonly unitOfMeasureQtyNanos: bigint | null;
  readonly expiration: EpochNs | null;
  readonly maturityYear: number | null;
  readonly maturityMonth: number | null;
}

export interface DefinedInstruments {
  /** In the format of a dataset's `products`. */
  readonly products: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Assumptions and differences from the template, as sentences. */
  readonly notes: readonly string[];
  /** Omitted definitions, by reason. */
  readonly skipped: ReadonlyMap<string, SkippedDefinitions>;
}

export interface SkippedDefinitions {
  count: number;
  /** The first few symbols. */
  readonly names: Set<string>;
}

/**
 * The value of a full point where the contract size does not give it: prices in percent, or in cents. Grains, meats, TN
 * and UB are general knowledge, not checked against real definitions.
 */
const POINT_VALUES: Readonly<Record<string, string>> = {
  ZN: '1000',
  ZB: '1000',
  ZF: '1000',
  ZT: '2000',
  TN: '1000',
  UB: '1000',
  ZC: '50',
  ZS: '50',
  ZW: '50',
  KE: '50',
  ZL: '600',
  LE: '400',
  HE: '400',
  GF: '500',
};
/** The calendar of a product without a template, by its exchange. */
const CALENDARS: Readonly<Record<string, string>> = {
  XCME: 'cme-equity',
  XCBT: 'cme-rates',
  XNYM: 'cme-energy',
  XCEC: 'cme-metals',
  IFEU: 'ice-brent',
  XEUR: 'eurex',
};
/** Classes that are not futures; other letters are of other kinds. */
const CLASSES: Readonly<Record<string, string>> = {
  C: 'options',
  P: 'options',
  S: 'spreads',
  T: 'spreads',
  M: 'spreads',
};
const NAMES_MAX = 5;
/** After the product's root: `ESH6`, `ESH26`, or `BRN FMH0026!` of ICE, where 00 is a day that no month has. */
const MONTH_AND_YEAR = /^(?:\s*FM)?([FGHJKMNQUVXZ])(?:00)?(\d{1,2})!?$/;
/** Holidays unknown to the rule can move an expiry by at most this many days. */
const EXPIRY_DAYS_OFF_MAX = 14;
const MONTHS_TRIED = 4;

/** A definition with everything that a listed contract needs. */
interface Future extends Definition {
  readonly tickNanos: bigint;
  readonly expiration: EpochNs;
}

/** `calendar`: for all products; null: from the template, or by exchange. */
export function instrumentsOf(
  definitions: Iterable<Definition>,
  calendar: string | null = null,
): DefinedInstruments {
  const skipped = new Map<string, SkippedDefinitions>();
  const byAsset = new Map<string, Map<string, Future>>();
  for (const definition of definitions) {
    const reason = whyNot(definition);
    if (reason !== null) {
      skip(skipped, reason, definition.rawSymbol);
      continue;
    }
    const futures = byAsset.get(definition.asset) ?? new Map<string, Future>();
    byAsset.set(definition.asset, futures);
    // Definitions repeat every day; after ten years the same symbol is another contract.
    const key = `${definition.rawSymbol} ${Math.trunc(dayOf(definition.expiration!) / 10_000)}`;
    const known = futures.get(key);
    if (known !== undefined && (known.event ?? 0n) > (definition.event ?? 0n)) continue;
    futures.set(key, definition as Future);
  }
  const notes: string[] = [];
  const products = [...byAsset]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([asset, futures]) =>
        [asset, productOf(asset, [...futures.values()], calendar, notes)] as const,
    );
  return { products: Object.fromEntries(products), notes, skipped };
}

function skip(skipped: Map<string, SkippedDefinitions>, reason: string, rawSymbol: string): void {
  const others = skipped.get(reason) ?? { count: 0, names: new Set() };
  skipped.set(reason, others);
  others.count += 1;
  if (others.names.size < NAMES_MAX) others.names.add(rawSymbol);
}

function whyNot(definition: Definition): string | null {
  const { instrumentClass, expiration } = definition;
  if (instrumentClass !== 'F') return CLASSES[instrumentClass] ?? 'neither futures nor options';
  if (definition.rawSymbol.includes('-')) return 'spreads';
  if (!isSafeName(definition.asset)) return 'futures without a usable name of a product';
  if (definition.tickNanos === null || definition.tickNanos <= 0n) return 'futures without a tick';
  if (expiration === null || expiration <= 0n) return 'futures without an expiry';
  return isOfItsMonth(definition as Future) ? null : 'futures whose symbol and expiry disagree';
}

function productOf(asset: string, futures: Future[], chosen: string | null, notes: string[]) {
  futures.sort((a, b) => (a.expiration < b.expiration ? -1 : 1));
  const last = futures.at(-1)!;
  const template = productTemplate(asset);
  const tick = decimalText(last.tickNanos);
  const ticks = new Set(futures.map(({ tickNanos }) => tickNanos));
  const symbols = new Set<string>();
  const contracts = futures.map((future) => {
    const symbol = symbolOf(future, symbols);
    symbols.add(symbol);
    return {
      symbol,
      expiry: Temporal.Instant.fromEpochNanoseconds(expiryOf(future, template)).toString(),
      ...(future.tickNanos === last.tickNanos ? {} : { tick: decimalText(future.tickNanos) }),
      ...(symbol === future.rawSymbol ? {} : { names: [future.rawSymbol] }),
    };
  });
  if (ticks.size > 1) notes.push(`${asset} has contracts of different ticks.`);
  if (template !== null) {
    const own = chosen === null ? {} : { calendar: chosen };
    return {
      extends: asset,
      ...own,
      ...corrections(asset, template, last, tick, notes),
      contracts,
    };
  }
  const calendar = chosen ?? CALENDARS[last.exchange] ?? 'round-the-clock';
  const assumed = chosen === null ? `the calendar ${calendar} is assumed, and ` : '';
  notes.push(`${asset} has no template: ${assumed}no alias can roll.`);
  const pointValue = pointValueOf(asset, last);
  if (pointValue === null) notes.push(`${asset} does not say what a point is worth: 1 is assumed.`);
  return {
    name: asset,
    exchange: last.exchange,
    currency: last.currency,
    tick,
    lot: '1',
    pointValue: pointValue ?? '1',
    calendar,
    contracts,
  };
}

/** Where the feed differs from the template, the feed is right. */
function corrections(
  asset: string,
  template: Readonly<Record<string, unknown>>,
  future: Future,
  tick: string,
  notes: string[],
): Record<string, string> {
  const defined = { tick, pointValue: pointValueOf(asset, future), currency: future.currency };
  const changed = Object.entries(defined).flatMap(([field, value]) =>
    value === null || value === '' || isSame(value, String(template[field]))
      ? []
      : [[field, value]],
  );
  for (const [field, value] of changed) {
    notes.push(
      `${asset} has the ${field} ${value} by its definition, ${template[field!]} by its template.`,
    );
  }
  return Object.fromEntries(changed);
}

function isSame(a: string, b: string): boolean {
  const [first, second] = [parseDecimalNanos(a), parseDecimalNanos(b)];
  return first === null || second === null ? a === b : first === second;
}

function pointValueOf(asset: string, { unitOfMeasureQtyNanos: quantity }: Future): string | null {
  if (Object.hasOwn(POINT_VALUES, asset)) return POINT_VALUES[asset]!;
  return quantity === null || quantity <= 0n ? null : decimalText(quantity);
}

/** Some venues give only the date, as its midnight: then the template supplies the hour. */
function expiryOf({ expiration }: Future, template: Readonly<Record<string, unknown>> | null) {
  const rule = template?.expiry as { readonly at?: string; readonly zone?: string } | undefined;
  if (nsOfDay(expiration) !== 0 || rule?.at === undefined || rule.zone === undefined) {
    return expiration;
  }
  return zonedInstant(dayOf(expiration), rule.at as `${number}:${number}`, rule.zone);
}

/** The feed's symbol; or product, month and two-digit year if that is taken or not a safe file name. */
function symbolOf(future: Future, taken: ReadonlySet<string>): string {
  const { rawSymbol, asset, expiration } = future;
  if (isSafeName(rawSymbol) && !taken.has(rawSymbol)) return rawSymbol;
  const month = monthOf(future);
  const long =
    month === null
      ? ''
      : `${asset}${MONTH_LETTERS[month.month - 1]}${String(month.year % 100).padStart(2, '0')}`;
  if (long !== '' && !taken.has(long)) return long;
  return `${asset}.${dayOf(expiration)}`;
}

interface ContractMonth {
  /** From 1. */
  readonly month: number;
  readonly year: number;
}

/**
 * From the symbol; otherwise the month whose expiry by the template's rule is nearest to the definition's. The
 * definition's own maturity counts only without a rule, because on some venues it is the last trading date.
 */
function monthOf(future: Future): ContractMonth | null {
  const { maturityYear, maturityMonth, expiration, asset } = future;
  const bySymbol = monthOfSymbol(future);
  if (bySymbol !== null) return bySymbol;
  const rule = expiryRuleOf(asset);
  if (rule === null) {
    const isSaid = maturityYear !== null && maturityMonth !== null;
    return isSaid ? { year: maturityYear, month: maturityMonth } : null;
  }
  const expiry = dayOf(expiration);
  const first = Math.trunc(expiry / 10_000) * 12 + (Math.trunc(expiry / 100) % 100) - 1;
  const near = Array.from({ length: MONTHS_TRIED }, (_, ahead) => {
    const month = { year: Math.trunc((first + ahead) / 12), month: ((first + ahead) % 12) + 1 };
    return { month, off: daysOff(rule, month, expiry) };
  }).sort((a, b) => a.off - b.off)[0]!;
  return near.off <= EXPIRY_DAYS_OFF_MAX ? near.month : null;
}

function monthOfSymbol({ rawSymbol, asset, expiration }: Future): ContractMonth | null {
  if (!rawSymbol.startsWith(asset)) return null;
  const [, letter, digits] = MONTH_AND_YEAR.exec(rawSymbol.slice(asset.length)) ?? [];
  if (letter === undefined) return null;
  // The year with these digits that is nearest to the expiry.
  const span = 10 ** digits!.length;
  const expiryYear = Math.trunc(dayOf(expiration) / 10_000);
  const year = expiryYear - (expiryYear % span) + Number(digits);
  return {
    month: MONTH_LETTERS.indexOf(letter) + 1,
    year: year + span * Math.round((expiryYear - year) / span),
  };
}

/** Whether the month in the symbol matches the definition's expiry. */
function isOfItsMonth(future: Future): boolean {
  const month = monthOfSymbol(future);
  if (month === null) return true;
  const rule = expiryRuleOf(future.asset);
  const expiry = dayOf(future.expiration);
  if (rule !== null) return daysOff(rule, month, expiry) <= EXPIRY_DAYS_OFF_MAX;
  const { maturityYear, maturityMonth } = future;
  if (maturityYear === null || maturityMonth === null) return true;
  // A maturity is either the contract's month or the date of its last trade.
  const isItsOwn = maturityYear === month.year && maturityMonth === month.month;
  return isItsOwn || maturityYear * 100 + maturityMonth === Math.trunc(expiry / 100);
}

function daysOff(rule: ExpiryRule, { year, month }: ContractMonth, expiry: UtcDay): number {
  return Math.abs(daysBetween(expiryDay(rule, year, month), expiry));
}

/** The rule in the product's template; null without one. */
function expiryRuleOf(asset: string): ExpiryRule | null {
  const written = productTemplate(asset)?.expiry as ({ rule?: string } & object) | undefined;
  if (written?.rule === undefined) return null;
  return { ...written, kind: written.rule } as unknown as ExpiryRule;
}

function decimalText(nanos: bigint): string {
  const fraction = (nanos % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  const units = (nanos / 1_000_000_000n).toString();
  return fraction === '' ? units : `${units}.${fraction}`;
}
