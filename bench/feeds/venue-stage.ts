/** A running service that receives from a simulated Binance in another process. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { openTape } from '@tapeloom/server/tape/write/open-tape';
import { tapeRows } from '../../packages/server/testing/tape/tape-on-sim-disk.ts';
import { RunningService } from '../../tests/running-service.ts';
import { SERVICE_OF_SOURCES } from '../../tests/tapeloom-program.ts';
import { FeedReader } from './feed-reader.ts';
import { contractOf, type VenueOrder } from './venue-contracts.ts';

const DATASET = 'VENUE';

export interface VenueTimes {
  readonly counts: readonly (readonly [symbol: string, trades: number])[];
  /** Milliseconds of all trades of the first contract. */
  readonly first: readonly number[];
}

export class VenueStage implements AsyncDisposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'tapeloom-venue-'));
  readonly #venue: ChildProcess;
  #service: RunningService | null = null;

  private constructor(contracts: number, tradesPerSecond: number) {
    const program = new URL('./venue-process.ts', import.meta.url);
    this.#venue = fork(program, [`${contracts}`, `${tradesPerSecond}`]);
  }

  /** Resolves when the service is ready. The venue is quiet. */
  static async open(contracts: number, tradesPerSecond: number): Promise<VenueStage> {
    const stage = new VenueStage(contracts, tradesPerSecond);
    await once(stage.#venue, 'message');
    const addresses = await stage.order('addresses');
    const products = Array.from({ length: contracts }, (_, index) => {
      const { venueSymbol, tick, lot } = contractOf(index + 1);
      const terms = { extends: 'crypto-perpetual', name: venueSymbol, venueSymbol, tick, lot };
      return [venueSymbol, terms] as const;
    });
    const live = { feed: 'binance-usdm', addresses };
    const file = { datasets: { [DATASET]: { live, products: Object.fromEntries(products) } } };
    const now = createClock({ kind: 'system' }).now();
    const disk = new NodeDisk();
    await applyInstruments(disk, stage.#data, JSON.stringify(file), { now, beside: null });
    const service = new RunningService({ data: stage.#data, program: SERVICE_OF_SOURCES });
    stage.#service = service;
    await service.ready();
    return stage;
  }

  async order<Answer>(order: VenueOrder): Promise<Answer> {
    this.#venue.send(order);
    const [{ answer }] = await once(this.#venue, 'message');
    return answer as Answer;
  }

  async read(contract: string): Promise<FeedReader> {
    const service = this.#service!;
    return await FeedReader.open(service.address('stream'), service.keys.live, contract);
  }

  /** How far the feed is behind, by its own metrics. */
  async lagSeconds(): Promise<number> {
    const text = await (await fetch(this.#service!.address('metrics'))).text();
    return Number(/^tapeloom_feed_lag_seconds{[^}]*} (\S+)$/m.exec(text)?.[1]);
  }

  /** Ends the service, and counts the trades of each contract on its tape. */
  async endAndCount(symbols: readonly string[]): Promise<readonly number[]> {
    await this.#service!.stop('SIGTERM');
    const now = () => createClock({ kind: 'system' }).now();
    const onFailure = (error: unknown) => {
      throw error;
    };
    await using open = await openTape({
      ...{ disk: new NodeDisk(), tapeRoot: `${this.#data}/tape`, dataset: DATASET },
      ...{ listed: () => [], now, onFailure },
    });
    const counts: number[] = [];
    for (const symbol of symbols) counts.push((await tapeRows(open.tape, symbol)).length);
    return counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#venue.disconnect();
    await this.#service?.stop('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#directory, 'data');
  }
}
