/**
 * Names what belongs on the tape of one dataset: the logs that were begun, and the sealed days with the digests of
 * their trades. It is one small file that is replaced as a whole, by one object per process: that of the thread that
 * holds the tape.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, replaceFile } from '../platform/disk/disk.ts';
import { SerialQueue } from '../platform/waiting/serial-queue.ts';
import { printChecked } from './checked-json.ts';
import { type DaysText, daysInText, readManifestFile } from './manifest-file.ts';
import { readSoundSidecar } from './read/sealed-days.ts';
import { sealedState } from './sealed-state.ts';
import { DayConflictError } from './tape-errors.ts';
import {
  contractDirectory,
  dayOfFile,
  daysDirectory,
  isSafeName,
  logDirectory,
  logPath,
  manifestPath,
  sealedPath,
  sidecarPath,
} from './tape-paths.ts';

const MANIFEST_VERSION = 1;

/** One sealed day of a contract. */
export interface SealedPart {
  readonly symbol: string;
  readonly day: UtcDay;
  /** Digest of its trades, as in its sidecar. */
  readonly digest: string;
}

export interface ManifestContent {
  readonly logs: ReadonlySet<UtcDay>;
  /** Digests by contract and day. */
  readonly days: ReadonlyMap<string, ReadonlyMap<UtcDay, string>>;
  /** By contract, the day before which all days were removed; most contracts have none. */
  readonly keptFrom: ReadonlyMap<string, UtcDay>;
}

interface ManifestText {
  readonly version: number;
  readonly dataset: string;
  readonly logs: readonly UtcDay[];
  readonly days: DaysText<string>;
  readonly keptFrom?: Readonly<Record<string, UtcDay>>;
}

