/**
 * A disk that retries operations after faults without effect: the caller gets the result later, with the order and
 * content of a disk without faults. Faults of writes, syncs and truncates are passed on at once, since they leave the
 * content in doubt.
 */

import type { Patience } from '../waiting/patience.ts';
import type { Disk, DiskEntry, DiskFile, DiskSpace, OpenMode } from './disk.ts';

export class PatientDisk implements Disk {
  readonly #disk: Disk;
  readonly #patience: Patience;

  constructor(disk: Disk, patience: Patience) {
    this.#disk = disk;
    this.#patience = patience;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await this.#patience.run(() => this.#disk.open(path, mode));
    return {
      read: (into, position) => this.#patience.run(() => file.read(into, position)),
      write: (bytes, position) => file.write(bytes, position),
      sync: () => file.sync(),
      truncate: (size) => file.truncate(size),
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  }

  rename(from: string, to: string): Promise<void> {
    return this.#patience.run(() => this.#disk.rename(from, to));
  }

  remove(path: string): Promise<void> {
    return this.#patience.run(() => this.#disk.remove(path));
  }

  makeDirectory(path: string): Promise<void> {
    return this.#patience.run(() => this.#disk.makeDirectory(path));
  }

  syncDirectory(path: string): Promise<void> {
    return this.#patience.run(() => this.#disk.syncDirectory(path));
  }

  list(path: string): Promise<readonly string[]> {
    return this.#patience.run(() => this.#disk.list(path));
  }

  stat(path: string): Promise<DiskEntry | null> {
    return this.#patience.run(() => this.#disk.stat(path));
  }

  space(path: string): Promise<DiskSpace | null> {
    return this.#patience.run(() => this.#disk.space(path));
  }
}
