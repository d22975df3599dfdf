/**
 * Parts of a day that is not sealed yet: its records, packed, put every few minutes by who appends. They are a mere cache of the
 * stream, so that who joins need not read a day of it message by message. Their names say what they hold; that it is
 * true shows when the records continue each other, as in any log.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { MIB } from '@tapeloom/core/units';
import type { Disk } from '../../platform/disk.ts';
import type { Packing } from '../../platform/zstd-aside.ts';
import type { TapeObjects } from '../stream/tape-stream.ts';
import { logPath } from '../tape-paths.ts';

const PART_NAME = /^part\.(\d{8})\.(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
/** Record bytes of one part; what is more is put as several. */
const PART_BYTES_MAX = 32 * MIB;

export interface PartsPlace {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly objects: TapeObjects;
  readonly packing: Packing;
}

/** Bytes [from, to) of a day's log. */
export interface DayPart {
  readonly day: UtcDay;
  readonly from: number;
  readonly to: number;
  /** How many records the day has up to there; 0 where it ends in the middle of one. */
  readonly records: number;
  /** The number of the last of them in the stream. */
  readonly sequence: number;
}

/** Those that follow each other from the day's opening on. */
export async function listParts(objects: TapeObjects, day: UtcDay): Promise<readonly DayPart[]> {
  const all = (await objects.list(`part.${day}.`)).flatMap((name) => partOf(name) ?? []);
  const chain: DayPart[] = [];
  for (let at = 0; ; ) {
    const next = all.filter(({ from }) => from === at).sort((a, b) => b.to - a.to)[0];
    if (next === undefined) break;
    chain.push(next);
    at = next.to;
  }
  return chain.slice(0, chain.findLastIndex(({ records }) => records > 0) + 1);
}

/** The days of which there are parts, ascending. */
export async function daysOfParts(objects: TapeObjects): Promise<readonly UtcDay[]> {
  const names = await objects.list('part.');
  const days = new Set(names.flatMap((name) => partOf(name)?.day ?? []));
  return [...days].sort((a, b) => a - b);
}

/** Puts what the log file has from the end of the last part on. */
export async function putPart(place: PartsPlace, part: DayPart): Promise<void> {
  const path = logPath(place.tapeRoot, place.dataset, part.day);
  await using file = await place.disk.open(path, 'read');
  for (let from = part.from; from < part.to; ) {
    const to = Math.min(from + PART_BYTES_MAX, part.to);
    const bytes = new Uint8Array(to - from);
    if ((await file.read(bytes, from)) < bytes.length) throw new RangeError(`${path} is too short`);
    const counts = to === part.to ? {} : { records: 0, sequence: 0 };
    const packed = await place.packing.pack(bytes);
    await place.objects.put(nameOf({ ...part, ...counts, from, to }), packed);
    from = to;
  }
}

/** Writes the day's log out of its parts; resolves to the last one, null where there are none or not all of them. */
export async function fetchParts(place: PartsPlace, day: UtcDay): Promise<DayPart | null> {
  const { disk, tapeRoot, dataset, objects, packing } = place;
  const parts = await listParts(objects, day);
  if (parts.length === 0) return null;
  await using file = await disk.open(logPath(tapeRoot, dataset, day), 'create');
  for (const part of parts) {
    const packed = await objects.get(nameOf(part));
    const bytes = packed === null ? null : await packing.unpack(packed);
    if (bytes?.length !== part.to - part.from) return null;
    await file.write(bytes, part.from);
  }
  return parts.at(-1)!;
}

/** All parts of a day, which nobody needs once it is listed as sealed. */
export async function removeParts(objects: TapeObjects, day: UtcDay): Promise<void> {
  for (const name of await objects.list(`part.${day}.`)) await objects.remove(name);
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
