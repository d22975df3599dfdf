/**
 * Moves the tape of a single machine into a cluster with an empty stream: sealed days become objects listed in a book,
 * records of the open day are appended under the fence. It may be interrupted and repeated: what is in the stream is
 * compared, and the rest follows. The open day's records are read back to prove that their trades are the same.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../platform/disk/disk.ts';
import { createClock } from '../../platform/system-clock.ts';
import { readBookFiles } from '../../tape/shared/book/book-files.ts';
import { putDay } from '../../tape/shared/days/day-objects.ts';
import { commitRowsMax } from '../../tape/shared/log/fenced-log.ts';
import { MOVED_SUFFIX, nameCluster } from '../../tape/shared/shared-directory.ts';
import { PLAIN_CLAIM } from '../../tape/stream/claim-body.ts';
import { FencedWriter } from '../../tape/stream/fenced-writer.ts';
import { type BookDay, encodeBook, type TapeBook } from '../../tape/stream/tape-book.ts';
import type { StoredMessage, TapeStream } from '../../tape/stream/tape-stream.ts';
import type { TapeManifest } from '../../tape/tape-manifest.ts';
import { dayOfFile, logDirectory } from '../../tape/tape-paths.ts';
import { type OpenTape, openTape } from '../../tape/write/open-tape.ts';
import type { ListedSymbols } from '../../tape/write/sequencer/listed-on.ts';
import { ClusterRefusedError } from './cluster-servers.ts';
import type { ClusterTape } from './open-cluster-tape.ts';
import { digestOfRecords, readOpenDay } from './open-day-records.ts';

const WRITER = 'migrate';
const OF_A_STREAM = /^[1-9]\d{7}\.(?:at|kept)$/;

export interface TapePlace {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly listed: ListedSymbols;
  /** The file of cursors that are invalid; null: there is none. */
  readonly floors: string | null;
  /** Trades in one record of the open day, if fewer than fit into a message. */
  readonly commitRowsMax?: number;
  /** Called for every day and for every record. */
  readonly onProgress: (what: 'days' | 'records', done: number, total: number) => void;
}

export interface DayProof {
  readonly symbol: string;
  readonly day: UtcDay;
  readonly digest: string;
}

export interface MovedTape {
  readonly days: readonly DayProof[];
  /** The open day; null: there is none. */
  readonly open: { readonly day: UtcDay; readonly trades: number } | null;
}

/** The directory must be locked. Rejects with a `ClusterRefusedError` if the stream has another tape. */
export async function moveTapeIn(place: TapePlace, tape: ClusterTape): Promise<MovedTape> {
  const before = await messagesOf(tape.stream);
  const { manifest, report } = await closedTape(place);
  const days = await putDays(place, tape, manifest);
  const rowsMax = place.commitRowsMax ?? commitRowsMax(tape.stream.bodyBytesMax);
  const open = await readOpenDay(place, rowsMax);
  const records = open?.records ?? [];
  const appended = before.filter(({ subject }) => subject === 'record');
  requireSame(appended, records);
  const clock = createClock({ kind: 'system' });
  const last = before.at(-1)?.sequence ?? 0;
  const { stream } = tape;
  const writer = new FencedWriter({ stream, clock, last, writer: `${WRITER}.${last + 1}` });
  await writer.append('claim', PLAIN_CLAIM);
  const book = await bookOf(place, manifest, days);
  await writer.append('book', await encodeBook(book, tape.objects));
  for (const [index, record] of records.slice(appended.length).entries()) {
    await writer.append('record', record);
    place.onProgress('records', appended.length + index + 1, records.length);
  }
  const stored = (await messagesOf(stream)).filter(({ subject }) => subject === 'record');
  requireSame(stored, records);
  if (open !== null) {
    if (digestOfRecords(stored.map(({ body }) => body)) !== open.digest) {
      throw new Error(`the trades of ${open.day} differ after they were stored`);
    }
    const openings = { [open.day]: stored[0]!.sequence };
    await writer.append('book', await encodeBook({ ...book, openings }, tape.objects));
  }
  await becomeNodes(place, manifest, tape.clusterId);
  return {
    days: days.map(({ symbol, day, digest }) => ({ symbol, day, digest })),
    open: open === null ? null : { day: open.day, trades: tradesOf(report, open.day) },
  };
}

function tradesOf({ logs }: OpenTape['report'], day: UtcDay): number {
  return logs.find((log) => log.day === day)?.trades ?? 0;
}

