/**
 * Damages the result cache of a running service: changes, shortens, swaps and deletes files,
 * deletes the directory, makes it unwritable. Pauses let it fill again. No reader may notice.
 */

import {
  closeSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../simulation/disk/sim-disk.ts';
import type { RunningService } from '../running-service.ts';

/** The kinds of damage with their shares. */
const SHARES = { flip: 3, truncate: 2, swap: 2, remove: 1, clear: 1, refuse: 1, rest: 6 };
const DEEDS = Object.entries(SHARES).flatMap(([deed, share]) => Array<string>(share).fill(deed));
const BETWEEN_MS_MAX = 250;
const FILES_MAX = 8;
const FLIPS_MAX = 6;
/** Headers and indexes are at both ends of a file; they are hit more often than their share. */
const END_BYTES = 96;

/** Cache sizes for successive starts of the service: large, small, none. */
const CACHE_BYTES = ['2GiB', '256KiB', '0'];

/** The environment of a start: its cache is large, soon full, or disabled. */
export function cacheLimitOf(start: number): Readonly<Record<string, string>> {
  return { TAPELOOM_CACHE_BYTES: CACHE_BYTES[start % CACHE_BYTES.length]! };
}

/** Adds the cache metrics of a service: results found, stored, and detected as damaged. */
export async function addCacheOutcomes(
  service: RunningService,
  counts: Record<string, number>,
): Promise<void> {
  const text = await (await service.internal('/metrics')).text();
  for (const [, what, count] of text.matchAll(/^tapeloom_cache_\w+\{\w+="(\w+)"\} (\d+)$/gm)) {
    counts[what!] = (counts[what!] ?? 0) + Number(count);
  }
}

export class CacheVandal implements AsyncDisposable {
  readonly counts: Record<string, number> = {};
  readonly #root: string;
  readonly #random: Random;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  /** Starts at once. `data` is the data directory of the service. */
  constructor(data: string, random: Random) {
    this.#root = join(data, 'cache');
    this.#random = random;
    this.#done = this.#work();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #work(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#wait();
      const deed = DEEDS[this.#below(DEEDS.length)]!;
      if (deed === 'clear') this.#do(deed, () => rmSync(this.#root, { recursive: true }));
      else if (deed === 'refuse') await this.#refuse();
      else if (deed !== 'rest') this.#spoil(deed);
    }
  }

  /** Replaces the directory with a file, so that every write fails. */
  async #refuse(): Promise<void> {
    this.#do('refuse', () => {
      rmSync(this.#root, { recursive: true, force: true });
      writeFileSync(this.#root, 'no directory');
    });
    await this.#wait();
    rmSync(this.#root, { recursive: true, force: true });
  }

  #spoil(deed: string): void {
    const files = this.#files();
    if (files.length === 0) return;
    for (let left = 1 + this.#below(FILES_MAX); left > 0; left -= 1) {
      const file = files[this.#below(files.length)]!;
      this.#do(deed, () => {
        if (deed === 'flip') this.#flip(file);
        else if (deed === 'truncate') truncateSync(file, this.#below(statSync(file).size));
        else if (deed === 'remove') rmSync(file);
        else swap(file, files[this.#below(files.length)]!);
      });
    }
  }

  /** In place, so that a reader of the open file sees the change. */
  #flip(path: string): void {
    const { size } = statSync(path);
    const file = openSync(path, 'r+');
    for (let left = 1 + this.#below(FLIPS_MAX); left > 0; left -= 1) {
      const end = Math.min(END_BYTES, size);
      const places = [this.#below(size), this.#below(end), size - 1 - this.#below(end)];
      writeSync(file, Uint8Array.of(this.#below(256)), 0, 1, places[this.#below(3)]!);
    }
    closeSync(file);
  }

  #files(): readonly string[] {
    try {
      const entries = readdirSync(this.#root, { recursive: true, withFileTypes: true });
      return entries.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name));
    } catch {
      return [];
    }
  }

  /** Ignores file errors: the service changes the same directory. */
  #do(deed: string, act: () => void): void {
    try {
      act();
      this.counts[deed] = (this.counts[deed] ?? 0) + 1;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
    }
  }

  async #wait(): Promise<void> {
    const { signal } = this.#stopping;
    await pause(this.#below(BETWEEN_MS_MAX), undefined, { signal }).catch(() => undefined);
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }
}

function swap(one: string, other: string): void {
  if (one === other) return;
  const aside = `${one}.aside`;
  renameSync(one, aside);
  renameSync(other, one);
  renameSync(aside, other);
}
