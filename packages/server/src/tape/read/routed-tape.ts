/**
 * Reads each contract on the tape of its dataset: growing, imported, or growing with repairs from files. A dataset
 * without a growing tape has the time of the last growing one, which also serves unknown contracts.
 */

import type { MessagePort } from 'node:worker_threads';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { Disk } from '../../platform/disk/disk.ts';
import { ImportedTape, type NextDays } from '../imported/imported-tape.ts';
import type { Commit, LiveTape, Tape, TapeDay, TapePlace, Watermarks } from '../tape.ts';
import { type ImportedDaysTape, RepairedTape } from './repaired-tape.ts';
import { TapeFollower } from './tape-follower.ts';

export interface RoutedTapeOptions {
  /** The growing tapes, at least one. */
  readonly live: readonly TapeFollower[];
  /** By dataset; a growing tape with such days is read with its repairs. */
  readonly imported: ReadonlyMap<string, ImportedTape>;
  readonly datasetOf: (contract: string) => string | null;
}

/** `ports`: those of the growing tapes, by dataset. */
export async function followTapes(
  disk: Disk,
  tapeRoot: string,
  ports: ReadonlyMap<string, MessagePort>,
): Promise<readonly TapeFollower[]> {
  return await Promise.all(
    Array.from(ports, ([dataset, port]) => TapeFollower.connect(disk, tapeRoot, dataset, port)),
  );
}

/** Keyed by dataset. */
export async function openImportedTapes(
  disk: Disk,
  tapeRoot: string,
  datasets: readonly string[],
): Promise<ReadonlyMap<string, ImportedTape>> {
  const tapes = new Map<string, ImportedTape>();
  for (const dataset of datasets) {
    tapes.set(dataset, await ImportedTape.open(disk, tapeRoot, dataset));
  }
  return tapes;
}

export class RoutedTape implements LiveTape {
  readonly #options: RoutedTapeOptions;
  readonly #live: ReadonlyMap<string, TapeFollower>;
  /** Of datasets with imported days. */
  readonly #tapes: ReadonlyMap<string, Tape>;

  constructor(
    options: RoutedTapeOptions,
    imported: ReadonlyMap<string, ImportedDaysTape> = options.imported,
  ) {
    this.#options = options;
    this.#live = new Map(options.live.map((tape) => [tape.timeOf(), tape]));
    this.#tapes = new Map(
      Array.from(imported, ([dataset, tape]) => [dataset, this.#withRepairs(dataset, tape)]),
    );
  }

  promiseOf(symbol: string): EpochNs | null {
    return this.#liveOf(symbol).promise;
  }

  timeOf(symbol: string): string {
    return this.#liveOf(symbol).timeOf();
  }

  get watermarks(): Watermarks {
    return new Map(this.#options.live.flatMap(({ watermarks }) => [...watermarks]));
  }

  follow(listener: (commit: Commit) => void): Disposable {
    const following = new DisposableStack();
    for (const tape of this.#options.live) following.use(tape.follow(listener));
    return following;
  }

  days(symbol: string): Promise<readonly TapeDay[]> {
    return this.#tapeOf(symbol).days(symbol);
  }

  read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent?: boolean,
  ): AsyncIterable<TradeBatch> {
    return this.#tapeOf(symbol).read(symbol, from, to, isLent);
  }

  rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    return this.#tapeOf(symbol).rankBefore(symbol, day, ns);
  }

  async filesVersion(symbol: string, day: UtcDay): Promise<string> {
    return (await this.#tapeOf(symbol).filesVersion?.(symbol, day)) ?? '';
  }

  async daysVersion(symbol: string): Promise<string> {
    return (await this.#tapeOf(symbol).daysVersion?.(symbol)) ?? '';
  }

  endOf(symbol: string): EpochNs | null {
    const dataset = this.#options.datasetOf(symbol) ?? '';
    if (this.#live.has(dataset)) return null;
    return this.#options.imported.get(dataset)?.endOf(symbol) ?? null;
  }

  pinned(): RoutedTape {
    const { imported } = this.#options;
    if (imported.size === 0) return this;
    const pinned = [...imported].map(([dataset, tape]) => [dataset, tape.pinned()] as const);
    return new RoutedTape(this.#options, new Map(pinned));
  }

  /** Switches to the newest manifest of this dataset. */
  async refresh(dataset: string): Promise<void> {
    await this.#options.imported.get(dataset)?.refresh();
  }

  /** See `ImportedTape.next`; null where days are never replaced. */
  async next(symbol: string): Promise<NextDays | null> {
    const dataset = this.#options.datasetOf(symbol) ?? '';
    const next = await this.#options.imported.get(dataset)?.next(symbol);
    if (next === undefined) return null;
    return { tape: this.#withRepairs(dataset, next.tape), adopt: next.adopt };
  }

  #tapeOf(symbol: string): Tape {
    const dataset = this.#options.datasetOf(symbol);
    return (dataset === null ? undefined : this.#tapes.get(dataset)) ?? this.#liveOf(symbol);
  }

  #withRepairs(dataset: string, imported: ImportedDaysTape): Tape {
    const live = this.#live.get(dataset);
    return live === undefined ? imported : new RepairedTape({ live, memory: live, imported });
  }

  #liveOf(symbol: string): TapeFollower {
    const own = this.#live.get(this.#options.datasetOf(symbol) ?? '');
    return own ?? this.#options.live.at(-1)!;
  }
}
