/**
 * The records of the one open log, in the form of a stream. A log records restarts of the service and a stream does
 * not, so they are written again. Commits are merged up to the size of a message, since each message is acknowledged
 * before the next. A digest that does not depend on the division proves that the trades are the same.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { BookPlace } from '../../tape/shared/book/book-files.ts';
import { MOVED_SUFFIX } from '../../tape/shared/shared-directory.ts';
import { dayOfFile, logDirectory } from '../../tape/tape-paths.ts';
import {
  type Commit,
  readCommit,
  readOpening,
  writeCommit,
  writeOpening,
} from '../../tape/write/log/log-payload.ts';
import {
  RECORD_HEADER_BYTES,
  RecordWriter,
  readRecordHeader,
} from '../../tape/write/log/log-record.ts';
import { recoverLog } from '../../tape/write/log/log-recovery.ts';
import { MergedCommits } from '../../tape/write/log/merged-commits.ts';
import { TradesDigest } from '../../tape/write/log/trades-digest.ts';

export interface OpenDay {
  readonly day: UtcDay;
  readonly records: readonly Uint8Array[];
  /** Of the trades in the log. */
  readonly digest: string;
}

/** Null if no day is open. */
export async function readOpenDay(
  { disk, tapeRoot, dataset }: Pick<BookPlace, 'disk' | 'tapeRoot' | 'dataset'>,
  commitRowsMax: number,
): Promise<OpenDay | null> {
  const directory = logDirectory(tapeRoot, dataset);
  const names = await disk.list(directory);
  const isMoved = (name: string) => name.endsWith(MOVED_SUFFIX);
  // A log beside a moved one of its day is newer: the directory was a node's since, and is moved again.
  const newestLast = names.toSorted((a, b) => Number(isMoved(b)) - Number(isMoved(a)));
  const days = new Map(
    newestLast.flatMap((name) => {
      const day = dayOfFile(isMoved(name) ? name.slice(0, -MOVED_SUFFIX.length) : name, 'log');
      return day === null ? [] : [[day, name]];
    }),
  );
  const [[day, name] = [], ...others] = days;
  if (day === undefined) return null;
  if (others.length > 0) throw new Error(`${[day, ...others.keys()].join()} are open at once`);
  const records: Uint8Array[] = [];
  const writer = new RecordWriter();
  let checksum = 0;
  let bytes = 0;
  const take = (kind: 'opening' | 'commit') => {
    writer.finish(kind, records.length, checksum, bytes);
    const record = writer.bytes.slice();
    records.push(record);
    checksum = readRecordHeader(record, 0)!.checksum;
    bytes += record.length;
  };
  const merged = new MergedCommits(commitRowsMax, (commit) => {
    writeCommit(writer, commit);
    take('commit');
  });
  let digest = new TradesDigest([]);
  const { ended } = await recoverLog(disk, `${directory}/${name}`, {
    opening: (opening) => {
      digest = new TradesDigest(opening.contracts.map(({ symbol }) => symbol));
      writeOpening(writer, opening);
      take('opening');
    },
    commit: (commit: Commit) => {
      digest.add(commit);
      merged.add(commit);
      return true;
    },
  });
  merged.flush();
  if (ended) throw new Error(`${day} has ended and is not sealed`);
  return { day, records, digest: digest.end() };
}

/** The same digest, of records that were read back. */
export function digestOfRecords(records: Iterable<Uint8Array>): string {
  let digest = new TradesDigest([]);
  for (const record of records) {
    // Columns are read in place, so they must start at multiples of eight.
    const payload = record.slice().subarray(RECORD_HEADER_BYTES);
    if (readRecordHeader(record, 0)!.kind === 'opening') {
      digest = new TradesDigest(readOpening(payload)!.contracts.map(({ symbol }) => symbol));
    } else digest.add(readCommit(payload));
  }
  return digest.end();
}
