/**
 * Stores a busy open day in a cluster, as the parts that earlier nodes would have stored: a given
 * number of commits since midnight. A tape of the simulated market makes them, without waiting for
 * a clock, a disk or a stream.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import { SimFeed } from '@tapeloom/server/markets/sim/sim-feed';
import { createSimUniverse, SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { SLICE_NS } from '@tapeloom/server/markets/sim/trades/slice';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { zstdAside } from '@tapeloom/server/platform/zstd-aside';
import { LiveDay } from '@tapeloom/server/tape/live-day';
import { type ColumnsEnd, putColumnPart } from '@tapeloom/server/tape/shared/parts/column-parts';
import { type DayCheckpoint, NOTHING } from '@tapeloom/server/tape/shared/parts/day-checkpoint';
import { type PartsStore, putPartBytes } from '@tapeloom/server/tape/shared/parts/day-parts';
import { PLAIN_CLAIM } from '@tapeloom/server/tape/stream/claim-body';
import { FencedWriter } from '@tapeloom/server/tape/stream/fenced-writer';
import { connectNats } from '@tapeloom/server/tape/stream/nats/nats-connection';
import { NatsObjects } from '@tapeloom/server/tape/stream/nats/nats-objects';
import { NatsTapeStream } from '@tapeloom/server/tape/stream/nats/nats-tape-stream';
import { emptyBook, encodeBook } from '@tapeloom/server/tape/stream/tape-book';
import { writeCommit, writeOpening } from '@tapeloom/server/tape/write/log/log-payload';
import { type RecordKind, RecordWriter } from '@tapeloom/server/tape/write/log/log-record';
import { Offer } from '@tapeloom/server/tape/write/sequencer/offer';
import { Sequencer } from '@tapeloom/server/tape/write/sequencer/sequencer';
import { createCounters } from '@tapeloom/server/tape/write/sequencer/sequencer-counters';
import { addressOf } from '../../packages/server/testing/tape/nats-tape-rig.ts';

/** The newest minute is left to the appending node. */
const LEFT_NS = 60_000_000_000n;
/** The interval at which a node stores a part. */
const PART_NS = 300_000_000_000;
const LOG_BYTES_FIRST = 4_194_304;

export interface BusyDay {
  readonly day: UtcDay;
  readonly records: number;
  readonly bytes: number;
  readonly trades: number;
}

/** Stores today up to now, in about `commits` commits, in a cluster that has no tape yet. */
export async function putBusyDay(
  servers: readonly string[],
  market: { readonly seed: number; readonly printsScale: number },
  commits: number,
): Promise<BusyDay> {
  const connection = await connectNats(addressOf(servers), 'bench');
  try {
    const stream = await NatsTapeStream.over(connection, SIM_DATASET);
    const objects = await NatsObjects.over(connection, SIM_DATASET);
    const clock = createClock({ kind: 'system' });
    const until = (clock.now() - LEFT_NS) as EpochNs;
    const day = dayOf(until);
    const writer = new FencedWriter({ stream, clock, writer: 'bench.1', last: 0 });
    const opening = await writer.append('claim', PLAIN_CLAIM);
    const book = { ...emptyBook(SIM_DATASET), openings: { [day]: opening }, isReady: true };
    const sequence = await writer.append('book', await encodeBook(book, objects));
    return await putParts(
      new BusyTape(market, until),
      { objects, packing: zstdAside },
      commits,
      sequence,
    );
  } finally {
    await connection.close();
  }
}

