/**
 * What becomes of records that are durable, whoever wrote them: the trades are in memory, then readers are told; a day
 * whose next one has opened is sealed into files, the manifest names them, and only then its log and its memory
 * are given up. Nothing here decides anything: the same records give the same days on every machine.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import { LiveDay } from '../live-day.ts';
import { DayConflictError } from '../tape-errors.ts';
import type { SealedPart, TapeManifest } from '../tape-manifest.ts';
import { daysDirectory, sidecarPath } from '../tape-paths.ts';
import type { Commit, Opening } from './log/log-payload.ts';
import { sealColumns } from './seal/seal.ts';
import type { SequencerCounters } from './sequencer/sequencer-counters.ts';
import type { TapePublisher } from './tape-publisher.ts';

/** Ended days that may wait to be sealed before the next day has to wait for them. */
const UNSEALED_DAYS_MAX = 2;

export interface LiveDaysOptions {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly manifest: TapeManifest;
  readonly counters: SequencerCounters;
  readonly publisher: TapePublisher;
  /** Gives up the log of a day that is sealed and named. */
  readonly retireLog: (day: UtcDay) => Promise<void>;
}

export class LiveDays {
  readonly #options: LiveDaysOptions;
  readonly #failed = Promise.withResolvers<unknown>();
  #newest: LiveDay | null;
  readonly #sealing = new SerialQueue();
  #unsealed = 0;
  #isStopped = false;

  /** With what recovery found, in the order of days: all but the newest have ended. */
  constructor(options: LiveDaysOptions, found: readonly LiveDay[]) {
    this.#options = options;
    this.#newest = found.at(-1) ?? null;
    for (const day of found.slice(0, -1)) this.#sealLater(day);
  }

  /** The day that was opened last. */
  get newest(): LiveDay | null {
    return this.#newest;
  }

  /** Resolves to why a day could not be sealed; never, if all can. */
  get failed(): Promise<unknown> {
    return this.#failed.promise;
  }

  /** Waits while too many ended days are not sealed yet. Rejects when this one is sealed already. */
  async makeRoomFor(day: UtcDay): Promise<void> {
    const { disk, tapeRoot, dataset } = this.#options;
    if (this.#unsealed > UNSEALED_DAYS_MAX) await this.#sealing.idle;
    for (const symbol of await disk.list(daysDirectory(tapeRoot, dataset))) {
      if ((await disk.stat(sidecarPath(tapeRoot, dataset, symbol, day))) === null) continue;
      throw new DayConflictError(dataset, symbol, day, 'is sealed already, and cannot be opened');
    }
  }

  /** A day's opening is durable: the day before is over. */
  async opened(opening: Opening): Promise<void> {
    const { day, promiseNs } = opening;
    const { manifest, publisher } = this.#options;
    const ended = this.#newest;
    this.#newest = new LiveDay(opening);
    await manifest.logBegun(day);
    publisher.opened(this.#newest, epochNs(day, promiseNs));
    if (ended !== null) this.#sealLater(ended);
  }

  /** A commit of the newest day is durable: readers may see it. */
  committed(commit: Commit): void {
    const live = this.#newest!;
    const before = commit.sections.map((section) => section.firstRank - 1);
    const grown = live.apply(commit);
    const promise = epochNs(live.day, commit.promiseNs);
    this.#options.publisher.committed(live.day, grown, before, promise);
  }

  /** Resolves when no day is being sealed, nor waits to be. */
  sealed(): Promise<void> {
    return this.#sealing.idle;
  }

  /** What is not sealed by now stays so; the next start seals it. */
  stop(): void {
    this.#isStopped = true;
  }

  #sealLater(day: LiveDay): void {
    this.#unsealed += 1;
    void this.#sealing.run(async () => {
      try {
        if (await this.#seal(day)) this.#unsealed -= 1;
      } catch (error) {
        this.#isStopped = true;
        this.#failed.resolve(error);
      }
    });
  }

  /** False when it was stopped first. */
  async #seal({ day, columns }: LiveDay): Promise<boolean> {
    const { disk, tapeRoot, dataset, manifest, counters, publisher, retireLog } = this.#options;
    const parts: SealedPart[] = [];
    for (const one of columns) {
      if (this.#isStopped) return false;
      const { symbol } = one;
      const place = { dataset, symbol, day, expected: manifest.digestOf(symbol, day) };
      parts.push({ symbol, day, digest: await sealColumns(disk, tapeRoot, place, one) });
    }
    if (this.#isStopped) return false;
    await manifest.sealed(parts, day);
    await retireLog(day);
    counters.daysSealed += 1;
    publisher.sealed(day);
    return true;
  }
}
