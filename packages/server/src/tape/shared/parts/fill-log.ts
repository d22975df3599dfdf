/**
 * Fills the beginning of a local log whose day was joined by columns, from parts of its records, in the background. It
 * is written backwards, the opening's first bytes last: an incomplete log has no opening, and a start joins again.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { DiskFile } from '../../../platform/disk/disk.ts';
import { TapeDamagedError } from '../../tape-errors.ts';
import { fetchPart, listParts, type PartsStore } from './day-parts.ts';

const FIRST_BYTES = 8;

/** A log whose bytes below `to` are missing. */
export interface HollowLog {
  readonly day: UtcDay;
  readonly to: number;
  /** The log under its current name; closed when it is filled. */
  readonly file: DiskFile;
}

export interface LogFillerOptions {
  readonly store: PartsStore;
  /** Nothing is fetched before this resolves. */
  readonly begin: Promise<void>;
  readonly onFilled: (day: UtcDay) => void;
  readonly onFault: (what: string, error: unknown) => void;
}

export class LogFiller implements AsyncDisposable {
  readonly #options: LogFillerOptions;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #work: Promise<void>;
  #isStopped = false;

  constructor(logs: readonly HollowLog[], options: LogFillerOptions) {
    this.#options = options;
    this.#work = logs.length === 0 ? Promise.resolve() : this.#fillAll(logs);
  }

  /** A log that is incomplete by now stays incomplete. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#stopped.resolve();
    await this.#work;
  }

  async #fillAll(logs: readonly HollowLog[]): Promise<void> {
    const { begin, onFilled, onFault } = this.#options;
    await Promise.race([begin, this.#stopped.promise]);
    for (const log of logs) {
      await using _file = log.file;
      try {
        if (await this.#fill(log)) onFilled(log.day);
      } catch (error) {
        const what = `the log of ${log.day} is missing its beginning, so nothing can be repaired from it`;
        if (!this.#isStopped) onFault(what, error);
      }
    }
  }

  /** False when disposal came first. */
  async #fill({ day, to, file }: HollowLog): Promise<boolean> {
    if (this.#isStopped) return false;
    const { store } = this.#options;
    const parts = (await listParts(store.objects, day)).filter(({ from }) => from < to);
    if ((parts.at(-1)?.to ?? 0) < to) {
      throw new TapeDamagedError('parts end too early', { file: `part.${day}`, offset: to });
    }
    for (const part of parts.toReversed()) {
      const bytes = (await fetchPart(store, part)).subarray(0, to - part.from);
      if (this.#isStopped) return false;
      const held = part.from === 0 ? FIRST_BYTES : 0;
      await file.write(bytes.subarray(held), part.from + held);
      if (held > 0) await file.write(bytes.subarray(0, held), 0);
    }
    return true;
  }
}