async function putParts(
  tape: BusyTape,
  store: PartsStore,
  commits: number,
  sequence: number,
): Promise<BusyDay> {
  const { day, untilNs } = tape;
  let since: ColumnsEnd = { day, end: NOTHING, counts: [] };
  let partNs = PART_NS;
  for (let commit = 1; commit <= commits; commit++) {
    const promiseNs = Math.trunc((untilNs * commit) / commits);
    tape.commit(promiseNs);
    if (promiseNs < partNs && commit < commits) continue;
    partNs += PART_NS;
    const checkpoint = tape.checkpoint(sequence);
    const { bytes: to, records } = checkpoint.end;
    const part = { day, from: since.end.bytes, to, records, sequence };
    await putPartBytes(store, part, tape.takeLog());
    since = await putColumnPart(store, checkpoint, since);
  }
  const { records, bytes } = since.end;
  return { day, records, bytes, trades: tape.live.trades };
}

/** A tape in memory whose log is taken piece by piece. */
class BusyTape {
  readonly day: UtcDay;
  readonly untilNs: number;
  readonly live: LiveDay;
  readonly #feeds: readonly SimFeed[];
  readonly #sequencer: Sequencer;
  readonly #record = new RecordWriter();
  readonly #now: EpochNs;
  #log = new Uint8Array(LOG_BYTES_FIRST);
  #logged = 0;
  #end = NOTHING;
  #reachedNs = 0;

  constructor(options: { readonly seed: number; readonly printsScale: number }, until: EpochNs) {
    this.day = dayOf(until);
    this.untilNs = Number(until - epochNs(this.day, 0));
    this.#now = until;
    const universe = createSimUniverse(options, this.day);
    const listed = (day: UtcDay) => universe.streamedOn(day).map(({ symbol }) => symbol);
    this.#feeds = listed(this.day).map((symbol) => new SimFeed(universe.market, symbol, -1));
    this.#sequencer = new Sequencer(SIM_DATASET, listed, createCounters());
    const first = new Offer([], epochNs(this.day, 1));
    this.#sequencer.take(first, this.#now);
    const opening = this.#sequencer.openDay(this.#sequencer.nextDay(first, this.#now)!);
    this.live = new LiveDay(opening);
    writeOpening(this.#record, opening);
    this.#append('opening');
  }

  /** Commits all trades up to `promiseNs`, a nanosecond of the day. */
  commit(promiseNs: number): void {
    const batches = [];
    while (this.#reachedNs < promiseNs) {
      const slice = Math.floor(this.#reachedNs / SLICE_NS);
      const toNs = Math.min(promiseNs, (slice + 1) * SLICE_NS);
      for (const feed of this.#feeds) {
        feed.enter(this.day, slice, this.#reachedNs);
        const batch = feed.take(toNs);
        if (batch !== null) batches.push(batch);
      }
      this.#reachedNs = toNs;
    }
    this.#sequencer.take(new Offer(batches, epochNs(this.day, promiseNs)), this.#now);
    const { kind, commit } = this.#sequencer.pendingCommit();
    writeCommit(this.#record, commit);
    this.#append(kind);
    this.live.apply(commit);
    this.#sequencer.clearPending();
  }

  checkpoint(sequence: number): DayCheckpoint {
    const contracts = this.live.columns.map((columns) => ({
      columns,
      count: columns.count,
      highestId: columns.highestId,
    }));
    const [day, end, sequencer] = [this.day, this.#end, this.#sequencer.state!];
    return { dataset: SIM_DATASET, day, end, sequence, isEnded: false, sequencer, contracts };
  }

  /** The records since the last call; valid until the next commit. */
  takeLog(): Uint8Array {
    const taken = this.#log.subarray(0, this.#logged);
    this.#logged = 0;
    return taken;
  }

  #append(kind: RecordKind): void {
    const { bytes, records, checksum } = this.#end;
    const next = this.#record.finish(kind, records, checksum, bytes);
    const record = this.#record.bytes;
    if (this.#logged + record.length > this.#log.length) {
      const grown = new Uint8Array(2 * this.#log.length + record.length);
      grown.set(this.#log);
      this.#log = grown;
    }
    this.#log.set(record, this.#logged);
    this.#logged += record.length;
    this.#end = { bytes: bytes + record.length, records: records + 1, checksum: next };
  }
}
