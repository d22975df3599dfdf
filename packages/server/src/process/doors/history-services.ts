/**
 * Composes the parts that serve history: the compute threads with their cache, the table thread, and what exports
 * share.
 */

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ComputeCounters } from '../../compute/compute-counters.ts';
import { ComputePool, computeThreadsFor } from '../../compute/compute-pool.ts';
import { startComputeThread } from '../../compute/compute-thread.ts';
import type { Config } from '../../config/config.ts';
import { DigestThread } from '../../exports/digest-thread.ts';
import { ExportPace } from '../../exports/export-pace.ts';
import { ExportSecretError, exportSecret } from '../../exports/export-secret.ts';
import { ExportTokens, type TokenSecrets } from '../../exports/export-token.ts';
import { TableThread } from '../../exports/table-thread.ts';
import { AWAITED_LIMITS } from '../../history/awaited-cover.ts';
import { StartRefusedError } from '../../operations/start/start-refused-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import type { Log } from '../../platform/log/log.ts';
import { SharedSlots } from '../../platform/sharing/shared-slots.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import { removeUnfinished } from '../../results/cache-entries.ts';
import { CacheSize } from '../../results/cache-size.ts';
import type { TradingSessions } from '../../runs/session-tables.ts';
import type { DayDamage } from '../../runs/sound-tape.ts';
import type { Ingests } from '../ingest/ingests.ts';
import type { HistoryReadings } from '../metrics/service-metrics.ts';
import type { RestParts } from './rest-door.ts';

const MS_NS = 1_000_000;

export interface HistoryServicesOptions {
  readonly config: Pick<Config, 'data' | 'cacheBytes'>;
  readonly imported: readonly string[];
  readonly log: Log;
  /** Real time. */
  readonly timers: Clock;
  readonly ingests: Pick<Ingests, 'follow'>;
  /** The secrets that sign export tokens, shared by the nodes; omitted: the secret in the data directory. */
  readonly tokenSecrets?: () => TokenSecrets;
  readonly onDamaged: (damage: DayDamage) => void;
  /** The sessions at the time a thread starts. */
  readonly sessions: () => TradingSessions;
}

export class HistoryServices implements AsyncDisposable {
  readonly compute: ComputePool;
  readonly #options: HistoryServicesOptions;
  readonly #counters = new ComputeCounters();
  readonly #cacheRoot: string;
  readonly #cacheSize: CacheSize;
  readonly #tables: TableThread;
  readonly #digests: DigestThread;
  readonly #pace: ExportPace;
  readonly #awaited = new SharedSlots(AWAITED_LIMITS);
  /** Null until `open`. */
  #exportTokens: ExportTokens | null = null;

  constructor(options: HistoryServicesOptions) {
    const { config, log, timers } = options;
    this.#options = options;
    this.#pace = new ExportPace(timers);
    this.#cacheRoot = join(config.data, 'cache');
    this.#cacheSize = new CacheSize({
      disk: new NodeDisk(),
      root: this.#cacheRoot,
      now: () => Number(timers.now()) / MS_NS,
      onFault: (error) => log.warn({ error }, 'the cache could not be looked through'),
    });
    this.compute = this.#startCompute();
    this.#tables = new TableThread({
      timers,
      onFault: (error) => log.error({ error }, 'a table of an export failed'),
    });
    this.#digests = new DigestThread({
      onFault: (error) => log.error({ error }, 'the thread for digests of exports died'),
    });
  }

  /** Must run before the endpoints open: export tokens issued by an earlier process stay valid. */
  async open(): Promise<void> {
    const { tokenSecrets: shared } = this.#options;
    this.#exportTokens = new ExportTokens({ secret: shared ?? (await this.#exportSecret()) });
  }

  /** Removes unfinished files that a crashed process left behind. */
  async tidyCache(): Promise<void> {
    const { log } = this.#options;
    try {
      const removed = await removeUnfinished(new NodeDisk(), this.#cacheRoot);
      if (removed > 0) log.info({ removed }, 'unfinished results of the cache were removed');
      await this.#cacheSize.look();
    } catch (error) {
      log.warn({ error }, 'the cache could not be tidied');
    }
  }

  get parts(): ReturnType<RestParts['past']> {
    const { timers } = this.#options;
    return {
      tokens: this.#exportTokens!,
      tables: this.#tables,
      digests: this.#digests,
      pace: this.#pace,
      awaited: this.#awaited,
      sources: { days: this.compute, replays: this.compute },
      pause: (ms) => sleep(timers, ms),
    };
  }

  get readings(): Omit<HistoryReadings, 'damagedDays'> {
    return {
      compute: () => this.compute.counts,
      tablesOpen: () => this.#tables.openCount,
      refused: () => ({
        cursors: this.#awaited.refusedCount,
        tables: this.#tables.refusedCount,
        bytes: this.#pace.refusedCount,
      }),
      pace: this.#pace,
      digests: this.#digests,
      counters: this.#counters,
      cacheBytes: () => this.#cacheSize.bytes,
      cacheBytesMax: this.#options.config.cacheBytes,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.compute[Symbol.asyncDispose]();
    await this.#tables[Symbol.asyncDispose]();
    await this.#digests[Symbol.asyncDispose]();
  }

  #startCompute(): ComputePool {
    const { config, imported, log, ingests, timers, sessions } = this.#options;
    const { data, cacheBytes } = config;
    return new ComputePool({
      threads: computeThreadsFor(availableParallelism()),
      timers,
      startThread: () =>
        startComputeThread({
          tapePorts: ingests.follow(),
          tapeRoot: join(data, 'tape'),
          imported,
          sessions: sessions(),
          cache: cacheBytes === 0 ? null : { root: this.#cacheRoot, bytesMax: cacheBytes },
          counts: this.#counters.addThread(),
        }),
      onDamaged: this.#options.onDamaged,
      onFault: (error, request) => {
        if (request !== null) log.error({ error, request }, 'a computation failed');
        else log.error({ error }, 'a compute thread has stopped; a new one starts');
      },
    });
  }

  async #exportSecret(): Promise<Uint8Array> {
    const { config, log } = this.#options;
    try {
      return await exportSecret(config.data, (what) => log.warn(what));
    } catch (error) {
      if (!(error instanceof ExportSecretError)) throw error;
      throw new StartRefusedError(error.message, { cause: error });
    }
  }
}
