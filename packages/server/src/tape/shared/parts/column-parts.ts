/**
 * Parts of an open day as columns, stored by the leader beside the parts of records, for joining nodes. A day of
 * millions of commits is some hundred parts, whose rows are only copied. Each names its begin and end in the chain of
 * records. A part must continue the previous one, and the stream must continue the last one; otherwise it is rejected.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { LiveDay } from '../../live-day.ts';
import type { TapeObjects } from '../../stream/tape-stream.ts';
import { TapeDamagedError } from '../../tape-errors.ts';
import type { LogEnd } from '../../write/log/day-log.ts';
import {
  type ColumnPart,
  type ColumnPartHeader,
  type DayCheckpoint,
  decodeColumnPart,
  encodeColumnPart,
} from './day-checkpoint.ts';
import { chainOf, missingFrom, type PartsStore } from './day-parts.ts';

const NAME = /^part\.(\d{8})\.(\d+)\.(\d+)\.columns$/;
/** Parts in flight while one is being read. */
const FETCHED_AHEAD = 6;

/** The content of a day's parts, up to the end of the last one. */
export interface JoinedDay {
  readonly live: LiveDay;
  readonly last: ColumnPartHeader;
}

export interface ColumnsWanted {
  readonly dataset: string;
  readonly day: UtcDay;
  /** Parts that reach beyond this byte of the log are not used. */
  readonly upTo: number;
}

/** Where the next part begins. */
export interface ColumnsEnd {
  readonly day: UtcDay;
  readonly end: LogEnd;
  /** Rows of each contract, by contract number in the log. */
  readonly counts: readonly number[];
}

/** The names of the parts that form a chain from the day's opening. */
export async function listColumnParts(
  objects: TapeObjects,
  day: UtcDay,
): Promise<readonly string[]> {
  return chainOf(await allParts(objects, day)).map(({ name }) => name);
}

/** Stores everything since a part, or everything. */
export async function putColumnPart(
  { objects, packing }: PartsStore,
  checkpoint: DayCheckpoint,
  since: ColumnsEnd,
): Promise<ColumnsEnd> {
  const { day, end, contracts } = checkpoint;
  const bytes = encodeColumnPart(checkpoint, since.end, since.counts);
  const name = `part.${day}.${since.end.bytes}.${end.bytes}.columns`;
  await objects.put(name, await packing.pack(bytes));
  return { day, end, counts: contracts.map(({ count }) => count) };
}

/** The end of a day's parts; null when there are none. Rejects when the last one cannot be read. */
export async function columnsEnd(store: PartsStore, day: UtcDay): Promise<ColumnsEnd | null> {
  const name = (await listColumnParts(store.objects, day)).at(-1);
  if (name === undefined) return null;
  const { end, contracts } = (await fetchPart(store, name)).header;
  return { day, end, counts: contracts.map(({ before, count }) => before + count) };
}

/** The day up to the first missing, damaged or unfitting part, which is reported by name. Null when there is none. */
export async function fetchColumns(
  store: PartsStore,
  { dataset, day, upTo }: ColumnsWanted,
  onFault: (what: string, error: unknown) => void,
): Promise<JoinedDay | null> {
  const all = (await allParts(store.objects, day)).filter(({ to }) => to <= upTo);
  const names = chainOf(all).map(({ name }) => name);
  const missing = missingFrom(all);
  if (missing !== null) {
    onFault(`the part part.${day}.${missing} of columns is missing; another source is used`, null);
  }
  const live = new LiveDay({ day, contracts: [], notes: [] });
  const coming: Promise<ColumnPart>[] = [];
  let last: ColumnPartHeader | null = null;
  for (const [index, name] of names.entries()) {
    for (
      let ahead = coming.length;
      ahead < Math.min(names.length, index + FETCHED_AHEAD);
      ahead++
    ) {
      const part = fetchPart(store, names[ahead]!);
      // A failure is reported when the part is awaited.
      part.catch(() => {});
      coming.push(part);
    }
    try {
      const part = await coming[index]!;
      assertContinues(part.header, { dataset, live, last, name });
      take(part, live);
      last = part.header;
    } catch (error) {
      onFault(`the part ${name} of the open day cannot be used; another source is used`, error);
      break;
    }
  }
  return last === null ? null : { live, last };
}

async function allParts(objects: TapeObjects, day: UtcDay) {
  return (await objects.list(`part.${day}.`)).flatMap((name) => {
    const match = NAME.exec(name);
    return match === null ? [] : [{ name, from: Number(match[2]), to: Number(match[3]) }];
  });
}

async function fetchPart({ objects, packing }: PartsStore, name: string): Promise<ColumnPart> {
  const packed = await objects.get(name);
  if (packed === null) throw new TapeDamagedError('it is not there', { file: name, offset: 0 });
  return decodeColumnPart(await packing.unpack(packed), name);
}

function assertContinues(
  header: ColumnPartHeader,
  {
    dataset,
    live,
    last,
    name,
  }: {
    readonly dataset: string;
    readonly live: LiveDay;
    readonly last: ColumnPartHeader | null;
    readonly name: string;
  },
): void {
  const { from, contracts } = header;
  const isNext =
    header.dataset === dataset &&
    header.day === live.day &&
    from.bytes === (last?.end.bytes ?? 0) &&
    from.records === (last?.end.records ?? 0) &&
    from.checksum === (last?.end.checksum ?? 0) &&
    contracts.length >= live.columns.length &&
    contracts.every(({ symbol, before }, index) => {
      const columns = live.columns[index];
      return before === (columns?.count ?? 0) && symbol === (columns?.symbol ?? symbol);
    });
  if (isNext) return;
  throw new TapeDamagedError('it does not continue the one before', { file: name, offset: 0 });
}

function take({ header, rows }: ColumnPart, live: LiveDay): void {
  live.notes.replace(header.sequencer.notes);
  for (const [index, { symbol, highestId, lateRanks, lateByNs }] of header.contracts.entries()) {
    const columns = live.columns[index] ?? live.add(symbol, highestId);
    columns.appendRows(rows[index]!);
    columns.highestId = highestId;
    for (const rank of lateRanks) columns.lateRanks.push(rank);
    for (const byNs of lateByNs) columns.lateByNs.push(byNs);
  }
}
