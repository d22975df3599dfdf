/** The thread that reads a file of somebody else's. It shows every second that it is not stuck, unless it is. */

import { parentPort, workerData } from 'node:worker_threads';
import { NodeDisk } from '../../platform/node-disk.ts';
import { ThreadDesk } from '../../platform/thread-desk.ts';
import type { FeedTrades } from '../feed-trades.ts';
import { type OpenFeed, openFeed } from '../open-feed.ts';
import { toRefusal } from './feed-refusal.ts';
import type { CopiedTrades, FeedShape, FeedState } from './feed-wire.ts';

const ALIVE_EVERY_MS = 1_000;

interface Opened extends AsyncDisposable {
  readonly feed: OpenFeed;
  readonly batches: AsyncIterator<FeedTrades>;
  readonly bytesRead: () => number;
  namesSent: number;
}

const { alive } = workerData as { readonly alive: Int32Array };
const desk = new ThreadDesk<FeedShape>(parentPort!);
const disk = new NodeDisk();
let opened: Opened | null = null;
let before: Promise<unknown> = Promise.resolve();

showLife();
setInterval(showLife, ALIVE_EVERY_MS).unref();
desk.open({
  calls: {
    open: async (path, size, hints) =>
      await inTurn(async () => {
        await close();
        opened = await openPath(path, size, hints);
        return opened.feed.reasons;
      }),
    next: async () => await inTurn(async () => await nextOf(opened!)),
    close: async () => await inTurn(close),
  },
  refusalOf: toRefusal,
  movesMemory: true,
});

function showLife(): void {
  Atomics.add(alive, 0, 1);
}

/** One call after another: the file of a read that was given up is closed before the next one is opened. */
async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
  const turn = before.then(work);
  before = turn.catch(() => null);
  return await turn;
}

async function openPath(...[path, size, hints]: Parameters<FeedShape['calls']['open']>) {
  const file = await disk.open(path, 'read');
  let bytesRead = 0;
  const source = {
    size,
    read: async (into: Uint8Array, position: number) => {
      showLife();
      const count = await file.read(into, position);
      bytesRead += count;
      return count;
    },
    onPlace: (place: string) => {
      showLife();
      desk.tell(place);
    },
  };
  try {
    const feed = await openFeed(source, path, hints);
    const batches = feed.trades()[Symbol.asyncIterator]();
    return {
      feed,
      batches,
      bytesRead: () => bytesRead,
      namesSent: 0,
      [Symbol.asyncDispose]: async () => {
        await batches.return?.();
        await file[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

async function close(): Promise<void> {
  const last = opened;
  opened = null;
  await last?.[Symbol.asyncDispose]();
}

async function nextOf(from: Opened) {
  const { value, done } = await from.batches.next();
  showLife();
  const batch = done === true ? null : copied(value);
  return { batch, state: stateOf(from) };
}

function stateOf(from: Opened): FeedState {
  const { feed } = from;
  const count = feed.instrumentCount();
  // While there is only one instrument, it may go by another name.
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
    rows: Float64Array.from({ length: count }, (_, index) => batch.rowOf(index)),
  };
}
