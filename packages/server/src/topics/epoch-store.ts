/**
 * Keeps the epochs of the streams in the data directory. The file has its old content or all of the
 * new, whatever happens, and a new epoch is on disk before its first cursor is issued. A file that
 * cannot be read counts as another computation: a floor at the tape's end covers every older one.
 */

import { type Disk, readFileWhole, replaceFile } from '../platform/disk.ts';
import {
  formatEpochs,
  parseEpochs,
  type StreamEpochs,
  type TapeEnd,
  withComputation,
  withRepair,
} from './epoch-floors.ts';

const FILE_NAME = 'stream-epochs.json';

/** What the start found: nothing yet, the same computation, another one, or a damaged file. */
export type EpochStart = 'first' | 'same' | 'changed' | 'unreadable';

export interface EpochStoreOptions {
  readonly disk: Disk;
  /** The data directory, which exists. */
  readonly directory: string;
  /** Of the computation that runs now. */
  readonly fingerprint: string;
  /** Where the tape of every streamed contract ends, midnights included; asked only when needed. */
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

  /** To be called when the tape is open and before any stream is served. */
  static async open(options: EpochStoreOptions): Promise<EpochStore> {
    const { disk, directory, fingerprint, tapeEnds } = options;
    const file = `${directory}/${FILE_NAME}`;
    const bytes = await readFileWhole(disk, file);
    const known = bytes === null ? null : parseEpochs(new TextDecoder().decode(bytes));
    if (known?.fingerprint === fingerprint) return new EpochStore(disk, file, known, 'same');
    const before: StreamEpochs = known ?? { fingerprint, floors: [] };
    const epochs = bytes === null ? before : withComputation(before, fingerprint, await tapeEnds());
    const start = bytes === null ? 'first' : known === null ? 'unreadable' : 'changed';
    const store = new EpochStore(disk, file, before, start);
    await store.#save(epochs);
    return store;
  }

  get epochs(): StreamEpochs {
    return this.#epochs;
  }

  /** The tape of a contract was repaired; on disk once this resolves. One call at a time. */
  async recordRepair(contract: string, end: TapeEnd): Promise<void> {
    await this.#save(withRepair(this.#epochs, contract, end));
  }

  async #save(epochs: StreamEpochs): Promise<void> {
    await replaceFile(this.#disk, this.#file, new TextEncoder().encode(formatEpochs(epochs)));
    this.#epochs = epochs;
  }
}