/** All messages of the stream. Rejects if any is from another writer. */
async function messagesOf(stream: TapeStream): Promise<readonly StoredMessage[]> {
  const { first, last } = await stream.ends();
  const messages: StoredMessage[] = [];
  if (last < first) return messages;
  await using reading = await stream.follow(first);
  while ((messages.at(-1)?.sequence ?? 0) < last) {
    const read = await reading.next();
    if (read === 'idle') continue;
    if (!read.writer.startsWith(`${WRITER}.`)) {
      throw new ClusterRefusedError([
        `the cluster already has a tape, written by ${read.writer}, so nothing can be moved into it. Nothing was changed`,
      ]);
    }
    messages.push(read);
  }
  return messages;
}

/** Recovers from a crash, seals ended days, and closes the tape again. */
async function closedTape(place: TapePlace): Promise<Pick<OpenTape, 'manifest' | 'report'>> {
  const { disk, tapeRoot, dataset, listed } = place;
  const clock = createClock({ kind: 'system' });
  let failure: Error | null = null;
  await using opened = await openTape({
    ...{ disk, tapeRoot, dataset, listed, now: () => clock.now() },
    onFailure: (error) => {
      failure ??= error;
    },
  });
  const { missing } = opened.report;
  if (failure !== null) throw failure;
  if (missing.length > 0) {
    throw new ClusterRefusedError([
      `sealed days are missing, ${missing[0]} first: restore them, or remove them with tapeloom tape rm`,
    ]);
  }
  return { manifest: opened.manifest, report: opened.report };
}

interface PutDay extends DayProof {
  readonly object: string;
}

async function putDays(
  place: TapePlace,
  { objects }: ClusterTape,
  manifest: TapeManifest,
): Promise<readonly PutDay[]> {
  const parts = [...manifest.days].flatMap(([symbol, days]) =>
    [...days].map(([day, digest]) => ({ symbol, day, digest })),
  );
  const put: PutDay[] = [];
  for (const part of parts) {
    put.push({ ...part, object: await putDay({ ...place, objects }, part) });
    place.onProgress('days', put.length, parts.length);
  }
  return put;
}

async function bookOf(
  place: TapePlace,
  manifest: TapeManifest,
  put: readonly PutDay[],
): Promise<TapeBook> {
  const days: Record<string, Record<string, BookDay>> = {};
  for (const { symbol, day, digest, object } of put) {
    days[symbol] ??= {};
    days[symbol][day] = { digest, object };
  }
  const { source, sessions } = await readBookFiles({ ...place, manifest });
  return {
    ...{ dataset: place.dataset, source, sessions, floors: place.floors, days, openings: {} },
    keptFrom: Object.fromEntries(manifest.keptFrom),
    isReady: true,
  };
}

/** The stored records must be a prefix of the expected ones. */
function requireSame(stored: readonly StoredMessage[], records: readonly Uint8Array[]): void {
  const isSame = ({ body }: StoredMessage, index: number) => {
    const record = records[index];
    return record !== undefined && Buffer.compare(body, record) === 0;
  };
  const at = stored.findIndex((message, index) => !isSame(message, index));
  if (at < 0) return;
  throw new ClusterRefusedError([
    at === 0
      ? 'the open day in the stream is of another directory, whose move was interrupted. Create a new cluster, or continue with that directory'
      : `the open day is in the stream up to record ${stored.length}, and split into different records from ${at} on: the move was started by another version of this program, or with another max_payload of the NATS servers. Continue with that one; or create a new cluster, with another database and without the streams of this one, and move into it. All trades are still in the directory`,
  ]);
}

/**
 * Makes it a directory of this cluster, whose open day comes from the stream; no single machine can use it any more.
 * Until the last step everything can be repeated.
 */
async function becomeNodes(
  { disk, tapeRoot, dataset }: TapePlace,
  manifest: TapeManifest,
  clusterId: string,
): Promise<void> {
  const directory = logDirectory(tapeRoot, dataset);
  await manifest.nameLogs([]);
  for (const name of await disk.list(directory)) {
    // Left from another cluster: these files say where in its stream a log stood.
    if (OF_A_STREAM.test(name)) await disk.remove(`${directory}/${name}`);
    if (dayOfFile(name, 'log') === null) continue;
    await disk.rename(`${directory}/${name}`, `${directory}/${name}${MOVED_SUFFIX}`);
  }
  await disk.syncDirectory(directory);
  await nameCluster(disk, tapeRoot, dataset, clusterId);
}
