/**
 * Handles SIGHUP: reads settings, offers, pages and instruments again, as a start would, and applies what a running
 * service can change. If one file is invalid, nothing changes, and the log names the file and the field. Valid changes
 * that need a restart are logged; the others take effect.
 */

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { rangeText } from '@tapeloom/core/entitlement/ip-range';
import { pricingOf } from '../billing/offers.ts';
import { type Config, ConfigError, changedSettings } from '../config/config.ts';
import { type DatasetFacts, diffInstruments } from '../markets/instruments/instruments-diff.ts';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';
import { needsRestart } from '../markets/instruments/running-instruments.ts';
import { listedDatasets, relisted } from '../markets/read-markets.ts';
import { readNamedFiles } from '../operations/start/named-files.ts';
import { readServiceMarkets, requireDistinctNames } from '../operations/start/service-markets.ts';
import { StartRefusedError } from '../operations/start/start-refused-error.ts';
import type { Clock } from '../platform/clock.ts';
import { NodeDisk } from '../platform/disk/node-disk.ts';
import type { Log } from '../platform/log/log.ts';
import { SerialQueue } from '../platform/waiting/serial-queue.ts';
import type { Reloadable } from './reloadable.ts';
import type { Service } from './service.ts';

const RELOADED = ['TAPELOOM_OFFERS', 'TAPELOOM_PAGES', 'TAPELOOM_TRUSTED_PROXIES'];

export interface ReloaderOptions {
  readonly config: Config;
  readonly live: Reloadable;
  /** Reads the configuration as a start would; throws a `ConfigError`. */
  readonly readConfig: () => Config;
  readonly readFile: (path: string) => string;
  readonly service: Pick<Service, 'markets' | 'reload' | 'countReload'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

interface Found {
  readonly live: Reloadable;
  /** Null: the instruments stay as they are. */
  readonly listed: readonly ListedDataset[] | null;
  readonly changes: readonly string[];
  readonly waiting: readonly string[];
}

export class Reloader {
  readonly #options: ReloaderOptions;
  #live: Reloadable;
  readonly #reloads = new SerialQueue();

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#live = options.live;
  }

  /** Resolves when the reload is over, whether or not anything has changed. */
  reload(): Promise<void> {
    return this.#reloads.run(() => this.#reload());
  }

  async #reload(): Promise<void> {
    const { log, service } = this.#options;
    try {
      const { live, listed, changes, waiting } = await this.#read();
      await service.reload(live, listed);
      this.#live = live;
      service.countReload('applied');
      log.info({ changes }, changes.length === 0 ? 'reloaded: nothing has changed' : 'reloaded');
      if (waiting.length > 0) log.warn({ waiting }, 'some changes need a restart');
    } catch (error) {
      service.countReload('refused');
      const faults = faultsOf(error);
      if (faults === null) log.error({ error }, 'the reload failed; everything stays as it was');
      else log.error({ faults }, 'nothing was reloaded; everything stays as it was');
    }
  }

  async #read(): Promise<Found> {
    const { config: running, readConfig, readFile } = this.#options;
    const read = readConfig();
    const { offersFile, pages, trustedProxies } = read;
    // Offers are checked against the payment providers that are open now, not those that a restart would open.
    const config = { ...running, offersFile, pages };
    const live = { ...readNamedFiles(config, readFile), trustedProxies };
    const instruments = await this.#instruments(config);
    const settings = changedSettings(running, read).filter((name) => !RELOADED.includes(name));
    return {
      live,
      listed: instruments.listed,
      changes: [...changesBetween(this.#live, live), ...instruments.changes],
      waiting: [...settings.map((name) => `${name} has changed.`), ...instruments.waiting],
    };
  }

  async #instruments(config: Config): Promise<Pick<Found, 'listed' | 'changes' | 'waiting'>> {
    const { markets } = this.#options.service;
    const after = listedDatasets(await readServiceMarkets({ config }));
    const before = listedDatasets(markets);
    if (isDeepStrictEqual(before, after)) return { listed: null, changes: [], waiting: [] };
    const waiting = needsRestart(before, after).map((why) => `Instruments: ${why}`);
    if (waiting.length > 0) return { listed: null, changes: [], waiting };
    const now = this.#options.clock.now();
    await requireDistinctNames(relisted(markets, after), now);
    const facts = await this.#factsOf(after);
    const all = diffInstruments({ datasets: before }, { datasets: after }, now, (dataset) => {
      return facts.get(dataset)!;
    });
    const refused = all.filter(({ isRefused }) => isRefused);
    if (refused.length > 0) {
      const path = join(config.data, 'instruments.yaml');
      throw new ConfigError(refused.map((one) => `${path}: ${one.dataset}: ${one.sentence}`));
    }
    const changes = all.map(({ dataset, sentence }) => `Instruments: ${dataset}: ${sentence}`);
    return { listed: after, changes, waiting: [] };
  }

  async #factsOf(listed: readonly ListedDataset[]): Promise<ReadonlyMap<string, DatasetFacts>> {
    const { datasetFacts } = await import('../markets/instruments/applied-instruments.ts');
    const tapeRoot = join(this.#options.config.data, 'tape');
    const facts = new Map<string, DatasetFacts>();
    for (const { name } of listed) {
      facts.set(name, await datasetFacts(new NodeDisk(), tapeRoot, name));
    }
    return facts;
  }
}

function changesBetween(before: Reloadable, after: Reloadable): readonly string[] {
  const [old, young] = [before.offers, after.offers].map(pricingOf);
  const parts = Object.keys(young!) as (keyof typeof young)[];
  const offers = parts.filter((part) => !isDeepStrictEqual(old![part], young![part]));
  const pages = after.operatorPages.changedFrom(before.operatorPages);
  const changes: string[] = [];
  if (offers.length > 0) changes.push(`Offers: ${offers.join(', ')}.`);
  if (pages.length > 0) changes.push(`Pages: ${pages.join(', ')}.`);
  if (!isDeepStrictEqual(before.trustedProxies, after.trustedProxies)) {
    changes.push(`Proxies: ${after.trustedProxies.map(rangeText).join(', ') || 'none'}.`);
  }
  return changes;
}

/** Faults that an operator can correct; null for an internal fault. */
function faultsOf(error: unknown): readonly string[] | null {
  if (error instanceof ConfigError) return error.faults;
  return error instanceof StartRefusedError ? [error.message] : null;
}
