/**
 * A disk that retries operations after faults without effect: the caller gets the result later, with the order and
 * content of a disk without faults. Faults of writes, syncs and truncates are passed on at once, since they leave the
 * content in doubt.
 */

import type { FaultRetry } from '../waiting/fault-retry.ts';
import type { Disk, DiskEntry, DiskFile, DiskSpace, OpenMode } from './disk.ts';

export class RetryingDisk implements Disk {
  readonly #disk: Disk;
  readonly #faultRetry: FaultRetry;

  constructor(disk: Disk, faultRetry: FaultRetry) {
    this.#disk = disk;
    this.#faultRetry = faultRetry;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await this.#faultRetry.run(() => this.#disk.open(path, mode));
    return {
      read: (into, position) => this.#faultRetry.run(() => file.read(into, position)),
      write: (bytes, position) => file.write(bytes, position),
      sync: () => file.sync(),
      truncate: (size) => file.truncate(size),
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  }

  rename(from: string, to: string): Promise<void> {
    return this.#faultRetry.run(() => this.#disk.rename(from, to));
  }

  remove(path: string): Promise<void> {
    return this.#faultRetry.run(() => this.#disk.remove(path));
  }

  makeDirectory(path: string): Promise<void> {
    return this.#faultRetry.run(() => this.#disk.makeDirectory(path));
  }

  syncDirectory(path: string): Promise<void> {
    return this.#faultRetry.run(() => this.#disk.syncDirectory(path));
  }

  list(path: string): Promise<readonly string[]> {
    return this.#faultRetry.run(() => this.#disk.list(path));
  }

  stat(path: string): Promise<DiskEntry | null> {
    return this.#faultRetry.run(() => this.#disk.stat(path));
  }

  space(path: string): Promise<DiskSpace | null> {
    return this.#faultRetry.run(() => this.#disk.space(path));
  }
}
