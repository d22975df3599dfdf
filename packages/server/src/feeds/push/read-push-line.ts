/**
 * Reads one line of a pushed NDJSON body with every check. Whatever is wrong is reported with the line, the field and
 * what is accepted. `scan-push-lines.ts` reads ordinary lines faster, to the same result.
 */

import { instantFault, parseInstant } from '@tapeloom/core/instant-text';
import { jsonBreak } from '@tapeloom/core/json-fault';
import { type EpochNs, LOTS_MAX, TICKS_MAX } from '@tapeloom/core/numbers';
import { dayNumber, dayOf, epochNs, nsOfDay, utcDay } from '@tapeloom/core/utc-day';
import { type Decimal, decimalText, parseDecimal, shortest } from '../decimals.ts';
import { printedText } from '../printed-text.ts';
import { type BatchContract, unitsOf } from './push-contracts.ts';
import { invalidBatch, PushRefusal } from './push-refusal.ts';
import type { PushRows } from './push-rows.ts';

/** Before that there is no market data with nanoseconds; a time that early has another unit. */
export const FIRST_DAY = dayNumber(utcDay(20_000_101));
const FIRST_INSTANT = epochNs(utcDay(20_000_101), 0);
const FIELDS = ['contract', 'id', 'ts', 'price', 'size', 'side'] as const;
const SIDES: Readonly<Record<string, number>> = { buy: 1, sell: -1, unknown: 0 };
const ID = /^(?:0|[1-9]\d{0,15})$/;
const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const SHOWN_CHARACTERS = 60;
const NUMBER_CHARACTERS_MAX = 40;
const NANO_DECIMALS = 9;

type Fields = Readonly<Record<(typeof FIELDS)[number], unknown>>;
const REQUIRED = FIELDS.filter((name) => name !== 'side');

export function readPushLine(text: string, line: number, rows: PushRows): void {
  const fields = fieldsOf(text, line);
  const { contract: symbol } = fields;
  if (typeof symbol !== 'string') throw invalidBatch(line, '/contract', 'must be a text.');
  const id = idOf(fields.id, line);
  const instant = instantOf(fields.ts, line);
  const [price, size] = [numberOf(fields, 'price', line), numberOf(fields, 'size', line)];
  const side = sideOf(fields.side, line);
  requireTime(instant, line, '/ts', rows);
  const contract = contractOf(rows, symbol, instant, line);
  requireGrowing(contract, id, line);
  const lots = lotsOf(contract, size, line);
  const ticks = ticksOf(contract, price, line);
  rows.add(contract, dayNumber(dayOf(instant)), nsOfDay(instant), id, ticks, lots, side);
}

export function contractOf(
  rows: PushRows,
  symbol: string,
  instant: EpochNs,
  line: number,
): BatchContract {
  const day = dayOf(instant);
  const contract = rows.contracts.find(symbol, dayNumber(day));
  if (contract !== null) return contract;
  throw invalidBatch(
    line,
    '/contract',
    `is ${shown(symbol)}, and the dataset lists no such contract on ${day}. Contract names are case-sensitive; ` +
      'a new contract must be in the file of instruments first.',
  );
}

/** Refuses times that no trade can have. `path` is empty for a record without named fields. */
export function requireTime(instant: EpochNs, line: number, path: string, rows: PushRows): void {
  if (instant < FIRST_INSTANT) {
    throw invalidBatch(line, path, `is before the year 2000. ${UNIT_HELP}`);
  }
  if (instant <= rows.latest) return;
  throw invalidBatch(
    line,
    path,
    `is ${instant}, a time of tomorrow: it is more than two hours ahead of the service's clock and watermark. ` +
      'Check the clock of this machine and of the service, and that the time is in UTC.',
  );
}

const UNIT_HELP = 'Times are nanoseconds since 1970 or ISO 8601. Check the unit.';

function requireGrowing({ symbol, lastId }: BatchContract, id: number, line: number): void {
  if (id > lastId) return;
  throw invalidBatch(
    line,
    '/id',
    `is ${id} after ${lastId}: within a batch the numbers of one contract (here ${shown(symbol)}) must grow from ` +
      'trade to trade. They may leave numbers out.',
  );
}

export function lotsOf({ symbol, terms }: BatchContract, size: Decimal, line: number): number {
  const text = decimalText(size.mantissa, size.decimals);
  if (size.mantissa === 0) {
    throw invalidBatch(line, '/size', 'is 0. A trade has a size; leave other records out.');
  }
  if (size.mantissa < 0) throw invalidBatch(line, '/size', `is ${text}, less than 0.`);
  const lots = unitsOf(size.mantissa, size.decimals, terms.lotSizeNanos);
  if (Number.isNaN(lots)) {
    const lot = nanosText(terms.lotSizeNanos);
    throw invalidBatch(line, '/size', `is ${text}, no multiple of the lot ${lot} of ${symbol}.`);
  }
  if (lots > LOTS_MAX) {
    throw invalidBatch(line, '/size', `is ${text}, more than ${LOTS_MAX} lots.`);
  }
  return lots;
}

