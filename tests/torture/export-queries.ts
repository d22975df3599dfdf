/** Random queries of all kinds over the days of a service, and their undisturbed files. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { TABLE_INDICATORS } from '@tapeloom/server/exports/table-columns';
import type { Random } from '../../simulation/disk/sim-disk.ts';
import { type Fields, fetchExport, heldOf, type Wire } from './export-client.ts';

const DAY_MS = 86_400_000;
const FILL_LOOK_MS = 300;
/** `to` is at least this old: a restarted service may not have reached newer trades. */
const NEWEST_MS = 60_000;
/** One query in so many ends at a cursor; one in so many has very many lines. */
const CURSOR_EVERY = 5;
const HEAVY_EVERY = 9;

const KINDS: readonly { readonly indicator: string; readonly params: object }[] = [
  { indicator: 'bars', params: { bar: 'time', size: 60 } },
  { indicator: 'bars', params: { bar: 'tick', size: 10 } },
  { indicator: 'bars', params: { bar: 'volume', size: 40 } },
  { indicator: 'footprint', params: {} },
  { indicator: 'footprint', params: { bar: 'tick', size: 50 } },
  { indicator: 'delta', params: {} },
  { indicator: 'large-trades', params: { minSize: 3 } },
  { indicator: 'volume-profile', params: {} },
  { indicator: 'vwap', params: {} },
  { indicator: 'sweeps', params: {} },
];
const TABLE_FORMATS = ['arrow', 'parquet', 'csv'] as const;
const HEAVY = { indicator: 'bars', params: { bar: 'tick', size: 1 } };

export interface ExportedQuery {
  readonly fields: Fields;
  /** The estimated cost. */
  readonly units: number;
  /** The undisturbed file, decompressed, and the number of bytes sent. */
  readonly file: Buffer;
  readonly bytes: number;
}

export interface QueryOptions {
  readonly random: Random;
  readonly instruments: readonly string[];
  /** Whole days before today that queries may read. */
  readonly days: number;
}

/** Makes `count` queries and downloads their files one by one, each right after its estimate. */
export async function exportedQueries(
  wire: Wire,
  count: number,
  options: QueryOptions,
): Promise<readonly ExportedQuery[]> {
  const queries: ExportedQuery[] = [];
  for (let number = 0; number < count; number += 1) {
    const isByCursor = number % CURSOR_EVERY === CURSOR_EVERY - 1;
    const fields = isByCursor
      ? untilCursor(options.random, queries)
      : randomFields(number, options);
    queries.push(await undisturbed(wire, fields));
  }
  return queries;
}

function randomFields(number: number, { random, instruments, days }: QueryOptions): Fields {
  const isHeavy = number % HEAVY_EVERY === 0;
  const { indicator, params } = isHeavy ? HEAVY : pick(random, KINDS);
  const now = Date.now();
  const oldest = Math.floor(now / DAY_MS) * DAY_MS - days * DAY_MS;
  const newest = now - NEWEST_MS;
  const instant = () => oldest + Math.floor(random() * (newest - oldest));
  const [one, other] = [instant(), instant()];
  const [from, to] = isHeavy ? [oldest, newest] : [Math.min(one, other), Math.max(one, other) + 1];
  const format = random() < 0.3 ? pick(random, TABLE_FORMATS) : null;
  const isTable = format !== null && TABLE_INDICATORS[format].includes(indicator);
  return {
    instrument: pick(random, instruments),
    indicator,
    ...(isTable ? { format } : {}),
    params: JSON.stringify(params),
    mode: random() < 0.5 ? 'live' : 'confirmed',
    from: instantText(from),
    to: instantText(to),
  };
}

/** An earlier query, but up to the cursor of one of its lines. */
function untilCursor(random: Random, before: readonly ExportedQuery[]): Fields {
  const { fields, file } = pick(random, before);
  const { to, ...others } = fields;
  const cursors = [...file.toString().matchAll(/^\{"t":"\w+","cursor":"([\d.]+)"/gm)];
  if (cursors.length === 0) return fields;
  return { ...others, untilCursor: pick(random, cursors)[1]! };
}

async function undisturbed(wire: Wire, fields: Fields): Promise<ExportedQuery> {
  const units = await estimate(wire, fields);
  const fetched = await fetchExport(wire, fields, { t: 'none' });
  assert.ok(fetched.t === 'heard' && fetched.isEnded, `${JSON.stringify(fields)}: ${fetched.t}`);
  const held = heldOf(fields);
  held.add(fetched);
  assert.ok(held.isWhole, 'an undisturbed export has its end');
  return { fields, units, file: held.bytes, bytes: fetched.body.length };
}

async function estimate(wire: Wire, { format, ...fields }: Fields): Promise<number> {
  const answer = await get(wire, '/v1/history/estimate', fields);
  if (answer.status !== 200) throw new Error(await answer.text());
  return ((await answer.json()) as { readonly computeUnits: number }).computeUnits;
}

/**
 * Resolves when `days` before today are complete and the tape has reached the present. A service
 * makes one day more, in which the session of the first hours begins.
 */
export async function untilReadable(
  wire: Wire,
  instruments: readonly string[],
  days: number,
): Promise<void> {
  const now = Date.now();
  const from = (Math.floor(now / DAY_MS) - days) * DAY_MS;
  const instants = { from: instantText(from), to: instantText(now) };
  for (const instrument of instruments) {
    const fields = { instrument, indicator: 'bars', ...instants };
    while (!(await isReadable(wire, fields))) await pause(FILL_LOOK_MS);
  }
}

/** Whether the service has a range up to its end. */
async function isReadable(wire: Wire, fields: Fields): Promise<boolean> {
  const answer = await get(wire, '/v1/history', { ...fields, limit: '1' });
  const { to } = (await answer.json()) as { readonly to?: string };
  return to === fields.to;
}

function instantText(ms: number): string {
  return String(BigInt(ms) * 1_000_000n);
}

function get(wire: Wire, path: string, fields: Fields): Promise<Response> {
  const { host = '127.0.0.1', port, key } = wire;
  const address = `http://${host}:${port}${path}?${new URLSearchParams(fields)}`;
  return fetch(address, { headers: { authorization: `Bearer ${key}` } });
}

export function pick<T>(random: Random, all: readonly T[]): T {
  return all[Math.floor(random() * all.length)]!;
}
