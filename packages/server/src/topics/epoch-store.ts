/**
 * Stores the epochs of the streams in the data directory. The file has its old content or all of the new, whatever
 * happens, and a new epoch is on disk before its first cursor is issued. An unreadable file counts as another
 * computation of every indicator: floors at the tape's end cover all older cursors.
 */

import { isDeepStrictEqual } from 'node:util';
import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, readFileWhole, replaceFile } from '../platform/disk/disk.ts';
import { withAllSettled } from './days-to-come.ts';
import {
  type Computations,
  changedIndicators,
  formatEpochs,
  parseEpochs,
  type StreamEpochs,
  type TapeEnd,
  withComputations,
  withRepair,
} from './epoch-floors.ts';

const FILE_NAME = 'stream-epochs.json';

/** The state found at the start: nothing yet, the same computations, others, or a damaged file. */
export type EpochStart =
  | { readonly t: 'first' | 'same' | 'unreadable' }
  | { readonly t: 'changed'; readonly indicators: readonly string[] };

export interface EpochStoreOptions {
  readonly disk: Disk;
  /** The data directory, which exists. */
  readonly directory: string;
  /** The present ones. */
  readonly computations: Computations;
  /** The end of the tape of every streamed contract, midnights included; called only when needed. */
  readonly tapeEnds: () => Promise<ReadonlyMap<string, TapeEnd>>;
}

export class EpochStore {
  readonly start: EpochStart;
  readonly #disk: Disk;
  readonly #file: string;
  #epochs: StreamEpochs;

  private constructor(disk: Disk, file: string, epochs: StreamEpochs, start: EpochStart) {
    this.#disk = disk;
    this.#file = file;
    this.#epochs = epochs;
    this.start = start;
  }

  /** Call it when the tape is open and before any stream is served. */
  static async open(options: EpochStoreOptions): Promise<EpochStore> {
    const { disk, directory, computations, tapeEnds } = options;
    const file = `${directory}/${FILE_NAME}`;
    const bytes = await readFileWhole(disk, file);
    const text = bytes === null ? null : new TextDecoder().decode(bytes);
    const known = text === null ? null : parseEpochs(text, Object.keys(computations));
    const changed = known === null ? null : changedIndicators(known.computations, computations);
    const isBroken = text !== null && changed?.length !== 0;
    const before = known ?? { computations: {}, floors: [] };
    const isUnsettled = before.coming !== undefined || before.settling !== undefined;
    const ends = isBroken || isUnsettled ? await tapeEnds() : new Map<string, TapeEnd>();
    // If the tape was shared before: a node that is alone now has all the days there will be.
    const settled = withAllSettled(before, (contract) => ends.get(contract) ?? null);
    const epochs = withComputations(settled, computations, changed, isBroken ? ends : new Map());
    const store = new EpochStore(disk, file, before, startOf(text, changed));
    // A new indicator is stored before its first cursor too. Otherwise a later change of it would go unnoticed.
    if (!isDeepStrictEqual(epochs, known)) await store.#save(epochs);
    return store;
  }

  get epochs(): StreamEpochs {
    return this.#epochs;
  }

  /** Days of a contract's tape were repaired; on disk once this resolves. One call at a time. */
  async recordRepair(contract: string, end: TapeEnd, ...days: readonly UtcDay[]): Promise<void> {
    await this.#save(withRepair(this.#epochs, contract, end, ...days));
  }

  async #save(epochs: StreamEpochs): Promise<void> {
    await replaceFile(this.#disk, this.#file, new TextEncoder().encode(formatEpochs(epochs)));
    this.#epochs = epochs;
  }
}

function startOf(text: string | null, changed: readonly string[] | null): EpochStart {
  if (text === null) return { t: 'first' };
  if (changed === null) return { t: 'unreadable' };
  return changed.length === 0 ? { t: 'same' } : { t: 'changed', indicators: changed };
}
