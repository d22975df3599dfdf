/**
 * The ingest threads of this process, one for each dataset whose tape grows. Each has its own watermark, and a fault of
 * one leaves the others as they are. The last one's time is that of all datasets without a growing tape.
 */

import { dirname, join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { PushPosition } from '@tapeloom/protocol/push';
import {
  type ListedDataset,
  memberDatasetsOf,
} from '../../markets/instruments/instruments-file.ts';
import type { MarketSetting } from '../../markets/market-setting.ts';
import { openMarket } from '../../markets/open-market.ts';
import { receivedListings, sharedMarkets } from '../../markets/read-markets.ts';
import type { PushAnswer, PushRequest } from '../../platform/push-exchange.ts';
import type { ClockSetting } from '../../platform/system-clock.ts';
import type { DatasetBook } from '../../runs/session-tables.ts';
import type { RecoveryReport } from '../../tape/write/open-tape.ts';
import type { Computations } from '../../topics/epoch-floors.ts';
import { IngestHandle, type IngestNews } from './ingest-handle.ts';
import type { IngestOpened, IngestWorkerData, TapeSpread } from './ingest-wire.ts';

/** The directory of the tapes that a node of a cluster has for itself, beside the shared ones. */
const OWN_TAPES = 'node-tape';

export interface IngestsEvents {
  hear(dataset: string, message: IngestNews): void;
  down(dataset: string, error: unknown): void;
}

/** All tapes are open. */
export interface TapesOpened {
  readonly clock: ClockSetting;
  readonly books: readonly DatasetBook[];
  /** By dataset. */
  readonly recoveries: ReadonlyMap<string, RecoveryReport>;
}

export type IngestsSetting = Omit<IngestWorkerData, 'market' | 'clock'>;

export class Ingests implements AsyncDisposable {
  /** In the order of their settings. */
  readonly datasets: readonly string[];
  /** Those whose trades are received: an empty tape may stay empty. */
  readonly received: readonly string[];
  readonly #setting: IngestsSetting;
  readonly #events: IngestsEvents;
  readonly #handles = new Map<string, IngestHandle>();
  /** In a cluster, the markets whose tapes the nodes share. */
  readonly #shared: readonly MarketSetting[];
  readonly #opened: Promise<TapesOpened>;
  /** By dataset of composites, the datasets whose tapes it can read. */
  readonly #joined = new Map<string, Set<string>>();
  #isOver = false;

  constructor(markets: readonly MarketSetting[], setting: IngestsSetting, events: IngestsEvents) {
    this.#setting = setting;
    this.#events = events;
    this.#shared = sharedMarkets({ live: markets });
    this.datasets = markets.map((market) => openMarket(market).dataset);
    this.received = receivedListings({ live: markets }).map(({ name }) => name);
    this.#opened = this.#open(markets);
    // Callers that await it get the error.
    this.#opened.catch(() => undefined);
  }

  get opened(): Promise<TapesOpened> {
    return this.#opened;
  }

  /** The dataset whose tape gives the time of this one. */
  timeOf(dataset: string | null): string {
    const isOwn = dataset !== null && this.datasets.includes(dataset);
    return isOwn ? dataset : this.datasets.at(-1)!;
  }

  /** New ports of a follower of all tapes, by dataset. */
  follow(): ReadonlyMap<string, MessagePort> {
    return new Map(
      Array.from(this.#handles, ([dataset, handle]) => {
        const { port1, port2 } = new MessageChannel();
        handle.follow(port1);
        return [dataset, port2] as const;
      }),
    );
  }

  /** A reader waits for the present of a dataset. */
  wantWatermark(dataset: string): void {
    this.#handles.get(dataset)?.wantWatermark();
  }

  /** Replaces the contracts of a dataset; false if its tape does not grow here. */
  relist(listed: ListedDataset): boolean {
    const handle = this.#handles.get(listed.name);
    handle?.relist(listed);
    this.#join(listed);
    return handle !== undefined;
  }

  agree(computations: Computations): void {
    for (const handle of this.#handles.values()) handle.agree(computations);
  }

  /** The main thread applies these floors: the dataset's tape may proceed. */
  floorsHold(dataset: string, text: string): void {
    this.#handles.get(dataset)?.floorsHold(text);
  }

  spread(dataset: string, spread: TapeSpread): void {
    this.#handles.get(dataset)?.spread(spread);
  }

  /** A thread could not read a day: its files are checked, and the result arrives as `checked`. */
  check(dataset: string | null, symbol: string, day: UtcDay): void {
    this.#handles.get(dataset ?? '')?.check(symbol, day);
  }

  /** Whether the days that other nodes have are here too; true if the thread can no longer respond. */
  async daysHere(
    dataset: string | null,
    symbol: string,
    first: UtcDay,
    last: UtcDay,
  ): Promise<boolean> {
    return (await this.#handles.get(dataset ?? '')?.daysHere(symbol, first, last)) ?? true;
  }

  /** Rejects if the dataset's thread is gone. */
  async push(dataset: string, request: PushRequest): Promise<PushAnswer> {
    return await this.#handles.get(dataset)!.push(request);
  }

  async pushPosition(dataset: string): Promise<PushPosition | null> {
    return await this.#handles.get(dataset)!.pushPosition();
  }

  /** Resolves to whether all threads closed their tapes in time; they have ended either way. */
  async stop(): Promise<boolean> {
    this.#isOver = true;
    const others = this.#handles.size - 1;
    const stopped = await Promise.all(
      Array.from(this.#handles.values(), (one) => one.stop(others)),
    );
    return stopped.every((isClean) => isClean);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(Array.from(this.#handles.values(), (one) => one[Symbol.asyncDispose]()));
  }

  /** The first tape decides where a clock begins that is not the machine's; the others then start with it. */
  async #open(markets: readonly MarketSetting[]): Promise<TapesOpened> {
    const [first, ...others] = markets;
    const opening = this.#start(first!, null);
    const isMachineTime = this.#setting.speed === null;
    const clock = isMachineTime ? null : (await opening).clock;
    const starting = [opening, ...others.map((market) => this.#start(market, clock))];
    // All threads exist now, and their messages wait for them.
    for (const market of markets) if (market.kind === 'composite') this.#join(market.listed);
    const all = await Promise.all(starting);
    return {
      clock: all[0]!.clock,
      books: all.flatMap(({ books }, index) => {
        return books.map((book) => ({ dataset: this.datasets[index]!, book }));
      }),
      recoveries: new Map(all.map(({ recovery }, index) => [this.datasets[index]!, recovery])),
    };
  }

  /** Composites read the tapes of their members here, whichever node writes those. */
  #join(listed: ListedDataset): void {
    const joined = this.#joined.getOrInsertComputed(listed.name, () => new Set());
    for (const dataset of memberDatasetsOf(listed)) {
      const member = this.#handles.get(dataset);
      if (joined.has(dataset) || member === undefined) continue;
      joined.add(dataset);
      const { port1, port2 } = new MessageChannel();
      member.follow(port1);
      this.#handles.get(listed.name)?.join(dataset, port2);
    }
  }

  async #start(market: MarketSetting, clock: ClockSetting | null): Promise<IngestOpened> {
    if (this.#isOver) throw new Error('the service stopped before its tapes were open');
    const { dataset } = openMarket(market);
    const { shared, tapeRoot, ...own } = this.#setting;
    const isShared = shared !== undefined && this.#shared.includes(market);
    // Below `tape/` it may be a directory of the cluster, from when it was the only live dataset, or become one again.
    const isBeside = shared !== undefined && !isShared;
    const place = isBeside ? join(dirname(tapeRoot), OWN_TAPES) : tapeRoot;
    const data = { ...own, ...(isShared && { shared }), tapeRoot: place, market, clock };
    const handle = new IngestHandle(data, {
      hear: (message) => this.#events.hear(dataset, message),
      down: (error) => this.#events.down(dataset, error),
    });
    this.#handles.set(dataset, handle);
    return await handle.opened;
  }
}
