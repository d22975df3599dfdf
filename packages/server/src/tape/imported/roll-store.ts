/**
 * Keeps with the tape what volume has decided: which contract an alias means on a day is an input of what was
 * published. It only grows: what is written once is never changed, and a damaged file is refused, since deciding
 * anew could give other rolls.
 */

import type { Designation } from '@tapeloom/core/instrument/contract';
import type { DecidedRolls } from '@tapeloom/core/instrument/decided-rolls';
import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, readFileWhole, replaceFile } from '../../platform/disk.ts';
import { parseChecked, printChecked } from '../checked-json.ts';
import { rollsPath } from '../tape-paths.ts';

const ROLLS_VERSION = 1;

interface RollsText {
  readonly version: number;
  readonly dataset: string;
  readonly aliases: Readonly<Record<string, AliasText>>;
}

interface AliasText {
  readonly through: UtcDay;
  readonly rolls: readonly (readonly [from: UtcDay, symbol: string])[];
}

export class RollStore {
  readonly #disk: Disk;
  readonly #dataset: string;
  readonly #file: string;

  constructor(disk: Disk, tapeRoot: string, dataset: string) {
    this.#disk = disk;
    this.#dataset = dataset;
    this.#file = rollsPath(tapeRoot, dataset);
  }

  /** By alias; empty when nothing was decided yet. Rejects with `TapeDamagedError`. */
  async load(): Promise<ReadonlyMap<string, DecidedRolls>> {
    const bytes = await readFileWhole(this.#disk, this.#file);
    if (bytes === null) return new Map();
    const { aliases } = parseChecked<RollsText>(new TextDecoder().decode(bytes), {
      what: 'list of decided rolls',
      version: ROLLS_VERSION,
      file: this.#file,
    });
    return new Map(
      Object.entries(aliases).map(([alias, { through, rolls }]) => [
        alias,
        { through, rolls: rolls.map(([from, symbol]) => ({ from, symbol })) },
      ]),
    );
  }

  /** Aliases that are not given stay. On disk once this resolves; rejects when a decided roll would change. */
  async save(decided: ReadonlyMap<string, DecidedRolls>): Promise<void> {
    const kept = await this.load();
    for (const [alias, before] of kept) {
      const after = decided.get(alias);
      if (after !== undefined && !goesOn(before, after)) {
        throw new RangeError(`the rolls of ${alias} are decided through ${before.through}`);
      }
    }
    const record: RollsText = {
      version: ROLLS_VERSION,
      dataset: this.#dataset,
      aliases: Object.fromEntries(
        [...new Map([...kept, ...decided])].map(([alias, { through, rolls }]) => [
          alias,
          { through, rolls: rolls.map(({ from, symbol }) => [from, symbol] as const) },
        ]),
      ),
    };
    await this.#disk.makeDirectory(this.#file.slice(0, this.#file.lastIndexOf('/')));
    const text = printChecked(record);
    await replaceFile(this.#disk, this.#file, new TextEncoder().encode(text));
  }
}

/** Whether all that was decided before is still so, and nothing new lies in its time. */
function goesOn(before: DecidedRolls, after: DecidedRolls): boolean {
  const isSame = (roll: Designation, index: number) =>
    roll.from === after.rolls[index]?.from && roll.symbol === after.rolls[index]?.symbol;
  return (
    after.through >= before.through &&
    before.rolls.every(isSame) &&
    after.rolls.slice(before.rolls.length).every(({ from }) => from > before.through)
  );
}
