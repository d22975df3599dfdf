/**
 * Restores records that a stream acknowledged and lost, from the nodes' local logs, byte for byte, so that followers
 * see no difference. It uses the logs that continue the stream's records and go furthest beyond them. Then nodes can
 * append again. Without a proven loss it does nothing: a healthy stream must not be repaired.
 */

import { crc32 } from 'node:zlib';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Clock } from '../../../platform/clock.ts';
import { type Disk, readFileWhole } from '../../../platform/disk/disk.ts';
import { claimNews, mendedClaim } from '../../stream/claim-body.ts';
import { FencedWriter } from '../../stream/fenced-writer.ts';
import type { StoredMessage, TapeStream } from '../../stream/tape-stream.ts';
import { logDirectory } from '../../tape-paths.ts';
import { readOpening } from '../../write/log/log-payload.ts';
import {
  RECORD_HEADER_BYTES,
  type RecordHeader,
  readRecordHeader,
} from '../../write/log/log-record.ts';

const LOG_NAME = /^([1-9]\d{7})\.(?:log|kept)$/;

/** A data directory of a node, or a copy of one. */
export interface RepairSource {
  readonly disk: Disk;
  readonly tapeRoot: string;
}

export interface RepairPlan {
  /** The last number of the stream. */
  readonly last: number;
  /** The last number it is known to have had. */
  readonly known: number;
  /** The source of the restored records; null: no source has more than the stream. */
  readonly tapeRoot: string | null;
  readonly records: readonly Uint8Array[];
  readonly days: readonly UtcDay[];
}

/** Thrown when no loss is proved: such a stream is not repaired. */
export class NothingLostError extends Error {}

interface StreamEnd {
  readonly last: number;
  readonly known: number;
  readonly day: UtcDay | null;
  readonly records: number;
  readonly checksum: number;
  readonly isEnded: boolean;
}

/** Plans what can be restored. Read-only. */
export async function planRepair(
  stream: TapeStream,
  dataset: string,
  sources: readonly RepairSource[],
): Promise<RepairPlan> {
  const end = await readStream(stream);
  let best: RepairPlan = { ...end, tapeRoot: null, records: [], days: [] };
  for (const source of sources) {
    const { records, days } = await recordsBehind(source, dataset, end);
    if (records.length <= best.records.length) continue;
    best = { last: end.last, known: end.known, tapeRoot: source.tapeRoot, records, days };
  }
  const { last, known, tapeRoot, records, days } = best;
  return { last, known, tapeRoot, records, days };
}

/** Appends the records and lets nodes append again. Rejects like a writer when another node was faster. */
export async function repairStream(
  stream: TapeStream,
  clock: Pick<Clock, 'after'>,
  node: string,
  plan: RepairPlan,
): Promise<void> {
  const { last } = plan;
  const writer = new FencedWriter({ stream, clock, last, writer: `${node}.${last + 1}` });
  for (const record of plan.records) await writer.append('record', record);
  await writer.append('claim', mendedClaim());
}

/** Reads only from the stream's leader: another server may serve a continuous reading, and servers may differ. */
async function readStream(stream: TapeStream): Promise<StreamEnd> {
  const { last } = await stream.ends();
  const claim = await stream.newest('claim');
  const news = claim === null ? null : claimNews(claim.body);
  if (news?.kind !== 'lost') {
    throw new NothingLostError('no node has found a loss in the stream');
  }
  const { known } = news;
  const newest = await stream.newest('record');
  if (newest === null) return { last, known, day: null, records: 0, checksum: 0, isEnded: false };
  const { kind, sequence, checksum } = headerOf(newest);
  const day = await dayOf(stream, newest);
  return { last, known, day, records: sequence + 1, checksum, isEnded: kind === 'end' };
}

function headerOf({ body }: StoredMessage): RecordHeader {
  return readRecordHeader(body.slice(), 0)!;
}

/** The day of a record. Claims and books stand among records: the opening is at least `sequence` messages before. */
async function dayOf(stream: TapeStream, record: StoredMessage): Promise<UtcDay | null> {
  let at: StoredMessage | null = record;
  for (let back = 1; at !== null; ) {
    const number: number = at.sequence;
    if (at.subject === 'record') {
      const { kind, sequence } = headerOf(at);
      if (kind === 'opening') return readOpening(at.body.slice(RECORD_HEADER_BYTES))!.day;
      back = sequence;
    } else back = 1;
    at = await stream.read(number - back);
  }
  return null;
}

/** The records of a node's logs beyond the end of the stream, as far as they form a chain. */
async function recordsBehind(
  { disk, tapeRoot }: RepairSource,
  dataset: string,
  end: StreamEnd,
): Promise<Pick<RepairPlan, 'records' | 'days'>> {
  const directory = logDirectory(tapeRoot, dataset);
  const logs = (await disk.list(directory))
    .flatMap((name) => {
      const day = Number(LOG_NAME.exec(name)?.[1] ?? 0) as UtcDay;
      return day >= (end.day ?? 1) ? [{ day, path: `${directory}/${name}` }] : [];
    })
    .sort((a, b) => a.day - b.day);
  const records: Uint8Array[] = [];
  const days: UtcDay[] = [];
  let isEnded = end.day === null;
  for (const { day, path } of logs) {
    const isFirst = day === end.day;
    if (!isFirst && !isEnded) break;
    const log = soundRecords((await readFileWhole(disk, path))!);
    const known = isFirst ? log[end.records - 1] : undefined;
    if (isFirst && (known === undefined || readRecordHeader(known, 0)!.checksum !== end.checksum)) {
      return { records: [], days: [] };
    }
    const missing = isFirst ? log.slice(end.records) : log;
    if (missing.length > 0) days.push(day);
    records.push(...missing);
    const last = missing.at(-1) ?? known;
    isEnded = last !== undefined && readRecordHeader(last, 0)!.kind === 'end';
  }
  return { records, days };
}

/** Whole records that form a chain. */
export function soundRecords(bytes: Uint8Array): readonly Uint8Array[] {
  const records: Uint8Array[] = [];
  let previous = 0;
  for (let at = 0; at < bytes.length; ) {
    const header = readRecordHeader(bytes, at);
    if (header === null || header.kind === 'closed') break;
    if (header.sequence !== records.length || header.previous !== previous) break;
    const to = at + RECORD_HEADER_BYTES + header.payloadBytes;
    const payload = bytes.subarray(at + RECORD_HEADER_BYTES, to);
    if (to > bytes.length || crc32(payload) !== header.payloadChecksum) break;
    records.push(bytes.subarray(at, to));
    previous = header.checksum;
    at = to;
  }
  return records;
}
