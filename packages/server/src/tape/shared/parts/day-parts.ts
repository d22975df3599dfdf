/**
 * Parts of an unsealed day: its packed records, stored by the leader every few minutes. They are a cache of the stream,
 * so that a joining node need not read single messages. Names state the content; the records' chain verifies it.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { MIB } from '@tapeloom/core/units';
import type { Disk } from '../../../platform/disk/disk.ts';
import type { Packing } from '../../../platform/zstd-aside.ts';
import type { TapeObjects } from '../../stream/tape-stream.ts';
import { TapeDamagedError } from '../../tape-errors.ts';
import { logPath } from '../../tape-paths.ts';

const PART_NAME = /^part\.(\d{8})\.(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
/** Record bytes of one part; more bytes become several parts. */
const PART_BYTES_MAX = 32 * MIB;

export interface PartsStore {
  readonly objects: TapeObjects;
  readonly packing: Packing;
}

export interface PartsPlace extends PartsStore {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
}

/** Bytes [from, to) of a day's log. */
export interface DayPart {
  readonly day: UtcDay;
  readonly from: number;
  readonly to: number;
  /** Records of the day up to there; 0 when the part ends within a record. */
  readonly records: number;
  /** The number of the last of them in the stream. */
  readonly sequence: number;
}

/** The parts that form a chain from the day's opening and end with a whole record. */
export async function listParts(objects: TapeObjects, day: UtcDay): Promise<readonly DayPart[]> {
  const chain = chainOf(await allParts(objects, day));
  return chain.slice(0, chain.findLastIndex(({ records }) => records > 0) + 1);
}

/** The parts that form a chain from the first byte; the longest of several candidates. */
export function chainOf<T extends { readonly from: number; readonly to: number }>(
  parts: readonly T[],
): readonly T[] {
  const chain: T[] = [];
  for (let at = 0; ; ) {
    const next = parts
      .filter(({ from, to }) => from === at && to > at)
      .sort((a, b) => b.to - a.to)[0];
    if (next === undefined) return chain;
    chain.push(next);
    at = next.to;
  }
}

/** The begin of a missing part that has later ones behind it; null when none is missing. */
export function missingFrom(
  parts: readonly { readonly from: number; readonly to: number }[],
): number | null {
  const end = chainOf(parts).at(-1)?.to ?? 0;
  return parts.some(({ from }) => from > end) ? end : null;
}

/** The days that have parts, ascending. */
export async function daysOfParts(objects: TapeObjects): Promise<readonly UtcDay[]> {
  const names = await objects.list('part.');
  const days = new Set(names.map((name) => Number(name.split('.')[1]) as UtcDay));
  return [...days].sort((a, b) => a - b);
}

/** Stores the bytes [`from`, `to`) of the log file. */
export async function putPart(place: PartsPlace, part: DayPart): Promise<void> {
  const path = logPath(place.tapeRoot, place.dataset, part.day);
  await using file = await place.disk.open(path, 'read');
  for (let from = part.from; from < part.to; ) {
    const to = Math.min(from + PART_BYTES_MAX, part.to);
    const bytes = new Uint8Array(to - from);
    if ((await file.read(bytes, from)) < bytes.length) throw new RangeError(`${path} is too short`);
    const counts = to === part.to ? {} : { records: 0, sequence: 0 };
    await putPartBytes(place, { ...part, ...counts, from, to }, bytes);
    from = to;
  }
}

export async function putPartBytes(
  { objects, packing }: PartsStore,
  part: DayPart,
  bytes: Uint8Array,
): Promise<void> {
  await objects.put(nameOf(part), await packing.pack(bytes));
}

/** Writes the log up to the first missing or damaged part, reported by name. Resolves to the last at a record's end. */
export async function fetchParts(
  place: PartsPlace,
  day: UtcDay,
  onFault: (what: string, error: unknown) => void,
): Promise<DayPart | null> {
  const { disk, tapeRoot, dataset, objects } = place;
  const missing = missingFrom(await allParts(objects, day));
  if (missing !== null) {
    onFault(`the part part.${day}.${missing} of the open day is missing; the stream has it`, null);
  }
  const parts = await listParts(objects, day);
  if (parts.length === 0) return null;
  let last: DayPart | null = null;
  await using file = await disk.open(logPath(tapeRoot, dataset, day), 'create');
  for (const part of parts) {
    const bytes = await fetchPart(place, part).catch((error: unknown) => {
      onFault(`the part ${nameOf(part)} of the open day cannot be used; the stream has it`, error);
      return null;
    });
    if (bytes === null) break;
    await file.write(bytes, part.from);
    if (part.records > 0) last = part;
  }
  return last;
}

/** The bytes of one part. Rejects when it is missing or incomplete. */
export async function fetchPart(
  { objects, packing }: PartsStore,
  part: DayPart,
): Promise<Uint8Array> {
  const name = nameOf(part);
  const packed = await objects.get(name);
  const bytes = packed === null ? null : await packing.unpack(packed);
  if (bytes?.length === part.to - part.from) return bytes;
  throw new TapeDamagedError('it is not there, or not whole', { file: name, offset: 0 });
}

/** Removes all parts of a day, which are not needed once it is listed as sealed. */
export async function removeParts(objects: TapeObjects, day: UtcDay): Promise<void> {
  for (const name of await objects.list(`part.${day}.`)) await objects.remove(name);
}

async function allParts(objects: TapeObjects, day: UtcDay): Promise<readonly DayPart[]> {
  return (await objects.list(`part.${day}.`)).flatMap((name) => partOf(name) ?? []);
}

function nameOf({ day, from, to, records, sequence }: DayPart): string {
  return `part.${day}.${from}.${to}.${records}.${sequence}`;
}

function partOf(name: string): DayPart | null {
  const match = PART_NAME.exec(name);
  if (match === null) return null;
  const [day, from, to, records, sequence] = match.slice(1).map(Number);
  return { day: day as UtcDay, from: from!, to: to!, records: records!, sequence: sequence! };
}
