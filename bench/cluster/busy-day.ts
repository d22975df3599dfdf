/**
 * Half a busy day of a cluster whose market was open all the time: a commit every 20 ms since midnight, as parts that an earlier
 * node has put. What it is made of is what a lone tape of the simulated market would have; only nobody waits for the clock.
 */

import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import { SimSource } from '@tapeloom/server/markets/sim/sim-source';
import { createSimUniverse, SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import type { Clock } from '@tapeloom/server/platform/clock';
import type { Disk, DiskFile, OpenMode } from '@tapeloom/server/platform/disk';
import { NodeDisk } from '@tapeloom/server/platform/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { zstdAside } from '@tapeloom/server/platform/zstd-aside';
import { putPart } from '@tapeloom/server/tape/shared/day-parts';
import { PLAIN_CLAIM } from '@tapeloom/server/tape/stream/claim-body';
import { FencedWriter } from '@tapeloom/server/tape/stream/fenced-writer';
import { connectNats } from '@tapeloom/server/tape/stream/nats/nats-connection';
import { NatsObjects } from '@tapeloom/server/tape/stream/nats/nats-objects';
import { NatsTapeStream } from '@tapeloom/server/tape/stream/nats/nats-tape-stream';
import { emptyBook, encodeBook } from '@tapeloom/server/tape/stream/tape-book';
import { logPath } from '@tapeloom/server/tape/tape-paths';
import { RECORD_HEADER_BYTES, readRecordHeader } from '@tapeloom/server/tape/write/log-record';
import { openTape } from '@tapeloom/server/tape/write/open-tape';

const STEP_NS = 20_000_000n;
/** The newest minute is left to the node that appends. */
const LEFT_NS = 60_000_000_000n;

export interface BusyDay {
  readonly day: UtcDay;
  readonly records: number;
  readonly bytes: number;
}

/** Writes the log of today up to now into a directory. */
export async function makeBusyDay(
  tapeRoot: string,
  market: { readonly seed: number; readonly printsScale: number },
): Promise<BusyDay> {
  const until = (createClock({ kind: 'system' }).now() - LEFT_NS) as EpochNs;
  const day = dayOf(until);
  const universe = createSimUniverse(market, day);
  const stop = new AbortController();
  const clock = new SteppingClock(epochNs(day, 0), until, () => stop.abort());
  await using tape = await openTape({
    disk: unsynced(new NodeDisk()),
    tapeRoot,
    dataset: SIM_DATASET,
    listed: (of) => universe.streamedOn(of).map(({ symbol }) => symbol),
    now: () => clock.now(),
    onFailure: (error) => {
      throw error;
    },
  });
  const { intake } = tape;
  await new SimSource({ universe, intake, clock, resumeDay: day, openDay: null }).run(stop.signal);
  const path = logPath(tapeRoot, SIM_DATASET, day);
  const { records, bytes } = countRecords(await readFile(path));
  return { day, records, bytes: Math.min(bytes, statSync(path).size) };
}

/** Gives the day to a cluster that has no tape yet. */
export async function putBusyDay(
  servers: readonly string[],
  tapeRoot: string,
  { day, records, bytes }: BusyDay,
): Promise<void> {
  const connection = await connectNats({ servers, credsFile: null, caFile: null }, 'bench');
  try {
    const stream = await NatsTapeStream.over(connection, SIM_DATASET);
    const objects = await NatsObjects.over(connection, SIM_DATASET);
    const clock = createClock({ kind: 'system' });
    const writer = new FencedWriter({ stream, clock, writer: 'bench.1', last: 0 });
    const opening = await writer.append('claim', PLAIN_CLAIM);
    const book = { ...emptyBook(SIM_DATASET), openings: { [day]: opening }, isReady: true };
    const sequence = await writer.append('book', await encodeBook(book, objects));
    const place = {
      disk: new NodeDisk(),
      tapeRoot,
      dataset: SIM_DATASET,
      objects,
      packing: zstdAside,
    };
    await putPart(place, { day, from: 0, to: bytes, records, sequence });
  } finally {
    await connection.close();
  }
}

/** As long as somebody waits it goes on by itself. */
class SteppingClock implements Clock {
  readonly #until: EpochNs;
  readonly #onEnd: () => void;
  #now: EpochNs;

  constructor(from: EpochNs, until: EpochNs, onEnd: () => void) {
    this.#now = from;
    this.#until = until;
    this.#onEnd = onEnd;
  }

  now(): EpochNs {
    return this.#now;
  }

  after(_ms: number, run: () => void): Disposable {
    this.#now = (this.#now + STEP_NS) as EpochNs;
    if (this.#now >= this.#until) this.#onEnd();
    setImmediate(run);
    return { [Symbol.dispose]: () => {} };
  }

  every(): Disposable {
    throw new Error('nobody asks for it');
  }
}

function unsynced(disk: Disk): Disk {
  const open = async (path: string, mode: OpenMode): Promise<DiskFile> => {
    const file = await disk.open(path, mode);
    file.sync = async () => {};
    return file;
  };
  return new Proxy(disk, {
    get: (target, name) => {
      if (name === 'open') return open;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Of those that continue the day: what says that a process has closed the log is none. */
function countRecords(log: Uint8Array): { readonly records: number; readonly bytes: number } {
  let records = 0;
  let at = 0;
  for (;;) {
    const header = at + RECORD_HEADER_BYTES <= log.length ? readRecordHeader(log, at) : null;
    if (header === null || header.kind === 'closed') return { records, bytes: at };
    at += RECORD_HEADER_BYTES + header.payloadBytes;
    records += 1;
  }
}
