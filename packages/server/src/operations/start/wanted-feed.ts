/** One `--feed` of a start: which of its symbols the file of instruments lacks, and how they get there. */

import { HOUR_MS } from '@tapeloom/core/units';
import { backfillText, type FeedRequest } from '../../config/feed-options.ts';
import {
  applyInstruments,
  lockDatasets,
  type MarketBeside,
  readAppliedInstruments,
  readAppliedText,
} from '../../markets/instruments/applied-instruments.ts';
import type { InstrumentsFile } from '../../markets/instruments/instruments-file.ts';
import { FaultsError } from '../../markets/instruments/reading.ts';
import {
  contractAtVenue,
  datasetOfVenue,
  type ExtendedInstruments,
  extendInstruments,
  type LiveTerms,
} from '../../markets/instruments/venue-instruments.ts';
import {
  type WritableContract,
  writableContract,
} from '../../markets/instruments/venue-products.ts';
import { askContracts, requireBackfill, venueSettings } from '../../markets/live/ask-venue.ts';
import type { Network } from '../../markets/live/network.ts';
import { readVenueKey } from '../../markets/live/venue-key.ts';
import { VenueError, type VenueKind, type VenueSettings } from '../../markets/live/venue-kind.ts';
import type { Clock } from '../../platform/clock.ts';
import { DirectoryLockedError } from '../../platform/disk/directory-lock.ts';
import type { Disk } from '../../platform/disk/disk.ts';

export interface FeedSurroundings {
  readonly disk: Disk;
  /** The data directory. */
  readonly data: string;
  readonly network: Network;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly beside: MarketBeside;
}

export class WantedFeed {
  readonly kind: VenueKind;
  readonly dataset: string;
  readonly #request: FeedRequest;
  readonly #around: FeedSurroundings;
  #missing: readonly string[] = [];
  #terms: LiveTerms;

  constructor(kind: VenueKind, request: FeedRequest, around: FeedSurroundings) {
    this.kind = kind;
    this.dataset = request.dataset ?? kind.name;
    this.#request = request;
    this.#around = around;
    this.#terms = request;
  }

  get isComplete(): boolean {
    return this.#missing.length === 0;
  }

  /** Compares with the file, without a request to the venue. Rejects with a `VenueError`. */
  async look(): Promise<void> {
    const { disk, data } = this.#around;
    requireBackfill(this.kind, this.#request.backfillHours);
    const applied = (await readAppliedInstruments(disk, data)) ?? { datasets: [] };
    const listed = datasetOfVenue(applied, this.dataset, this.kind);
    if (listed !== null) {
      const { addresses, keyFile, venueDataset, backfillMs } = listed.live;
      this.#requireSame({ ...addresses, keyFile, venueDataset, backfillMs });
      const { stream: streamAddress, rest: restAddress } = addresses;
      this.#terms = { streamAddress, restAddress, keyFile, venueDataset };
    }
    if (listed === null) this.#requireFree(applied);
    this.#missing = this.#request.symbols.filter(
      (symbol) => listed === null || contractAtVenue(listed, this.kind.name, symbol) === null,
    );
  }

  /** Makes the dataset, so that its contracts can be added while the service runs. */
  async found(): Promise<void> {
    const { disk, data } = this.#around;
    const applied = await readAppliedInstruments(disk, data);
    if (applied?.datasets.some(({ name }) => name === this.dataset) !== true) await this.#apply([]);
  }

  async ask(signal: AbortSignal): Promise<readonly WritableContract[]> {
    const { network } = this.#around;
    const question = { kind: this.kind, settings: await this.#settings(), network, signal };
    const described = await askContracts(question, this.#missing);
    return described.map((contract) => writableContract(this.kind, contract, null));
  }

  /** Two feeds must not do this at the same time: each writes the whole file. */
  async write(contracts: readonly WritableContract[]): Promise<ExtendedInstruments> {
    const extended = await this.#apply(contracts);
    this.#missing = [];
    return extended;
  }

  async #apply(contracts: readonly WritableContract[]): Promise<ExtendedInstruments> {
    const { disk, data, clock, beside } = this.#around;
    const { kind, dataset } = this;
    try {
      using _locks = await lockDatasets(disk, data);
      const text = await readAppliedText(disk, data);
      const addition = { kind, dataset, live: this.#request, contracts };
      const extended = extendInstruments(text, addition);
      if (extended.text === text) return extended;
      const options = { now: clock.now(), beside };
      const changes = await applyInstruments(disk, data, extended.text, options);
      const refused = changes.find(({ isRefused }) => isRefused);
      if (refused !== undefined) throw new VenueError(`${dataset}: ${refused.sentence}`, false);
      return extended;
    } catch (error) {
      if (error instanceof DirectoryLockedError) {
        const why = `${error.message}. Its instruments can change when the import has finished.`;
        throw new VenueError(why, true, { cause: error });
      }
      if (!(error instanceof FaultsError)) throw error;
      throw new VenueError(`${dataset}: ${error.message}`, false, { cause: error });
    }
  }

  async #settings(): Promise<VenueSettings> {
    const { streamAddress = null, restAddress = null, venueDataset = null } = this.#terms;
    const key = await readVenueKey(this.#around.disk, this.#terms.keyFile ?? null);
    return venueSettings(this.kind, { streamAddress, restAddress, venueDataset, key });
  }

  /** A contract of the venue has one symbol in the whole file, so a second dataset of it cannot be made. */
  #requireFree({ datasets }: InstrumentsFile): void {
    for (const { name, live, contracts } of datasets) {
      if (live?.source !== 'venue' || live.venue !== this.kind.name) continue;
      for (const written of this.#request.symbols) {
        const symbol = contractAtVenue({ contracts }, this.kind.name, written)?.contract.symbol;
        if (symbol?.endsWith(`.${this.kind.name}`) !== true) continue;
        throw new VenueError(
          `${symbol} is in the dataset ${name} of ${this.#around.data}/instruments.yaml already, and cannot be in ${this.dataset} too. Start with --dataset ${name}.`,
          false,
        );
      }
    }
  }

  /** The file wins, so an option that says otherwise would have no effect. */
  #requireSame(file: {
    readonly stream: string;
    readonly rest: string;
    readonly keyFile: string | null;
    readonly venueDataset: string | null;
    readonly backfillMs: number;
  }): void {
    const { streamAddress, restAddress, keyFile, venueDataset, backfillHours } = this.#request;
    const backfill = backfillHours === null ? null : backfillText(backfillHours);
    const fileBackfill = file.backfillMs === 0 ? null : backfillText(file.backfillMs / HOUR_MS);
    const pairs = [
      ['--stream-address', streamAddress?.replace(/\/+$/, ''), file.stream],
      ['--rest-address', restAddress?.replace(/\/+$/, ''), file.rest],
      ['--key-file', keyFile, file.keyFile],
      ['--venue-dataset', venueDataset, file.venueDataset],
      ['--backfill', backfill, fileBackfill],
    ] as const;
    const other = pairs.find(([, given, is]) => given != null && given !== is);
    if (other === undefined) return;
    const [option, given, is] = other;
    throw new VenueError(
      `${option} is ${given}, and the dataset ${this.dataset} of ${this.#around.data}/instruments.yaml has ${is ?? 'none'}. ` +
        'Change it in the file, with tapeloom instruments apply, or name another dataset with --dataset.',
      false,
    );
  }
}
