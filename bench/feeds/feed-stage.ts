/** A running service with pushed datasets, and a subscriber of one contract of each. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PushPosition } from '@tapeloom/protocol/push';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { RunningService } from '../../tests/running-service.ts';
import { SERVICE_OF_SOURCES } from '../../tests/tapeloom-program.ts';
import { FeedReader } from './feed-reader.ts';

export interface Feed {
  readonly dataset: string;
  readonly contract: string;
}

export class FeedStage implements AsyncDisposable {
  readonly feeds: readonly Feed[];
  readonly secret = randomBytes(32).toString('hex');
  /** On the disk whose speed is compared. */
  readonly directory = mkdtempSync(join(tmpdir(), 'tapeloom-feeds-'));
  #service: RunningService | null = null;

  private constructor(count: number) {
    this.feeds = Array.from({ length: count }, (_, index) => ({
      dataset: `LIVE${index + 1}`,
      contract: `COIN${index + 1}`,
    }));
  }

  static async open(count: number): Promise<FeedStage> {
    const stage = new FeedStage(count);
    writeFileSync(stage.#secretFile, stage.secret, { mode: 0o600 });
    const datasets = stage.feeds.map(
      ({ dataset, contract }) =>
        `  ${dataset}:\n    live: { source: push }\n    products:\n` +
        `      ${contract}: { extends: crypto-perpetual, name: A coin, tick: "0.1", lot: "0.001" }\n`,
    );
    const text = `datasets:\n${datasets.join('')}`;
    const now = createClock({ kind: 'system' }).now();
    await applyInstruments(new NodeDisk(), stage.#data, text, { now, beside: null });
    return stage;
  }

  get service(): RunningService {
    return this.#service!;
  }

  get internalUrl(): string {
    return new URL(this.service.address('metrics')).origin;
  }

  /** Resolves when the service is ready. */
  async start(): Promise<void> {
    this.#service = new RunningService({
      data: this.#data,
      program: SERVICE_OF_SOURCES,
      env: { TAPELOOM_PUSH_SECRET_FILE: this.#secretFile },
    });
    await this.#service.ready();
  }

  /** The contract's newest trade on the tape. */
  async lastId({ dataset, contract }: Feed): Promise<number> {
    const url = new URL(`/internal/trades/position?dataset=${dataset}`, this.internalUrl);
    const response = await fetch(url, { headers: { authorization: `Bearer ${this.secret}` } });
    const { contracts } = (await response.json()) as PushPosition;
    return contracts.find((one) => one.contract === contract)?.lastId ?? 0;
  }

  async read(feed: Feed): Promise<FeedReader> {
    const { live } = this.service.keys;
    return await FeedReader.open(this.service.address('stream'), live, feed.contract);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.stop('SIGKILL');
    rmSync(this.directory, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.directory, 'data');
  }

  get #secretFile(): string {
    return join(this.directory, 'secret');
  }
}
