/**
 * The tapes of the datasets that a composite is made of, in the thread that writes the composite's. It also looks once a
 * second whether finished days of the members have changed, and makes those of the composite again.
 */

import type { MessagePort } from 'node:worker_threads';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { makeCompositeDays, type SettledComposites } from '../../imports/composite-days.ts';
import type { ListedDataset } from '../../markets/instruments/instruments-file.ts';
import type { LiveMarket } from '../../markets/market.ts';
import type { MarketSetting } from '../../markets/market-setting.ts';
import type { Clock } from '../../platform/clock.ts';
import { DirectoryLockedError, lockDirectory } from '../../platform/disk/directory-lock.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { ImportedTape } from '../../tape/imported/imported-tape.ts';
import { RepairedTape } from '../../tape/read/repaired-tape.ts';
import { TapeFollower } from '../../tape/read/tape-follower.ts';
import { importedPath, manifestPath } from '../../tape/tape-paths.ts';
import type { FromIngest } from './ingest-wire.ts';

const LOOK_EVERY_MS = 1_000;

export interface MemberTapesOptions {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly setting: MarketSetting;
  readonly market: LiveMarket;
  /** How many days before today are kept; 0: all. */
  readonly keepDays: number;
  readonly timers: Pick<Clock, 'now' | 'every'>;
  readonly send: (news: FromIngest) => void;
}

interface Member {
  readonly imported: ImportedTape;
  readonly tape: RepairedTape;
}

export class MemberTapes implements Disposable {
  readonly #options: MemberTapesOptions;
  readonly #members = new Map<string, Member>();
  readonly #settled: SettledComposites = new Map();
  readonly #stopping = new AbortController();
  #listed: ListedDataset | null;
  #looking: Disposable | null = null;
  #isLooking = false;
  readonly #faults = new Set<string>();
  #version = '';

  constructor(options: MemberTapesOptions) {
    this.#options = options;
    const { setting, timers } = options;
    this.#listed = setting.kind === 'composite' ? setting.listed : null;
    if (this.#listed !== null) this.#looking = timers.every(LOOK_EVERY_MS, () => void this.#look());
  }

  /** The state of a tape comes once its own first days are there. */
  async join(dataset: string, port: MessagePort): Promise<void> {
    const { disk, tapeRoot, market, send } = this.#options;
    try {
      const follower = await TapeFollower.connect(disk, tapeRoot, dataset, port);
      const imported = await ImportedTape.open(disk, tapeRoot, dataset);
      const tape = new RepairedTape({ live: follower, memory: follower, imported });
      this.#members.set(dataset, { imported, tape });
      market.join?.(dataset, follower);
    } catch (error) {
      send({ t: 'fault', what: `the tape of ${dataset} cannot be followed`, error });
    }
  }

  relist(listed: ListedDataset): void {
    if (this.#listed === null) return;
    this.#listed = listed;
    this.#version = '';
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
    this.#looking?.[Symbol.dispose]();
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#stopping.signal.aborted) return;
    this.#isLooking = true;
    try {
      const version = await this.#versionNow();
      if (version === this.#version) return;
      for (const { imported } of this.#members.values()) await imported.refresh();
      if (await this.#repair()) this.#version = version;
    } catch (error) {
      // A day that was replaced meanwhile is read again at the next look.
      if (!this.#stopping.signal.aborted) this.#fault(error);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Each fault is logged once. */
  #fault(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#faults.has(message)) return;
    this.#faults.add(message);
    this.#options.send({ t: 'fault', what: 'a day of a composite could not be made', error });
  }

  async #repair(): Promise<boolean> {
    const { disk, tapeRoot, timers } = this.#options;
    const dataset = this.#listed!;
    const now = timers.now();
    return await makeCompositeDays(
      {
        ...{ disk, tapeRoot, dataset, now, oldest: this.#oldest() },
        tapes: new Map([...this.#members].map(([name, { tape }]) => [name, tape])),
        lock: () => lockUnlessHeld(`${tapeRoot}/${dataset.name}`),
        signal: this.#stopping.signal,
        onDamage: (error) => this.#fault(error),
      },
      this.#settled,
    );
  }

  #oldest(): UtcDay {
    const { keepDays, timers } = this.#options;
    return keepDays === 0 ? (0 as UtcDay) : addDays(dayOf(timers.now()), -keepDays);
  }

  /** Changes when days are sealed, imported or removed. */
  async #versionNow(): Promise<string> {
    const { disk, tapeRoot } = this.#options;
    const files = [...this.#members.keys()].flatMap((dataset) => [
      importedPath(tapeRoot, dataset),
      manifestPath(tapeRoot, dataset),
    ]);
    files.push(manifestPath(tapeRoot, this.#listed!.name));
    const entries = await Promise.all(files.map((file) => disk.stat(file)));
    return entries.map((entry) => entry?.version ?? '').join(' ') || 'none';
  }
}

function lockUnlessHeld(directory: string): Disposable | null {
  try {
    return lockDirectory(directory);
  } catch (error) {
    if (error instanceof DirectoryLockedError) return null;
    throw error;
  }
}
