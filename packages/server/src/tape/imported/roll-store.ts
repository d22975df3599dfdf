/**
 * Stores the contract that an alias means on each day, and the volumes that decided it. The same volumes give the same
 * rolls, in any order of arrival, even after their days were removed. A damaged file is rejected. A file of an earlier
 * program has no volumes: its rolls stay until an operator requests new ones.
 */

import type { DecidedRolls } from '@tapeloom/core/instrument/decided-rolls';
import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, readFileWhole, replaceFile } from '../../platform/disk/disk.ts';
import { parseChecked, printChecked } from '../checked-json.ts';
import { rollsPath } from '../tape-paths.ts';

const ROLLS_VERSION = 1;

interface RollsText {
  readonly version: number;
  readonly dataset: string;
  readonly aliases: Readonly<Record<string, AliasText>>;
  /** Lots by contract and day. */
  readonly volumes?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

interface AliasText {
  readonly through: UtcDay;
  readonly rolls: readonly (readonly [from: UtcDay, symbol: string])[];
}

/** Lots by contract and day. */
export type KnownVolumes = ReadonlyMap<string, ReadonlyMap<UtcDay, number>>;

export class RollStore {
  readonly #disk: Disk;
  readonly #dataset: string;
  readonly #file: string;

  constructor(disk: Disk, tapeRoot: string, dataset: string) {
    this.#disk = disk;
    this.#dataset = dataset;
    this.#file = rollsPath(tapeRoot, dataset);
  }

  /** By alias; empty before the first decision. Rejects with `TapeDamagedError`. */
  async load(): Promise<ReadonlyMap<string, DecidedRolls>> {
    const aliases = (await this.#read())?.aliases ?? {};
    return new Map(
      Object.entries(aliases).map(([alias, { through, rolls }]) => [
        alias,
        { through, rolls: rolls.map(([from, symbol]) => ({ from, symbol })) },
      ]),
    );
  }

  /** The volumes behind past decisions; null: an earlier program stored none. Rejects with `TapeDamagedError`. */
  async volumes(): Promise<KnownVolumes | null> {
    const record = await this.#read();
    if (record === null) return new Map();
    if (record.volumes === undefined) return null;
    return new Map(
      Object.entries(record.volumes).map(([symbol, days]) => [
        symbol,
        new Map(Object.entries(days).map(([day, lots]) => [Number(day) as UtcDay, lots])),
      ]),
    );
  }

  async #read(): Promise<RollsText | null> {
    const bytes = await readFileWhole(this.#disk, this.#file);
    if (bytes === null) return null;
    return parseChecked<RollsText>(new TextDecoder().decode(bytes), {
      what: 'list of decided rolls',
      version: ROLLS_VERSION,
      file: this.#file,
    });
  }

  /** Replaces everything. On disk when this resolves. */
  async save(
    decided: ReadonlyMap<string, DecidedRolls>,
    volumes: KnownVolumes | null,
  ): Promise<void> {
    const record: RollsText = {
      version: ROLLS_VERSION,
      dataset: this.#dataset,
      aliases: Object.fromEntries(
        [...decided].map(([alias, { through, rolls }]) => [
          alias,
          { through, rolls: rolls.map(({ from, symbol }) => [from, symbol] as const) },
        ]),
      ),
      ...(volumes !== null && {
        volumes: Object.fromEntries(
          [...volumes].map(([symbol, days]) => [symbol, Object.fromEntries(days)]),
        ),
      }),
    };
    await this.#disk.makeDirectory(this.#file.slice(0, this.#file.lastIndexOf('/')));
    const text = printChecked(record);
    await replaceFile(this.#disk, this.#file, new TextEncoder().encode(text));
  }
}
