/**
 * The sealed days of a dataset, for threads that read its tape while it grows: days whose files exist, and days that
 * the manifest names. So files that vanish while the service runs are reported as missing, not skipped silently.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../platform/disk/disk.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { type ManifestContent, readManifest } from '../tape-manifest.ts';
import { manifestPath } from '../tape-paths.ts';
import { directoryIndex, type SealedIndex } from './sealed-days.ts';

export function manifestIndex(disk: Disk, tapeRoot: string, dataset: string): SealedIndex {
  const directory = directoryIndex(disk, tapeRoot, dataset);
  const manifest = new ReadManifest(disk, tapeRoot, dataset);
  return {
    ...directory,
    days: async (symbol) => {
      // Read before the directory: a day is named only when its files exist.
      const named = await manifest.daysOf(symbol);
      const found = await directory.days(symbol);
      const there = new Set([...found.here, ...found.cut]);
      const isGone = (day: UtcDay) => !there.has(day);
      if (!named.keys().some(isGone)) return found;
      // Days removed on purpose are dropped from the manifest before their files.
      const still = await manifest.daysOf(symbol);
      return { ...found, gone: [...still.keys()].filter(isGone).sort((a, b) => a - b) };
    },
  };
}

const NO_DAYS: ReadonlyMap<UtcDay, string> = new Map();

/** The manifest, read again when its file changes. */
class ReadManifest {
  readonly #disk: Disk;
  readonly #tapeRoot: string;
  readonly #dataset: string;
  #version: string | null = null;
  #content: ManifestContent | null = null;

  constructor(disk: Disk, tapeRoot: string, dataset: string) {
    this.#disk = disk;
    this.#tapeRoot = tapeRoot;
    this.#dataset = dataset;
  }

  /** Empty when the manifest cannot be read: its writer reports that. */
  async daysOf(symbol: string): Promise<ReadonlyMap<UtcDay, string>> {
    const entry = await this.#disk.stat(manifestPath(this.#tapeRoot, this.#dataset));
    const version = entry?.version ?? null;
    if (version !== this.#version) {
      this.#content = version === null ? null : await this.#read();
      this.#version = version;
    }
    return this.#content?.days.get(symbol) ?? NO_DAYS;
  }

  async #read(): Promise<ManifestContent | null> {
    try {
      return await readManifest(this.#disk, this.#tapeRoot, this.#dataset);
    } catch (error) {
      if (error instanceof TapeDamagedError) return null;
      throw error;
    }
  }
}
