/** The thread that reads a foreign file. It signals every second that it is not stuck. */

import { parentPort, workerData } from 'node:worker_threads';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { ThreadDesk } from '../../platform/threads/thread-desk.ts';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import { type DefinitionPiece, definitionsOf } from '../dbn/definition-file.ts';
import type { FeedTrades } from '../feed-trades.ts';
import { type OpenFeed, openFeed } from '../open-feed.ts';
import type { ByteSource } from '../packed/byte-source.ts';
import { toRefusal } from './feed-refusal.ts';
import type { CopiedTrades, FeedShape, FeedState } from './feed-wire.ts';

const ALIVE_EVERY_MS = 1_000;

interface Reading<Piece> extends AsyncDisposable {
  readonly pieces: AsyncIterator<Piece>;
}

interface OpenTrades extends Reading<FeedTrades> {
  readonly feed: OpenFeed;
  readonly bytesRead: () => number;
  namesSent: number;
}

const { alive } = workerData as { readonly alive: Int32Array };
const desk = new ThreadDesk<FeedShape>(parentPort!);
const disk = new NodeDisk();
let trades: OpenTrades | null = null;
let definitions: Reading<DefinitionPiece> | null = null;
/** The file of an abandoned read is closed before the next one is opened. */
const calls = new SerialQueue();

showLife();
setInterval(showLife, ALIVE_EVERY_MS).unref();
desk.open({
  calls: {
    open: async (path, size, hints) =>
      await calls.run(async () => {
        await close();
        trades = await openTrades(path, size, hints);
        const { reasons, mapping } = trades.feed;
        return { reasons, mapping };
      }),
    next: async () => await calls.run(async () => await nextOf(trades!)),
    openDefinitions: async (path, size) =>
      await calls.run(async () => {
        await close();
        const { source, file } = await sourceOf(path, size);
        definitions = reading(definitionsOf(source, path), file);
      }),
    nextDefinitions: async () =>
      await calls.run(async () => {
        const { value, done } = await definitions!.pieces.next();
        showLife();
        return done === true ? null : value;
      }),
    close: async () => await calls.run(close),
  },
  refusalOf: toRefusal,
  movesMemory: true,
});

function showLife(): void {
  Atomics.add(alive, 0, 1);
}

async function sourceOf(path: string, size: number) {
  const file = await disk.open(path, 'read');
  let bytesRead = 0;
  const source: ByteSource = {
    size,
    read: async (into, position) => {
      showLife();
      const count = await file.read(into, position);
      bytesRead += count;
      return count;
    },
    onPlace: (place) => {
      showLife();
      desk.tell(place);
    },
  };
  return { file, source, bytesRead: () => bytesRead };
}

async function openTrades(...[path, size, hints]: Parameters<FeedShape['calls']['open']>) {
  const { file, source, bytesRead } = await sourceOf(path, size);
  try {
    const feed = await openFeed(source, path, hints);
    return { feed, bytesRead, namesSent: 0, ...reading(feed.trades(), file) };
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

function reading<Piece>(from: AsyncIterable<Piece>, file: AsyncDisposable): Reading<Piece> {
  const pieces = from[Symbol.asyncIterator]();
  return {
    pieces,
    [Symbol.asyncDispose]: async () => {
      await pieces.return?.();
      await file[Symbol.asyncDispose]();
    },
  };
}

async function close(): Promise<void> {
  const last = trades ?? definitions;
  trades = null;
  definitions = null;
  await last?.[Symbol.asyncDispose]();
}

async function nextOf(from: OpenTrades) {
  const { value, done } = await from.pieces.next();
  showLife();
  const batch = done === true ? null : copied(value);
  return { batch, state: stateOf(from) };
}

function stateOf(from: OpenTrades): FeedState {
  const { feed } = from;
  const count = feed.instrumentCount();
  // While there is only one instrument, its name may still change.
  const namesFrom = from.namesSent === count ? count : from.namesSent > 1 ? from.namesSent : 0;
  from.namesSent = count;
  const fresh = Array.from({ length: count - namesFrom }, (_, index) => namesFrom + index);
  return {
    format: feed.format(),
    namesFrom,
    names: fresh.map((index) => feed.namesOf(index)),
    skipped: fresh.map((index) => feed.skippedAs(index)),
    counts: new Map(feed.counts()),
    said: feed.said(),
    bytesRead: from.bytesRead(),
  };
}

function copied(batch: FeedTrades): CopiedTrades {
  const { count, priceDecimals, sizeDecimals } = batch;
  const rows = new Float64Array(count);
  for (let index = 0; index < count; index += 1) rows[index] = batch.rowOf(index);
  return {
    count,
    priceDecimals,
    sizeDecimals,
    instruments: batch.instruments.slice(0, count),
    days: batch.days.slice(0, count),
    ns: batch.ns.slice(0, count),
    prices: batch.prices.slice(0, count),
    sizes: batch.sizes.slice(0, count),
    sides: batch.sides.slice(0, count),
    rows,
  };
}