export function ticksOf({ symbol, terms }: BatchContract, price: Decimal, line: number): number {
  const text = decimalText(price.mantissa, price.decimals);
  if (price.mantissa <= 0) {
    throw invalidBatch(line, '/price', `is ${text}. A pushed price must be greater than 0.`);
  }
  const ticks = unitsOf(price.mantissa, price.decimals, terms.tickSizeNanos);
  if (Number.isNaN(ticks)) {
    const tick = nanosText(terms.tickSizeNanos);
    const message =
      `is ${text}, which is no multiple of the tick ${tick} of ${symbol}. Prices are never rounded. ` +
      'If the venue has changed the tick, list a contract with the new tick under the same alias.';
    const fault = { line, path: '/price', message };
    throw new PushRefusal('OFF_TICK_PRICE', fault, { contract: symbol, price: text, tick, line });
  }
  if (ticks > TICKS_MAX) {
    throw invalidBatch(line, '/price', `is ${text}, more than ${TICKS_MAX} ticks of ${symbol}.`);
  }
  return ticks;
}

function fieldsOf(text: string, line: number): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text, asWritten);
  } catch {
    throw invalidBatch(
      line,
      '',
      `is not JSON: it breaks at column ${jsonBreak(text) + 1}. Each line is one trade.`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidBatch(line, '', 'must be a JSON object: one trade per line.');
  }
  for (const name of Object.keys(value)) {
    if ((FIELDS as readonly string[]).includes(name)) continue;
    const names = FIELDS.join(', ');
    throw invalidBatch(line, `/${shown(name)}`, `is not known. The fields are ${names}.`);
  }
  for (const name of REQUIRED) {
    if (!Object.hasOwn(value, name)) throw invalidBatch(line, `/${name}`, 'is missing.');
  }
  return value as Fields;
}

/** A JSON number, as its digits: a double would lose some of a long one. */
class WrittenNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function asWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? new WrittenNumber(context!.source!) : value;
}

/** The characters of a number that is written as such or as a text; null for anything else. */
function digitsOf(value: unknown): string | null {
  if (value instanceof WrittenNumber) return value.text;
  return typeof value === 'string' && value.length <= NUMBER_CHARACTERS_MAX ? value : null;
}

function idOf(value: unknown, line: number): number {
  const digits = digitsOf(value);
  const id = digits !== null && ID.test(digits) ? Number(digits) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw invalidBatch(
    line,
    '/id',
    `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER} that grows from trade to trade of a contract.`,
  );
}

function instantOf(value: unknown, line: number): EpochNs {
  const text = value instanceof WrittenNumber ? value.text : value;
  const instant =
    typeof text === 'string' && !DATE_ONLY.test(text) && text !== '0' ? parseInstant(text) : null;
  if (instant !== null) return instant;
  const accepted =
    'must be a time such as 2026-11-16T14:30:00.123456789Z or nanoseconds since 1970';
  const [, meant] = typeof text === 'string' ? instantFault(text).split('; ') : [];
  throw invalidBatch(line, '/ts', meant === undefined ? `${accepted}.` : `${accepted}; ${meant}.`);
}

function numberOf(fields: Fields, name: 'price' | 'size', line: number): Decimal {
  const digits = digitsOf(fields[name]);
  const number = digits === null ? null : parseDecimal(digits);
  if (number !== null) return number;
  throw invalidBatch(
    line,
    `/${name}`,
    'must be a decimal number of at most 15 digits, as a text such as "5000.25" or a JSON number. ' +
      'Send the digits of the venue: a floating number that was computed with has others.',
  );
}

function sideOf(value: unknown, line: number): number {
  if (value === null || value === undefined) return 0;
  const side = typeof value === 'string' && Object.hasOwn(SIDES, value) ? SIDES[value] : undefined;
  if (side !== undefined) return side;
  throw invalidBatch(
    line,
    '/side',
    'must be "buy", "sell" or "unknown", the side that crossed the spread.',
  );
}

function nanosText(nanos: number): string {
  const { mantissa, decimals } = shortest(BigInt(nanos), NANO_DECIMALS)!;
  return decimalText(mantissa, decimals);
}

function shown(text: string): string {
  return printedText(text.slice(0, SHOWN_CHARACTERS));
}
