/**
 * What belongs on the tape of one dataset: the logs that were begun, and the days that are sealed, with the
 * digests of their trades. It is one small file that is replaced whole.
 *
 * It names only what is durable already, and gives a log up only together with naming its sealed day. What a
 * crash kept from being named is found and named at the next opening. So whatever it names and is not there
 * was taken away by somebody else. Nothing is ever struck out here because it is missing.
 *
 * Days that are removed on purpose are given up here first, with the day from which on a contract is kept. So files of
 * such days that a crash has spared are nobody's, and no fill makes the days again.
 *
 * One object per process writes it: that of the thread which holds the directory's tape.
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
  /** Of its trades, as in its sidecar. */
  readonly digest: string;
}

export interface ManifestContent {
  readonly logs: ReadonlySet<UtcDay>;
  /** Digests by contract and day. */
  readonly days: ReadonlyMap<string, ReadonlyMap<UtcDay, string>>;
  /** By contract, the day before which all days were removed; none for most. */
  readonly keptFrom: ReadonlyMap<string, UtcDay>;
}

interface ManifestText {
  readonly version: number;
  readonly dataset: string;
  readonly logs: readonly UtcDay[];
  readonly days: DaysText<string>;
  readonly keptFrom?: Readonly<Record<string, UtcDay>>;
}

/** Null when there is none yet. Rejects with `TapeDamagedError`. */
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

export class TapeManifest {
  readonly #disk: Disk;
  readonly #tapeRoot: string;
  readonly #dataset: string;
  readonly #logs: Set<UtcDay>;
  readonly #days = new Map<string, Map<UtcDay, string>>();
  readonly #keptFrom: Map<string, UtcDay>;
  readonly #missingLogs: UtcDay[] = [];
  readonly #missingDays = new Map<string, string>();
  /** Named days whose files were found to be others than those that were written, or gone, since the opening. */
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

  /** Reads it and compares it with the names on disk; nothing is written before `save`. */
  static async open(disk: Disk, tapeRoot: string, dataset: string): Promise<TapeManifest> {
    const found = await readManifest(disk, tapeRoot, dataset);
    const manifest = new TapeManifest(disk, tapeRoot, dataset, found);
    await manifest.#compareLogs();
    await manifest.#compareDays();
    return manifest;
  }

  /** Logs it names that were not there at the opening. */
  get missingLogs(): readonly string[] {
    return this.#missingLogs.map((day) => logPath(this.#tapeRoot, this.#dataset, day));
  }

  /** Files of days it names that were not there at the opening and were not sealed again since. */
  get missingFiles(): readonly string[] {
    return [...this.#missingDays.values()];
  }

  /** The logs that were begun, or are there: of days of which not all contracts need be sealed. */
  get logs(): ManifestContent['logs'] {
    return this.#logs;
  }

  /** The sealed days, by contract. */
  get days(): ManifestContent['days'] {
    return this.#days;
  }

  get keptFrom(): ManifestContent['keptFrom'] {
    return this.#keptFrom;
  }

  /** Whether this day was removed, and is not to be made again. */
  isRemoved(symbol: string, day: UtcDay): boolean {
    return day < (this.#keptFrom.get(symbol) ?? 0) && this.digestOf(symbol, day) === null;
  }

  /** Null when this day is not named. */
  digestOf(symbol: string, day: UtcDay): string | null {
    return this.#days.get(symbol)?.get(day) ?? null;
  }

  /** Whether this day is not named, or its files are not there, or not what was written. */
  lacks(symbol: string, day: UtcDay): boolean {
    const key = `${symbol} ${day}`;
    const isNamed = this.digestOf(symbol, day) !== null;
    return !isNamed || this.#missingDays.has(key) || this.#unsound.has(key);
  }

  /** Days it names whose files were found to be gone or damaged since the opening. */
  get unsound(): readonly SealedPart[] {
    return [...this.#unsound.values()];
  }

  /** Looks whether the files of a day are what was written: what is not is lacking from now on. Null: it is not named. */
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

  /** Resolves when all that was named so far is on disk. */
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

  /** A log is on disk under its name, with nothing but its opening. */
  logBegun(day: UtcDay): Promise<void> {
    this.#logs.add(day);
    this.#isChanged = true;
    return this.save();
  }

  /** A log is about to be moved out of the way: all it has is sealed. */
  logSetAside(day: UtcDay): Promise<void> {
    if (this.#logs.delete(day)) this.#isChanged = true;
    return this.save();
  }

  /** Of a tape that others have too: these are the logs there are, whatever was named before. */
  nameLogs(days: readonly UtcDay[]): Promise<void> {
    this.#logs.clear();
    for (const day of days) this.#logs.add(day);
    this.#isChanged = true;
    return this.save();
  }

  /** These days are on disk. With `log`, they are all that this log had, and it may go once this resolves. */
  async sealed(parts: readonly SealedPart[], log: UtcDay | null = null): Promise<void> {
    for (const { symbol, day, digest } of parts) {
      const known = this.digestOf(symbol, day);
      if (known !== null && known !== digest) {
        throw new DayConflictError(this.#dataset, symbol, day, 'was sealed with other trades');
      }
    }
    for (const part of parts) {
      this.#name(part);
      this.#forgetLack(part.symbol, part.day);
    }
    if (log !== null && this.#logs.delete(log)) this.#isChanged = true;
    await this.save();
  }

  /** Gives up all days of contracts before the day given for each. Their files may go once this resolves. */
  async removed(keptFrom: ReadonlyMap<string, UtcDay>): Promise<void> {
    for (const [symbol, first] of keptFrom) {
      if (first > (this.#keptFrom.get(symbol) ?? 0)) this.#keptFrom.set(symbol, first);
      const days = this.#days.get(symbol);
      for (const day of [...(days?.keys() ?? [])]) {
        if (day >= first) continue;
        days!.delete(day);
        this.#forgetLack(symbol, day);
      }
      if (days?.size === 0) this.#days.delete(symbol);
      this.#isChanged = true;
    }
    await this.save();
  }

  /** Gives up what is sealed of a day that others have whole; resolves to the contracts whose files may go. */
  async givenUp(day: UtcDay): Promise<readonly string[]> {
    const symbols: string[] = [];
    for (const [symbol, days] of this.#days) {
      if (!days.delete(day)) continue;
      symbols.push(symbol);
      this.#forgetLack(symbol, day);
      if (days.size === 0) this.#days.delete(symbol);
      this.#isChanged = true;
    }
    await this.save();
    return symbols;
  }

  #forgetLack(symbol: string, day: UtcDay): void {
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
    // Its name may be of a process that died before it was on disk.
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

  /** A day whose sidecar is damaged, or of another place, cannot be named: what it was is not known. */
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
