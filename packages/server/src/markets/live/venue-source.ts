/**
 * The trades of a venue for a dataset whose contracts change: expired ones go, and an operator lists others. Then the
 * feed starts anew with the present ones and resumes from the tape.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { HOUR_NS_BIG, MINUTE_MS } from '@tapeloom/core/units';
import { aborted } from '../../platform/waiting/aborted.ts';
import type { Intake } from '../../tape/write/intake.ts';
import {
  type ListedDataset,
  type NamedContract,
  type VenueFeed,
  venueSymbolOf,
} from '../instruments/instruments-file.ts';
import type { FeedReport, SourceOptions, TradeSource, VenueReport } from '../market.ts';
import type { VenueBudget } from './connection/venue-budget.ts';
import type { FeedContract, Venue } from './feed.ts';
import type { FeedStatus } from './feed-status.ts';
import { LiveSource } from './live-source.ts';
import type { Network } from './network.ts';

/** A contract that has expired may still have trades on their way. */
const EXPIRED_NS = HOUR_NS_BIG;

export interface VenueSourceOptions
  extends Pick<SourceOptions, 'clock' | 'monotonicNs' | 'random' | 'hoursOf' | 'onContractDown'> {
  readonly intake: Omit<Intake, 'batch'>;
  readonly venue: Venue;
  readonly budget: VenueBudget;
  readonly feed: Pick<VenueFeed, 'graceMs' | 'gapAfterMs' | 'backfillMs'>;
  /** As for `LiveFeed`. */
  readonly beginsFrom?: EpochNs;
  /** The feed's name, which symbols may carry behind a dot. */
  readonly feedName: string;
  readonly listed: () => ListedDataset;
  readonly network: Network;
}

type Counts = Readonly<Record<string, number>>;

interface Before {
  readonly reconnects: number;
  readonly gapsClosed: number;
  readonly leftOut: Counts;
  readonly notes: Counts;
}

export class VenueSource implements TradeSource {
  readonly #options: VenueSourceOptions;
  #source: LiveSource | null = null;
  #contracts: readonly FeedContract[] = [];
  #changed = new AbortController();
  /** What the feeds before the present one counted. */
  #before: Before = { reconnects: 0, gapsClosed: 0, leftOut: {}, notes: {} };

  constructor(options: VenueSourceOptions) {
    this.#options = options;
  }

  get lagMs(): number {
    return this.#source?.lagMs ?? 0;
  }

  get feed(): FeedReport {
    const { reconnects, gapsClosed } = this.#before;
    const status = this.#source?.status;
    return {
      state: status?.state ?? 'live',
      reconnects: reconnects + (status?.reconnects ?? 0),
      gapsOpen: status?.gapsOpen ?? 0,
      gapsClosed: gapsClosed + (status?.gapsClosed ?? 0),
      requestsLeft: status?.requestsLeft ?? null,
      venue: venueReport(status, this.#before),
    };
  }

  requestWatermark(): void {
    this.#source?.requestWatermark();
  }

  /** The instruments have changed. */
  relist(): void {
    if (textOf(this.#present()) !== textOf(this.#contracts)) this.#changed.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    const looking = this.#options.clock.every(MINUTE_MS, () => this.relist());
    try {
      while (!signal.aborted) {
        this.#changed = new AbortController();
        await this.#runOnce(AbortSignal.any([signal, this.#changed.signal]));
      }
    } finally {
      looking[Symbol.dispose]();
    }
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    const { feed, onContractDown, ...options } = this.#options;
    this.#contracts = this.#present();
    if (this.#contracts.length === 0) {
      await aborted(signal);
      return;
    }
    const { graceMs, gapAfterMs, backfillMs } = feed;
    const contracts = this.#contracts;
    const source = new LiveSource({
      ...{ ...options, contracts, graceMs, gapAfterMs, backfillMs },
      onDown: onContractDown,
    });
    this.#source = source;
    try {
      await source.run(signal);
    } finally {
      const { reconnects, gapsClosed, venue } = this.feed;
      const { leftOut, notes } = venue!;
      this.#before = { reconnects, gapsClosed, leftOut, notes };
      this.#source = null;
    }
  }

  #present(): readonly FeedContract[] {
    const { clock, listed, hoursOf, feedName } = this.#options;
    const now = clock.now();
    return listed()
      .contracts.filter(({ contract }) => contract.expiresAt + EXPIRED_NS > now)
      .map((named) => feedContract(named, feedName, hoursOf));
  }
}

/** `feedName`: symbols may carry it behind a dot. */
export function feedContract(
  named: NamedContract,
  feedName: string,
  hoursOf: SourceOptions['hoursOf'],
): FeedContract {
  const { symbol, tickSizeNanos, lotSizeNanos } = named.contract;
  return {
    symbol,
    venueSymbol: venueSymbolOf(named, feedName),
    tickSizeNanos,
    lotSizeNanos,
    get hours() {
      return hoursOf(symbol);
    },
  };
}

function venueReport(status: FeedStatus | undefined, before: Before): VenueReport {
  return {
    connection: status?.connection ?? 'waiting',
    lastEnd: status?.lastEnd ?? null,
    lastFailure: status?.lastFailure ?? null,
    contractsDown: status?.contracts.filter(({ fault }) => fault !== null).length ?? 0,
    leftOut: sumOf(before.leftOut, status?.leftOut),
    notes: sumOf(before.notes, status?.notes),
  };
}

function sumOf(before: Counts, added: Counts = {}): Counts {
  const sum: Record<string, number> = { ...before };
  for (const [kind, count] of Object.entries(added)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}

function textOf(contracts: readonly FeedContract[]): string {
  return JSON.stringify(contracts.map(({ hours: _, ...terms }) => terms));
}