/** Null when there is no manifest yet. Rejects with `TapeDamagedError`. */
export async function readManifest(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<ManifestContent | null> {
  const file = manifestPath(tapeRoot, dataset);
  const wanted = { file, what: 'manifest', version: MANIFEST_VERSION, dataset };
  const read = await readManifestFile<ManifestText>(disk, wanted);
  if (read === null) return null;
  return {
    logs: new Set(read.logs),
    days: daysInText(read.days),
    keptFrom: new Map(Object.entries(read.keptFrom ?? {})),
  };
}

/**
 * It names only what is already durable, and drops a log only in the step that names its sealed day. What a crash left
 * unnamed is named at the next opening. So a named file that is missing was removed from outside, and stays named.
 *
 * Days removed on purpose are dropped here first, and the contract's first kept day is recorded. So leftover files of
 * such days are ignored, and no fill creates the days again.
 */
export class TapeManifest {
  readonly #disk: Disk;
  readonly #tapeRoot: string;
  readonly #dataset: string;
  readonly #logs: Set<UtcDay>;
  readonly #days = new Map<string, Map<UtcDay, string>>();
  readonly #keptFrom: Map<string, UtcDay>;
  readonly #missingLogs: UtcDay[] = [];
  readonly #missingDays = new Map<string, string>();
  /** Named days whose files were found missing or changed since the opening. */
  readonly #unsound = new Map<string, SealedPart>();
  #isChanged: boolean;
  readonly #saves = new SerialQueue();

  private constructor(
    disk: Disk,
    tapeRoot: string,
    dataset: string,
    found: ManifestContent | null,
  ) {
    this.#disk = disk;
    this.#tapeRoot = tapeRoot;
    this.#dataset = dataset;
    this.#logs = new Set(found?.logs);
    this.#keptFrom = new Map(found?.keptFrom);
    for (const [symbol, days] of found?.days ?? []) this.#days.set(symbol, new Map(days));
    this.#isChanged = found === null;
  }

  /** Reads the manifest and compares it with the file names on disk; nothing is written before `save`. */
  static async open(disk: Disk, tapeRoot: string, dataset: string): Promise<TapeManifest> {
    const found = await readManifest(disk, tapeRoot, dataset);
    const manifest = new TapeManifest(disk, tapeRoot, dataset, found);
    await manifest.#compareLogs();
    await manifest.#compareDays();
    return manifest;
  }

  /** Logs it names that were missing at the opening. */
  get missingLogs(): readonly string[] {
    return this.#missingLogs.map((day) => logPath(this.#tapeRoot, this.#dataset, day));
  }

  /** Files of days it names that are missing and have not been sealed again since. */
  get missingFiles(): readonly string[] {
    return [...this.#missingDays.values()];
  }

  /** The logs that were begun or exist. Some contracts of their days may not be sealed. */
  get logs(): ManifestContent['logs'] {
    return this.#logs;
  }

  get days(): ManifestContent['days'] {
    return this.#days;
  }

  get keptFrom(): ManifestContent['keptFrom'] {
    return this.#keptFrom;
  }

  /** Whether this day was removed on purpose and must not be created again. */
  isRemoved(symbol: string, day: UtcDay): boolean {
    return day < (this.#keptFrom.get(symbol) ?? 0) && this.digestOf(symbol, day) === null;
  }

  /** Null when this day is not named. */
  digestOf(symbol: string, day: UtcDay): string | null {
    return this.#days.get(symbol)?.get(day) ?? null;
  }

  /** Whether this day is not named, or its files are missing or not as written. */
  isMissing(symbol: string, day: UtcDay): boolean {
    const key = `${symbol} ${day}`;
    const isNamed = this.digestOf(symbol, day) !== null;
    return !isNamed || this.#missingDays.has(key) || this.#unsound.has(key);
  }

  /** Days it names whose files were found missing or damaged since the opening. */
  get unsound(): readonly SealedPart[] {
    return [...this.#unsound.values()];
  }

  /** Checks whether a day's files are as written; if not, the day counts as missing from then on. Null: not named. */
  async check(symbol: string, day: UtcDay): Promise<boolean | null> {
    const digest = this.digestOf(symbol, day);
    if (digest === null) return null;
    const key = `${symbol} ${day}`;
    const part = { symbol, day, digest };
    const state = await sealedState(this.#disk, this.#tapeRoot, this.#dataset, part);
    if (this.digestOf(symbol, day) !== digest) return null;
    const file = sidecarPath(this.#tapeRoot, this.#dataset, symbol, day);
    if (state === 'gone') this.#missingDays.set(key, file);
    else this.#missingDays.delete(key);
    if (state === 'sound') this.#unsound.delete(key);
    else this.#unsound.set(key, part);
    return state === 'sound';
  }

  /** Resolves when everything named so far is on disk. */
  save(): Promise<void> {
    return this.#saves.run(async () => {
      if (!this.#isChanged) return;
      this.#isChanged = false;
      try {
        const bytes = new TextEncoder().encode(this.#print());
        await replaceFile(this.#disk, manifestPath(this.#tapeRoot, this.#dataset), bytes);
      } catch (error) {
        this.#isChanged = true;
        throw error;
      }
    });
  }

  /** A log is on disk under its name, with only its opening. */
  logBegun(day: UtcDay): Promise<void> {
    this.#logs.add(day);
    this.#isChanged = true;
    return this.save();
  }

  /** A log is about to be moved aside: all its trades are sealed. */
  logSetAside(day: UtcDay): Promise<void> {
    if (this.#logs.delete(day)) this.#isChanged = true;
    return this.save();
  }

  /** For a shared tape: replaces all named logs by these. */
  nameLogs(days: readonly UtcDay[]): Promise<void> {
    this.#logs.clear();
    for (const day of days) this.#logs.add(day);
    this.#isChanged = true;
    return this.save();
  }

  /** These days are on disk. With `log`, they are everything in this log, and it may be removed once this resolves. */
  async sealed(parts: readonly SealedPart[], log: UtcDay | null = null): Promise<void> {
    for (const { symbol, day, digest } of parts) {
      const known = this.digestOf(symbol, day);
      if (known !== null && known !== digest) {
        throw new DayConflictError(this.#dataset, symbol, day, 'was sealed with other trades');
      }
    }
    for (const part of parts) {
      this.#name(part);
      this.#forgetMissing(part.symbol, part.day);
    }
    if (log !== null && this.#logs.delete(log)) this.#isChanged = true;
    await this.save();
  }

  /** Drops all days of each contract before the given day. Their files may be removed once this resolves. */
  async removed(keptFrom: ReadonlyMap<string, UtcDay>): Promise<void> {
    for (const [symbol, first] of keptFrom) {
      if (first > (this.#keptFrom.get(symbol) ?? 0)) this.#keptFrom.set(symbol, first);
      const days = this.#days.get(symbol);
      for (const day of [...(days?.keys() ?? [])]) {
        if (day >= first) continue;
        days!.delete(day);
        this.#forgetMissing(symbol, day);
      }
      if (days?.size === 0) this.#days.delete(symbol);
      this.#isChanged = true;
    }
    await this.save();
  }

  /** Drops the sealed contracts of a day that others have complete; resolves to those whose files may be removed. */
  async givenUp(day: UtcDay): Promise<readonly string[]> {
    const symbols: string[] = [];
    for (const [symbol, days] of this.#days) {
      if (!days.delete(day)) continue;
      symbols.push(symbol);
      this.#forgetMissing(symbol, day);
      if (days.size === 0) this.#days.delete(symbol);
      this.#isChanged = true;
    }
    await this.save();
    return symbols;
  }

  #forgetMissing(symbol: string, day: UtcDay): void {
    this.#missingDays.delete(`${symbol} ${day}`);
    this.#unsound.delete(`${symbol} ${day}`);
  }

  #name({ symbol, day, digest }: SealedPart): void {
    if (this.digestOf(symbol, day) === digest) return;
    this.#days.getOrInsertComputed(symbol, () => new Map()).set(day, digest);
    this.#isChanged = true;
  }

  async #compareLogs(): Promise<void> {
    const directory = logDirectory(this.#tapeRoot, this.#dataset);
    const names = await this.#disk.list(directory);
    const found = new Set(names.flatMap((name) => dayOfFile(name, 'log') ?? []));
    for (const day of this.#logs) if (!found.has(day)) this.#missingLogs.push(day);
    const news = found.difference(this.#logs);
    if (news.size === 0) return;
    // Its writer may have crashed before the directory entry was on disk.
    await this.#disk.syncDirectory(directory);
    for (const day of news) this.#logs.add(day);
    this.#isChanged = true;
  }

  async #compareDays(): Promise<void> {
    const found = await this.#disk.list(daysDirectory(this.#tapeRoot, this.#dataset));
    for (const symbol of new Set([...this.#days.keys(), ...found.filter(isSafeName)])) {
      const directory = contractDirectory(this.#tapeRoot, this.#dataset, symbol);
      const names = new Set(await this.#disk.list(directory));
      for (const day of this.#days.get(symbol)?.keys() ?? []) this.#noteMissing(symbol, day, names);
      const news = await this.#unnamedDays(symbol, names);
      if (news.length === 0) continue;
      await this.#disk.syncDirectory(directory);
      for (const part of news) this.#name(part);
    }
  }

  #noteMissing(symbol: string, day: UtcDay, names: ReadonlySet<string>): void {
    const key = `${symbol} ${day}`;
    if (!names.has(`${day}.json`)) {
      this.#missingDays.set(key, sidecarPath(this.#tapeRoot, this.#dataset, symbol, day));
    } else if (!names.has(`${day}.arrow`)) {
      this.#missingDays.set(key, sealedPath(this.#tapeRoot, this.#dataset, symbol, day));
    }
  }

  /** A day with a damaged sidecar, or with one of another contract or day, stays unnamed: its content is unknown. */
  async #unnamedDays(symbol: string, names: ReadonlySet<string>): Promise<readonly SealedPart[]> {
    const parts: SealedPart[] = [];
    for (const name of names) {
      const day = dayOfFile(name, 'json');
      if (day === null || !names.has(`${day}.arrow`)) continue;
      if (this.digestOf(symbol, day) !== null || this.isRemoved(symbol, day)) continue;
      const path = sidecarPath(this.#tapeRoot, this.#dataset, symbol, day);
      const sidecar = await readSoundSidecar(this.#disk, path);
      if (sidecar?.symbol !== symbol || sidecar.day !== day) continue;
      parts.push({ symbol, day, digest: sidecar.digest });
    }
    return parts;
  }

  #print(): string {
    const days = [...this.#days].sort(([a], [b]) => (a < b ? -1 : 1));
    return printChecked({
      version: MANIFEST_VERSION,
      dataset: this.#dataset,
      logs: [...this.#logs].sort((a, b) => a - b),
      days: Object.fromEntries(days.map(([symbol, of]) => [symbol, Object.fromEntries(of)])),
      ...(this.#keptFrom.size > 0 && { keptFrom: Object.fromEntries(this.#keptFrom) }),
    } satisfies ManifestText);
  }
}
