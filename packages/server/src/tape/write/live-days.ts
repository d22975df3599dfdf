/**
 * Applies durable records. Trades go to memory first, then followers are notified. Once the next day has opened, a day
 * is sealed into files and named in the manifest; only then its log and its memory are released. No decision is made
 * here: the same records give the same days on every machine.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { epochNs } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import { gapSpans } from '../gap-spans.ts';
import { LiveDay } from '../live-day.ts';
import { DayConflictError } from '../tape-errors.ts';
import type { TapeGap } from '../tape-gap.ts';
import type { SealedPart, TapeManifest } from '../tape-manifest.ts';
import { daysDirectory, sidecarPath } from '../tape-paths.ts';
import type { Commit, Opening } from './log/log-payload.ts';
import { sealColumns } from './seal/seal.ts';
import type { SequencerCounters } from './sequencer/sequencer-counters.ts';
import type { TapePublisher } from './tape-publisher.ts';

const NO_GAPS: readonly TapeGap[] = [];
/** Ended days that may wait to be sealed. Beyond this, opening the next day waits for the sealing. */
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

  /** `found`: the days that recovery found, ascending. All but the newest have ended. */
  constructor(options: LiveDaysOptions, found: readonly LiveDay[]) {
    this.#options = options;
    this.#newest = found.at(-1) ?? null;
    for (const day of found.slice(0, -1)) this.#sealLater(day);
  }

  get newest(): LiveDay | null {
    return this.#newest;
  }

  /** Resolves with the error when a day could not be sealed; otherwise never. */
  get failed(): Promise<unknown> {
    return this.#failed.promise;
  }

  /** Waits while too many ended days are not sealed yet. Rejects when `day` itself is sealed already. */
  async makeRoomFor(day: UtcDay): Promise<void> {
    const { disk, tapeRoot, dataset } = this.#options;
    if (this.#unsealed > UNSEALED_DAYS_MAX) await this.#sealing.idle;
    for (const symbol of await disk.list(daysDirectory(tapeRoot, dataset))) {
      if ((await disk.stat(sidecarPath(tapeRoot, dataset, symbol, day))) === null) continue;
      throw new DayConflictError(dataset, symbol, day, 'is sealed already, and cannot be opened');
    }
  }

  /** A day's opening is durable, so the day before it has ended. */
  async opened(opening: Opening): Promise<void> {
    const { day, promiseNs } = opening;
    const { manifest, publisher } = this.#options;
    const ended = this.#newest;
    this.#newest = new LiveDay(opening);
    await manifest.logBegun(day);
    publisher.opened(this.#newest, epochNs(day, promiseNs));
    if (ended !== null) this.#sealLater(ended);
  }

  /** A commit of the newest day is durable and is shown to readers. */
  committed(commit: Commit): void {
    const live = this.#newest!;
    const before = commit.sections.map((section) => section.firstRank - 1);
    const grown = live.apply(commit);
    const promise = epochNs(live.day, commit.promiseNs);
    this.#options.publisher.committed(live.day, { grown, before, promise, gaps: gapsIn(commit) });
  }

  /** Resolves when no day is being sealed or waits to be. */
  sealed(): Promise<void> {
    return this.#sealing.idle;
  }

  /** Days that are not sealed by now stay unsealed; the next start seals them. */
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

  /** False when `stop` came first. */
  async #seal({ day, columns, notes }: LiveDay): Promise<boolean> {
    const { disk, tapeRoot, dataset, manifest, counters, publisher, retireLog } = this.#options;
    const parts: SealedPart[] = [];
    const end = epochNs(day, DAY_NS);
    for (const one of columns) {
      if (this.#isStopped) return false;
      const { symbol } = one;
      const gaps = gapSpans(notes.gaps, symbol, day, end);
      const place = { dataset, symbol, day, expected: manifest.digestOf(symbol, day), gaps };
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

function gapsIn({ notes }: Commit): readonly TapeGap[] {
  if (notes.length === 0) return NO_GAPS;
  return notes.flatMap((note) => (note.kind === 'gap' ? note.gap : []));
}
