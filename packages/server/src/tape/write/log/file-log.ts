/** The log of a tape that only this machine writes: one file per day. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../../platform/disk/disk.ts';
import { logDirectory, logPath } from '../../tape-paths.ts';
import { DayLog } from './day-log.ts';
import type { Commit, Opening } from './log-payload.ts';
import type { TapeLog } from './tape-log.ts';

export class FileLog implements TapeLog {
  readonly #disk: Disk;
  readonly #tapeRoot: string;
  readonly #dataset: string;
  #newest: DayLog | null;

  /** `newest` is the log that recovery found; appends resume there. */
  constructor(disk: Disk, tapeRoot: string, dataset: string, newest: DayLog | null) {
    this.#disk = disk;
    this.#tapeRoot = tapeRoot;
    this.#dataset = dataset;
    this.#newest = newest;
  }

  async begin(opening: Opening): Promise<void> {
    const path = logPath(this.#tapeRoot, this.#dataset, opening.day);
    const log = await DayLog.create(this.#disk, path, opening);
    await this.#newest?.[Symbol.asyncDispose]();
    this.#newest = log;
  }

  append(kind: 'commit' | 'end', commit: Commit, onSyncing?: () => void): Promise<Uint8Array> {
    return this.#newest!.append(kind, commit, onSyncing);
  }

  async remove(day: UtcDay): Promise<void> {
    await this.#disk.remove(logPath(this.#tapeRoot, this.#dataset, day));
    await this.#disk.syncDirectory(logDirectory(this.#tapeRoot, this.#dataset));
  }

  /** Marks a clean shutdown. */
  async close(): Promise<void> {
    await this.#newest?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#newest?.[Symbol.asyncDispose]();
    this.#newest = null;
  }
}
