/** The size of the cache on disk. Measuring it looks at every file, so the value may be a minute old. */

import { MINUTE_MS } from '@tapeloom/core/units';
import type { Disk } from '../platform/disk/disk.ts';
import { resultFiles } from './cache-entries.ts';

const LOOK_EVERY_MS = MINUTE_MS;

export interface CacheSizeOptions {
  readonly disk: Disk;
  /** `<data>/cache`. */
  readonly root: string;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
}

export class CacheSize {
  readonly #options: CacheSizeOptions;
  #bytes = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(options: CacheSizeOptions) {
    this.#options = options;
  }

  /** The last measured value; reading it starts a new measurement when due. */
  get bytes(): number {
    const { now, onFault } = this.#options;
    if (now() - this.#lookedMs >= LOOK_EVERY_MS) this.look().catch(onFault);
    return this.#bytes;
  }

  async look(): Promise<void> {
    const { disk, root, now } = this.#options;
    this.#lookedMs = now();
    let bytes = 0;
    for await (const { path } of resultFiles(disk, root)) {
      bytes += (await disk.stat(path))?.size ?? 0;
    }
    this.#bytes = bytes;
  }
}
