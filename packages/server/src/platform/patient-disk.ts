/**
 * A disk that waits out faults which have done nothing: whoever asks is answered later, and otherwise as if
 * the fault had never been, so order and content are those of a disk without it. Writes, syncs and cuts are
 * handed through: what they leave in doubt is told at once.
 */

import type { Clock } from './clock.ts';
import type { Disk, DiskEntry, DiskFile, DiskSpace, OpenMode } from './disk.ts';
import { isPassingFault } from './passing-fault.ts';

/** Before the first try again; each further wait is twice as long, up to the last. */
export const TRY_AGAIN_MS = { first: 100, last: 3_200 } as const;

export interface PatientDiskOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Called when a wait begins while nothing else waits. */
  readonly onWait?: (fault: unknown) => void;
  /** Called when nothing waits any more. */
  readonly onOver?: (waitedMs: number) => void;
}

export class PatientDisk implements Disk {
  readonly #disk: Disk;
  readonly #options: PatientDiskOptions;
  #waiting = 0;
  #waitingSince = 0n;
  #waitsTotal = 0;

  constructor(disk: Disk, options: PatientDiskOptions) {
    this.#disk = disk;
    this.#options = options;
  }

  /** Whether something waits now. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** How often something had to wait. */
  get waitsTotal(): number {
    return this.#waitsTotal;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await this.#patiently(() => this.#disk.open(path, mode));
    return {
      read: (into, position) => this.#patiently(() => file.read(into, position)),
      write: (bytes, position) => file.write(bytes, position),
      sync: () => file.sync(),
      truncate: (size) => file.truncate(size),
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  }

  rename(from: string, to: string): Promise<void> {
    return this.#patiently(() => this.#disk.rename(from, to));
  }

  remove(path: string): Promise<void> {
    return this.#patiently(() => this.#disk.remove(path));
  }

  makeDirectory(path: string): Promise<void> {
    return this.#patiently(() => this.#disk.makeDirectory(path));
  }

  syncDirectory(path: string): Promise<void> {
    return this.#patiently(() => this.#disk.syncDirectory(path));
  }

  list(path: string): Promise<readonly string[]> {
    return this.#patiently(() => this.#disk.list(path));
  }

  stat(path: string): Promise<DiskEntry | null> {
    return this.#patiently(() => this.#disk.stat(path));
  }

  space(path: string): Promise<DiskSpace | null> {
    return this.#patiently(() => this.#disk.space(path));
  }

  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (fault) {
      if (!isPassingFault(fault)) throw fault;
      this.#beginWait(fault);
    }
    try {
      return await this.#askAgain(ask);
    } finally {
      this.#endWait();
    }
  }

  async #askAgain<T>(ask: () => Promise<T>): Promise<T> {
    for (let ms: number = TRY_AGAIN_MS.first; ; ms = Math.min(2 * ms, TRY_AGAIN_MS.last)) {
      await this.#pause(ms);
      try {
        return await ask();
      } catch (fault) {
        if (!isPassingFault(fault)) throw fault;
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.after(ms, resolve);
    });
  }

  #beginWait(fault: unknown): void {
    this.#waitsTotal += 1;
    this.#waiting += 1;
    if (this.#waiting > 1) return;
    this.#waitingSince = this.#options.clock.now();
    this.#options.onWait?.(fault);
  }

  #endWait(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#options.onOver?.(Number(this.#options.clock.now() - this.#waitingSince) / 1_000_000);
  }
}
