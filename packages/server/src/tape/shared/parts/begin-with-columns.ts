/**
 * Reads the beginning of an own log as columns of other nodes, so that a node restarting on a busy day reads only the
 * records behind them. The log must continue exactly at their end; its earlier content is not read.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { logPath } from '../../tape-paths.ts';
import {
  RECORD_HEADER_BYTES,
  type RecordHeader,
  readRecordHeader,
} from '../../write/log/log-record.ts';
import { fetchColumns, type JoinedDay } from './column-parts.ts';
import type { PartsPlace } from './day-parts.ts';

/** Null when the log continues no columns, or they are unavailable: then all of the log is read. */
export async function beginWithColumns(
  place: PartsPlace,
  day: UtcDay,
  onFault: (what: string, error: unknown) => void,
): Promise<JoinedDay | null> {
  const { disk, tapeRoot, dataset } = place;
  const path = logPath(tapeRoot, dataset, day);
  const size = (await disk.stat(path))?.size ?? 0;
  await using file = await disk.open(path, 'read');
  const headerAt = async (position: number): Promise<RecordHeader | null> => {
    const bytes = new Uint8Array(RECORD_HEADER_BYTES);
    const read = await file.read(bytes, position);
    return read < bytes.length ? null : readRecordHeader(bytes, 0);
  };
  // A log that is not filled in yet has no opening.
  if ((await headerAt(0))?.kind !== 'opening') return null;
  const upTo = size - RECORD_HEADER_BYTES;
  const joined = await fetchColumns(place, { dataset, day, upTo }, onFault).catch(
    (error: unknown) => {
      onFault('columns of the open day are not available; its log is read instead', error);
      return null;
    },
  );
  if (joined === null) return null;
  const { end } = joined.last;
  const next = await headerAt(end.bytes);
  const isNext = next?.sequence === end.records && next.previous === end.checksum;
  return isNext ? joined : null;
}
